#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

/// Integrals over a part of [0, 1] or, for finitely many cells, δs times the sums over the cells in
/// that part. The functions v0 = u0 - c and c are defined at Slab.
struct Integrals {
  double stiffness = 0.0;          ///< ∫ k ds
  double force = 0.0;              ///< ∫ k η ds
  double initial = 0.0;            ///< ∫ k v0 ds
  double threshold_square = 0.0;   ///< ∫ k η² ds
  double initial_square = 0.0;     ///< ∫ k v0² ds
  double load = 0.0;               ///< ∫ k c ds
  double load_force = 0.0;         ///< ∫ k c η ds
  double load_initial = 0.0;       ///< ∫ k c v0 ds
  double load_square = 0.0;        ///< ∫ k c² ds
  double threshold_initial = 0.0;  ///< ∫ k η v0 ds

  /// Returns ∫ k ds and ∫ k η ds. Local.
  [[nodiscard]] Sums sums() const { return {stiffness, force}; }
  /// Adds `weight` times `other` to these integrals. Local.
  void add(double weight, const Integrals& other);
  /// Returns ∫ k (sign·η + shift)² ds for a number `shift`. Local.
  [[nodiscard]] double yielded_square(int sign, double shift) const {
    return threshold_square + 2 * sign * shift * force + shift * shift * stiffness;
  }
  /// Returns ∫ k (v0 + shift)² ds for a number `shift`. Local.
  [[nodiscard]] double initial_square_at(double shift) const {
    return initial_square + 2 * shift * initial + shift * shift * stiffness;
  }
};

/// The places s_i of the cells of a slab.
struct CellGrid {
  std::int64_t count = 1;  ///< P
  Rule rule = Rule::right;

  /// Returns the place of cell i, counted from 0, as Slab::point() does. Local.
  [[nodiscard]] double point(std::int64_t i) const {
    const double index = static_cast<double>(i) + (rule == Rule::right ? 1.0 : 0.5);
    return index / static_cast<double>(count);
  }
  /// Returns the number of cells whose place is less than s. Local.
  [[nodiscard]] std::int64_t before(double s) const;
};

/// The four YieldSets as sets of intervals of s. The interval [0, 1] is cut into pieces on which
/// the three limits η - v0, η + v0 and 2η are monotone. Within a piece a set ends where one of
/// these limits equals the number A, B or R (see Excursion) that it is compared with. For the
/// integration, the integrands are expanded in series of Legendre polynomials, whose coefficients
/// are computed by Gauss's rule. A sum over the cells m, …, n of a smooth piece is computed by
/// Gregory's formula,
///     δs Σ f(s_i) = ∫ f ds + δs/2 (f_m + f_n) + δs/12 (f_n - f_{n-1} - f_{m+1} + f_m),
/// where the integral is from s_m to s_n and terms of order δs³ are omitted. The memory therefore
/// does not depend on P. A look-up costs about 0.3 µs for each piece in which a set ends, and 10 ns
/// for every other piece.
class IntervalSets {
 public:
  /// Builds the pieces and computes the integrals over each piece. `spans` are the smooth_spans()
  /// of the slab; `scale` is the largest η, to which rounding errors are relative; `grid` has the
  /// places of the cells and is empty for P = ∞. Throws UserError if there are more than
  /// `most_pieces` pieces. Local.
  IntervalSets(const Coefficients<base::Function>& functions, const std::vector<SmoothSpan>& spans,
               double scale, const std::optional<CellGrid>& grid, std::size_t most_pieces);

  /// Returns the integrals over each set, in the order of YieldSet. Local.
  [[nodiscard]] std::array<Integrals, 4> sums(const Excursion& excursion) const;
  /// Returns the integrals over all s with η ≤ r. Local.
  [[nodiscard]] Integrals integrals(double r) const;
  /// Returns the sums that give S when x is at its extreme in `direction`. Local.
  [[nodiscard]] OuterSums outer(const Excursion& excursion, int direction) const;
  /// Returns by how much the extreme in `direction` can grow before the sums of outer() may cease
  /// to be smooth. This happens where the end of a set reaches the end of a piece or an inner node
  /// of a fine span (SmoothSpan::fine) and, if P = ∞, where the ends of three sets meet. Returns
  /// infinity if none of these occurs. Local.
  [[nodiscard]] double growth_to_break(const Excursion& excursion, int direction) const;
  /// Returns the least r' > r among the values of η at the ends of pieces and at inner nodes of
  /// fine spans (SmoothSpan::fine), or infinity if there is none. For finitely many cells, the ends
  /// of a piece are its first and its last cell. Local.
  [[nodiscard]] double next_break(double r) const;
  /// Returns the number of pieces. Local.
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  /// Returns the integrals over [0, 1]. Local.
  [[nodiscard]] const Integrals& all() const { return all_; }
  /// Appends to `places` each s inside a piece at which a limit equals `level`. For finitely many
  /// cells, it appends the place of the last cell before this s instead of s. The limit is selected
  /// by `limit`: &Excursion::up selects η - v0, &Excursion::down η + v0, and &Excursion::span 2η.
  /// Local.
  void append_places(double Excursion::*limit, double level, std::vector<double>& places) const;
  /// Appends to `places` both ends of each piece. Local.
  void append_ends(std::vector<double>& places) const;

 private:
  using Functions = Coefficients<base::Function>;
  static constexpr int limits = 3;  // the number of limits: η - v0, η + v0, 2η

  /// Returns the value of a limit at s.
  static double limit_at(const Functions& functions, int limit, double s);

  /// The end of a set within a piece.
  struct SetEnd {
    /// The number by which ends are compared: s or, for finitely many cells, the index of the last
    /// cell before the end.
    double order = 0.0;
    /// The s of the end or, for finitely many cells, the place of the last cell before it.
    double s = 0.0;
    /// The integrals from the beginning of the piece to the end of the set. For finitely many
    /// cells, these are numbers whose difference between two ends is δs times the sum over the
    /// cells between the ends.
    Integrals moments;
  };

  /// A piece of [0, 1], on which the three limits are monotone.
  class MonotoneInterval {
   public:
    /// The values of a limit at both ends of the piece.
    struct Ends {
      double first;
      double last;
      [[nodiscard]] double least() const { return std::min(first, last); }
      [[nodiscard]] double most() const { return std::max(first, last); }
    };
    /// Computes the series and integrals of a piece. Between two neighbouring `nodes`, polynomials
    /// must approximate k, η, v0 and c within rounding errors. `ends` has the values of the three
    /// limits at both ends of the piece. With a grid, the integrals are sums over the cells from
    /// `first_cell` to `end_cell` - 1.
    MonotoneInterval(std::shared_ptr<const Functions> functions, std::vector<double> nodes,
                     const std::array<Ends, limits>& ends, const std::optional<CellGrid>& grid,
                     std::int64_t first_cell, std::int64_t end_cell);

    /// For each YieldSet, adds the integrals over that part of the piece which belongs to the set;
    /// `sums` is indexed by YieldSet.
    void add(const Excursion& excursion, std::array<Integrals, 4>& sums) const;
    /// Adds to `sums` the integrals over the part of the piece with η ≤ r.
    void add_below(double r, Integrals& sums) const;
    [[nodiscard]] double first() const { return nodes_.front(); }
    [[nodiscard]] double last() const { return nodes_.back(); }
    /// Returns the integrals over the piece.
    [[nodiscard]] Integrals total() const;
    /// Returns the end of a set that lies where a limit equals `level`, or nothing if the limit
    /// does not take this value inside the piece.
    [[nodiscard]] std::optional<SetEnd> root(int limit, double level) const;

   private:
    /// Returns whether the values of a limit on the piece include `level`. If `level` is the
    /// largest of them, the result is false, because the limit is at most `level` on the whole
    /// piece.
    [[nodiscard]] bool ends_inside(int limit, double level) const {
      return level >= ends_[limit].least() && level < ends_[limit].most();
    }
    /// The number of coefficients of a Series.
    static constexpr std::size_t degrees = 10;
    /// The integrands on an interval between two nodes as series of Legendre polynomials P_n: entry
    /// n contains the coefficients of P_n, times half the width of the interval.
    using Series = std::array<Integrals, degrees>;
    /// Returns the series on the interval from `first` to `last`, two neighbouring nodes, computed
    /// by Gauss's rule.
    [[nodiscard]] Series series_between(double first, double last) const;
    /// Returns the integrals from the beginning of the piece to s.
    [[nodiscard]] Integrals integral_to(double s) const;
    /// Returns the end of a set whose last cell is `cell`. If `cell` is first_cell_ - 1, this is
    /// the beginning of the piece.
    [[nodiscard]] SetEnd at_cell(std::int64_t cell) const;
    /// Returns the last cell before the end of a set at s, where a limit equals `level`. If the
    /// limit rises with s, this is the last cell with limit ≤ level; if the limit falls, it is the
    /// last cell with limit > level. As s has a rounding error, the limit is evaluated at the cells
    /// near s.
    [[nodiscard]] std::int64_t last_cell(int limit, double level, double s) const;

    std::shared_ptr<const Functions> functions_;
    std::vector<double> nodes_;
    std::vector<Integrals> up_to_;  // the integrals from the beginning of the piece to each node
    std::vector<Series> series_;    // the series on each interval between two nodes
    std::array<Ends, limits> ends_;
    std::optional<CellGrid> grid_;
    std::int64_t first_cell_ = 0;
    std::int64_t end_cell_ = 0;
    SetEnd begin_;
    SetEnd end_;
  };

  /// For each limit, the pieces of a span on which this limit is monotone.
  using MonotoneLimits = std::array<std::vector<MonotonePiece>, limits>;
  /// Returns, for each of the three limits separately, the pieces of a span on which this limit is
  /// monotone. If the span is fine (SmoothSpan::fine) and has more than five nodes, also adds the
  /// values of the limits at the inner nodes to breaks_.
  MonotoneLimits monotone_limits(const SmoothSpan& span, double scale);

  std::shared_ptr<const Functions> functions_;
  std::vector<MonotoneInterval> pieces_;
  // For each limit, the values of this limit at the ends of pieces and at inner nodes of fine
  // spans, increasing.
  std::array<std::vector<double>, limits> breaks_;
  Integrals all_;
  bool is_continuum_;
};

}  // namespace masing::slab
