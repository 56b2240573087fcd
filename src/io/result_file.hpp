#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "io/hdf5.hpp"
#include "io/result_reader.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// What `work` returns. A failure of HDF5 in it is thrown on with the file that it writes, and says
/// so where the disk is full: HDF5 tells neither. Collective if `work` is.
template <typename Work>
auto with_file_name(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const base::SystemError& error) {
    const std::string what = error.what();
    if (!what.starts_with("HDF5")) {
      throw;
    }
    std::error_code unknown;
    const auto folder = std::filesystem::absolute(path).parent_path();
    const auto space = std::filesystem::space(folder, unknown);
    constexpr std::uintmax_t few = 65536;
    const bool is_full = !unknown && space.available < few;
    throw base::SystemError(path + ": " + what + (is_full ? "; its disk is full" : ""));
  }
}

/// Throws UserError, naming the `option` that gave the path, where there is a file that is neither
/// empty nor made by masing: it would be replaced. Local.
void require_replaceable(const std::string& path, const std::string& option);

/// Keeps a second run from writing the same result file: a lock on FILE.lock, held by the root
/// until the object dies, and given back by the system if the run is killed. The lock file goes
/// with it.
class OutputLock {
 public:
  /// Throws UserError alike on all ranks, naming the `option` that gave the path, where a file
  /// cannot be written there (HDF5's own messages would not say why), the file there is not ours
  /// to replace, or another run is writing it.
  /// Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& option = "--output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string name_;
  int file_ = -1;  // on the root
};

/// The version of the program, e.g. "0.1.0".
std::string program_version();

/// Create an HDF5 file of that name with only the recipe of what is to come into it. Collective.
void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe);

/// Where a result goes, and what it says of its making.
struct ResultSpec {
  std::string path;           ///< FILE.h5
  std::string kind;           ///< "simulate", "converge" or "benchmark"
  std::string configuration;  ///< the .ini that makes it again; benchmarks have none
  std::string command_line;
  std::string title = {};       ///< of the run, or of the last level of a study, for figures
  bool has_cells = false;       ///< whether the model has cells of s
  std::string problem = {};     ///< equal of two files exactly if they solve the same problem
  bool papers_problem = false;  ///< whether it is that of the papers, section 6
};

/// A result file in the making: written beside its final name (FILE.partial) and renamed when all
/// is in it, so that a reader never sees half a file. It carries the configuration and the
/// provenance of its data.
class OutputFile {
 public:
  /// Creates FILE.partial with /configuration and /provenance. Throws UserError if the folder is
  /// missing or not writable, or another run writes FILE. `comm` must outlive the file. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result);

  /// Goes on with a whole checkpoint: FILE.partial is a copy. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
             const std::string& checkpoint);

  [[nodiscard]] const Handle& file() const { return file_; }

  /// Copies what the file holds to another. Collective.
  void copy_to(const std::string& path) const;

  /// Closes the file, has it on the disk and gives it its final name. Nothing may be written any
  /// more. Throws SystemError alike on all ranks. Collective.
  void finish();

 private:
  const parallel::Communicator& comm_;
  std::string path_;
  Handle file_;
};

}  // namespace masing::io
