#pragma once

#include <vector>

namespace masing::study {

/// error ≈ C₁ δsᵖ + C₂ δtᵖ, p given, with the half-widths of their 95 % confidence intervals; NaN
/// where the levels cannot tell the two apart (all δs/δt alike, or fewer than three).
struct JointFit {
  double power = 1.0;  ///< p
  double space = 0.0;
  double space_uncertainty = 0.0;
  double time = 0.0;
  double time_uncertainty = 0.0;

  /// Whether the levels determine the constants.
  [[nodiscard]] bool is_known() const;
  /// Whether the errors in space and in time have opposite signs, both told from zero:
  /// |C₁| > w₁, |C₂| > w₂ and C₁C₂ < 0, w being the half-widths.
  [[nodiscard]] bool cancels() const;
};

/// Least squares of the relative residuals, over the levels with positive errors. Local.
JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power = 1.0);

}  // namespace masing::study
