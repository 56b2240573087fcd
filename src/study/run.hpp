#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/configuration.hpp"
#include "io/recorders.hpp"
#include "study/recording.hpp"

namespace masing::study {

/// One run to be made, and what is kept of it.
struct Job {
  cli::Configuration configuration;
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

/// `configuration` at another level. Local.
cli::Configuration at_level(cli::Configuration configuration, const cli::Level& level);

/// Make the runs, several at once on parts of the ranks where that is faster (schedule); their
/// results do not depend on who made them, bit for bit. Throws UserError alike on all ranks.
/// Collective.
std::vector<Run> run_all(const parallel::Communicator& comm, const std::vector<Job>& jobs);

}  // namespace masing::study
