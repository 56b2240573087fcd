#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

/// The half-width of the interval of an observed order is never less than this, because smaller
/// differences of orders have no meaning.
inline constexpr double least_uncertainty = 0.005;

/// Says whether the fit of an order uses a level and, if not, why.
enum class Mark {
  fitted,    ///< used: the level is in the asymptotic range, see find_order()
  before,    ///< not used: the level is coarser than the asymptotic range
  on_floor,  ///< not used: the error of the level is round-off
  undefined  ///< not used: the level has no error
};

/// Says from what an order was found, see find_order().
enum class Basis {
  none,     ///< no order was found
  fit,      ///< from the law that fits the errors in the asymptotic range
  steady,   ///< from the last order between two levels
  approach  ///< from the limit that the last orders between two levels approach
};

/// The result of find_order(): the order of convergence of the errors of a ladder, and a law for
/// the errors. If no order is found, `order` and all numbers after it are NaN. The longest sequence
/// of levels above the floor is then marked as fitted.
struct Order {
  std::vector<Mark> marks;         ///< one mark for each level
  std::size_t levels = 0;          ///< the number of levels marked as fitted
  double order = base::undefined;  ///< the order p
  /// Half the width of the interval of the order: √(`statistical`² + `structural`² + 0.005²). For
  /// Basis::fit, the change of an order that the noise of the ladder allows is added.
  double uncertainty = base::undefined;
  double statistical = base::undefined;  ///< statistical part of `uncertainty`, see find_order()
  double structural = base::undefined;   ///< structural part of `uncertainty`, see find_order()
  std::vector<double> constants;         ///< the constants Cⱼ of the law, one for each step
  /// Half the width of the interval of the constant, see find_order(); NaN if there are two steps.
  double constant_uncertainty = base::undefined;
  double scatter = base::undefined;  ///< standard deviation of the residuals of log(error)
  std::vector<double> predicted;     ///< the errors that the law predicts, [levels]
  Basis basis = Basis::none;
  std::string why;  ///< a clause that says from what the order was found, or why there is none
  /// The order between each level and the next, [levels - 1]. It is NaN if one of the two errors is
  /// not used. If the errors depend on two steps, the array is empty.
  std::vector<double> pair_orders;
};

/// Finds the order of the errors of a ladder.
///
/// Only the longest sequence of successive levels whose errors are above `floor` is used; all
/// levels finer than this sequence are regarded as on the floor. The n finest levels of the
/// sequence are called a tail. Power laws are fitted to shorter and shorter tails until one is
/// accepted; this tail is the asymptotic range. A tail is accepted if its errors show no trend: if
/// D of PowerLaw is not significant at the level of 2 %. If D is significant but |D| ≤ 0.5, the
/// tail is accepted with D as a parameter of the law. The shortest tail has three levels, or four
/// if the errors depend on two steps, and is accepted without this test. A tail with one level more
/// than that is accepted only without D, and a significant |D| < 0.1 is then ignored. A tail of 24
/// levels or more is fitted with w = 0 and with w = 2 in the loss function of fit_power_law. Of the
/// two fits, the one with the smaller standard error of the order is used (Jaeckel, Annals of
/// Mathematical Statistics 42, 1971).
///
/// The fit regards the residuals of its law as chance. The errors of a smooth problem have no
/// scatter; their residuals are the next terms of the expansion of the error, and the intervals of
/// the fit contain too few of the orders. If the errors depend on one step and at least
/// four are used, the last orders q₁, q₂, q₃ between two levels are therefore examined first.
/// d₁ = q₂ - q₁ and d₂ = q₃ - q₂ are their changes, s₁ and s₂ these changes per halving of the
/// step, and c = d₂/d₁. If the next term has the order t, then c = ρ⁻ᵗ, where ρ is the ratio of
/// successive steps. r = √(δ₁² + δ₂²)/log ρ is the change of an order between two levels that the
/// noise of the ladder allows, for the worst of the last three pairs; δ² = δ_e² + (p δ_h)² with the
/// noise δ_e of the error and δ_h of the step, and p the order of the fit.
///     steady:   m = max(|s₁|, |s₂|) ≤ 0.02 + 2r, where r is that per halving.
///               The order is q₃ ± 2 (m + r + 0.005).
///     approach: |s₁| ≤ 0.25 and ρ^-2.4 ≤ c ≤ ρ^0.3; with five levels or more, d₁/d₀ has the same
///               bounds, so that scatter rarely passes for an approach.
///               The order is q₃ + x ± 2 (|d₂|/2 + |x| + r + 0.005), with x = d₂ b/(1 - b) and b =
///               min(c, ρ^-½).
///     fit:      otherwise. The order is that of the fit, and r is added to its uncertainty.
/// An order outside [-4, 20] counts as not found.
///
/// The half-width of the interval of a fitted order has two parts besides the constant 0.005:
/// Order::statistical and Order::structural. The statistical part is the half-width of the
/// two-sided interval of confidence 95 % that follows from the standard error of the order by
/// Student's distribution. One degree of freedom is subtracted, or less if there are only one or
/// two, because the tail was chosen. The structural part is the larger of two changes of the order.
/// The first is the change if the finest quarter of the levels is left out; it is not examined if
/// too few levels remain. The second is the change if the step of the reference is taken as 0; it
/// is not examined if each level is compared with the next one. A change of up to two standard
/// deviations may be due to chance; the square of this limit is subtracted from the square of the
/// change. If the order is steady or approached, the statistical part is 2r, and the structural
/// part is what the half-width has besides.
///
/// The half-width of the interval of the constant C of one step is the root of the sum of two
/// squares. The first is the square of the statistical part, which follows from the standard error
/// of C. The second is that of C |log h| √(`structural`² + 0.005²), where log h is the mean over
/// the levels of the range: if the order changes by d, the law fits the same errors with the
/// constant C exp(-d log h). If the order is steady or approached, the law has no D and goes
/// through the error of the finest level that is used, whose step is h, and the half-width is C
/// |log h| times that of the order. Local.
Order find_order(const ErrorLadder& ladder, double floor);

/// Returns the ladder of errors that another program has computed. `steps` are the widths of one
/// step or of two, such as δs and δt, [1 or 2][levels]. Each level is compared with the next one if
/// `is_successive`, otherwise with a run of the steps `finest`, or with the exact solution if
/// `finest` is empty. Two steps whose ratio is the same at all levels become one, their sum. Local.
ErrorLadder make_ladder(const std::vector<std::vector<double>>& steps, std::vector<double> errors,
                        const std::vector<double>& finest, bool is_successive);

/// Returns the order between two successive levels of a ladder with one step: the root p of e₁/e₂ =
/// (h₁ᵖ - r₁ᵖ)/(h₂ᵖ - r₂ᵖ), where r is the step of the reference of a level. If no reference has a
/// positive step, this is log(e₁/e₂)/log(h₁/h₂). It is negative if the finer level has the larger
/// error. Returns NaN if an error is not positive and finite, if the steps are equal, or if a
/// reference has a step and there is no root in [-40, 40]. Local.
double pair_order(const ErrorLadder& ladder, std::size_t level);

/// The order of convergence that is expected for the errors of one quantity.
struct ExpectedOrder {
  std::string quantity;  ///< x, y, u or u_cells
  double order = 1.0;
  bool at_least = false;  ///< whether a higher order also counts as expected (">=")
};

/// The result of the comparison of an observed order with the expected one; the values are listed
/// from the worst to the best. `as_expected`: the whole interval of the observed order lies within
/// the tolerance of the expected one. `not_as_expected`: the whole interval lies outside of the
/// tolerance. `undecided`: only a part of the interval lies within the tolerance. `undefined`: no
/// order was observed. `exact`: no level has an error above the round-off floor, so that the law C
/// hᵖ of the errors has C = 0 and p can be any order. `not_judged`: no order was expected.
enum class Verdict { not_as_expected, undefined, undecided, as_expected, exact, not_judged };

/// Returns a verdict in words: "not as expected", "undefined", "undecided", "as expected", "exact"
/// or "not judged". Local.
std::string to_text(Verdict verdict);

/// Returns the verdict on an observed order. It depends on where the interval observed ±
/// uncertainty lies, as Verdict describes; with ExpectedOrder::at_least, all orders above the
/// expected one count as within the tolerance. The verdict is undefined if `observed` is NaN. If
/// `uncertainty` is 0, the verdict is never undecided. Local.
Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty, double tolerance);

/// Returns the worst of the verdicts, or not_judged if there are none. Local.
Verdict worst(const std::vector<Verdict>& verdicts);

}  // namespace masing::statistics
