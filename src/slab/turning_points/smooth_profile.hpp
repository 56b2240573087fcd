#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <functional>
#include <vector>

#include "slab/problem.hpp"

namespace masing::slab {

/// ∫ f ds from `a` to `b` by Gauss-Kronrod, halved up to `halvings` times where f is not smooth;
/// over [-1, 1], because Boost compares an error over that with an integral over [a, b].
template <class F>
double integral(const F& f, double a, double b, unsigned halvings) {
  const double centre = (a + b) / 2;
  const double half = (b - a) / 2;
  const auto on_unit = [&f, centre, half](double t) { return f(centre + half * t); };
  return half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(on_unit, -1.0, 1.0,
                                                                              halvings, 1e-13);
}

/// A function of s on [0, 1].
using Density = std::function<double(double s)>;

/// f'(s). Local.
double slope_of(const base::Function& function, double s);

/// A part of [0, 1] on which the functions of a slab are smooth, in intervals on each of which they
/// are polynomials of degree 15 to rounding.
struct SmoothSpan {
  std::vector<double> nodes;  ///< ends of the intervals, at least two

  [[nodiscard]] double first() const { return nodes.front(); }
  [[nodiscard]] double last() const { return nodes.back(); }
  /// Whether there is more within than 64 uniform intervals show.
  [[nodiscard]] bool is_fine() const { return fine; }

  bool fine = false;
};

/// The spans of [0, 1] between the places where k, η or u0 is not smooth: jumps, kinks and
/// singular points, found to the last bit by interval bounds, with the nearest s on either side.
/// Throws UserError where there are too many, or a function varies too fast to be resolved. Local.
std::vector<SmoothSpan> smooth_spans(const Slab& slab);

/// The same, once plain ranges have found nothing that the intervals do not show; throws UserError
/// where they do. Local.
std::vector<SmoothSpan> checked_spans(const Slab& slab);

/// Places that show all that spans hold: 4097 uniform ones, ends of spans, four in each interval of
/// a fine one. Local.
std::vector<double> telling_places(const std::vector<SmoothSpan>& spans);

/// A piece of [0, 1] on which a function rises, falls or stays.
struct MonotonePiece {
  double first = 0.0;
  double last = 1.0;
  double value_at_first = 0.0;
  double value_at_last = 0.0;

  [[nodiscard]] bool is_flat() const { return value_at_first == value_at_last; }
};

/// The pieces of a span in order. What varies by less than rounding of `scale` from place to place
/// is flat. `slope`: of the function. Local.
std::vector<MonotonePiece> monotone_pieces(const Density& function, const Density& slope,
                                           const SmoothSpan& span, double scale);

}  // namespace masing::slab
