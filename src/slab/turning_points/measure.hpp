#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/partition.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

struct Profile;  // slab/profile.hpp

/// How far x has moved away from the position x0 at the start: X⁺ and X⁻ are the greatest and the
/// least x so far, X⁺ ≥ x0 ≥ X⁻.
struct Excursion {
  double up = 0.0;    ///< A = X⁺ - x0
  double down = 0.0;  ///< B = x0 - X⁻
  double span = 0.0;  ///< R = X⁺ - X⁻

  /// Returns the distance from x0 to the extreme in `direction` (+1 or -1).
  [[nodiscard]] double toward(int direction) const { return direction > 0 ? up : down; }
};

/// An element has three limits: η - v0, η + v0 and 2η, with the numbers 0, 1 and 2. It can change
/// its YieldSet only when A, B or R reaches limit 0, 1 or 2, respectively. limit_of[i] is the
/// member of Excursion that is compared with limit i. Here v = u - c and v0 = u0 - c (see Slab).
inline constexpr std::array limit_of{&Excursion::up, &Excursion::down, &Excursion::span};

/// The four sets of elements that the extremes of x distinguish. Let a = η - v0 and b = η + v0. An
/// element that has never yielded yields upwards when A reaches a, or downwards when B reaches b.
/// If 2η ≤ R, it has yielded in any case. The v of an element depends on its set:
///     settled  2η ≤ R            v is a function of η alone, given by the turning points
///     up       a ≤ A, 2η > R     v = η - (X⁺ - x)
///     down     b ≤ B, 2η > R     v = -η + (x - X⁻)
///     never    a > A, b > B      v = v0 + x - x0
enum class YieldSet { settled, up, down, never };

/// Returns the set of an element: `up` says whether a ≤ A, `down` whether b ≤ B, `settled` whether
/// 2η ≤ R. In exact arithmetic `up` and `down` together imply `settled`. Local.
inline YieldSet yield_set(bool up, bool down, bool settled) {
  if (settled || (up && down)) {
    return YieldSet::settled;
  }
  return up ? YieldSet::up : down ? YieldSet::down : YieldSet::never;
}

/// The data of a cell that determine its v: an Element without the shift. Leaving out the shift
/// saves memory in tables of many cells.
struct YieldCell {
  double stiffness = 0.0;
  double threshold = 0.0;
  double initial_u = 0.0;
};

/// Returns the limits a = η - v0, b = η + v0 and 2η of a cell: the values of A, B and R at which it
/// can change its YieldSet. `cell` is an Element or a YieldCell. Local.
template <class Cell>
Excursion yield_limits(const Cell& cell) {
  return {cell.threshold - cell.initial_u, cell.threshold + cell.initial_u, 2 * cell.threshold};
}

/// Returns the YieldSet of a cell, which is an Element or a YieldCell, for the given extremes of x.
/// Local.
template <class Cell>
YieldSet yield_set(const Cell& cell, const Excursion& excursion) {
  const Excursion limits = yield_limits(cell);
  return yield_set(limits.up <= excursion.up, limits.down <= excursion.down,
                   limits.span <= excursion.span);
}

/// Sums over a set of cells or, if P = ∞, integrals over a set of s.
struct Sums {
  double stiffness = 0.0;  ///< Σ k δs
  double force = 0.0;      ///< Σ k η δs

  Sums& operator+=(const Sums& other) {
    stiffness += other.stiffness;
    force += other.force;
    return *this;
  }
};

/// Sums from which S = Σ k v δs and dS/dx follow when x is at its extreme in direction σ: at X⁺ for
/// σ = 1, at X⁻ for σ = -1. With D = A for σ = 1 and D = B for σ = -1,
///     S = force + σ (R opposite + D never),   dS/dx = opposite + never.
struct OuterSums {
  /// Σ k δs over the cells that have yielded only in direction -σ.
  double opposite = 0.0;
  /// Σ k δs over the cells that have never yielded.
  double never = 0.0;
  /// Σ k δs w over all cells. For settled cells and for cells that have yielded only in direction
  /// σ, w is σ η. For cells that have yielded only in direction -σ it is -σ η, and for cells that
  /// have never yielded it is v0.
  double force = 0.0;

  /// Returns S. Local.
  [[nodiscard]] double force_at(const Excursion& excursion, int direction) const {
    return force + direction * (excursion.span * opposite + excursion.toward(direction) * never);
  }
};

struct RememberedElongation;

/// Three integrals that depend on the elongations u of all elements; v is u - c (see Slab).
struct ElongationSums {
  double energy = 0.0;  ///< ½ ∫ k u² ds
  double load = 0.0;    ///< ∫ k c v ds
  double grip = 0.0;    ///< ∫ k η v ds
};

/// Counts how many entries of a nondecreasing sequence are at most r, where r usually changes
/// little from one search to the next. A search begins at a guess that is extrapolated from the two
/// previous results. It doubles the distance from the guess until the new result is bracketed.
/// Earlier searches change the cost, but not the result.
class FrontSearch {
 public:
  /// Returns the number of entries ≤ `r` of a sequence of `size` entries at(0) ≤ at(1) ≤ …. Local.
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
      at(middle) <= r ? low = middle + 1 : high = middle;
    }
    speed_ = low - last_;
    last_ = low;
    return low;
  }

  /// Returns the result that is expected for the next search; this number may lie outside [0,
  /// size]. Local.
  [[nodiscard]] std::int64_t expected() const { return last_ + speed_; }

 private:
  /// The result of the previous search.
  std::int64_t last_ = 0;
  /// The difference of the two previous results.
  std::int64_t speed_ = 0;
};

/// Σ k and Σ k θ over a set of cells as integers, so that the sums have the same bits in any order
/// of summation; θ is η or v0.
struct ExactSums {
  base::Wide stiffness = 0;  ///< Σ k in units of C·2⁻¹⁰⁰, where C is a power of two > P max k
  base::Wide force = 0;  ///< Σ k θ in units of C·2⁻¹⁰⁰, where C is a power of two > 2P max k η

  ExactSums& operator+=(const ExactSums& other) {
    stiffness += other.stiffness;
    force += other.force;
    return *this;
  }
  ExactSums& operator-=(const ExactSums& other) {
    return *this += {-other.stiffness, -other.force};
  }
};

/// Converts the terms of a cell to integers, and integer sums to floating-point numbers. The
/// conversion to an integer changes a term by less than 2⁻¹⁰⁰ C, where C is defined at ExactSums.
/// (If terms were converted to 64 bits, this would bias the sum over 10⁷ cells by 1e-12.)
class ExactScale {
 public:
  /// Chooses the units from `stiffness_bound`, the largest k, and `force_bound`, the largest k η of
  /// a slab with `cells` cells. Sums of terms k θ with |θ| ≤ 2η do not overflow. Throws UserError
  /// if `stiffness_bound` or 2·`force_bound` is not in [1e-200, 1e200].
  ExactScale(double stiffness_bound, double force_bound, std::int64_t cells);

  /// Returns k and k θ of one cell as integers. Local.
  [[nodiscard]] ExactSums term(double stiffness, double threshold) const {
    return {static_cast<base::Wide>(stiffness * stiffness_units_),
            static_cast<base::Wide>(stiffness * threshold * force_units_)};
  }

  /// Returns δs Σ k and δs Σ k θ, where δs = 1/P: each integer is converted to a double and then
  /// divided by P. Local.
  [[nodiscard]] Sums value(const ExactSums& sums) const {
    return {static_cast<double>(sums.stiffness) / stiffness_units_ / cells_,
            static_cast<double>(sums.force) / force_units_ / cells_};
  }

 private:
  double stiffness_units_;  // the number of units in 1 for sums of k, a power of two
  double force_units_;      // the number of units in 1 for sums of k θ, a power of two
  double cells_;
};

/// Says how many cells of each of three sorted lists have reached their limit, and contains the
/// sums over the YieldSets that follow from this. List 0 is sorted by the limit η - v0, list 1 by η
/// + v0, list 2 by 2η.
struct CellMarks {
  /// A value of A, B or R that is less than all limits.
  static constexpr double nothing = -base::infinity;

  /// The A, B and R to which the counts and the sums belong.
  Excursion excursion{nothing, nothing, nothing};
  /// The number of cells in each list whose limit is at most A, B or R, respectively.
  std::array<std::int64_t, 3> passed{};
  /// For each YieldSet, Σ k and Σ k η over its cells; for YieldSet::never, Σ k v0 in place of Σ k
  /// η.
  std::array<ExactSums, 4> sets{};

  [[nodiscard]] ExactSums& of(YieldSet set) { return sets[static_cast<std::size_t>(set)]; }
};

/// Hints that a look-up in a measure stores for the next look-up. These hints reduce the cost of
/// the next look-up if the front and the extremes of x have moved little since; they do not change
/// its result. Each trajectory has a SearchHint of its own.
struct SearchHint {
  FrontSearch front;
  /// The CellMarks of a table of cells, stored by Measure::outer() and growth_to_break(); empty
  /// before the first call of one of these functions.
  std::vector<CellMarks> marks;
};

/// The measure of a slab: the integrals of k over the elements with η ≤ r, as functions of r, and
/// other sums over elements. An object does not change after its construction, so that threads may
/// share it, each with a SearchHint of its own. If P = ∞, the sums over cells below are integrals
/// over s. All functions are local.
class Measure {
 public:
  virtual ~Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;

  /// Returns Σ k δs, which is K(∞), and Σ k η δs, the largest Σ k v δs, over all cells; v = u - c
  /// is defined at Slab.
  [[nodiscard]] const Sums& total() const { return total_; }
  /// Returns whether v0 = u0 - c (see Slab) is 0 in all cells. If it returns true, outer() and
  /// growth_to_break() must not be called.
  [[nodiscard]] bool begins_at_zero() const { return begins_at_zero_; }
  /// Returns whether the measure is a table of cells or springs. Then below(r) is constant between
  /// breaks (see next_break()), and S(x) is piecewise linear.
  [[nodiscard]] bool is_cellwise() const { return is_cellwise_; }

  /// Returns K(r) = Σ k δs and M(r) = Σ k η δs over the cells with η ≤ r. K and M do not decrease
  /// with r, and for large r they are total().
  [[nodiscard]] virtual Sums below(double r, SearchHint& hint) const = 0;
  [[nodiscard]] Sums below(double r) const {
    SearchHint hint;
    return below(r, hint);
  }
  /// Computes G(r) = r K(r) - M(r) = Σ k (r - η) δs over the cells with η ≤ r, for each of `r`;
  /// `values` has the same size. On a leg of the hysteresis curve, S is less than the elastic force
  /// by 2 G.
  virtual void shortfalls(std::span<const double> r, std::span<double> values) const {
    SearchHint hint;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const Sums sums = below(r[i], hint);
      values[i] = r[i] * sums.stiffness - sums.force;
    }
  }
  /// Returns the least break r' > r, or infinity if there is none. A break is an r at which
  /// below(r) may not be smooth. In a measure of make_smooth_cell_measure(), below(r) counts as
  /// smooth although it jumps at the η of each cell.
  [[nodiscard]] virtual double next_break(double r, SearchHint& hint) const = 0;
  /// Returns the sums that give S when x is at its extreme in `direction`.
  [[nodiscard]] virtual OuterSums outer(const Excursion& excursion, int direction,
                                        SearchHint& hint) const = 0;
  /// Returns by how much the extreme in `direction` may grow until it reaches the next break of the
  /// sums of outer(), where they may not be smooth: a number > 0, or infinity.
  [[nodiscard]] virtual double growth_to_break(const Excursion& excursion, int direction,
                                               SearchHint& hint) const = 0;
  /// Returns N(r) = ∫ k η (r - η) ds over η ≤ r, which is ≥ 0. This is the energy that the sliders
  /// dissipate by the work of k v while x goes from x0 to x0 + r, if v = 0 in all elements at x0.
  /// The second argument is the FrontSearch of a look-up near r, which shortens the search.
  [[nodiscard]] virtual double slip(double r, FrontSearch near) const = 0;
  /// Returns the integrals that depend on the elongations u, or nothing for a measure that
  /// make_cell_measure() has built.
  [[nodiscard]] virtual std::optional<ElongationSums> sums(
      const RememberedElongation& /*u*/) const {
    return {};
  }
  /// Returns ∫ k c ds, the constant part of the force of the slab if the thresholds differ by
  /// direction. Returns nothing for a table of cells or springs.
  [[nodiscard]] virtual std::optional<double> preload() const { return {}; }

 protected:
  Measure(bool begins_at_zero, bool is_cellwise)
      : begins_at_zero_(begins_at_zero), is_cellwise_(is_cellwise) {}

  Sums total_;

 private:
  bool begins_at_zero_;
  bool is_cellwise_;
};

/// Builds the measure of a profile of all P cells: a table of exact sums in the order of η,
/// converted to doubles. A look-up costs about 5 ns for any P if the front moves smoothly. Throws
/// UserError if the largest k or the largest k η is too small or too large for ExactScale. Local.
std::shared_ptr<const Measure> make_cell_measure(const Profile& all);

/// Builds the measure of springs whose forces are added without the weight δs, so that S = Σ_i k_i
/// v_i. The measure stores the springs, and provides sums().
/// Throws UserError if the largest k or the largest k η, times the number of springs, is too small
/// or too large for ExactScale. Local.
std::shared_ptr<const Measure> make_spring_measure(std::vector<Element> springs);

/// Builds the measure of a slab with P = ∞: a ContinuousTable of K, M and N, and IntervalSets for
/// the other integrals. Throws UserError if check_functions() or smooth_spans() rejects the slab,
/// if the functions have too many extrema, if the table would take too long to build, or if its
/// values or other integrals differ from the results of another quadrature. Local.
std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab);

/// The largest number of cells for which a table is built if the profile is piecewise smooth. For
/// more cells, the sums are computed by IntervalSets, at a cost that does not depend on P.
inline constexpr std::int64_t most_tabled_cells = std::int64_t{1} << 24;

/// Builds the measure of a slab with finitely many cells by IntervalSets, without a table. The slab
/// must have passed check_functions(). The cells are divided among pieces of [0, 1] on which k, η,
/// v0 and c are smooth and η, η - v0 and η + v0 are monotone. Throws UserError if more than 256
/// pieces contain cells, or if smooth_spans() throws UserError. Local.
std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab);

/// Returns whether make_smooth_cell_measure() throws no UserError for a slab with finitely many
/// cells. Local.
bool is_smooth_in_pieces(const Slab& slab);

/// Returns whether a slab has finitely many but more than most_tabled_cells cells and
/// is_smooth_in_pieces() is true. Local.
bool has_smooth_cells(const Slab& slab);

}  // namespace masing::slab
