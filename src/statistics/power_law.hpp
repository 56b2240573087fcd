#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

/// The bounds of the order of a power law. A fit whose best order is outside ends at a bound.
inline constexpr double least_order = -4.0;
inline constexpr double most_order = 20.0;

/// The widths of one step, such as δt, at all levels and in the references with which the levels
/// are compared. Both arrays have the shape [levels]. A value in `references` is 0 if the reference
/// is exact, and NaN if the level has no reference. It may be negative for errors of u over all s,
/// see width_against() in study/refinement.cpp.
struct StepLadder {
  std::vector<double> levels;
  std::vector<double> references;
};

/// Returns the steps of levels each of which is compared with the next one. Local.
StepLadder against_next(std::vector<double> levels);

/// The errors of one quantity at all levels, from coarse to fine, and the steps on which the errors
/// depend: one step, or δs and δt.
struct ErrorLadder {
  std::vector<StepLadder> steps;
  std::vector<double> errors;    ///< the error of each level, [levels]; NaN if a level has no error
  bool are_differences = false;  ///< whether each level is compared with the next one
  /// Half a unit of the last printed digit of each error, and of each step, divided by the error or
  /// the step, [levels]; empty if the numbers are exact.
  std::vector<double> noise = {}, step_noise = {};
};

/// Returns δs + δt of a level or, if the errors depend on only one step, this step of the level.
/// Local.
double size_of(const ErrorLadder& ladder, std::size_t level);

/// The successive levels to which a power law is fitted, and the form of the fit.
struct FitRange {
  std::size_t first = 0;       ///< index of the first level
  std::size_t end = 0;         ///< index of the level after the last one
  bool has_next_term = false;  ///< whether the law has the factor exp(D z), see PowerLaw
  bool is_exact = false;       ///< whether the steps of the references are taken as 0
  double weight = 0.0;         ///< w of the loss function, see fit_power_law

  [[nodiscard]] std::size_t count() const { return end - first; }
};

/// The law e ≈ (Σ Cⱼ (hⱼᵖ - h_refⱼᵖ)) exp(D z) for the errors e of the levels of a range. hⱼ is
/// step j of a level, and h_refⱼ is step j of the reference of this level. z is Σ hⱼ of the level
/// divided by Σ hⱼ of the first level of the range. D represents the next term of the error
/// expansion, of the order p + 1; it is 0 if the law is fitted without it.
struct PowerLaw {
  FitRange range;
  double order = 0.0;                   ///< p
  std::vector<double> constants;        ///< the constants Cⱼ, one for each step
  double next_term = 0.0;               ///< D
  double scatter = 0.0;                 ///< standard deviation of the residuals of log e
  double freedom = 0.0;                 ///< degrees of freedom: number of levels minus parameters
  double order_error = 0.0;             ///< standard error of the order
  std::vector<double> constant_errors;  ///< standard errors of the constants; empty if unknown
  /// standard error of the order for uncorrelated residuals of log e with variance 1
  double order_leverage = 0.0;
  double next_term_error = 0.0;  ///< standard error of D

  /// Returns whether D differs from 0 with a significance of 2 %, by Student's distribution, and by
  /// more than 1e-6. Local.
  [[nodiscard]] bool has_trend() const;
  /// Returns the error that the law predicts for a level. Local.
  [[nodiscard]] double predicted(const ErrorLadder& ladder, std::size_t level) const;
};

/// Fits a power law to the levels of a range by the Gauss-Newton method. Returns nothing if the
/// levels do not determine all parameters of the law, or if no parameters are found from which the
/// method can start.
///
/// The fitted law minimises a loss function of the residuals r of log e. With w = FitRange::weight,
/// it is Σ r² if w = 0, and Σ (exp(w r) - 1 - w r) if w > 0. The second sum is for errors with a
/// Weibull distribution: if the ratio of e to the law, raised to the power w, is exponentially
/// distributed, minimising this sum gives the law of maximum likelihood. If w > 0, a level whose
/// error is far below the law, because parts of the error nearly cancel, has little influence.
///
/// The standard errors are computed as for M-estimates with correlated residuals. If there are 16
/// levels or more, the correlation of the residuals of neighbouring levels is estimated. If there
/// are fewer, the correlation is taken as 1/2 for the order and the constants, and as 0 for D. The
/// reason for 1/2 is that the step is usually halved from level to level. If the error depends on
/// the phase θ of an event within a step, halving the step changes θ to 2θ mod 1, and the
/// correlation of these two phases is 1/2. Local. Source: Eça and Hoekstra, J. Comput. Phys. 262
/// (2014), for least squares over many levels; Huber, Robust Statistics (1981), section 7.6.
std::optional<PowerLaw> fit_power_law(const ErrorLadder& ladder, const FitRange& range);

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
