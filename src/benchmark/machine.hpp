#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

/// What the program's parts cost on this machine, measured on the spot.
namespace masing::benchmark {

/// How long and how often each thing is measured.
struct Effort {
  double seconds = 0.3;     ///< of one measurement, all its repeats together
  std::int64_t repeat = 5;  ///< runs, of which the median counts
};

/// Seconds a step: the median of the repeats and their range.
struct Timing {
  double median = 0.0;
  double least = 0.0;
  double most = 0.0;
};

/// Something to time: `run(units)` does `steps` steps for each unit.
struct Work {
  std::int64_t steps = 1;
  std::function<void(std::int64_t units)> run;
};

/// The median and the range of some runs' seconds; at least one. Local.
Timing summary(std::vector<double> seconds);

/// Seconds until the slowest rank has done `work`, all having begun together. Collective.
double seconds_of(const parallel::Communicator& comm, const std::function<void()>& work);

/// Seconds a step of each work. Their repeats take turns, so that a machine that slows down does so
/// for all of them alike and leaves their ratios. Collective.
std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const Work> works);

/// What `make` gives on the root, [count], on every rank; the others sleep meanwhile, so that they
/// take neither a core nor bandwidth. Collective.
std::vector<Timing> on_root_alone(const parallel::Communicator& comm, std::size_t count,
                                  const std::function<std::vector<Timing>()>& make);

/// What moves through memory in a second, bytes/s: the medians. Copy and triad count what the
/// program asks for (16 and 24 bytes an entry), as is the custom; an update in place moves exactly
/// its 16.
struct Bandwidth {
  double copy = 0.0;
  double triad = 0.0;
  double update = 0.0;
  /// What the kernels are held against: the largest of them.
  [[nodiscard]] double best() const;
};

/// The time of one allreduce of two 64-bit integers over some ranks.
struct Latency {
  int ranks = 1;
  Timing seconds;
};

/// The machine: what is known of it and what was measured; the same on every rank.
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

  /// Seconds that a pass on all ranks waits for its sum; a lone rank joins nothing.
  [[nodiscard]] double wait() const { return ranks == 1 ? 0.0 : latencies.back().seconds.median; }
};

/// Bytes of memory that the root's host has left, its control group's limit included. Collective.
std::int64_t free_memory_of_host(const parallel::Communicator& comm);

/// Bandwidths are measured on arrays of `array` bytes, 0 for far more than the caches hold.
/// Collective.
Machine measure_machine(const parallel::Communicator& comm, const Effort& effort,
                        std::int64_t array);

}  // namespace masing::benchmark
