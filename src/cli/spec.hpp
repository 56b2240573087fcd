#pragma once

#include <string>
#include <variant>

#include "cli/scan.hpp"
#include "cli/study.hpp"
#include "cli/validate.hpp"

// From a request to the spec of what is to be done.

namespace masing::cli {

/// A request with every default resolved, with what a study or a scan adds. Throws UserError for
/// the first value outside its range, bad level, expected order or axis. Local if `of_file` is.
Validated validated(Request request, const FileRequest& of_file = {});

/// One trajectory and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::ResultSpec result;
  io::CheckpointSpec checkpoint;
  bool quiet = false;
};

/// Where the checkpoints of a request go. Local.
io::CheckpointSpec checkpoint_of(const Configuration& configuration);

/// What a request is for.
using Spec = std::variant<Simulation, study::StudySpec, Scan>;

/// The trajectory, study or scan of a request. Throws UserError as run_of; of a scan also where its
/// first point is at fault. Local.
Simulation simulation(const Validated& request, const std::string& command_line);
study::StudySpec study_spec(const Validated& request, const std::string& command_line);
Scan scan_spec(const Validated& request, const std::string& command_line);
Spec spec_of(const Validated& request, const std::string& command_line);

}  // namespace masing::cli
