#include "fuzz/random_formula.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace masing::fuzz {

namespace {

Formula number(double value) {
  return {"number", value, {}};
}

Formula variable() {
  return {"t", 0.0, {}};
}

Formula call(const std::string& name, std::vector<Formula> parts) {
  return {name, 0.0, std::move(parts)};
}

bool is_arithmetic(std::string_view name) {
  return name.size() == 1 && std::string_view("+-*/^").find(name) != std::string_view::npos;
}

bool is_operator(std::string_view name) {
  constexpr std::array comparisons{"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
  return is_arithmetic(name) || std::ranges::find(comparisons, name) != comparisons.end();
}

Formula binary(const std::string& sign, Formula a, Formula b) {
  Formula f = call(sign, {std::move(a), std::move(b)});
  if (is_arithmetic(sign) && f.parts[0].is_number() && f.parts[1].is_number()) {
    f.parts[0] = variable();
  }
  return f;
}

Formula operator+(Formula a, Formula b) {
  return binary("+", std::move(a), std::move(b));
}
Formula operator-(Formula a, Formula b) {
  return binary("-", std::move(a), std::move(b));
}
Formula operator*(Formula a, Formula b) {
  return binary("*", std::move(a), std::move(b));
}
Formula operator/(Formula a, Formula b) {
  return binary("/", std::move(a), std::move(b));
}
Formula power(Formula a, Formula b) {
  return binary("^", std::move(a), std::move(b));
}
Formula square(Formula a) {
  return power(std::move(a), number(2.0));
}
Formula minus(Formula a) {
  return call("minus", {std::move(a)});
}

}  // namespace

bool Formula::is_number() const {
  return name == "number" || name == "pi" || (name == "minus" && parts[0].is_number());
}

std::string Formula::text() const {
  if (name == "number") {
    return std::signbit(number) ? fmt::format("({})", number) : fmt::format("{}", number);
  }
  if (name == "r") {
    return "r(t)";
  }
  if (parts.empty()) {
    return name;
  }
  if (name == "minus") {
    return "(-" + parts[0].text() + ")";
  }
  if (name == "?") {
    return "(" + parts[0].text() + "?" + parts[1].text() + ":" + parts[2].text() + ")";
  }
  if (is_operator(name)) {
    return "(" + parts[0].text() + name + parts[1].text() + ")";
  }
  std::string list;
  for (const Formula& part : parts) {
    list += (list.empty() ? "" : ",") + part.text();
  }
  return name + "(" + list + ")";
}

double RandomFormula::uniform(double low, double high) {
  constexpr std::size_t steps = std::size_t{1} << 53;
  return low +
         (high - low) * static_cast<double>(random_.below(steps)) / static_cast<double>(steps);
}

double RandomFormula::power_of_ten(double low, double high) {
  return std::pow(10.0, uniform(low, high));
}

double RandomFormula::constant() {
  constexpr std::array simple{0.5, 1.0, 2.0, 3.0, 0.25, 0.1, 10.0, 5.0, 8.0, 0.3, -1.0, 0.0};
  const std::size_t kind = random_.below(12);
  if (kind < 4) {
    return simple.at(random_.below(simple.size()));
  }
  if (kind < 7) {
    return std::rint(uniform(-300.0, 300.0)) / 100.0;
  }
  if (kind < 9) {
    return uniform(-3.0, 3.0);
  }
  if (kind < 11) {
    return power_of_ten(-8.0, 6.0) * (random_.once_in(4) ? -1.0 : 1.0);
  }
  return random_.once_in(4) ? power_of_ten(-310.0, 308.0) : uniform(-100.0, 100.0);
}

Feature RandomFormula::feature() {
  const double centre =
      random_.once_in(2) ? std::rint(uniform(-20.0, 20.0)) / 2.0 : uniform(-10.0, 10.0);
  const double width = random_.once_in(2) ? std::pow(10.0, -static_cast<double>(random_.below(9)))
                                          : power_of_ten(-8.0, 0.0);
  features_.push_back({centre, width});
  return features_.back();
}

Formula RandomFormula::pulse() {
  const auto [centre, width] = feature();
  const double size = random_.once_in(3) ? constant() : power_of_ten(-3.0, 6.0);
  const double rounded = std::rint(size);
  const Formula amplitude = number(rounded != 0.0 && random_.once_in(2) ? rounded : size);
  const Formula shift = centre == 0.0 ? variable() : variable() - number(centre);
  const Formula u = random_.once_in(3) ? number(1.0 / width) * shift : shift / number(width);
  const auto exponential = [&] { return call("exp", {random_.once_in(2) ? minus(u) : u}); };
  const Formula e = exponential();
  const Formula one = number(1.0);
  const Formula gauss = amplitude * call("exp", {minus(square(u))});
  return any_of({gauss, gauss, gauss, amplitude / square(call("cosh", {u})),
                 amplitude / (one + square(u)), amplitude * (one + call("tanh", {u})),
                 amplitude / (one + e), amplitude * call("exp", {minus(call("abs", {u}))}),
                 amplitude * e / square(one + exponential()),
                 call("ln", {random_.once_in(2) ? call("cosh", {u}) : one + e}),
                 amplitude / (e + exponential()), amplitude * call("exp", {minus(e)}),
                 amplitude * e});
}

Formula RandomFormula::leaf() {
  if (random_.once_in(4)) {
    return pulse();
  }
  const Formula constant_or_pi = random_.once_in(6) ? Formula{"pi", 0.0, {}} : number(constant());
  const Formula line = number(constant()) * variable() + number(constant());
  const Formula table{"r", 0.0, {}};
  return any_of({variable(), variable(), variable(), constant_or_pi, line, line, table});
}

/// A function that is not defined everywhere, mostly of an argument where it is.
Formula RandomFormula::restricted(const Formula& a, const Formula& b) {
  const bool defined = !random_.once_in(4);
  const Formula positive = defined ? number(random_.once_in(2) ? 1.5 : 1e-3) + square(a) : a;
  const Formula small = defined ? number(0.9) * call("sin", {a}) : a;
  return any_of({call(random_.one_of({"log", "ln", "log10", "log2"}), {positive}),
                 call("sqrt", {positive}), call(random_.one_of({"asin", "acos", "atanh"}), {small}),
                 call("acosh", {defined ? number(2.0) + square(a) : a}),
                 power(positive, number(constant())), power(positive, b), call("tan", {small}),
                 b / (defined ? number(2.5) + call("sin", {a}) : a),
                 call("atan2", {b, defined ? positive : a})});
}

Formula RandomFormula::branched(Formula a, Formula b) {
  switch (random_.below(7)) {
    case 0:
      return call("abs", {std::move(a)});
    case 1:
      return call(random_.one_of({"min", "max", "sum", "avg"}),
                  {std::move(a), std::move(b), leaf()});
    case 2:
      return call(random_.one_of({"sign", "rint"}), {std::move(a)});
    case 3:
      return call(random_.one_of({"triangle", "square", "sawtooth"}), {std::move(a)});
    case 4: {
      const Formula later = binary(random_.one_of({"<", ">="}), leaf(), leaf());
      const Formula both = binary(random_.one_of({"&&", "||"}), later, binary(">", a, number(1.0)));
      return call("?", {both, a, std::move(b)});
    }
    default: {
      const std::string sign = random_.one_of({"<", ">", "<=", ">=", "==", "!="});
      const Formula condition =
          binary(sign, leaf(), random_.once_in(2) ? leaf() : number(constant()));
      return call("?", {condition, std::move(a), std::move(b)});
    }
  }
}

Formula RandomFormula::tree(int depth) {
  if (depth <= 0) {
    return leaf();
  }
  const Formula a = tree(depth - 1);
  const auto b = [&] { return tree(depth - 1 - static_cast<int>(random_.below(2))); };
  const std::size_t kind = random_.below(16);
  if (kind < 5) {
    return binary(random_.one_of({"+", "-", "*", "*", "/"}), a, b());
  }
  if (kind < 7) {
    constexpr std::array exponents{3.0,   4.0,   7.0, -1.0, -2.0, 0.0,  1.0, 20.0,
                                   201.0, -16.0, 1e6, 3e9,  0.5,  -0.5, 1.5};
    return kind == 5 ? square(a) : power(a, number(exponents.at(random_.below(exponents.size()))));
  }
  if (kind < 10) {
    return call(random_.one_of({"sinh", "cosh", "tanh", "sin", "cos", "atan", "asinh"}), {a});
  }
  if (kind < 12) {
    const Formula inverse = number(1.0) / (number(1.0) + square(a));
    return any_of({call("exp", {minus(square(a))}), call("exp", {a}), minus(a), inverse});
  }
  return kind == 12 ? branched(a, b()) : restricted(a, b());
}

/// In any order, and added up in any.
Formula RandomFormula::sum(std::vector<Formula> terms) {
  while (terms.size() > 1) {
    const std::size_t at = random_.below(terms.size() - 1);
    Formula a = std::move(terms[at]);
    Formula b = std::move(terms[at + 1]);
    if (random_.once_in(2)) {
      std::swap(a, b);
    }
    terms[at] = random_.once_in(5) ? std::move(a) - std::move(b) : std::move(a) + std::move(b);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return terms[0];
}

Formula RandomFormula::formula() {
  if (random_.once_in(2)) {
    return tree(1 + static_cast<int>(random_.below(3)));
  }
  std::vector<Formula> terms;
  for (std::size_t i = 1 + random_.below(4); i > 0; --i) {
    terms.push_back(random_.once_in(4) ? tree(1 + static_cast<int>(random_.below(2))) : pulse());
  }
  return sum(std::move(terms));
}

}  // namespace masing::fuzz
