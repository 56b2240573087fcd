#pragma once

#include <memory>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// A closed cycle between -X and X of a slab that has all been loaded from u = 0.
struct ClosedCycle {
  double restoring = 0.0;         ///< B(X) = k0 X + ∫ k min(X, η) ds, the backbone
  double loss = 0.0;              ///< 4 ∫ k η (X - η)⁺ ds, the area of the cycle
  double secant_stiffness = 0.0;  ///< B(X)/X
  double damping_ratio = 0.0;     ///< loss / (2π X² · secant stiffness)
};

/// Closed cycles of any amplitude from integrals of k and η over the cells with η ≤ X, without a
/// run. Source: Masing's rules, rheological-models-2000, (2.27).
class ClosedCurves {
 public:
  /// Throws UserError as make_continuous_measure does for P = ∞. Local.
  ClosedCurves(const Slab& slab, double k0);

  /// The cycle of amplitude X > 0. Local.
  [[nodiscard]] ClosedCycle cycle(double amplitude) const;

 private:
  std::shared_ptr<const Measure> measure_;
  double k0_;
};

}  // namespace masing::slab
