// Bounds of random expressions over random intervals against Arb, a library of rigorous arithmetic
// on balls that shares no code with them: at points of the interval the bounds hold Arb's Taylor
// coefficients to 200 bits; where the bounds say that the function is smooth also Taylor's
// remainders between two points, which would show a jump, a kink or a pole. Functions by which
// nothing overflows are left to base/test_bounds.cpp. Run with `--tries n --seed s`; a failure says
// how to make it again. Source: F. Johansson, IEEE Transactions on
// Computers 66 (2017) 1281-1292.

#include <arb.h>
#include <arb_poly.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounds.hpp"
#include "base/expression.hpp"
#include "base/text.hpp"
#include "corpus/chance.hpp"

using namespace masing;

namespace {

using base::Enclosure;
using corpus::Chance;

constexpr int order = base::taylor_order;
constexpr int bits = 200;

/// A real number known to lie in a ball; none is changed once it is made.
using Ball = std::shared_ptr<arb_struct>;

template <typename Make>
Ball ball(const Make& make) {
  Ball made(new arb_struct, [](arb_struct* old) {
    arb_clear(old);
    delete old;
  });
  arb_init(made.get());
  make(made.get());
  return made;
}

Ball ball_of(double value) {
  return ball([&](arb_struct* made) { arb_set_d(made, value); });
}

/// Taylor coefficients, each in a ball.
using BallSeries = std::shared_ptr<arb_poly_struct>;

template <typename Make>
BallSeries series(const Make& make) {
  BallSeries made(new arb_poly_struct, [](arb_poly_struct* old) {
    arb_poly_clear(old);
    delete old;
  });
  arb_poly_init(made.get());
  make(made.get());
  return made;
}

BallSeries constant(const Ball& value) {
  return series([&](arb_poly_struct* f) { arb_poly_set_coeff_arb(f, 0, value.get()); });
}

BallSeries constant(double value) {
  return constant(ball_of(value));
}

Ball coefficient(const BallSeries& f, int k) {
  return ball([&](arb_struct* made) { arb_poly_get_coeff_arb(made, f.get(), k); });
}

/// Thrown where balls do not tell which case of a comparison, abs(), min(), a wave … holds.
struct Undecided {};
/// Thrown where the function certainly has no value: outside the domain, or at a pole.
struct Undefined {};

/// What Arb says of an operation at t, as the first `length` Taylor coefficients about t.
class Arb {
 public:
  Arb(double t, int length) : t_(t), length_(length) {}

  /// The series of an expression. Throws Undecided and Undefined.
  [[nodiscard]] BallSeries of(std::span<const base::Operation> operations) const {
    return known(base::evaluate_on_stack<Value>(
        operations, [&](const base::Operation& operation, std::span<const Value> operands) {
          try {
            return Value{apply(operation, operands)};
          } catch (const Undecided&) {
            return Value{};
          } catch (const Undefined&) {
            return Value{.is_undefined = true};
          }
        }));
  }

 private:
  struct Value {
    BallSeries series = nullptr;  ///< null where it is undecided or undefined
    bool is_undefined = false;
  };

  static const BallSeries& known(const Value& value) {
    if (value.is_undefined) {
      throw Undefined();
    }
    return value.series != nullptr ? value.series : throw Undecided();
  }

  [[nodiscard]] BallSeries variable() const {
    return series([&](arb_poly_struct* t) {
      arb_poly_set_coeff_arb(t, 0, ball_of(t_).get());
      if (length_ > 1) {
        arb_poly_set_coeff_si(t, 1, 1);
      }
    });
  }

  [[nodiscard]] BallSeries apply(const base::Operation& operation,
                                 std::span<const Value> operands) const {
    const std::string_view name = operation.name();
    switch (operation.instruction) {
      case base::Instruction::number:
        return constant(operation.number);
      case base::Instruction::variable:
        return variable();
      case base::Instruction::choose:
        return known(operands[holds(known(operands[0])) ? 1 : 2]);
      default:
        break;
    }
    if (operands.size() == 1) {
      return of_one(name, known(operands[0]));
    }
    const auto is = [](const Value& value, double number) {
      return value.series != nullptr && arb_poly_length(value.series.get()) <= 1 &&
             arb_equal(coefficient(value.series, 0).get(), ball_of(number).get()) != 0;
    };
    if (name == "^" && (is(operands[0], 1.0) || is(operands[1], 0.0))) {
      return constant(1.0);  // whatever the other is, as of pow() in C
    }
    const bool is_comparison = truths().contains(name);
    for (const Value& each : operands) {
      if (is_comparison && each.is_undefined) {
        return constant(name == "!=" ? 1.0 : 0.0);  // of what is not a number only != holds
      }
      known(each);
    }
    return of_two(name, operands[0].series, operands[1].series);
  }

  /// Comparisons, and whether they hold where the difference is negative, zero and positive.
  static const std::map<std::string_view, std::array<bool, 3>>& truths() {
    static const std::map<std::string_view, std::array<bool, 3>> all{
        {"<", {true, false, false}}, {">", {false, false, true}},  {"<=", {true, true, false}},
        {">=", {false, true, true}}, {"==", {false, true, false}}, {"!=", {true, false, true}}};
    return all;
  }

  /// -1, 0 or 1.
  static int sign_of(const Ball& a) {
    const bool is_zero = arb_is_zero(a.get()) != 0;
    if (arb_is_finite(a.get()) == 0 || (arb_contains_zero(a.get()) != 0 && !is_zero)) {
      throw Undecided();
    }
    return is_zero ? 0 : arb_is_positive(a.get()) != 0 ? 1 : -1;
  }
  static bool holds(const BallSeries& a) { return sign_of(coefficient(a, 0)) != 0; }

  static BallSeries negative(const BallSeries& u) {
    return series([&](arb_poly_struct* f) { arb_poly_neg(f, u.get()); });
  }

  using OfSeries = void (*)(arb_poly_t, const arb_poly_t, slong, slong);
  [[nodiscard]] BallSeries apply(OfSeries function, const BallSeries& u) const {
    return series([&](arb_poly_struct* f) { function(f, u.get(), length_, bits); });
  }

  /// Throws Undefined where a function of one argument certainly has no value.
  static void require_domain(std::string_view name, const Ball& u) {
    const Ball one = ball_of(1.0);
    const Ball size = ball([&](arb_struct* made) { arb_abs(made, u.get()); });
    if ((name == "ln" && arb_is_nonpositive(u.get()) != 0) ||
        (name == "sqrt" && arb_is_negative(u.get()) != 0) ||
        ((name == "asin" || name == "acos") && arb_gt(size.get(), one.get()) != 0)) {
      throw Undefined();
    }
  }

  [[nodiscard]] BallSeries of_one(std::string_view name, const BallSeries& u) const {
    require_domain(name, coefficient(u, 0));
    static const std::map<std::string_view, OfSeries> known{
        {"exp", arb_poly_exp_series},   {"ln", arb_poly_log_series},
        {"sqrt", arb_poly_sqrt_series}, {"sin", arb_poly_sin_series},
        {"cos", arb_poly_cos_series},   {"tan", arb_poly_tan_series},
        {"sinh", arb_poly_sinh_series}, {"cosh", arb_poly_cosh_series},
        {"asin", arb_poly_asin_series}, {"acos", arb_poly_acos_series},
        {"atan", arb_poly_atan_series}};
    if (const auto found = known.find(name); found != known.end()) {
      return apply(found->second, u);
    }
    if (name == "(-)") {
      return negative(u);
    }
    if (name == "tanh") {
      return of_two("/", apply(arb_poly_sinh_series, u), apply(arb_poly_cosh_series, u));
    }
    if (name == "abs") {
      const int sign = sign_of(coefficient(u, 0));
      if (sign == 0) {
        throw Undecided();
      }
      return sign < 0 ? negative(u) : u;
    }
    throw std::logic_error(fmt::format("no function {}", name));
  }

  [[nodiscard]] BallSeries power(const BallSeries& a, const BallSeries& b) const {
    const Ball base = coefficient(a, 0);
    const Ball p = coefficient(b, 0);
    const bool is_zero = arb_is_zero(base.get()) != 0;
    const bool is_negative = arb_is_negative(base.get()) != 0;
    if ((is_zero && arb_is_negative(p.get()) != 0) ||
        (is_negative && arb_contains_int(p.get()) == 0)) {
      throw Undefined();
    }
    if (is_zero && arb_is_nonnegative(p.get()) == 0) {
      throw Undecided();
    }
    if (arb_poly_length(b.get()) > 1 || arb_is_int(p.get()) == 0) {
      return series(
          [&](arb_poly_struct* f) { arb_poly_pow_series(f, a.get(), b.get(), length_, bits); });
    }
    constexpr double most = 300;
    const double exponent = arf_get_d(arb_midref(p.get()), ARF_RND_NEAR);
    if (std::abs(exponent) <= most) {
      const BallSeries f = series([&](arb_poly_struct* made) {
        const auto whole = static_cast<ulong>(std::abs(exponent));
        arb_poly_pow_ui_trunc_binexp(made, a.get(), whole, length_, bits);
      });
      return exponent < 0.0 ? of_two("/", constant(1.0), f) : f;
    }
    const BallSeries size = is_negative ? negative(a) : a;
    const BallSeries f = series([&](arb_poly_struct* made) {
      arb_poly_pow_arb_series(made, size.get(), p.get(), length_, bits);
    });
    const Ball half = ball([&](arb_struct* made) { arb_mul_2exp_si(made, p.get(), -1); });
    return is_negative && arb_is_int(half.get()) == 0 ? negative(f) : f;
  }

  [[nodiscard]] BallSeries of_two(std::string_view name, const BallSeries& a,
                                  const BallSeries& b) const {
    if (name == "/" && arb_is_zero(coefficient(b, 0).get()) != 0) {
      throw Undefined();
    }
    using OfTwoSeries = void (*)(arb_poly_t, const arb_poly_t, const arb_poly_t, slong, slong);
    static const std::map<std::string_view, OfTwoSeries> known{
        {"+", arb_poly_add_series}, {"sum", arb_poly_add_series}, {"avg", arb_poly_add_series},
        {"-", arb_poly_sub_series}, {"*", arb_poly_mullow},       {"/", arb_poly_div_series}};
    if (const auto found = known.find(name); found != known.end()) {
      return series([&](arb_poly_struct* f) { found->second(f, a.get(), b.get(), length_, bits); });
    }
    if (name == "^") {
      return power(a, b);
    }
    const int sign = sign_of(ball([&](arb_struct* made) {
      arb_sub(made, coefficient(a, 0).get(), coefficient(b, 0).get(), bits);
    }));
    if (name == "min" || name == "max") {
      if (sign == 0) {
        throw Undecided();
      }
      return (sign < 0) == (name == "min") ? a : b;
    }
    return constant(truths().at(name).at(static_cast<std::size_t>(sign) + 1) ? 1.0 : 0.0);
  }

  double t_;
  slong length_;
};

/// Expressions of t made by chance, half of them with pulses of widths 1 to 1e-8, and places in and
/// beside the pulses.
class RandomExpression {
 public:
  explicit RandomExpression(Chance& chance) : chance_(chance) {}

  std::string text() {
    std::string sum = once_in(2) ? tree(1 + chance_.below(3)) : pulse();
    for (int i = once_in(2) ? 0 : chance_.below(4); i > 0; --i) {
      const std::string term = once_in(4) ? tree(1 + chance_.below(2)) : pulse();
      sum = once_in(2) ? "(" + sum + "+" + term + ")" : "(" + term + "-" + sum + ")";
    }
    return sum;
  }

  /// In or beside a pulse, or anywhere.
  double place() {
    if (pulses_.empty() || once_in(3)) {
      return once_in(3) ? std::rint(chance_.between(-8, 8)) / 4 : chance_.between(-10, 10);
    }
    const auto [centre, width] = any_of(pulses_);
    return once_in(4) ? centre : centre + chance_.between(-1, 1) * power_of_ten(-2, 2) * width;
  }

  /// From one point and its neighbours to ten times a pulse, mostly about one.
  std::pair<double, double> interval() {
    const double about = place();
    if (once_in(4)) {
      return {about, once_in(2) ? about : std::nextafter(about, HUGE_VAL)};
    }
    const double width = once_in(3) || pulses_.empty()
                             ? power_of_ten(-16, 1.5)
                             : power_of_ten(-3, 3) * any_of(pulses_).second;
    const double first = about - width * chance_.between(0, 1);
    return {first, first + width};
  }

 private:
  bool once_in(int n) { return chance_.below(n) == 0; }
  double power_of_ten(double low, double high) { return std::pow(10, chance_.between(low, high)); }
  template <typename Value>
  const Value& any_of(const std::vector<Value>& all) {
    return all[static_cast<std::size_t>(chance_.below(static_cast<int>(all.size())))];
  }

  double number() {
    const int kind = chance_.below(12);
    return kind < 4    ? any_of<double>({0.5, 1, 2, 3, 0.25, 0.1, 10, 5, 8, 0.3, -1, 0})
           : kind < 9  ? std::rint(chance_.between(-300, 300)) / 100
           : kind < 11 ? power_of_ten(-8, 6) * (once_in(4) ? -1 : 1)
                       : power_of_ten(-310, 308);
  }

  /// Of width W about its centre, u = (t - centre)/W.
  std::string pulse() {
    const double centre =
        once_in(2) ? std::rint(chance_.between(-20, 20)) / 2 : chance_.between(-10, 10);
    const double width = once_in(2) ? std::pow(10, -chance_.below(9)) : power_of_ten(-8, 0);
    pulses_.emplace_back(centre, width);
    const std::string u = fmt::format("((t-({}))/{})", centre, width);
    const double amplitude = once_in(3) ? number() : std::ceil(power_of_ten(-3, 6));
    return filled(any_of<std::string>({"A*exp(-U^2)", "A*exp(-U^2)", "A*exp(-U^2)", "A/cosh(U)^2",
                                       "A/(1+U^2)", "A*(1+tanh(U))", "A/(1+exp(V))",
                                       "A*exp(-abs(U))", "A*exp(V)/(1+exp(V))^2", "ln(cosh(U))",
                                       "ln(1+exp(V))", "A/(exp(V)+exp(V))", "A*exp(V)"}),
                  [&](char letter) {
                    return letter == 'A'                 ? fmt::format("({})", amplitude)
                           : letter == 'V' && once_in(2) ? "(-" + u + ")"
                                                         : u;
                  });
  }

  /// A pattern in parentheses, with texts in the places of its capital letters.
  template <typename TextOf>
  static std::string filled(const std::string& pattern, const TextOf& text_of) {
    std::string text = "(";
    for (const char each : pattern) {
      text += each >= 'A' && each <= 'Z' ? text_of(each) : std::string(1, each);
    }
    return text + ")";
  }

  /// X and Y: trees, each the same wherever it occurs. L: a leaf, C: a number. D is X where a
  /// function is mostly defined: X itself in a quarter of the cases, else positive; S is small.
  std::string tree(int depth) {
    static const std::vector<std::string> patterns = base::split(
        "X+Y X-Y X*Y X/Y X+Y X-Y X*Y X/Y X^2 X^2 sinh(X) cosh(X) tanh(X) sin(X) cos(X) "
        "atan(X) exp(-X^2) exp(X) -X 1/(1+X^2) X^3 X^7 X^-1 X^-2 X^0 X^201 X^1e6 X^3e9 "
        "X^0.5 X^1.5 abs(X) min(X,Y,L) max(X,Y,L) avg(X,Y,L) L<L?X:Y L<=C?X:Y L!=L?X:Y "
        "ln(D) sqrt(D) asin(S) acos(S) D^C D^Y tan(S) Y/(2.5+S) Y/X",
        ' ');
    if (depth <= 0) {
      return once_in(6) ? pulse()
             : once_in(4)
                 ? constant()
                 : filled(any_of<std::string>({"t", "C*t+C"}), [&](char) { return constant(); });
    }
    const std::string x = tree(depth - 1);
    const std::string y = tree(depth - 1 - chance_.below(2));
    const bool defined = !once_in(4);
    return filled(any_of(patterns), [&](char letter) {
      return letter == 'L'               ? tree(0)
             : letter == 'C'             ? constant()
             : letter == 'Y'             ? y
             : letter == 'X' || !defined ? x
             : letter == 'D'             ? (once_in(2) ? "(1.5+" : "(1e-3+") + x + "^2)"
                                         : "(0.9*sin" + x + ")";
    });
  }

  std::string constant() { return fmt::format("({})", number()); }

  Chance& chance_;
  std::vector<std::pair<double, double>> pulses_;  ///< centre and width
};

struct Counts {
  long long all = 0;     ///< coefficients
  long long inside = 0;  ///< of a finite enclosure, in which Arb's is
  long long sharp = 0;   ///< of those inside: over one point, and known to 1e-8
};

/// Compares an expression with Arb on [first, last]; throws std::logic_error where it is wrong.
class Comparison {
 public:
  Comparison(const base::Expression& expression, double first, double last, Counts& counts)
      : operations_(expression.operations()),
        claimed_(base::series_of(operations_, first, last)),
        is_point_(first == last),
        is_smooth_(claimed_.known == base::Known::smooth),
        counts_(counts) {}

  void at(double t) {
    BallSeries f;
    try {
      f = Arb(t, order + 1).of(operations_);
      terms_ = order + 1;
      if (arb_is_finite(coefficient(f, 0).get()) == 0) {
        f = Arb(t, 1).of(operations_);
        terms_ = 1;
      }
    } catch (const Undecided&) {
    } catch (const Undefined&) {
      if (is_smooth_ && claimed_.c[0].is_finite()) {
        fail(fmt::format("smooth, but without a value at {}", t), claimed_.c[0]);
      }
    }
    if (f == nullptr) {
      counts_.all += order + 1;
    } else {
      compare_coefficients(t, f);
      if (before_ != nullptr && is_smooth_ && t != before_t_) {
        compare_remainders(t, f);
      }
    }
    before_ = f;
    before_t_ = t;
  }

 private:
  enum class Place { inside, outside, open };

  /// An end that is NaN does not limit.
  static Place place(const Ball& number, const Enclosure& enclosure) {
    const Ball low = ball_of(std::isnan(enclosure.low) ? -HUGE_VAL : enclosure.low);
    const Ball high = ball_of(std::isnan(enclosure.high) ? HUGE_VAL : enclosure.high);
    if (arb_lt(number.get(), low.get()) != 0 || arb_gt(number.get(), high.get()) != 0) {
      return Place::outside;
    }
    return arb_ge(number.get(), low.get()) != 0 && arb_le(number.get(), high.get()) != 0
               ? Place::inside
               : Place::open;
  }

  void compare_coefficients(double t, const BallSeries& f) {
    for (int k = 0; k <= order; ++k) {
      const Enclosure enclosure = claimed_.coefficient(k);
      const Ball value = coefficient(f, k);
      ++counts_.all;
      if (arb_is_finite(value.get()) == 0 || k >= terms_) {
        continue;
      }
      const Place where = place(value, enclosure);
      if (where == Place::outside) {
        fail(fmt::format("coefficient {} at {} is {}", k, t, middle(value)), enclosure);
      }
      const bool is_inside = enclosure.is_finite() && where == Place::inside;
      counts_.inside += is_inside;
      constexpr double close = 1e-8;
      counts_.sharp +=
          is_point_ && is_inside && enclosure.high - enclosure.low <= close * enclosure.magnitude();
    }
  }

  /// f⁽ⁿ⁾/n! somewhere between x and y is (f(y) - Σ_{k<n} c_k (y - x)^k)/(y - x)^n, c those at x.
  void compare_remainders(double x, const BallSeries& f) const {
    const Ball step = ball(
        [&](arb_struct* made) { arb_sub(made, ball_of(before_t_).get(), ball_of(x).get(), bits); });
    Ball rest = coefficient(before_, 0);
    for (int n = 1; n <= order; ++n) {
      const Ball last = coefficient(f, n - 1);
      if (arb_is_finite(last.get()) == 0 || arb_is_finite(rest.get()) == 0) {
        return;
      }
      rest = ball([&](arb_struct* made) {
        arb_sub(made, rest.get(), last.get(), bits);
        arb_div(made, made, step.get(), bits);
      });
      if (place(rest, claimed_.coefficient(n)) == Place::outside) {
        fail(fmt::format("smooth, but remainder {} from {} to {} is {}", n, x, before_t_,
                         middle(rest)),
             claimed_.coefficient(n));
      }
    }
  }

  static double middle(const Ball& number) {
    return arf_get_d(arb_midref(number.get()), ARF_RND_NEAR);
  }

  [[noreturn]] static void fail(const std::string& what, const Enclosure& enclosure) {
    throw std::logic_error(fmt::format("{}, not in [{}, {}]", what, enclosure.low, enclosure.high));
  }

  std::span<const base::Operation> operations_;
  base::Series claimed_;
  bool is_point_;
  bool is_smooth_;
  Counts& counts_;
  int terms_ = 0;
  BallSeries before_;
  double before_t_ = 0.0;
};

}  // namespace

int main(int count, char** values) {
  const long long tries = std::stoll(corpus::option(count, values, "tries", "20000"));
  const long long seed = std::stoll(corpus::option(count, values, "seed", "1"));
  Counts counts;
  for (long long i = 0; i < tries; ++i) {
    Chance chance(static_cast<std::uint64_t>(seed + i));
    RandomExpression random(chance);
    const std::string text = random.text();
    const auto [first, last] = random.interval();
    try {
      const base::Expression expression(text, 't');
      Comparison comparison(expression, first, last, counts);
      comparison.at(chance.below(2) == 0 ? first : last);
      if (first < last) {
        comparison.at(std::clamp(chance.between(first, last), first, last));
        comparison.at(std::clamp(random.place(), first, last));
      }
    } catch (const std::exception& failure) {
      fmt::print(stderr, "--tries 1 --seed {}: {} on [{}, {}]\n{}\n", seed + i, text, first, last,
                 failure.what());
      return EXIT_FAILURE;
    }
  }
  fmt::print("of {} coefficients {} inside, {} sharp\n", counts.all, counts.inside, counts.sharp);
  // Bounds that say nothing would never be wrong.
  return 10 * counts.inside < 7 * counts.all || 50 * counts.sharp < counts.all ? EXIT_FAILURE
                                                                               : EXIT_SUCCESS;
}
