#pragma once

#include <optional>
#include <string>
#include <vector>

#include "statistics/extrapolation.hpp"
#include "statistics/fit.hpp"
#include "study/conclusions.hpp"
#include "study/errors.hpp"

namespace masing::study {

/// One level of a study with what came of it.
struct LevelResult {
  Level level;
  double ds = 0.0;    ///< 1/P; 0 for P = ∞, NaN for a model that is no slab
  double dt = 0.0;    ///< T/N
  double step = 0.0;  ///< the refined one: δt, δs, or δs + δt for Refine::both
  Errors errors;
  Errors orders;  ///< between the level before and this one; NaN where undefined
  double final_x = 0.0;
  double final_y = 0.0;
  double seconds = 0.0;
};

/// The step h that the orders of a quantity refer to: δt; δs; δs + δt; or that of the joint fit,
/// hᵖ = C₁ δsᵖ + C₂ δtᵖ, where it is known and positive at every level.
enum class StepKind { time, space, sum, joint };

/// Where an observed order comes from.
enum class ObservedFrom { fit, last_pair, none };

/// What the errors of one quantity say over all levels.
struct QuantityResult {
  StepKind step = StepKind::time;
  std::vector<double> steps;  ///< h, [levels]
  std::vector<statistics::ErrorLadder>
      ladders;  ///< what the fit was tried on, in turn; the last is its own
  statistics::Fit fit;
  statistics::JointFit joint;  ///< for Refine::both
  double last_pair = 0.0;      ///< the order of the last pair of levels that has one
  double observed = 0.0;     ///< the fitted order, or with fewer than three errors the last pair's
  double uncertainty = 0.0;  ///< half the interval of the fitted order; 0 of the last pair's
  ObservedFrom observed_from = ObservedFrom::none;
  std::optional<ExpectedOrder> expected;
  Verdict verdict = Verdict::not_judged;
};

/// The quantities that have an error, with their names in files and tables, in descriptions and in
/// sentences.
struct Quantity {
  const char* name;
  const char* symbol;
  const char* words;
  double Errors::*value;
};
inline constexpr Quantity quantities[] = {
    {"x", "x", "x", &Errors::x},
    {"y", "y", "y", &Errors::y},
    {"u", "u", "u", &Errors::u},
    {"u_cells", "u at the cells", "u at the cells’ points", &Errors::u_cells}};

/// A study: its levels, what they say, and the verdict.
struct Study {
  std::vector<LevelResult> cases;
  std::vector<QuantityResult> results;       ///< one a quantity
  std::vector<double> series;                ///< rows of /series of the last level
  Errors floors;                             ///< errors at or below are round-off
  double self_check = 0.0;                   ///< of the exact reference; 0 for others
  statistics::Extrapolation extrapolated_x;  ///< of x(T); where no exact reference exists
  statistics::Extrapolation extrapolated_y;  ///< of y(T)
  Verdict verdict = Verdict::not_judged;
  Conclusions conclusions;
  double seconds = 0.0;
};

/// All that the errors of a study's levels say: orders, results, extrapolations, the verdict and
/// the conclusions, from the levels' steps, errors and final x and y, the floor and the self-check.
/// Local.
void find_results(const StudySpec& spec, Study& study);

/// Run every level and what it is measured against, and find errors, orders and the verdict. The
/// order is in δt, δs, or for `both` in C₁δs + C₂δt of the joint fit (in δs + δt, the bound of
/// Proposition 4.1, where the levels cannot tell C₁ and C₂ apart). Collective. Source: Propositions
/// 3.1 and 4.1, continuous-masing-2001.
Study refine(const parallel::Communicator& comm, const StudySpec& spec);

}  // namespace masing::study
