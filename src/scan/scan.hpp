#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "engine/run_spec.hpp"
#include "engine/setup.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

// A scan solves one problem for each point of a grid of parameters and computes numbers that
// describe the motion at this point.

namespace masing::io {
class Handle;
}

namespace masing::scan {

/// A parameter that a scan varies, with its values: a constant, a key of the configuration, or a
/// parameter of the model.
struct ScanAxis {
  std::string name;
  std::vector<double> values;
};

/// Selects what a scan computes at each point: a run from the initial state (`runs`), the limit
/// cycle without a run (`steady`), or the closed cycle of a given amplitude without a run
/// (`closed_curves`).
enum class ScanKind { runs, steady, closed_curves };

/// Selects the elongations u of the cells that do not yield on a limit cycle, because the cycle
/// itself does not determine them. `rest`: they are those that the motion from x0, y0, u0 leaves.
/// `point`: they are those that the limit cycle of the previous point leaves.
enum class Past { rest, point };

/// Number of samples of a limit cycle that a scan keeps for each period of the force, in addition
/// to the sample at the start of the cycle.
inline constexpr int samples_a_period = 400;

/// The problem at one point of a scan.
struct ScanProblem {
  engine::RunSpec run;
  /// The samples to be kept. The extremes of x are those in the time interval [series.from,
  /// series.to].
  io::Sampling series;
  std::optional<double> period = std::nullopt;  ///< period τ of F; empty if F is not periodic
  /// Times in (0, 8τ) at which F may not be smooth; only for ScanKind::steady.
  std::vector<double> force_breaks = {};
};

/// The specification of a scan.
struct ScanSpec {
  std::vector<ScanAxis> axes;  ///< the last axis varies fastest
  ScanKind kind = ScanKind::runs;
  Past past = Past::rest;
  /// The tolerance for adding points, which is possible with Past::rest only; if empty, no points
  /// are added. Points are added on both sides of a point if its amplitude deviates from the chord
  /// between its two neighbours on the last axis by more than this fraction of the range of all
  /// amplitudes, or its phase by more than this fraction of π.
  std::optional<double> resolve = std::nullopt;
  bool keep_series = false;
  io::FileSpec files = {};
};

/// The numbers that describe the motion at a point; a number that is unknown is NaN. Each number is
/// a dataset of the result file; the table point_columns in scan_file.cpp describes them.
struct PointNumbers {
  double most_x = base::undefined;
  double least_x = base::undefined;
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
  std::array<std::complex<double>, 2> multipliers{
      {{base::undefined, base::undefined}, {base::undefined, base::undefined}}};
  double drift = base::undefined;
  double frozen = base::undefined;
  double settled = base::undefined;
  double seconds = base::undefined;
};

/// Returns whether the files of scans have a dataset `name` in the group /points, so that no axis
/// can have this name. Local.
bool is_point_column(const std::string& name);

/// Returns a copy of `cycle` in which amplitude, centre, secant_stiffness and damping_ratio are
/// set. They are computed from most_x, least_x, restoring_amplitude, loss and period_multiple of
/// the cycle; a period_multiple that is NaN counts as 1. Local.
PointNumbers completed(PointNumbers cycle);

/// One point of a scan with its results.
struct ScanPoint {
  std::vector<double> values;  ///< the value of each axis at the point
  std::string message;         ///< the reason why the point failed; empty if it has not failed
  PointNumbers numbers;
  /// The rows of samples, one after another; empty if no series are kept.
  std::vector<double> series;
  /// With Past::point: the state at the end of the limit cycle, from which the next point starts.
  /// The array is emptied when the next point is computed and has not failed.
  std::vector<double> end;

  [[nodiscard]] bool has_failed() const { return !message.empty(); }
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

/// Writes the groups /points, /timing and, if series are kept, /runs of the file of a scan. Only
/// the root needs the series. Collective on comm.
void write(const parallel::Communicator& comm, const io::Handle& file, const ScanSpec& spec,
           const ScanResult& scan);

/// Returns how many numbers the groups /points and /timing of the file contain for each point.
/// Local.
double numbers_in_file(const ScanSpec& spec);

/// Returns a lower bound of the size of the file of a scan, in bytes. `first` is the problem at the
/// first point; the problems at all other points have the same number of samples. Local.
double bytes_of_file(const ScanSpec& spec, const ScanProblem& first);

/// Throws UserError on all ranks alike if the disks have too little space for the file of a scan
/// and its checkpoints, or the ranks too little memory for its points and their series. `first` is
/// the problem at the first point. Collective on comm.
void require_room(const parallel::Communicator& comm, const ScanSpec& spec,
                  const ScanProblem& first);

/// Returns the scan as an aligned table for the terminal. Local.
std::string table(const ScanSpec& spec, const ScanResult& scan);

/// A function that builds the problem at a point from the values of all axes. With
/// ScanKind::closed_curves the value of the last axis, which is the amplitude, is left out. If the
/// function throws UserError, the point fails with the message of this error.
using ProblemAt = std::function<ScanProblem(std::span<const double> values)>;

/// Computes the points of a scan as a campaign and writes the result file. Each point is computed
/// by a single rank, with one exception: a run that can be split over ranks is computed by all
/// ranks together if it is too large for one rank, or if there are fewer points than ranks. If a
/// point fails, its ScanPoint::message says why, and the scan continues. If spec.resolve is set,
/// points are added in up to six rounds, but never more than ten times the points of the grid in
/// total, and all points are sorted by the values of their axes. The results have the same bits on
/// any number of ranks. Returns all points on all ranks, but the series of the points on the root
/// only. Throws UserError on all ranks alike if the checkpoint cannot be read. Throws Stopped if a
/// stop is requested, after the completed points are saved. Collective on comm.
ScanResult make_scan(const parallel::Communicator& comm, const ScanSpec& spec,
                     const ProblemAt& problem_at);

/// Computes closed cycles or limit cycles without a run, for one problem after another. The object
/// keeps tables of integrals over the slab (the measure), and computes these tables again only if
/// the slab differs from the slab of the previous problem.
class CycleSolver {
 public:
  explicit CycleSolver(const ScanSpec& spec) : spec_(spec) {}

  /// Computes the closed cycle between -X and X and sets point.numbers. The amplitude X > 0 is the
  /// value of the point on the last axis. Throws UserError if P = ∞ and the measure of the slab
  /// cannot be computed. Local.
  void find_closed_cycle(const ScanProblem& problem, ScanPoint& point);

  /// Computes a limit cycle and sets point.numbers, point.series if series are kept, and point.end
  /// with Past::point. `before` is the end of the previous point (ScanPoint::end), from which the
  /// search for the limit cycle starts. If `before` is empty, the limit cycle is the one to which
  /// the motion from x0, y0, u0 converges. `comm` is a communicator of one rank. Throws UserError
  /// if no limit cycle is found. Local.
  void find_limit_cycle(const parallel::Communicator& comm, const ScanProblem& problem,
                        const std::vector<double>& before, ScanPoint& point);

 private:
  const ScanSpec& spec_;
  std::optional<slab::Slab> slab_;  // the slab for which exact_ was computed
  engine::ExactSlab exact_{};
};

}  // namespace masing::scan
