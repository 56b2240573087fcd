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

/// Returns the name of the processor, such as "AMD EPYC 9R14", or "unknown" if the system does not
/// provide it. Local.
std::string processor_name();

/// Returns facts about the build of the program as pairs (name of an attribute of /provenance,
/// value): first the version, such as "1.0.0", then the git revision ("unknown" if the program was
/// not built in a git repository), whether this repository had changes that were not committed, the
/// compiler and its flags, the instruction set that the kernel uses on this machine, and the
/// versions of the libraries. Local.
std::vector<std::pair<std::string, std::string>> build_facts();

/// Calls `work`, which writes the file `path`. If an HDF5 function fails in `work`, throws a
/// SystemError whose message contains the name of the file and, if the disk is full, says so; the
/// message of HDF5 itself says neither. Collective if `work` is.
void with_file_name(const std::string& path, const std::function<void()>& work);

/// Returns the absolute path of the folder of a file. Local.
std::filesystem::path folder_of(const std::string& path);

/// Returns the number of free bytes on the disk where the file `path` is or would be, or infinity
/// if the system does not provide this number. Local.
double available_bytes(const std::string& path);

/// Throws UserError if a new file `path` would replace something that must be kept: a file that is
/// neither empty nor written by masing, anything but a regular file, or, if `quantity` is
/// "checkpoint", a result file. `quantity` is the name of the option that gives the path ("output"
/// or "checkpoint"). Local.
void require_replaceable(const std::string& path, const std::string& quantity);

/// Returns the kind of a file that masing wrote: "checkpoint", or the kind of a result, such as
/// "simulate". Reads only the first bytes of the file, without HDF5, which may crash on a damaged
/// file. Returns no value if the file does not exist or masing did not write it. Returns an empty
/// text if the file is empty, and an empty or arbitrary text if the kind is not among the first
/// bytes. Local.
std::optional<std::string> kind_at_start(const std::string& path);

/// Returns the paths of all files that a run with the result file `path` writes: `path`, the
/// temporary files that are renamed to `path` in the end, and the lock file. Local.
std::vector<std::string> files_of_result(const std::string& path);

/// Prevents two runs from writing the same file FILE, a result or a checkpoint, at the same time.
/// The root holds a lock on the file FILE.lock as long as the object exists; if the run is killed,
/// the operating system releases the lock. The destructor removes FILE.lock and, if it was left
/// behind, FILE.partial.draft, the incomplete first form of a result file (see OutputFile).
class OutputLock {
 public:
  /// Acquires the lock. Throws UserError on all ranks alike if the file cannot be written, if it
  /// must not be replaced (require_replaceable), or if another run is writing it. These conditions
  /// are checked here because a message of HDF5 would not say which of them holds. Does nothing if
  /// `path` is empty. `quantity` is the name of the option that gives the path. Collective.
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
inline constexpr const char* schema = "masing 1.2";
/// The version of the layout, in the form of netCDF's attribute `Conventions`. The files do not
/// follow the CF conventions, because these demand that the coordinates along an axis are monotone,
/// and the places of the probes need not be monotone.
inline constexpr const char* conventions = "masing-1.2";

/// Writes the attributes of the root group by which a masing file is recognised: program, schema
/// and kind. Collective.
void write_kind(const Handle& file, const std::string& kind);
/// Writes result.configuration as the dataset /configuration with the attributes derived, problem
/// and papers_problem, and writes result.title and result.has_cells as attributes of the root
/// group. Collective.
void write_configuration(const Handle& file, const ResultSpec& result);

/// Sets the attribute `name` of the group /timing. Every result file has this group from its
/// creation, except the file of a benchmark. Collective.
void write_time(const Handle& file, const std::string& name, double value);

/// The end of the message of a run that was stopped before its first step.
inline constexpr const char* nothing_lost = "; nothing is lost: give the same command";

/// The group in a checkpoint that contains the saved state.
inline constexpr const char* checkpoint_group = "/checkpoint";

/// Maps the path of each dataset in a file to the range of bytes that the dataset occupies in the
/// file.
using ByteRanges = std::map<std::string, ByteRange>;

/// Says where the rows are that an interrupted run has written. The run that resumes from the
/// checkpoint of the interrupted run copies these rows to its own file.
struct RowSource {
  std::string run;  ///< the unique id of the interrupted run, stored in its files
  /// The paths of the files that contain rows of the run, each with the byte ranges of its datasets
  /// (of which only ByteRange::first is set). An older file among them may have fewer rows.
  std::vector<std::pair<std::string, ByteRanges>> files = {};
  /// Maps the path of a table to the number of its rows and their checksums.
  std::map<std::string, CountedRows> tables = {};
};

/// Returns where the rows that belong to a checkpoint are. They are in the file OUTPUT or
/// OUTPUT.partial, where OUTPUT is `output` or the result file that the checkpoint names. Does not
/// open these files with HDF5, because they may be damaged. Throws UserError on all ranks alike if
/// none of these files has rows of the run, or if the checkpoint is of another version. Collective.
RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const std::string& output);

/// The number of ranks that compute a result, and the hosts of these ranks; both are written to
/// /provenance.
struct Makers {
  int ranks = 1;
  int hosts = 1;
  std::string names = {};  ///< names of the first 100 hosts, such as "n1,n2"
};

/// Returns the numbers of ranks and hosts of `comm`, and the names of the hosts. Collective.
Makers makers_of(const parallel::Communicator& comm);

/// A result file that is being written. The final name of the file is FILE, the path in the
/// ResultSpec. Until the file is complete, its name is FILE.partial. The complete file is sealed
/// (io/sealed_file.hpp) and renamed to FILE, so that FILE is never an incomplete file. The file
/// also contains the configuration and the provenance of its data.
///
/// A run that can be resumed after it was killed first creates all tables and then calls
/// start_rows(). From then on the positions of the rows in the file do not change (see Table), and
/// a text of fixed length in /provenance contains these positions. The run that resumes reads this
/// text without HDF5 and copies the rows to its own file.
class OutputFile {
 public:
  /// Creates the file with /configuration and /provenance. The name of the new file is FILE.partial
  /// or, if the run resumes with the rows of `source`, FILE.partial.draft. If result.path is empty,
  /// the file is created in memory, and finish() copies its bytes to result.image. `makers`
  /// describes the ranks that computed the data; if it is not given, these are the ranks of `comm`.
  /// `comm` must outlive the object. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
             std::optional<RowSource> source = {}, const std::optional<Makers>& makers = {});

  /// Returns the open file. The reference remains valid when the file is closed and opened again.
  [[nodiscard]] const Handle& file() const { return file_; }

  /// Stores the positions of the rows in /provenance. If the constructor was given a `source`,
  /// copies the rows of the interrupted run into this file and renames the file to FILE.partial.
  /// Throws UserError if the copied rows do not have the checksums in the checkpoint, SystemError
  /// if a file cannot be read or written, and Stopped if a stop is requested while rows are copied,
  /// on all ranks alike. After each of these exceptions an existing FILE.partial is unchanged.
  /// Collective.
  void start_rows();

  /// Flushes the rows of this file. Then stores the id of the run and the name of this result file
  /// in `checkpoint`, an open checkpoint whose name will be `path`. Collective.
  void save_rows(const Handle& checkpoint, const std::string& path) const;

  /// Closes and seals the file, flushes it to the disk and renames it to FILE. If result.image is
  /// given, the bytes of the file and the seal are stored there instead of on the disk. No other
  /// member function may be called afterwards. Throws SystemError on all ranks alike if writing
  /// fails. Collective.
  void finish();
  /// Closes the incomplete file without a seal; a run may resume with the rows in this file.
  /// Collective.
  void close() { file_ = Handle(); }

 private:
  const parallel::Communicator& comm_;
  ResultSpec result_;
  std::optional<RowSource> source_;  // the rows that start_rows() has to copy, if the run resumes
  std::string run_;                  // the id of the run
  // FILE.partial or FILE.partial.draft, the present name of the file; empty: it is in memory
  std::string draft_;
  Handle file_;
};

/// Writes a result file, or its image in memory, whose data are all on the root. The root creates
/// and writes the file without the other ranks: it calls `write` with a communicator of the root
/// alone and the open file. If writing fails, removes the incomplete file and throws SystemError on
/// all ranks alike. Collective.
void write_file(const parallel::Communicator& comm, const ResultSpec& result,
                const std::function<void(const parallel::Communicator&, const Handle&)>& write);

}  // namespace masing::io
