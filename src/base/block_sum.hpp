#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"

namespace masing::base {

/// Throws UserError unless `bound`, the largest of what `what` names, is within [1e-200, 1e200], so
/// that units of sums and their inverses are doubles. Local.
inline void check_bound(double bound, const std::string& what) {
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw UserError("the largest " + what + " is " + to_text(bound) +
                    "; it must lie between 1e-200 and 1e200");
  }
}

/// Sums as 64-bit integers in units of C·2⁻⁶², C the smallest power of two ≥ a known bound of the
/// sum: integer addition is associative, so the sum has the same bits in any order and grouping.
/// Adding a term rounds it to the unit (at most 2⁻⁶³ C); the total must stay within C.
class FixedPoint {
 public:
  /// `bound`: of |sum| and of every partial sum; `what` it is a bound of. Throws as check_bound.
  explicit FixedPoint(double bound, const std::string& what = "stiffness * threshold") {
    check_bound(bound, what);
    int power = 0;
    if (std::frexp(bound, &power) == 0.5) {
      --power;  // the bound is a power of two itself
    }
    unit_ = std::ldexp(1.0, power - 62);
    units_per_one_ = std::ldexp(1.0, 62 - power);
  }

  /// C·2⁻⁶².
  [[nodiscard]] double unit() const { return unit_; }
  /// 1/unit, exact: multiply a term by it and round to the nearest integer.
  [[nodiscard]] double units_per_one() const { return units_per_one_; }
  /// The number that `units` units stand for, rounded once.
  [[nodiscard]] double value(std::int64_t units) const {
    return static_cast<double>(units) * unit_;
  }

 private:
  double unit_;
  double units_per_one_;
};

/// The reduction where all terms are local; one over ranks replaces the entries by their maximum or
/// sum over all ranks.
struct NoReduction {
  void max(std::span<double> /*values*/) const {}
  void sum(std::span<std::int64_t> /*values*/) const {}
};

/// Σ_i term(i), i = first..end-1, of M numbers at once: terms go to 8 lanes in turn, which are then
/// added as a tree, so that the bits do not depend on the instruction set. Local.
template <std::size_t M, typename Term>
std::array<double, M> lane_sum(std::size_t first, std::size_t end, const Term& term) {
  constexpr std::size_t lanes = 8;
  std::array<std::array<double, lanes>, M> sums{};
  for (std::size_t i = first; i < end; ++i) {
    const std::array<double, M> terms = term(i);
    for (std::size_t m = 0; m < M; ++m) {
      sums[m][(i - first) % lanes] += terms[m];
    }
  }
  std::array<double, M> totals{};
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t width = lanes / 2; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        sums[m][lane] += sums[m][lane + width];
      }
    }
    totals[m] = sums[m][0];
  }
  return totals;
}

/// Σ_i term(i), i = 0..size-1, of M numbers at once as integers, each in the units of its scale:
/// the sum of a block of cells is rounded once, so that sums over ranks have the same bits on any
/// number of them. Element 0 must lie on a block limit. Local.
template <std::size_t M, typename Term>
std::array<std::int64_t, M> block_sum(std::size_t size, const std::array<FixedPoint, M>& scales,
                                      const Term& term) {
  constexpr auto block = static_cast<std::size_t>(block_cells);
  std::array<std::int64_t, M> units{};
  for (std::size_t first = 0; first < size; first += block) {
    const auto sums = lane_sum<M>(first, std::min(first + block, size), term);
    for (std::size_t m = 0; m < M; ++m) {
      units[m] += std::llrint(sums[m] * scales[m].units_per_one());
    }
  }
  return units;
}

/// Σ_i term(i), i = 0..size-1, over all ranks, with the same bits on any number of them; no sum of
/// some of the terms may exceed `bound`, up to rounding. Throws UserError where the bound exceeds
/// 1e200. Collective if the reduction is.
template <typename Term, typename Reduction>
double sum_within(double bound, std::size_t size, const Term& term, const Reduction& reduction) {
  const FixedPoint scale(std::max(bound, 1e-200));
  auto units =
      block_sum<1>(size, std::array{scale}, [&](std::size_t i) { return std::array{term(i)}; });
  reduction.sum(units);
  return scale.value(units[0]);
}

/// A bound of δs Σ term(i), δs = 1/P, and of every part of it, for FixedPoint: the largest term.
/// Where that is more than 2¹⁰ times the sum, the sum itself: a fixed point scaled to few large
/// terms would lose the digits of all others. Terms ≥ 0, i = 0..size-1 of `cells` P over all ranks;
/// the same on any number of them. Collective if the reduction is.
template <typename Term, typename Reduction>
double sum_bound(std::size_t size, std::int64_t cells, const Term& term,
                 const Reduction& reduction) {
  const auto count = static_cast<double>(cells);
  std::array<double, 1> most{};
  for (std::size_t i = 0; i < size; ++i) {
    most[0] = std::max(most[0], term(i));
  }
  reduction.max(most);
  if (!(most[0] >= 1e-200 && most[0] * count <= 1e200)) {
    return most[0];
  }
  // A little more than the sum, for the roundings of its parts.
  const double total = sum_within(most[0] * count, size, term, reduction) / count * (1.0 + 1e-6);
  return most[0] > std::ldexp(total, 10) ? total : most[0];
}

/// Σ_i terms[i] of terms ≥ 0: summed first within n·max, which may be far too much, then within
/// that sum. Throws UserError where n·max exceeds 1e200. Local.
inline double sum_of_not_negative(std::span<const double> terms) {
  const auto term = [&](std::size_t i) { return terms[i]; };
  const auto within = [&](double bound) {
    return sum_within(bound, terms.size(), term, NoReduction{});
  };
  const double most = terms.empty() ? 0.0 : *std::ranges::max_element(terms);
  return within(within(most * static_cast<double>(terms.size())));
}

}  // namespace masing::base
