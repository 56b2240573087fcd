#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/request.hpp"
#include "study/reference.hpp"

// From a request to the spec of what is to be done.

namespace masing::cli {

/// A request with every default resolved.
struct Validated {
  std::shared_ptr<const Request> request;
  Configuration configuration;
  engine::RunSpec run;                                ///< of a study what is held fixed
  std::vector<std::string> warnings;                  ///< what the user should know
  std::vector<study::Level> levels;                   ///< of a study, coarse to fine
  std::shared_ptr<const study::Reference> reference;  ///< of a study; else null
  std::vector<study::ExpectedOrder> expected_orders;  ///< of a study
  std::string unmet_hypotheses;                       ///< of a study: study::unmet_hypotheses
};

/// The request in a result file of masing simulate. Without it a reference that is a file has a
/// name only.
using FileRequest = std::function<Validated(const std::string& file)>;

/// The run that a request makes, with its defaults resolved. Throws UserError for the first value
/// outside its range; what only a cell can show (k, η > 0, |u0| ≤ η) is slab::check_profile's.
/// Local.
Validated resolved(std::shared_ptr<const Request> request, Configuration configuration);

/// The same with what a study or a scan adds: the first bad level, expected order or axis. Local if
/// `of_file` is.
Validated validated(Request request, const FileRequest& of_file = {});

/// One trajectory and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::ResultSpec result;
  io::CheckpointSpec checkpoint;
  bool quiet = false;
};

/// Which steps have a row of /series. Local.
io::Sampling sampling_of(const Configuration& configuration);
/// Where the checkpoints of a request go. Local.
io::CheckpointSpec checkpoint_of(const Configuration& configuration);
/// What a result file says of its making; `run` as the trajectory in the file: of a study the last
/// level. Local.
io::ResultSpec result_of(const Validated& request, const engine::RunSpec& run,
                         const std::string& command_line);
/// The run of a request; where it, or what it is measured against, is the exact solution, with the
/// times where F is not smooth. Throws UserError where they are not known, or there are too many
/// elements. Local.
engine::RunSpec run_of(const Validated& request);

/// A scan, and what its problems are made from.
struct Scan {
  scan::ScanSpec spec;
  std::shared_ptr<const Request> request;
};

/// What a request is for.
using Spec = std::variant<Simulation, study::StudySpec, Scan>;

/// The trajectory, study or scan of a request. Throws UserError as run_of; of a scan also where its
/// first point is at fault. Local.
Simulation simulation(const Validated& request, const std::string& command_line);
study::StudySpec study_spec(const Validated& request, const std::string& command_line);
Spec spec_of(const Validated& request, const std::string& command_line);

}  // namespace masing::cli
