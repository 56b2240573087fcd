#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slab/problem.hpp"

/// Writes and reads HDF5 result files and checkpoints, and prints messages on progress.
namespace masing::io {

/// Defines which steps are samples: step 0, every `every`-th step and step N, as far as they lie in
/// the time interval [from, to].
struct Sampling {
  slab::TimeGrid time;
  std::int64_t every = 1;
  double from = 0.0;
  double to = 0.0;
};

/// Defines what the result file of a run contains. Every such file contains /series and, unless the
/// model is a slab with a mass, /state; the members select what else is written.
struct OutputSpec {
  Sampling sampling;
  /// The number of steps from one field or state in the file to the next. If it is 0, only the last
  /// field is written, and only the first and the last state.
  std::int64_t field_every = 0;
  /// The largest number of cells whose u is written to the file; 0: all P cells are written.
  std::int64_t field_points = 0;
  bool energy = false;        ///< whether the balance of energy is written
  std::vector<double> probe;  ///< places s at which u is written at every sample
};

/// The progress of a run, a study or a scan.
struct Done {
  std::int64_t count = 0;  ///< number of completed steps, comparisons or points
  std::int64_t of = 0;     ///< number of all steps, comparisons or points
  /// What is counted: "steps", "comparisons" or "points"; empty if the progress is unknown.
  std::string unit = {};
  std::int64_t steps = 0;   ///< completed steps of the runs that are in progress
  bool has_result = false;  ///< whether the result file is complete
  bool is_saved = false;    ///< whether a checkpoint was written
};

/// Defines where the result file is written, and which data about the origin of the result it
/// contains.
struct ResultSpec {
  std::string path;  ///< path of the result file; empty: no file is written
  std::string kind;  ///< "simulate", "converge", "scan" or "benchmark"
  /// The .ini text from which the result can be computed again; empty for benchmarks.
  std::string configuration;
  /// The keys of the configuration whose values were derived from other keys, such as "force,to".
  std::string derived = {};
  std::string command_line;
  std::string title = {};  ///< title of figures of the run, or of the last level of a study
  bool has_cells = false;  ///< whether the model is a slab
  /// A text that identifies the problem: two result files contain the same text if and only if they
  /// solve the same problem.
  std::string problem = {};
  bool papers_problem = false;  ///< whether the problem is that of section 6 of the papers
  /// If `path` is empty and this pointer is not null, the bytes of the result file are stored in
  /// the string to which it points.
  std::string* image = nullptr;
  Done* done = nullptr;  ///< where the root stores the progress; null: it is not stored
};

/// Defines the checkpoints of a run, a study or a scan.
struct CheckpointSpec {
  std::string path;  ///< path of the checkpoint; empty: nothing is saved
  /// Whether checkpoints are written while the run continues, and not only when it is stopped.
  bool scheduled = false;
  /// Steps (in a scan, points) between scheduled checkpoints; 0: `distance` is used.
  std::int64_t every = 0;
  /// The time between scheduled checkpoints, if `every` is 0, by the root's clock.
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
