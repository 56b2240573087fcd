#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/hdf5.hpp"
#include "io/specs.hpp"

namespace masing::io {

/// The bytes with which an HDF5 file without a user block begins.
inline constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

/// Checks a result file before it is read with HDF5, which crashes on some damaged files. Returns
/// whether the file is sealed (io/sealed_file.hpp). Verifies the seal of a sealed file. Opens a
/// file without a seal with HDF5, and checks only whether the size of the file is the one that HDF5
/// finds in it. Throws UserError with the name of the file on all ranks alike if a check fails.
/// Collective.
bool require_sound(const parallel::Communicator& comm, const std::string& path);

/// Calls `read` and returns its result. An exception of `read` other than UserError is replaced by
/// a UserError, which says that the file `path` is damaged and contains the message of that
/// exception. Local.
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

/// Opens a file for reading. Throws UserError if HDF5 cannot open it. Local, without MPI.
Handle open_for_reading(const std::string& path);

/// Maps the path of each group and dataset in a file to its type. The paths are without the first
/// slash; that of the root group is ".".
using Objects = std::map<std::string, H5O_type_t>;
/// Returns all groups and datasets of a file. Collective on the file's ranks.
Objects objects_in(const Handle& file);

/// Returns the text attribute `name` of the object at `path`, or an empty text if the object has no
/// such attribute. Collective on the file's ranks.
std::string read_text_attribute(const Handle& file, const std::string& path,
                                const std::string& name);

/// Returns the text of the dataset `name` of the root group or of a group of it, such as
/// "samples/table", or nothing if there is no such dataset. Collective on the file's ranks.
std::optional<std::string> read_text_dataset(const Handle& file, const std::string& name);

/// Returns whether `path` is a regular file that begins with a head of masing (io/sealed_file.hpp)
/// or with HDF5's signature. Local, without MPI.
bool is_hdf5(const std::string& path);

/// Returns the content of a text file. Throws UserError if the file cannot be read, is not a
/// regular file, or is larger than 256 MiB. Local, without MPI.
std::string read_text(const std::string& path);

/// Returns u of the last field in a result file as a table, with which an option can define a
/// function of s: "points:s u; s u; …". Throws UserError if the file has no field of a slab, or
/// contains only a part of its cells. Local, without MPI.
std::string last_field(const std::string& path);

/// Returns the samples in a file: a text file with the table, or an HDF5 file with the group
/// /samples. Throws UserError if the file cannot be read or contains no samples. Local, without
/// MPI.
Samples read_samples(const std::string& path);

/// The data of a file from which its result can be computed again, as `masing reproduce` does.
struct Recipe {
  std::string kind;                     ///< "simulate", "converge" or "scan"
  std::string configuration;            ///< the text of /configuration, which is an .ini file
  std::string derived;                  ///< the list ResultSpec::derived of the file.
  bool is_checkpoint = false;           ///< whether the file is a checkpoint rather than a result
  std::optional<Samples> samples = {};  ///< the samples of a scan, if it has any
};

/// Returns the recipe in a result file or a checkpoint. Throws UserError if HDF5 cannot open the
/// file, or if it has no kind or no configuration. Local, without MPI.
Recipe read_recipe(const std::string& path);

/// A difference between a result file and a second file that was computed from the configuration of
/// the first.
struct FileDifference {
  bool counts = true;  ///< whether the file is not reproduced; else the difference is only noted
  std::string text;    ///< one line with the place in the file and what differs there
};

/// Compares the result file `expected` with the file `actual`, which was computed from the same
/// configuration. Returns the differences in the alphabetical order of the paths. Every dataset and
/// attribute of numbers in `expected` must be in `actual` with the same shape and the same values,
/// bit for bit; an integer may be stored with another number of bytes. A violation of this rule is
/// a difference that counts. All other differences are only noted: another text, an object or
/// attribute without numbers that `actual` does not have, and an object or attribute that only
/// `actual` has. /provenance, /timing and the text of /configuration are not compared. Of
/// entries that are neither numbers nor texts, such as HDF5 references, only the type is compared.
/// Throws UserError if a file cannot be opened. Local, without MPI.
std::vector<FileDifference> differences(const std::string& expected, const std::string& actual);

}  // namespace masing::io
