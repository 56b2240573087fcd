#pragma once

#include <string>
#include <vector>

#include "base/limits.hpp"
#include "statistics/fit.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

/// Says from what the order of a table was found, see order_of_table.
enum class Basis {
  none,     ///< no order was found
  fit,      ///< from the fit of fit_order
  steady,   ///< from the last order between two levels
  approach  ///< from the limit that the last orders between two levels approach
};

/// Half a unit of the last printed digit of each error, and of each step, divided by the error or
/// the step, [levels]; 0 for a number that is exact.
struct Digits {
  std::vector<double> errors;
  std::vector<double> steps;
};

/// The result of order_of_table(). If no order is found, `order` and `uncertainty` are NaN.
struct TableOrder {
  double order = base::undefined;        ///< the order p
  double uncertainty = base::undefined;  ///< half the width of the interval of the order
  Basis basis = Basis::none;
  std::string why;  ///< a clause that says from what the order was found, or why there is none
  /// The order between each level and the next, [levels - 1]. It is NaN if one of the two errors is
  /// not used, and has no entries if the errors depend on two steps.
  std::vector<double> pair_orders;
  Fit fit;  ///< the result of fit_order
};

/// Returns the order between two successive levels of a ladder with one step: the root p of e₁/e₂ =
/// (h₁ᵖ - r₁ᵖ)/(h₂ᵖ - r₂ᵖ), where r is the step of the reference of a level. Returns NaN if an
/// error is not positive and finite, or if there is no root in [-40, 40]. Local.
double pair_order(const ErrorLadder& ladder, std::size_t level);

/// Finds the order of errors that any program has computed and printed with these `digits`.
///
/// fit_order() regards the residuals of its law as chance. The errors of a smooth problem have no
/// scatter; their residuals are the next terms of the expansion of the error, and the intervals of
/// fit_order() contain too few of the orders. If the errors depend on one step and at least four
/// are above `floor`, the last orders q₁, q₂, q₃ between two levels are therefore examined first.
/// d₁ = q₂ - q₁ and d₂ = q₃ - q₂ are their changes, s₁ and s₂ these changes per halving of the
/// step, and c = d₂/d₁. If the next term has the order t, then c = ρ⁻ᵗ, where ρ is the ratio of
/// successive steps. r = √(δ₁² + δ₂²)/log ρ is the change of an order between two levels that their
/// `digits` allow, for the worst of the last three pairs; δ² = δ_e² + (p δ_h)² with the digits δ_e
/// of the error and δ_h of the step, and p the order of fit_order().
///     steady:   m = max(|s₁|, |s₂|) ≤ 0.02 + 2r, where r is that per halving.
///               The order is q₃ ± 2 (m + r + 0.005).
///     approach: |s₁| ≤ 0.25 and ρ^-2.4 ≤ c ≤ ρ^0.3; with five levels or more, d₁/d₀ has the same
///               bounds, so that scatter rarely passes for an approach.
///               The order is q₃ + x ± 2 (|d₂|/2 + |x| + r + 0.005), with x = d₂ b/(1 - b) and b =
///               min(c, ρ^-½).
///     fit:      otherwise. The order is that of fit_order, and r is added to its uncertainty.
/// An order outside [-4, 20] counts as not found. Local.
TableOrder order_of_table(const ErrorLadder& ladder, const Digits& digits, double floor);

}  // namespace masing::statistics
