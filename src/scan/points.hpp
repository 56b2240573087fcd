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

// How the points of a scan are made.

namespace masing::scan {

class CycleObserver;

/// The problems of a scan's points.
struct Problems {
  /// Builds the problem for these values of the axes, an amplitude excepted. Throws UserError.
  std::function<ScanProblem(std::span<const double> values)> at;
  /// What a point that fails says of an error.
  std::function<std::string(const base::UserError& error)> message;
};

/// Makes the points of a scan as a campaign and writes the result file. Single ranks make the
/// points; a run that is too large for one rank all make together. A point that fails is marked,
/// and the scan goes on. With `resolve` up to six rounds add points, up to ten times those of the
/// grid in all, sorted by their values. The numbers do not depend on the ranks, bit for bit.
/// Returns all points, on all ranks, their series on the root. Throws UserError alike on all ranks
/// where the checkpoint cannot be read, Stopped with what is done saved. Collective.
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

/// Finds the limit cycles of one problem after another. A slab that does not change is prepared
/// once.
class SteadySolver {
 public:
  SteadySolver(Past past, bool keeps_series) : past_(past), keeps_series_(keeps_series) {}

  /// From now on begin at x0, y0, u0. Local.
  void forget() { before_.reset(); }

  /// Sets the numbers of a point, and its series if kept, to those of the limit cycle that the
  /// motion from x0, y0, u0 comes to; with Past::point of the one next to the last that was found
  /// since forget(). `comm`: of one rank. Throws UserError where there is none.
  void solve(const parallel::Communicator& comm, const ScanProblem& problem, ScanPoint& point);

 private:
  Past past_;
  bool keeps_series_;
  std::string slab_;  // of exact_
  engine::ExactSlab exact_{};
  std::optional<CycleState> before_;
};

}  // namespace masing::scan
