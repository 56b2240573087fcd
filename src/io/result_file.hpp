#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

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

/// Throws UserError, of the `quantity` that gives the path, where there is a file that is neither
/// empty nor made by masing: it would be replaced. Local.
void require_replaceable(const std::string& path, const std::string& quantity);

/// The files that a run to the result file `path` writes: itself, what it is made in, and its lock.
/// Local.
std::vector<std::string> files_of_result(const std::string& path);

/// Keeps a second run from writing the same result file: a lock on FILE.lock, held by the root
/// until the object dies, and given back by the system if the run is killed. The lock file goes
/// with it.
class OutputLock {
 public:
  /// Throws UserError alike on all ranks, of the `quantity` that gives the path, where a file
  /// cannot be written there (HDF5's own messages would not say why), the file there is not ours
  /// to replace, or another run is writing it.
  /// Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& quantity = "output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string name_;
  int file_ = -1;  // on the root
};

/// The form of the files, the attribute `schema` of their root. A file of another first number has
/// other names or other meanings; of another second one, more of them.
inline constexpr const char* schema = "masing 1.0";

/// Create an HDF5 file of that name with only the recipe of what is to come into it. Collective.
void create_recipe(const parallel::Communicator& comm, const std::string& path,
                   const Recipe& recipe);

/// Where a result goes, and what it says of its making.
struct ResultSpec {
  std::string path;           ///< FILE.h5
  std::string kind;           ///< "simulate", "converge", "scan" or "benchmark"
  std::string configuration;  ///< the .ini that makes it again; benchmarks have none
  std::string command_line;
  std::string title = {};       ///< of the run, or of the last level of a study, for figures
  bool has_cells = false;       ///< whether the model has cells of s
  std::string problem = {};     ///< equal of two files exactly if they solve the same problem
  bool papers_problem = false;  ///< whether it is that of the papers, section 6
};

/// The rows of a table that a checkpoint counts.
struct TableRows {
  std::string table;  ///< "/group/name"
  CountedRows counted;
};

/// The rows that a stopped run has written.
struct Rows {
  std::string run;     ///< the mark that the run has in /provenance, and no other run
  std::string path;    ///< the file they are in: OUTPUT.partial, or OUTPUT where it is finished
  std::string output;  ///< OUTPUT
  std::vector<TableRows> tables = {};  ///< on the root
};

/// The rows that belong to a checkpoint: of a run to `output`, else of the one to the output that
/// the checkpoint names. Reads them, and what else is in OUTPUT.partial; throws UserError alike on
/// all ranks where they are in neither, or have another checksum than when they were written, and
/// Stopped. Collective.
Rows rows_of(const parallel::Communicator& comm, const std::string& checkpoint,
             const std::string& output);

/// A result file in the making: written beside its final name (FILE.partial), sealed and renamed
/// when all is in it, so that a reader never sees half a file. It carries the configuration and the
/// provenance of its data.
///
/// A run that is to be resumed wherever it is killed first makes all groups, datasets and
/// attributes, then calls lay_out(). From there on HDF5 changes no structure in the file: rows go
/// to places that they have (Table), and attributes of numbers are overwritten.
class OutputFile {
 public:
  /// Creates FILE.partial with /configuration and /provenance. Throws UserError if the folder is
  /// missing or not writable, or another run writes FILE. `comm` must outlive the file. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result);

  /// Goes on with the rows of a run, in FILE.partial if they are there and of the same
  /// configuration. Else lay_out copies them to a new one. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result, const Rows& rows);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The same object all the time, while the file may be closed and opened again.
  [[nodiscard]] const Handle& file() const { return file_; }

  /// See above. Collective.
  void lay_out();

  /// From now on a thread has rows go to the disk as they come, so that a checkpoint need not wait
  /// for all of them. After lay_out. Local.
  void write_out_steadily();

  /// Have the rows on the disk, and create the HDF5 file `draft` of a checkpoint, which says that
  /// they belong to it. Collective.
  void begin_checkpoint(const std::string& draft) const;

  /// Closes the file, seals it, has it on the disk and gives it its final name. Nothing may be
  /// written any more. Throws SystemError alike on all ranks. Collective.
  void finish();

 private:
  void create();

  const parallel::Communicator& comm_;
  ResultSpec result_;
  std::string run_;
  bool is_new_ = false;                // made, not gone on with in its place
  std::optional<std::string> source_;  // the file with rows to be copied
  std::vector<TableRows> tables_;      // which they are
  std::optional<OutputLock> source_lock_;
  std::string draft_;  // the file's name at present, FILE.partial or FILE.partial.draft
  Handle file_;
  std::jthread writer_;
};

/// Makes a result file whose content is all there: `write` puts it into the open file. Collective.
template <typename Write>
void write_file(const parallel::Communicator& comm, const ResultSpec& result, const Write& write) {
  OutputFile output(comm, result);
  with_file_name(result.path, [&] {
    write(output.file());
    output.finish();
  });
}

}  // namespace masing::io
