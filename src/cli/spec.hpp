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
  scan::ScanProblem problem = {};  ///< of a scan, the problem at its first point without a fault
};

/// Returns the request of what a call gives. Throws UserError for the first text that is not valid,
/// for options that contradict each other, and for an invalid level, expected order or axis. Does
/// not check k, η and u0 of each cell; slab::check_profile does. Local if reading `files` is local.
Request request_of(Given given, const Files& files);
/// Returns the request of what a call gives, whose points have been read. The exceptions are as for
/// the function above. Local.
Request request_of(Given given, const std::shared_ptr<const Axes>& axes);

/// Returns a request as the text of an .ini (printed.cpp). The text has the keys in sections and
/// those options of the command and the model whose role is `last` or is listed before `last` in
/// Role. If `last` is Role::execution, parsing the text gives the same request again. Local.
std::string printed(const Request& request, Role last = Role::execution);

/// Returns the keys of the printed .ini that the user did not give and whose values follow from
/// other keys, joined by commas: "force,to". Local.
std::string derived_keys(const Request& request);

/// Returns the data of the problem as "key=value;…". Requests of one problem give the same text if
/// their expressions are written alike. Some options that the papers do not have are left out if
/// they have no effect: damping and base-acceleration if they are 0, and threshold-down if it is
/// not given. Therefore, the text is still equal to that in files that were written before these
/// options existed. Local.
std::string problem_text(const Request& request);

/// Returns what the configuration in a result file or a checkpoint gives. Throws UserError if the
/// program no longer has a key that had an effect. Local.
Given given_in(Command command, const std::string& file, const std::string& configuration);

/// Returns the keys whose texts in two configurations differ, each with both texts: "x0 (was 0, is
/// 1)". The text is "none" in a configuration that does not have the key. Leaves out the keys that
/// may differ. Local.
std::vector<std::string> changed_keys(const Given& before, const Given& now,
                                      const Names& may_differ);

/// Returns the request `now`, completed so that it continues the run of the configuration `before`.
/// `sample-every`, `field-every` and `field-points` have their values in `before` unless `now`
/// gives them, even if the run continues to a later T with the same step. Throws UserError if the
/// configurations differ in another key than samples; the message lists these keys. If the run of
/// `now` continues to a later T with the same step, `final-time` and `steps` may differ, and so may
/// `to` if it is T in both requests. Local.
Request continued(const Request& now, const Given& before);

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
/// for simulation(). Local.
Scan scan_spec(const Request& request, const std::string& command_line);
/// Returns the spec that the command of a request needs, by calling one of the three functions
/// above. Local.
Spec spec_of(const Request& request, const std::string& command_line);

/// Returns the problem at a point of a scan. Throws UserError if the problem at this point is not
/// valid. Local.
scan::ScanProblem problem_at(const Scan& scan, std::int64_t point);

}  // namespace masing::cli
