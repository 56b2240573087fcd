#include "statistics/verdict.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace masing::statistics {

std::string to_text(Verdict verdict) {
  constexpr const char* texts[] = {"not as expected", "undefined", "undecided",
                                   "as expected",     "exact",     "not judged"};
  return texts[static_cast<std::size_t>(verdict)];
}

Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty,
              double tolerance) {
  if (std::isnan(observed)) {
    return Verdict::undefined;
  }
  const double low = observed - uncertainty;
  const double high = observed + uncertainty;
  const double lowest = expected.order - tolerance;
  const double highest =
      expected.at_least ? std::numeric_limits<double>::infinity() : expected.order + tolerance;
  if (low >= lowest && high <= highest) {
    return Verdict::as_expected;
  }
  return high < lowest || low > highest ? Verdict::not_as_expected : Verdict::undecided;
}

Verdict worst(const std::vector<Verdict>& verdicts) {
  return verdicts.empty() ? Verdict::not_judged : std::ranges::min(verdicts);
}

namespace {

/// A geometric ladder whose ends are so many times coarser and finer than the last level.
struct LadderScale {
  double coarser = std::numeric_limits<double>::infinity();
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

/// How much finer the last level may get before errors reach the floor.
double most_refinement(const CountLadder& made, const UndecidedOrder& found) {
  constexpr double above_floor = 10;  // the least error, in floors
  const double most = std::clamp(made.most_finer, 1.0, 16.0);
  const double floor = above_floor * found.floor;
  for (std::size_t l = found.errors.size(); l-- > 0;) {
    if (found.fit->marks[l] == Mark::fitted && floor > 0 && found.fit->order > 0) {
      const double finer = std::pow(found.errors[l] / floor, 1 / found.fit->order);  // e ∝ hᵖ
      return std::clamp(finer * found.steps.back() / found.steps[l], 1.0, most);
    }
  }
  return most;
}

/// How much coarser than the last level those in the asymptotic range are; for both in P and in N.
double asymptotic_range(const CountLadder& made, const Fit& fit) {
  const auto first =
      static_cast<std::size_t>(std::ranges::find(fit.marks, Mark::fitted) - fit.marks.begin());
  double range = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& count : made.counts) {
    range = std::min(range, count.back() / count[first]);
  }
  return range;
}

LadderScale dense_ladder(const CountLadder& made, const UndecidedOrder& found, double tolerance) {
  constexpr double wide = 64.0;  // from the first level to the last
  constexpr double fewest = 24.0;
  constexpr double in_turn = 4.0;  // of P and N each is the same at two levels, and errs alike
  const Fit& fit = *found.fit;
  const double range = asymptotic_range(made, fit);
  // The next term makes an order change like h.
  const bool is_curved = fit.structural > fit.statistical;
  const double curved = is_curved ? std::max(1.0, 4 * fit.structural / tolerance) : 1.0;
  LadderScale scale;
  const double most = most_refinement(made, found);
  while (scale.finer < std::max(curved, wide / range) && 2 * scale.finer <= most) {
    scale.finer *= 2;
  }
  scale.coarser =
      floored_power_of_two(std::max(range / curved, std::min(range, wide / scale.finer)));
  const double width = std::log(scale.coarser * scale.finer);
  const double root = 4 * greatest_scatter(fit) * 2 * std::numbers::sqrt3 / (width * tolerance);
  scale.count = root * root * (made.counts.size() > 1 ? in_turn : 1.0);
  const auto levels = static_cast<double>(found.errors.size());
  scale.count = std::max({std::ceil(scale.count), fewest, scale.finer > 1 ? 0.0 : 2 * levels});
  return scale;
}

/// Of doublings: the variance of the slope falls like the third power of their number.
LadderScale ladder_of_doublings(const CountLadder& made, const UndecidedOrder& found,
                                double tolerance) {
  const Fit& fit = *found.fit;
  const double most = most_refinement(made, found);
  LadderScale scale;
  scale.coarser = floored_power_of_two(asymptotic_range(made, fit));
  for (scale.finer = 2.0; scale.finer <= most; scale.finer *= 2) {
    const double doublings = std::log2(scale.coarser * scale.finer);
    const double fewer = static_cast<double>(fit.levels) / doublings;
    if (std::hypot(fit.statistical * std::pow(fewer, 1.5), fit.structural / scale.finer) <=
        tolerance / 2) {
      scale.count = 1 + doublings * static_cast<double>(made.counts.size());  // both in turn
      return scale;
    }
  }
  scale.count = std::numeric_limits<double>::infinity();
  return scale;
}

}  // namespace

std::vector<std::int64_t> deciding_ladder(const CountLadder& made,
                                          const std::vector<UndecidedOrder>& orders,
                                          double tolerance) {
  constexpr double most = 1000.0;
  LadderScale scale;
  for (const UndecidedOrder& found : orders) {
    const LadderScale one = made.are_differences ? ladder_of_doublings(made, found, tolerance)
                                                 : dense_ladder(made, found, tolerance);
    scale = {std::min(scale.coarser, one.coarser), std::max(scale.finer, one.finer),
             std::max(scale.count, one.count)};
  }
  if (made.most_finer < 1 || scale.count == 0 || scale.count > most) {
    return {};
  }
  std::vector<std::int64_t> ladder;
  for (const double factor : {1 / scale.coarser, scale.finer}) {
    for (const std::vector<double>& count : made.counts) {
      // Never coarser than the study, as rounded factors would be: such a step may be unstable.
      ladder.push_back(std::llround(std::max(count.back() * factor, count.front())));
    }
  }
  ladder.push_back(std::llround(scale.count));
  return ladder;
}

}  // namespace masing::statistics
