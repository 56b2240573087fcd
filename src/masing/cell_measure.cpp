#include "masing/cell_measure.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"

namespace masing {

CellTable::CellTable(std::span<const double> threshold, std::span<const double> stiffness,
                     const ExactScale& scale)
    : nodes_(threshold.size() + 2) {
  assert(stiffness.size() == threshold.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nodes_.front() = {-infinity, {}};
  nodes_.back() = {infinity, {}};
  for (std::size_t i = 0; i < threshold.size(); ++i) {
    nodes_[i + 1] = {threshold[i], {stiffness[i], 0.0}};
  }
  const auto cells = std::span(nodes_).subspan(1, threshold.size());
  const auto before = [](const Node& a, const Node& b) { return a.threshold < b.threshold; };
  if (std::ranges::is_sorted(cells, std::ranges::greater(), &Node::threshold)) {
    std::ranges::reverse(cells);
  } else if (!std::ranges::is_sorted(cells, before)) {
    std::ranges::sort(cells, before);
  }
  // Within a tie the order changes sums that no look-up returns.
  ExactSums sums;
  for (Node& cell : cells) {
    sums += scale.term(cell.sums.stiffness, cell.threshold);
    cell.sums = scale.value(sums);
  }
}

std::vector<double> virgin_thresholds(const Profile& profile, int direction) {
  std::vector<double> thresholds(profile.threshold.size());
  std::ranges::transform(profile.threshold, profile.initial_u, thresholds.begin(),
                         [&](double eta, double u0) { return eta - direction * u0; });
  return thresholds;
}

CellMeasure make_cell_measure(const Profile& all) {
  const ExactScale scale(std::ranges::max(all.stiffness), force_bound(all),
                         static_cast<std::int64_t>(all.stiffness.size()));
  const auto table = [&](const std::vector<double>& thresholds) {
    return CellTable(thresholds, all.stiffness, scale);
  };
  if (std::ranges::all_of(all.initial_u, [](double u0) { return u0 == 0.0; })) {
    return CellMeasure(table(all.threshold));
  }
  ExactSums initial;
  for (std::size_t i = 0; i < all.stiffness.size(); ++i) {
    initial += scale.term(all.stiffness[i], all.initial_u[i]);
  }
  return CellMeasure(table(all.threshold),
                     {table(virgin_thresholds(all, 1)), table(virgin_thresholds(all, -1))},
                     scale.value(initial).force);
}

std::string memory_fault(double threshold, double initial_u, double other_threshold,
                         double other_initial_u) {
  // Profiles are expressions: a few units in the last place are theirs.
  const double rounding =
      32 * std::numeric_limits<double>::epsilon() * std::max(threshold, other_threshold);
  if (std::abs(initial_u - other_initial_u) <= std::abs(threshold - other_threshold) + rounding) {
    return {};
  }
  return "--initial-u: u0 = " + base::to_text(initial_u) +
         " where eta = " + base::to_text(threshold) +
         " but u0 = " + base::to_text(other_initial_u) +
         " where eta = " + base::to_text(other_threshold) +
         "; the hysteresis memory needs |u0(s) - u0(s')| <= |eta(s) - eta(s')|: use --engine sweep";
}

std::string memory_fault(std::span<const double> threshold, std::span<const double> initial_u) {
  if (std::ranges::all_of(initial_u, [](double u0) { return u0 == 0.0; })) {
    return {};
  }
  std::vector<std::size_t> order(threshold.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) { return threshold[a] < threshold[b]; };
  if (!std::ranges::is_sorted(order, before)) {
    std::ranges::stable_sort(order, before);
  }
  // Neighbours suffice: the bound is additive along the order.
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::string fault = memory_fault(threshold[order[i - 1]], initial_u[order[i - 1]],
                                     threshold[order[i]], initial_u[order[i]]);
    if (!fault.empty()) {
      return fault;
    }
  }
  return {};
}

}  // namespace masing
