#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "study/study_spec.hpp"

namespace masing::study {

/// The order between two levels, log(e₁/e₂)/log(h₁/h₂) with their true steps and its sign kept; NaN
/// unless both errors are positive and finite. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// The order p from the differences of three successive levels, d₁ = |v₁ - v₂|, d₂ = |v₂ - v₃|:
/// the root of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which for equal ratios of steps is
/// log(d₁/d₂)/log(h₁/h₂). NaN unless both differences are positive and finite. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

/// What an observed order says about the expected one; not judged where none was expected.
enum class Verdict { as_expected, not_as_expected, undefined, not_judged };

/// "as expected", "not as expected", "undefined" or "not judged".
std::string to_text(Verdict verdict);

/// |observed - expected| ≤ tolerance, or observed ≥ expected - tolerance where "at least" was
/// expected; undefined for NaN. Local.
Verdict judge(const ExpectedOrder& expected, double observed, double tolerance);

/// Why a level is or is not in the fit of an order.
enum class Mark {
  fitted,    ///< in the asymptotic range
  before,    ///< coarser than the asymptotic range
  on_floor,  ///< not above the round-off floor
  undefined  ///< no error there
};

/// The order p of errors e ≈ C gₗ(p) over the levels in the asymptotic range.
struct Fit {
  std::vector<Mark> marks;   ///< one a level
  std::size_t levels = 0;    ///< in the range
  double order = 0.0;        ///< NaN with fewer than three levels in the range
  double uncertainty = 0.0;  ///< half the 95 % confidence interval of the order
  double constant = 0.0;     ///< C
};

/// How errors depend on the step where all is well.
enum class ErrorModel {
  reference,  ///< g = hᵖ - h_refᵖ; h_ref = 0 for an exact reference
  successive  ///< g = hₗᵖ - hₗ₊₁ᵖ
};

/// The fit of an order to a ladder of errors, coarse to fine, NaN where there is none. Levels at or
/// below `floor` are left out; then, from the finest on, levels are in the asymptotic range while
/// the order from one to the next stays within `tolerance` of that of the finest pair. Where the
/// finest pair's is off the median of the last three by more, the median is taken, and the finest
/// pair belongs if its mean with the one before is near. Least
/// squares in log e; the uncertainty is that of Student's t for the residuals. `steps` has one
/// entry more than `errors` for ErrorModel::successive. Local.
Fit fit_order(const std::vector<double>& steps, const std::vector<double>& errors, ErrorModel model,
              double reference_step, double floor, double tolerance);

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

/// Richardson's extrapolation of a scalar from the three finest levels, and the grid convergence
/// index of the last: 1.25 |φ₃ - φ₂|/(rᵖ - 1), r the ratio of its step to the one before (ASME
/// V&V 20). NaN where the three do not converge with a positive order.
struct Extrapolation {
  double order = 0.0;
  double value = 0.0;
  double index = 0.0;
};

/// From the values of all levels, coarse to fine; the last three are used. Local.
Extrapolation extrapolate(const std::vector<double>& steps, const std::vector<double>& values);

}  // namespace masing::study
