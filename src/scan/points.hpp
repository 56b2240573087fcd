#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/setup.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "slab/steady/period_map.hpp"

// How the points of a scan are made.

namespace masing::scan {

/// Finds the problem at the values of the axes, but an amplitude, and hands it to `make`. Throws
/// UserError where there is none, and what `make` throws.
using Attempt = std::function<void(std::span<const double> values,
                                   const std::function<void(const ScanProblem&)>& make)>;

/// Makes the points of a scan, dealt out to single ranks as they finish, or a run that is too large
/// for one by all together. A point that fails is marked, and the scan goes on. With `resolve` up
/// to six rounds add points, up to ten times those of the grid in all, sorted by their values. The
/// numbers do not depend on the ranks, bit for bit. Points that are done are kept in the
/// checkpoint; those that were under way begin again. All points, on all ranks, their series on the
/// root. Throws UserError alike on all ranks where the checkpoint cannot be read, Stopped with what
/// is done saved. Collective.
Scan make_points(const parallel::Communicator& comm, const ScanSpec& spec, const Attempt& attempt);

/// Sets the numbers of a point, and its series if `keeps_series`, to those of a run on the ranks of
/// `own` with `available` bytes each. `title`: of the progress line; empty for none. Throws
/// UserError, SystemError, Stopped. Collective on `own`.
void compute_run(const parallel::Communicator& own, const ScanProblem& problem, double available,
                 bool keeps_series, const std::string& title, ScanPoint& point);

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
