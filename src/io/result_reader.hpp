#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5.hpp"

namespace masing::io {

/// Looks at a result file before HDF5 does, which some damaged files crash, and reads it to its end
/// where it has a seal. Returns whether it has one. Throws UserError alike on all ranks that names
/// it where the seal does not hold, and without one where the file has not HDF5's signature or
/// another size than it says. Collective.
bool require_sound(const parallel::Communicator& comm, const std::string& path);

/// What `read` returns; what it cannot read of a file is thrown as a UserError that names the file.
/// Local.
template <typename Read>
auto reading(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const base::UserError&) {
    throw;
  } catch (const std::exception& failure) {
    throw base::UserError(path + " is damaged: " + failure.what() +
                          "; give a file that masing wrote");
  }
}

/// A file opened for reading. Throws UserError if it is not HDF5. Local, without MPI.
Handle open_for_reading(const std::string& path);

/// The types of groups and datasets by path, without its first slash, of the root ".".
using Objects = std::map<std::string, H5O_type_t>;
/// All groups and datasets of a file. Collective on the file's ranks.
Objects objects_in(const Handle& file);

/// A text attribute of the object at `path`, empty where there is none. Collective on the file's
/// ranks.
std::string read_text_attribute(const Handle& file, const std::string& path,
                                const std::string& name);

/// Reads the numbers of a result file. Local, without MPI.
class ResultReader {
 public:
  /// Throws UserError if the file cannot be opened.
  explicit ResultReader(const std::string& path) : path_(path), file_(open_for_reading(path)) {}

  /// The shape of a dataset of numbers. Throws UserError if there is none of that name.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& name) const;
  /// Whether there is a group or dataset of that name that has the attribute.
  [[nodiscard]] bool has_attribute(const std::string& name, const std::string& attribute) const;
  /// A dataset [n]. Throws UserError if it is missing or of another rank.
  [[nodiscard]] std::vector<double> column(const std::string& name) const;
  /// Row `row` of a dataset [n, columns].
  [[nodiscard]] std::vector<double> row(const std::string& name, std::int64_t row) const;

 private:
  std::string path_;
  Handle file_;
};

/// As many bytes at the start of a file as it has of `count`; none where it is no regular file: a
/// pipe would be waited for. Local, without MPI.
std::string first_bytes(const std::string& path, std::size_t count);

/// Whether there is a regular file that begins as HDF5's do. Local, without MPI.
bool is_hdf5(const std::string& path);

/// The content of a text file. Throws UserError where it cannot be read, is no regular file or is
/// larger than 256 MiB. Local, without MPI.
std::string text_of(const std::string& path);

/// u of the last field of a result file as the text of a table, "points:s u; …". Throws UserError
/// where the file has no field of a slab, or a thinned one. Local, without MPI.
std::string last_field(const std::string& path);

/// What `masing reproduce` needs of a result file to make it again.
struct Recipe {
  std::string kind;            ///< "simulate", "converge" or "scan"
  std::string configuration;   ///< its .ini
  std::string derived;         ///< the keys in it that followed from others by default
  bool names_derived = false;  ///< whether it says which: not before schema 1.2
  bool is_checkpoint = false;  ///< whether it is a checkpoint, no result
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

/// What differs between a result file and another made from the same configuration, in the order of
/// the names. Every dataset and attribute of numbers that `expected` holds must be in `found` with
/// the same shape and the same bits (a whole number may be stored wider); what differs there
/// counts. Noted only: other texts, what `found` has in addition, and the attributes of dimension
/// scales. Not compared: /provenance, /timing, the text of /configuration, references. Throws
/// UserError if a file cannot be opened. Local, without MPI.
std::vector<Difference> differences(const std::string& expected, const std::string& found);

}  // namespace masing::io
