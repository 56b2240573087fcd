#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// The samples of a scan, as the group /samples of its result file contains them. `table` is the
/// text of a CSV file with one row for each sample. A cell may be the path of a record, which is a
/// file with a table of two columns, or the name "array:K" of array K, which is a record that the
/// samples contain themselves.
struct Samples {
  std::string table;
  std::string folder;  ///< absolute path of the folder from which relative paths start
  /// absolute path of the folder of the HDF5 file that contains the samples, in which records are
  /// searched first; empty if the table is a text file
  std::string beside = {};
  /// The numbers of points of the arrays, and the arguments and the values of all arrays, one array
  /// after another.
  std::vector<double> sizes = {}, arguments = {}, values = {};
  /// The checksum of all records, ResultSpec::records_checksum, of the scan that wrote the file
  /// from which the samples are; empty if unknown.
  std::string records_checksum = {};

  /// Returns the number of bytes of the arrays. Local.
  [[nodiscard]] double bytes() const {
    return static_cast<double>(sizeof(double) * (arguments.size() + values.size()));
  }
};

/// The largest Samples::bytes() of which a result file contains the arrays.
inline constexpr double most_sample_bytes = 64 << 20;

/// Returns the samples in a file: a text file with the table, or an HDF5 file with the group
/// /samples. Throws UserError if the file cannot be read or contains no samples. Local, without
/// MPI.
Samples read_samples(const std::string& path);

/// Writes the group /samples of the file of a result that has samples, but not its dataset
/// `records`. Writes the arrays only if `has_arrays` is true. Collective.
void write_samples(const parallel::Communicator& comm, const Handle& file, const ResultSpec& result,
                   bool has_arrays);

}  // namespace masing::io
