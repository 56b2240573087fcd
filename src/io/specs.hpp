#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slab/problem.hpp"

/// Writes and reads HDF5 result files and checkpoints, and prints messages on progress.
namespace masing::io {

/// The samples of a scan, as the group /samples of its result file contains them. `table` is the
/// text of a CSV file with one row for each sample. A cell may be the path of a record, which is a
/// file with a table of two columns, or the name "array:K" of array K, which is a record that the
/// samples contain themselves.
struct Samples {
  std::string table;
  std::string folder;  ///< absolute path of the folder from which relative paths start
  /// absolute path of the folder of the HDF5 file that contains the samples, in which records are
  /// searched first; empty if the table is a text file
  std::string beside = {};
  /// The numbers of points of the arrays, and the arguments and the values of all arrays, one array
  /// after another.
  std::vector<double> sizes = {}, arguments = {}, values = {};
  /// The checksum of all records, ResultSpec::records_checksum, of the scan that wrote the file
  /// from which the samples are; empty if unknown.
  std::string records_checksum = {};

  /// Returns the number of bytes of the arrays. Local.
  [[nodiscard]] double bytes() const {
    return static_cast<double>(sizeof(double) * (arguments.size() + values.size()));
  }
};

/// The largest Samples::bytes() of which a result file contains the arrays.
inline constexpr double most_sample_bytes = 64 << 20;

/// Defines which steps are samples. The steps 0, `every`, 2·`every`, … and N (the last step) are
/// considered; a step is a sample if its time lies in [from, to].
struct Sampling {
  slab::TimeGrid time;
  std::int64_t every = 1;
  double from = 0.0;
  double to = 0.0;
};

/// Defines what the result file of a run contains. Every file contains /series. The file of a slab
/// or a chain also contains /field, and the file of a slab without a mass or of a model of finitely
/// many elements contains /state. The members say how much is written to these groups, and whether
/// further groups are written.
struct OutputSpec {
  Sampling sampling;
  /// The field is written at the steps 0, field_every, 2·field_every, … and N, or only at step N if
  /// field_every is 0. The state of a model that is no slab is written at the same steps and at
  /// step 0, but only in the time interval of `sampling`.
  std::int64_t field_every = 0;
  /// The number of cells that are written to /field. If it is 0 or at least P, all P cells are
  /// written. For P = ∞ it has no effect.
  std::int64_t field_points = 0;
  bool energy = false;  ///< whether the balance of energy is written to /energy
};

/// Defines where the result file is written, and what it says about the origin of the result.
struct ResultSpec {
  std::string path;  ///< path of the result file; empty: no file is written
  std::string kind;  ///< "simulate", "converge", "scan" or "benchmark".
  /// The .ini text from which the result can be computed again; empty for benchmarks.
  std::string configuration;
  /// The keys of the configuration that the user did not give and whose values follow from other
  /// keys, such as "force,to".
  std::string derived = {};
  std::string command_line;
  std::shared_ptr<const Samples> samples = {};  ///< the samples of a scan, or null
  std::string records_checksum = {};  ///< the checksum of all records that the samples name
  std::string title = {};  ///< title of figures of the run, or of the last level of a study
  bool has_cells = false;  ///< whether the model is a slab.
  /// The values of all options that define the problem, as one text. Result files with the same
  /// text contain solutions of the same problem.
  std::string problem = {};
  /// Whether the problem is that of section 6 of continuous-masing-2001.
  bool papers_problem = false;
  /// If this pointer is not null, the bytes of the result file are stored in the string to which it
  /// points, instead of in a file; `path` must then be empty.
  std::string* image = nullptr;
};

/// Defines the checkpoints of a run, a study or a scan.
struct CheckpointSpec {
  std::string path;  ///< path of the checkpoint; empty: nothing is saved.
  /// Whether checkpoints are also written while the run goes on. If not, one is written only if the
  /// run is stopped.
  bool scheduled = false;
  /// The number of steps of a run, of comparisons of a study or of points of a scan from one
  /// scheduled checkpoint to the next. If it is 0, `distance` is used.
  std::int64_t every = 0;
  /// The time from one scheduled checkpoint to the next, by the root's clock; used if `every` is 0.
  std::chrono::seconds distance{600};
  std::optional<std::string> restart;  ///< the checkpoint from which the run resumes, if any
};

/// Defines the files of a run, a study or a scan. If `quiet` is true, no progress is printed.
struct FileSpec {
  ResultSpec result = {};
  CheckpointSpec checkpoint = {};
  bool quiet = false;
};

}  // namespace masing::io
