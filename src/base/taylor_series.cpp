#include "base/taylor_series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/limits.hpp"

namespace masing::base::taylor {

namespace {

/// Larger values become a scale.
constexpr double largest_unscaled = 0x1p300;

Enclosure point(double value) {
  return {value, value};
}

Series with_scale_of_size(Series f) {
  const double size = f.c[0].magnitude();
  if (!(size > largest_unscaled) || !f.c[0].is_finite()) {
    return f;
  }
  const int exponent = std::ilogb(size);
  f = scaled(point(std::ldexp(1.0, -exponent)), f);
  f.scale = f.scale + exponent * widened(std::log(2.0), std::log(2.0));
  return f;
}

/// eʳc, also where eʳ, `factor`, overflows or underflows and eʳc does not: then only a sign and a
/// bound of c are kept.
Enclosure resized(const Enclosure& c, const Enclosure& r, const Enclosure& factor) {
  constexpr double most = 700.0;
  if (r.low >= -most && r.high <= most) {
    return factor * c;
  }
  const double size = c.magnitude();
  if (size == 0.0 || std::isinf(size)) {
    return size == 0.0 ? c : everything();
  }
  const double logarithm = std::log(size);
  const double bound = exponential_of(point(r.high) + widened(logarithm, logarithm)).high;
  return {c.low >= 0.0 ? 0.0 : -bound, c.high <= 0.0 ? 0.0 : bound};
}

/// The same series with its c[k] times eʳ for an r in `ratio`, and another rate.
Series resized(Series f, const Enclosure& ratio, int rate) {
  const bool is_same = ratio.low == 0.0 && ratio.high == 0.0 && rate == f.rate;
  const Enclosure growth = (f.rate - rate) * widened(std::numbers::ln2, std::numbers::ln2);
  Enclosure r = ratio;
  Enclosure factor = exponential_of(r);
  for (int k = 0; k < f.terms && !is_same; ++k) {
    if (k > 0 && rate != f.rate) {
      r = ratio + k * growth;
      factor = exponential_of(r);
    }
    f.c[k] = resized(f.c[k], r, factor);
  }
  f.rate = rate;
  return f;
}

/// The same series with another scale and rate.
Series with_scale(const Series& f, const Enclosure& scale, int rate) {
  Series result = resized(f, f.scale + -scale, rate);
  result.scale = scale;
  return result;
}

/// Σ_j a_j b_{k-j}.
Series product(const Series& a, const Series& b) {
  if (a.rate != b.rate) {
    const int rate = std::max(a.rate, b.rate);
    return product(resized(a, {}, rate), resized(b, {}, rate));
  }
  Series f;
  f.terms = std::min(order + 1, a.terms + b.terms - 1);
  f.scale = a.scale + b.scale;
  f.rate = a.rate;
  f.known = std::min(a.known, b.known);
  for (int k = 0; k < f.terms; ++k) {
    for (int j = std::max(0, k - b.terms + 1); j <= std::min(k, a.terms - 1); ++j) {
      f.c[k] = f.c[k] + a.c[j] * b.c[k - j];
    }
  }
  return f;
}

/// The rate at which the coefficients of eᵘ do not overflow.
int rate_of(const Series& u) {
  constexpr double moderate = 0x1p30;
  int rate = 0;
  for (int k = 1; k < u.terms; ++k) {
    const double size = u.c[k].magnitude();
    if (size > moderate && std::isfinite(size)) {
      rate = std::max(rate, std::ilogb(size) / k + 1);
    }
  }
  return rate;
}

/// uᵖ for a u that is not negative.
Series fractional_power(const Series& u, double p) {
  const double low = std::pow(std::max(u.c[0].low, 0.0), p);
  const double high = std::pow(std::max(u.c[0].high, 0.0), p);
  Series f = made_from(u, widened(std::min(low, high), std::max(low, high)));
  f.scale = p * u.scale;
  f.rate = u.rate;
  const Known most = u.c[0].low > 0.0 ? Known::smooth : Known::defined;
  f.known = std::min({f.known, most, known_on({0.0, infinity}, u.c[0])});
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum;
    for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
      const Enclosure weight = static_cast<double>(j) * point(p) + point(j - k);
      sum = sum + weight * (u.c[j] * f.c[k - j]);
    }
    f.c[k] = (sum / u.c[0]) / k;
  }
  return f;
}

/// aᵇ for a ≥ 0 and b ≥ 0, monotone in each.
Enclosure power_of(const Enclosure& a, const Enclosure& b) {
  const auto [low, high] = std::minmax({std::pow(a.low, b.low), std::pow(a.low, b.high),
                                        std::pow(a.high, b.low), std::pow(a.high, b.high)});
  return widened(low, high);
}

Series whole_power(const Series& u, unsigned exponent) {
  if (exponent == 0) {
    return number(1.0);
  }
  Series f = u;
  for (unsigned bit = std::bit_floor(exponent) >> 1; bit > 0; bit >>= 1) {
    f = squared(f);
    if ((exponent & bit) != 0) {
      f = multiply(f, u);
    }
  }
  return f;
}

}  // namespace

Series constant(const Enclosure& value) {
  Series f;
  f.c[0] = value;
  return f;
}

Series number(double value) {
  return constant({value, value});
}

Series unscaled(Series f) {
  return f.is_scaled() ? with_scale(f, {}, 0) : f;
}

Known known_on(const Enclosure& domain, const Enclosure& x) {
  return domain.contains(x.low) && domain.contains(x.high) ? Known::smooth
         : x.high < domain.low || x.low > domain.high      ? Known::nowhere
                                                           : Known::partly;
}

Series made_from(const Series& u, const Enclosure& first) {
  Series f = constant(first);
  f.terms = u.terms == 1 ? 1 : order + 1;
  f.known = std::min(u.known, first.is_finite() ? Known::smooth : Known::partly);
  return f;
}

Enclosure integrated(const Series& u, const Series& c, int k) {
  Enclosure sum;
  for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
    sum = sum + static_cast<double>(j) * (u.c[j] * c.c[k - j]);
  }
  return sum / k;
}

Series negative(Series a) {
  for (int k = 0; k < a.terms; ++k) {
    a.c[k] = -a.c[k];
  }
  return a;
}

Series scaled(const Enclosure& factor, Series a) {
  for (int k = 0; k < a.terms; ++k) {
    a.c[k] = factor * a.c[k];
  }
  return a;
}

Series add(const Series& a, const Series& b) {
  // In the larger scale; where either may be the larger, in the largest value of both. So no
  // factor exceeds 1.
  const bool first_leads = b.scale.high <= a.scale.low;
  if (!first_leads && a.scale.high <= b.scale.low) {
    return add(b, a);
  }
  Series f = first_leads ? a : with_scale(a, point(std::max(a.scale.high, b.scale.high)), a.rate);
  const Series other = a.is_scaled() || b.is_scaled() ? with_scale(b, f.scale, f.rate) : b;
  f.terms = std::max(a.terms, b.terms);
  f.known = std::min(a.known, b.known);
  for (int k = 0; k < b.terms; ++k) {
    f.c[k] = f.c[k] + other.c[k];
  }
  return f;
}

Series multiply(const Series& a, const Series& b) {
  return with_scale_of_size(product(a, b));
}

Series squared(const Series& a) {
  Series f = product(a, a);
  f.c[0] = square_of(a.c[0]);
  return with_scale_of_size(f);
}

Series divide(const Series& a, const Series& b) {
  if (a.rate != b.rate) {
    const int rate = std::max(a.rate, b.rate);
    return divide(resized(a, {}, rate), resized(b, {}, rate));
  }
  Series f = made_from(b, a.c[0] / b.c[0]);
  f.terms = b.terms == 1 ? a.terms : order + 1;
  f.scale = a.scale + -b.scale;
  f.rate = a.rate;
  f.known = std::min(f.known, a.known);
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum = k < a.terms ? a.c[k] : Enclosure{};
    for (int j = 1; j <= std::min(k, b.terms - 1); ++j) {
      sum = sum + -(b.c[j] * f.c[k - j]);
    }
    f.c[k] = sum / b.c[0];
  }
  return f;
}

Series exponential(const Series& argument) {
  Series u = unscaled(argument);
  constexpr double moderate = 40.0;
  const bool large = u.c[0].magnitude() > moderate && u.c[0].is_finite();
  Series f = made_from(u, large ? Enclosure{1.0, 1.0} : exponential_of(u.c[0]));
  if (large) {
    f.scale = u.c[0];
    u = resized(u, {}, rate_of(u));
    f.rate = u.rate;
  }
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, f, k);
  }
  return f;
}

Series logarithm(const Series& u) {
  const bool positive = u.c[0].low > 0.0;
  Series f = made_from(
      u, positive ? widened(std::log(u.c[0].low), std::log(u.c[0].high)) + u.scale : everything());
  f.known = std::min(f.known, known_on({0.0, infinity}, u.c[0]));
  f.rate = u.rate;
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum;
    for (int j = std::max(1, k - u.terms + 1); j < k; ++j) {
      sum = sum + static_cast<double>(j) * (f.c[j] * u.c[k - j]);
    }
    f.c[k] = ((k < u.terms ? u.c[k] : Enclosure{}) + -(sum / k)) / u.c[0];
  }
  return f;
}

Series root(const Series& u) {
  return fractional_power(u, 0.5);
}

Series power(const Series& a, const Series& b) {
  const bool fixed =
      b.terms == 1 && b.c[0].low == b.c[0].high && !b.is_scaled() && b.known == Known::smooth;
  const double p = b.c[0].low;
  if (fixed && p == std::rint(p) && std::abs(p) <= 0x1p30) {
    const Series f = whole_power(a, static_cast<unsigned>(std::abs(p)));
    return p < 0.0 ? divide(number(1.0), f) : f;
  }
  if (fixed && p != std::rint(p)) {
    return fractional_power(a, p);
  }
  Series f = exponential(multiply(b, logarithm(a)));
  f.known =
      std::max(f.known, Known::partly);  // a whole b may have a value, and 1 to any power is 1
  if (a.c[0].low < 0.0) {
    f.c[0] = everything();
  } else if (!f.c[0].is_finite() && !a.is_scaled() && a.c[0].low >= 0.0 && b.c[0].low >= 0.0) {
    f.c[0] = power_of(a.c[0], unscaled(b).c[0]);
  }
  return f;
}

Series either(const Series& a, const Series& b) {
  const Series one = unscaled(a);
  const Series other = unscaled(b);
  Series f;
  f.terms = std::max(a.terms, b.terms);
  const Known least = std::max(a.known, b.known) == Known::nowhere ? Known::nowhere : Known::partly;
  f.known = std::clamp(std::min(a.known, b.known), least, Known::defined);
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = hull(one.c[k], other.c[k]);
  }
  return f;
}

}  // namespace masing::base::taylor
