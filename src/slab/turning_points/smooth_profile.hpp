#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <functional>
#include <span>
#include <vector>

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

/// The places in (0, 1) where the slope of `function` jumps, increasing: `known` ones, and those
/// that a search on a grid of 1024 cells finds and extrapolation from both sides pins down to some
/// 1e-14. Jumps below about 1e-6 of the steepest slope are not found. Local.
std::vector<double> kinks(const Density& function, std::span<const double> known);

/// A piece of [0, 1] on which a function rises, falls or stays.
struct MonotonePiece {
  double first = 0.0;
  double last = 1.0;
  double value_at_first = 0.0;
  double value_at_last = 0.0;

  [[nodiscard]] bool is_flat() const { return value_at_first == value_at_last; }
};

/// The pieces of [0, 1] in order, split also at `breaks` (increasing, in (0, 1)). What varies by
/// less than rounding of `scale` from cell to cell is flat. Local.
std::vector<MonotonePiece> monotone_pieces(const Density& function, std::span<const double> breaks,
                                           double scale);

}  // namespace masing::slab
