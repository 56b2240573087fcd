#include "base/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "base/limits.hpp"

namespace masing::base {

namespace {

constexpr double largest_double = std::numeric_limits<double>::max();
constexpr double least_double = std::numeric_limits<double>::denorm_min();

/// Returns x + y - sum, where `sum` is x + y rounded to a double (Knuth's two-sum).
double rounding_of_sum(double x, double y, double sum) {
  const double y_in_sum = sum - x;
  return (x - (sum - y_in_sum)) + (y - y_in_sum);
}

/// Returns a lower bound of the exact value of a computation that returned x. The error of x must
/// be at most `ulps` units in the last place, unless x is the result of an overflow or an
/// underflow.
double below(double x, int ulps) {
  const double finite = std::min(x, largest_double);
  return finite - (ulps * epsilon * std::abs(finite) + least_double);
}

/// Returns an upper bound of the exact value of a computation that returned x, with an error as in
/// below().
double above(double x, int ulps) {
  return -below(-x, ulps);
}

}  // namespace

double Enclosure::magnitude() const {
  if (std::isnan(low) || std::isnan(high)) {
    return infinity;
  }
  return std::max(std::abs(low), std::abs(high));
}

Enclosure everything() {
  return {-infinity, infinity};
}

Enclosure widened(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) {
    return everything();
  }
  // A positive end is not moved below 0, nor a negative end above 0: rounding does not change the
  // sign of a value.
  return {low >= 0.0 ? std::max(below(low, 2), 0.0) : below(low, 2),
          high <= 0.0 && low < 0.0 ? std::min(above(high, 2), 0.0) : above(high, 2)};
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Enclosure operator-(const Enclosure& a) {
  return {-a.high, -a.low};
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  Enclosure sum{std::min(a.low + b.low, largest_double),
                std::max(a.high + b.high, -largest_double)};
  if (rounding_of_sum(a.low, b.low, sum.low) < 0.0) {
    sum.low -= epsilon * std::abs(sum.low);
  }
  if (rounding_of_sum(a.high, b.high, sum.high) > 0.0) {
    sum.high += epsilon * std::abs(sum.high);
  }
  return sum;
}

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  const bool zero = (a.low == 0.0 && a.high == 0.0) || (b.low == 0.0 && b.high == 0.0);
  if (zero) {
    return {};
  }
  if (!a.is_finite() || !b.is_finite()) {
    return everything();
  }
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  // If no product is negative, the result must not contain negative numbers even if a product
  // underflows; if no product is positive, the result must not contain positive numbers.
  const bool alike = (a.low >= 0.0 && b.low >= 0.0) || (a.high <= 0.0 && b.high <= 0.0);
  const bool opposite = (a.low >= 0.0 && b.high <= 0.0) || (a.high <= 0.0 && b.low >= 0.0);
  return {alike ? std::max(below(low, 1), 0.0) : below(low, 1),
          opposite ? std::min(above(high, 1), 0.0) : above(high, 1)};
}

Enclosure operator*(double factor, const Enclosure& a) {
  return Enclosure{factor, factor} * a;
}

Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  if (b.contains(0.0) || std::isnan(b.low) || std::isnan(b.high)) {
    return everything();
  }
  return a * widened(1.0 / b.high, 1.0 / b.low);
}

Enclosure operator/(const Enclosure& a, int divisor) {
  return {a.low == 0.0 ? 0.0 : below(a.low / divisor, 1),
          a.high == 0.0 ? 0.0 : above(a.high / divisor, 1)};
}

Enclosure square_of(const Enclosure& a) {
  if (a.low == 0.0 && a.high == 0.0) {
    return {};
  }
  const double low = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  const double high = a.magnitude();
  return widened(low * low, high * high);
}

Enclosure exponential_of(const Enclosure& a) {
  return widened(std::exp(a.low), std::exp(a.high));
}

namespace {

// Most functions below compute a Series (bounds.hpp) from the series of their operands. A series
// encloses the Taylor coefficients of a function: coefficient k is eˡ a with a number l in `scale`
// and a number a in c[k]. Coefficient `terms` and all later ones are 0.

constexpr double pi = std::numbers::pi;
constexpr Enclosure from_0{0.0, infinity};
constexpr Enclosure within_1{-1.0, 1.0};

Enclosure point(double value) {
  return {value, value};
}

/// Returns an enclosure of every real number whose computed value is `value`.
Enclosure about(double value) {
  return widened(value, value);
}

Series number(double value) {
  return Series(point(value));
}

/// Returns an enclosure of {f(x) : x in u} for a nondecreasing function f of the mathematical
/// library.
Enclosure rising(double (*f)(double), const Enclosure& u) {
  return widened(f(u.low), f(u.high));
}

Series times(const Enclosure& factor, Series f) {
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = factor * f.c[k];
  }
  return f;
}

Series negative(const Series& u) {
  Series f = u;
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = -f.c[k];
  }
  return f;
}

/// Returns the series of the same function as f, with the scale `scale`.
Series with_scale(const Series& f, const Enclosure& scale) {
  Series result = times(exponential_of(f.scale + -scale), f);
  result.scale = scale;
  return result;
}

Series unscaled(const Series& f) {
  return f.is_scaled() ? with_scale(f, {}) : f;
}

/// Returns what is known on the interval `x` of a function that is smooth on `domain` and undefined
/// outside of `domain`.
Known known_on(const Enclosure& domain, const Enclosure& x) {
  return domain.contains(x.low) && domain.contains(x.high) ? Known::smooth : Known::partly;
}

/// Begins the series of a function of u: c[0] is `first`, and the caller has to compute the other
/// coefficients. The series has one term if `u` has one, and taylor_order + 1 terms if not. Its
/// `known` is Known::partly if `first` is not finite.
Series series_with_value(const Series& u, const Enclosure& first) {
  Series f(first);
  f.terms = u.terms == 1 ? 1 : taylor_order + 1;
  f.known = std::min(u.known, first.is_finite() ? Known::smooth : Known::partly);
  return f;
}

/// Returns the k-th Taylor coefficient of ∫ u′c dt for k ≥ 1: Σ_{j=1..k} j u_j c_{k-j} / k.
Enclosure integrated(const Series& u, const Series& c, int k) {
  Enclosure sum{};
  for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
    sum = sum + static_cast<double>(j) * (u.c[j] * c.c[k - j]);
  }
  return sum / k;
}

/// Returns a + b. The scale of the sum is the larger of the two scales or, if their enclosures
/// overlap, the largest number in either enclosure. The change to this scale multiplies no c[k] by
/// a factor > 1.
Series add(const Series& a, const Series& b) {
  const bool first_leads = b.scale.high <= a.scale.low;
  if (!first_leads && a.scale.high <= b.scale.low) {
    return add(b, a);
  }
  Series f = first_leads ? a : with_scale(a, point(std::max(a.scale.high, b.scale.high)));
  const Series other = a.is_scaled() || b.is_scaled() ? with_scale(b, f.scale) : b;
  f.terms = std::max(a.terms, b.terms);
  f.known = std::min(a.known, b.known);
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = k >= b.terms ? f.c[k] : k >= a.terms ? other.c[k] : f.c[k] + other.c[k];
  }
  return f;
}

Series multiply(const Series& a, const Series& b) {
  Series f({});
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

Series squared(const Series& a) {
  Series f = multiply(a, a);
  f.c[0] = square_of(a.c[0]);
  return f;
}

/// Returns a/b. If b may be 0, the quotient is enclosed only by [-∞, ∞] and marked as undefined
/// somewhere.
Series divide(const Series& a, const Series& b) {
  Series f = series_with_value(b, a.c[0] / b.c[0]);
  f.terms = b.terms == 1 ? a.terms : taylor_order + 1;
  f.scale = a.scale + -b.scale;
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

/// Returns eᵘ. If |u| may be large, its c[0] becomes the scale of the result.
Series exponential(const Series& argument) {
  const Series u = unscaled(argument);
  constexpr double moderate = 40.0;
  const bool is_large = u.c[0].magnitude() > moderate && u.c[0].is_finite();
  Series f = series_with_value(u, is_large ? point(1.0) : exponential_of(u.c[0]));
  f.scale = is_large ? u.c[0] : Enclosure{};
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, f, k);
  }
  return f;
}

/// Returns f(u) for a nondecreasing function f of the mathematical library that is defined on
/// `domain`. The derivative of f(u) must be u′/denominator, where u′ is the derivative of u.
Series by_slope(double (*f)(double), const Enclosure& domain, const Series& u,
                const Series& denominator) {
  const auto inside = [&](double value) { return std::clamp(value, domain.low, domain.high); };
  const Series reciprocal = unscaled(divide(number(1.0), denominator));
  Series result = series_with_value(u, rising(f, {inside(u.c[0].low), inside(u.c[0].high)}));
  result.known = std::min(
      {result.known, std::max(reciprocal.known, Known::defined), known_on(domain, u.c[0])});
  for (int k = 1; k < result.terms; ++k) {
    result.c[k] = integrated(u, reciprocal, k);
  }
  return result;
}

/// Returns ln u. Its `known` is Known::partly if u ≤ 0 is possible.
Series logarithm(const Series& u) {
  const Series plain_u = unscaled(u);
  return by_slope(std::log, from_0, plain_u, plain_u);
}

/// Returns uᵖ for a p that is not an integer. Its `known` is Known::partly if u < 0 is possible,
/// and at most Known::defined if u = 0 is possible.
Series fractional_power(const Series& u, double p) {
  const double low = std::pow(std::max(u.c[0].low, 0.0), p);
  const double high = std::pow(std::max(u.c[0].high, 0.0), p);
  Series f = series_with_value(u, widened(std::min(low, high), std::max(low, high)));
  f.scale = p * u.scale;
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

/// Returns aᵇ. It is computed as exp(b ln a) in two cases: if b is not one fixed number, and if b
/// is a whole number with |b| > 2³⁰. If a < 0 is possible in these cases, the value is enclosed
/// only by [-∞, ∞].
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
  }
  return f;
}

/// Returns a series that encloses both a and b and is not marked as smooth. It is used for a
/// function that may equal a at some points of the interval and b at others.
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

/// Returns an enclosure of sin(x + shift·π/2) over the interval x; `shift` is 0 or 1.
Enclosure sine_of(const Enclosure& x, double shift) {
  if (!(x.high - x.low < 2 * pi)) {
    return {-1.0, 1.0};
  }
  const auto at = [&](double value) { return shift == 0.0 ? std::sin(value) : std::cos(value); };
  // Returns whether the interval x, widened by rounding errors, contains a point 2π(n + phase) with
  // an integer n.
  const auto holds = [&](double phase) {
    const double slack = 4 * epsilon * (1.0 + x.magnitude());
    return std::floor((x.high + slack) / (2 * pi) - phase) >
           std::floor((x.low - slack) / (2 * pi) - phase);
  };
  const Enclosure ends = widened(std::min(at(x.low), at(x.high)), std::max(at(x.low), at(x.high)));
  return {holds(0.75 - 0.25 * shift) ? -1.0 : std::max(ends.low, -1.0),
          holds(0.25 - 0.25 * shift) ? 1.0 : std::min(ends.high, 1.0)};
}

std::array<Series, 2> sine_and_cosine(const Series& u) {
  Series s = series_with_value(u, sine_of(u.c[0], 0.0));
  Series c = series_with_value(u, sine_of(u.c[0], 1.0));
  for (int k = 1; k < s.terms; ++k) {
    s.c[k] = integrated(u, c, k);
    c.c[k] = -integrated(u, s, k);
  }
  return {s, c};
}

Series sine(const Series& u) {
  return sine_and_cosine(u)[0];
}

Series cosine(const Series& u) {
  return sine_and_cosine(u)[1];
}

Series tangent(const Series& u) {
  const auto [s, c] = sine_and_cosine(u);
  return divide(s, c);
}

/// Returns 1 + factor·u², where `factor` is 1 or -1.
Series one_and_square(double factor, const Series& u) {
  return add(number(1.0), factor < 0.0 ? negative(squared(u)) : squared(u));
}

Series arc_sine(const Series& u) {
  return by_slope(std::asin, within_1, u, root(one_and_square(-1.0, u)));
}

Series arc_cosine(const Series& u) {
  return add(Series(about(0.5 * pi)), negative(arc_sine(u)));
}

Series arc_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return by_slope(std::atan, everything(), u, one_and_square(1.0, u));
}

Series arsinh(const Series& u) {
  return by_slope(std::asinh, everything(), u, root(one_and_square(1.0, u)));
}

Series arcosh(const Series& u) {
  return by_slope(std::acosh, {1.0, infinity}, u, root(add(squared(u), number(-1.0))));
}

Series artanh(const Series& u) {
  return by_slope(std::atanh, within_1, u, one_and_square(-1.0, u));
}

/// Returns atan2(y, x), computed from the arc tangent of y/x or x/y. atan2 jumps where y = 0 and x
/// ≤ 0; if the enclosures contain such a point, the series encloses every angle.
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

Series hyperbolic_tangent(const Series& u) {
  if (u.c[0].high < 0.0) {
    return negative(hyperbolic_tangent(negative(u)));
  }
  const Series q = exponential(times(point(-2.0), u));
  Series f = unscaled(divide(add(number(1.0), negative(q)), add(number(1.0), q)));
  const Enclosure value = rising(std::tanh, u.c[0]);
  // tanh(u) lies in [-1, 1], and rounding must not change this: 1 + tanh(u) may occur in a root.
  f.c[0] = {std::max(value.low, -1.0), std::min(value.high, 1.0)};
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

Series absolute(const Series& u) {
  Series f = larger(u, negative(u));
  f.c[0].low = std::max(f.c[0].low, 0.0);
  return f;
}

/// Returns the series of a function of u that is constant between jumps and has values in `value`.
Series piecewise_constant(const Series& u, const Enclosure& value) {
  Series f(value);
  f.known = std::min(u.known, value.low == value.high ? Known::smooth : Known::defined);
  return f;
}

/// Returns the whole number n with n - ½ ≤ x < n + ½.
double nearest_whole(double x) {
  const double nearest = std::floor(x + 0.5);
  return nearest - 0.5 > x ? nearest - 1.0 : nearest;  // x + 0.5 may have been rounded up
}

bool is_odd_number(double whole) {
  return std::fmod(whole, 2.0) != 0.0;
}

Series triangle_wave(const Series& u) {
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

Series square_wave(const Series& u) {
  const double branch = std::floor(2 * u.c[0].low);
  const bool is_level = branch == std::floor(2 * u.c[0].high);
  return piecewise_constant(
      u, is_level ? point(is_odd_number(branch) ? -1.0 : 1.0) : Enclosure{-1.0, 1.0});
}

Series sawtooth_wave(const Series& u) {
  const double branch = nearest_whole(u.c[0].low);
  Series f = times(point(2.0), add(u, number(-branch)));
  if (branch != nearest_whole(u.c[0].high)) {
    f.c[0] = {-1.0, 1.0};
    f.known = std::min(f.known, Known::defined);
  }
  return f;
}

/// Returns f(u) for a nondecreasing function f that is constant between jumps.
template <double (*f)(double)>
Series steps(const Series& u) {
  return piecewise_constant(u, {f(u.c[0].low), f(u.c[0].high)});
}

/// Returns factor·ln u.
Series logarithm_times(double factor, const Series& u) {
  return multiply(Series(about(factor)), logarithm(u));
}

double sign_of(double x) {
  return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
}

/// Returns rint(x) of the expression language: the integer nearest to x, with halves rounded up.
double rounded(double x) {
  return std::floor(x + 0.5);
}

/// Returns x - ⌊x⌋, the phase of a wave with period 1, in [0, 1).
double phase(double x) {
  const double fraction = x - std::floor(x);
  return fraction < 1.0 ? fraction : 0.0;
}

/// Returns an enclosure of the values of a; the enclosure is [-∞, ∞] if a may be undefined
/// somewhere.
Enclosure known_values(const Series& a) {
  return a.known < Known::defined ? everything() : unscaled(a).c[0];
}

/// Returns the series of the truth value of a comparison: 1, 0 or, if the comparison is undecided,
/// [0, 1]. The truth value is defined even where an operand is NaN, because a comparison with NaN
/// also has a result.
Series logical(bool is_certain, bool is_possible, Known operands) {
  Series f({is_certain ? 1.0 : 0.0, is_possible ? 1.0 : 0.0});
  const bool is_smooth = operands == Known::smooth && is_certain == is_possible;
  f.known = is_smooth ? Known::smooth : Known::defined;
  return f;
}

Series negation(const Series& truth) {
  Series f = truth;
  f.c[0] = {1.0 - truth.c[0].high, 1.0 - truth.c[0].low};
  return f;
}

Series less(const Series& one, const Series& other) {
  const Enclosure a = known_values(one);
  const Enclosure b = known_values(other);
  return logical(a.high < b.low, !(a.low >= b.high), std::min(one.known, other.known));
}

Series equal(const Series& one, const Series& other) {
  const Enclosure a = known_values(one);
  const Enclosure b = known_values(other);
  const bool is_certain = a.low == b.high && a.high == b.low;
  const bool is_possible = is_certain || !(a.high < b.low || b.high < a.low);
  return logical(is_certain, is_possible, std::min(one.known, other.known));
}

Series truth(const Series& a) {
  // The scale is not applied: its factor eˡ is positive, and does not change whether a value is 0.
  const Enclosure value = a.known < Known::defined ? everything() : a.c[0];
  const bool is_certain = !value.contains(0.0);
  return logical(is_certain, is_certain || value.low != value.high, a.known);
}

Series choice(const Series& condition, const Series& one, const Series& other) {
  const Enclosure is_one = truth(condition).c[0];
  Series f = is_one.low == 1.0 ? one : is_one.high == 0.0 ? other : either(one, other);
  f.known = std::min(f.known, condition.known);
  return f;
}

/// Applies `f`, which needs a series with scale 0, to a series of any scale.
template <Series (*f)(const Series&)>
Series plain(const Series& u) {
  return f(unscaled(u));
}

/// Returns the value of an operator of C++ as a double.
template <typename Operator>
double applied(double a, double b) {
  return static_cast<double>(Operator()(a, b));
}
template <typename Operator>
double applied(double a) {
  return Operator()(a);
}

double power_of(double a, double b) {
  return b == 2.0 ? a * a : b == 3.0 ? a * a * a : b == 4.0 ? a * a * a * a : std::pow(a, b);
}

using S = const Series&;
constexpr ElementaryFunction all_functions[] = {
    {"(-)", applied<std::negate<>>, negative, Instruction::negate},
    {"+", applied<std::plus<>>, add, Instruction::add},
    {"-", applied<std::minus<>>, [](S a, S b) { return add(a, negative(b)); }},
    {"*", applied<std::multiplies<>>, multiply, Instruction::multiply},
    {"/", applied<std::divides<>>, divide},
    {"^", power_of, power},
    {"<", applied<std::less<>>, less},
    {">", applied<std::greater<>>, [](S a, S b) { return less(b, a); }},
    {"<=", applied<std::less_equal<>>, [](S a, S b) { return negation(less(b, a)); }},
    {">=", applied<std::greater_equal<>>, [](S a, S b) { return negation(less(a, b)); }},
    {"==", applied<std::equal_to<>>, equal},
    {"!=", applied<std::not_equal_to<>>, [](S a, S b) { return negation(equal(a, b)); }},
    {"&&", applied<std::logical_and<>>, [](S a, S b) { return smaller(truth(a), truth(b)); }},
    {"||", applied<std::logical_or<>>, [](S a, S b) { return larger(truth(a), truth(b)); }},
    ElementaryFunction{"?"},
    {"sin", std::sin, plain<sine>},
    {"cos", std::cos, plain<cosine>},
    {"tan", std::tan, plain<tangent>},
    {"asin", std::asin, plain<arc_sine>},
    {"acos", std::acos, plain<arc_cosine>},
    {"atan", std::atan, arc_tangent},
    {"atan2", std::atan2, arc_tangent_2},
    {"sinh", std::sinh, hyperbolic_sine},
    {"cosh", std::cosh, hyperbolic_cosine},
    {"tanh", std::tanh, plain<hyperbolic_tangent>},
    {"asinh", std::asinh, plain<arsinh>},
    {"acosh", std::acosh, plain<arcosh>},
    {"atanh", std::atanh, plain<artanh>},
    {"log2", std::log2, [](S u) { return logarithm_times(1.0 / std::numbers::ln2, u); }},
    {"log10", std::log10, [](S u) { return logarithm_times(1.0 / std::numbers::ln10, u); }},
    {"log", std::log, logarithm},
    {"ln", std::log, logarithm},
    {"exp", std::exp, exponential},
    {"sqrt", std::sqrt, root},
    {"sign", sign_of, plain<steps<sign_of>>},
    {"rint", rounded, plain<steps<rounded>>},
    {"abs", std::abs, absolute},
    {"triangle", triangle, plain<triangle_wave>},
    {"square", square, plain<square_wave>},
    {"sawtooth", sawtooth, plain<sawtooth_wave>},
    {"sum", applied<std::plus<>>, add},
    {"avg", applied<std::plus<>>, add},
    {"min", [](double a, double b) { return std::min(a, b); }, smaller},
    {"max", [](double a, double b) { return std::max(a, b); }, larger},
};

/// Returns an enclosure of the slope of a table between the points `next` - 1 and `next`, or 0 if
/// one of them does not exist.
Enclosure slope_before(const PointTable& table, std::size_t next) {
  if (next == 0 || next == table.arguments.size()) {
    return point(0.0);
  }
  const auto rise = [next](const std::vector<double>& all) {
    return point(all[next]) + point(-all[next - 1]);
  };
  return rise(table.values) / rise(table.arguments);
}

/// Returns an enclosure of the value of a table at t, which also contains the computed value. The
/// point `next` is the first one after t, or one at t.
Enclosure value_before(const PointTable& table, std::size_t next, double t) {
  if (next == 0 || next == table.arguments.size()) {
    return point(table(t));
  }
  const Enclosure beyond = point(t) + point(-table.arguments[next - 1]);
  return hull(point(table(t)), point(table.values[next - 1]) + slope_before(table, next) * beyond);
}

/// Returns the series of a table on the interval of the variable. If no point of the table lies
/// inside t, the slope is enclosed within rounding errors; if one does, it is enclosed only by [-∞,
/// ∞]. At a point of the table, the slope is that after the point.
Series of_table(const PointTable& table, const Series& variable) {
  const Enclosure& t = variable.c[0];
  const auto [begin, end] = table.within(t.low, t.high);
  Series f(hull(value_before(table, begin, t.low), value_before(table, end, t.high)));
  f.terms = 2;
  f.c[1] = begin == end ? variable.c[1] * slope_before(table, begin) : everything();
  f.known = begin == end ? Known::smooth : Known::defined;
  for (std::size_t i = begin; i < end; ++i) {
    f.c[0] = hull(f.c[0], point(table.values[i]));
  }
  return f;
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

const ElementaryFunction* function_named(std::string_view name) {
  const auto* const entry = std::ranges::find(all_functions, name, &ElementaryFunction::name);
  return entry == std::end(all_functions) ? nullptr : entry;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const ElementaryFunction& function : all_functions) {
    names.emplace_back(function.name);
  }
  return names;
}

Series series_of(std::span<const Operation> operations, double first, double last, double unit) {
  Series variable({first, last});
  variable.c[1] = point(unit);
  variable.terms = 2;
  const auto apply = [&](const Operation& operation, std::span<const Series> operands) {
    switch (operation.instruction) {
      case Instruction::number:
        return number(operation.number);
      case Instruction::variable:
        return variable;
      case Instruction::table:
        return of_table(*operation.table, variable);
      case Instruction::choose:
        return choice(operands[0], operands[1], operands[2]);
      default:
        return operands.size() == 1 ? operation.function->series(operands[0])
                                    : operation.function->series_of_two(operands[0], operands[1]);
    }
  };
  return unscaled(evaluate_on_stack<Series>(operations, apply));
}

double Bounds::remainder(double width) const {
  const double of_taylor = top.magnitude() * std::pow(0.5 * width / unit, taylor_order);
  const double of_constant = value.is_finite() ? 0.5 * (value.high - value.low) : infinity;
  return smooth && of_taylor < of_constant ? of_taylor : of_constant;
}

Bounds bounds_of(std::span<const Operation> operations, double first, double last) {
  const double unit = last > first ? std::ldexp(1.0, std::ilogb(last - first)) : 1.0;
  const Series f = series_of(operations, first, last, unit);
  const Enclosure slope = (1.0 / unit) * f.coefficient(1);
  const Enclosure top = f.coefficient(taylor_order);
  return {f.c[0], slope, top, unit,
          f.known == Known::smooth && f.c[0].is_finite() && slope.is_finite() && top.is_finite()};
}

}  // namespace masing::base
