#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/function.hpp"
#include "cli/keys.hpp"
#include "study/reference.hpp"

namespace masing::cli {

/// A request with every default resolved and every function parsed.
struct Validated {
  Configuration configuration;  ///< tables replaced by their points; what is printed
  engine::RunSpec run;          ///< of a study what is held fixed
  std::shared_ptr<const study::Reference> reference;  ///< of a study; else null
  std::vector<std::string> warnings;  ///< what the user should know of defaults and tables
  std::string unmet_hypotheses;       ///< of a study: study::unmet_hypotheses
};

/// How the files that a configuration names are read; none where there may be none.
struct Files {
  base::FileReader text = {};        ///< of a table
  base::FileReader last_field = {};  ///< the last u of a result file, as the points of a table
  /// The request in a result file of masing simulate. Without it a reference that is a file has a
  /// name only.
  std::function<Validated(const std::string&)> request = {};
};

/// The request that a configuration makes. Throws UserError for the first value outside its range,
/// the first bad expression, level or expected order; what only a cell can show (k, η > 0,
/// |u0| ≤ η) is slab::check_profile's. Local if reading `files` is.
Validated validated(Configuration configuration, const Files& files);

/// What a result file says of its making; `run` as the trajectory in the file: of a study the last
/// level. Local.
io::ResultSpec result_of(const Configuration& configuration, const engine::RunSpec& run,
                         const std::string& command_line);
/// Which steps have a row of /series. Local.
io::Sampling sampling_of(const Configuration& configuration);

/// Where the checkpoints of a request go. Local.
io::CheckpointSpec checkpoint_of(const Configuration& configuration);

/// One trajectory and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::ResultSpec result;
  io::CheckpointSpec checkpoint;
  bool quiet = false;
};

/// The trajectory of a request of masing simulate. Throws UserError where the exact solution would
/// have to know where F is not smooth. Local.
Simulation simulation(const Validated& request, const std::string& command_line);

/// The study of a request of masing converge. Throws UserError where an exact solution would have
/// to know where F is not smooth. Local.
study::StudySpec study_spec(const Validated& request, const std::string& command_line);

/// What a request is for.
using Spec = std::variant<Simulation, study::StudySpec, scan::ScanSpec>;

/// The spec of a request, by simulation(), study_spec() or scan_spec(). Throws UserError where they
/// do. Local.
Spec spec_of(const Validated& request, const std::string& command_line);

}  // namespace masing::cli
