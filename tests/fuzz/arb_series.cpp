#include "fuzz/arb_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace masing::fuzz {

namespace {

BallSeries with_value(const Ball& value) {
  BallSeries f;
  arb_poly_set_coeff_arb(f.get(), 0, value.get());
  return f;
}

BallSeries exactly(double value) {
  return with_value(Ball(value));
}

/// Comparisons, and the signs of the difference for which they hold.
const std::map<std::string_view, std::array<bool, 3>> truths{
    {"<", {true, false, false}}, {">", {false, false, true}},  {"<=", {true, true, false}},
    {">=", {false, true, true}}, {"==", {false, true, false}}, {"!=", {true, false, true}}};

class Evaluation {
 public:
  Evaluation(double t, int length, int bits) : t_(t), length_(length), bits_(bits) {}

  [[nodiscard]] BallSeries of(const Formula& f) const {
    if (f.name == "t") {
      BallSeries t = exactly(t_);
      if (length_ > 1) {
        arb_poly_set_coeff_si(t.get(), 1, 1);
      }
      return t;
    }
    if (f.name == "r") {
      return of_table();
    }
    if (f.name == "number" || f.name == "pi") {
      return exactly(f.name == "pi" ? std::numbers::pi : f.number);
    }
    if (f.name == "?") {
      return of(f.parts[holds(of(f.parts[0])) ? 1 : 2]);
    }
    if (f.name == "&&" || f.name == "||") {
      // Both, as the reader has no short cut.
      const bool one = holds(of(f.parts[0]));
      const bool other = holds(of(f.parts[1]));
      return exactly((f.name == "&&" ? one && other : one || other) ? 1.0 : 0.0);
    }
    if (f.name == "^") {
      // 1^y and x^0 are 1 also where y or x has no value, as of pow() in C.
      const bool is_one = f.parts[0].name == "number" && f.parts[0].number == 1.0;
      const BallSeries exponent = is_one ? BallSeries() : of(f.parts[1]);
      return arb_poly_is_zero(exponent.get()) != 0 ? exactly(1.0) : power(of(f.parts[0]), exponent);
    }
    std::vector<BallSeries> arguments;
    for (const Formula& part : f.parts) {
      try {
        arguments.push_back(of(part));
      } catch (const Undefined&) {
        if (!truths.contains(f.name)) {
          throw;
        }
        // Of what is not a number only != holds.
        return exactly(f.name == "!=" ? 1.0 : 0.0);
      }
    }
    if (arguments.size() == 1) {
      return of_one(f.name, arguments[0]);
    }
    BallSeries result = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      result = of_two(f.name, result, arguments[i]);
    }
    if (f.name == "avg") {
      result = of_two("/", result, exactly(static_cast<double>(arguments.size())));
    }
    return result;
  }

 private:
  /// Undecided at a knot, where the slope jumps.
  [[nodiscard]] BallSeries of_table() const {
    const auto* const next = std::ranges::upper_bound(knots, t_, {}, &Knot::t);
    if (next != std::begin(knots) && std::prev(next)->t == t_) {
      throw Undecided();
    }
    if (next == std::begin(knots) || next == std::end(knots)) {
      return exactly(next == std::begin(knots) ? next->value : std::prev(next)->value);
    }
    const Knot& before = *std::prev(next);
    const BallSeries rise = of_two("-", exactly(next->value), exactly(before.value));
    const BallSeries width = of_two("-", exactly(next->t), exactly(before.t));
    const BallSeries way = of_two("-", of({"t", 0.0, {}}), exactly(before.t));
    return of_two("+", exactly(before.value), of_two("*", way, of_two("/", rise, width)));
  }

  /// -1, 0, 1.
  [[nodiscard]] static int sign_of(const Ball& a) {
    if (!a.is_finite() || (arb_contains_zero(a.get()) != 0 && arb_is_zero(a.get()) == 0)) {
      throw Undecided();
    }
    return arb_is_zero(a.get()) != 0 ? 0 : arb_is_positive(a.get()) != 0 ? 1 : -1;
  }
  [[nodiscard]] static bool holds(const BallSeries& a) { return sign_of(a[0]) != 0; }

  /// ⌊factor u + shift⌋; undecided at a corner, where that is whole.
  [[nodiscard]] Ball floor_of(const BallSeries& u, double factor, double shift,
                              bool corner = false) const {
    Ball x = u[0];
    const Ball ball_factor(factor);
    const Ball ball_shift(shift);
    arb_mul(x.get(), x.get(), ball_factor.get(), bits_);
    arb_add(x.get(), x.get(), ball_shift.get(), bits_);
    Ball whole;
    arb_floor(whole.get(), x.get(), bits_);
    if (!x.is_finite() || arb_is_int(whole.get()) == 0 || (corner && arb_is_int(x.get()) != 0)) {
      throw Undecided();
    }
    return whole;
  }
  [[nodiscard]] bool is_odd(const Ball& whole) const {
    Ball half;
    arb_mul_2exp_si(half.get(), whole.get(), -1);
    return arb_is_int(half.get()) == 0;
  }

  using OfSeries = void (*)(arb_poly_t, const arb_poly_t, slong, slong);
  [[nodiscard]] BallSeries apply(OfSeries function, const BallSeries& u) const {
    BallSeries f;
    function(f.get(), u.get(), length_, bits_);
    return f;
  }

  [[nodiscard]] BallSeries negative(BallSeries u) const {
    arb_poly_neg(u.get(), u.get());
    return u;
  }

  /// 2/(1 + e^(-2u)) - 1 for u > 0, which loses no digits of the coefficients where it is flat.
  [[nodiscard]] BallSeries hyperbolic_tangent(const BallSeries& u) const {
    if (arb_is_negative(u[0].get()) != 0) {
      return negative(hyperbolic_tangent(negative(u)));
    }
    const BallSeries q = apply(arb_poly_exp_series, of_two("*", exactly(-2.0), u));
    return of_two("-", of_two("/", exactly(2.0), of_two("+", exactly(1.0), q)), exactly(1.0));
  }

  /// Throws Undefined where a function of one argument certainly has no value.
  static void require_domain(std::string_view name, const Ball& u) {
    const Ball one(1.0);
    Ball size;
    arb_abs(size.get(), u.get());
    const bool is_logarithm = name == "ln" || name.starts_with("log");
    if ((is_logarithm && arb_is_nonpositive(u.get()) != 0) ||
        (name == "sqrt" && arb_is_negative(u.get()) != 0) ||
        (name == "acosh" && arb_lt(u.get(), one.get()) != 0) ||
        ((name == "asin" || name == "acos") && arb_gt(size.get(), one.get()) != 0) ||
        (name == "atanh" && arb_ge(size.get(), one.get()) != 0)) {
      throw Undefined();
    }
  }

  [[nodiscard]] BallSeries of_one(std::string_view name, const BallSeries& u) const {
    require_domain(name, u[0]);
    static const std::map<std::string_view, OfSeries> known{
        {"exp", arb_poly_exp_series},   {"log", arb_poly_log_series},
        {"ln", arb_poly_log_series},    {"sqrt", arb_poly_sqrt_series},
        {"sin", arb_poly_sin_series},   {"cos", arb_poly_cos_series},
        {"tan", arb_poly_tan_series},   {"sinh", arb_poly_sinh_series},
        {"cosh", arb_poly_cosh_series}, {"asin", arb_poly_asin_series},
        {"acos", arb_poly_acos_series}, {"atan", arb_poly_atan_series}};
    if (const auto found = known.find(name); found != known.end()) {
      return apply(found->second, u);
    }
    if (name == "minus") {
      return negative(u);
    }
    if (name == "tanh") {
      return hyperbolic_tangent(u);
    }
    if (name == "log2" || name == "log10") {
      Ball unit;
      (name == "log2" ? arb_const_log2 : arb_const_log10)(unit.get(), bits_);
      return of_two("/", apply(arb_poly_log_series, u), with_value(unit));
    }
    if (name == "asinh" || name == "acosh") {  // ln(u + √(u² ± 1))
      const BallSeries one = exactly(name == "asinh" ? 1.0 : -1.0);
      const BallSeries root = apply(arb_poly_sqrt_series, of_two("+", of_two("*", u, u), one));
      return apply(arb_poly_log_series, of_two("+", u, root));
    }
    if (name == "atanh") {
      const BallSeries one = exactly(1.0);
      const BallSeries ratio = of_two("/", of_two("+", one, u), of_two("-", one, u));
      return of_two("*", exactly(0.5), apply(arb_poly_log_series, ratio));
    }
    if (name == "sign") {
      return exactly(sign_of(u[0]));
    }
    if (name == "rint") {
      return with_value(floor_of(u, 1.0, 0.5));
    }
    if (name == "square") {
      return exactly(is_odd(floor_of(u, 2.0, 0.0)) ? -1.0 : 1.0);
    }
    if (name == "sawtooth") {
      return of_two("*", exactly(2.0), of_two("-", u, with_value(floor_of(u, 1.0, 0.5))));
    }
    if (name == "triangle") {
      Ball half = floor_of(u, 2.0, 0.5, true);
      const double slope = is_odd(half) ? -4.0 : 4.0;
      arb_mul_2exp_si(half.get(), half.get(), -1);
      return of_two("*", exactly(slope), of_two("-", u, with_value(half)));
    }
    if (name == "abs") {
      const int sign = sign_of(u[0]);
      if (sign == 0) {
        throw Undecided();
      }
      return sign < 0 ? negative(u) : u;
    }
    throw std::logic_error("no function " + std::string(name));
  }

  [[nodiscard]] BallSeries power(const BallSeries& a, const BallSeries& b) const {
    BallSeries f;
    const Ball p = b[0];
    const bool pole = arb_is_zero(a[0].get()) != 0 && arb_is_negative(p.get()) != 0;
    if (pole || (arb_is_negative(a[0].get()) != 0 && arb_contains_int(p.get()) == 0)) {
      throw Undefined();
    }
    if (arb_is_zero(a[0].get()) != 0 && arb_is_nonnegative(p.get()) == 0) {
      throw Undecided();
    }
    const bool fixed = arb_poly_length(b.get()) <= 1;
    if (!fixed || arb_is_int(p.get()) == 0) {
      arb_poly_pow_series(f.get(), a.get(), b.get(), length_, bits_);
      return f;
    }
    constexpr double most = 300;
    const double exponent = arf_get_d(arb_midref(p.get()), ARF_RND_NEAR);
    if (std::abs(exponent) <= most) {
      arb_poly_pow_ui_trunc_binexp(f.get(), a.get(), static_cast<ulong>(std::abs(exponent)),
                                   length_, bits_);
      return exponent < 0.0 ? of_two("/", exactly(1.0), f) : f;
    }
    const bool mirrored = arb_is_negative(a[0].get()) != 0;
    arb_poly_pow_arb_series(f.get(), (mirrored ? negative(a) : a).get(), p.get(), length_, bits_);
    return mirrored && is_odd(p) ? negative(f) : f;
  }

  /// Of a point that is not on the cut.
  [[nodiscard]] BallSeries angle(const BallSeries& y, const BallSeries& x) const {
    const Ball v = y[0];
    const Ball u = x[0];
    if (arb_contains_zero(v.get()) != 0 && arb_is_positive(u.get()) == 0) {
      throw Undecided();
    }
    BallSeries f;
    if (length_ > 1) {
      BallSeries dy;
      BallSeries dx;
      arb_poly_derivative(dy.get(), y.get(), bits_);
      arb_poly_derivative(dx.get(), x.get(), bits_);
      const BallSeries turn = of_two("-", of_two("*", dy, x), of_two("*", dx, y));
      const BallSeries radius = of_two("+", of_two("*", x, x), of_two("*", y, y));
      arb_poly_div_series(f.get(), turn.get(), radius.get(), length_ - 1, bits_);
      arb_poly_integral(f.get(), f.get(), bits_);
    }
    Ball value;
    arb_atan2(value.get(), v.get(), u.get(), bits_);
    arb_poly_set_coeff_arb(f.get(), 0, value.get());
    return f;
  }

  [[nodiscard]] BallSeries of_two(std::string_view name, const BallSeries& a,
                                  const BallSeries& b) const {
    if (name == "/" && arb_is_zero(b[0].get()) != 0) {
      throw Undefined();
    }
    using OfTwoSeries = void (*)(arb_poly_t, const arb_poly_t, const arb_poly_t, slong, slong);
    static const std::map<std::string_view, OfTwoSeries> known{
        {"+", arb_poly_add_series}, {"sum", arb_poly_add_series}, {"avg", arb_poly_add_series},
        {"-", arb_poly_sub_series}, {"*", arb_poly_mullow},       {"/", arb_poly_div_series}};
    if (const auto found = known.find(name); found != known.end()) {
      BallSeries f;
      found->second(f.get(), a.get(), b.get(), length_, bits_);
      return f;
    }
    if (name == "atan2") {
      return angle(a, b);
    }
    Ball difference;
    arb_sub(difference.get(), a[0].get(), b[0].get(), bits_);
    const int sign = sign_of(difference);
    if (name == "min" || name == "max") {
      if (sign == 0) {
        throw Undecided();
      }
      return (sign < 0) == (name == "min") ? a : b;
    }
    const int column = sign + 1;
    return exactly(truths.at(name).at(static_cast<std::size_t>(column)) ? 1.0 : 0.0);
  }

  double t_;
  slong length_;
  slong bits_;
};

}  // namespace

std::string Ball::text() const {
  constexpr slong digits = 25;
  char* const written = arb_get_str(ball_, digits, 0);
  std::string text = written;
  flint_free(written);
  return text;
}

Ball BallSeries::operator[](int k) const {
  Ball value;
  arb_poly_get_coeff_arb(value.get(), series_, k);
  return value;
}

BallSeries series_of(const Formula& f, double t, int length, int bits) {
  return Evaluation(t, length, bits).of(f);
}

}  // namespace masing::fuzz
