#include "base/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/limits.hpp"

namespace masing::base {

namespace {

constexpr double pi = std::numbers::pi;
constexpr Enclosure everywhere{-infinity, infinity};
constexpr Enclosure from_0{0.0, infinity};
constexpr Enclosure unit{-1.0, 1.0};

Enclosure point(double value) {
  return {value, value};
}

/// The real number that `value` is the rounding of.
Enclosure about(double value) {
  return widened(value, value);
}

Series number(double value) {
  return Series(point(value));
}

/// {f(x) : x in u} of a nondecreasing library function.
Enclosure rising(double (*f)(double), const Enclosure& u) {
  return widened(f(u.low), f(u.high));
}

Series times(const Enclosure& factor, Series f) {
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = factor * f.c[k];
  }
  return f;
}

Series negative(Series f) {
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = -f.c[k];
  }
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
  const double bound = exponential_of(point(r.high) + about(std::log(size))).high;
  return {c.low >= 0.0 ? 0.0 : -bound, c.high <= 0.0 ? 0.0 : bound};
}

/// The same series with its c[k] times eʳ for an r in `ratio`, and another rate.
Series resized(Series f, const Enclosure& ratio, int rate) {
  const bool is_same = ratio.magnitude() == 0.0 && rate == f.rate;
  const Enclosure growth = (f.rate - rate) * about(std::numbers::ln2);
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

Series unscaled(const Series& f) {
  return f.is_scaled() ? with_scale(f, {}, 0) : f;
}

/// The same with a scale that takes large values.
Series moderated(Series f) {
  constexpr double large = 0x1p300;
  const double size = f.c[0].magnitude();
  if (!(size > large) || !f.c[0].is_finite()) {
    return f;
  }
  const int exponent = std::ilogb(size);
  f = times(point(std::ldexp(1.0, -exponent)), f);
  f.scale = f.scale + exponent * about(std::numbers::ln2);
  return f;
}

/// What is known on `x` of a function that is smooth on `domain` and undefined elsewhere.
Known known_on(const Enclosure& domain, const Enclosure& x) {
  return domain.contains(x.low) && domain.contains(x.high) ? Known::smooth : Known::partly;
}

/// A series of u whose value is `first`, its other coefficients still to be found: of all terms, or
/// of one where `u` is constant.
Series made_from(const Series& u, const Enclosure& first) {
  Series f(first);
  f.terms = u.terms == 1 ? 1 : taylor_order + 1;
  f.known = std::min(u.known, first.is_finite() ? Known::smooth : Known::partly);
  return f;
}

/// Σ_{j=1..k} j u_j c_{k-j} / k, k ≥ 1: the k-th coefficient of ∫ u′c dt. Both of one rate.
Enclosure integrated(const Series& u, const Series& c, int k) {
  Enclosure sum{};
  for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
    sum = sum + static_cast<double>(j) * (u.c[j] * c.c[k - j]);
  }
  return sum / k;
}

/// In the larger scale; where either may be the larger, in the largest value of both. So no factor
/// exceeds 1.
Series add(const Series& a, const Series& b) {
  const bool first_leads = b.scale.high <= a.scale.low;
  if (!first_leads && a.scale.high <= b.scale.low) {
    return add(b, a);
  }
  Series f = first_leads ? a : with_scale(a, point(std::max(a.scale.high, b.scale.high)), a.rate);
  const Series other = a.is_scaled() || b.is_scaled() ? with_scale(b, f.scale, f.rate) : b;
  f.terms = std::max(a.terms, b.terms);
  f.known = std::min(a.known, b.known);
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = k >= b.terms ? f.c[k] : k >= a.terms ? other.c[k] : f.c[k] + other.c[k];
  }
  return f;
}

Series product(const Series& a, const Series& b) {
  if (a.rate != b.rate) {
    const int rate = std::max(a.rate, b.rate);
    return product(resized(a, {}, rate), resized(b, {}, rate));
  }
  Series f({});
  f.rate = a.rate;
  f.terms = std::min(taylor_order + 1, a.terms + b.terms - 1);
  f.scale = a.scale + b.scale;
  f.known = std::min(a.known, b.known);
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = {};
    for (int j = std::max(0, k - b.terms + 1); j <= std::min(k, a.terms - 1); ++j) {
      f.c[k] = f.c[k] + a.c[j] * b.c[k - j];
    }
  }
  return f;
}

Series multiply(const Series& a, const Series& b) {
  return moderated(product(a, b));
}

Series squared(const Series& a) {
  Series f = product(a, a);
  f.c[0] = square_of(a.c[0]);
  return moderated(f);
}

/// Not smooth where b may be 0.
Series divide(const Series& a, const Series& b) {
  if (a.rate != b.rate) {
    const int rate = std::max(a.rate, b.rate);
    return divide(resized(a, {}, rate), resized(b, {}, rate));
  }
  Series f = made_from(b, a.c[0] / b.c[0]);
  f.terms = b.terms == 1 ? a.terms : taylor_order + 1;
  f.scale = a.scale + -b.scale;
  f.rate = a.rate;
  f.known = std::min(f.known, a.known);
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum = a.coefficient(k);
    for (int j = 1; j <= std::min(k, b.terms - 1); ++j) {
      sum = sum + -(b.c[j] * f.c[k - j]);
    }
    f.c[k] = sum / b.c[0];
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

Series exponential(const Series& argument) {
  Series u = unscaled(argument);
  constexpr double moderate = 40.0;
  const bool is_large = u.c[0].magnitude() > moderate && u.c[0].is_finite();
  Series f = made_from(u, is_large ? point(1.0) : exponential_of(u.c[0]));
  if (is_large) {
    f.scale = u.c[0];
    u = resized(u, {}, rate_of(u));
    f.rate = u.rate;
  }
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, f, k);
  }
  return f;
}

/// Neither smooth nor defined where u may not be positive.
Series logarithm(const Series& u) {
  const Enclosure& x = u.c[0];
  Series f = made_from(u, x.low > 0.0 ? rising(std::log, x) + u.scale : everything());
  f.known = std::min(f.known, known_on(from_0, x));
  f.rate = u.rate;
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum{};
    for (int j = std::max(1, k - u.terms + 1); j < k; ++j) {
      sum = sum + static_cast<double>(j) * (f.c[j] * u.c[k - j]);
    }
    f.c[k] = (u.coefficient(k) + -(sum / k)) / x;
  }
  return f;
}

/// uᵖ for a u that is not negative.
Series fractional_power(const Series& u, double p) {
  const double low = std::pow(std::max(u.c[0].low, 0.0), p);
  const double high = std::pow(std::max(u.c[0].high, 0.0), p);
  Series f = made_from(u, widened(std::min(low, high), std::max(low, high)));
  f.scale = p * u.scale;
  f.rate = u.rate;
  const Known most = u.c[0].low > 0.0 ? Known::smooth : Known::defined;
  f.known = std::min({f.known, most, known_on(from_0, u.c[0])});
  for (int k = 1; k < f.terms; ++k) {
    Enclosure sum{};
    for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
      const Enclosure weight = static_cast<double>(j) * point(p) + point(j - k);
      sum = sum + weight * (u.c[j] * f.c[k - j]);
    }
    f.c[k] = (sum / u.c[0]) / k;
  }
  return f;
}

Series root(const Series& u) {
  return fractional_power(u, 0.5);
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

/// aᵇ; of a = 0 and b < 0 a pole.
Series power(const Series& a, const Series& b) {
  const bool is_fixed =
      b.terms == 1 && b.c[0].low == b.c[0].high && !b.is_scaled() && b.known == Known::smooth;
  const double p = b.c[0].low;
  if (is_fixed && p == std::rint(p) && std::abs(p) <= 0x1p30) {
    const Series f = whole_power(a, static_cast<unsigned>(std::abs(p)));
    return p < 0.0 ? divide(number(1.0), f) : f;
  }
  if (is_fixed && p != std::rint(p)) {
    return fractional_power(a, p);
  }
  Series f = exponential(multiply(b, logarithm(a)));
  if (a.c[0].low < 0.0) {
    f.c[0] = everything();
  } else if (!f.c[0].is_finite() && !a.is_scaled() && b.c[0].low >= 0.0) {
    // Monotone in each.
    const Enclosure& x = a.c[0];
    const Enclosure y = unscaled(b).c[0];
    const auto [low, high] = std::minmax({std::pow(x.low, y.low), std::pow(x.low, y.high),
                                          std::pow(x.high, y.low), std::pow(x.high, y.high)});
    f.c[0] = widened(low, high);
  }
  return f;
}

/// All cases of an undecided function, not smooth.
Series either(const Series& a, const Series& b) {
  const Series one = unscaled(a);
  const Series other = unscaled(b);
  Series f({});
  f.terms = std::max(a.terms, b.terms);
  f.known = std::min({a.known, b.known, Known::defined});
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = hull(one.coefficient(k), other.coefficient(k));
  }
  return f;
}

/// Of sin(x + shift·π/2), over an interval.
Enclosure sine_of(const Enclosure& x, double shift) {
  if (!(x.high - x.low < 2 * pi)) {
    return {-1.0, 1.0};
  }
  const auto at = [&](double value) { return shift == 0.0 ? std::sin(value) : std::cos(value); };
  // Whether a place with phase (in turns) lies within, widened by rounding.
  const auto holds = [&](double phase) {
    const double slack = 4 * epsilon * (1.0 + x.magnitude());
    return std::floor((x.high + slack) / (2 * pi) - phase) >
           std::floor((x.low - slack) / (2 * pi) - phase);
  };
  const Enclosure ends = widened(std::min(at(x.low), at(x.high)), std::max(at(x.low), at(x.high)));
  return {holds(0.75 - 0.25 * shift) ? -1.0 : std::max(ends.low, -1.0),
          holds(0.25 - 0.25 * shift) ? 1.0 : std::min(ends.high, 1.0)};
}

std::array<Series, 2> sine_and_cosine(const Series& argument) {
  const Series u = unscaled(argument);
  Series s = made_from(u, sine_of(u.c[0], 0.0));
  Series c = made_from(u, sine_of(u.c[0], 1.0));
  for (int k = 1; k < s.terms; ++k) {
    s.c[k] = integrated(u, c, k);
    c.c[k] = -integrated(u, s, k);
  }
  return {s, c};
}

Series sine(const Series& u) {
  return u.terms == 1 ? made_from(u, sine_of(unscaled(u).c[0], 0.0)) : sine_and_cosine(u)[0];
}

Series cosine(const Series& u) {
  return u.terms == 1 ? made_from(u, sine_of(unscaled(u).c[0], 1.0)) : sine_and_cosine(u)[1];
}

Series tangent(const Series& u) {
  const auto [s, c] = sine_and_cosine(u);
  return divide(s, c);
}

/// A nondecreasing library function f of u, defined on `domain`, with f′ = u′/denominator.
Series by_slope(double (*f)(double), const Enclosure& domain, const Series& u,
                const Series& denominator) {
  const auto inside = [&](double value) { return std::clamp(value, domain.low, domain.high); };
  const Series reciprocal = unscaled(divide(number(1.0), denominator));
  Series result = made_from(u, rising(f, {inside(u.c[0].low), inside(u.c[0].high)}));
  result.known = std::min(
      {result.known, std::max(reciprocal.known, Known::defined), known_on(domain, u.c[0])});
  for (int k = 1; k < result.terms; ++k) {
    result.c[k] = integrated(u, reciprocal, k);
  }
  return result;
}

/// 1 + factor·u².
Series one_and_square(double factor, const Series& u) {
  return add(number(1.0), factor < 0.0 ? negative(squared(u)) : squared(u));
}

Series arc_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::asin, unit, u, root(one_and_square(-1.0, u)));
}

Series arc_cosine(const Series& u) {
  return add(Series(about(0.5 * pi)), negative(arc_sine(u)));
}

Series arc_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::atan, everywhere, u, one_and_square(1.0, u));
}

Series area_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::asinh, everywhere, u, root(one_and_square(1.0, u)));
}

Series area_cosine(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::acosh, {1.0, infinity}, u, root(add(squared(u), number(-1.0))));
}

Series area_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::atanh, unit, u, one_and_square(-1.0, u));
}

/// By arcs of y/x or x/y; on the cut, x ≤ 0 and y = 0, and what may be on both sides of it, any
/// angle.
Series arc_tangent_2(const Series& y, const Series& x) {
  if (x.c[0].low > 0.0) {
    return arc_tangent(divide(y, x));
  }
  if (y.c[0].low > 0.0 || y.c[0].high < 0.0) {
    const double quarter = y.c[0].low > 0.0 ? 0.5 * pi : -0.5 * pi;
    return add(Series(about(quarter)), negative(arc_tangent(divide(x, y))));
  }
  Series f(widened(-pi, pi));
  std::fill(f.c.begin() + 1, f.c.end(), everything());
  f.terms = taylor_order + 1;
  f.known = std::min({x.known, y.known, Known::defined});
  return f;
}

Series hyperbolic_sine(const Series& u) {
  return times(point(0.5), add(exponential(u), negative(exponential(negative(u)))));
}

Series hyperbolic_cosine(const Series& u) {
  return times(point(0.5), add(exponential(u), exponential(negative(u))));
}

Series hyperbolic_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  if (u.c[0].high < 0.0) {
    return negative(hyperbolic_tangent(negative(u)));
  }
  const Series q = exponential(times(point(-2.0), u));
  Series f = unscaled(divide(add(number(1.0), negative(q)), add(number(1.0), q)));
  f.c[0] = rising(std::tanh, u.c[0]);
  return f;
}

Series absolute(const Series& u) {
  if (u.c[0].low >= 0.0) {
    return u;
  }
  if (u.c[0].high <= 0.0) {
    return negative(u);
  }
  Series f = either(u, negative(u));
  f.c[0].low = 0.0;
  return f;
}

Series smaller(const Series& first, const Series& second) {
  const Series a = unscaled(first);
  const Series b = unscaled(second);
  if (std::min(a.known, b.known) < Known::defined) {
    return either(a, b);
  }
  Series f = a.c[0].high <= b.c[0].low ? a : b.c[0].high <= a.c[0].low ? b : either(a, b);
  f.c[0] = {std::min(a.c[0].low, b.c[0].low), std::min(a.c[0].high, b.c[0].high)};
  return f;
}

Series larger(const Series& a, const Series& b) {
  return negative(smaller(negative(a), negative(b)));
}

/// A function that is constant between jumps: `value`, and a number also of what is none.
Series level(const Series& u, const Enclosure& value) {
  Series f(value);
  f.known = std::min(u.known, value.low == value.high ? Known::smooth : Known::defined);
  return f;
}

/// The whole number n with n - ½ ≤ x < n + ½.
double nearest_whole(double x) {
  const double nearest = std::floor(x + 0.5);
  return nearest - 0.5 > x ? nearest - 1.0 : nearest;  // x + ½ may be rounded up
}

bool is_odd_number(double whole) {
  return std::fmod(whole, 2.0) != 0.0;
}

Series triangle_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = nearest_whole(2 * u.c[0].low);
  const double last = -nearest_whole(-2 * u.c[0].high);
  const Series rising =
      times(point(is_odd_number(branch) ? -4.0 : 4.0), add(u, number(-branch / 2)));
  if (branch == last || u.c[0].low == u.c[0].high) {
    return rising;
  }
  Series f = either(rising, negative(rising));
  f.c[0] = {-1.0, 1.0};
  return f;
}

Series square_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = std::floor(2 * u.c[0].low);
  const bool is_level = branch == std::floor(2 * u.c[0].high);
  return level(u, is_level ? point(is_odd_number(branch) ? -1.0 : 1.0) : Enclosure{-1.0, 1.0});
}

Series sawtooth_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = nearest_whole(u.c[0].low);
  Series f = times(point(2.0), add(u, number(-branch)));
  if (branch != nearest_whole(u.c[0].high)) {
    f.c[0] = {-1.0, 1.0};
    f.known = std::min(f.known, Known::defined);
  }
  return f;
}

/// Of a nondecreasing function that is constant between jumps.
template <double (*f)(double)>
Series steps(const Series& argument) {
  const Series u = unscaled(argument);
  return level(u, {f(u.c[0].low), f(u.c[0].high)});
}

/// log u · 1/factor.
template <double factor>
Series logarithm_to_base(const Series& u) {
  return multiply(Series(about(factor)), logarithm(u));
}

double sign_of(double x) {
  return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
}

/// rint() of expressions: halves go up.
double rounded(double x) {
  return std::floor(x + 0.5);
}

/// x less the whole number below it.
double phase(double x) {
  const double fraction = x - std::floor(x);
  return fraction < 1.0 ? fraction : 0.0;
}

double sum_of(double a, double b) {
  return a + b;
}

constexpr std::array all_functions{
    ElementaryFunction{"sin", std::sin, sine},
    ElementaryFunction{"cos", std::cos, cosine},
    ElementaryFunction{"tan", std::tan, tangent},
    ElementaryFunction{"asin", std::asin, arc_sine},
    ElementaryFunction{"acos", std::acos, arc_cosine},
    ElementaryFunction{"atan", std::atan, arc_tangent},
    ElementaryFunction{"atan2", std::atan2, arc_tangent_2},
    ElementaryFunction{"sinh", std::sinh, hyperbolic_sine},
    ElementaryFunction{"cosh", std::cosh, hyperbolic_cosine},
    ElementaryFunction{"tanh", std::tanh, hyperbolic_tangent},
    ElementaryFunction{"asinh", std::asinh, area_sine},
    ElementaryFunction{"acosh", std::acosh, area_cosine},
    ElementaryFunction{"atanh", std::atanh, area_tangent},
    ElementaryFunction{"log2", std::log2, logarithm_to_base<1.0 / std::numbers::ln2>},
    ElementaryFunction{"log10", std::log10, logarithm_to_base<1.0 / std::numbers::ln10>},
    ElementaryFunction{"log", std::log, logarithm},
    ElementaryFunction{"ln", std::log, logarithm},
    ElementaryFunction{"exp", std::exp, exponential},
    ElementaryFunction{"sqrt", std::sqrt, root},
    ElementaryFunction{"sign", sign_of, steps<sign_of>},
    ElementaryFunction{"rint", rounded, steps<rounded>},
    ElementaryFunction{"abs", std::abs, absolute},
    ElementaryFunction{"triangle", triangle, triangle_wave},
    ElementaryFunction{"square", square, square_wave},
    ElementaryFunction{"sawtooth", sawtooth, sawtooth_wave},
    ElementaryFunction{"sum", sum_of, add},
    ElementaryFunction{"avg", sum_of, add},
    ElementaryFunction{"min", [](double a, double b) { return std::min(a, b); }, smaller},
    ElementaryFunction{"max", [](double a, double b) { return std::max(a, b); }, larger},
};

/// What is known of a condition.
enum class Truth { no, maybe, yes };

Truth negation(Truth a) {
  return a == Truth::maybe ? a : a == Truth::yes ? Truth::no : Truth::yes;
}

/// Of what may be undefined nothing is known.
Enclosure known_values(const Series& a) {
  return a.known < Known::defined ? everything() : unscaled(a).c[0];
}

Truth less(const Series& one, const Series& other) {
  const Enclosure a = known_values(one);
  const Enclosure b = known_values(other);
  return a.high < b.low ? Truth::yes : a.low >= b.high ? Truth::no : Truth::maybe;
}

Truth equal(const Series& one, const Series& other) {
  const Enclosure a = known_values(one);
  const Enclosure b = known_values(other);
  const bool is_certain = a.low == b.high && a.high == b.low;
  return is_certain ? Truth::yes : a.high < b.low || b.high < a.low ? Truth::no : Truth::maybe;
}

Truth truth(const Series& a) {
  const Enclosure value = a.known < Known::defined ? everything() : a.c[0];  // of any scale
  return !value.contains(0.0) ? Truth::yes : value.low == value.high ? Truth::no : Truth::maybe;
}

/// 1 or 0, anything between where undecided; smooth if a and b are.
Series logical(Truth value, const Series& a, const Series& b) {
  Series f({value == Truth::yes ? 1.0 : 0.0, value == Truth::no ? 0.0 : 1.0});
  const bool is_smooth = std::min(a.known, b.known) == Known::smooth && value != Truth::maybe;
  f.known = is_smooth ? Known::smooth : Known::defined;
  return f;
}

/// What an operation of two operands or three makes of them.
Series combined(Instruction instruction, std::span<const Series> operands) {
  const Series& a = operands[0];
  const Series& b = operands[1];
  switch (instruction) {
    case Instruction::add:
      return add(a, b);
    case Instruction::subtract:
      return add(a, negative(b));
    case Instruction::multiply:
      return multiply(a, b);
    case Instruction::divide:
      return divide(a, b);
    case Instruction::power:
      return power(a, b);
    case Instruction::less:
      return logical(less(a, b), a, b);
    case Instruction::greater:
      return logical(less(b, a), a, b);
    case Instruction::less_equal:
      return logical(negation(less(b, a)), a, b);
    case Instruction::greater_equal:
      return logical(negation(less(a, b)), a, b);
    case Instruction::equal:
      return logical(equal(a, b), a, b);
    case Instruction::not_equal:
      return logical(negation(equal(a, b)), a, b);
    case Instruction::both:
      return logical(std::min(truth(a), truth(b)), a, b);
    case Instruction::any:
      return logical(std::max(truth(a), truth(b)), a, b);
    default: {
      const Truth choice = truth(a);
      const Series& other = operands[2];
      Series f = choice == Truth::maybe ? either(b, other) : choice == Truth::yes ? b : other;
      f.known = std::min(f.known, a.known);
      return f;
    }
  }
}

/// What operations make of a series of the variable.
Series carried_out(std::span<const Operation> operations, const Series& variable) {
  std::vector<Series> stack;
  stack.reserve(operations.size());
  for (const auto& [instruction, value, function] : operations) {
    const std::size_t count = operands_of({instruction, value, function});
    if (count == 0) {
      stack.push_back(instruction == Instruction::number ? number(value) : variable);
      continue;
    }
    const auto operands = std::span<Series>(stack).last(count);
    operands[0] = instruction == Instruction::negate ? negative(operands[0])
                  : function == nullptr              ? combined(instruction, operands)
                  : function->is_of_two() ? function->series_of_two(operands[0], operands[1])
                                          : function->series(operands[0]);
    stack.erase(stack.end() - static_cast<std::ptrdiff_t>(count - 1), stack.end());
  }
  return unscaled(stack.back());
}

}  // namespace

double triangle(double x) {
  const double f = phase(x);
  return f < 0.25 ? 4.0 * f : f < 0.75 ? 2.0 - 4.0 * f : 4.0 * f - 4.0;
}

double square(double x) {
  return phase(x) < 0.5 ? 1.0 : -1.0;
}

double sawtooth(double x) {
  const double f = phase(x);
  return f < 0.5 ? 2.0 * f : 2.0 * f - 2.0;
}

std::span<const ElementaryFunction> elementary_functions() {
  return all_functions;
}

Series series_of(std::span<const Operation> operations, double first, double last) {
  Series variable({first, last});
  variable.c[1] = point(1.0);
  variable.terms = 2;
  return carried_out(operations, variable);
}

double Bounds::remainder(double width) const {
  const double of_taylor = top.magnitude() * std::pow(0.5 * width, taylor_order);
  const double of_constant = value.is_finite() ? 0.5 * (value.high - value.low) : infinity;
  return smooth && of_taylor < of_constant ? of_taylor : of_constant;
}

Bounds bounds_of(std::span<const Operation> operations, double first, double last) {
  const Series f = series_of(operations, first, last);
  const Enclosure slope = f.coefficient(1);
  const Enclosure top = f.coefficient(taylor_order);
  return {f.c[0], slope, top,
          f.known == Known::smooth && f.c[0].is_finite() && slope.is_finite() && top.is_finite()};
}

}  // namespace masing::base
