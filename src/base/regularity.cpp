#include "base/regularity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/limits.hpp"

namespace masing::base {

namespace {

struct Interval {
  double first;
  double last;
  double first_value;
  double last_value;

  [[nodiscard]] double change() const { return std::abs(last_value - first_value); }
  [[nodiscard]] double slope() const { return change() / (last - first); }
};

/// The quotients over an interval, and over the steepest of its halves and those beside it, of
/// that one's, …: a singularity may lie within, where the values at both ends agree.
Regularity look_closer(const Function& function, Interval at, const Interval& all,
                       double largest_value) {
  std::vector<double> slopes{at.slope()};
  const auto is_resolved = [&] {
    const double size = std::max(std::abs(at.first), std::abs(at.last));
    return at.change() > 1024 * epsilon * largest_value &&
           at.last - at.first > 4096 * epsilon * size;
  };
  while (slopes.size() <= 64 && is_resolved()) {
    const double half = 0.5 * (at.last - at.first);
    Interval steepest = at;
    double slope = -1.0;
    double before = std::max(all.first, at.first - half);
    double value_before = function(before);
    for (const double s :
         {at.first, at.first + half, at.last, std::min(all.last, at.last + half)}) {
      const double value = function(s);
      if (!std::isfinite(value) || !std::isfinite(value_before)) {
        return {.smoothness = Smoothness::not_finite, .place = s};
      }
      const Interval part{before, s, value_before, value};
      if (s > before && part.slope() > slope) {
        steepest = part;
        slope = part.slope();
      }
      before = s;
      value_before = value;
    }
    at = steepest;
    slopes.push_back(slope);
  }
  Regularity found{.place = std::abs(at.first) < std::abs(at.last) ? at.first : at.last,
                   .slope = *std::ranges::max_element(slopes)};
  constexpr std::size_t fewest = 10;
  const std::size_t last = slopes.size() - 1;
  const std::size_t middle = last / 2;
  if (last < fewest || slopes[middle] == 0.0) {
    return found;
  }
  const double growth =
      std::log2(slopes[last] / slopes[middle]) / static_cast<double>(last - middle);
  // Of a feature that is only just resolved the quotients grow less and less.
  const std::size_t late = middle + (last - middle) / 2;
  const double growth_late =
      std::log2(slopes[last] / slopes[late]) / static_cast<double>(last - late);
  if (std::min(growth, growth_late) > 0.02 && growth_late > 0.6 * growth) {
    found.smoothness = growth > 0.95 ? Smoothness::jump : Smoothness::unbounded_slope;
    found.exponent = growth > 0.95 ? 0.0 : 1.0 - growth;
  }
  return found;
}

/// The places at which the function is looked at.
std::vector<double> places(const Function& function, double first, double last) {
  constexpr int intervals = 4096;
  std::vector<double> all;
  for (int i = 0; i <= intervals; ++i) {
    all.push_back(first + (last - first) * (static_cast<double>(i) / intervals));
  }
  for (const double kink : function.kinks()) {
    if (kink > first && kink < last) {
      all.push_back(kink);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Regularity regularity(const Function& function, double first, double last) {
  if (function.is_constant() && std::isfinite(function(first))) {
    return {.place = first};
  }
  std::vector<Interval> intervals;
  double largest_value = 0.0;
  double before = first;
  double value_before = 0.0;
  for (const double s : places(function, first, last)) {
    const double value = function(s);
    if (!std::isfinite(value)) {
      return {.smoothness = Smoothness::not_finite, .place = s};
    }
    largest_value = std::max(largest_value, std::abs(value));
    if (s > first) {
      intervals.push_back({before, s, value_before, value});
    }
    before = s;
    value_before = value;
  }
  constexpr std::size_t looks = 16;
  std::vector<Interval> closer{intervals.front(), intervals.back()};
  std::vector<std::pair<double, std::size_t>> by_slope;
  std::vector<std::pair<double, std::size_t>> by_bend;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    by_slope.emplace_back(intervals[i].slope(), i);
    const double next = i + 1 < intervals.size() ? intervals[i + 1].slope() : intervals[i].slope();
    by_bend.emplace_back(std::abs(next - intervals[i].slope()), i);
  }
  for (auto* ranking : {&by_slope, &by_bend}) {
    const std::size_t count = std::min(looks, ranking->size());
    std::ranges::partial_sort(*ranking, ranking->begin() + static_cast<std::ptrdiff_t>(count),
                              std::ranges::greater());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = (*ranking)[i].second;
      closer.push_back(intervals[at]);
      if (ranking == &by_bend && at + 1 < intervals.size()) {
        closer.push_back(intervals[at + 1]);
      }
    }
  }
  Regularity worst{.place = first, .slope = -1.0};
  for (const Interval& interval : closer) {
    const Regularity found =
        look_closer(function, interval, {first, last, 0.0, 0.0}, largest_value);
    if (std::pair(found.smoothness, found.slope) > std::pair(worst.smoothness, worst.slope)) {
      worst = found;
    }
  }
  return worst;
}

}  // namespace masing::base
