#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "parallel/communicator.hpp"

/// What the program's parts cost on this machine, measured on the spot.
namespace benchmark {

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

}  // namespace benchmark
