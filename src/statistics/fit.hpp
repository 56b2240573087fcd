#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/limits.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

/// The half-width of the interval of an observed order is never less than this, because smaller
/// differences of orders have no meaning.
inline constexpr double least_uncertainty = 0.005;

/// Says whether the fit of an order uses a level and, if not, why.
enum class Mark {
  fitted,    ///< used: the level is in the asymptotic range, see fit_order
  before,    ///< not used: the level is coarser than the asymptotic range
  on_floor,  ///< not used: the error of the level is round-off
  undefined  ///< not used: the level has no error
};

/// The result of fit_order(): the order of convergence of the errors of a ladder, and the PowerLaw
/// that fits the errors in the asymptotic range. If no law is found, `order` and all numbers after
/// it are NaN. The longest sequence of levels above the floor is then marked as fitted.
struct Fit {
  std::vector<Mark> marks;         ///< one mark for each level
  std::size_t levels = 0;          ///< the number of levels marked as fitted
  double order = base::undefined;  ///< the order p
  /// Half the width of the interval of the order: √(`statistical`² + `structural`² + 0.005²).
  double uncertainty = base::undefined;
  double statistical = base::undefined;  ///< statistical part of `uncertainty`, see fit_order
  double structural = base::undefined;   ///< structural part of `uncertainty`, see fit_order
  std::vector<double> constants;         ///< the constants Cⱼ of the law, one for each step
  /// Half the width of the interval of the constant, see fit_order; NaN if there are two steps.
  double constant_uncertainty = base::undefined;
  double next_term = base::undefined;  ///< D of the law, or 0 if the law is fitted without D
  double scatter = base::undefined;    ///< standard deviation of the residuals of log(error)
  std::vector<double> predicted;       ///< the errors that the law predicts, [levels]
};

/// Fits an order to the errors of a ladder.
///
/// The fit uses only the longest sequence of successive levels whose errors are above `floor`; all
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
/// The half-width of the interval of the order has two parts besides the constant 0.005:
/// Fit::statistical and Fit::structural. The statistical part is the half-width of the two-sided
/// interval of confidence 95 % that follows from the standard error of the order by
/// Student's distribution. One degree of freedom is subtracted, or less if there are only one or
/// two, because the tail was chosen. The structural part is the
/// larger of two changes of the order. The first is the change if the finest quarter of the levels
/// is left out; it is not examined if too few levels remain. The second is the change if the step
/// of the reference is taken as 0; it is not examined if each level is compared with the next one.
/// A change of up to two standard deviations may be due to chance; the square of this limit is
/// subtracted from the square of the change.
///
/// The half-width of the interval of the constant C of one step is the root of the sum of two
/// squares. The first is the square of the statistical part, which follows from the standard error
/// of C. The second is that of C |log h| √(`structural`² + 0.005²), where log h is the mean over
/// the levels of the range: if the order changes by d, the law fits the same errors with the
/// constant C exp(-d log h). Local.
Fit fit_order(const ErrorLadder& ladder, double floor);

/// The constants of the law e ≈ C₁ δsᵖ + C₂ δtᵖ for the errors e of the levels, where p is given.
/// All numbers but p are NaN if the levels do not determine both constants: if δs/δt is nearly the
/// same at all levels, or if fewer than three levels have a positive error. The law is an
/// approximation, because e is a maximum over time: max |A(t) δsᵖ + B(t) δtᵖ| is a convex function
/// of δsᵖ and δtᵖ, but not a linear one. The constants therefore hold only for ratios δs/δt between
/// `least_ratio` and `largest_ratio`.
struct JointFit {
  double power = 1.0;                          ///< p
  double space = base::undefined;              ///< C₁
  double space_uncertainty = base::undefined;  ///< half-width of the interval of C₁
  double time = base::undefined;               ///< C₂
  double time_uncertainty = base::undefined;   ///< half-width of the interval of C₂
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

/// Returns whether the ratios δs/δt of any two levels differ by at most 1 %. If so, the levels lie
/// nearly on one ray of the plane (δs, δt), and the error caused by δs cannot be separated from the
/// error caused by δt. `ds` and `dt` contain δs and δt of each level. Local.
bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt);

/// Fits C₁ and C₂ of a JointFit with p = `power` to the steps and errors of the levels. Uses the
/// levels whose errors are positive and finite, and minimises the sum of their squared relative
/// residuals. The intervals of C₁ and C₂ are two-sided and have the confidence 95 %. Local.
JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power = 1.0);

/// Returns the zero of the increasing function `excess` of an order in [-most, most], or NaN if it
/// has none there. Local.
double rising_zero(const std::function<double(double)>& excess, double most);

/// Returns the order between two levels with the errors e₁, e₂ and the steps h₁, h₂:
/// log(e₁/e₂)/log(h₁/h₂). It is negative if the finer level has the larger error. Returns NaN
/// unless both errors are positive and finite and the steps differ. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// Returns the order p that follows from three successive levels with the steps h₁, h₂, h₃ and no
/// other reference. d₁ is the difference between the first two levels, and d₂ the difference
/// between the last two. The order is the root p of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ). If h₁/h₂ =
/// h₂/h₃, this is p = log(d₁/d₂)/log(h₁/h₂). Returns NaN if a difference is not positive and
/// finite, or if there is no root in [-20, 20]. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

}  // namespace masing::statistics
