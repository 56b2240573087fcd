#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "study/refinement.hpp"

namespace masing::study {

namespace {

using statistics::Fit;
using statistics::Mark;

/// What a study refines, [1 or 2][levels]: the number of cells of every level, the number of steps
/// of every level, or first the one and then the other.
using Counts = std::vector<std::vector<double>>;

/// Levels in geometric progression, relative to the last level of the study: the first level is
/// `coarser` times coarser, and the last level is `finer` times finer. `count` is the number of
/// levels. `is_sure` says whether they probably decide.
struct LadderScale {
  double coarser = base::infinity;
  double finer = 1.0;
  double count = 0.0;
  bool is_sure = true;
};

constexpr double most_levels = 1000.0;

/// Returns an upper bound of the true scatter of the errors: the upper end of its one-sided
/// confidence interval of 80 %, which follows from the scatter of the fit.
double greatest_scatter(const Fit& fit) {
  const double freedom = std::max(1.0, static_cast<double>(fit.levels) - 2);
  const boost::math::chi_squared distribution(freedom);
  return fit.scatter * std::sqrt(freedom / boost::math::quantile(distribution, 0.2));
}

/// Returns how many times wider an interval of this confidence is than one of the usual confidence,
/// if the number of levels is large.
double widening(double confidence) {
  const auto quantile = [](double of) {
    return boost::math::quantile(boost::math::normal(), (1 + of) / 2);
  };
  return quantile(confidence) / quantile(statistics::usual_confidence);
}

/// Returns the largest power of two whose log₂ is at most log₂ `value` + 0.05.
double floored_power_of_two(double value) {
  constexpr double nearly = 0.05;  // a tolerance in log₂, because P and N are rounded to integers
  return std::exp2(std::floor(std::log2(value) + nearly));
}

/// Returns how many times finer the last level may become, at most 16, before the reference is too
/// coarse or the errors of quantity `q` fall below ten times their round-off floor.
double most_refinement(const StudySpec& spec, const Study& study, std::size_t q) {
  constexpr double above_floor = 10;  // the least allowed error in multiples of the floor
  const double most = std::clamp(spec.reference.refinement / finest_factor, 1.0, 16.0);
  const QuantityResult& result = study.results[q];
  const double floor = above_floor * study.floors[q];
  for (std::size_t l = study.cases.size(); l-- > 0;) {
    if (result.fit.marks[l] == Mark::fitted && floor > 0 && result.fit.order > 0) {
      // how many times finer level `l` may become, from e ∝ hᵖ
      const double finer = std::pow(study.cases[l].errors[q] / floor, 1 / result.fit.order);
      return std::clamp(finer * result.steps.back() / result.steps[l], 1.0, most);
    }
  }
  return most;
}

/// Returns how many times coarser than the last level the first level in the asymptotic range is.
/// If P and N are both refined, returns the smaller of two ratios: that of the numbers of cells and
/// that of the numbers of steps.
double asymptotic_range(const Counts& counts, const Fit& fit) {
  const auto first = std::ranges::find(fit.marks, Mark::fitted) - fit.marks.begin();
  double range = base::infinity;
  for (const std::vector<double>& count : counts) {
    range = std::min(range, count.back() / count[first]);
  }
  return range;
}

/// Returns levels with which the interval of the order is probably narrow enough to decide. There
/// are at least 24 levels, and enough that the statistical part of the interval is expected to be
/// at most half the tolerance. If the next term of the error expansion makes the interval wide, or
/// if the asymptotic range is short, the last of these levels is finer than the last level of the
/// study, but at most `most` times finer.
LadderScale dense_ladder(const Counts& counts, const Fit& fit, double most, double tolerance,
                         double confidence) {
  // preferred ratio of the first level's step to the last level's step
  constexpr double wide = 64.0;
  constexpr double fewest = 24.0;
  // If P and N are refined in turn, two successive levels have the same P and the same error in
  // space, or the same N and the same error in time. Therefore, this many times more levels are
  // needed.
  constexpr double in_turn = 4.0;
  const double range = asymptotic_range(counts, fit);
  // The change of the order that the next term of the error expansion causes is proportional to h.
  const bool is_curved = fit.structural > fit.statistical;
  const double curved = is_curved ? std::max(1.0, 4 * fit.structural / tolerance) : 1.0;
  LadderScale scale;
  while (scale.finer < std::max(curved, wide / range) && 2 * scale.finer <= most) {
    scale.finer *= 2;
  }
  scale.coarser =
      floored_power_of_two(std::max(range / curved, std::min(range, wide / scale.finer)));
  const double width = std::log(scale.coarser * scale.finer);
  // two standard errors are the usual half-width
  const double root = 4 * widening(confidence) * greatest_scatter(fit) * 2 * std::numbers::sqrt3 /
                      (width * tolerance);
  scale.count = root * root * (counts.size() > 1 ? in_turn : 1.0);
  const auto levels = static_cast<double>(fit.marks.size());
  scale.count = std::max({std::ceil(scale.count), fewest, scale.finer > 1 ? 0.0 : 2 * levels});
  if (scale.count > most_levels) {
    scale.is_sure = false;
    scale.count = std::clamp(10 * levels, 100.0, most_levels);
  }
  return scale;
}

/// Returns levels with which the interval of the order is probably narrow enough to decide. Each
/// has twice the number of cells or steps of the level before. The variance of the order is taken
/// to be inversely proportional to the third power of the number of doublings. The last level is at
/// most `most` times finer than the last level of the study.
LadderScale ladder_of_doublings(const Counts& counts, const Fit& fit, double most, double tolerance,
                                double /*confidence*/) {
  LadderScale scale{.coarser = floored_power_of_two(asymptotic_range(counts, fit))};
  for (scale.finer = 2.0; scale.finer <= most; scale.finer *= 2) {
    const double doublings = std::log2(scale.coarser * scale.finer);
    const double fewer = static_cast<double>(fit.levels) / doublings;
    if (std::hypot(fit.statistical * std::pow(fewer, 1.5), fit.structural / scale.finer) <=
        tolerance / 2) {
      break;
    }
  }
  if (scale.finer > most) {
    scale.is_sure = false;
    scale.finer /= 2;
  }
  // If P and N are both refined, they are doubled in turn.
  scale.count = 1 + std::log2(scale.coarser * scale.finer) * static_cast<double>(counts.size());
  return scale;
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study, bool must_be_sure) {
  if (spec.refine == Refine::elements) {
    return "";  // the error of a wave has no order that follows from a theory
  }
  Counts counts;
  const auto add = [&](const std::vector<std::int64_t>& of) {
    counts.emplace_back(of.begin(), of.end());
  };
  if (refines_cells(spec.refine)) {
    add(cell_counts(spec.levels));
  }
  if (refines_steps(spec.refine)) {
    add(step_counts(spec.levels));
  }
  const auto ladder = spec.reference.is_successive ? ladder_of_doublings : dense_ladder;
  LadderScale scale;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    if (study.results[q].verdict == Verdict::undecided) {
      const LadderScale one = ladder(counts, study.results[q].fit, most_refinement(spec, study, q),
                                     spec.order_tolerance, spec.confidence);
      scale = {std::min(scale.coarser, one.coarser), std::max(scale.finer, one.finer),
               std::max(scale.count, one.count), scale.is_sure && one.is_sure};
    }
  }
  const bool is_more = scale.finer > 1 || scale.count > static_cast<double>(study.cases.size());
  if (spec.reference.refinement < finest_factor || scale.count == 0 ||
      (!scale.is_sure && (must_be_sure || !is_more))) {
    return "";
  }
  std::vector<std::int64_t> words;
  for (const double factor : {1 / scale.coarser, scale.finer}) {
    for (const std::vector<double>& count : counts) {
      // Rounding of the factors must not make the first level coarser than the first level of the
      // study, because the scheme may be unstable for a larger step.
      words.push_back(std::llround(std::max(count.back() * factor, count.front())));
    }
  }
  words.push_back(std::llround(scale.count));
  return fmt::format("{}", fmt::join(words, ":"));
}

}  // namespace masing::study
