#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/poll.hpp"
#include "base/roots.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

/// Integrals over a monotone piece of a threshold θ(s), by quadrature.
namespace masing::slab {

/// Returns ∫ f ds over the interval between a and b, computed by Gauss-Kronrod quadrature. If a >
/// b, the result is still the integral from b to a. Where f is not smooth the interval is bisected,
/// up to `halvings` times. The integral is transformed to [-1, 1]: for another interval [a, b],
/// Boost would compare an error estimate for [-1, 1] with the integral over [a, b]. Local.
template <class F>
double between(const F& f, double a, double b, unsigned halvings) {
  if (a == b) {
    return 0.0;
  }
  const double centre = (a + b) / 2;
  const double half = std::abs(b - a) / 2;
  const auto on_unit = [&f, centre, half](double t) { return f(centre + half * t); };
  return half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(on_unit, -1.0, 1.0,
                                                                              halvings, 1e-13);
}

/// ∫ k ds and ∫ k θ ds over the part of a piece where θ(s) ≤ r. On the piece, θ must be monotone.
class PieceIntegrals {
 public:
  /// Computes the integrals from the end where θ is lowest to each node of the piece. `span` is the
  /// span that contains the piece. The functions θ = `threshold` and k = `stiffness` must outlive
  /// the object.
  PieceIntegrals(const MonotonePiece& piece, const SmoothSpan& span, const Density& threshold,
                 const Density& stiffness)
      : piece_(piece), fine_(span.fine), threshold_(&threshold), stiffness_(&stiffness) {
    if (fine_) {
      const auto& all = span.nodes;
      const auto begin = std::ranges::upper_bound(all, piece_.first);
      // The search for the end starts at `begin`: if the piece begins and ends at the same node, it
      // must not find a node before `begin`.
      nodes_.assign(begin, std::ranges::lower_bound(begin, all.end(), piece_.last));
      nodes_.insert(nodes_.begin(), piece_.first);
      nodes_.push_back(piece_.last);
    }
    // From here on `first` is the end where θ is lowest, so that last < first where θ falls.
    if (piece_.value_at_last < piece_.value_at_first) {
      std::swap(piece_.first, piece_.last);
      std::swap(piece_.value_at_first, piece_.value_at_last);
      std::ranges::reverse(nodes_);
    }
    for (int i = 0; !fine_ && i <= intervals; ++i) {
      const double width = (piece_.last - piece_.first) / intervals;
      nodes_.push_back(i == intervals ? piece_.last : piece_.first + i * width);
    }
    up_to_.push_back({});
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      base::poll();
      Sums part = over_interval(nodes_[i - 1], nodes_[i]);
      if (piece.is_flat()) {
        part.force = part.stiffness * piece.value_at_first;
      }
      up_to_.push_back(up_to_.back());
      up_to_.back() += part;
    }
  }

  /// Returns the least θ on the piece.
  [[nodiscard]] double lowest() const { return piece_.value_at_first; }
  /// Returns the largest θ on the piece.
  [[nodiscard]] double highest() const { return piece_.value_at_last; }
  /// Returns the integrals over the whole piece.
  [[nodiscard]] Sums total() const { return up_to_.back(); }
  /// Returns the s with θ(s) = r or, if the piece has none, the end of the piece where θ is nearest
  /// to r.
  [[nodiscard]] double place_of(double r) const {
    if (r <= lowest() || r >= highest()) {
      return r <= lowest() ? piece_.first : piece_.last;
    }
    const bool rises = piece_.first < piece_.last;
    return base::root([&](double s) { return (*threshold_)(s)-r; },
                      std::min(piece_.first, piece_.last), std::max(piece_.first, piece_.last),
                      (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r);
  }
  /// Returns the integrals from the end where θ is lowest to `s`.
  [[nodiscard]] Sums below_place(double s) const {
    const std::size_t i = interval_of(s);
    Sums sums = up_to_[i];
    return sums += over_interval(nodes_[i], s);  // rounding may place the node beyond s
  }
  /// Returns ∫ k ds between two places of the piece, which is ≥ 0; k must be smooth between the
  /// places.
  [[nodiscard]] double stiffness_between(double s, double s_next) const {
    return over(*stiffness_, s, s_next);
  }
  /// Returns ∫ k (r - θ) ds between two places of the piece where θ ≤ r, which is ≥ 0; k and θ must
  /// be smooth between the places.
  [[nodiscard]] double shortfall_between(double s, double s_next, double r) const {
    return over([&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); }, s, s_next);
  }
  /// Returns k(s) if the span is fine (SmoothSpan::fine), or else 0.
  [[nodiscard]] double fine_stiffness_at(double s) const { return fine_ ? (*stiffness_)(s) : 0.0; }
  /// Returns the values of θ at the inner nodes of the piece if the span is fine and the piece has
  /// more than four intervals, and otherwise an empty vector. A few samples of such a piece would
  /// not show how the functions vary.
  [[nodiscard]] std::vector<double> inner_values() const {
    constexpr std::size_t few = 4;
    std::vector<double> values;
    for (std::size_t i = 1; fine_ && nodes_.size() > few + 1 && i + 1 < nodes_.size(); ++i) {
      values.push_back((*threshold_)(nodes_[i]));
    }
    return values;
  }

 private:
  static constexpr int intervals = 64;

  /// Returns the integrals between two places in one interval. The quadrature bisects the interval
  /// if necessary, so that the integrals are accurate even if a kink was not detected.
  [[nodiscard]] Sums over_interval(double a, double b) const {
    constexpr unsigned deepest = 6;  // the largest number of bisections
    const auto moment = [&](double s) { return (*stiffness_)(s) * (*threshold_)(s); };
    return {between(*stiffness_, a, b, deepest), between(moment, a, b, deepest)};
  }

  /// Returns the index of the interval between nodes that contains `s`.
  [[nodiscard]] std::size_t interval_of(double s) const {
    if (fine_) {
      const auto beyond = piece_.first < piece_.last
                              ? std::ranges::upper_bound(nodes_, s)
                              : std::ranges::upper_bound(nodes_, s, std::ranges::greater());
      return static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(beyond - nodes_.begin() - 1, 0, std::ssize(nodes_) - 2));
    }
    const double share = (s - piece_.first) / (piece_.last - piece_.first);
    return static_cast<std::size_t>(
        std::clamp(static_cast<int>(share * intervals), 0, intervals - 1));
  }

  /// Returns ∫ f ds between two places.
  template <class F>
  [[nodiscard]] double over(const F& f, double s, double s_next) const {
    if (!fine_) {
      return between(f, s, s_next, 0);
    }
    // Gauss's rule with seven points suffices, because it is applied to each interval separately,
    // and on one interval the functions hardly differ from polynomials (SmoothSpan).
    using Legendre = boost::math::quadrature::gauss<double, 7>;
    const std::size_t last = interval_of(s_next);
    double sum = 0.0;
    for (std::size_t i = interval_of(s); i <= last; ++i) {
      const double next = i == last ? s_next : nodes_[i + 1];
      const double half = 0.5 * std::abs(next - s);
      const double centre = 0.5 * (s + next);
      sum += half == 0.0
                 ? 0.0
                 : half * Legendre::integrate([&](double t) { return f(centre + half * t); });
      s = next;
    }
    return sum;
  }

  MonotonePiece piece_;
  bool fine_;
  // The ends of the intervals, from the end of the piece where θ is lowest to the other end.
  std::vector<double> nodes_;
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // the integrals from the end where θ is lowest to each node
};

}  // namespace masing::slab
