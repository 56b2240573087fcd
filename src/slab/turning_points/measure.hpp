#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

struct Profile;  // slab/profile.hpp

/// How far x has been from where it started, x0: its extremes X⁺ ≥ x0 ≥ X⁻.
struct Excursion {
  double up = 0.0;    ///< A = X⁺ - x0
  double down = 0.0;  ///< B = x0 - X⁻
  double span = 0.0;  ///< R = X⁺ - X⁻

  /// The distance of the extreme in `direction` from x0.
  [[nodiscard]] double toward(int direction) const { return direction > 0 ? up : down; }
};

/// The members of an Excursion, in the order of the limits that they are compared with.
inline constexpr std::array limit_of{&Excursion::up, &Excursion::down, &Excursion::span};

/// What the extremes of x have made of a cell. With a = η - u0 and b = η + u0, a cell yields
/// upwards for the first time at A = a, downwards at B = b, and both at the latest where 2η = R:
///     settled  2η ≤ R            u is a function of η alone, that of the turning points
///     up       a ≤ A, 2η > R     u = η - (X⁺ - x)
///     down     b ≤ B, 2η > R     u = -η + (x - X⁻)
///     never    a > A, b > B      u = u0 + x - x0
enum class YieldSet { settled, up, down, never };

/// The set of a cell that has passed some of a ≤ A, b ≤ B, 2η ≤ R. In exact arithmetic the first
/// two together imply the third.
inline YieldSet yield_set(bool up, bool down, bool settled) {
  if (settled || (up && down)) {
    return YieldSet::settled;
  }
  return up ? YieldSet::up : down ? YieldSet::down : YieldSet::never;
}

/// Data of a cell that its law needs: an Element without its shift, which saves memory in tables of
/// many cells.
struct YieldCell {
  double stiffness = 0.0;
  double threshold = 0.0;
  double initial_u = 0.0;
};

/// a, b and 2η of a cell, an Element or YieldCell, which A, B and R have to reach.
template <class Cell>
Excursion yield_limits(const Cell& cell) {
  return {cell.threshold - cell.initial_u, cell.threshold + cell.initial_u, 2 * cell.threshold};
}

/// The set of a cell, an Element or YieldCell. Local.
template <class Cell>
YieldSet yield_set(const Cell& cell, const Excursion& excursion) {
  const Excursion limits = yield_limits(cell);
  return yield_set(limits.up <= excursion.up, limits.down <= excursion.down,
                   limits.span <= excursion.span);
}

/// Sums over a set of cells (integrals over a set of s where P = ∞).
struct Sums {
  double stiffness = 0.0;  ///< Σ k δs
  double force = 0.0;      ///< Σ k η δs

  Sums& operator+=(const Sums& other) {
    stiffness += other.stiffness;
    force += other.force;
    return *this;
  }
};

/// Sums over the sets where x is at an extreme, the one in direction σ:
///     S = force + σ (R opposite + D never),   dS/dx = opposite + never,   D = A or B.
struct OuterSums {
  double opposite = 0.0;  ///< Σ k δs over the cells that have yielded only in direction -σ
  double never = 0.0;     ///< Σ k δs over those that have never yielded
  double force = 0.0;  ///< Σ k δs times σ η (settled, or yielded only along σ), -σ η, and u0

  [[nodiscard]] double force_at(const Excursion& excursion, int direction) const {
    return force + direction * (excursion.span * opposite + excursion.toward(direction) * never);
  }
};

struct RememberedElongation;

/// Sums over all cells, v = u - c.
struct ElongationSums {
  double energy = 0.0;  ///< ½ ∫ k u² ds
  double load = 0.0;    ///< ∫ k c v ds
  double grip = 0.0;    ///< ∫ k η v ds
};

/// Counts the entries of a nondecreasing sequence that a slowly moving front has passed: searches
/// first where the front would be at its last speed, then ever farther away. The result does not
/// depend on earlier searches; only the cost does.
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

/// How far three lists of cells, in the order of η - u0, η + u0 and 2η, have been passed by the
/// extremes of x, and the sums that go with it.
struct CellMarks {
  static constexpr double nothing = -base::infinity;

  Excursion excursion{nothing, nothing, nothing};
  std::array<std::int64_t, 3> passed{};  ///< in the order of the members of Excursion
  /// Σ k over cells that have yielded in one direction only, upwards and downwards.
  std::array<Int128, 2> one_way{};
  Int128 never = 0;          ///< Σ k over those that never have
  Int128 settled_force = 0;  ///< Σ kη
  /// Σ kη, yielded upwards only, - Σ kη, downwards, + Σ k u0, never.
  Int128 other_force = 0;
};

/// What the looks of one run into a measure remember of each other: they cost less where little
/// has moved between them. What they find does not depend on it.
struct SearchHint {
  FrontSearch front;
  std::vector<CellMarks> marks;  ///< one after the first look at the outer curve, where u0 ≠ 0
};

/// A distribution of stiffness over yield displacements. It does not change: threads may share it,
/// each with a SearchHint of its own. Local.
class Measure {
 public:
  virtual ~Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;

  /// Σ k δs and Σ k η δs over all cells: K(∞), and the largest internal force.
  [[nodiscard]] const Sums& total() const { return total_; }
  /// Whether u0 = 0 in all cells. outer() and growth_to_break() require u0 ≠ 0.
  [[nodiscard]] bool begins_at_zero() const { return begins_at_zero_; }
  /// Whether below() is constant between breaks, S(x) piecewise linear.
  [[nodiscard]] bool is_cellwise() const { return is_cellwise_; }

  /// Σ k δs and Σ k η δs over the cells with η ≤ r, nondecreasing in r and total() at the end.
  [[nodiscard]] virtual Sums below(double r, SearchHint& hint) const = 0;
  [[nodiscard]] Sums below(double r) const {
    SearchHint hint;
    return below(r, hint);
  }
  /// The least r' > r where below() is not smooth, or infinity.
  [[nodiscard]] virtual double next_break(double r, SearchHint& hint) const = 0;
  /// The sums where x is at the extreme in `direction`.
  [[nodiscard]] virtual OuterSums outer(const Excursion& excursion, int direction,
                                        SearchHint& hint) const = 0;
  /// The least growth > 0 of the extreme in `direction` up to where those sums are not smooth, or
  /// infinity.
  [[nodiscard]] virtual double growth_to_break(const Excursion& excursion, int direction,
                                               SearchHint& hint) const = 0;
  /// ∫ k η² ds over η ≤ r; of cells in a table at the cost of a sum over them.
  [[nodiscard]] virtual double second_moment(double r) const = 0;
  /// N(r) = ∫ k η (r - η) ds over η ≤ r, ≥ 0: what the sliders take while x goes from x0, where u =
  /// 0, to x0 + r. `near`: of a look-up not far from r.
  [[nodiscard]] virtual double slip(double r, FrontSearch /*near*/) const {
    return std::max(0.0, r * below(r).force - second_moment(r));
  }
  /// Sums over the cells of what their elongations are; nothing where these are on other ranks.
  [[nodiscard]] virtual std::optional<ElongationSums> sums(
      const RememberedElongation& /*u*/) const {
    return {};
  }
  /// The first of them.
  [[nodiscard]] std::optional<double> elastic_energy(const RememberedElongation& u) const {
    const auto known = sums(u);
    return known ? std::optional(known->energy) : std::nullopt;
  }
  /// ∫ k c ds, the preload of thresholds that differ by direction; nothing where that takes a sum
  /// over cells.
  [[nodiscard]] virtual std::optional<double> preload() const { return {}; }

 protected:
  Measure(bool begins_at_zero, bool is_cellwise)
      : begins_at_zero_(begins_at_zero), is_cellwise_(is_cellwise) {}

  Sums total_;

 private:
  bool begins_at_zero_;
  bool is_cellwise_;
};

/// The measure of a profile, all P cells: exact sums, each rounded once, in the order of η. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Throws UserError as
/// ExactScale. Local.
std::shared_ptr<const Measure> make_cell_measure(const Profile& all);

/// The same of springs, \f$ \sum_i k_i u_i \f$, with all that a Measure may tell.
std::shared_ptr<const Measure> make_spring_measure(std::vector<Element> springs);

/// The measure of a slab with P = ∞: a ContinuousTable, and IntervalSets where u0 ≠ 0. Throws as
/// check_functions, and UserError where the table cannot be resolved, or differs from another
/// quadrature. Local.
std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab);

/// Cells beyond which sums over a piecewise smooth profile are those of IntervalSets: no table,
/// whatever P.
inline constexpr std::int64_t most_tabled_cells = std::int64_t{1} << 24;

/// The measure of a slab with a number of cells, which check_functions lets pass. Throws
/// UserError where k, η, u0 and c have not a few smooth and monotone pieces. Local.
std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab);

/// Whether k, η, u0 and c of a slab with a number of cells have a few smooth and monotone pieces.
/// Local.
bool is_smooth_in_pieces(const Slab& slab);

/// Whether such a slab has more than most_tabled_cells. Local.
bool has_smooth_cells(const Slab& slab);

}  // namespace masing::slab
