#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

/// Measures the speed of the machine and of each engine on it.
namespace masing::benchmark {

/// The extent of the measurements.
struct Effort {
  std::int64_t largest = 0;  ///< The largest number of cells.
  /// Whether to measure briefly: short measurements, small arrays, a short exact solution.
  bool quick = false;
};

/// The results of all measurements; they are complete on the root.
struct Report {
  /// A dataset of the result file.
  struct Column {
    std::string path;
    io::Attributes attributes;
    std::vector<double> values;
    std::string axis;  ///< the dataset with the abscissas of the values
  };

  std::string table;  ///< The table that is printed.
  std::vector<Column> columns;
};

/// The bytes of memory that the measurements need for each cell, on all ranks together.
inline constexpr std::int64_t bytes_per_cell = 48;

/// Measures the memory bandwidth, the time of a sum over the ranks (parallel::RankSum), and the
/// time of a step of each engine and of the baseline loop (baseline_step in native_loops.hpp).
/// Returns the results. Collective.
Report measured(const parallel::Communicator& comm, const Effort& effort);

/// Writes the columns of the report to the groups /bandwidth, /latency, /kernel, /memory, /exact
/// and /chain of the file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report);

}  // namespace masing::benchmark
