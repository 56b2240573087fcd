#pragma once

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

// The functions up to write_samples() say what a file is and where it comes from
// (io/provenance.cpp).

/// Returns facts about the build of the program as pairs: the name of an attribute of /provenance
/// and its value. The first fact is the version, such as "1.0.0". The second is the git revision,
/// or "unknown" if the program was not built in a git repository. The others say whether there were
/// uncommitted changes, and which compiler, flags and libraries were used. Local.
std::vector<std::pair<std::string, std::string>> build_facts();

/// The version of the layout of the files that masing writes, stored as the attribute `schema` of
/// the root group. The first number is increased if datasets or attributes get another name or
/// meaning, the second number if new ones are added.
inline constexpr const char* schema = "masing 2.0";
/// The version of the layout, as netCDF's attribute `Conventions`. It does not name the CF
/// conventions, which the files do not follow.
inline constexpr const char* conventions = "masing-2.0";

/// Writes /provenance, whose attributes describe the build, the call and the host of the root.
/// Collective.
void write_provenance(const Handle& file, const parallel::Communicator& comm,
                      const ResultSpec& result);
/// Writes the attributes of the root group by which a masing file is recognised: program, schema
/// and kind. Collective.
void write_kind(const Handle& file, const std::string& kind);
/// Writes result.configuration as the dataset /configuration with the attributes derived, problem
/// and papers_problem, and writes result.title and result.has_cells as attributes of the root
/// group. Collective.
void write_configuration(const Handle& file, const ResultSpec& result);

/// Writes the group /samples of the file of a result that has samples, but not its dataset
/// `records`. Writes the arrays only if `has_arrays` is true. Collective.
void write_samples(const parallel::Communicator& comm, const Handle& file, const ResultSpec& result,
                   bool has_arrays);

/// Sets the attribute `name` of the group /timing, which OutputFile creates in every file that has
/// a configuration. Collective.
void write_time(const Handle& file, const std::string& name, double value);

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

/// Finds the rows that belong to a checkpoint, in the first of the files result.path.partial and
/// result.path that has the id of the run in its head. Changes nothing. Throws UserError on all
/// ranks alike if there is no such file, or if its rows do not have the checksums in the
/// checkpoint. Collective.
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
  /// file is in memory. Throws SystemError on all ranks alike if a file cannot be read or written;
  /// then the FILE.partial of the interrupted run is unchanged. Collective.
  void start_rows();

  /// Flushes this file. Then stores the id of the run in `checkpoint`, an open checkpoint.
  /// Collective.
  void save_rows(const Handle& checkpoint) const;

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
