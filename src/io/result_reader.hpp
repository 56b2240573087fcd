#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace masing::io {

/// The text that `read` makes in a child process of this one: HDF5 crashes on some damaged files,
/// or never returns, and then only the child ends. Throws UserError that names the file `path`
/// where it has not HDF5's signature or is shorter than it says, where `read` throws, and where the
/// child ends early or takes longer than a file of that size can need. Local, without MPI; the
/// child must not use it either.
std::string isolated(const std::string& path, const std::function<std::string()>& read);

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

/// What `masing reproduce` needs of a result file to make it again.
struct Recipe {
  std::string kind;           ///< "simulate" or "converge"
  std::string configuration;  ///< its .ini
};

/// The recipe of a result file. Throws UserError if it is not one. Local, without MPI.
Recipe read_recipe(const std::string& path);

/// Whether a difference makes a file count as not reproduced.
enum class Weight { counts, note };

/// One difference between a file and what was made again.
struct Difference {
  Weight weight = Weight::counts;
  std::string text;  ///< the place and what differs, one line
};

/// What differs between a result file and another made from the same configuration, in the order
/// of the names. Every dataset and attribute of numbers that `expected` holds must be in `found`
/// with the same shape and the same bits (a whole number may be stored wider); what differs there
/// counts. Noted only: other texts, what `found` has in addition, and the attributes of dimension
/// scales. Not compared: /provenance, /timing, the text of /configuration, references. Throws
/// UserError if a file cannot be opened. Local, without MPI.
std::vector<Difference> differences(const std::string& expected, const std::string& found);

}  // namespace masing::io
