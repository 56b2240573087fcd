#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "statistics/extrapolation.hpp"
#include "statistics/fit.hpp"
#include "study/errors.hpp"
#include "study/study_spec.hpp"

namespace masing::io {
class Handle;
}

namespace masing::study {

struct StudyPlan;

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

/// What the errors of one quantity say over all levels.
struct QuantityResult {
  /// The step h that the orders refer to: "time", δt; "space", δs; "sum", δs + δt; or "joint", that
  /// of the joint fit, hᵖ = C₁ δsᵖ + C₂ δtᵖ, where it is known and positive at every level.
  std::string step;
  std::vector<double> steps;  ///< h, [levels]
  statistics::Fit fit;
  statistics::JointFit joint;          ///< for Refine::both
  double last_pair = base::undefined;  ///< the order of the last pair of levels that has one
  std::optional<ExpectedOrder> expected;
  Verdict verdict = Verdict::not_judged;
  /// Of x(T) and y(T), where no exact reference exists.
  std::optional<statistics::Extrapolation> extrapolated;

  /// Where the observed order comes from: "fit", "last pair" or "none".
  [[nodiscard]] std::string observed_from() const {
    return !std::isnan(fit.order) ? "fit" : !std::isnan(last_pair) ? "last pair" : "none";
  }
  /// The fitted order, or with fewer than three errors the last pair's.
  [[nodiscard]] double observed() const { return std::isnan(fit.order) ? last_pair : fit.order; }
  /// Half the interval of the fitted order; 0 of the last pair's.
  [[nodiscard]] double uncertainty() const { return std::isnan(fit.order) ? 0.0 : fit.uncertainty; }
};

/// A quantity that has an error: its names in files and tables, in descriptions and in sentences.
struct Quantity {
  const char* name;
  const char* symbol;
  const char* words;
};

/// Those of Errors, in its order.
inline constexpr Quantity quantities[] = {{"x", "x", "x"},
                                          {"y", "y", "y"},
                                          {"u", "u", "u"},
                                          {"u_cells", "u at the cells", "u at the cells’ points"}};

/// Conclusions of a study as written to /fit.
struct Conclusions {
  /// Indices of the quantities that are measured: u at the cells' points where there are cells, u
  /// where the state has columns beside x and y.
  std::vector<std::size_t> quantities;
  /// What is tested of continuous-masing-2001: "3.1" (cells alone refined, rule right), "4.1" (both
  /// refined, euler and right) or "25" (steps alone, euler); "model" of another model, "mixed"
  /// where errors are left over, "beyond" the papers' scheme and rule, "outside" their hypotheses.
  std::string statement;
  /// The error that the errors hold and the levels do not refine: "space", "time" or empty.
  std::string unrefined_error;
  /// What that means, and what leaves it out, as a clause; empty likewise.
  std::string unrefined_clause;
  /// What is refined by other means than the papers': of "leapfrog midpoint".
  std::string extensions;
  /// The smallest C with e ≤ C h for x, y and u at every level, h being LevelResult::step; NaN
  /// where errors are not against what the statement compares with.
  double bound = 0.0;
  /// Why the levels of a study of both steps do not determine C₁ and C₂; empty where they do.
  std::string joint_missing;
  /// The levels that would probably decide what is undecided, as --levels takes them, or empty.
  std::string deciding_levels;
  /// What would decide it, as a clause; empty where all is decided.
  std::string advice;
  /// Sentences on the verdict.
  std::vector<std::string> remarks;
};

/// A study: its levels, what they say, and the verdict.
struct Study {
  std::vector<LevelResult> cases;
  std::vector<QuantityResult> results;  ///< one a quantity
  std::vector<double> series;           ///< rows of /series of the last level
  Errors floors;                        ///< errors at or below are round-off
  double self_check = 0.0;              ///< of the exact reference; 0 for others
  double round_off = 0.0;               ///< of P = 2^50 against P = ∞; 0 where not found
  Verdict verdict = Verdict::not_judged;
  Conclusions conclusions;
  double seconds = 0.0;

  /// A number of each level. Local.
  [[nodiscard]] std::vector<double> column(
      const std::function<double(const LevelResult&)>& value) const;
};

/// All that the errors of a study's levels say: orders, results, extrapolations, the verdict and
/// the conclusions, from the levels' steps, errors and final x and y, the floor and the self-check.
/// Local.
void find_results(const StudySpec& spec, Study& study);

/// The conclusions of a study whose results and verdict are known. Local.
Conclusions conclude(const StudySpec& spec, const Study& study);

/// The geometric ladder, as --levels takes it ("first:last:count"), that would decide the orders
/// which are undecided, in at least nine of ten studies. Empty where none is undecided, or where no
/// ladder of at most 1000 levels, finer than the study's by 16 at most, would. It begins in the
/// asymptotic range. It is finer where the next term of the expansion makes the interval wide, as
/// far as errors are above the round-off floor. The number of levels makes the statistical part of
/// the interval half the tolerance: the slope through n levels evenly spread over L in log h has
/// the standard error σ √12/(L √n), σ the scatter, at the upper end of its own interval.
/// Differences of successive levels of dense ladders are mostly scatter: there only ladders of
/// doublings are named. Local.
std::string deciding_levels(const StudySpec& spec, const Study& study);

/// The cases, the floor and the series of a study from the records of its comparisons. Local.
Study study_of(const StudyPlan& plan, const std::vector<std::vector<double>>& records);

/// Makes every level and what it is measured against as a campaign, computes errors, orders and the
/// verdict, and writes the result file. `announce`, if given, sees the study before that, which may
/// fail. The numbers do not depend on the ranks, or on where it was stopped, bit for bit. Throws
/// UserError alike on all ranks, SystemError, Stopped. Collective. Source: Propositions 3.1
/// and 4.1, continuous-masing-2001.
Study make_study(const parallel::Communicator& comm, const StudySpec& spec,
                 const std::function<void(const Study& study)>& announce = {});

/// "1" or ">=0.5". Local.
std::string expected_text(const ExpectedOrder& expected);

/// The study as an aligned table with its verdict, for people. Local.
std::string table(const StudySpec& spec, const Study& study);

/// /cases, /fit and /timing of a study file. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study);

}  // namespace masing::study
