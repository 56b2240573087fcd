#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/timing.hpp"

namespace benchmark {

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

}  // namespace benchmark
