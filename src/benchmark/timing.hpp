#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmark/benchmark.hpp"
#include "parallel/communicator.hpp"

// The functions with which masing benchmark measures times.

namespace masing::benchmark {

/// The seconds that a step or a call takes. The three numbers are the median, the smallest and the
/// largest result of repeated measurements.
using Timing = std::array<double, 3>;

/// A function that executes `count` steps or calls, and whose duration is measured.
using Work = std::function<void(std::int64_t count)>;

/// Returns a Work that calls the function `once` `count` times.
template <typename Once>
Work repeated(Once once) {
  return [once](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      once();
    }
  };
}

/// Returns, for each of the `works`, the seconds that a step or a call takes. All works are
/// measured once before any is measured again. A change of the machine's speed then affects all of
/// them alike and hardly changes their ratios. Collective.
std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            const std::vector<Work>& works);

/// Returns the root's `value` on all ranks. Collective.
std::int64_t of_root(const parallel::Communicator& comm, std::int64_t value);

/// Calls `make` on the first `count` ranks only. Returns the timings that `make` returns there, on
/// all ranks. The other ranks sleep meanwhile and hardly use a core or memory bandwidth.
/// Collective.
std::vector<Timing> on_first(
    const parallel::Communicator& comm, int count,
    const std::function<std::vector<Timing>(const parallel::Communicator& group)>& make);

/// Adds three columns to the report: `path` with the medians of the timings, `path`_least with
/// their smallest results, and `path`_most with their largest results. Local.
void add_columns(Report& report, const std::string& path, const io::Attributes& attributes,
                 const std::vector<Timing>& timings, const std::string& axis);

/// Returns a timing as text, in nanoseconds. Local.
std::string in_words(const Timing& timing);

/// Measures the time of a step of a chain of slabs with P = ∞, for several numbers of elements, on
/// one rank and on all ranks, beside obvious loops with 10 and 100 sliders an element; and the
/// errors of these loops. Collective.
void measure_chains(const parallel::Communicator& comm, const Effort& effort, Report& report);

}  // namespace masing::benchmark
