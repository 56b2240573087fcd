#pragma once

#include <cstddef>
#include <vector>

namespace masing::study {

/// The order between two levels, log(e₁/e₂)/log(h₁/h₂) with their true steps and its sign kept; NaN
/// unless both errors are positive and finite. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// The order p from the differences of three successive levels, d₁ = |v₁ - v₂|, d₂ = |v₂ - v₃|:
/// the root of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which for equal ratios of steps is
/// log(d₁/d₂)/log(h₁/h₂). NaN unless both differences are positive and finite. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

/// Why a level is or is not in the fit of an order.
enum class Mark {
  fitted,    ///< in the asymptotic range
  before,    ///< coarser than the asymptotic range
  on_floor,  ///< not above the round-off floor
  undefined  ///< no error there
};

/// What levels are measured against.
enum class ErrorModel {
  reference,  ///< one reference; its step is 0 where it is exact
  successive  ///< the next level
};

/// One step of the levels and the same of what each is measured against, [levels] each; 0 where
/// that is exact, NaN where there is nothing.
struct StepLadder {
  std::vector<double> levels;
  std::vector<double> references;
};

/// The errors of one quantity over a ladder of levels, coarse to fine, with the steps they depend
/// on: one, or δs and δt.
struct ErrorLadder {
  std::vector<StepLadder> steps;
  std::vector<double> errors;  ///< [levels]; NaN where there is none
  ErrorModel model = ErrorModel::reference;
};

/// The order p of errors e ≈ (Σ Cⱼ (hⱼᵖ - rⱼᵖ)) exp(D z) over the levels in the asymptotic range,
/// r being the step of what a level is measured against, z the step relative to the coarsest fitted
/// level's; D = 0 without the next term.
struct Fit {
  std::vector<Mark> marks;   ///< one a level
  std::size_t levels = 0;    ///< in the range
  double order = 0.0;        ///< NaN without a fit
  double uncertainty = 0.0;  ///< half the interval: √(statistical² + structural² + 0.005²)
  double statistical = 0.0;  ///< Student's, at 95 %, of the residuals
  double structural = 0.0;   ///< of the choice of the levels and of the next term
  std::vector<double> constants;  ///< Cⱼ, one a step; NaN without a fit
  double next_term = 0.0;         ///< D
  double scatter = 0.0;           ///< standard deviation of the residuals of log e
  std::vector<double> predicted;  ///< the errors by the fit, [levels]; NaN without one
};

/// The fit of an order to a ladder of errors, to the longest run of levels whose errors are above
/// `floor`; finer levels than these are on the floor. The range is the longest tail of that run
/// whose residuals show no trend: a further term of the expansion is not significant (at 2 %), or
/// it is, is at most half the error, and one more is not. A tail of three (of two steps: four)
/// levels is the least. Gauss-Newton in log e. The interval is Student's, with one degree of
/// freedom less for the choice of the tail and fewer where neighbouring residuals are correlated;
/// beside it stands the largest change of the order by leaving out a quarter of the levels at
/// either end, by adding or taking out the next term, by taking the reference for exact. Local.
/// Source: Eça and Hoekstra, J. Comput. Phys. 262 (2014), for least squares over many levels.
Fit fit_order(const ErrorLadder& ladder, double floor);

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
