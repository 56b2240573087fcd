#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace masing {

/// ∫ f ds from `a` to `b` by Gauss-Kronrod, halved up to `halvings` times where f is not smooth.
/// Boost compares an error over [-1, 1] with an integral over [a, b]: it gets [-1, 1] to integrate.
template <class F>
double integral(const F& f, double a, double b, unsigned halvings) {
  const double centre = (a + b) / 2;
  const double half = (b - a) / 2;
  const auto on_unit = [&f, centre, half](double t) { return f(centre + half * t); };
  return half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(on_unit, -1.0, 1.0,
                                                                              halvings, 1e-13);
}

}  // namespace masing
