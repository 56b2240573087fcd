#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "slab/problem.hpp"
#include "slab/turning_points/smooth_profile.hpp"
#include "slab/turning_points/yield_sets.hpp"

namespace masing::slab {

/// Integrals over a part of [0, 1].
struct Moments {
  double stiffness = 0.0;         ///< ∫ k ds
  double force = 0.0;             ///< ∫ k η ds
  double initial = 0.0;           ///< ∫ k u0 ds
  double threshold_square = 0.0;  ///< ∫ k η² ds
  double initial_square = 0.0;    ///< ∫ k u0² ds
  double load = 0.0;              ///< ∫ k c ds
  double load_force = 0.0;        ///< ∫ k c η ds
  double load_initial = 0.0;      ///< ∫ k c u0 ds

  /// Adds `weight` times others. Local.
  void add(double weight, const Moments& other);
  /// ∫ k (σ η + shift)² ds.
  [[nodiscard]] double yielded_square(int sign, double shift) const {
    return threshold_square + 2 * sign * shift * force + shift * shift * stiffness;
  }
  /// ∫ k (u0 + shift)² ds.
  [[nodiscard]] double initial_square_at(double shift) const {
    return initial_square + 2 * shift * initial + shift * shift * stiffness;
  }
};

/// The four YieldSets of the continuous slab, as intervals of s: on a piece of [0, 1] where η - u0,
/// η + u0 and η are monotone, each ends where one of them is at its limit. Integrals up to there
/// are by Gauss's rule, from the last node of the piece. A look-up costs some µs a piece. Not for
/// concurrent use.
class ContinuousSets {
 public:
  /// `spans`: of the slab; `scale`: what η is small or large against. Throws UserError where there
  /// are too many pieces. Local.
  ContinuousSets(const Slab& slab, const std::vector<SmoothSpan>& spans, double scale);

  /// Integrals over each of the sets, by YieldSet. Local.
  [[nodiscard]] std::array<Moments, 4> integrals(const Extremes& extremes) const;
  /// The sums where x is at the extreme in `direction`. Local.
  [[nodiscard]] OuterSums outer(const Extremes& extremes, int direction) const;
  /// The least growth > 0 of the extreme in `direction` up to where the sums are not smooth, or
  /// infinity. Local.
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction) const;
  /// Over [0, 1]. Local.
  [[nodiscard]] Moments total() const;

 private:
  using Functions = Columns<base::Function>;
  static constexpr int limits = 3;  // η - u0, η + u0, 2η, as in Extremes

  /// A place in a piece, and the integrals up to it.
  struct Place {
    double s = 0.0;
    Moments moments;
  };

  /// A part of [0, 1] with three monotone limits.
  class Piece {
   public:
    struct Ends {
      double first;
      double last;
      [[nodiscard]] double least() const { return std::min(first, last); }
      [[nodiscard]] double most() const { return std::max(first, last); }
    };
    /// `nodes`: between which k, η and u0 are resolved; `ends`: of the limits.
    Piece(const Functions& functions, std::vector<double> nodes,
          const std::array<Ends, limits>& ends);

    /// Adds the integrals over each set.
    void add(const Functions& functions, const Extremes& extremes,
             std::array<Moments, 4>& sums) const;
    [[nodiscard]] const Ends& ends(int limit) const { return ends_[limit]; }
    [[nodiscard]] const std::vector<double>& nodes() const { return nodes_; }
    [[nodiscard]] const Moments& total() const { return up_to_.back(); }
    /// The place inside where a limit is at a level, if there is one.
    [[nodiscard]] const Place* root(const Functions& functions, int limit, double level) const;

   private:
    struct Root {
      bool known = false;
      double level = 0.0;
      Place place;
    };

    std::vector<double> nodes_;
    std::vector<Moments> up_to_;  // at the nodes
    std::array<Ends, limits> ends_;
    mutable std::array<Root, limits> roots_;
  };

  Functions functions_;
  std::vector<Piece> pieces_;
  std::array<std::vector<double>, limits> breaks_;  // of each limit, increasing
};

}  // namespace masing::slab
