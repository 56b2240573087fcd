#pragma once

#include <string>
#include <vector>

#include "options/configuration.hpp"

namespace study {

/// The order between two levels, log(e₁/e₂)/log(h₁/h₂) with their true steps and its sign kept; NaN
/// unless both errors are positive and finite. Local.
double observed_order(double error_coarse, double error_fine, double step_coarse, double step_fine);

/// The order p from the differences of three successive levels, d₁ = |v₁ - v₂|, d₂ = |v₂ - v₃|:
/// the root of d₁/d₂ = (h₁ᵖ - h₂ᵖ)/(h₂ᵖ - h₃ᵖ), which for equal ratios of steps is
/// log(d₁/d₂)/log(h₁/h₂). NaN unless both differences are positive and finite. Local.
double successive_order(double difference_coarse, double difference_fine, double step_coarse,
                        double step_middle, double step_fine);

/// What an observed order says about the expected one.
enum class Verdict { as_expected, not_as_expected, undefined };

/// "as expected", "not as expected" or "undefined".
std::string to_text(Verdict verdict);

/// |observed - expected| ≤ tolerance, or observed ≥ expected - tolerance where "at least" was
/// expected; undefined for NaN. Local.
Verdict judge(const options::ExpectedOrder& expected, double observed, double tolerance);

}  // namespace study
