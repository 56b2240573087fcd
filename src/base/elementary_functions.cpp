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
constexpr double unlimited = std::numeric_limits<double>::infinity();

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
  f.smooth = f.smooth && reciprocal.smooth;
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, reciprocal, k);
  }
  return f;
}

/// f(u) of a nondecreasing library function, limited to where it is defined.
Enclosure rising(double (*f)(double), const Series& u, double least = -unlimited,
                 double most = unlimited) {
  return widened(f(std::clamp(u.c[0].low, least, most)), f(std::clamp(u.c[0].high, least, most)));
}

Series arc_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, root(add(number(1.0), negative(squared(u)))),
                    rising(std::asin, u, -1.0, 1.0));
}

Series arc_cosine(const Series& u) {
  return add(number(0.5 * pi), negative(arc_sine(u)));
}

Series arc_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, add(number(1.0), squared(u)), rising(std::atan, u));
}

Series hyperbolic_sine(const Series& u) {
  return scaled(0.5, add(exponential(u), negative(exponential(negative(u)))));
}

Series hyperbolic_cosine(const Series& u) {
  return scaled(0.5, add(exponential(u), exponential(negative(u))));
}

Series hyperbolic_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  if (u.c[0].high < 0.0) {
    return negative(hyperbolic_tangent(negative(u)));
  }
  const Series q = exponential(scaled(-2.0, u));
  Series f = unscaled(divide(add(number(1.0), negative(q)), add(number(1.0), q)));
  f.c[0] = rising(std::tanh, u);
  return f;
}

Series area_sine(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, root(add(number(1.0), squared(u))), rising(std::asinh, u));
}

Series area_cosine(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, root(add(squared(u), number(-1.0))), rising(std::acosh, u, 1.0));
}

Series area_tangent(const Series& argument) {
  const Series u = unscaled(argument);
  return from_slope(u, add(number(1.0), negative(squared(u))), rising(std::atanh, u, -1.0, 1.0));
}

/// The angle from the values alone, not smooth.
Series any_angle() {
  Series f = constant(widened(-pi, pi));
  f.smooth = false;
  return f;
}

Series arc_tangent_2(const Series& ordinate, const Series& abscissa) {
  const Series y = unscaled(ordinate);
  const Series x = unscaled(abscissa);
  // The rest is the cut, x ≤ 0 and y = 0, or may be.
  if (!(x.c[0].low > 0.0 || y.c[0].low > 0.0 || y.c[0].high < 0.0)) {
    return any_angle();
  }
  // θ′ = (y′ x - y x′)/(x² + y²)
  const Series radius = add(squared(x), squared(y));
  const Series a = unscaled(divide(x, radius));
  const Series b = unscaled(divide(y, radius));
  Series f = constant({unlimited, -unlimited});
  for (const double v : {y.c[0].low, y.c[0].high}) {
    for (const double u : {x.c[0].low, x.c[0].high}) {
      f.c[0] = hull(f.c[0], widened(std::atan2(v, u), std::atan2(v, u)));
    }
  }
  f.terms = order + 1;
  f.smooth = a.smooth && b.smooth;
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
  result.smooth = u.smooth && result.c[0].low == result.c[0].high;
  return result;
}

/// A wave on an interval that holds a corner or a jump: `f` but for the value.
Series undecided_wave(Series f) {
  f.c[0] = {-1.0, 1.0};
  f.smooth = false;
  return f;
}

bool is_odd(double whole) {
  return std::fmod(whole, 2.0) != 0.0;
}

Series triangle_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = std::floor(2 * u.c[0].low + 0.5);
  const double last = std::ceil(2 * u.c[0].high + 0.5) - 1;
  if (branch != last && u.c[0].low != u.c[0].high) {
    return undecided_wave(either(scaled(4.0, u), scaled(-4.0, u)));
  }
  return scaled(is_odd(branch) ? -4.0 : 4.0, add(u, number(-branch / 2)));
}

Series square_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = std::floor(2 * u.c[0].low);
  if (branch != std::floor(2 * u.c[0].high)) {
    return undecided_wave(number(0.0));
  }
  Series f = number(is_odd(branch) ? -1.0 : 1.0);
  f.smooth = u.smooth;
  return f;
}

Series sawtooth_wave(const Series& argument) {
  const Series u = unscaled(argument);
  const double branch = std::floor(u.c[0].low + 0.5);
  if (branch != std::floor(u.c[0].high + 0.5)) {
    return undecided_wave(scaled(2.0, u));
  }
  return scaled(2.0, add(u, number(-branch)));
}

double sign_of(double x) {
  return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
}

double nearest_whole(double x) {
  return std::floor(x + 0.5);
}

constexpr std::array all_functions{
    Named{"sin", [](const Series& u) { return sine_and_cosine(u)[0]; }},
    Named{"cos", [](const Series& u) { return sine_and_cosine(u)[1]; }},
    Named{"tan", tangent},
    Named{"asin", arc_sine},
    Named{"acos", arc_cosine},
    Named{"atan", arc_tangent},
    Named{"atan2", nullptr, arc_tangent_2},
    Named{"sinh", hyperbolic_sine},
    Named{"cosh", hyperbolic_cosine},
    Named{"tanh", hyperbolic_tangent},
    Named{"asinh", area_sine},
    Named{"acosh", area_cosine},
    Named{"atanh", area_tangent},
    Named{"log2", [](const Series& u) { return scaled(1.0 / std::numbers::ln2, logarithm(u)); }},
    Named{"log10", [](const Series& u) { return scaled(1.0 / std::numbers::ln10, logarithm(u)); }},
    Named{"log", logarithm},
    Named{"ln", logarithm},
    Named{"exp", exponential},
    Named{"sqrt", root},
    Named{"sign", [](const Series& u) { return steps(sign_of, u); }},
    Named{"rint", [](const Series& u) { return steps(nearest_whole, u); }},
    Named{"abs", absolute},
    Named{"triangle", triangle_wave},
    Named{"square", square_wave},
    Named{"sawtooth", sawtooth_wave},
    Named{"sum", nullptr, add},
    Named{"avg", nullptr, add},
    Named{"min", nullptr, smaller},
    Named{"max", nullptr, larger},
};

}  // namespace

std::span<const Named> functions() {
  return all_functions;
}

Truth truth(const Series& a) {
  const Enclosure& value = a.c[0];
  if (!value.contains(0.0)) {
    return Truth::yes;
  }
  return value.low == 0.0 && value.high == 0.0 ? Truth::no : Truth::maybe;
}

Truth less(const Series& a, const Series& b) {
  const Enclosure x = unscaled(a).c[0];
  const Enclosure y = unscaled(b).c[0];
  return x.high < y.low ? Truth::yes : x.low >= y.high ? Truth::no : Truth::maybe;
}

Truth equal(const Series& a, const Series& b) {
  const Enclosure x = unscaled(a).c[0];
  const Enclosure y = unscaled(b).c[0];
  if (x.low == x.high && y.low == y.high) {
    return x.low == y.low ? Truth::yes : Truth::no;
  }
  return x.high < y.low || y.high < x.low ? Truth::no : Truth::maybe;
}

Truth negation(Truth a) {
  return a == Truth::maybe ? a : a == Truth::yes ? Truth::no : Truth::yes;
}

Series logical(Truth value, const Series& a, const Series& b) {
  Series f = value == Truth::maybe ? constant({0.0, 1.0}) : number(value == Truth::yes ? 1.0 : 0.0);
  f.smooth = a.smooth && b.smooth && value != Truth::maybe;
  return f;
}

}  // namespace masing::base::taylor
