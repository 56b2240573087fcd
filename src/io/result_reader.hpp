#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace io {

/// A file opened for reading. Throws UserError if it is not HDF5. Local, without MPI.
Handle open_for_reading(const std::string& path);

/// Reads the numbers of a result file. Local, without MPI.
class ResultReader {
 public:
  /// Throws UserError if the file cannot be opened.
  explicit ResultReader(const std::string& path) : path_(path), file_(open_for_reading(path)) {}

  /// The shape of a dataset of numbers. Throws UserError if there is none of that name.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& name) const;
  /// Whether a group or dataset has an attribute. Throws UserError if there is none of that name.
  [[nodiscard]] bool has_attribute(const std::string& name, const std::string& attribute) const;
  /// A dataset [n]. Throws UserError if it is missing or of another rank.
  [[nodiscard]] std::vector<double> column(const std::string& name) const;
  /// Row `row` of a dataset [n, columns].
  [[nodiscard]] std::vector<double> row(const std::string& name, std::int64_t row) const;

 private:
  [[nodiscard]] Handle dataset(const std::string& name) const;

  std::string path_;
  Handle file_;
};

}  // namespace io
