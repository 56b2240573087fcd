#include "base/bounds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::base {

namespace {

constexpr int order = Bounds::order;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr Enclosure everything{-infinity, infinity};
const double pi = std::acos(-1.0);

bool is_finite(const Enclosure& a) {
  return a.low - a.low == 0.0 && a.high - a.high == 0.0;
}

/// Widened by what functions of the mathematical library may be off.
Enclosure widened(double low, double high) {
  return {low - 2 * unit_roundoff * std::abs(low), high + 2 * unit_roundoff * std::abs(high)};
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Enclosure operator-(const Enclosure& a) {
  return {-a.high, -a.low};
}

/// Rounded outwards, unless the sum is exact.
Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  const auto error = [](double x, double y, double sum) {
    const double shown = sum - x;
    return (x - (sum - shown)) + (y - shown);
  };
  Enclosure sum{a.low + b.low, a.high + b.high};
  if (error(a.low, b.low, sum.low) < 0.0) {
    sum.low -= unit_roundoff * std::abs(sum.low);
  }
  if (error(a.high, b.high, sum.high) > 0.0) {
    sum.high += unit_roundoff * std::abs(sum.high);
  }
  return sum;
}

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  const bool zero = (a.low == 0.0 && a.high == 0.0) || (b.low == 0.0 && b.high == 0.0);
  if (zero) {
    return {};
  }
  if (!is_finite(a) || !is_finite(b)) {
    return everything;
  }
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low - unit_roundoff * std::abs(low), high + unit_roundoff * std::abs(high)};
}

Enclosure operator*(double factor, const Enclosure& a) {
  return Enclosure{factor, factor} * a;
}

Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  if (b.contains(0.0) || !is_finite(b)) {
    return everything;
  }
  return a * widened(1.0 / b.high, 1.0 / b.low);
}

Enclosure square_of(const Enclosure& a) {
  const double low = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  const double high = a.magnitude();
  return widened(low * low, high * high);
}

/// Taylor coefficients f⁽ᵏ⁾/k! over an interval; those from `terms` on are 0.
struct Series {
  std::array<Enclosure, order + 1> c{};
  int terms = 1;
  bool smooth = true;
};

Series constant(const Enclosure& value) {
  Series f;
  f.c[0] = value;
  return f;
}

Series number(double value) {
  return constant({value, value});
}

Series add(const Series& a, const Series& b) {
  Series f = a;
  f.terms = std::max(a.terms, b.terms);
  f.smooth = a.smooth && b.smooth;
  for (int k = 0; k < b.terms; ++k) {
    f.c[k] = a.c[k] + b.c[k];
  }
  return f;
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

Series multiply(const Series& a, const Series& b) {
  Series f;
  f.terms = std::min(order + 1, a.terms + b.terms - 1);
  f.smooth = a.smooth && b.smooth;
  for (int k = 0; k < f.terms; ++k) {
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

/// A series of all terms, or of one where `a` is constant.
Series made_from(const Series& a, const Enclosure& first) {
  Series f = constant(first);
  f.terms = a.terms == 1 ? 1 : order + 1;
  f.smooth = a.smooth && is_finite(first);
  return f;
}

/// Σ_{j=1..k} j u_j c_{k-j} / k: the coefficient of the integral of u' c.
Enclosure integrated(const Series& u, const Series& c, int k) {
  Enclosure sum;
  for (int j = 1; j <= std::min(k, u.terms - 1); ++j) {
    sum = sum + static_cast<double>(j) * (u.c[j] * c.c[k - j]);
  }
  return (1.0 / k) * sum;
}

Series divide(const Series& a, const Series& b) {
  Series f = made_from(b, a.c[0] / b.c[0]);
  f.terms = b.terms == 1 ? a.terms : order + 1;
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

Series exponential(const Series& u) {
  Series f = made_from(u, widened(std::exp(u.c[0].low), std::exp(u.c[0].high)));
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, f, k);
  }
  return f;
}

Series logarithm(const Series& u) {
  const bool positive = u.c[0].low > 0.0;
  Series f =
      made_from(u, positive ? widened(std::log(u.c[0].low), std::log(u.c[0].high)) : everything);
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

/// u^p for a u that is not negative.
Series power(const Series& u, double p) {
  const double low = std::pow(std::max(u.c[0].low, 0.0), p);
  const double high = std::pow(std::max(u.c[0].high, 0.0), p);
  Series f = made_from(u, widened(std::min(low, high), std::max(low, high)));
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

Series whole_power(const Series& u, int exponent) {
  Series f = number(1.0);
  for (int bit = 1 << 6; bit > 0; bit >>= 1) {
    f = squared(f);
    if ((exponent & bit) != 0) {
      f = multiply(f, u);
    }
  }
  return f;
}

Series power(const Series& base, const Series& exponent) {
  const bool fixed = exponent.terms == 1 && exponent.c[0].low == exponent.c[0].high;
  const double p = exponent.c[0].low;
  if (fixed && p == std::rint(p) && std::abs(p) < 128) {
    const Series f = whole_power(base, static_cast<int>(std::abs(p)));
    return p < 0.0 ? divide(number(1.0), f) : f;
  }
  return fixed ? power(base, p) : exponential(multiply(exponent, logarithm(base)));
}

/// Of sin(x + shift·π/2), over an interval.
Enclosure sine_of(const Enclosure& x, double shift) {
  if (!(x.high - x.low < 2 * pi)) {
    return {-1.0, 1.0};
  }
  const auto at = [&](double value) { return shift == 0.0 ? std::sin(value) : std::cos(value); };
  // Whether a place with phase (in turns) lies within, widened by rounding.
  const auto holds = [&](double phase) {
    const double slack = 4 * unit_roundoff * (1.0 + x.magnitude());
    return std::floor((x.high + slack) / (2 * pi) - phase) >
           std::floor((x.low - slack) / (2 * pi) - phase);
  };
  const Enclosure ends = widened(std::min(at(x.low), at(x.high)), std::max(at(x.low), at(x.high)));
  return {holds(0.75 - 0.25 * shift) ? -1.0 : std::max(ends.low, -1.0),
          holds(0.25 - 0.25 * shift) ? 1.0 : std::min(ends.high, 1.0)};
}

std::array<Series, 2> sine_and_cosine(const Series& u) {
  Series s = made_from(u, sine_of(u.c[0], 0.0));
  Series c = made_from(u, sine_of(u.c[0], 1.0));
  for (int k = 1; k < s.terms; ++k) {
    s.c[k] = integrated(u, c, k);
    c.c[k] = -integrated(u, s, k);
  }
  return {s, c};
}

/// The function with f' = u'/`denominator` and the given value.
Series from_slope(const Series& u, const Series& denominator, const Enclosure& value) {
  const Series reciprocal = divide(number(1.0), denominator);
  Series f = made_from(u, value);
  f.smooth = f.smooth && reciprocal.smooth;
  for (int k = 1; k < f.terms; ++k) {
    f.c[k] = integrated(u, reciprocal, k);
  }
  return f;
}

/// f(u) of a nondecreasing library function, limited to where it is defined.
template <class F>
Enclosure rising(const F& f, const Enclosure& u, double least, double most) {
  return widened(f(std::clamp(u.low, least, most)), f(std::clamp(u.high, least, most)));
}

Series root(const Series& u) {
  return power(u, 0.5);
}

Series arc_sine(const Series& u) {
  return from_slope(u, root(add(number(1.0), negative(squared(u)))),
                    rising([](double x) { return std::asin(x); }, u.c[0], -1.0, 1.0));
}

Series hyperbolic_tangent(const Series& u) {
  if (u.c[0].high < 0.0) {
    return negative(hyperbolic_tangent(negative(u)));
  }
  const Series q = exponential(scaled(-2.0, u));
  Series f = divide(add(number(1.0), negative(q)), add(number(1.0), q));
  f.c[0] = rising([](double x) { return std::tanh(x); }, u.c[0], -infinity, infinity);
  return f;
}

/// All cases of an undecided function.
Series either(const Series& a, const Series& b) {
  Series f;
  f.terms = std::max(a.terms, b.terms);
  f.smooth = false;
  for (int k = 0; k < f.terms; ++k) {
    f.c[k] = hull(a.c[k], b.c[k]);
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

Series smaller(const Series& a, const Series& b) {
  if (a.c[0].high <= b.c[0].low) {
    return a;
  }
  if (b.c[0].high <= a.c[0].low) {
    return b;
  }
  Series f = either(a, b);
  f.c[0] = {std::min(a.c[0].low, b.c[0].low), std::min(a.c[0].high, b.c[0].high)};
  return f;
}

Series larger(const Series& a, const Series& b) {
  return negative(smaller(negative(a), negative(b)));
}

/// A function that is constant between jumps, nondecreasing.
template <class F>
Series steps(const F& f, const Series& u) {
  Series result = constant({f(u.c[0].low), f(u.c[0].high)});
  result.smooth = u.smooth && result.c[0].low == result.c[0].high;
  return result;
}

/// A whole number of an interval, none if it is undecided.
bool same_whole(double low, double high, double& whole) {
  whole = low;
  return low == high;
}

Series triangle_wave(const Series& u) {
  double branch = 0.0;
  if (!same_whole(std::floor(2 * u.c[0].low + 0.5), std::ceil(2 * u.c[0].high + 0.5) - 1, branch) &&
      u.c[0].low != u.c[0].high) {
    Series f = either(scaled(4.0, u), scaled(-4.0, u));
    f.c[0] = {-1.0, 1.0};
    return f;
  }
  const double sign = std::fmod(branch, 2.0) == 0.0 ? 4.0 : -4.0;
  return scaled(sign, add(u, number(-branch / 2)));
}

Series square_wave(const Series& u) {
  double branch = 0.0;
  if (!same_whole(std::floor(2 * u.c[0].low), std::floor(2 * u.c[0].high), branch)) {
    Series f = constant({-1.0, 1.0});
    f.smooth = false;
    return f;
  }
  Series f = number(std::fmod(branch, 2.0) == 0.0 ? 1.0 : -1.0);
  f.smooth = u.smooth;
  return f;
}

Series sawtooth_wave(const Series& u) {
  double branch = 0.0;
  if (!same_whole(std::floor(u.c[0].low + 0.5), std::floor(u.c[0].high + 0.5), branch)) {
    Series f = scaled(2.0, u);
    f.c[0] = {-1.0, 1.0};
    f.smooth = false;
    return f;
  }
  return scaled(2.0, add(u, number(-branch)));
}

/// 1 for true, 0 for false, 1/2 for undecided.
double truth(const Enclosure& a) {
  if (!a.contains(0.0)) {
    return 1.0;
  }
  return a.low == 0.0 && a.high == 0.0 ? 0.0 : 0.5;
}

Series logical(double value, bool smooth) {
  Series f = value == 0.5 ? constant({0.0, 1.0}) : number(value);
  f.smooth = smooth && value != 0.5;
  return f;
}

/// a < b.
double less(const Enclosure& a, const Enclosure& b) {
  return a.high < b.low ? 1.0 : a.low >= b.high ? 0.0 : 0.5;
}

double equal(const Enclosure& a, const Enclosure& b) {
  if (a.low == a.high && b.low == b.high) {
    return a.low == b.low ? 1.0 : 0.0;
  }
  return a.high < b.low || b.high < a.low ? 0.0 : 0.5;
}

Series arc_tangent_2(const Series& y, const Series& x) {
  if (x.c[0].low > 0.0 || y.c[0].low > 0.0 || y.c[0].high < 0.0) {
    const Series radius = add(squared(x), squared(y));
    Series f = constant(widened(-pi, pi));
    f.terms = order + 1;
    // θ' = (y' x - y x')/(x² + y²)
    const Series a = divide(x, radius);
    const Series b = divide(y, radius);
    f.smooth = a.smooth && b.smooth;
    for (int k = 1; k <= order; ++k) {
      f.c[k] = integrated(y, a, k) + -integrated(x, b, k);
    }
    Enclosure corners{infinity, -infinity};
    for (const double v : {y.c[0].low, y.c[0].high}) {
      for (const double u : {x.c[0].low, x.c[0].high}) {
        corners = hull(corners, widened(std::atan2(v, u), std::atan2(v, u)));
      }
    }
    f.c[0] = corners;
    return f;
  }
  Series f = constant(widened(-pi, pi));
  f.smooth = false;
  return f;
}

enum Code : int {
  code_number,
  code_variable,
  code_negate,
  code_add,
  code_subtract,
  code_multiply,
  code_divide,
  code_power,
  code_less,
  code_greater,
  code_less_equal,
  code_greater_equal,
  code_equal,
  code_not_equal,
  code_and,
  code_or,
  code_choose,
  code_function  ///< + index into `functions`
};

using Stack = std::vector<Series>;

/// A function of one argument, or of two or more one after the other.
struct Named {
  std::string_view name;
  Series (*one)(const Series&) = nullptr;
  Series (*two)(const Series&, const Series&) = nullptr;
};

constexpr std::array functions{
    Named{"sin", [](const Series& u) { return sine_and_cosine(u)[0]; }},
    Named{"cos", [](const Series& u) { return sine_and_cosine(u)[1]; }},
    Named{"tan",
          [](const Series& u) {
            const auto [s, c] = sine_and_cosine(u);
            return divide(s, c);
          }},
    Named{"asin", arc_sine},
    Named{"acos",
          [](const Series& u) { return add(number(std::acos(0.0)), negative(arc_sine(u))); }},
    Named{"atan",
          [](const Series& u) {
            return from_slope(
                u, add(number(1.0), squared(u)),
                rising([](double x) { return std::atan(x); }, u.c[0], -infinity, infinity));
          }},
    Named{"atan2", nullptr, arc_tangent_2},
    Named{"sinh",
          [](const Series& u) {
            return scaled(0.5, add(exponential(u), negative(exponential(negative(u)))));
          }},
    Named{
        "cosh",
        [](const Series& u) { return scaled(0.5, add(exponential(u), exponential(negative(u)))); }},
    Named{"tanh", hyperbolic_tangent},
    Named{"asinh",
          [](const Series& u) {
            return from_slope(
                u, root(add(number(1.0), squared(u))),
                rising([](double x) { return std::asinh(x); }, u.c[0], -infinity, infinity));
          }},
    Named{"acosh",
          [](const Series& u) {
            return from_slope(
                u, root(add(squared(u), number(-1.0))),
                rising([](double x) { return std::acosh(x); }, u.c[0], 1.0, infinity));
          }},
    Named{"atanh",
          [](const Series& u) {
            return from_slope(u, add(number(1.0), negative(squared(u))),
                              rising([](double x) { return std::atanh(x); }, u.c[0], -1.0, 1.0));
          }},
    Named{"log2", [](const Series& u) { return scaled(1.0 / std::log(2.0), logarithm(u)); }},
    Named{"log10", [](const Series& u) { return scaled(1.0 / std::log(10.0), logarithm(u)); }},
    Named{"log", logarithm},
    Named{"ln", logarithm},
    Named{"exp", exponential},
    Named{"sqrt", root},
    Named{"sign",
          [](const Series& u) {
            return steps([](double x) { return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0; }, u);
          }},
    Named{"rint",
          [](const Series& u) { return steps([](double x) { return std::floor(x + 0.5); }, u); }},
    Named{"abs", absolute},
    Named{"triangle", triangle_wave},
    Named{"square", square_wave},
    Named{"sawtooth", sawtooth_wave},
    Named{"sum", nullptr, add},
    Named{"avg", nullptr, add},
    Named{"min", nullptr, smaller},
    Named{"max", nullptr, larger},
};

/// Reads muParser's language into operations in reverse Polish order.
class Reader {
 public:
  Reader(const std::string& text, char variable, const std::map<std::string, double>& constants,
         std::vector<ExpressionBounds::Operation>& operations)
      : variable_(variable), constants_(constants), operations_(operations) {
    std::ranges::copy_if(text, std::back_inserter(text_),
                         [](unsigned char c) { return std::isspace(c) == 0; });
  }

  void read() {
    choice();
    if (at_ != text_.size()) {
      fail();
    }
  }

 private:
  struct Operator {
    std::string_view sign;
    int code;
  };

  [[noreturn]] void fail() const {
    throw UserError("'" + text_ + "' cannot be bounded, from position " + std::to_string(at_ + 1));
  }

  bool take(std::string_view sign) {
    const bool there = std::string_view(text_).substr(at_).starts_with(sign);
    at_ += there ? sign.size() : 0;
    return there;
  }

  void emit(int code, double value = 0.0, int arguments = 0) {
    operations_.push_back({code, value, arguments});
  }

  template <std::size_t count>
  void chain(const std::array<Operator, count>& operators, void (Reader::*operand)()) {
    (this->*operand)();
    for (;;) {
      const auto found =
          std::ranges::find_if(operators, [this](const Operator& each) { return take(each.sign); });
      if (found == operators.end()) {
        return;
      }
      (this->*operand)();
      emit(found->code);
    }
  }

  void choice() {
    disjunction();
    if (take("?")) {
      choice();
      if (!take(":")) {
        fail();
      }
      choice();
      emit(code_choose);
    }
  }
  void disjunction() { chain(std::array{Operator{"||", code_or}}, &Reader::conjunction); }
  void conjunction() { chain(std::array{Operator{"&&", code_and}}, &Reader::comparison); }
  void comparison() {
    chain(std::array{Operator{"<=", code_less_equal}, Operator{">=", code_greater_equal},
                     Operator{"!=", code_not_equal}, Operator{"==", code_equal},
                     Operator{"<", code_less}, Operator{">", code_greater}},
          &Reader::addition);
  }
  void addition() {
    chain(std::array{Operator{"+", code_add}, Operator{"-", code_subtract}},
          &Reader::multiplication);
  }
  void multiplication() {
    chain(std::array{Operator{"*", code_multiply}, Operator{"/", code_divide}},
          &Reader::signed_power);
  }
  void signed_power() {
    const bool minus = take("-");
    if (!minus) {
      take("+");
    }
    primary();
    if (take("^")) {
      signed_power();
      emit(code_power);
    }
    if (minus) {
      emit(code_negate);
    }
  }

  void primary() {
    if (take("(")) {
      choice();
      close();
    } else if (at_ < text_.size() && (std::isdigit(here()) != 0 || text_[at_] == '.')) {
      literal();
    } else {
      name();
    }
  }

  [[nodiscard]] unsigned char here() const { return static_cast<unsigned char>(text_[at_]); }

  void close() {
    if (!take(")")) {
      fail();
    }
  }

  void literal() {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) {
        ++end;
      }
    };
    digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      ++end;
      end += end < text_.size() && (text_[end] == '+' || text_[end] == '-') ? 1 : 0;
      digits();
    }
    emit(code_number, std::strtod(text_.substr(at_, end - at_).c_str(), nullptr));
    at_ = end;
  }

  void name() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (take("(")) {
      call(word);
    } else if (word == std::string(1, variable_)) {
      emit(code_variable);
    } else if (const auto known = constants_.find(word); known != constants_.end()) {
      emit(code_number, known->second);
    } else if (word == "pi" || word == "_pi") {
      emit(code_number, pi);
    } else if (word == "_e") {
      emit(code_number, std::exp(1.0));
    } else {
      fail();
    }
  }

  void call(const std::string& word) {
    const auto* const found = std::ranges::find(functions, word, &Named::name);
    if (found == functions.end()) {
      fail();
    }
    int arguments = 0;
    do {
      choice();
      ++arguments;
    } while (take(","));
    close();
    emit(code_function + static_cast<int>(found - functions.begin()), 0.0, arguments);
    if (word == "avg") {
      emit(code_number, arguments);
      emit(code_divide);
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  char variable_;
  const std::map<std::string, double>& constants_;
  std::vector<ExpressionBounds::Operation>& operations_;
};

Series combined(int code, const Series& a, const Series& b) {
  const bool smooth = a.smooth && b.smooth;
  const Enclosure& x = a.c[0];
  const Enclosure& y = b.c[0];
  switch (code) {
    case code_add:
      return add(a, b);
    case code_subtract:
      return add(a, negative(b));
    case code_multiply:
      return multiply(a, b);
    case code_divide:
      return divide(a, b);
    case code_power:
      return power(a, b);
    case code_less:
      return logical(less(x, y), smooth);
    case code_greater:
      return logical(less(y, x), smooth);
    case code_less_equal:
      return logical(1.0 - less(y, x), smooth);
    case code_greater_equal:
      return logical(1.0 - less(x, y), smooth);
    case code_equal:
      return logical(equal(x, y), smooth);
    case code_not_equal:
      return logical(1.0 - equal(x, y), smooth);
    case code_and:
      return logical(std::min(truth(x), truth(y)), smooth);
    default:
      return logical(std::max(truth(x), truth(y)), smooth);
  }
}

void apply(const ExpressionBounds::Operation& operation, const Series& variable, Stack& stack) {
  const auto pop = [&stack] {
    Series top = stack.back();
    stack.pop_back();
    return top;
  };
  if (operation.code == code_number) {
    stack.push_back(number(operation.number));
  } else if (operation.code == code_variable) {
    stack.push_back(variable);
  } else if (operation.code == code_negate) {
    stack.back() = negative(stack.back());
  } else if (operation.code == code_choose) {
    const Series other = pop();
    const Series one = pop();
    const Series condition = pop();
    const double choice = truth(condition.c[0]);
    stack.push_back(choice == 0.5 ? either(one, other) : choice == 1.0 ? one : other);
    stack.back().smooth = stack.back().smooth && condition.smooth;
  } else if (operation.code >= code_function) {
    const Named& named = functions[static_cast<std::size_t>(operation.code - code_function)];
    if (named.one != nullptr) {
      stack.back() = named.one(stack.back());
      return;
    }
    for (int i = 1; i < operation.arguments; ++i) {
      const Series last = pop();
      stack.back() = named.two(stack.back(), last);
    }
  } else {
    const Series last = pop();
    stack.back() = combined(operation.code, stack.back(), last);
  }
}

}  // namespace

double Enclosure::magnitude() const {
  if (std::isnan(low) || std::isnan(high)) {
    return infinity;
  }
  return std::max(std::abs(low), std::abs(high));
}

Bounds sum(const Bounds& f, double factor, const Bounds& g) {
  return {.value = f.value + factor * g.value,
          .slope = f.slope + factor * g.slope,
          .top = f.top + factor * g.top,
          .smooth = f.smooth && g.smooth};
}

double Bounds::remainder(double width) const {
  const double size = top.magnitude() * std::pow(0.5 * width, order);
  if (!smooth || std::isnan(size)) {
    return infinity;
  }
  return size;
}

ExpressionBounds::ExpressionBounds(const std::string& text, char variable,
                                   const std::map<std::string, double>& constants) {
  Reader(text, variable, constants, operations_).read();
}

Bounds ExpressionBounds::over(double first, double last) const {
  Series variable = constant({first, last});
  variable.c[1] = {1.0, 1.0};
  variable.terms = 2;
  Stack stack;
  for (const Operation& operation : operations_) {
    apply(operation, variable, stack);
  }
  const Series& f = stack.back();
  return {f.c[0], f.c[1], f.c[order],
          f.smooth && is_finite(f.c[0]) && is_finite(f.c[1]) && is_finite(f.c[order])};
}

}  // namespace masing::base
