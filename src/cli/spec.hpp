#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/request.hpp"
#include "scan/scan.hpp"
#include "study/study_spec.hpp"

// These functions turn a request into the spec of what is computed: bind() inserts the values of
// the constants and sets the default values, and spec_of() builds the spec.

namespace masing::cli {

/// Replaces the constants of a request by their values, sets the axes of a scan to their first
/// values, and sets the default values of options that were not given. Adds what a study needs
/// (resolve_study), and checks what a scan needs. Throws UserError for the first value outside its
/// range, for options that contradict each other, and for an invalid level, expected order or axis.
/// Does not check k, η and u0 of each cell; slab::check_profile does. Local.
BoundRequest bind(Request request);

/// Returns the request `now`, completed so that it continues the run of the request `before`.
/// `derived` names the keys of `before` that were not given and followed from others.
/// `sample-every`, `field-every` and `field-points` have their values in `before` unless `now`
/// gives them, even if the run continues to a later T with the same step; a warning then names
/// those that `now` alone would not have. Throws UserError if the
/// requests differ in a key that changes the result; the message lists these keys. If the run of
/// `now` continues to a later T with the same step, `final-time` and `steps` may differ, and so may
/// `to` if it is T in both requests. Local.
BoundRequest continued(const BoundRequest& now, const Request& before,
                       const std::vector<std::string>& derived);

/// While the returned object exists, the message of a UserError about a quantity begins with the
/// place where the user gave this quantity. Local.
std::unique_ptr<base::GivenAt> given_at(const std::shared_ptr<const Request>& request);

/// Throws UserError if two of the files that the run writes (result, checkpoint, summary) are the
/// same file, or if one of them is a file that the run reads. The run reads the files `inputs` and
/// the checkpoint of --restart. This checkpoint is an exception: the new checkpoint may replace it.
/// Different names of one file are recognized. Local; call it on one rank.
void require_files_apart(const Configuration& configuration, std::vector<std::string> inputs);

/// Adds to a request what a study needs: its levels, its reference and the expected orders. The
/// default levels are a ladder. The user gives expected orders as "x=1,y=1,u>=0.5", "1" or "none";
/// by default they are those that the scheme promises or that the catalogue states for the model.
/// Throws UserError if the levels, the reference or the expected orders are not valid. Local.
void resolve_study(BoundRequest& request);

/// Throws UserError if options of a chain contradict each other or are no options of a chain.
/// Local.
void check_chain(Command command, const Configuration& configuration);

/// Returns the run of a chain of slabs. Throws UserError if its parameters are not valid. Local.
engine::RunSpec chain_run(const Configuration& configuration,
                          const std::shared_ptr<const Request>& request);

/// One trajectory to be computed, and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::FileSpec files;
};

/// A scan to be computed, and the request from which problem_at() derives the problem of each
/// point.
struct Scan {
  scan::ScanSpec spec;
  std::shared_ptr<const Request> request;
  scan::ScanProblem first = {};  ///< the problem at the first point without a fault
};

/// The spec that is built from a request: that of a trajectory, a study or a scan.
using Spec = std::variant<Simulation, study::StudySpec, Scan>;

/// Returns the files of a trajectory, a study or a scan. Local.
io::FileSpec& files_of(Spec& spec);

/// Throws UserError about the option `key`, with the text `fault`, if `holds` is false. Local.
void require(bool holds, const char* key, const std::string& fault);

/// Returns where and when the checkpoints of a request are written. Local.
io::CheckpointSpec checkpoint_of(const Configuration& configuration);

/// Returns the spec of the trajectory that a request describes. `command_line` is stored in the
/// result file. If the exact solution is needed, throws UserError in two cases: the model has more
/// than 2000 elements, or the times at which F may not be smooth cannot be determined. Local.
Simulation simulation(const BoundRequest& request, const std::string& command_line);
/// Returns the spec of the study that a request describes. `command_line` and the exceptions are as
/// for simulation(). Local.
study::StudySpec study_spec(const BoundRequest& request, const std::string& command_line);
/// Returns the spec of the scan that a request describes. `command_line` and the exceptions are as
/// for simulation(). Also throws UserError if the first point of the scan is not valid. Local.
Scan scan_spec(const BoundRequest& request, const std::string& command_line);
/// Returns the spec that the command of a request needs, by calling one of the three functions
/// above. Local.
Spec spec_of(const BoundRequest& request, const std::string& command_line);

/// Returns the problem at a point of a scan. Throws UserError if the problem at this point is not
/// valid. Local.
scan::ScanProblem problem_at(const Scan& scan, std::int64_t point);

}  // namespace masing::cli
