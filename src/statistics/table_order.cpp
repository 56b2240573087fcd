#include "statistics/table_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

namespace masing::statistics {

namespace {

/// Returns the levels above the floor that end with the finest level of the fit.
FitRange usable_levels(const Fit& fit) {
  FitRange range;
  for (std::size_t l = 0; l < fit.marks.size(); ++l) {
    if (fit.marks[l] == Mark::fitted) {
      range.end = l + 1;
    }
  }
  for (range.first = range.end; range.first > 0; --range.first) {
    const Mark mark = fit.marks[range.first - 1];
    if (mark != Mark::fitted && mark != Mark::before) {
      break;
    }
  }
  return range;
}

/// Returns the logarithm of |hᵖ - rᵖ|, where h is the step of a level and r that of its reference.
/// For p = 0 returns its limit less the logarithm of |p|.
double log_difference(const StepLadder& step, std::size_t level, double p) {
  constexpr double tiny = 1e-9;
  const double log_step = std::log(step.levels[level]);
  if (!(step.references[level] > 0)) {
    return p * log_step;
  }
  const double log_ratio = std::log(step.references[level]) - log_step;
  const double relative = std::abs(p) < tiny ? log_ratio : std::expm1(p * log_ratio);
  return p * log_step + std::log(std::abs(relative));
}

/// Returns r of order_of_table(): the change of an order between two levels that the printed digits
/// allow, for the worst of the last three pairs of the range. `power` is the order itself.
double rounding(const ErrorLadder& ladder, const Digits& digits, double power, FitRange range) {
  constexpr std::size_t most_pairs = 3;
  double largest = 0.0;
  const auto of_level = [&](std::size_t l) {
    return std::hypot(digits.errors[l], std::isnan(power) ? 0.0 : power * digits.steps[l]);
  };
  for (std::size_t l = range.end - std::min(most_pairs + 1, range.count()); l + 1 < range.end;
       ++l) {
    const double ratio = std::log(size_of(ladder, l) / size_of(ladder, l + 1));
    largest = std::max(largest, std::hypot(of_level(l), of_level(l + 1)) / ratio);
  }
  return largest;
}

/// The orders between two levels of a range, and how they change.
struct Changes {
  std::vector<double> orders;    // q, one for each pair
  std::vector<double> changes;   // d, differences of successive orders
  std::vector<double> halvings;  // by how many halvings of the step each change is caused

  Changes(const ErrorLadder& ladder, std::span<const double> pairs, FitRange range)
      : orders(pairs.begin() + static_cast<std::ptrdiff_t>(range.first),
               pairs.begin() + static_cast<std::ptrdiff_t>(range.end) - 1) {
    for (std::size_t i = 0; i + 1 < orders.size(); ++i) {
      const std::size_t l = range.first + i;
      changes.push_back(orders[i + 1] - orders[i]);
      halvings.push_back(std::log2(size_of(ladder, l) / size_of(ladder, l + 2)) / 2);
    }
  }
};

/// Sets the order from the last orders between two levels if these are steady or approach a limit,
/// as the docstring of order_of_table() describes. All half-widths have the factor `safety`.
void examine(const Changes& pairs, double rounding, TableOrder& found) {
  constexpr double safety = 2.0;
  constexpr double steady_change = 0.02;  // the largest change per halving of steady orders
  constexpr double most_change = 0.25;    // the largest first change per halving of an approach
  constexpr double fastest = 2.4;         // bounds of the order of the next term in an approach
  constexpr double slowest = -0.3;
  constexpr double slowest_limit = 0.5;  // the least order of the next term for the limit
  const std::size_t last = pairs.changes.size() - 1;
  const double second = pairs.changes[last];
  const double ratio = std::exp2(pairs.halvings[last]);
  const double slope = std::abs(pairs.changes[last - 1]) / pairs.halvings[last - 1];
  const double change = std::max(slope, std::abs(second) / pairs.halvings[last]);
  const double width = rounding + least_uncertainty;
  if (change <= steady_change + 2 * rounding / std::min(1.0, pairs.halvings[last])) {
    found.order = pairs.orders.back();
    found.uncertainty = safety * (change + width);
    found.basis = Basis::steady;
    return;
  }
  const auto is_approach = [&](std::size_t i) {
    const double quotient = pairs.changes[i] / pairs.changes[i - 1];
    return quotient >= std::pow(ratio, -fastest) && quotient <= std::pow(ratio, -slowest);
  };
  if (slope <= most_change && is_approach(last) && (last == 1 || is_approach(last - 1))) {
    const double quotient =
        std::min(second / pairs.changes[last - 1], std::pow(ratio, -slowest_limit));
    const double rest = second * quotient / (1 - quotient);
    found.order = pairs.orders.back() + rest;
    found.uncertainty = safety * (std::abs(second) / 2 + std::abs(rest) + width);
    found.basis = Basis::approach;
  }
}

/// Returns the clause for TableOrder::why.
std::string explained(const TableOrder& found, std::span<const double> orders) {
  const auto last = orders.last(std::min<std::size_t>(3, orders.size()));
  const std::string pairs =
      last.empty() ? "" : fmt::format("the last pair orders {:.3f}", fmt::join(last, ", "));
  switch (found.basis) {
    case Basis::steady:
      return pairs + " are steady";
    case Basis::approach:
      return fmt::format("{} approach {:.3f}", pairs, found.order);
    case Basis::fit:
      return fmt::format("fit to {} levels{}", found.fit.levels,
                         pairs.empty() ? pairs : "; " + pairs);
    default:
      return found.fit.levels < 3 ? fmt::format("only {} errors above the floor", found.fit.levels)
                                  : fmt::format("no order between {} and {}{}", least_order,
                                                most_order, pairs.empty() ? pairs : "; " + pairs);
  }
}

}  // namespace

double pair_order(const ErrorLadder& ladder, std::size_t level) {
  constexpr double most = 40.0;
  const double target = std::log(ladder.errors[level] / ladder.errors[level + 1]);
  const auto excess = [&](double p) {
    return log_difference(ladder.steps[0], level, p) -
           log_difference(ladder.steps[0], level + 1, p) - target;
  };
  return std::isfinite(target) ? rising_zero(excess, most) : base::undefined;
}

TableOrder order_of_table(const ErrorLadder& ladder, const Digits& digits, double floor) {
  TableOrder found;
  found.fit = fit_order(ladder, floor);
  const FitRange range = usable_levels(found.fit);
  const double by_digits = rounding(ladder, digits, found.fit.order, range);
  std::span<const double> orders;
  if (ladder.steps.size() == 1 && range.count() > 1) {
    found.pair_orders.assign(ladder.errors.size() - 1, base::undefined);
    for (std::size_t l = range.first; l + 1 < range.end; ++l) {
      found.pair_orders[l] = pair_order(ladder, l);
    }
    orders = std::span(found.pair_orders).subspan(range.first, range.count() - 1);
    constexpr std::size_t fewest_pairs = 3;
    if (orders.size() >= fewest_pairs) {
      examine(Changes(ladder, found.pair_orders, range), by_digits, found);
    }
  }
  if (found.basis == Basis::none && !std::isnan(found.fit.order)) {
    found.order = found.fit.order;
    found.uncertainty = found.fit.uncertainty + by_digits;
    found.basis = Basis::fit;
  }
  constexpr double nearly = 1e-6;  // the fit ends at a bound if the order is beyond it
  if (!(found.order > least_order + nearly && found.order < most_order - nearly)) {
    found.order = found.uncertainty = base::undefined;
    found.basis = Basis::none;
  }
  found.why = explained(found, orders);
  return found;
}

}  // namespace masing::statistics
