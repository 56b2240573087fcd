#include "statistics/order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "base/roots.hpp"
#include "statistics/least_squares.hpp"

namespace masing::statistics {

namespace {

// The fewest levels for a fit with one step. Two levels are too few, because a power law goes
// through any two errors.
constexpr std::size_t fewest_levels = 3;
constexpr std::size_t many = 24;  // from this number of levels on, fit_best() also tries w = 2
// A tail with a trend is accepted as the asymptotic range only if |D| is at most this.
constexpr double most_curved = 0.5;
// If a tail has one level more than the shortest tail, a trend with |D| below this number is
// ignored.
constexpr double barely_curved = 0.1;

/// Fits a power law with w = 0 in the loss function of fit_power_law. If the range has at least
/// `many` levels, also fits a law with w = 2. Returns the law whose order has the smaller standard
/// error, or nothing if no law can be fitted.
std::optional<PowerLaw> fit_best(const ErrorLadder& ladder, FitRange range) {
  auto squares = fit_power_law(ladder, range);
  if (!squares || range.count() < many) {
    return squares;
  }
  range.weight = 2.0;
  auto other = fit_power_law(ladder, range);
  return other && other->order_error < squares->order_error ? other : squares;
}

/// Chooses the asymptotic range among the tails of the levels first..end-1, as the docstring of
/// find_order() describes, and returns its power law. The shortest tail has `least` levels. Returns
/// nothing if no tail is accepted, because there are too few levels or the shortest tail cannot be
/// fitted.
std::optional<PowerLaw> choose(const ErrorLadder& ladder, std::size_t first, std::size_t end,
                               std::size_t least) {
  std::size_t count = end - first;
  while (count >= least) {
    auto straight = fit_best(ladder, {.first = end - count, .end = end});
    if (straight && count == least) {
      return straight;
    }
    if (straight) {
      FitRange range = straight->range;
      range.has_next_term = true;
      auto curved = fit_power_law(ladder, range);
      const double part = curved ? std::abs(curved->next_term) : 0.0;
      if (!curved || !curved->has_trend() || (count == least + 1 && part < barely_curved)) {
        return straight;
      }
      if (part <= most_curved && count >= least + 2) {
        return curved;
      }
    }
    count -= std::max<std::size_t>(1, count / 8);
  }
  return std::nullopt;
}

/// Returns Order::structural, the structural part of the uncertainty of the order, for the law
/// `chosen`. `least` is the number of levels of the shortest tail. The variance of the difference
/// between an estimate and a more efficient one is the difference of their variances (Hausman,
/// Econometrica 46, 1978); this gives the change of the order that may be due to chance.
double structural_uncertainty(const ErrorLadder& ladder, const PowerLaw& chosen,
                              std::size_t least) {
  double largest = 0.0;
  const auto compare = [&](const FitRange& range) {
    if (const auto other = fit_power_law(ladder, range)) {
      const double change = other->order - chosen.order;
      const double leverage = other->order_leverage / chosen.order_leverage;
      const double by_chance =
          2 * chosen.order_error * std::sqrt(std::max(0.0, leverage * leverage - 1));
      largest = std::max(largest, change * change - by_chance * by_chance);
    }
  };
  FitRange earlier = chosen.range;
  earlier.end -= std::max<std::size_t>(1, earlier.count() / 4);
  if (earlier.count() + 1 >= least + (earlier.has_next_term ? 1 : 0)) {
    compare(earlier);
  }
  if (!ladder.are_differences) {
    FitRange exact = chosen.range;
    exact.is_exact = true;
    compare(exact);
  }
  return std::sqrt(largest);
}

/// Returns the longest sequence of successive levels whose errors are finite and above `floor`; if
/// several sequences have this length, returns the finest of them. Also sets the `marks` of all
/// levels with finite errors: `before` for errors above the floor, and `on_floor` for the others.
/// Levels finer than the sequence are always marked `on_floor`: their errors are round-off even if
/// they exceed the floor by chance.
FitRange levels_above_floor(double floor, const std::vector<double>& errors,
                            std::vector<Mark>& marks) {
  FitRange longest;
  std::size_t begin = 0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    const bool is_usable = std::isfinite(errors[l]) && errors[l] > floor;
    if (std::isfinite(errors[l])) {
      marks[l] = is_usable ? Mark::before : Mark::on_floor;
    }
    begin = is_usable ? begin : l + 1;
    if (is_usable && l + 1 - begin >= longest.count()) {
      longest = {.first = begin, .end = l + 1};
    }
  }
  std::replace(marks.begin() + static_cast<std::ptrdiff_t>(longest.end), marks.end(), Mark::before,
               Mark::on_floor);
  return longest;
}

/// Returns whether an order may be the one of the errors, rather than a bound of the fit.
bool is_inside(double order) {
  constexpr double nearly = 1e-6;
  return order > least_order + nearly && order < most_order - nearly;
}

/// Sets the members of `found` that follow from the law of the errors alone.
void set_law(const ErrorLadder& ladder, const PowerLaw& law, Order& found) {
  found.order = law.order;
  found.constants = law.constants;
  for (std::size_t l = 0; l < found.predicted.size(); ++l) {
    found.predicted[l] = law.predicted(ladder, l);
  }
}

/// Finds the order by the law of the asymptotic range among the levels of `usable`, which are above
/// the floor. Leaves the order NaN if there is none.
void fit_law(const ErrorLadder& ladder, FitRange usable, Order& found) {
  const std::size_t least = ladder.steps.size() + fewest_levels - 1;
  const auto law = choose(ladder, usable.first, usable.end, least);
  const FitRange range = law ? law->range : usable;
  found.levels = range.count();
  std::fill_n(found.marks.begin() + static_cast<std::ptrdiff_t>(range.first), range.count(),
              Mark::fitted);
  if (!law || !is_inside(law->order)) {
    return;
  }
  found.basis = Basis::fit;
  // One degree of freedom is subtracted because the tail was chosen. But if there are only two
  // degrees of freedom, 0.75 is subtracted, and if there is only one, nothing. With fewer degrees
  // of freedom the interval would be too wide to be useful.
  const double freedom = std::max(law->freedom - 1, std::min(law->freedom, 1.25));
  found.statistical = students_factor(freedom) * law->order_error;
  found.structural = structural_uncertainty(ladder, *law, least);
  found.uncertainty = std::hypot(found.statistical, found.structural, least_uncertainty);
  set_law(ladder, *law, found);
  if (law->constants.size() == 1 && !law->constant_errors.empty()) {
    const Column steps(&ladder.steps[0].levels[range.first], range.count());
    const double log_step = std::log(steps).sum() / static_cast<double>(range.count());
    found.constant_uncertainty =
        std::hypot(students_factor(freedom) * law->constant_errors[0],
                   law->constants[0] * log_step * std::hypot(found.structural, least_uncertainty));
  }
  found.scatter = law->scatter;
}

/// Returns r of find_order(): the change of an order between two levels that the noise of the
/// ladder allows, for the worst of the last three pairs of the range. `power` is the order itself.
double change_by_noise(const ErrorLadder& ladder, double power, FitRange range) {
  constexpr std::size_t most_pairs = 3;
  double largest = 0.0;
  const auto of_level = [&](std::size_t l) {
    const double of_error = ladder.noise.empty() ? 0.0 : ladder.noise[l];
    const double of_step = ladder.step_noise.empty() ? 0.0 : ladder.step_noise[l];
    return std::hypot(of_error, std::isnan(power) ? 0.0 : power * of_step);
  };
  for (std::size_t l = range.end - std::min(most_pairs + 1, range.count()); l + 1 < range.end;
       ++l) {
    const double ratio = std::log(size_of(ladder, l) / size_of(ladder, l + 1));
    largest = std::max(largest, std::hypot(of_level(l), of_level(l + 1)) / ratio);
  }
  return largest;
}

/// Takes the order from the last orders between two levels if these are steady or approach a limit,
/// as the docstring of find_order() describes, and the law from this order and the last error of
/// `usable`. All half-widths have the factor `safety`.
void take_pairs(const ErrorLadder& ladder, FitRange usable, double by_noise, Order& found) {
  constexpr double safety = 2.0;
  constexpr double steady_change = 0.02;  // the largest change per halving of steady orders
  constexpr double most_change = 0.25;    // the largest first change per halving of an approach
  constexpr double fastest = 2.4;         // bounds of the order of the next term in an approach
  constexpr double slowest = -0.3;
  constexpr double slowest_limit = 0.5;  // the least order of the next term for the limit
  const std::size_t last = usable.end - 1;
  // The differences of successive orders, the last one first, and by how many halvings of the step
  // each of them is caused.
  std::vector<double> changes;
  std::vector<double> halvings;
  for (std::size_t l = last - 1; l > usable.first; --l) {
    changes.push_back(found.pair_orders[l] - found.pair_orders[l - 1]);
    halvings.push_back(std::log2(size_of(ladder, l - 1) / size_of(ladder, l + 1)) / 2);
  }
  const double ratio = std::exp2(halvings[0]);
  const double slope = std::abs(changes[1]) / halvings[1];
  const double change = std::max(slope, std::abs(changes[0]) / halvings[0]);
  const auto is_approach = [&](std::size_t i) {
    const double quotient = changes[i] / changes[i + 1];
    return quotient >= std::pow(ratio, -fastest) && quotient <= std::pow(ratio, -slowest);
  };
  PowerLaw law{.range = usable, .order = found.pair_orders[last - 1], .constants = {1.0}};
  double width = by_noise + least_uncertainty;
  const bool is_steady = change <= steady_change + 2 * by_noise / std::min(1.0, halvings[0]);
  if (is_steady) {
    width += change;
  } else if (slope <= most_change && is_approach(0) && (changes.size() == 2 || is_approach(1))) {
    const double quotient = std::min(changes[0] / changes[1], std::pow(ratio, -slowest_limit));
    const double rest = changes[0] * quotient / (1 - quotient);
    law.order += rest;
    width += std::abs(changes[0]) / 2 + std::abs(rest);
  } else {
    return;
  }
  if (!is_inside(law.order)) {
    return;
  }
  law.constants[0] = ladder.errors[last] / law.predicted(ladder, last);
  set_law(ladder, law, found);
  found.basis = is_steady ? Basis::steady : Basis::approach;
  found.uncertainty = safety * width;
  found.statistical = safety * by_noise;
  found.structural = std::sqrt(std::pow(found.uncertainty, 2) - std::pow(found.statistical, 2) -
                               std::pow(least_uncertainty, 2));
  found.constant_uncertainty =
      std::abs(law.constants[0] * std::log(ladder.steps[0].levels[last])) * found.uncertainty;
}

/// Returns the clause for Order::why. `orders` are those between two levels that are used.
std::string explained(const Order& found, std::span<const double> orders) {
  const auto last = orders.last(std::min<std::size_t>(3, orders.size()));
  const std::string pairs =
      last.empty() ? "" : fmt::format("the last pair orders {:.3f}", fmt::join(last, ", "));
  switch (found.basis) {
    case Basis::steady:
      return pairs + " are steady";
    case Basis::approach:
      return fmt::format("{} approach {:.3f}", pairs, found.order);
    case Basis::fit:
      return fmt::format("fit of {} levels{}", found.levels, pairs.empty() ? "" : "; " + pairs);
    default:
      return found.levels < fewest_levels
                 ? fmt::format("only {} errors above the floor", found.levels)
                 : fmt::format("no order between {} and {}{}", least_order, most_order,
                               pairs.empty() ? "" : "; " + pairs);
  }
}

}  // namespace

double pair_order(const ErrorLadder& ladder, std::size_t level) {
  constexpr double most = 40.0;
  constexpr double tiny = 1e-9;
  const auto& [levels, references] = ladder.steps[0];
  const double target = std::log(ladder.errors[level] / ladder.errors[level + 1]);
  const double log_ratio = std::log(levels[level] / levels[level + 1]);
  if (!(references[level] > 0) && !(references[level + 1] > 0)) {
    const double order = target / log_ratio;
    return std::isfinite(order) ? order : base::undefined;
  }
  // the logarithm of |hᵖ - rᵖ|; for p = 0 its limit less the logarithm of |p|
  const auto log_difference = [&](std::size_t l, double p) {
    const double log_step = std::log(levels[l]);
    if (!(references[l] > 0)) {
      return p * log_step;
    }
    const double log_reference = std::log(references[l]) - log_step;
    const double relative = std::abs(p) < tiny ? log_reference : std::expm1(p * log_reference);
    return p * log_step + std::log(std::abs(relative));
  };
  const auto excess = [&](double p) {
    return log_difference(level, p) - log_difference(level + 1, p) - target;
  };
  const double low = excess(-most);
  const double high = excess(most);
  return low < 0 && high > 0 ? base::root(excess, -most, most, low, high) : base::undefined;
}

Order find_order(const ErrorLadder& ladder, double floor) {
  constexpr std::size_t fewest_pairs = 3;
  const std::size_t count = ladder.errors.size();
  Order found{.marks = std::vector<Mark>(count, Mark::undefined),
              .constants = std::vector<double>(ladder.steps.size(), base::undefined),
              .predicted = std::vector<double>(count, base::undefined)};
  const FitRange usable = levels_above_floor(floor, ladder.errors, found.marks);
  fit_law(ladder, usable, found);
  const double by_noise = change_by_noise(ladder, found.order, usable);
  found.uncertainty += by_noise;
  std::span<const double> orders;
  if (ladder.steps.size() == 1 && usable.count() > 1) {
    found.pair_orders.assign(count - 1, base::undefined);
    for (std::size_t l = usable.first; l + 1 < usable.end; ++l) {
      found.pair_orders[l] = pair_order(ladder, l);
    }
    orders = std::span(found.pair_orders).subspan(usable.first, usable.count() - 1);
    if (orders.size() >= fewest_pairs) {
      take_pairs(ladder, usable, by_noise, found);
    }
  }
  found.why = explained(found, orders);
  return found;
}

ErrorLadder make_ladder(const std::vector<std::vector<double>>& steps, std::vector<double> errors,
                        const std::vector<double>& finest, bool is_successive) {
  ErrorLadder ladder{.errors = std::move(errors), .are_differences = is_successive};
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const std::vector<double> references(steps[j].size(), finest.empty() ? 0.0 : finest[j]);
    ladder.steps.push_back(is_successive ? against_next(steps[j])
                                         : StepLadder{steps[j], references});
  }
  if (steps.size() == 2 && on_one_ray(steps[0], steps[1])) {
    auto& [levels, references] = ladder.steps[0];
    std::ranges::transform(levels, steps[1], levels.begin(), std::plus<>());
    std::ranges::transform(references, ladder.steps[1].references, references.begin(),
                           std::plus<>());
    ladder.steps.pop_back();
  }
  return ladder;
}

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
  const double highest = expected.at_least ? base::infinity : expected.order + tolerance;
  if (low >= lowest && high <= highest) {
    return Verdict::as_expected;
  }
  return high < lowest || low > highest ? Verdict::not_as_expected : Verdict::undecided;
}

Verdict worst(const std::vector<Verdict>& verdicts) {
  return verdicts.empty() ? Verdict::not_judged : std::ranges::min(verdicts);
}

}  // namespace masing::statistics
