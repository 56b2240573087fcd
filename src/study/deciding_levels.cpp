#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>

#include "study/refinement.hpp"

namespace masing::study {

namespace {

using statistics::Fit;
using statistics::Mark;

/// The numbers that a study refines: of cells, of steps, or of both, [1 or 2][levels].
using Counts = std::vector<std::vector<double>>;

/// A geometric ladder whose ends are so many times coarser and finer than the last level.
struct LadderScale {
  double coarser = base::infinity;
  double finer = 1.0;
  double count = 0.0;
};

/// The scatter that is larger than the true one in four of five studies.
double greatest_scatter(const Fit& fit) {
  const double freedom = std::max(1.0, static_cast<double>(fit.levels) - 2);
  const boost::math::chi_squared distribution(freedom);
  return fit.scatter * std::sqrt(freedom / boost::math::quantile(distribution, 0.2));
}

double floored_power_of_two(double value) {
  constexpr double nearly = 0.05;  // what rounding of P and N takes away
  return std::exp2(std::floor(std::log2(value) + nearly));
}

/// How much finer the last level may get before the reference is too coarse, or errors of quantity
/// `q` reach the floor.
double most_refinement(const StudySpec& spec, const Study& study, std::size_t q) {
  constexpr double above_floor = 10;  // the least error, in floors
  const double most = std::clamp(spec.reference.refinement / finest_factor, 1.0, 16.0);
  const QuantityResult& found = study.results[q];
  const double floor = above_floor * study.floors[q];
  for (std::size_t l = study.cases.size(); l-- > 0;) {
    if (found.fit.marks[l] == Mark::fitted && floor > 0 && found.fit.order > 0) {
      const double finer = std::pow(study.cases[l].errors[q] / floor, 1 / found.fit.order);
      return std::clamp(finer * found.steps.back() / found.steps[l], 1.0, most);  // e ∝ hᵖ
    }
  }
  return most;
}

/// How much coarser than the last level those in the asymptotic range are; for both in P and in N.
double asymptotic_range(const Counts& counts, const Fit& fit) {
  const auto first = std::ranges::find(fit.marks, Mark::fitted) - fit.marks.begin();
  double range = base::infinity;
  for (const std::vector<double>& count : counts) {
    range = std::min(range, count.back() / count[first]);
  }
  return range;
}

LadderScale dense_ladder(const Counts& counts, const Fit& fit, double most, double tolerance) {
  constexpr double wide = 64.0;  // from the first level to the last
  constexpr double fewest = 24.0;
  constexpr double in_turn = 4.0;  // of P and N each is the same at two levels, and errs alike
  const double range = asymptotic_range(counts, fit);
  // The next term makes an order change like h.
  const bool is_curved = fit.structural > fit.statistical;
  const double curved = is_curved ? std::max(1.0, 4 * fit.structural / tolerance) : 1.0;
  LadderScale scale;
  while (scale.finer < std::max(curved, wide / range) && 2 * scale.finer <= most) {
    scale.finer *= 2;
  }
  scale.coarser =
      floored_power_of_two(std::max(range / curved, std::min(range, wide / scale.finer)));
  const double width = std::log(scale.coarser * scale.finer);
  const double root = 4 * greatest_scatter(fit) * 2 * std::numbers::sqrt3 / (width * tolerance);
  scale.count = root * root * (counts.size() > 1 ? in_turn : 1.0);
  const auto levels = static_cast<double>(fit.marks.size());
  scale.count = std::max({std::ceil(scale.count), fewest, scale.finer > 1 ? 0.0 : 2 * levels});
  return scale;
}

/// Of doublings: the variance of the slope falls like the third power of their number.
LadderScale ladder_of_doublings(const Counts& counts, const Fit& fit, double most,
                                double tolerance) {
  LadderScale scale{.coarser = floored_power_of_two(asymptotic_range(counts, fit))};
  for (scale.finer = 2.0; scale.finer <= most; scale.finer *= 2) {
    const double doublings = std::log2(scale.coarser * scale.finer);
    const double fewer = static_cast<double>(fit.levels) / doublings;
    if (std::hypot(fit.statistical * std::pow(fewer, 1.5), fit.structural / scale.finer) <=
        tolerance / 2) {
      scale.count = 1 + doublings * static_cast<double>(counts.size());  // both in turn
      return scale;
    }
  }
  scale.count = base::infinity;
  return scale;
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study) {
  constexpr double most = 1000.0;
  Counts counts;
  const auto add = [&](const std::vector<std::int64_t>& of) {
    counts.emplace_back(of.begin(), of.end());
  };
  if (spec.refine != Refine::steps) {
    add(cell_counts(spec.levels));
  }
  if (spec.refine != Refine::cells) {
    add(step_counts(spec.levels));
  }
  const auto ladder = spec.reference.is_successive ? ladder_of_doublings : dense_ladder;
  LadderScale scale;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    if (study.results[q].verdict == Verdict::undecided) {
      const LadderScale one = ladder(counts, study.results[q].fit, most_refinement(spec, study, q),
                                     spec.order_tolerance);
      scale = {std::min(scale.coarser, one.coarser), std::max(scale.finer, one.finer),
               std::max(scale.count, one.count)};
    }
  }
  if (spec.reference.refinement < finest_factor || scale.count == 0 || scale.count > most) {
    return "";
  }
  std::vector<std::int64_t> words;
  for (const double factor : {1 / scale.coarser, scale.finer}) {
    for (const std::vector<double>& count : counts) {
      // Never coarser than the study, as rounded factors would be: such a step may be unstable.
      words.push_back(std::llround(std::max(count.back() * factor, count.front())));
    }
  }
  words.push_back(std::llround(scale.count));
  return fmt::format("{}", fmt::join(words, ":"));
}

}  // namespace masing::study
