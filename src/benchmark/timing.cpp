#include "benchmark/timing.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <thread>

#include "parallel/check.hpp"

namespace benchmark {

namespace {

constexpr auto nap = std::chrono::milliseconds(1);

void barrier(const parallel::Communicator& comm) {
  if (comm.size() > 1) {
    parallel::check_mpi(MPI_Barrier(comm.handle()));
  }
}

/// A barrier at which a rank that waits leaves its core to others.
void sleeping_barrier(const parallel::Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  parallel::check_mpi(MPI_Ibarrier(comm.handle(), &request));
  int arrived = 0;
  parallel::check_mpi(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE));
  while (arrived == 0) {
    std::this_thread::sleep_for(nap);
    parallel::check_mpi(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE));
  }
}

/// How many units take about `seconds`. The same on every rank, as the times are. Collective.
std::int64_t units_for(const parallel::Communicator& comm, double seconds, const Work& work) {
  std::int64_t units = 1;
  for (;;) {
    const double took = std::max(seconds_of(comm, [&] { work.run(units); }), 1e-9);
    const double fit = static_cast<double>(units) * seconds / took;
    if (took >= seconds / 2) {
      return std::max<std::int64_t>(1, std::llround(fit));
    }
    units = std::clamp<std::int64_t>(std::llround(fit), 2 * units, 10 * units);
  }
}

}  // namespace

Timing summary(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
  return {.median = median, .least = seconds.front(), .most = seconds.back()};
}

double seconds_of(const parallel::Communicator& comm, const std::function<void()>& work) {
  barrier(comm);
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  double seconds = elapsed.count();
  parallel::max_over_ranks(comm, std::span(&seconds, 1));
  return seconds;
}

std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const Work> works) {
  std::vector<std::int64_t> units;
  for (const Work& work : works) {
    units.push_back(units_for(comm, effort.seconds / static_cast<double>(effort.repeat), work));
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (std::int64_t turn = 0; turn < effort.repeat; ++turn) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      const double took = seconds_of(comm, [&] { works[w].run(units[w]); });
      seconds[w].push_back(took / static_cast<double>(units[w] * works[w].steps));
    }
  }
  std::vector<Timing> timings;
  timings.reserve(works.size());
  for (auto& of_one : seconds) {
    timings.push_back(summary(std::move(of_one)));
  }
  return timings;
}

std::vector<Timing> on_root_alone(const parallel::Communicator& comm, std::size_t count,
                                  const std::function<std::vector<Timing>()>& make) {
  std::vector<Timing> timings(count);
  if (comm.is_root()) {
    timings = make();
    assert(timings.size() == count);
  }
  sleeping_barrier(comm);
  for (Timing& timing : timings) {
    double numbers[] = {timing.median, timing.least, timing.most};
    parallel::broadcast(comm, numbers);
    timing = {numbers[0], numbers[1], numbers[2]};
  }
  return timings;
}

}  // namespace benchmark
