#pragma once

#include <array>

#include "base/enclosure.hpp"

namespace masing::base::taylor {

/// The degree of the last coefficient.
constexpr int order = 16;

/// What is known of a function on an interval, from the least to the most.
enum class Known {
  nowhere,  ///< it is certainly undefined all over
  partly,   ///< it may be undefined somewhere
  defined,  ///< it is defined all over
  smooth    ///< and no jump, kink or pole can lie within
};

/// Enclosures of Taylor coefficients on an interval I: for every t in I there is an l in `scale`
/// with f⁽ᵏ⁾(t)/k! in eˡ 2^(k rate) c[k] for all k. A scale other than 0 stands for what a double
/// cannot, as in 1/cosh(u)² for a large u, a rate for a steep u; the c[k] are then those of a
/// function of moderate size. Source: R. E. Moore, Methods and Applications of Interval Analysis,
/// SIAM 1979, §3.4.
struct Series {
  std::array<Enclosure, order + 1> c{};
  int terms = 1;  ///< c[k] = 0 from here on
  Enclosure scale;
  int rate = 0;
  Known known = Known::smooth;  ///< of f on I; the c[k] are those of where it is defined

  [[nodiscard]] bool is_scaled() const {
    return scale.low != 0.0 || scale.high != 0.0 || rate != 0;
  }
};

/// A constant that is known to lie in `value`.
Series constant(const Enclosure& value);
/// The constant `value`.
Series number(double value);
/// The same series with scale 0 and rate 0.
Series unscaled(Series f);
/// What is known on `x` of a function that is smooth on `domain` and undefined elsewhere.
Known known_on(const Enclosure& domain, const Enclosure& x);
/// A series of u whose value is `first`, its other coefficients still to be found: of all terms, or
/// of one where `u` is constant.
Series made_from(const Series& u, const Enclosure& first);
/// Σ_{j=1..k} j u_j c_{k-j} / k, k ≥ 1: the k-th coefficient of ∫ u′c dt. Both of one rate.
Enclosure integrated(const Series& u, const Series& c, int k);

Series negative(Series a);
Series scaled(const Enclosure& factor, Series a);
Series add(const Series& a, const Series& b);
Series multiply(const Series& a, const Series& b);
Series squared(const Series& a);
/// Not smooth where b may be 0.
Series divide(const Series& a, const Series& b);
/// eᵘ.
Series exponential(const Series& u);
/// ln u; neither smooth nor defined where u may not be positive.
Series logarithm(const Series& u);
/// √u; not smooth where u may not be positive.
Series root(const Series& u);
/// aᵇ, b < 0 and a = 0 being a pole; for a b that is no whole number not smooth where a may not be
/// positive, nor defined where a may be negative.
Series power(const Series& a, const Series& b);
/// All cases of an undecided function, not smooth.
Series either(const Series& a, const Series& b);

}  // namespace masing::base::taylor
