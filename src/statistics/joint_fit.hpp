#pragma once

#include <cmath>
#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

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

}  // namespace masing::statistics
