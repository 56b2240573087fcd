#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace masing::statistics {

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
  std::vector<double> errors;    ///< [levels]; NaN where there is none
  bool are_differences = false;  ///< each level is measured against the next, not all against one
};

/// Which levels a power law is fitted to, and how.
struct FitRange {
  std::size_t first = 0;  ///< level
  std::size_t end = 0;    ///< past the last level
  bool has_next_term = false;
  bool is_exact = false;  ///< the reference is taken for exact
  double weight = 0.0;    ///< w of the loss

  [[nodiscard]] std::size_t count() const { return end - first; }
};

/// Errors e ≈ (Σ Cⱼ (hⱼᵖ - h_refⱼᵖ)) exp(D z) of the levels of a range, h_ref being the step of
/// what a level is measured against, z the step relative to the coarsest of these levels'.
struct PowerLaw {
  FitRange range;
  double order = 0.0;             ///< p
  std::vector<double> constants;  ///< Cⱼ, one a step
  double next_term = 0.0;         ///< D
  double scatter = 0.0;           ///< standard deviation of the residuals r of log e
  double freedom = 0.0;           ///< effective degrees of freedom
  double order_error = 0.0;       ///< standard error of the order
  double order_leverage = 0.0;    ///< the same for errors of standard deviation 1
  double next_term_error = 0.0;   ///< its standard error

  /// The probability that chance makes the next term so large; 0 where nothing scatters.
  [[nodiscard]] double chance_of_next_term() const;
  /// The error of a level by the law. Local.
  [[nodiscard]] double predicted(const ErrorLadder& ladder, std::size_t level) const;
};

/// The power law of the least Σ r² for w = 0, else of the least Σ (exp(w r) - 1 - w r): that of the
/// greatest likelihood where e^w is distributed exponentially about the law (Weibull's
/// distribution), by which a level whose errors nearly cancel, far below the others, counts little.
/// None where the levels do not determine all. By Newton's method. The standard errors are those of
/// M-estimates for neighbouring residuals that are correlated: of 16 levels or more as they show;
/// of fewer, doublings as a rule, by 1/2, which is that of the phases θ of an event within the
/// steps, as halving a step takes θ to 2θ mod 1. Local. Source: Eça and Hoekstra, J. Comput. Phys.
/// 262 (2014), for least squares over many levels; Huber, Robust Statistics (1981), section 7.6.
std::optional<PowerLaw> fit_power_law(const ErrorLadder& ladder, const FitRange& range);

/// The factor of a standard error for a 95 % confidence interval, by Student's distribution;
/// degrees of freedom below 1 are taken for 1. Local.
double students_factor(double degrees_of_freedom);

}  // namespace masing::statistics
