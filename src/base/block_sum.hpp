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

/// Throws UserError unless `bound` lies in [1e-200, 1e200]. Within these limits neither the unit of
/// a FixedPoint nor the inverse of the unit overflows or underflows. `bound` is the largest value
/// of a quantity, and `what` is the name of the quantity for the message. Local.
inline void check_bound(double bound, const std::string& what) {
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw UserError("the largest " + what + " is " + to_text(bound) +
                    "; it must lie between 1e-200 and 1e200");
  }
}

/// The unit in which the terms of a sum are rounded to 64-bit integers. Integer addition is
/// associative, so a sum of such integers has the same bits in any order and grouping. The unit is
/// C·2⁻⁶², where C is the smallest power of two ≥ a given bound of the sum. Rounding a term causes
/// an error of at most 2⁻⁶³ C. The absolute value of the sum must not exceed C.
class FixedPoint {
 public:
  /// Sets the unit for sums that, like all their partial sums, have an absolute value of at most
  /// `bound`. Throws UserError unless `bound` lies in [1e-200, 1e200]; `what` is the name of the
  /// summed quantity for the message.
  explicit FixedPoint(double bound, const std::string& what = "stiffness * threshold") {
    check_bound(bound, what);
    int power = 0;
    if (std::frexp(bound, &power) == 0.5) {
      --power;  // the bound itself is a power of two
    }
    unit_ = std::ldexp(1.0, power - 62);
    units_per_one_ = std::ldexp(1.0, 62 - power);
  }

  /// Returns the unit C·2⁻⁶².
  [[nodiscard]] double unit() const { return unit_; }
  /// Returns 1/unit, which is exact. A term is converted by multiplying it by this number and
  /// rounding to the nearest integer.
  [[nodiscard]] double units_per_one() const { return units_per_one_; }
  /// Returns `units` times the unit, rounded once.
  [[nodiscard]] double value(std::int64_t units) const {
    return static_cast<double>(units) * unit_;
  }

 private:
  double unit_;
  double units_per_one_;
};

/// A reduction for terms that are all on this rank: its functions leave the numbers as they are. A
/// reduction over several ranks has the same two functions. Its max() replaces each entry by the
/// maximum of this entry over all ranks, and its sum() replaces it by the sum over all ranks.
struct NoReduction {
  void max(std::span<double> /*values*/) const {}
  void sum(std::span<std::int64_t> /*values*/) const {}
};

/// Returns M sums Σ_i term(i)[m], i = first..end-1, for m = 0..M-1; `term(i)` returns the M terms
/// of index i. For each m there are 8 partial sums, numbered from 0. Term i is added to the partial
/// sum (i - first) mod 8, and the 8 partial sums are then added pairwise. This fixed order gives
/// the same bits with every instruction set. Local.
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

/// Returns M sums Σ_i term(i)[m], i = 0..size-1, for m = 0..M-1, as integers in the unit of
/// scales[m]. `term(i)` returns the M terms of cell i. The sum over each block of cells is rounded
/// once to an integer. The blocks do not depend on the number of ranks, so the sums of these
/// integers over the ranks have the same bits on any number of ranks. Index 0 must be the first
/// cell of a block. Local.
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

/// Returns the sum over all ranks of each rank's Σ_i term(i), i = 0..size-1. The sum has the same
/// bits on any number of ranks. Index 0 must be the first cell of a block. The absolute value of
/// the sum over any subset of the terms must not exceed `bound` by more than rounding errors.
/// Throws UserError if `bound` exceeds 1e200. Collective if `reduction` is collective.
template <typename Term, typename Reduction>
double sum_within(double bound, std::size_t size, const Term& term, const Reduction& reduction) {
  const FixedPoint scale(std::max(bound, 1e-200));
  auto units =
      block_sum<1>(size, std::array{scale}, [&](std::size_t i) { return std::array{term(i)}; });
  reduction.sum(units);
  return scale.value(units[0]);
}

/// Returns the largest |term(i)| of all ranks, i = 0..size-1 on each of them, or 0 if there are no
/// terms. Collective if `reduction` is collective.
template <typename Term, typename Reduction>
double largest_term(std::size_t size, const Term& term, const Reduction& reduction) {
  std::array<double, 1> most{};
  for (std::size_t i = 0; i < size; ++i) {
    most[0] = std::max(most[0], std::abs(term(i)));
  }
  reduction.max(most);
  return most[0];
}

/// Returns the bound with which to construct a FixedPoint for the mean S = Σ term(i)/P and for its
/// partial sums. The terms are ≥ 0; this rank has the terms i = 0..size-1, and all ranks together
/// have P = `cells` terms. If the largest term of all ranks is at most about 2¹⁰ S, it is the
/// bound. If it is larger, the bound is a number slightly larger than S, because a unit that suits
/// a few large terms would lose the digits of all others. If the largest term is below 1e-200 or
/// exceeds 1e200/P, it is returned without computing S. The bound has the same bits on any number
/// of ranks. Collective if `reduction` is collective.
template <typename Term, typename Reduction>
double sum_bound(std::size_t size, std::int64_t cells, const Term& term,
                 const Reduction& reduction) {
  const auto count = static_cast<double>(cells);
  const double most = largest_term(size, term, reduction);
  if (!(most >= 1e-200 && most * count <= 1e200)) {
    return most;
  }
  // The factor makes `total` a little larger than S, so that rounding errors of the sums over
  // blocks cannot make it smaller.
  const double total = sum_within(most * count, size, term, reduction) / count * (1.0 + 1e-6);
  return most > std::ldexp(total, 10) ? total : most;
}

/// Returns the sum of n terms ≥ 0. The terms are summed twice by sum_within(). The first bound,
/// n·(largest term), may be far too large; the second bound is the first sum. Throws UserError if
/// n·(largest term) exceeds 1e200. Local.
inline double sum_of_not_negative(std::span<const double> terms) {
  const auto term = [&](std::size_t i) { return terms[i]; };
  const auto within = [&](double bound) {
    return sum_within(bound, terms.size(), term, NoReduction{});
  };
  const double most = largest_term(terms.size(), term, NoReduction{});
  return within(within(most * static_cast<double>(terms.size())));
}

}  // namespace masing::base
