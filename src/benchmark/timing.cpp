#include "benchmark/timing.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "parallel/session.hpp"

namespace masing::benchmark {

namespace {

/// Returns the seconds from a barrier until the slowest rank has executed work(count). Collective.
double seconds_of(const parallel::Communicator& comm, const Work& work, std::int64_t count) {
  parallel::check_mpi(MPI_Barrier(comm.handle()));
  const auto begin = std::chrono::steady_clock::now();
  work(count);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  double seconds = elapsed.count();
  parallel::max_over_ranks(comm, std::span(&seconds, 1));
  return seconds;
}

}  // namespace

std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            const std::vector<Work>& works) {
  const int repeats = effort.quick ? 3 : 5;
  // the least duration of one measurement, in seconds
  const double least = (effort.quick ? 0.02 : 0.3) / repeats;
  std::vector<std::int64_t> counts(works.size(), 1);
  for (std::size_t w = 0; w < works.size(); ++w) {
    for (double took = 0.0; (took = seconds_of(comm, works[w], counts[w])) < least;) {
      const double enough = 1.1 * static_cast<double>(counts[w]) * least / std::max(took, 1e-9);
      counts[w] = std::clamp<std::int64_t>(std::llround(enough), counts[w] + 1, 10 * counts[w]);
    }
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (int turn = 0; turn < repeats; ++turn) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      seconds[w].push_back(seconds_of(comm, works[w], counts[w]) / static_cast<double>(counts[w]));
    }
  }
  std::vector<Timing> timings;
  for (auto& of_one : seconds) {
    std::ranges::sort(of_one);
    const double median = 0.5 * (of_one[(of_one.size() - 1) / 2] + of_one[of_one.size() / 2]);
    timings.push_back({median, of_one.front(), of_one.back()});
  }
  return timings;
}

std::int64_t of_root(const parallel::Communicator& comm, std::int64_t value) {
  parallel::broadcast(comm, std::span(&value, 1));
  return value;
}

std::vector<Timing> on_first(
    const parallel::Communicator& comm, int count,
    const std::function<std::vector<Timing>(const parallel::Communicator& group)>& make) {
  std::vector<Timing> timings;
  if (comm.rank() < count) {
    timings = make(parallel::Communicator(comm, 0, count));
  }
  timings.resize(static_cast<std::size_t>(of_root(comm, std::ssize(timings))));
  for (Timing& timing : timings) {
    parallel::broadcast(comm, timing);
  }
  return timings;
}

void add_columns(Report& report, const std::string& path, const io::Attributes& attributes,
                 const std::vector<Timing>& timings, const std::string& axis) {
  constexpr std::array suffixes{"", "_least", "_most"};
  for (std::size_t part = 0; part < suffixes.size(); ++part) {
    std::vector<double> values;
    std::ranges::transform(timings, std::back_inserter(values),
                           [part](const Timing& timing) { return timing[part]; });
    report.columns.push_back({path + suffixes[part], attributes, values, axis});
  }
}

std::string in_words(const Timing& timing) {
  return fmt::format("{:12.2f} ns  [{:.2f}, {:.2f}]", 1e9 * timing[0], 1e9 * timing[1],
                     1e9 * timing[2]);
}

}  // namespace masing::benchmark
