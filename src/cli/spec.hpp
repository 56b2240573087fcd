#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/request.hpp"
#include "study/study_spec.hpp"

// From a request to the spec of what is to be done: bound to its constants, then as the spec.

namespace masing::cli {

/// The request in a result file of masing simulate. If empty, --reference FILE.h5 is not opened.
using FileRequest = std::function<BoundRequest(const std::string& file)>;

/// Binds a request to its constants, at the first values of its axes, and resolves its defaults;
/// adds what a study or a scan needs. Throws UserError for the first value outside its range, bad
/// level, expected order or axis; what only a cell can show (k, η ≥ 0, |u0| ≤ η) is
/// slab::check_profile's. Local if `of_file` is.
BoundRequest bind(Request request, const FileRequest& of_file = {});

/// The request `now` as one that continues a run of the request `before`, whose keys in `derived`
/// followed from others there. Where `now` leaves `sample-every`, `field-every` and `field-points`
/// open, they stay as they were, even if a trajectory is extended to a later T with the same step.
/// Throws UserError that names the keys that differ otherwise. Local if `of_file` is.
BoundRequest continued(const BoundRequest& now, const Request& before,
                       const std::vector<std::string>& derived, const FileRequest& of_file = {});

/// Has mistakes say where the quantities of a request were given, while the object lives. Local.
std::unique_ptr<base::GivenAt> given_at(const std::shared_ptr<const Request>& request);

/// Throws UserError where a file that the run writes, or that of --summary if it is not empty, is
/// another one that it writes, or one of the `inputs` that it reads, by whatever name. It asks the
/// file system: on one rank. Local.
void require_files_apart(const Configuration& configuration, std::vector<std::string> inputs);

/// Adds to a request what a study needs: its levels, with a ladder where none is given, its
/// reference, and the orders that "x=1,y=1,u>=0.5", "1" or "none" expects, or else its scheme
/// promises. Throws UserError. Local if `of_file` is.
void resolve_study(BoundRequest& request, const FileRequest& of_file);

/// One trajectory and its files.
struct Simulation {
  engine::RunSpec run;
  io::OutputSpec output;
  io::FileSpec files;
};

/// A scan, and what its problems are made from.
struct Scan {
  scan::ScanSpec spec;
  std::shared_ptr<const Request> request;
  scan::ScanProblem first = {};  ///< at the first values of the axes
};

/// What a request is for.
using Spec = std::variant<Simulation, study::StudySpec, Scan>;

/// The files of a run, a study or a scan. Local.
io::FileSpec& files_of(Spec& spec);

/// Where the checkpoints of a request go. Local.
io::CheckpointSpec checkpoint_of(const Configuration& configuration);

/// The trajectory, study or scan of a request. Throws UserError where the exact solution is asked
/// for and F has unknown breaks or the model too many elements; of a scan also where its first
/// point is at fault. Local.
Simulation simulation(const BoundRequest& request, const std::string& command_line);
study::StudySpec study_spec(const BoundRequest& request, const std::string& command_line);
Scan scan_spec(const BoundRequest& request, const std::string& command_line);
Spec spec_of(const BoundRequest& request, const std::string& command_line);

/// The problem at values of a scan's axes, without that of an amplitude. Throws UserError. Local.
scan::ScanProblem problem_at(const Scan& scan, std::span<const double> values);

}  // namespace masing::cli
