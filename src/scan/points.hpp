#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"

// Computation of the points of a scan.

namespace masing::scan {

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
/// to six rounds add points, to at most ten times the number of the grid's, and all are sorted by
/// their values. The results do not depend on the number of ranks, bit for bit. Returns all points
/// on all ranks, their series on the root only. Throws UserError on all ranks alike if the
/// checkpoint cannot be read, Stopped after the completed points are saved. Collective.
Scan make_scan(const parallel::Communicator& comm, const ScanSpec& spec, const Problems& problems);

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
