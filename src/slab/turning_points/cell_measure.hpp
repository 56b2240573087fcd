#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

__extension__ using Int128 = __int128;

/// Σ k and Σ k θ over a set of cells as integers, so that they have the same bits in any order.
struct ExactSums {
  Int128 stiffness = 0;  ///< in units of C·2⁻¹⁰⁰, C ≥ P max k
  Int128 force = 0;      ///< in units of C·2⁻¹⁰⁰, C ≥ 2P max k η

  ExactSums& operator+=(const ExactSums& other) {
    stiffness += other.stiffness;
    force += other.force;
    return *this;
  }
};

/// Turns the terms of a cell into integers and sums into numbers. A term loses at most 2⁻¹⁰⁰ C: 64
/// bits for each of 10⁷ cells would bias their sum by 1e-12.
class ExactScale {
 public:
  /// The largest k and the largest k η of all `cells` cells: |θ| ≤ 2η is assumed. Throws UserError
  /// where one is not within [1e-200, 1e200].
  ExactScale(double stiffness_bound, double force_bound, std::int64_t cells);

  /// k and k θ of one cell.
  [[nodiscard]] ExactSums term(double stiffness, double threshold) const {
    return {static_cast<Int128>(stiffness * stiffness_units_),
            static_cast<Int128>(stiffness * threshold * force_units_)};
  }

  /// δs Σ k and δs Σ k θ, δs = 1/P: the integers rounded once, then divided by P.
  [[nodiscard]] Sums value(const ExactSums& sums) const {
    return {static_cast<double>(sums.stiffness) / stiffness_units_ / cells_,
            static_cast<double>(sums.force) / force_units_ / cells_};
  }

 private:
  double stiffness_units_;  // a power of two
  double force_units_;      // a power of two
  double cells_;
};

/// Counts the entries of a nondecreasing sequence that a slowly moving front has passed: searches
/// first where the front would be at its last speed, then ever farther away. The result does not
/// depend on earlier searches; only the cost does. Not for concurrent use.
class FrontSearch {
 public:
  /// The number of entries ≤ `r` of the `size` entries at(0) ≤ at(1) ≤ …. Local.
  template <class At>
  std::int64_t passed(const At& at, std::int64_t size, double r) {
    const std::int64_t guess = std::clamp<std::int64_t>(expected(), 0, size);
    // Entries before `low` are ≤ r, entries from `high` on are > r.
    std::int64_t low = guess;
    std::int64_t high = guess;
    std::int64_t stride = 1;
    if (guess < size && at(guess) <= r) {
      for (low = guess + 1; low + stride <= size && at(low + stride - 1) <= r; stride *= 2) {
        low += stride;
      }
      high = std::min(size, low + stride - 1);
    } else {
      for (; high >= stride && at(high - stride) > r; stride *= 2) {
        high -= stride;
      }
      low = std::max<std::int64_t>(0, high - stride + 1);
    }
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (at(middle) <= r) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    speed_ = low - last_;
    last_ = low;
    return low;
  }

  /// Where the next search is expected to end, not limited to the sequence. Local.
  [[nodiscard]] std::int64_t expected() const { return last_ + speed_; }

 private:
  std::int64_t last_ = 0;
  std::int64_t speed_ = 0;
};

/// A StiffnessMeasure from tables. A Table orders cells by some θ and has
///     total()         Σ k δs and Σ k θ δs over all cells,
///     below(r)        the same over θ ≤ r, nondecreasing in r and total() at the end,
///     next_break(r)   the least θ > r where below() is not smooth, or infinity,
///     is_cellwise     true if below() is constant between breaks; then
///     count(r)        the number of cells with θ ≤ r.
template <class Table>
class TableMeasure {
 public:
  static constexpr bool is_cellwise = requires { requires Table::is_cellwise; };

  /// u0 = 0: the virgin order is the order in η.
  explicit TableMeasure(Table threshold) : threshold_(std::move(threshold)) {}

  /// `virgin`: tables over η - u0 and η + u0; `initial_force`: Σ k u0 δs; `order`: the same tables
  /// for k = 1, where k is too small somewhere for sums of it to tell cells apart.
  TableMeasure(Table threshold, std::array<Table, 2> virgin, double initial_force,
               std::optional<std::array<Table, 2>> order = {})
      : threshold_(std::move(threshold)),
        virgin_(std::move(virgin)),
        order_(std::move(order)),
        initial_force_(initial_force) {}

  [[nodiscard]] double total_stiffness() const { return threshold_.total().stiffness; }
  [[nodiscard]] double initial_force() const { return initial_force_; }
  [[nodiscard]] Sums below(double r) const { return threshold_.below(r); }
  [[nodiscard]] Sums virgin(double travel, int direction) const {
    return in_virgin_order(direction).below(travel);
  }

  /// ρ with 2ρ = travel + t', t' the least travel that makes the same cells yield the other way:
  /// as many with η + σ u0 ≤ t' as with η - σ u0 ≤ travel. Some hundred look-ups; needed at
  /// reversals on the virgin curve only.
  [[nodiscard]] double virgin_radius(double travel, int direction) const {
    if (!virgin_) {
      return travel;
    }
    // The totals of two tables may differ by rounding where P = ∞.
    const double yielded = std::min(cells_yielded(travel, direction),
                                    cells_yielded(std::numeric_limits<double>::max(), -direction));
    const auto enough = [&](double t) { return cells_yielded(t, -direction) >= yielded; };
    if (enough(0.0)) {
      return travel / 2;
    }
    double low = 0.0;
    double high = travel > 0.0 ? travel : 1.0;
    while (!enough(high)) {
      low = std::exchange(high, 2 * high);
    }
    const auto centre = [&] { return low + (high - low) / 2; };
    for (double middle = centre(); low < middle && middle < high; middle = centre()) {
      (enough(middle) ? high : low) = middle;
    }
    return (travel + high) / 2;
  }

  /// ½ ∫ k u² ds: between two radii of legs u is ±η + c, beyond the largest u0 + (x - x0). There
  /// ∫ k u0 and ∫ k u0² come from the tables in virgin order, θ = η ∓ u0 over the same cells.
  [[nodiscard]] double elastic_energy(const RememberedElongation& u) const requires
      requires(Table table) {
    table.second_moment(0.0);
  };

  [[nodiscard]] double next_break(double r) const { return threshold_.next_break(r); }
  [[nodiscard]] double next_virgin_break(double travel, int direction) const {
    return in_virgin_order(direction).next_break(travel);
  }

 private:
  /// How many cells yield on the virgin curve: their number, or for P = ∞ any measure of them.
  [[nodiscard]] double cells_yielded(double travel, int direction) const {
    if constexpr (is_cellwise) {
      return static_cast<double>(in_virgin_order(direction).count(travel));
    } else {
      return (order_ ? (*order_)[direction > 0 ? 0 : 1] : in_virgin_order(direction))
          .below(travel)
          .stiffness;
    }
  }

  [[nodiscard]] const Table& in_virgin_order(int direction) const {
    return virgin_ ? (*virgin_)[direction > 0 ? 0 : 1] : threshold_;
  }

  Table threshold_;
  std::optional<std::array<Table, 2>> virgin_;
  std::optional<std::array<Table, 2>> order_;
  double initial_force_ = 0.0;
};

template <class Table>
double TableMeasure<Table>::elastic_energy(const RememberedElongation& u) const requires
    requires(Table table) {
  table.second_moment(0.0);
}
{
  constexpr double all = std::numeric_limits<double>::max();
  double twice = 0.0;
  double radius = 0.0;
  // The cells up to `next`, beyond `radius`, with u = sign η + c.
  const auto add_band = [&](double next, double sign, double c) {
    const Sums from = below(radius);
    const Sums to = below(next);
    twice += threshold_.second_moment(next) - threshold_.second_moment(radius) +
             2 * sign * c * (to.force - from.force) + c * c * (to.stiffness - from.stiffness);
    radius = next;
  };
  int direction = u.direction;
  double travel = std::max(0.0, direction * (u.x - u.x0));
  if (u.legs.empty()) {
    add_band(virgin_radius(travel, direction), direction, 0.0);
  } else {
    add_band(std::max(0.0, 0.5 * direction * (u.x - u.legs.back().position)), direction, 0.0);
    for (auto leg = u.legs.rbegin(); leg != u.legs.rend(); ++leg) {
      const double span = leg->position - leg->meeting;
      add_band(0.5 * std::abs(span), span < 0.0 ? -1.0 : 1.0, u.x - leg->position);
    }
    direction = u.legs.front().position < u.x0 ? -1 : 1;
    travel = direction * (u.legs.front().position - u.x0);
  }
  const double move = u.x - u.x0;
  twice += move * move * (total_stiffness() - below(radius).stiffness);
  if (virgin_) {
    const Table& forwards = in_virgin_order(direction);
    const Table& backwards = in_virgin_order(-direction);
    // Of the yielded cells θ = η ± u0 ends at 2η - travel in the other order. Where η ± u0 is flat
    // rounding would count all cells of that θ or none: their share follows from the stiffness.
    const auto moment_backwards = [&](double end, double stiffness) {
      const double before = end - 1e-9 * (std::abs(end) + radius);
      return backwards.second_moment(before) +
             end * end * (stiffness - backwards.below(before).stiffness);
    };
    const double whole = (forwards.second_moment(all) + backwards.second_moment(all)) / 2 -
                         threshold_.second_moment(all);
    const double of_yielded = (forwards.second_moment(travel) +
                               moment_backwards(2 * radius - travel, below(radius).stiffness)) /
                                  2 -
                              threshold_.second_moment(radius);
    const double yielded = direction * (below(radius).force - virgin(travel, direction).force);
    twice += 2 * move * (initial_force_ - yielded) + whole - of_yielded;
  }
  return 0.5 * twice;
}

/// Sums over the cells with θ_i ≤ r, tabulated in the order of θ; exact sums rounded once. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Not for concurrent use.
class CellTable {
 public:
  static constexpr bool is_cellwise = true;

  /// θ_i and k_i of all cells, [P] each, in any order; the table does not depend on it. Local.
  CellTable(std::span<const double> threshold, std::span<const double> stiffness,
            const ExactScale& scale);
  /// θ_i = η_i - σ u0_i, σ the `direction` -1, 0 or 1, and k_i of a whole profile. Local.
  CellTable(const Profile& all, int direction, const ExactScale& scale);

  [[nodiscard]] Sums total() const { return nodes_[static_cast<std::size_t>(cells())].sums; }

  [[nodiscard]] Sums below(double r) const {
    const std::int64_t passed = find(r);
    // At a few hundred cells a step every look-up would miss the caches.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(search_.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  /// The number of cells with θ_i ≤ r.
  [[nodiscard]] std::int64_t count(double r) const { return find(r); }

  /// The least θ_i > r, or infinity.
  [[nodiscard]] double next_break(double r) const {
    return nodes_[static_cast<std::size_t>(find(r) + 1)].threshold;
  }

 private:
  /// θ of one cell, and the sums up to it.
  struct Node {
    double threshold = 0.0;
    Sums sums;
  };

  /// Nodes with θ_i and k_i into the order of θ, k_i into sums.
  void add_up(const ExactScale& scale);

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nodes_.size()) - 2; }
  [[nodiscard]] std::int64_t find(double r) const {
    return search_.passed(
        [nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; }, cells(), r);
  }

  std::vector<Node> nodes_;  // [P + 2], from -∞ to +∞
  mutable FrontSearch search_;
};

/// The distribution of stiffness of P cells.
using CellMeasure = TableMeasure<CellTable>;

/// The measure of a whole profile, all P cells. Local.
CellMeasure make_cell_measure(const Profile& all);

/// η - σ u0 of a cell, at which it yields when moved from the start in direction σ; for σ = 0 η.
/// Local.
inline double virgin_threshold(const Element& cell, int direction) {
  return cell.threshold - direction * cell.initial_u;
}

/// Σ k and Σ k u0 over the cells of a profile. Local.
ExactSums initial_sums(const Profile& profile, const ExactScale& scale);

/// Whether u0 is 0 in all cells of the range. Local.
bool begins_at_zero(const Profile& profile);

/// Two cells whose initial elongations turning points cannot represent: |u0 - u0'| > |η - η'| by
/// more than rounding.
struct StartConflict {
  Element one;
  Element other;
};

/// What such cells are put in order by: (η, u0). Local.
inline std::pair<double, double> start_order(const Element& cell) {
  return {cell.threshold, cell.initial_u};
}

/// The conflict between two cells, if there is one. Local.
std::optional<StartConflict> start_conflict(const Element& one, const Element& other);
/// The first of some cells in start_order, into which it puts them. Local.
std::optional<StartConflict> start_conflict(std::vector<Element>& cells);

}  // namespace masing::slab
