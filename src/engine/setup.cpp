#include "engine/setup.hpp"

#include <fmt/core.h>

#include <cassert>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "parallel/communicator.hpp"
#include "parallel/phase.hpp"

namespace masing::engine {

bool is_split(const RunSpec& run, int ranks) {
  return ranks > 1 && run.model->parts(run.method).can_be_split &&
         visited_cells(run) >= static_cast<double>(run.split_from);
}

std::string gibibytes(double bytes) {
  const double one = 1 << 30;
  return bytes < 0.1 * one ? fmt::format("{:.3g} MiB", bytes / (1 << 20))
                           : fmt::format("{:.1f} GiB", bytes / one);
}

double bytes_a_rank(const MemoryNeed& need, int ranks) {
  return need.bytes_each * static_cast<double>(base::local_range(need.count, 0, ranks).size) +
         need.extra_bytes;
}

void require_memory(const MemoryNeed& need, int ranks, double available) {
  if (const double bytes = bytes_a_rank(need, ranks); bytes > available) {
    const bool is_slab = std::string_view(need.parts) == "cells";
    throw base::UserError(
        is_slab ? "cells" : "n",
        fmt::format("{} {} need at least {} a rank, {} may be used; give fewer{}",
                    base::to_text(need.count), need.parts, gibibytes(bytes), gibibytes(available),
                    is_slab ? ", cells = inf, or the engine sweep and more nodes" : ""));
  }
}

std::vector<double> drives_at_start(const parallel::Communicator& comm, const RunSpec& run) {
  std::vector<double> values;
  for (const Drive& drive : run.drives) {
    values.push_back(drive.of_t(0.0));
  }
  parallel::broadcast(comm, values);
  return values;
}

Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 std::optional<double> available) {
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  assert(comm.size() == 1 || is_split(run, comm.size()));
  parallel::on_root(comm, [&] { (void)step_advice(run); });  // throws if the scheme is unstable
  return run.model->set_up(comm, run, available ? *available : parallel::available_memory(comm));
}

void check_run(const parallel::Communicator& comm, const RunSpec& run) {
  const auto check = [&](const parallel::Communicator& by) {
    make_setup(by, run);
    constexpr std::int64_t looks = 1000000;
    const std::int64_t stride = run.time.steps / looks + 1;
    for (std::int64_t p = 0; p <= run.time.steps; p += stride) {
      base::poll();
      for (const auto& [of_t, name] : run.drives) {
        if (const double value = of_t(run.time.time(p)); !std::isfinite(value)) {
          throw name.fault(value, "t = " + base::to_text(run.time.time(p)));
        }
      }
    }
  };
  if (comm.size() == 1 || is_split(run, comm.size())) {
    check(comm);
  } else {
    parallel::on_root(comm, [&] { check(parallel::Communicator(MPI_COMM_SELF)); });
  }
}

}  // namespace masing::engine
