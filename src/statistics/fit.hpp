#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/limits.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

/// The least half-width of an interval: digits beyond mean nothing.
inline constexpr double least_uncertainty = 0.005;

/// Why a level is or is not in the fit of an order.
enum class Mark {
  fitted,    ///< in the asymptotic range
  before,    ///< coarser than the asymptotic range
  on_floor,  ///< not above the round-off floor
  undefined  ///< no error there
};

/// The order of errors over the levels in the asymptotic range, by the PowerLaw of these.
struct Fit {
  std::vector<Mark> marks;         ///< one a level
  std::size_t levels = 0;          ///< in the range
  double order = base::undefined;  ///< this and what follows: NaN without a fit
  /// Half the interval: √(statistical² + structural² + 0.005²).
  double uncertainty = base::undefined;
  double statistical = base::undefined;  ///< Student's, at 95 %, of the residuals
  double structural = base::undefined;   ///< of the choice of the levels and of the reference
  std::vector<double> constants;         ///< Cⱼ, one a step
  double next_term = base::undefined;    ///< D; 0 without it
  double scatter = base::undefined;      ///< standard deviation of the residuals of log e
  std::vector<double> predicted;         ///< the errors by the fit, [levels]
};

/// The fit of an order to a ladder of errors, to the longest run of levels whose errors are above
/// `floor`; finer levels than these are on the floor. The range is the longest tail of that run
/// whose residuals show no trend: the next term of the expansion is not significant (at 2 %), or it
/// is and is at most half the error. A tail of three (of two steps: four) levels is the least. Of
/// 24 levels or more the loss of fit_power_law is the one, w = 0 or 2, whose order has the lesser
/// standard error (Jaeckel, Annals of Mathematical Statistics 42, 1971). The interval is Student's,
/// with one degree of freedom less for the choice of the tail; beside it stands the largest change
/// of the order, less two standard deviations of chance, by leaving out the finest quarter of the
/// levels or by taking the reference for exact. Local.
Fit fit_order(const ErrorLadder& ladder, double floor);

/// error ≈ C₁ δsᵖ + C₂ δtᵖ, p given, with the half-widths of their 95 % confidence intervals; NaN
/// where the levels cannot tell the two apart (all δs/δt alike, or fewer than three). The largest
/// error over time, max |A(t) δsᵖ + B(t) δtᵖ|, is convex, not linear: beyond the ratios δs/δt of
/// the levels other constants hold.
struct JointFit {
  double power = 1.0;  ///< p
  double space = base::undefined;
  double space_uncertainty = base::undefined;
  double time = base::undefined;
  double time_uncertainty = base::undefined;
  double least_ratio = base::undefined;    ///< δs/δt
  double largest_ratio = base::undefined;  ///< δs/δt

  /// Whether the levels determine the constants.
  [[nodiscard]] bool is_known() const { return std::isfinite(space) && std::isfinite(time); }
  /// Whether the errors in space and in time have opposite signs, both told from zero:
  /// |C₁| > w₁, |C₂| > w₂ and C₁C₂ < 0, w being the half-widths.
  [[nodiscard]] bool cancels() const {
    return std::abs(space) > space_uncertainty && std::abs(time) > time_uncertainty &&
           space * time < 0;
  }
};

/// Whether δs/δt is the same at all levels, to 1 %: their errors cannot be told apart. Local.
bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt);

/// Least squares of the relative residuals, over the levels with positive errors. Local.
JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power = 1.0);

/// The order between two levels, log(e₁/e₂)/log(h₁/h₂) with their true steps and its sign kept; NaN
/// unless both errors are positive and finite. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// The order p from the differences of three successive levels, d₁ = |v₁ - v₂|, d₂ = |v₂ - v₃|:
/// the root of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which for equal ratios of steps is
/// log(d₁/d₂)/log(h₁/h₂). NaN unless both differences are positive and finite. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

}  // namespace masing::statistics
