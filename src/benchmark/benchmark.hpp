#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

/// What the machine gives, and what each engine makes of it, measured here and now.
namespace masing::benchmark {

/// What is measured.
struct Effort {
  std::int64_t largest = 0;  ///< the most cells
  bool quick = false;        ///< few and short runs, small arrays, a short exact solution
};

/// All that was measured, the same on every rank.
struct Report {
  /// A dataset of the file.
  struct Column {
    std::string path;
    io::Attributes attributes;
    std::vector<double> values;
    std::string axis;  ///< the dataset of its places
  };

  std::string table;  ///< for the terminal
  /// Attributes of groups of the file.
  std::map<std::string, std::map<std::string, std::variant<std::string, std::int64_t, double>>>
      facts;
  std::vector<Column> columns;
};

/// Bytes of memory available on the root's host, within its control group's limit. Collective.
std::int64_t free_memory_of_host(const parallel::Communicator& comm);

/// Bytes a cell that measuring takes, all ranks together.
inline constexpr std::int64_t bytes_per_cell = 48;

/// Measures bandwidths, allreduces, and steps of each engine and of the obvious loop. Throws
/// UserError where the loop cannot run here. Collective.
Report measured(const parallel::Communicator& comm, const Effort& effort);

/// The report as /machine, /latency, /kernel, /memory, /exact and /step. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report);

}  // namespace masing::benchmark
