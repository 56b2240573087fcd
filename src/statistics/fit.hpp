#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/limits.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

/// The least half-width of the interval of an observed order. Digits of an order below this
/// half-width have no meaning.
inline constexpr double least_uncertainty = 0.005;

/// Says whether the fit of an order uses a level and, if not, why.
enum class Mark {
  fitted,    ///< used: the level is in the asymptotic range, see fit_order
  before,    ///< not used: the level is coarser than the asymptotic range
  on_floor,  ///< not used: the error of the level is round-off
  undefined  ///< not used: the level has no error
};

/// The result of fit_order(): the order of convergence of the errors of a ladder, and the PowerLaw
/// that fits the errors in the asymptotic range. If no law can be fitted, `order` and all numbers
/// after it are NaN, and the levels to which a law should have been fitted are marked as fitted.
struct Fit {
  std::vector<Mark> marks;         ///< one mark for each level
  std::size_t levels = 0;          ///< the number of levels marked as fitted
  double order = base::undefined;  ///< the order p
  /// Half the width of the interval of the order: √(`statistical`² + `structural`² + 0.005²).
  double uncertainty = base::undefined;
  double statistical = base::undefined;  ///< statistical part of `uncertainty`, see fit_order
  double structural = base::undefined;   ///< structural part of `uncertainty`, see fit_order
  std::vector<double> constants;         ///< the constants Cⱼ of the law, one for each step
  double next_term = base::undefined;    ///< D of the law; it is 0 if the law has no D
  double scatter = base::undefined;      ///< standard deviation of the residuals of log(error)
  std::vector<double> predicted;         ///< the errors that the law predicts, [levels]
};

/// Fits an order to the errors of a ladder.
///
/// The fit uses only the longest sequence of successive levels whose errors are above `floor`; all
/// levels finer than this sequence are regarded as on the floor. The n finest levels of the
/// sequence are called a tail. A power law is fitted to tails, from the longest to the shortest,
/// until the errors of a tail show no trend; this tail is the asymptotic range. There is no trend
/// if D of PowerLaw, the next term of the error expansion, is not significant at the level of 2 %.
/// A trend is accepted if D is a parameter of the law and |D| ≤ 0.5. The shortest tail, of three
/// levels, or of four if the errors depend on two steps, is not tested for a trend; for a tail with
/// one level more, |D| < 0.1 is enough. A tail of 24 levels or more is fitted with w = 0 and with w
/// = 2 in the loss function of fit_power_law, and the fit that gives the order the smaller standard
/// error is used (Jaeckel, Annals of Mathematical Statistics 42, 1971).
///
/// The half-width of the interval of the order has two parts. The statistical part is the
/// half-width of the 95 % confidence interval that follows from the standard error of the order by
/// Student's distribution; one degree of freedom is subtracted because the tail was chosen. The
/// structural part is the larger of two changes of the order: the change if the finest quarter of
/// the levels is left out, and the change if the step of the reference is taken as 0 (which is not
/// examined if each level is compared with the next one). A change of up to two standard deviations
/// may be due to chance; the square of this limit is subtracted from the square of the change.
/// Local.
Fit fit_order(const ErrorLadder& ladder, double floor);

/// The constants of the law e ≈ C₁ δsᵖ + C₂ δtᵖ for the errors e of the levels, where p is given.
/// All numbers but p are NaN if the levels do not determine both constants, because δs/δt is nearly
/// the same at all levels or because fewer than three levels have an error. The maximum of an error
/// over time, max |A(t) δsᵖ + B(t) δtᵖ|, is a convex function of δsᵖ and δtᵖ, but not a linear one.
/// The constants therefore hold only for ratios δs/δt between `least_ratio` and `largest_ratio`.
struct JointFit {
  double power = 1.0;                          ///< p
  double space = base::undefined;              ///< C₁
  double space_uncertainty = base::undefined;  ///< half-width of the 95 % interval of C₁
  double time = base::undefined;               ///< C₂
  double time_uncertainty = base::undefined;   ///< half-width of the 95 % interval of C₂
  double least_ratio = base::undefined;        ///< least δs/δt of the levels
  double largest_ratio = base::undefined;      ///< largest δs/δt of the levels

  /// Returns whether the levels determine both constants. Local.
  [[nodiscard]] bool is_known() const { return std::isfinite(space) && std::isfinite(time); }
  /// Returns whether the errors in space and in time have opposite signs and both differ
  /// significantly from zero: C₁C₂ < 0, |C₁| > w₁ and |C₂| > w₂, where w₁ and w₂ are the
  /// half-widths of the intervals. Local.
  [[nodiscard]] bool cancels() const {
    return std::abs(space) > space_uncertainty && std::abs(time) > time_uncertainty &&
           space * time < 0;
  }
};

/// Returns whether δs/δt differs by at most 1 % between all levels. If so, the levels lie on one
/// ray of the plane (δs, δt), and the error caused by δs cannot be separated from the error caused
/// by δt. `ds` and `dt` contain δs and δt of each level. Local.
bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt);

/// Fits C₁ and C₂ of a JointFit with p = `power` to the steps and errors of the levels. Minimises
/// the sum of the squared relative residuals of all levels whose errors are positive and finite.
/// Local.
JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power = 1.0);

/// Returns the order between two levels with the errors e₁, e₂ and the steps h₁, h₂:
/// log(e₁/e₂)/log(h₁/h₂). It is negative if the finer level has the larger error. Returns NaN
/// unless both errors are positive and finite and the steps differ. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// Returns the order p that follows from the values v₁, v₂, v₃ of three successive levels, given
/// their differences d₁ = |v₁ - v₂| and d₂ = |v₂ - v₃|. The order is the root p of d₁/d₂ = (h₁ᵖ -
/// h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which is log(d₁/d₂)/log(h₁/h₂) if h₁/h₂ = h₂/h₃. Returns NaN if a difference
/// is not positive and finite, or if there is no root in [-20, 20]. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

}  // namespace masing::statistics
