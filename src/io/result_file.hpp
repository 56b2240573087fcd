#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5.hpp"
#include "io/sealed_file.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// Returns facts about the build of the program as pairs: the name of an attribute of /provenance
/// and its value. The first fact is the version, such as "1.0.0". The second is the git revision,
/// or "unknown" if the program was not built in a git repository. The others say whether there were
/// uncommitted changes, and which compiler, flags and libraries were used. Local.
std::vector<std::pair<std::string, std::string>> build_facts();

/// Calls `work`, which writes the file `path`. If an HDF5 function fails in `work` and `path` is
/// not empty, throws a SystemError. Its message is that of HDF5 with the name of the file. If less
/// than 64 KiB are free on the disk, the message also says that the disk is full. Collective if
/// `work` is collective.
void with_file_name(const std::string& path, const std::function<void()>& work);

/// Returns the absolute path of the folder of a file. Local.
std::filesystem::path folder_of(const std::string& path);

/// Returns the number of free bytes on the disk where the file `path` is or would be, or infinity
/// if the system does not provide this number. Local.
double available_bytes(const std::string& path);

/// Throws UserError if a new file `path` would replace something that must be kept. This is the
/// case for a file that is neither empty nor written by masing, and for anything that is not a
/// regular file. A result file must be kept if `quantity` is "checkpoint". `quantity` is the option
/// that the message names, "output" or "checkpoint". Local.
void require_replaceable(const std::string& path, const std::string& quantity);

/// Returns the kind of a file that masing wrote: "checkpoint", or the kind of a result, such as
/// "simulate". Reads only the first bytes of the file, and not with HDF5, which may crash on a
/// damaged file. Returns no value if `path` is not a regular file, or if its first bytes show that
/// masing did not write it. Returns an empty text if the file is empty, or if it seems to be of
/// masing 1 to 3. Local.
std::optional<std::string> kind_at_start(const std::string& path);

/// Returns the paths of all files that a run with the result file `path` may create, in this order:
/// `path`, then `path`.partial and `path`.partial.draft (see OutputFile), then `path`.lock (see
/// OutputLock). Local.
std::vector<std::string> files_of_result(const std::string& path);

/// Prevents two runs from writing the same file FILE, a result or a checkpoint, at the same time.
/// On a file system without locks, it prevents nothing. The root holds a lock on the file FILE.lock
/// as long as the object exists; if the run is killed, the operating system releases the lock. The
/// destructor removes FILE.lock, and also FILE.partial.draft (see OutputFile) if it still exists.
class OutputLock {
 public:
  /// Acquires the lock. Throws UserError on all ranks alike if the file cannot be written, if it
  /// must not be replaced (require_replaceable), or if another run is writing it. These cases are
  /// checked here because a message of HDF5 would not tell one from another. Does nothing if `path`
  /// is empty. `quantity` is the option that the message names. Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& quantity = "output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string path_;
  int file_ = -1;  // descriptor of the open lock file, on the root
};

/// The version of the layout of the files that masing writes, stored as the attribute `schema` of
/// the root group. The first number is increased if datasets or attributes get another name or
/// meaning, the second number if new ones are added.
inline constexpr const char* schema = "masing 2.0";
/// The version of the layout, as netCDF's attribute `Conventions`. It does not name the CF
/// conventions, which the files do not follow.
inline constexpr const char* conventions = "masing-2.0";

/// Writes the attributes of the root group by which a masing file is recognised: program, schema
/// and kind. Collective.
void write_kind(const Handle& file, const std::string& kind);
/// Writes result.configuration as the dataset /configuration with the attributes derived, problem
/// and papers_problem, and writes result.title and result.has_cells as attributes of the root
/// group. Collective.
void write_configuration(const Handle& file, const ResultSpec& result);

/// Sets the attribute `name` of the group /timing, which OutputFile creates in every file that has
/// a configuration. Collective.
void write_time(const Handle& file, const std::string& name, double value);

/// The end of the message of a run that was stopped before its first step.
inline constexpr const char* nothing_lost = "; nothing is lost: give the same command";

/// The group in a checkpoint that contains the saved state.
inline constexpr const char* checkpoint_group = "/checkpoint";

/// The rows of an interrupted run with which a run goes on.
struct RowSource {
  std::string run;   ///< the id of the run, which the heads of its files contain
  std::string path;  ///< the file with the rows
  /// Maps the path of each table to the number of its rows and their checksums.
  std::map<std::string, CountedRows> tables = {};
  /// Whether the run goes on in the file `path` itself. If not, the rows are copied to a new file.
  bool in_place = false;
};

/// Finds the rows that belong to a checkpoint. Four files are searched: result.path, the result
/// file that the checkpoint names, and both names with the ending .partial. The first one is taken
/// that has the id of the run in its head and rows with the checksums in the checkpoint. Changes
/// nothing. Calls base::poll(). Throws UserError on all ranks alike if there is no such file, or if
/// the checkpoint is of another version, and Stopped if a stop is requested meanwhile. Collective.
RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const ResultSpec& result);

/// A result file that is being written. FILE, the path in the ResultSpec, is the name of the
/// complete file. While the file is written, its name is FILE.partial or, at first in a run that is
/// resumed, FILE.partial.draft. The complete file is sealed (io/sealed_file.hpp) and renamed to
/// FILE, so that FILE is never an incomplete file.
///
/// A run that can be resumed first creates all its tables and then calls start_rows(), which writes
/// the id of the run into the head of the file. From then on HDF5 changes no metadata in the file
/// until finish() (see Table), so that HDF5 can open the file although the run was killed. A run
/// that resumes goes on in FILE.partial if this file has its rows and its configuration, and is of
/// the same build. Otherwise it creates a new file, to which start_rows() copies the rows. Until
/// they are copied, the name of the new file is FILE.partial.draft.
class OutputFile {
 public:
  /// Creates the file and writes /provenance and, if `result` has a configuration, /configuration
  /// and /timing. `rows` must be given if the run resumes; if rows->in_place is true, opens
  /// FILE.partial instead. If result.path is empty, the file is created in memory, and finish()
  /// copies its bytes to result.image. `ranks` is the number of ranks that computed the data, by
  /// default that of `comm`. `comm` must outlive the object. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
             std::optional<RowSource> rows = {}, std::optional<int> ranks = {});

  /// Returns the open file. The reference remains valid as long as this object.
  [[nodiscard]] const Handle& file() const { return file_; }

  /// Writes the head with the id of the run. If the constructor was given rows that are not in this
  /// file, copies them before, and renames the file to FILE.partial afterwards. Does nothing if the
  /// file is in memory. Throws UserError if the copied rows do not have the checksums in the
  /// checkpoint, SystemError if a file cannot be read or written, and Stopped if a stop is
  /// requested while rows are copied, on all ranks alike. If the rows could not be copied, the
  /// FILE.partial of the interrupted run is unchanged. Collective.
  void start_rows();

  /// Flushes this file. Then stores the id of the run and the path of the result file in
  /// `checkpoint`, an open checkpoint. When it is complete, its path will be `path`. Collective.
  void save_rows(const Handle& checkpoint, const std::string& path) const;

  /// Writes the durations of the phases into /timing, closes and seals the file, flushes it to the
  /// disk and renames it to FILE. If result.image is given, stores the bytes of the file and the
  /// seal there, and writes nothing to the disk. No
  /// other member function may be called afterwards. Throws SystemError on all ranks alike if
  /// writing fails. Collective.
  void finish();
  /// Closes the incomplete file without a seal. A run can go on with the rows in it. Collective.
  void close() { file_ = Handle(); }

 private:
  [[nodiscard]] bool copies_rows() const { return rows_ && !rows_->in_place; }
  [[nodiscard]] bool is_new() const { return !rows_ || copies_rows(); }

  const parallel::Communicator& comm_;
  ResultSpec result_;
  std::optional<RowSource> rows_;  // the rows with which the run goes on, if it resumes
  Head head_;
  // the present name of the file, FILE.partial or FILE.partial.draft; empty: it is in memory
  std::string draft_;
  Handle file_;
};

/// Writes a result file, or its image in memory, whose data are all on the root. The root works
/// without the other ranks: it creates the file and calls `write` with the open file and a
/// communicator that contains the root only. If writing fails, the incomplete file is removed, and
/// the exception is thrown on all ranks alike. Does nothing if `result` has neither a path nor an
/// image. Collective.
void write_file(const parallel::Communicator& comm, const ResultSpec& result,
                const std::function<void(const parallel::Communicator&, const Handle&)>& write);

}  // namespace masing::io
