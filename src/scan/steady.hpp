#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"

namespace masing::scan {

/// What the exact solution needs of the last slab, so that a scan that does not vary the slab makes
/// it once.
struct SlabCache {
  std::string slab;
  engine::ExactSlab exact{};
};

/// The problem at a value of the parameter that a line varies. Throws UserError.
using LineProblem = std::function<ScanProblem(double value)>;

/// A limit cycle; of a branch, a point.
struct BranchPoint {
  double value = 0.0;  ///< of the parameter
  PointNumbers numbers{};
  std::string message{};         ///< why it failed; empty: it is done
  std::vector<double> series{};  ///< rows of samples of the cycle, one after another, if kept
};

/// The limit cycles along the values of a parameter, each from the one before, the first from x0,
/// y0, u0; in the order of the values. `comm`: of one rank. Throws UserError where the first has no
/// cycle.
std::vector<BranchPoint> steady_branch(const parallel::Communicator& comm,
                                       const LineProblem& problem, std::span<const double> grid,
                                       SlabCache& cache, bool keeps_series);

/// The limit cycle that the motion from x0, y0, u0 comes to. `comm`: of one rank. Throws UserError
/// where there is none.
BranchPoint steady_point(const parallel::Communicator& comm, const ScanProblem& problem,
                         SlabCache& cache, bool keeps_series);

}  // namespace masing::scan
