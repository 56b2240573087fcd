#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/recorders.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "slab/steady/period_map.hpp"

// Computation of the points of a scan.

namespace masing::scan {

class CycleObserver;

/// Functions of the caller that build the problem of a point and word its error.
struct Problems {
  /// Builds the problem for these values of the axes, an amplitude excepted. Throws UserError.
  std::function<ScanProblem(std::span<const double> values)> at;
  /// Returns the message that a point gets which failed with this error.
  std::function<std::string(const base::UserError& error)> message;
};

/// Computes the points of a scan as a campaign and writes the result file. Single ranks compute the
/// points; a run that can be split is computed by all ranks if it is too large for one or there are
/// fewer points than ranks. A point that fails is marked, and the scan continues. With `resolve` up
/// to six rounds add points, to at most ten times the number of the grid's, and all are then sorted
/// by their values. The results do not depend on the number of ranks, bit for bit. Returns all
/// points on all ranks, their series on the root only. Throws UserError on all ranks alike if the
/// checkpoint cannot be read, Stopped after the completed points are saved. Collective.
Scan make_scan(const parallel::Communicator& comm, const ScanSpec& spec, const Problems& problems);

/// The run of a point, advanced in windows.
class PointRun {
 public:
  /// On the ranks of `comm` with `available` bytes each; `comm` must outlive it. Throws as
  /// engine::make_setup. Collective.
  PointRun(const parallel::Communicator& comm, ScanProblem problem, double available,
           bool keeps_series);
  ~PointRun();
  PointRun(const PointRun&) = delete;
  PointRun& operator=(const PointRun&) = delete;

  [[nodiscard]] std::int64_t step() const { return loop_.step(); }
  [[nodiscard]] std::int64_t steps() const { return problem_.run.time.steps; }
  [[nodiscard]] bool is_done() const { return loop_.is_done(); }
  /// As engine::TimeLoop. Collective.
  engine::Pause advance(std::int64_t last, engine::Pause wish) { return loop_.advance(last, wish); }
  /// Sets the numbers of a point, and its series if they are kept, at the end of the run. Local.
  void describe(ScanPoint& point);
  /// Collective.
  void serialize(engine::Archive& archive) { loop_.serialize(archive); }

 private:
  ScanProblem problem_;
  engine::Setup setup_;
  std::unique_ptr<CycleObserver> cycle_;
  std::unique_ptr<io::SeriesBuffer> series_;  // null: not kept
  std::vector<engine::Observer*> observers_;
  engine::TimeLoop loop_;
};

/// Sets the numbers of points to those of the closed cycles whose amplitudes, all > 0, are the
/// values of the last axis. Throws UserError. Local.
void compute_closed_cycles(const ScanProblem& problem, std::span<ScanPoint> points);

/// The state at the outer extreme of a limit cycle, and the force's period there.
struct CycleState {
  slab::Extreme extreme;
  double period = 1.0;
  int multiple = 1;  ///< how many periods the cycle takes
};

/// Computes the limit cycles of successive problems. The tables of a slab are computed again only
/// if it differs from that of the previous problem.
class SteadySolver {
 public:
  SteadySolver(Past past, bool keeps_series) : past_(past), keeps_series_(keeps_series) {}

  /// Discards the previous cycle, so that the next solve() starts from x0, y0, u0. Local.
  void forget() { before_.reset(); }
  /// Saves or restores the previous cycle.
  void serialize(engine::Archive& archive);

  /// Computes the limit cycle that the motion from x0, y0, u0 converges to or, with Past::point,
  /// the one that continues the last cycle found since forget(). Stores its numbers, and its series
  /// if kept, in `point`. `comm`: of one rank. Throws UserError if it finds no limit cycle.
  void solve(const parallel::Communicator& comm, const ScanProblem& problem, ScanPoint& point);

 private:
  Past past_;
  bool keeps_series_;
  std::optional<slab::Slab> slab_;  // of exact_
  engine::ExactSlab exact_{};
  std::optional<CycleState> before_;
};

}  // namespace masing::scan
