#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

#include "slab/steady/period_map.hpp"

namespace masing::slab {

/// By which the fundamental of x lags behind that of F, in [0, 2π), from their coefficients
/// (1/τ) ∫ · exp(-2πi t/τ) dt. NaN where F hardly has one, less than a thousandth of its largest
/// value.
double phase_lag(std::complex<double> of_force, std::complex<double> of_x, double largest_force);

/// A limit cycle.
struct Cycle {
  Extreme extreme;   ///< the outer one
  int multiple = 1;  ///< how many periods of the force it takes
  double least_x = 0.0;
  double most_x = 0.0;
  double most_restoring = 0.0;   ///< k0 x + S at the highest x
  double least_restoring = 0.0;  ///< the same at the lowest
  double loss = 0.0;             ///< ∫ S dx over the cycle
  double drift = 0.0;            ///< of x over the cycle; not 0 only where nothing holds the mass
  double phase = 0.0;            ///< phase_lag() of x behind F
  double frozen = 0.0;           ///< the share of ∫k whose cells do not yield on the cycle
  double residual = 0.0;         ///< by how much the cycle fails to close, over its amplitude
  std::array<std::complex<double>, 2> multipliers{};  ///< Floquet's; the larger one first
  bool is_free = false;  ///< k0 = 0, all cells yield: mean position undetermined, x may drift
};

/// The cycle of `multiple` periods near an extreme, with the slab's past from there, by shooting:
/// Newton's method on the map from an extreme of x to the one a period later. Cells that do not
/// yield on the cycle keep what that left. Throws UserError where there is none.
Cycle find_cycle(const PeriodMap& map, const Extreme& start, int multiple);

/// Where a motion is that has been followed from a start until it hardly changes any more.
struct Settled {
  PeriodEnd state;
  int multiple = 1;     ///< it repeats itself after so many periods, 1 to 4
  double change = 0.0;  ///< over them, over the size of the motion
  std::int64_t periods = 0;
};

/// Follows a motion from `start`, or x0, y0, u0, until it changes by less than `tolerance` over one
/// to four periods, or for `most_periods`, or until the change ceases to shrink.
Settled settle(const PeriodMap& map, double tolerance = 1e-6, std::int64_t most_periods = 3000,
               const std::optional<PeriodEnd>& start = {});

/// A closed cycle between -X and X of a slab that has all been loaded from u = 0.
struct ClosedCycle {
  double restoring = 0.0;  ///< B(X) = k0 X + ∫ k min(X, η) ds, the backbone
  double loss = 0.0;       ///< 4 ∫ k η (X - η)⁺ ds, the area of the cycle
};

/// The cycle of amplitude X > 0, from integrals of k and η over the cells with η ≤ X, without a
/// run. Source: Masing's rules, rheological-models-2000, (2.27). Local.
ClosedCycle closed_cycle(const Measure& measure, double k0, double amplitude);

/// The measure of a slab as if u0 were 0. Throws UserError as make_continuous_measure does for P =
/// ∞. Local.
std::shared_ptr<const Measure> make_settled_measure(Slab slab);

}  // namespace masing::slab
