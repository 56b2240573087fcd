#include "slab/turning_points/cell_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::slab {

namespace {

constexpr int bits = 100;

/// 2¹⁰⁰/C for the smallest power of two C > P·bound.
double units_per_one(const char* what, double bound, std::int64_t cells) {
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw base::UserError(fmt::format("the largest {} is {}; it must lie between 1e-200 and 1e200",
                                      what, base::to_text(bound)));
  }
  int exponent = 0;
  std::frexp(bound * static_cast<double>(cells), &exponent);
  return std::ldexp(1.0, bits - exponent);
}

}  // namespace

ExactScale::ExactScale(double stiffness_bound, double force_bound, std::int64_t cells)
    : stiffness_units_(units_per_one("stiffness", stiffness_bound, cells)),
      force_units_(units_per_one("stiffness * threshold", 2 * force_bound, cells)),
      cells_(static_cast<double>(cells)) {}

CellTable::CellTable(std::span<const double> threshold, std::span<const double> stiffness,
                     const ExactScale& scale)
    : nodes_(threshold.size() + 2) {
  assert(stiffness.size() == threshold.size());
  for (std::size_t i = 0; i < threshold.size(); ++i) {
    nodes_[i + 1] = {threshold[i], {stiffness[i], 0.0}};
  }
  add_up(scale);
}

CellTable::CellTable(const Profile& all, int direction, const ExactScale& scale)
    : nodes_(static_cast<std::size_t>(all.range.size + 2)) {
  for (std::int64_t i = 0; i < all.range.size; ++i) {
    const Element cell = all.element(i);
    nodes_[static_cast<std::size_t>(i + 1)] = {virgin_threshold(cell, direction),
                                               {cell.stiffness, 0.0}};
  }
  add_up(scale);
}

void CellTable::add_up(const ExactScale& scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nodes_.front() = {-infinity, {}};
  nodes_.back() = {infinity, {}};
  const auto cells = std::span(nodes_).subspan(1, nodes_.size() - 2);
  const auto before = [](const Node& a, const Node& b) { return a.threshold < b.threshold; };
  if (std::ranges::is_sorted(cells, std::ranges::greater(), &Node::threshold)) {
    std::ranges::reverse(cells);
  } else if (!std::ranges::is_sorted(cells, before)) {
    std::ranges::sort(cells, before);
  }
  // The order within a tie changes only sums that no look-up returns.
  ExactSums sums;
  for (Node& cell : cells) {
    sums += scale.term(cell.sums.stiffness, cell.threshold);
    cell.sums = scale.value(sums);
  }
}

bool begins_at_zero(const Profile& profile) {
  if (profile.form.initial_u) {
    return profile.form.initial_u->first == 0.0;
  }
  return std::ranges::all_of(profile.initial_u, [](double u0) { return u0 == 0.0; });
}

ExactSums initial_sums(const Profile& profile, const ExactScale& scale) {
  ExactSums sums;
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    const Element cell = profile.element(i);
    sums += scale.term(cell.stiffness, cell.initial_u);
  }
  return sums;
}

CellMeasure make_cell_measure(const Profile& all) {
  const ExactScale scale(stiffness_bound(all), force_bound(all), all.range.size);
  CellTable threshold(all, 0, scale);
  if (begins_at_zero(all)) {
    return CellMeasure(std::move(threshold));
  }
  return CellMeasure(std::move(threshold), {CellTable(all, 1, scale), CellTable(all, -1, scale)},
                     scale.value(initial_sums(all, scale)).force);
}

std::optional<StartConflict> start_conflict(const Element& one, const Element& other) {
  // Evaluating expressions costs a few units in the last place.
  const double rounding =
      32 * std::numeric_limits<double>::epsilon() * std::max(one.threshold, other.threshold);
  const double allowed = std::abs(one.threshold - other.threshold) + rounding;
  return std::abs(one.initial_u - other.initial_u) <= allowed
             ? std::nullopt
             : std::optional(StartConflict{one, other});
}

std::optional<StartConflict> start_conflict(std::vector<Element>& cells) {
  std::ranges::sort(cells, {}, start_order);
  // Neighbours suffice: the bound is additive along the order.
  std::optional<StartConflict> conflict;
  for (std::size_t i = 1; !conflict && i < cells.size(); ++i) {
    conflict = start_conflict(cells[i - 1], cells[i]);
  }
  return conflict;
}

}  // namespace masing::slab
