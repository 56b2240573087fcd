#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/points.hpp"
#include "cli/values.hpp"
#include "engine/model.hpp"
#include "io/specs.hpp"
#include "scan/scan.hpp"
#include "study/study_spec.hpp"

// These functions turn what a call gives into the spec of what is computed: request_of() sets the
// defaults that follow from other keys and checks all values, and spec_of() builds the spec.

namespace masing::cli {

/// A call of masing simulate, converge or scan, ready to be computed but for its files.
struct Request {
  Values values;  ///< of a scan, those at its first point without a fault
  /// the points of a scan; without factors for the other commands
  std::shared_ptr<const Axes> axes = std::make_shared<Axes>();
  /// the keys that the user did not give and whose values follow from other keys: "force,to"
  std::string derived = {};
  /// the run; for a study, the run of every level except for its cells and steps
  engine::RunSpec run = {};
  std::vector<std::string> warnings = {};  ///< the warnings to be printed
  /// for a study: its levels, reference, expected orders and unmet hypotheses
  study::StudySpec study = {};
};

/// Returns the request of what a call gives. Throws UserError for the first text that is not valid,
/// for options that contradict each other, and for an invalid level, expected order or axis. Does
/// not check k, η and u0 of each cell; slab::check_profile does. Local if reading `files` is local.
Request request_of(Given given, const Files& files);
/// Returns the request of what a call gives, whose points have been read. The exceptions are as for
/// the function above. Local.
Request request_of(Given given, const std::shared_ptr<const Axes>& axes);

/// Returns the request `now`, completed so that it continues the run of the request `before`.
/// `derived` names the keys of `before` that were not given and followed from others.
/// `sample-every`, `field-every` and `field-points` have their values in `before` unless `now`
/// gives them, even if the run continues to a later T with the same step; a warning then names
/// those that `now` alone would not have. Throws UserError if the requests differ in a key that
/// changes the result; the message lists these keys. If the run of `now` continues to a later T
/// with the same step, `final-time` and `steps` may differ, and so may `to` if it is T in both
/// requests. Local.
Request continued(const Request& now, const Request& before,
                  const std::vector<std::string>& derived);

/// While the returned object exists, the message of a UserError about a quantity begins with the
/// place where the user gave this quantity. Local.
std::unique_ptr<base::GivenAt> given_at(const Values& values);

/// Throws UserError if two of the files that the run writes (result, checkpoint, summary) are the
/// same file, or if one of them is a file that the run reads. The run reads the files `inputs` and
/// the checkpoint of --restart. This checkpoint is an exception: the new checkpoint may replace it.
/// Different names of one file are recognized. Local; call it on one rank.
void require_files_apart(const Values& values, std::vector<std::string> inputs);

/// One trajectory to be computed, and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::FileSpec files;
};

/// A scan to be computed, and what problem_at() needs to derive the problem of each point.
struct Scan {
  scan::ScanSpec spec;
  std::shared_ptr<const Axes> axes;
  Values values;
};

/// The spec that is built from a request: that of a trajectory, a study or a scan.
using Spec = std::variant<Simulation, study::StudySpec, Scan>;

/// Returns the files of a trajectory, a study or a scan. Local.
io::FileSpec& files_of(Spec& spec);

/// Returns where and when the checkpoints of a request are written. Local.
io::CheckpointSpec checkpoint_of(const Values& values);

/// Returns the spec of the trajectory that a request describes. `command_line` is stored in the
/// result file. If the exact solution is needed, throws UserError in two cases: the model has more
/// than 2000 elements, or the times at which F may not be smooth cannot be determined. Local.
Simulation simulation(const Request& request, const std::string& command_line);
/// Returns the spec of the study that a request describes. `command_line` and the exceptions are as
/// for simulation(). Local.
study::StudySpec study_spec(const Request& request, const std::string& command_line);
/// Returns the spec of the scan that a request describes. `command_line` and the exceptions are as
/// for simulation(). Also throws UserError if the first point of the scan is not valid. Local.
Scan scan_spec(const Request& request, const std::string& command_line);
/// Returns the spec that the command of a request needs, by calling one of the three functions
/// above. Local.
Spec spec_of(const Request& request, const std::string& command_line);

/// Returns the problem at a point of a scan. Throws UserError if the problem at this point is not
/// valid. Local.
scan::ScanProblem problem_at(const Scan& scan, std::int64_t point);

}  // namespace masing::cli
