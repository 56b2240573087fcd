#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/in_step.hpp"
#include "study/recording.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// One run to be made, what is kept of it, and what it is compared with as it goes.
struct Job {
  engine::RunSpec run;
  std::string title;                ///< for the progress line
  std::vector<SampleTimes> motion;  ///< the times at which x and y are kept
  std::int64_t field_samples = 1;   ///< at how many times T/m, 2T/m, …, T u is kept
  std::vector<double> field_times;  ///< or at these, where there are any
  bool keep_functions = false;      ///< u is kept as functions of η and u0, not as a vector
  /// What runs in step with it, on the same ranks: of neither anything is kept but the errors. Its
  /// steps are a multiple of the run's.
  std::optional<engine::RunSpec> reference;
  std::optional<io::Sampling> series;  ///< the rows of /series that are kept
};

/// The times at which a run of a job keeps u. Local.
std::vector<FieldTime> field_times(const Job& job, const engine::RunSpec& run);

/// Entries of the field that a run of a job keeps; none where it is a function. Local.
std::optional<std::int64_t> field_columns(const Job& job);

/// One run: its trajectory, on all ranks, or what came of the comparison; and the time it took,
/// without that of what ran in step with it.
struct Run {
  std::unique_ptr<Recording> recording;
  std::unique_ptr<InStep> in_step;
  std::vector<double> series;  ///< rows of /series, one after another
  double seconds = 0.0;
};

/// Make the runs of a study, several at once on parts of the ranks where that is faster (schedule);
/// their results do not depend on the ranks that made them, bit for bit. Throws UserError alike on
/// all ranks, Stopped with all runs saved. Collective.
std::vector<Run> run_all(const parallel::Communicator& comm, const StudySpec& spec,
                         const std::vector<Job>& jobs);

}  // namespace masing::study
