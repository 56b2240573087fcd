#include "engine/setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "engine/engines.hpp"
#include "engine/step_advice.hpp"
#include "parallel/machine.hpp"
#include "parallel/phase.hpp"
#include "parallel/rank_sum.hpp"
#include "parallel/stop.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

namespace {

/// Returns the memory need of a slab. Without a `form` no arrays of k, η, u0 and c are counted: the
/// least possible need as long as the profile is not known.
MemoryNeed memory_need(const slab::Slab& slab, Method method, int ranks,
                       const slab::ProfileForm* form = nullptr) {
  if (method == Method::memory && slab::has_smooth_cells(slab)) {
    return {.ranks = ranks};
  }
  const bool has_table = method != Method::sweep && !slab.is_continuum();
  double bytes = has_table ? 32.0 : 8.0;
  if (form != nullptr) {
    // A sweep that computes v = u - c stores u in an additional vector.
    const bool stores_u = slab.is_shifted() && method == Method::sweep;
    bytes += 8.0 * (slab::kept_arrays(*form) + (stores_u ? 1 : 0));
    const bool has_lists = has_table && (!form->initial_u || form->initial_u->first != 0.0);
    bytes += has_lists ? 72.0 : 0.0;
  }
  return {slab.field_cells(), "cells", ranks, bytes};
}

}  // namespace

std::string gibibytes(double bytes) {
  const double one = 1 << 30;
  return bytes < 0.1 * one ? fmt::format("{:.3g} MiB", bytes / (1 << 20))
                           : fmt::format("{:.1f} GiB", bytes / one);
}

bool is_split(const RunSpec& run, int ranks) {
  const ModelFacts facts = run.facts();
  if (ranks == 1 || run.method == Method::exact || facts.elements != nullptr) {
    return false;
  }
  if (facts.chain != nullptr) {
    // A step of an element takes as much time as a step of this number of cells.
    constexpr std::int64_t cells_a_slab = 16;
    return cells_a_slab * facts.chain->elements() >= run.split_from;
  }
  return run.method == Method::sweep && facts.slab->field_cells() >= run.split_from;
}

MemoryNeed memory_need(const RunSpec& run, int ranks) {
  const ModelFacts facts = run.facts();
  if (facts.slab != nullptr) {
    const base::CellRange some{facts.slab->field_cells() / 3, 1};
    const slab::ProfileForm form = slab::confirmed_form(slab::candidate_form(*facts.slab),
                                                        slab::sample_profile(*facts.slab, some));
    return memory_need(*facts.slab, run.method, ranks, &form);
  }
  if (facts.chain != nullptr) {
    const std::vector<slab::Slab>& shapes = facts.chain->shapes;
    const double of_shape = bytes_a_rank(memory_need(shapes.front(), Method::memory, 1));
    // These bytes suffice for an element that remembers four turning points.
    return {facts.chain->elements(), "elements", is_split(run, ranks) ? ranks : 1,
            facts.chain->keeps_works ? 380.0 : 350.0,
            static_cast<double>(shapes.size()) * of_shape};
  }
  // An upper bound of the bytes per column of the state, including the parameters.
  // rheology::PChain needs the most, because of its total variation.
  return {facts.elements->layout().size(), "columns", ranks, 128.0};
}

double bytes_a_rank(const MemoryNeed& need) {
  return need.bytes_each * static_cast<double>(base::local_range(need.count, 0, need.ranks).size) +
         need.extra_bytes;
}

void require_memory(const MemoryNeed& need, double available) {
  if (const double bytes = bytes_a_rank(need); bytes > available) {
    const bool is_slab = std::string_view(need.parts) == "cells";
    throw base::UserError(
        is_slab ? "cells" : "n",
        fmt::format("{} {} need at least {} a rank, {} may be used; give fewer{}",
                    base::to_text(need.count), need.parts, gibibytes(bytes), gibibytes(available),
                    is_slab ? ", cells = inf, or the engine sweep and more nodes" : ""));
  }
}

namespace {

/// Returns `available` if it has a value, or the result of parallel::available_memory() if not.
/// Collective.
double available_to(const parallel::Communicator& comm, std::optional<double> available) {
  return available ? *available : parallel::available_memory(comm);
}

/// Calls `work` on this rank and returns the result of `work`. If a stop is requested, base::poll()
/// in `work` throws Stopped. If this happens on any rank, all ranks throw Stopped after their calls
/// of `work`. Any other exception of `work` is thrown on this rank alone. Collective.
template <class Work>
auto stoppable(const parallel::Communicator& comm, const Work& work) {
  std::optional<decltype(work())> result;
  std::exception_ptr failure;
  bool stopped = false;
  try {
    const base::Polling polling = parallel::stop_polling();
    result.emplace(work());
  } catch (const base::Stopped&) {
    stopped = true;
  } catch (...) {
    failure = std::current_exception();
  }
  if (parallel::min_over_ranks(comm, stopped ? 0 : 1) == 0) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm) + " before the first step");
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return *std::move(result);
}

/// Checks the values of k, η, v0 and c (see slab::Slab) in all cells. For each of these four whose
/// values follow one formula in all cells, the result contains this formula. Each rank checks its
/// own cells. Throws UserError on all ranks alike for the first cell of all ranks that has invalid
/// values, and Stopped if a stop is requested. Collective.
slab::ProfileForm checked_form(const parallel::Communicator& comm, const slab::Slab& slab) {
  slab::ProfileForm candidate = slab::candidate_form(slab);
  slab::for_each_column(
      [&](std::optional<slab::AffineFormula>& line) {  // broadcasts the formula of the root
        std::array numbers{line->first, line->slope};
        parallel::broadcast(comm, numbers);
        line = {numbers[0], numbers[1]};
      },
      candidate);
  const base::CellRange mine = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  slab::ProfileForm form;
  parallel::on_each(comm, [&] {
    form = stoppable(comm, [&] { return slab::check_profile(slab, mine, candidate); });
  });
  slab::for_each_column(
      // Removes the formula if the cells of any rank contradict it.
      [&](std::optional<slab::AffineFormula>& line) {
        if (parallel::min_over_ranks(comm, line ? 1 : 0) == 0) {
          line.reset();
        }
      },
      form);
  return form;
}

}  // namespace

slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method, std::optional<double> available) {
  const double bytes = available_to(comm, available);
  // a first test, before the cells are checked
  require_memory(memory_need(slab, method, comm.size()), bytes);
  const base::CellRange range = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  const auto has_checked_functions = [&] {
    const bool is_smooth = slab::has_smooth_cells(slab);
    if (is_smooth) {
      slab::check_functions(slab);
    }
    return is_smooth;
  };
  if (comm.size() == 1 && method == Method::memory && stoppable(comm, has_checked_functions)) {
    slab::Profile profile;
    profile.range = range;
    profile.functions = std::make_shared<const slab::Slab>(slab);
    return profile;
  }
  const slab::ProfileForm form = checked_form(comm, slab);
  require_memory(memory_need(slab, method, comm.size(), &form), bytes);
  return slab::sample_profile(slab, range, form);
}

namespace {

/// Returns the measure of a slab with P = ∞. The eight measures that were built last are stored for
/// later runs with the same slab. Throws UserError if slab::make_continuous_measure() does. Local.
std::shared_ptr<const slab::Measure> continuous_measure(const slab::Slab& slab) {
  using Kept = std::pair<slab::Slab, std::shared_ptr<const slab::Measure>>;
  constexpr std::size_t most = 8;
  static std::vector<Kept> kept;
  if (const auto entry = std::ranges::find(kept, slab, &Kept::first); entry != kept.end()) {
    return entry->second;
  }
  auto measure = slab::make_continuous_measure(slab);
  kept.emplace(kept.begin(), slab, measure);
  kept.resize(std::min(kept.size(), most));
  return measure;
}

std::shared_ptr<const slab::Measure> measure_of(const parallel::Communicator& comm,
                                                const slab::Slab& slab,
                                                const slab::Profile& profile) {
  if (slab.is_continuum()) {
    return stoppable(comm, [&] { return continuous_measure(slab); });
  }
  return profile.functions ? stoppable(comm, [&] { return slab::make_smooth_cell_measure(slab); })
                           : slab::make_cell_measure(profile);
}

/// Returns ∫ k c ds for P = ∞, or δs Σ k_i c_i with the same bits on any number of ranks. `measure`
/// is null for a sweep. Collective.
double preload(const parallel::Communicator& comm, const slab::Slab& slab,
               const slab::Profile& profile, const slab::Measure* measure) {
  if (!slab.is_shifted()) {
    return 0.0;
  }
  if (const auto known = measure != nullptr ? measure->preload() : std::nullopt) {
    return *known;
  }
  const auto load = [&](std::size_t i) {
    return slab::preload(profile.element(static_cast<std::int64_t>(i)));
  };
  const parallel::RankReduction reduction{comm};
  const auto size = static_cast<std::size_t>(profile.range.size);
  const auto cells = static_cast<double>(slab.field_cells());
  const double largest = base::largest_term(size, load, reduction);
  return base::sum_within(largest * cells, size, load, reduction) / cells;
}

}  // namespace

std::vector<double> drives_at_start(const parallel::Communicator& comm, const RunSpec& run) {
  std::vector<double> values;
  for (const Drive& drive : run.drives) {
    values.push_back(drive.of_t(0.0));
  }
  parallel::broadcast(comm, values);
  return values;
}

std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile) {
  const ModelFacts facts = run.facts();
  auto measure = run.method == Method::sweep ? nullptr : measure_of(comm, *facts.slab, profile);
  const auto* driven = std::get_if<QuasistaticMasing>(&run.model);
  Masing masing =
      driven != nullptr ? Masing{*facts.slab, facts.oscillator} : std::get<Masing>(run.model);
  masing.oscillator.preload = preload(comm, *facts.slab, profile, measure.get());
  if (driven != nullptr) {
    return make_by_turning_points(comm, masing, run.time, profile, std::move(measure),
                                  run.gives_position, drives_at_start(comm, run).front());
  }
  switch (run.method) {
    case Method::sweep:
      return make_sweep(comm, masing, run.time, profile);
    case Method::exact:
      return make_exact(comm, run, masing, profile, std::move(measure));
    default:
      return make_by_turning_points(comm, masing, run.time, profile, std::move(measure));
  }
}

slab::BuiltSlab built_slab(const parallel::Communicator& comm, const slab::Slab& slab,
                           Method method) {
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  slab::Profile profile = checked_profile(comm, slab, method);
  auto measure = measure_of(comm, slab, profile);
  const double load = preload(comm, slab, profile, measure.get());
  return {std::move(measure), load, slab.is_shifted(), std::move(profile)};
}

Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 std::optional<double> available) {
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  Setup setup;
  const ModelFacts facts = run.facts();
  assert(comm.size() == 1 || is_split(run, comm.size()));
  parallel::on_root(comm, [&] { (void)step_advice(run); });  // throws if the scheme is unstable
  if (facts.slab != nullptr) {
    setup.profile =
        std::make_unique<slab::Profile>(checked_profile(comm, *facts.slab, run.method, available));
    setup.engine = make_engine(comm, run, *setup.profile);
  } else {
    require_memory(memory_need(run, comm.size()), available_to(comm, available));
    setup.engine =
        facts.chain != nullptr ? make_chain(comm, run)
        : run.method == Method::exact
            ? make_exact(comm, run, *facts.elements)
            : make_inclusion(comm, run, *facts.elements, drives_at_start(comm, run).front());
  }
  return setup;
}

void check_run(const parallel::Communicator& comm, const RunSpec& run, bool checks_setup) {
  const auto check = [&](const parallel::Communicator& by) {
    if (checks_setup) {
      make_setup(by, run);
    }
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
