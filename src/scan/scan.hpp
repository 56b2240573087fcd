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

// Scans: one problem for each point of a grid of parameters, and what is known of its motion.

namespace masing::io {
class Handle;
}

namespace masing::scan {

/// What a scan varies: a constant, a key or a parameter of the model, and its values.
struct ScanAxis {
  std::string name;
  std::vector<double> values;
};

/// What is found at a point: what a run comes to, the limit cycle itself, or the closed cycle of an
/// amplitude, without a run.
enum class ScanKind { runs, steady, closed_curves };

/// What cells that do not yield on a limit cycle keep: what a motion from x0, y0, u0 left, or what
/// the cycle of the point before left.
enum class Past { rest, point };

/// Samples of a limit cycle that a scan keeps, a period of the force, beside the one at its start.
inline constexpr int samples_a_period = 400;

/// The problem at one point.
struct ScanProblem {
  engine::RunSpec run;
  io::Sampling series;  ///< the samples to be kept, and the window of the extremes
  std::optional<double> period = std::nullopt;  ///< τ of F, where it has one
  /// Where F may not be smooth in (0, 8τ); ScanKind::steady.
  std::vector<double> force_breaks = {};
};

/// A scan.
struct ScanSpec {
  std::vector<ScanAxis> axes;  ///< the last varies fastest
  ScanKind kind = ScanKind::runs;
  Past past = Past::rest;
  /// Of Past::rest: points are added beside those where X or the phase is farther than this part of
  /// the range of X, or of π, from the chord of its neighbours on the last axis.
  std::optional<double> resolve = std::nullopt;
  bool keep_series = false;
  io::FileSpec files = {};
};

/// What is known of the motion at a point; NaN where it is not known.
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
  /// Floquet's, the larger one first.
  std::array<std::complex<double>, 2> multipliers{
      {{base::undefined, base::undefined}, {base::undefined, base::undefined}}};
  double drift = base::undefined;
  double frozen = base::undefined;
  double settled = base::undefined;
  double seconds = base::undefined;
};

/// Whether a scan's file has a dataset of that name in /points for any scan. Local.
bool is_point_column(const std::string& name);

/// The numbers of a cycle, however it was found, with those that follow from its extremes, its
/// restoring_amplitude and its loss; a period_multiple that is unknown is one. Local.
PointNumbers completed(PointNumbers cycle);

/// One point of a scan.
struct ScanPoint {
  std::vector<double> values;  ///< of the axes
  std::string message;         ///< why it failed; empty where it did not
  PointNumbers numbers;
  std::vector<double> series;  ///< rows of samples, one after another, if they are kept
  /// Of Past::point: the state in which the limit cycle ends, until the next point starts from it.
  std::vector<double> end;

  [[nodiscard]] bool has_failed() const { return !message.empty(); }
};

/// A scan that is done.
struct Scan {
  std::vector<ScanPoint> points;
  double seconds = 0.0;

  [[nodiscard]] std::int64_t failed() const {
    return std::ranges::count(points, true, &ScanPoint::has_failed);
  }
};

/// /points, /runs where series are kept, of the root's, and /timing of a scan's file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const ScanSpec& spec,
           const Scan& scan);

/// Returns the numbers of a point in /points and /timing. Local.
double numbers_in_file(const ScanSpec& spec);

/// Returns the bytes that the file of a scan takes at least; `first`: the first of its problems,
/// whose samples are as many as those of the others. Local.
double bytes_of_file(const ScanSpec& spec, const ScanProblem& first);

/// Throws UserError alike on all ranks where the disks have no room for the file of a scan and for
/// its checkpoints, or the ranks no memory for its points and their series. Collective.
void require_room(const parallel::Communicator& comm, const ScanSpec& spec,
                  const ScanProblem& first);

/// The scan as an aligned table, for people. Local.
std::string table(const ScanSpec& spec, const Scan& scan);

/// Builds the problem for these values of the axes, an amplitude excepted. Throws UserError, whose
/// message a point gets that fails.
using ProblemAt = std::function<ScanProblem(std::span<const double> values)>;

/// Computes the points of a scan as a campaign and writes the result file. Single ranks compute the
/// points; a run that can be split is computed by all ranks if it is too large for one or there are
/// fewer points than ranks. A point that fails is marked, and the scan continues. With `resolve` up
/// to six rounds add points, to at most ten times the number of the grid's, and all are sorted by
/// their values. The results do not depend on the number of ranks, bit for bit. Returns all points
/// on all ranks, their series on the root only. Throws UserError on all ranks alike if the
/// checkpoint cannot be read, Stopped after the completed points are saved. Collective.
Scan make_scan(const parallel::Communicator& comm, const ScanSpec& spec,
               const ProblemAt& problem_at);

/// Computes the cycles of successive problems without a run. The measure of a slab is computed
/// again only if the slab differs from that of the previous problem.
class CycleSolver {
 public:
  explicit CycleSolver(const ScanSpec& spec) : spec_(spec) {}

  /// Sets the numbers of a point to those of the closed cycle whose amplitude, > 0, is the value of
  /// the last axis. Throws UserError. Local.
  void find_closed_cycle(const ScanProblem& problem, ScanPoint& point);

  /// Computes the limit cycle that continues the one that ended at `before` (ScanPoint::end) or, if
  /// that is empty, that the motion from x0, y0, u0 converges to. Sets the numbers of the point,
  /// its series if kept and, with Past::point, its end. `comm`: of one rank. Throws UserError if it
  /// finds no limit cycle. Local.
  void find_limit_cycle(const parallel::Communicator& comm, const ScanProblem& problem,
                        const std::vector<double>& before, ScanPoint& point);

 private:
  const ScanSpec& spec_;
  std::optional<slab::Slab> slab_;  // of exact_
  engine::ExactSlab exact_{};
};

}  // namespace masing::scan
