#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/poll.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

/// Integrals over a monotone piece of η by quadrature.
namespace masing::slab {

/// ∫ f ds between a and b, in whichever order they come, by Gauss-Kronrod, halved up to `halvings`
/// times where f is not smooth; over [-1, 1], because Boost compares an error over that with an
/// integral over [a, b].
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

/// ∫ k ds and ∫ k θ ds over the part of a monotone piece where θ(s) ≤ r.
class PieceIntegrals {
 public:
  /// `span`: what the piece is a part of.
  PieceIntegrals(const MonotonePiece& piece, const SmoothSpan& span, const Density& threshold,
                 const Density& stiffness)
      : piece_(piece), fine_(span.fine), threshold_(&threshold), stiffness_(&stiffness) {
    if (fine_) {
      const auto& all = span.nodes;
      const auto begin = std::ranges::upper_bound(all, piece_.first);
      // Not before it, where a piece is a single node.
      nodes_.assign(begin, std::ranges::lower_bound(begin, all.end(), piece_.last));
      nodes_.insert(nodes_.begin(), piece_.first);
      nodes_.push_back(piece_.last);
    }
    // Let `first` be the lowest end, so that last < first where θ falls.
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

  [[nodiscard]] double lowest() const { return piece_.value_at_first; }
  [[nodiscard]] double highest() const { return piece_.value_at_last; }
  /// Over the whole piece.
  [[nodiscard]] Sums total() const { return up_to_.back(); }
  /// The s with θ(s) = r, the nearest end where there is none.
  [[nodiscard]] double place_of(double r) const {
    if (r <= lowest() || r >= highest()) {
      return r <= lowest() ? piece_.first : piece_.last;
    }
    const bool rises = piece_.first < piece_.last;
    return root_between([&](double s) { return (*threshold_)(s)-r; },
                        std::min(piece_.first, piece_.last), std::max(piece_.first, piece_.last),
                        (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r);
  }
  /// From the end where θ is lowest to `s`.
  [[nodiscard]] Sums below_place(double s) const {
    const std::size_t i = interval_of(s);
    Sums sums = up_to_[i];
    return sums += over_interval(nodes_[i], s);  // the node may lie beyond s by rounding only
  }
  /// ∫ k ds between two places, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double stiffness_between(double s, double s_next) const {
    return over(*stiffness_, s, s_next);
  }
  /// ∫ k (r - θ) ds between two places where θ ≤ r, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double shortfall_between(double s, double s_next, double r) const {
    return over([&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); }, s, s_next);
  }
  /// k at a place, if the span is fine; else 0.
  [[nodiscard]] double fine_stiffness_at(double s) const { return fine_ ? (*stiffness_)(s) : 0.0; }
  /// θ where more happens within the piece than a few samples show: between the intervals of a fine
  /// span, if there are many.
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

  /// Between two places in one interval, or what is in it of an undetected kink.
  [[nodiscard]] Sums over_interval(double a, double b) const {
    constexpr unsigned deepest = 6;  // halvings
    const auto moment = [&](double s) { return (*stiffness_)(s) * (*threshold_)(s); };
    return {between(*stiffness_, a, b, deepest), between(moment, a, b, deepest)};
  }

  /// The first node from the lowest end that `s` is not beyond, less one.
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

  /// ∫ f over what lies between two places.
  template <class F>
  [[nodiscard]] double over(const F& f, double s, double s_next) const {
    if (!fine_) {
      return between(f, s, s_next, 0);
    }
    // Seven points are enough for a polynomial of degree 13 in part of an interval.
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
  std::vector<double> nodes_;  // from the lowest end to the highest
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // at the nodes
};

}  // namespace masing::slab
