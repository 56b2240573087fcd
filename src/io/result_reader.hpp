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

/// A dataset, or an attribute of an object: HDF5 has the same functions for both under two names.
struct Place {
  const Handle& handle;
  bool is_attribute = false;

  [[nodiscard]] Handle type() const;
  [[nodiscard]] Handle space() const;
  /// How many entries it has. Throws SystemError where its file is too small to hold them.
  [[nodiscard]] std::size_t entries() const;
  void read(const Handle& type, void* values) const;
  /// Its texts, without what pads them.
  [[nodiscard]] std::vector<std::string> texts() const;
};

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

/// u of the last field of a result file as the text of a table, "points:s u; …". Throws UserError
/// where the file has no field of a slab, or a thinned one. Local, without MPI.
std::string last_field(const std::string& path);

/// What `masing reproduce` needs of a result file to make it again.
struct Recipe {
  std::string kind;           ///< "simulate" or "converge"
  std::string configuration;  ///< its .ini
};

/// The recipe of a result file. Throws UserError if it is not one. Local, without MPI.
Recipe read_recipe(const std::string& path);

}  // namespace masing::io
