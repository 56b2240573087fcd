#pragma once

#include <memory>
#include <string>
#include <vector>

#include "study/recording.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// One run to be made, and what is kept of it.
struct Job {
  engine::RunSpec run;
  std::int64_t stride = 1;          ///< every how many steps x and y are kept
  std::int64_t field_samples = 1;   ///< at how many times T/m, 2T/m, …, T u is kept
  std::vector<double> field_times;  ///< or at these, where there are any
  std::string title;                ///< for the progress line
  bool keep_series = false;         ///< whether the rows of /series are kept
};

/// One run: its trajectory, on all ranks, and the time it took.
struct Run {
  std::unique_ptr<Recording> recording;
  std::vector<double> series;  ///< rows of /series, one after another
  double seconds = 0.0;
};

/// Make the runs of a study, several at once on parts of the ranks where that is faster (schedule);
/// their results do not depend on the ranks that made them, bit for bit. Throws UserError alike on
/// all ranks, Stopped with all runs saved. Collective.
std::vector<Run> run_all(const parallel::Communicator& comm, const StudySpec& spec,
                         const std::vector<Job>& jobs);

}  // namespace masing::study
