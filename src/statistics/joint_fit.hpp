#pragma once

#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

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
  [[nodiscard]] bool is_known() const;
  /// Whether the errors in space and in time have opposite signs, both told from zero:
  /// |C₁| > w₁, |C₂| > w₂ and C₁C₂ < 0, w being the half-widths.
  [[nodiscard]] bool cancels() const;
};

/// Whether δs/δt is the same at all levels, to 1 %: their errors cannot be told apart. Local.
bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt);

/// Least squares of the relative residuals, over the levels with positive errors. Local.
JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power = 1.0);

}  // namespace masing::statistics
