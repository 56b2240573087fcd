#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "engine/slab.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"
#include "scan/points.hpp"

// A scan solves one problem for each point of a grid of parameters. For each point it computes
// numbers that describe the motion.

namespace masing::io {
class Handle;
}

namespace masing::scan {

/// The problem at one point of a scan.
struct ScanProblem {
  engine::RunSpec run;
  /// Selects the steps whose samples are kept. For runs, PointNumbers::most_x and least_x
  /// are the extremes of x over all steps in the time interval [series.from, series.to].
  io::Sampling series;
  std::optional<double> period = std::nullopt;  ///< The period τ of F; empty if no period is known.
  /// The times in (0, 8τ) at which F may not be smooth; set for limit cycles only.
  std::vector<double> force_breaks = {};
  std::string warning = {};  ///< what a single run would warn of, in one line; empty if nothing
};

/// The specification of a scan.
struct ScanSpec {
  Points points;
  /// whether the limit cycles are computed to which the motions from the initial states converge,
  /// in place of runs
  bool is_steady = false;
  bool keep_series = false;  ///< whether the samples of the runs are kept
  ScanProblem first = {};    ///< the problem at the first point without a fault
  io::FileSpec files = {};
};

/// The numbers that describe the motion at a point; a number that is unknown is NaN. The table
/// point_columns in scan_file.cpp describes those that have no comment here. All members are
/// doubles.
struct PointNumbers {
  double most_x = base::undefined;
  double least_x = base::undefined;
  double last_x = base::undefined;
  double most_speed = base::undefined;
  double most_restoring = base::undefined;
  double most_elongation = base::undefined;
  double most_acceleration = base::undefined;
  double amplitude = base::undefined;
  double centre = base::undefined;
  double restoring_amplitude = base::undefined;
  double loss = base::undefined;
  double secant_stiffness = base::undefined;
  double damping_ratio = base::undefined;
  double phase = base::undefined;
  double period = base::undefined;
  double period_multiple = base::undefined;
  double residual = base::undefined;
  /// The Floquet multipliers of a limit cycle, the one of larger modulus first.
  std::array<double, 2> multiplier_re{base::undefined, base::undefined};
  std::array<double, 2> multiplier_im{base::undefined, base::undefined};
  double drift = base::undefined;
  double frozen = base::undefined;
  double settled = base::undefined;
  /// wall time of the computation of the point; if it was resumed, since then
  double seconds = base::undefined;

  /// Saves or restores all members. Local.
  void fields(engine::Archive& archive) {
    std::vector<PointNumbers> one{*this};
    archive.structs("numbers", one);
    *this = one.front();
  }
};

/// Returns whether `name` is a dataset that scans write to the group /points of their files. No
/// column of Points can have such a name. Local.
bool is_point_column(const std::string& name);

/// Returns a copy of `cycle` in which secant_stiffness and damping_ratio are set. They are computed
/// from the members amplitude, restoring_amplitude, loss and period_multiple, and from
/// slab::CycleNumbers::work_of_drift. A period_multiple that is NaN counts as 1. Local.
PointNumbers completed(PointNumbers cycle, double work_of_drift = 0.0);

/// One point of a scan with its results.
struct ScanPoint {
  std::string warning;  ///< ScanProblem::warning, or else Engine::warning()
  std::string message;  ///< the reason why the point failed; empty if it has not failed
  PointNumbers numbers;
  /// The rows of samples, one after another; empty if spec.keep_series is false.
  std::vector<double> series;

  [[nodiscard]] bool has_failed() const { return !message.empty(); }
  /// Saves or restores all members. Local.
  void fields(engine::Archive& archive);
};

/// The results of a scan.
struct ScanResult {
  std::vector<ScanPoint> points;
  double seconds = 0.0;

  /// Returns the number of points that failed. Local.
  [[nodiscard]] std::int64_t failed() const {
    return std::ranges::count(points, true, &ScanPoint::has_failed);
  }
};

/// Writes the results into the file of a scan: the groups /points and /timing and, if series are
/// kept, /runs. `comm` contains the root alone. Local.
void write(const parallel::Communicator& comm, const io::Handle& file, const ScanSpec& spec,
           const ScanResult& scan);

/// Returns the results as an aligned table for the terminal, with the first 60 points at most.
/// Local.
std::string table(const ScanSpec& spec, const ScanResult& scan);

/// A function that returns the problem at a point, given the number of the point. If the function
/// throws UserError, the point fails with the message of this error.
using ProblemAt = std::function<ScanProblem(std::int64_t point)>;

/// Computes the points of a scan as a campaign and writes the result file. In general each point is
/// computed by a single rank. All ranks together compute a run that can be split over them, if it
/// is too large for one rank or there are fewer points than ranks. If a point fails, its
/// ScanPoint::message says why, and the scan continues. Except for durations, the results have the
/// same bits on any number of ranks. Returns all points on all ranks, but the series of the points
/// on the root only. Throws UserError on all ranks alike if the checkpoint cannot be read or the
/// files must not be written. Throws Stopped if a stop is requested; before that, the completed
/// points are saved if spec.files names a checkpoint. Collective on comm.
ScanResult make_scan(const parallel::Communicator& comm, const ScanSpec& spec,
                     const ProblemAt& problem_at);

/// Computes limit cycles without a run, for one problem after another. The object keeps the measure
/// of the slab. It computes the measure again only if the slab differs from that of the previous
/// problem.
class CycleSolver {
 public:
  /// Returns the numbers of the limit cycle to which the motion from x0, y0, u0 converges. `comm`
  /// is a communicator of one rank. Throws UserError if no limit cycle is found or the measure
  /// cannot be computed, and Stopped if a stop is requested. Local.
  PointNumbers find_limit_cycle(const parallel::Communicator& comm, const ScanProblem& problem);

 private:
  std::optional<slab::Slab> slab_;  // the slab for which exact_ was computed
  slab::BuiltSlab exact_{};
};

}  // namespace masing::scan
