#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "statistics/extrapolation.hpp"
#include "statistics/order.hpp"
#include "study/errors.hpp"
#include "study/study_spec.hpp"

namespace masing::io {
class Handle;
}

namespace masing::study {

struct StudyPlan;

/// One level of a study and its results.
struct LevelResult {
  Level level;
  double ds = 0.0;    ///< 1/P; 0 for P = ∞, NaN for a model without cells
  double dt = 0.0;    ///< T/N
  double step = 0.0;  ///< the refined step: δt, δs, or δs + δt for Refine::both
  Errors errors;
  Errors orders;  ///< the orders observed between the previous level and this one; NaN if undefined
  double final_x = 0.0;
  double final_y = 0.0;
  double seconds = 0.0;
};

/// The results for one quantity (x, y, u or u_cells), from its errors at all levels.
struct QuantityResult {
  /// The word for the step h to which the orders between levels refer: "time" for δt, "space" for
  /// δs, "sum" for δs + δt, or "joint" for the step of the joint fit, defined by hᵖ = C₁ δsᵖ + C₂
  /// δtᵖ. The joint step is used if the joint fit determines C₁ and C₂ and C₁ δsᵖ + C₂ δtᵖ is
  /// positive at every level.
  std::string step;
  std::vector<double> steps;  ///< h of each level, [levels]
  statistics::Order fit;
  statistics::JointFit joint;  ///< the joint fit, computed only for Refine::both

  /// The entry of LevelResult::orders at the last level that has an observed order and an error
  /// above the floor; NaN if there is no such level.
  double last_pair = base::undefined;
  std::optional<ExpectedOrder> expected;
  Verdict verdict = Verdict::not_judged;
  bool too_little = false;  ///< whether the verdict is undecided because the levels are too few
  /// The limit of x(T) or y(T) as the step width goes to 0, estimated from all levels. It has no
  /// value for u and u_cells. It has none for any quantity if Reference::is_exact().
  std::optional<statistics::Extrapolation> extrapolated;

  /// Returns where the observed order comes from: "fit", "last pair" or "none". Local.
  [[nodiscard]] std::string observed_from() const {
    return !std::isnan(fit.order) ? "fit" : !std::isnan(last_pair) ? "last pair" : "none";
  }
  /// Returns the fitted order, or `last_pair` if no order could be fitted, for example because
  /// there are fewer than three levels. Local.
  [[nodiscard]] double observed() const { return std::isnan(fit.order) ? last_pair : fit.order; }
};

/// The conclusions of a study, which are written to /fit of its file.
struct Conclusions {
  /// Indices, in Model::quantities(), of the quantities whose errors are reported: all four for a
  /// slab, and for another model those but u_cells that have an error at some level.
  std::vector<std::size_t> quantities;
  /// The part of the errors that the refinement does not reduce: "space" if the steps alone are
  /// refined, and the levels have an error in space but the reference has none; "time" if the cells
  /// alone are refined, and the levels have an error in time but the reference has none; else
  /// empty.
  std::string unrefined_error;
  /// Levels, in the form of the option --levels, that would probably decide the undecided orders;
  /// empty if there are no such levels.
  std::string deciding_levels;
};

/// The results of a study: its levels, the results for each quantity, and the verdict.
struct Study {
  std::vector<LevelResult> cases;
  std::vector<QuantityResult> results;  ///< one result for each of Model::quantities()
  std::vector<double> series;           ///< the rows of /series of the last level
  Errors floors;                        ///< an error that is not above its floor has no meaning
  double self_check = 0.0;              ///< the largest Outcome::self_check of the comparisons
  Verdict verdict = Verdict::not_judged;
  Conclusions conclusions;
  double seconds = 0.0;

  /// Returns `value` of each level, [levels]. Local.
  [[nodiscard]] std::vector<double> column(
      const std::function<double(const LevelResult&)>& value) const;
};

/// Computes the orders, the results for all quantities, the verdict and the conclusions, and stores
/// these in `study`. Reads from `study` the steps, the errors and the final x and y of the levels,
/// and the floors. Local.
void find_results(const StudySpec& spec, Study& study);

/// Returns the conclusions of a study whose results and verdict are computed. Local.
Conclusions conclude(const StudySpec& spec, const Study& study);

/// Returns levels in geometric progression that would probably decide the undecided orders of
/// `study`. They are returned as a text for the option --levels, "first:last:count". Returns an
/// empty string if no order is undecided, or if more than 1000 levels would be needed. Also returns
/// an empty string if elements are refined, as no order follows from a theory there,
/// or if each level is compared with the next one, as differences of levels with similar steps are
/// mostly scatter.
///
/// The first of these levels is the first one in the asymptotic range of the study, where the
/// errors follow a power of h. If the next term of the error expansion makes the interval of the
/// order wide, or if the asymptotic range is short, the last of the returned levels is finer than
/// the last level of the study. It is at most 16 times finer, and less if its errors would fall
/// below ten times the floor. The number n of levels is chosen so that the statistical part of the
/// interval becomes at most half the tolerance. The slope of a line through n levels that are
/// spread evenly over a length L in log h has the standard error σ √12/(L √n). Here σ is an upper
/// bound of the scatter of the errors: the upper end of its one-sided confidence interval of 80 %,
/// which follows from the scatter of the fit by the chi-squared distribution. Local.
std::string deciding_levels(const StudySpec& spec, const Study& study);

/// Returns a study with everything that follows directly from the records of its comparisons: the
/// levels (Study::cases), the series, the floors and `self_check`. find_results() then
/// computes the orders and the verdict. Local.
Study study_of(const StudyPlan& plan, const std::vector<std::vector<double>>& records);

/// Computes every level and its reference as a campaign (distributed over the ranks, with
/// checkpoints), then the errors, the orders and the verdict, and writes the result file.
/// `announce`, if given, is called with the results before the file is written, because writing may
/// fail. Except for durations, the numbers are the same, bit for bit, on any number of ranks and
/// wherever an interrupted study was stopped. Throws UserError on all ranks alike if a run is not
/// valid or cannot be computed, SystemError if the system fails, as in writing a file, and Stopped
/// if a stop is requested. Collective on comm. Source: Propositions 3.1 and 4.1,
/// continuous-masing-2001.
Study make_study(const parallel::Communicator& comm, const StudySpec& spec,
                 const std::function<void(const Study& study)>& announce = {});

/// Returns an expected order as text: "1" or ">=0.5". Local.
std::string expected_text(const ExpectedOrder& expected);

/// Returns the study as an aligned table with its verdicts, for the terminal. Local.
std::string table(const StudySpec& spec, const Study& study);

/// Writes the groups /series (of the last level), /cases, /fit and /timing of a study file.
/// Collective on comm.
void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study);

}  // namespace masing::study
