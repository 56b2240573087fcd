#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

/// Costs of the program's parts on this machine, measured here and now.
namespace masing::benchmark {

/// Duration and repeats of each measurement.
struct Effort {
  double seconds = 0.3;     ///< of one measurement, all its repeats together
  std::int64_t repeat = 5;  ///< runs, of which the median counts
};

/// Seconds, of a step as a rule: the median of the repeats and their range.
struct Timing {
  double median = 0.0;
  double least = 0.0;
  double most = 0.0;

  [[nodiscard]] Timing operator/(double parts) const {
    return {median / parts, least / parts, most / parts};
  }
};

/// Work to be timed: `run(units)` makes `steps` steps for each unit.
struct Work {
  std::int64_t steps = 1;
  std::function<void(std::int64_t units)> run;
};

/// Work that calls `once` for each unit, `steps` steps each. Local.
template <typename Once>
Work repeated(std::int64_t steps, Once once) {
  return {steps, [once](std::int64_t units) {
            for (std::int64_t i = 0; i < units; ++i) {
              once();
            }
          }};
}

/// The median and the range of at least one time. Local.
Timing summary(std::vector<double> seconds);

/// Seconds until the slowest rank has finished `work`, from a barrier on. Collective.
double seconds_of(const parallel::Communicator& comm, const std::function<void()>& work);

/// Seconds a step of each work. Repeats take turns: a change of the machine's speed affects all
/// works alike and hardly their ratios. Collective.
std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const Work> works);
/// Seconds a step of one work. Collective.
Timing measure(const parallel::Communicator& comm, const Effort& effort, const Work& work);

/// Run `make` on the root and return its timings on every rank; the other ranks sleep meanwhile and
/// take neither a core nor bandwidth. Collective.
std::vector<Timing> on_root_alone(const parallel::Communicator& comm,
                                  const std::function<std::vector<Timing>()>& make);

/// Memory bandwidths, bytes/s: the medians. By convention copy and triad count 16 and 24 bytes an
/// entry, whatever the caches add; an update in place moves exactly its 16.
struct Bandwidth {
  double copy = 0.0;
  double triad = 0.0;
  double update = 0.0;
  /// The largest of them, the reference for the kernels.
  [[nodiscard]] double best() const { return std::max({copy, triad, update}); }
};

/// The time of one allreduce of two 64-bit integers over some ranks.
struct Latency {
  int ranks = 1;
  Timing seconds;
};

/// Data and measurements of the machine, the same on every rank.
struct Machine {
  std::string processor;
  std::string instruction_set;
  int ranks = 1;
  int hosts = 1;
  int cores = 1;                   ///< of the root's host
  std::int64_t cache = 0;          ///< bytes of the root's last-level cache; 0 if unknown
  std::int64_t array = 0;          ///< bytes of an array of the bandwidth measurements, all ranks
  Bandwidth one;                   ///< of one rank alone
  Bandwidth all;                   ///< of all ranks together
  std::vector<Latency> latencies;  ///< over 2, 4, 8 … and all ranks; over 1 where there is one

  /// Seconds of the allreduce of a pass on all ranks; 0 on one rank.
  [[nodiscard]] double allreduce() const {
    return ranks == 1 ? 0.0 : latencies.back().seconds.median;
  }
};

/// Bytes of memory available on the root's host, within its control group's limit. Collective.
std::int64_t free_memory_of_host(const parallel::Communicator& comm);

/// Measure bandwidths on arrays of `array` bytes (0: far more than the caches hold) and allreduces.
/// Collective.
Machine measure_machine(const parallel::Communicator& comm, const Effort& effort,
                        std::int64_t array);

}  // namespace masing::benchmark
