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

std::string Formula::text(char variable) const {
  if (name == "number") {
    return std::signbit(number) ? fmt::format("({})", number) : fmt::format("{}", number);
  }
  if (parts.empty()) {
    return name == "t" ? std::string(1, variable) : name;
  }
  if (name == "minus") {
    return "(-" + parts[0].text(variable) + ")";
  }
  if (name == "?") {
    return "(" + parts[0].text(variable) + "?" + parts[1].text(variable) + ":" +
           parts[2].text(variable) + ")";
  }
  if (is_operator(name)) {
    return "(" + parts[0].text(variable) + name + parts[1].text(variable) + ")";
  }
  std::string list;
  for (const Formula& part : parts) {
    list += (list.empty() ? "" : ",") + part.text(variable);
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
  switch (random_.below(13)) {
    case 0:
    case 1:
    case 2:
      return amplitude * call("exp", {minus(square(u))});
    case 3:
      return amplitude / square(call("cosh", {u}));
    case 4:
      return amplitude / (number(1.0) + square(u));
    case 5:
      return amplitude * (number(1.0) + call("tanh", {u}));
    case 6:
      return amplitude / (number(1.0) + exponential());
    case 7:
      return amplitude * call("exp", {minus(call("abs", {u}))});
    case 8:
      return amplitude * exponential() / square(number(1.0) + exponential());
    case 9:
      return call("ln", {random_.once_in(2) ? call("cosh", {u}) : number(1.0) + exponential()});
    case 10:
      return amplitude / (exponential() + exponential());
    case 11:
      return amplitude * call("exp", {minus(exponential())});
    default:
      return amplitude * exponential();
  }
}

Formula RandomFormula::leaf() {
  switch (random_.below(8)) {
    case 0:
    case 1:
    case 2:
      return variable();
    case 3:
      return random_.once_in(6) ? Formula{"pi", 0.0, {}} : number(constant());
    case 4:
    case 5:
      return number(constant()) * variable() + number(constant());
    default:
      return pulse();
  }
}

/// A function that is not defined everywhere, mostly of an argument where it is.
Formula RandomFormula::restricted(const Formula& a, Formula b) {
  const bool defined = !random_.once_in(4);
  const Formula positive = defined ? number(random_.once_in(2) ? 1.5 : 1e-3) + square(a) : a;
  const Formula small = defined ? number(0.9) * call("sin", {a}) : a;
  switch (random_.below(9)) {
    case 0:
      return call(random_.one_of({"log", "ln", "log10", "log2"}), {positive});
    case 1:
      return call("sqrt", {positive});
    case 2:
      return call(random_.one_of({"asin", "acos", "atanh"}), {small});
    case 3:
      return call("acosh", {defined ? number(2.0) + square(a) : a});
    case 4:
      return power(positive, number(constant()));
    case 5:
      return power(positive, std::move(b));
    case 6:
      return call("tan", {small});
    case 7:
      return std::move(b) / (defined ? number(2.5) + call("sin", {a}) : a);
    default:
      return call("atan2", {std::move(b), defined ? positive : a});
  }
}

/// A function with corners or jumps.
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
  switch (random_.below(16)) {
    case 0:
      return a + b();
    case 1:
      return a - b();
    case 2:
    case 3:
      return a * b();
    case 4:
      return a / b();
    case 5:
      return square(a);
    case 6: {
      constexpr std::array exponents{3.0,   4.0,   7.0, -1.0, -2.0, 0.0,  1.0, 20.0,
                                     201.0, -16.0, 1e6, 3e9,  0.5,  -0.5, 1.5};
      return power(a, number(exponents.at(random_.below(exponents.size()))));
    }
    case 7:
      return call("exp", {random_.once_in(2) ? minus(square(a)) : a});
    case 8:
      return call(random_.one_of({"sinh", "cosh", "tanh"}), {a});
    case 9:
      return call(random_.one_of({"sin", "cos"}), {a});
    case 10:
      return call(random_.one_of({"atan", "asinh"}), {a});
    case 11:
      return random_.once_in(2) ? minus(a) : number(1.0) / (number(1.0) + square(a));
    case 12:
      return branched(a, b());
    default:
      return restricted(a, b());
  }
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
