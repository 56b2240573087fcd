#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

/// Integrals over a part of [0, 1], or δs times sums over cells.
struct Integrals {
  double stiffness = 0.0;          ///< ∫ k ds
  double force = 0.0;              ///< ∫ k η ds
  double initial = 0.0;            ///< ∫ k u0 ds
  double threshold_square = 0.0;   ///< ∫ k η² ds
  double initial_square = 0.0;     ///< ∫ k u0² ds
  double load = 0.0;               ///< ∫ k c ds
  double load_force = 0.0;         ///< ∫ k c η ds
  double load_initial = 0.0;       ///< ∫ k c u0 ds
  double load_square = 0.0;        ///< ∫ k c² ds
  double threshold_initial = 0.0;  ///< ∫ k η u0 ds

  [[nodiscard]] Sums sums() const { return {stiffness, force}; }
  /// Adds `weight` times others. Local.
  void add(double weight, const Integrals& other);
  /// ∫ k (σ η + shift)² ds.
  [[nodiscard]] double yielded_square(int sign, double shift) const {
    return threshold_square + 2 * sign * shift * force + shift * shift * stiffness;
  }
  /// ∫ k (u0 + shift)² ds.
  [[nodiscard]] double initial_square_at(double shift) const {
    return initial_square + 2 * shift * initial + shift * shift * stiffness;
  }
};

/// The places of the cells of a slab.
struct CellGrid {
  std::int64_t count = 1;  ///< P
  Rule rule = Rule::right;

  /// The place of cell i, 0-based, as Slab::point has it.
  [[nodiscard]] double point(std::int64_t i) const {
    const double index = static_cast<double>(i) + (rule == Rule::right ? 1.0 : 0.5);
    return index / static_cast<double>(count);
  }
  /// The number of cells whose place is below s.
  [[nodiscard]] std::int64_t before(double s) const;
};

/// The four YieldSets as intervals of s: on a piece of [0, 1] where η - u0, η + u0 and η are
/// monotone, each ends where one of them is at its limit. Sums are integrals of
/// series that Gauss's rule gives; those over cells m, …, n of a smooth piece
///     δs Σ f(s_i) = ∫ f ds + δs/2 (f_m + f_n) + δs/12 (f_n - f_{n-1} - f_{m+1} + f_m)
/// from s_m to s_n, but for terms of order δs³: Gregory's formula. So nothing is tabulated that
/// grows with P. A look-up costs some 10 ns a piece, and 0.3 µs where a set ends within.
class IntervalSets {
 public:
  /// `spans`: of the slab; `scale`: what η is small or large against; `grid`: of its cells, none
  /// for P = ∞. Throws UserError where there are more than `most_pieces`. Local.
  IntervalSets(const Coefficients<base::Function>& functions, const std::vector<SmoothSpan>& spans,
               double scale, const std::optional<CellGrid>& grid, std::size_t most_pieces);

  /// Sums over each of the sets, by YieldSet. Local.
  [[nodiscard]] std::array<Integrals, 4> sums(const Excursion& excursion) const;
  /// Integrals over η ≤ r. Local.
  [[nodiscard]] Integrals integrals(double r) const;
  /// The sums where x is at the extreme in `direction`. Local.
  [[nodiscard]] OuterSums outer(const Excursion& excursion, int direction) const;
  /// The least growth > 0 of the extreme in `direction` up to where a set of P = ∞ ends in another
  /// piece, or infinity. Local.
  [[nodiscard]] double growth_to_break(const Excursion& excursion, int direction) const;
  /// The least r' > r where η begins or ends on a piece, or infinity. Local.
  [[nodiscard]] double next_break(double r) const;
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  /// Over [0, 1]. Local.
  [[nodiscard]] const Integrals& all() const { return all_; }
  /// The places where a limit, of the three of Excursion, is at a level, and where pieces end,
  /// appended. Local.
  void append_places(double Excursion::*limit, double level, std::vector<double>& places) const;
  void append_ends(std::vector<double>& places) const;

 private:
  using Functions = Coefficients<base::Function>;
  static constexpr int limits = 3;  // η - u0, η + u0, 2η, as in Excursion

  /// A limit at s.
  static double limit_at(const Functions& functions, int limit, double s);

  /// The end of a set in a piece.
  struct SetEnd {
    double order = 0.0;  ///< s, or the number of cells of the slab up to there
    double s = 0.0;
    Integrals moments;  ///< up to there
  };

  /// A part of [0, 1] with three monotone limits.
  class MonotoneInterval {
   public:
    /// A limit's values at both ends.
    struct Ends {
      double first;
      double last;
      [[nodiscard]] double least() const { return std::min(first, last); }
      [[nodiscard]] double most() const { return std::max(first, last); }
    };
    /// `nodes`: between which k, η and u0 are resolved; `ends`: of the limits; of a grid only the
    /// cells from `first_cell` to before `end_cell` count.
    MonotoneInterval(const Functions& functions, std::vector<double> nodes,
                     const std::array<Ends, limits>& ends, const std::optional<CellGrid>& grid,
                     std::int64_t first_cell, std::int64_t end_cell);

    /// Adds the sums over each set.
    void add(const Functions& functions, const Excursion& excursion,
             std::array<Integrals, 4>& sums) const;
    /// Adds those over η ≤ r.
    void add_below(const Functions& functions, double r, Integrals& sums) const;
    [[nodiscard]] double first() const { return nodes_.front(); }
    [[nodiscard]] double last() const { return nodes_.back(); }
    [[nodiscard]] Integrals total() const;
    /// The place inside where a limit is at a level, if there is one.
    [[nodiscard]] std::optional<SetEnd> root(const Functions& functions, int limit,
                                             double level) const;

   private:
    [[nodiscard]] bool ends_inside(int limit, double level) const {
      return level >= ends_[limit].least() && level < ends_[limit].most();
    }
    /// Integrands as series in Legendre's polynomials, times half the width of their interval.
    static constexpr std::size_t degrees = 10;
    using Series = std::array<Integrals, degrees>;
    static Series series_between(const Functions& functions, double first, double last);
    [[nodiscard]] Integrals integral_to(double s) const;
    /// The sums up to and with a cell.
    [[nodiscard]] SetEnd at_cell(const Functions& functions, std::int64_t cell) const;
    /// The last cell of the rising (or before the falling) part where a limit is at most a level.
    [[nodiscard]] std::int64_t last_cell(const Functions& functions, int limit, double level,
                                         double s) const;

    std::vector<double> nodes_;
    std::vector<Integrals> up_to_;  // integrals at the nodes
    std::vector<Series> series_;    // of the intervals between them
    std::array<Ends, limits> ends_;
    std::optional<CellGrid> grid_;
    std::int64_t first_cell_ = 0;
    std::int64_t end_cell_ = 0;
    SetEnd begin_;
    SetEnd end_;
  };

  using MonotoneLimits = std::array<std::vector<MonotonePiece>, limits>;
  /// The pieces of a span on which each limit is monotone; adds to breaks_ what a fine span shows.
  MonotoneLimits monotone_limits(const SmoothSpan& span, double scale);

  Functions functions_;
  std::vector<MonotoneInterval> pieces_;
  std::array<std::vector<double>, limits> breaks_;  // of each limit, increasing
  Integrals all_;
  bool is_continuum_;
};

}  // namespace masing::slab
