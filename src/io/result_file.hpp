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

/// The processor's name, such as "AMD EPYC 9R14"; "unknown" where the system does not say. Local.
std::string processor_name();

/// What the program was built from, by the names of the attributes in /provenance: first the
/// version, such as "1.0.0"; git revision ("unknown" outside a checkout), compiler and its flags,
/// the kernel's instruction set on this machine, libraries. Local.
std::vector<std::pair<std::string, std::string>> build_facts();

/// Calls `work`. A failure of HDF5 in it is thrown on with the file that it writes, and says so
/// where the disk is full: HDF5 tells neither. Collective if `work` is.
void with_file_name(const std::string& path, const std::function<void()>& work);

/// The folder of a file, absolute. Local.
std::filesystem::path folder_of(const std::string& path);

/// What the disk of a file still takes, bytes; infinity where that is not known. Local.
double available_bytes(const std::string& path);

/// Throws UserError, of the `quantity` that gives the path, where there is a file that is neither
/// empty nor made by masing, or a result where the quantity is "checkpoint": it would be replaced.
/// Local.
void require_replaceable(const std::string& path, const std::string& quantity);

/// The kind of a file by its first bytes, without HDF5, which may not stand a damaged one; of a
/// checkpoint "checkpoint"; empty or any text where it is not seen, nothing of a file that masing
/// did not begin. Local.
std::optional<std::string> kind_at_start(const std::string& path);

/// The files that a run to the result file `path` writes: itself, what it is made in, and its lock.
/// Local.
std::vector<std::string> files_of_result(const std::string& path);

/// Keeps a second run from writing the same result file: a lock on FILE.lock, held by the root
/// until the object dies, and given back by the system if the run is killed. The lock file goes
/// with it, and a copy of rows that was not finished.
class OutputLock {
 public:
  /// Throws UserError alike on all ranks, of the `quantity` that gives the path, where a file
  /// cannot be written there (HDF5's own messages would not say why), the file there is not ours
  /// to replace, or another run is writing it. Collective.
  OutputLock(const parallel::Communicator& comm, const std::string& path,
             const std::string& quantity = "output");
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string path_;
  int file_ = -1;  // on the root
};

/// The form of the files, the attribute `schema` of their root. A file of another first number has
/// other names or other meanings; of another second one, more of them.
inline constexpr const char* schema = "masing 1.2";
/// The same as netCDF's attribute of this name. Not CF's: an axis of probes need not ascend.
inline constexpr const char* conventions = "masing-1.2";

/// Writes by what a file of masing is known, attributes of the root: program, schema and kind.
/// Collective.
void write_kind(const Handle& file, const std::string& kind);
/// Writes /configuration and what is said of it. Collective.
void write_configuration(const Handle& file, const ResultSpec& result);

/// Gives an attribute of /timing, which every result file but a benchmark's has from its beginning,
/// its value. Collective.
void write_time(const Handle& file, const std::string& name, double value);

/// Text for a run that was stopped before its first step.
inline constexpr const char* nothing_lost = "; nothing is lost: give the same command";

/// The group of a checkpoint's state.
inline constexpr const char* checkpoint_group = "/checkpoint";

/// Where the datasets of a file lie in it, by path.
using ByteRanges = std::map<std::string, ByteRange>;

/// The rows that a stopped run has written, to be copied to the file of the run that goes on.
struct RowSource {
  std::string run;  ///< the id that its files have, and those of no other run
  /// The files that have rows of it, and where in each. An older one may have fewer.
  std::vector<std::pair<std::string, ByteRanges>> files = {};
  std::map<std::string, CountedRows> tables = {};  ///< by path
};

/// The rows that belong to a checkpoint: in OUTPUT.partial or OUTPUT, of `output` or else of the
/// output that the checkpoint names. HDF5 does not open that file, which may be damaged. Throws
/// UserError alike on all ranks where they are in none. Collective.
RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const std::string& output);

/// The ranks that make a result, for /provenance.
struct Makers {
  int ranks = 1;
  int hosts = 1;
  std::string names = {};  ///< of the first 100 hosts, "n1,n2"
};

/// The ranks of `comm`. Collective.
Makers makers_of(const parallel::Communicator& comm);

/// A result file in the making: written beside its final name (FILE.partial), sealed and renamed
/// when all is in it, so that a reader never sees half a file. It carries the configuration and the
/// provenance of its data.
///
/// A run that is to be resumed wherever it is killed first makes its tables, then calls
/// start_rows(). From there on the rows stay where they lie (Table), and a text of fixed length in
/// /provenance says where: so a restart finds them without HDF5, and copies them to its own file.
class OutputFile {
 public:
  /// Creates FILE.partial with /configuration and /provenance; of a run that goes on with the rows
  /// of `source`, FILE.partial.draft; for result.image one in memory. `makers`: of the data, where
  /// these are not the ranks of `comm`, which must outlive the file. Collective.
  OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
             std::optional<RowSource> source = {}, const std::optional<Makers>& makers = {});

  /// The same object all the time, while the file may be closed and opened again.
  [[nodiscard]] const Handle& file() const { return file_; }

  /// See above. Copies the rows of the source and gives the file the name FILE.partial. Throws
  /// alike on all ranks UserError where a bit of them is another than when they were written,
  /// SystemError, and Stopped; what was there is untouched then. Collective.
  void start_rows();

  /// Have the rows on the disk, and say in an open checkpoint, to be at `path`, that they belong to
  /// it. Collective.
  void save_rows(const Handle& checkpoint, const std::string& path) const;

  /// Closes the file, seals it, has it on the disk and gives it its final name; or has its bytes in
  /// result.image. Nothing may be written any more. Throws SystemError alike on all ranks.
  /// Collective.
  void finish();
  /// Closes what is written of it, which a run may go on with. Collective.
  void close() { file_ = Handle(); }

 private:
  const parallel::Communicator& comm_;
  ResultSpec result_;
  std::optional<RowSource> source_;  // to be copied
  std::string run_;                  // its id
  std::string draft_;  // the file's name at present, FILE.partial or FILE.partial.draft
  Handle file_;
};

/// Writes a result file, or its image, whose content is on the root, which writes it without the
/// other ranks: `write` gets a communicator of the root alone and the open file. Nothing is left of
/// a file that could not be written. Throws SystemError alike on all ranks. Collective.
void write_file(const parallel::Communicator& comm, const ResultSpec& result,
                const std::function<void(const parallel::Communicator&, const Handle&)>& write);

}  // namespace masing::io
