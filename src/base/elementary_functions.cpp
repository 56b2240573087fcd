#include "base/elementary_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/limits.hpp"

namespace masing::base::taylor {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double least = std::numeric_limits<double>::denorm_min();

/// The real number that `value` is the rounding of, by an ulp at most.
Series about(double value) {
  return constant(widened(value, value));
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

Series tangent(const Series& u) {
  const auto [s, c] = sine_and_cosine(u);
  return divide(s, c);
}

/// The function with f′ = u′/`denominator` and the given value.
Series from_slope(const Series& u, const Series& denominator, const Enclosure& value) {
  const Series reciprocal = unscaled(divide(number(1.0), denominator));
  Series f = made_from(u, value);
  f.known = reciprocal.known == Known::smooth ? f.known : std::min(f.known, Known::defined);
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, reciprocal, k);
  }
  return f;
}

/// f(u) of a nondecreasing library function.
Enclosure rising(double (*f)(double), const Enclosure& u) {
  return widened(f(u.low), f(u.high));
}

/// from_slope of a nondecreasing library function that is defined on `domain` alone.
Series limited(double (*f)(double), const Enclosure& domain, const Series& u,
               const Series& denominator) {
  const auto inside = [&](double value) { return std::clamp(value, domain.low, domain.high); };
  Series result = from_slope(u, denominator, rising(f, {inside(u.c[0].low), inside(u.c[0].high)}));
  result.known = std::min(result.known, known_on(domain, u.c[0]));
  return result;
}

Series arc_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return limited(std::asin, {-1.0, 1.0}, u, root(add(number(1.0), negative(squared(u)))));
}

Series arc_cosine(const Series& u) {
  return add(about(0.5 * pi), negative(arc_sine(u)));
}

Series arc_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, add(number(1.0), squared(u)), rising(std::atan, u.c[0]));
}

Series hyperbolic_sine(const Series& u) {
  return scaled({0.5, 0.5}, add(exponential(u), negative(exponential(negative(u)))));
}

Series hyperbolic_cosine(const Series& u) {
  return scaled({0.5, 0.5}, add(exponential(u), exponential(negative(u))));
}

Series hyperbolic_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  if (u.c[0].high < 0.0) {
    return negative(hyperbolic_tangent(negative(u)));
  }
  const Series q = exponential(scaled({-2.0, -2.0}, u));
  Series f = unscaled(divide(add(number(1.0), negative(q)), add(number(1.0), q)));
  f.c[0] = rising(std::tanh, u.c[0]);
  return f;
}

Series area_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, root(add(number(1.0), squared(u))), rising(std::asinh, u.c[0]));
}

Series area_cosine(const Series& argument) {
  const Series u = unscaled(argument);
  return limited(std::acosh, {1.0, infinity}, u, root(add(squared(u), number(-1.0))));
}

Series area_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return limited(std::atanh, {-1.0, 1.0}, u, add(number(1.0), negative(squared(u))));
}

Series arc_tangent_2(const Series& ordinate, const Series& abscissa) {
  const Series y = unscaled(ordinate);
  const Series x = unscaled(abscissa);
  // θ′ = (y′ x - y x′)/(x² + y²)
  const Series radius = add(squared(x), squared(y));
  const Series a = unscaled(divide(x, radius));
  const Series b = unscaled(divide(y, radius));
  // The cut, x ≤ 0 and y = 0, or what may be on both sides of it.
  const bool cut = !(x.c[0].low > 0.0 || y.c[0].low > 0.0 || y.c[0].high < 0.0);
  Series f = constant(cut ? widened(-pi, pi) : Enclosure{infinity, -infinity});
  for (const double v : {y.c[0].low, y.c[0].high}) {
    for (const double u : {x.c[0].low, x.c[0].high}) {
      const double angle = std::atan2(v, u);
      f.c[0] = hull(f.c[0], widened(angle, angle));
    }
  }
  // The angle of a least ordinate underflows.
  f.c[0].low = y.c[0].low < 0.0 ? std::min(f.c[0].low, -least) : f.c[0].low;
  f.terms = order + 1;
  const bool is_smooth = std::min(a.known, b.known) == Known::smooth && !cut;
  f.known = std::min({x.known, y.known, is_smooth ? Known::smooth : Known::defined});
  for (int k = 1; k <= order; ++k) {
    f.c[k] = integrated(y, a, k) + -integrated(x, b, k);
  }
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

/// A nondecreasing function that is constant between jumps.
Series steps(double (*f)(double), const Series& argument) {
  const Series u = unscaled(argument);
  Series result = constant({f(u.c[0].low), f(u.c[0].high)});
  const bool is_level = result.c[0].low == result.c[0].high;
  // Of what is not a number sign() is 0.
  result.known = std::clamp(u.known, Known::partly, is_level ? Known::smooth : Known::defined);
  return result;
}

/// The whole number n with n - ½ ≤ x < n + ½.
double nearest_whole(double x) {
  const double nearest = std::floor(x + 0.5);
  return nearest - 0.5 > x ? nearest - 1.0 : nearest;  // x + ½ may be rounded up
}

bool is_odd(double whole) {
  return std::fmod(whole, 2.0) != 0.0;
}

Series triangle_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = nearest_whole(2 * u.c[0].low);
  const double last = -nearest_whole(-2 * u.c[0].high);
  const double slope = is_odd(branch) ? -4.0 : 4.0;
  const Series rising = scaled({slope, slope}, add(u, number(-branch / 2)));
  if (branch == last || u.c[0].low == u.c[0].high) {
    return rising;
  }
  Series f = either(rising, negative(rising));
  f.c[0] = {-1.0, 1.0};
  return f;
}

/// Of what is not a number it is -1.
Series square_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = std::floor(2 * u.c[0].low);
  const bool is_level = branch == std::floor(2 * u.c[0].high);
  Series f = is_level ? number(is_odd(branch) ? -1.0 : 1.0) : constant({-1.0, 1.0});
  f.known = std::clamp(u.known, Known::partly, is_level ? Known::smooth : Known::defined);
  return f;
}

Series sawtooth_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = nearest_whole(u.c[0].low);
  Series f = scaled({2.0, 2.0}, add(u, number(-branch)));
  if (branch != nearest_whole(u.c[0].high)) {
    f.c[0] = {-1.0, 1.0};
    f.known = std::min(f.known, Known::defined);
  }
  return f;
}

double sign_of(double x) {
  return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
}

/// rint() of expressions: halves go up.
double rounded(double x) {
  return std::floor(x + 0.5);
}

constexpr Enclosure everywhere{-infinity, infinity};
constexpr Enclosure from_0{0.0, infinity};
constexpr Enclosure from_1{1.0, infinity};
constexpr Enclosure unit{-1.0, 1.0};

constexpr std::array all_functions{
    ElementaryFunction{"sin", std::sin, [](const Series& u) { return sine_and_cosine(u)[0]; }},
    ElementaryFunction{"cos", std::cos, [](const Series& u) { return sine_and_cosine(u)[1]; }},
    ElementaryFunction{"tan", std::tan, tangent},
    ElementaryFunction{"asin", std::asin, arc_sine, unit},
    ElementaryFunction{"acos", std::acos, arc_cosine},
    ElementaryFunction{"atan", std::atan, arc_tangent, everywhere},
    ElementaryFunction{.name = "atan2", .value_of_two = std::atan2, .two = arc_tangent_2},
    ElementaryFunction{"sinh", std::sinh, hyperbolic_sine, everywhere},
    ElementaryFunction{"cosh", std::cosh, hyperbolic_cosine},
    ElementaryFunction{"tanh", std::tanh, hyperbolic_tangent, everywhere},
    ElementaryFunction{"asinh", std::asinh, area_sine, everywhere},
    ElementaryFunction{"acosh", std::acosh, area_cosine, from_1},
    ElementaryFunction{"atanh", std::atanh, area_tangent, unit},
    ElementaryFunction{
        "log2", std::log2,
        [](const Series& u) { return multiply(about(1.0 / std::numbers::ln2), logarithm(u)); },
        from_0},
    ElementaryFunction{
        "log10", std::log10,
        [](const Series& u) { return multiply(about(1.0 / std::numbers::ln10), logarithm(u)); },
        from_0},
    ElementaryFunction{"log", std::log, logarithm, from_0},
    ElementaryFunction{"ln", std::log, logarithm, from_0},
    ElementaryFunction{"exp", std::exp, exponential, everywhere},
    ElementaryFunction{"sqrt", std::sqrt, root, from_0},
    ElementaryFunction{"sign", sign_of, [](const Series& u) { return steps(sign_of, u); },
                       everywhere},
    ElementaryFunction{"rint", rounded, [](const Series& u) { return steps(rounded, u); },
                       everywhere},
    ElementaryFunction{"abs", std::abs, absolute},
    ElementaryFunction{"triangle", triangle, triangle_wave},
    ElementaryFunction{"square", square, square_wave},
    ElementaryFunction{"sawtooth", sawtooth, sawtooth_wave},
    ElementaryFunction{
        .name = "sum", .value_of_two = [](double a, double b) { return a + b; }, .two = add},
    ElementaryFunction{
        .name = "avg", .value_of_two = [](double a, double b) { return a + b; }, .two = add},
    ElementaryFunction{.name = "min",
                       .value_of_two = [](double a, double b) { return std::min(a, b); },
                       .two = smaller},
    ElementaryFunction{.name = "max",
                       .value_of_two = [](double a, double b) { return std::max(a, b); },
                       .two = larger},
};

}  // namespace

}  // namespace masing::base::taylor

namespace masing::base {

namespace {

double phase(double x) {
  const double fraction = x - std::floor(x);
  return fraction < 1.0 ? fraction : 0.0;
}

}  // namespace

std::span<const ElementaryFunction> elementary_functions() {
  return taylor::all_functions;
}

double triangle(double x) {
  const double f = phase(x);
  if (f < 0.25) {
    return 4.0 * f;
  }
  return f < 0.75 ? 2.0 - 4.0 * f : 4.0 * f - 4.0;
}

double square(double x) {
  return phase(x) < 0.5 ? 1.0 : -1.0;
}

double sawtooth(double x) {
  const double f = phase(x);
  return f < 0.5 ? 2.0 * f : 2.0 * f - 2.0;
}

}  // namespace masing::base
