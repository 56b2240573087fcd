#pragma once

namespace masing::statistics {

/// The order between two levels, log(e₁/e₂)/log(h₁/h₂) with their true steps and its sign kept; NaN
/// unless both errors are positive and finite. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// The order p from the differences of three successive levels, d₁ = |v₁ - v₂|, d₂ = |v₂ - v₃|:
/// the root of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which for equal ratios of steps is
/// log(d₁/d₂)/log(h₁/h₂). NaN unless both differences are positive and finite. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

}  // namespace masing::statistics
