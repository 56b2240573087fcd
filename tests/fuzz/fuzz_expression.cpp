// Expressions made by chance: bytes, words of the language in any order, expressions, and those
// with some bytes damaged. Each is refused with a message, or all that can be asked of it has an
// answer: its values, the same one by one, in spans and of its text with the values of constants,
// its bounds, ranges, breaks and period. `--tries n --seed s`.

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "fuzz/fuzz.hpp"

using namespace masing;

namespace {

using base::Function;
using fuzz::Outcome;
using fuzz::RandomText;

const base::Constants constants{{"a", 1.5}, {"w", -0.8}, {"zero", -0.0}, {"large", 1e300}};
const base::Names names{"a", "w", "zero", "large"};

std::string words(RandomText& random) {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> some = base::split(
        "t a w zero large 1 2.5 .5 1e 1e300 e pi ( ) ( ) , + - * / ^ < <= > >= == != && || ? : = & "
        "| ! sin( cos( min( avg( atan2( sqrt( square( abs( # \xff",
        ' ');
    some.insert(some.end(), {std::string(210, 'n'), " ", "\t"});
    return some;
  }();
  std::string text;
  const std::size_t most = random.once_in(200) ? 4000 : 12;
  for (std::size_t i = 1 + random.below(most); i > 0; --i) {
    text += random.one_of(all);
  }
  return text;
}

std::string bytes(RandomText& random) {
  std::string text(random.below(random.once_in(200) ? 10100 : 30), ' ');
  for (char& each : text) {
    each = static_cast<char>(random.below(256));
  }
  return text;
}

std::string repeated(RandomText& random) {
  static const std::vector<std::string> all{"(",  "-",    "+",    "1+",    "t*",
                                            "2^", "t?1:", "sin(", "min(t,"};
  const std::string& part = random.one_of(all);
  std::string text;
  const std::size_t parts = 1 + random.below(random.once_in(10) ? 3000 : 210);
  for (std::size_t i = 0; i < parts; ++i) {
    text += part;
  }
  return text + "t" + std::string(part.back() == '(' || part.back() == ',' ? parts : 0, ')');
}

std::string made_by_chance(RandomText& random) {
  const std::size_t kind = random.below(10);
  return kind == 0                         ? bytes(random)
         : kind == 1 && random.once_in(20) ? repeated(random)
         : kind < 4                        ? words(random)
         : kind < 6                        ? random.damaged(random.expression())
                                           : random.expression();
}

bool same(double one, double other) {
  return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other) ||
         (std::isnan(one) && std::isnan(other));
}

void require(bool condition, const std::string& what) {
  if (!condition) {
    throw std::logic_error(what);
  }
}

void require_same_values(const Function& f) {
  static const std::vector<double> arguments{0.0, -0.0, 1.0, -2.5, 0.7, 1e-300, 1e200, 123.456};
  const Function again(f.text(), 't');
  std::vector<double> values(arguments.size());
  f.evaluate(arguments, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(same(f(arguments[i]), values[i]), "one value is not that of a span");
    require(same(again(arguments[i]), values[i]), "its text is another function: " + f.text());
    require(!f.is_constant() || same(values[i], values[0]), "it is not constant");
  }
}

void ask(const Function& f, RandomText& random) {
  require_same_values(f);
  const double first = 0.1 * static_cast<double>(random.below(100)) - 5.0;
  const double last = first + std::pow(10.0, static_cast<double>(random.below(12)) - 10.0);
  const auto [low, high] = f.bounds(first, last).value;
  require(!(low > high), fmt::format("[{}, {}] is no range", low, high));
  double before = 0.0;
  try {
    for (const double at : base::breaks({{"force", f}}, 10.0, {})) {
      require(at > before && at < 10.0, "a break that is not in order");
      before = at;
    }
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
  }
  if (const auto period = base::period_of(f, 100.0)) {
    require(*period > 0.0 && std::isfinite(*period), "it is no period");
  }
}

Outcome try_expression(RandomText& random, std::string& description) {
  const std::string text = made_by_chance(random);
  description = text;
  try {
    const Function f(text, 't', names);
    ask(f.bound(constants), random);
    return Outcome::taken;
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
    return Outcome::refused;
  }
}

}  // namespace

int main(int count, char** values) {
  return fuzz::run(count, values, try_expression);
}
