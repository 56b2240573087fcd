#include "base/taylor_series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace masing::base::taylor {

namespace {

/// Larger values become a scale: powers of two, so that nothing is rounded.
constexpr double largest_unscaled = 0x1p300;

Series with_scale_of_size(Series f) {
  const double size = f.c[0].magnitude();
  if (!(size > largest_unscaled) || !f.c[0].is_finite()) {
    return f;
  }
  const int exponent = std::ilogb(size);
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = {std::ldexp(f.c[k].low, -exponent), std::ldexp(f.c[k].high, -exponent)};
  }
  f.scale = f.scale + exponent * widened(std::log(2.0), std::log(2.0));
  return f;
}

/// Σ_j a_j b_{k-j}.
Series product(const Series& a, const Series& b) {
  Series f;
  f.terms = std::min(order + 1, a.terms + b.terms - 1);
  f.scale = a.scale + b.scale;
  f.smooth = a.smooth && b.smooth;
  for (int k = 0; k < f.terms; ++k) {
    for (int j = std::max(0, k - b.terms + 1); j <= std::min(k, a.terms - 1); ++j) {
      f.c[k] = f.c[k] + a.c[j] * b.c[k - j];
    }
  }
  return f;
}

/// The same series with another scale.
Series with_scale(Series f, const Enclosure& scale) {
  const Enclosure ratio = f.scale + -scale;
  const Enclosure factor = exponential_of(ratio);
  // Coefficients that overflow are still below e⁵⁰⁰⁰⁰: 16 factors that are doubles.
  constexpr double vanishing = -50000.0;
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = ratio.high < vanishing ? Enclosure{-factor.high, factor.high} : factor * f.c[k];
  }
  f.scale = scale;
  return f;
}

/// uᵖ for a u that is not negative.
Series fractional_power(const Series& u, double p) {
  const double low = std::pow(std::max(u.c[0].low, 0.0), p);
  const double high = std::pow(std::max(u.c[0].high, 0.0), p);
  Series f = made_from(u, widened(std::min(low, high), std::max(low, high)));
  f.scale = p * u.scale;
  f.smooth = f.smooth && u.c[0].low > 0.0;
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum;
    for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
      sum = sum + (p * j - (k - j)) * (u.c[j] * f.c[k - j]);
    }
    f.c[k] = (1.0 / k) * (sum / u.c[0]);
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
  return f.is_scaled() ? with_scale(f, {}) : f;
}

Series made_from(const Series& u, const Enclosure& first) {
  Series f = constant(first);
  f.terms = u.terms == 1 ? 1 : order + 1;
  f.smooth = u.smooth && first.is_finite();
  return f;
}

Enclosure integrated(const Series& u, const Series& c, int k) {
  Enclosure sum;
  for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
    sum = sum + static_cast<double>(j) * (u.c[j] * c.c[k - j]);
  }
  return (1.0 / k) * sum;
}

Series negative(Series a) {
  for (int k = 0; k < a.terms; ++k) {
    a.c[k] = -a.c[k];
  }
  return a;
}

Series scaled(double factor, Series a) {
  for (int k = 0; k < a.terms; ++k) {
    a.c[k] = factor * a.c[k];
  }
  return a;
}

Series add(const Series& a, const Series& b) {
  if (b.scale.low > a.scale.low) {
    return add(b, a);
  }
  Series f = a;
  f.terms = std::max(a.terms, b.terms);
  f.smooth = a.smooth && b.smooth;
  const Series other = a.is_scaled() || b.is_scaled() ? with_scale(b, a.scale) : b;
  for (int k = 0; k < b.terms; ++k) {
    f.c[k] = a.c[k] + other.c[k];
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
  Series f = made_from(b, a.c[0] / b.c[0]);
  f.terms = b.terms == 1 ? a.terms : order + 1;
  f.scale = a.scale + -b.scale;
  f.smooth = f.smooth && a.smooth;
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
  const Series u = unscaled(argument);
  constexpr double moderate = 40.0;
  const bool large = u.c[0].magnitude() > moderate && u.c[0].is_finite();
  Series f = made_from(u, large ? Enclosure{1.0, 1.0} : exponential_of(u.c[0]));
  f.scale = large ? u.c[0] : Enclosure{};
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, f, k);
  }
  return f;
}

Series logarithm(const Series& u) {
  const bool positive = u.c[0].low > 0.0;
  Series f = made_from(
      u, positive ? widened(std::log(u.c[0].low), std::log(u.c[0].high)) + u.scale : everything());
  f.smooth = f.smooth && positive;
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum;
    for (int j = std::max(1, k - u.terms + 1); j < k; ++j) {
      sum = sum + static_cast<double>(j) * (f.c[j] * u.c[k - j]);
    }
    f.c[k] = ((k < u.terms ? u.c[k] : Enclosure{}) + (-1.0 / k) * sum) / u.c[0];
  }
  return f;
}

Series root(const Series& u) {
  return fractional_power(u, 0.5);
}

Series power(const Series& a, const Series& b) {
  const bool fixed = b.terms == 1 && b.c[0].low == b.c[0].high && !b.is_scaled();
  const double p = b.c[0].low;
  if (fixed && p == std::rint(p) && std::abs(p) <= 0x1p30) {
    const Series f = whole_power(a, static_cast<unsigned>(std::abs(p)));
    return p < 0.0 ? divide(number(1.0), f) : f;
  }
  if (fixed) {
    return fractional_power(a, p);
  }
  Series f = exponential(multiply(b, logarithm(a)));
  if (!f.c[0].is_finite() && !a.is_scaled() && a.c[0].low >= 0.0 && b.c[0].low >= 0.0) {
    f.c[0] = power_of(a.c[0], unscaled(b).c[0]);
  }
  return f;
}

Series either(const Series& a, const Series& b) {
  const Series one = unscaled(a);
  const Series other = unscaled(b);
  Series f;
  f.terms = std::max(a.terms, b.terms);
  f.smooth = false;
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = hull(one.c[k], other.c[k]);
  }
  return f;
}

}  // namespace masing::base::taylor
