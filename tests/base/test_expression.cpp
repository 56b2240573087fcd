// The language of functions against muParser 2.3.3, whose answers on 2,000 texts are kept in
// muparser_answers.txt, with how they were made; and what these do not cover: hints, constants, the
// order of operations to the bit, long and deep texts.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "support/given.hpp"

namespace masing::test_expression {

using base::Expression;
using base::Function;

struct Answer {
  std::string text;
  bool is_refused = false;
  int position = 0;                              // of the fault, from 1; 0: not said
  std::vector<std::array<double, 3>> at_points;  // argument, value, largest term
};

/// The text that the file has with its escapes, \\ and \xHH.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\';
    i += is_escape ? 1 : 0;
    if (is_escape && text[i] == 'x') {
      plain += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

Answer answer_of(const std::string& line) {
  const std::size_t tab = line.find('\t');
  Answer answer{.text = unescaped(line.substr(0, tab))};
  const std::string given = line.substr(tab + 1);
  if (given.starts_with("refused")) {
    answer.is_refused = true;
    answer.position = std::atoi(given.substr(std::string("refused").size()).c_str());
    return answer;
  }
  for (const std::string& point : base::split(given, '|')) {
    const std::vector<std::string> words = base::split(point, ' ');
    std::array<double, 3> numbers{};
    std::ranges::transform(words, numbers.begin(), [](const std::string& word) {
      return std::strtod(word.c_str(), nullptr);
    });
    answer.at_points.push_back(numbers);
  }
  return answer;
}

/// Those in the file, whose heading ends with an empty line.
const std::vector<Answer>& answers() {
  static const std::vector<Answer> all = [] {
    std::ifstream file(MASING_MUPARSER_ANSWERS);
    std::vector<Answer> read;
    std::string line;
    while (std::getline(file, line) && !line.empty()) {
    }
    while (std::getline(file, line)) {
      read.push_back(answer_of(line));
    }
    return read;
  }();
  return all;
}

Function function_of_t(const std::string& text) {
  const base::Constants constants{{"a", 1.5}, {"F", 0.45}, {"w", 0.5}};
  return Function(text, 't', {"a", "F", "w"}).bound(constants);
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { function_of_t(text); });
}

/// The position that a message names; 0 where it names none.
int position_in(const std::string& message) {
  constexpr std::string_view words = "at position ";
  const std::size_t found = message.rfind(words);
  return found == std::string::npos ? 0 : std::atoi(message.c_str() + found + words.size());
}

/// Euler's number is e here; muParser has it as _e alone.
bool uses_e(const std::string& text) {
  static const std::regex e("(^|[^A-Za-z0-9_.])e($|[^A-Za-z0-9_.])");
  return std::regex_search(text, e);
}

/// Values agree within 4 units in the last place of the largest term by which a rounding enters. A
/// parser may join constants or not (2*pi*t/5) and multiply or raise to a power (t^3): roundings of
/// 0.5 units each, of which few texts have more than eight.
void expect_values(const Answer& answer) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  const Function f = function_of_t(answer.text);
  for (const auto& [argument, value, term] : answer.at_points) {
    const double got = f(argument);
    const double allowed =
        term > 0 ? 4 * std::max(unit * term, std::numeric_limits<double>::denorm_min()) : 0.0;
    EXPECT_TRUE(std::isfinite(value) ? std::abs(got - value) <= allowed
                                     : got == value || (std::isnan(got) && std::isnan(value)))
        << answer.text << fmt::format("\nat {}: {}, not {}", argument, got, value);
  }
}

/// muParser says of a sign after a sign where it ends; one character more or less is as good. A
/// sign = was looked for before anything else, and several values were seen last.
void expect_position(const Answer& answer, const std::string& message) {
  const int position = position_in(message);
  const auto is_at = [&](int place, const char* sign) {
    return place > 0 && answer.text.substr(place - 1, 1) == sign;
  };
  const bool is_first =
      position < answer.position && (is_at(answer.position, "=") || is_at(position, ","));
  EXPECT_TRUE(std::abs(position - answer.position) <= 1 || is_first)
      << answer.text << '\n'
      << answer.position << ", not: " << message;
}

TEST(Language, has_the_texts_values_and_faults_of_muparser) {
  ASSERT_EQ(answers().size(), 2000U);
  for (const Answer& answer : answers()) {
    const std::string message = refusal(answer.text);
    if (!uses_e(answer.text)) {
      EXPECT_EQ(!message.empty(), answer.is_refused) << answer.text << '\n' << message;
      if (answer.position > 0) {
        expect_position(answer, message);
      }
    }
    if (message.empty() && !answer.is_refused) {
      expect_values(answer);
    }
  }
}

TEST(Language, has_texts_of_at_most_10000_characters) {
  std::string text = "t";
  while (text.size() < 9999) {
    text += "+t";
  }
  EXPECT_EQ(refusal(text + " ").size(), 0U);  // a blank at an end does not count
  EXPECT_EQ(function_of_t(text)(2.0), 10000.0);
  EXPECT_EQ(refusal("-" + text), "");
  EXPECT_NE(refusal("1+" + text).find("10001 characters; at most 10000"), std::string::npos);
}

const base::Constants all_values{{"a", 1.5}, {"b", -0.3}, {"zero", -0.0}, {"large", -1e300}};
const base::Names names{"a", "b", "zero", "large"};

Expression parsed(const std::string& text) {
  return Expression(text, 't', names).bound(all_values);
}

std::string fault_of(const std::string& text) {
  return given::mistake([&] { parsed(text); });
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

TEST(Expression, hints_at_what_would_be_right) {
  const std::pair<const char*, std::vector<std::string>> hints[] = {
      {"a power is written ^", {"t**2"}},
      {"a product needs its *", {"2t", "2(t)", "(t)(t)", "t(2)", "a sin(t)"}},
      {"compare with ==", {"t=2"}},
      {"decimals with a point", {"1,2"}},
      {"sin(...)", {"sin"}},
      {"takes one argument", {"sin(1,2)"}},
      {"takes two arguments", {"atan2(1)"}},
      {"needs an argument", {"min()"}},
      {"too large", {"1e400"}},
      {"there is no 'c'", {"c+1"}},
      {"there is no function 'Sin'; did you mean sin?", {"Sin(t)"}},
      {"at position 3: there is no function 'sine'; did you mean sin?", {"1+sine(t)"}},
      {"did you mean atan?", {"arctan(t)"}},
      {"at position 5: there is no 'x'; did you mean t?", {"sin(x)"}},
      {"there is no 'PI'; did you mean pi?", {"2*PI*t"}},
      {"there is no 'zreo'; did you mean zero?", {"zreo*t"}},
      {"at position 3: write sin, without np.", {"2*np.sin(t)"}},
      {"write pi, without math.", {"math.pi"}},
      {"'i' has no meaning here", {"i"}},
      {"there is no 'np'", {"np."}},
      {"there is no function 'erf'", {"erf(t)"}}};
  for (const auto& [hint, texts] : hints) {
    for (const std::string& text : texts) {
      EXPECT_NE(fault_of(text).find(hint), std::string::npos) << text << ": " << fault_of(text);
    }
  }
}

/// The texts beside them have the values 1.5, -0.3, -0 and -1e300 in the places of the constants.
TEST(Expression, has_the_bits_of_its_text_with_values_in_the_places_of_constants) {
  const std::pair<std::string, std::string> texts[] = {
      {"2*a*t", "2*1.5*t"},       {"min(a,t,b)+avg(a)", "min(1.5,t,(-0.3))+avg(1.5)"},
      {"-a^2", "-1.5^2"},         {"-b^2*t", "-(-0.3)^2*t"},
      {"t-b", "t-(-0.3)"},        {"a*b/3+t", "1.5*(-0.3)/3+t"},
      {"b^t", "(-0.3)^t"},        {"t/a/b", "t/1.5/(-0.3)"},
      {"2^-b", "2^-(-0.3)"},      {"zero*t+zero", "(-0)*t+(-0)"},
      {"1/zero^2", "1/(-0)^2"},   {"t<a?b:a", "t<1.5?(-0.3):1.5"},
      {"large*t", "(-1e+300)*t"}, {" a +a*t", " 1.5 +1.5*t"},
      {"sin(3)*t", "sin(3)*t"}};
  for (const auto& [text, written] : texts) {
    const Expression bound = parsed(text);
    const Expression plain(written, 't');
    EXPECT_EQ(bound.text(), written);
    EXPECT_TRUE(bound.constants().empty()) << text;
    EXPECT_EQ(bound.is_constant(), plain.is_constant()) << text;
    ASSERT_EQ(bound.operations().size(), plain.operations().size()) << text;
    for (std::size_t i = 0; i < plain.operations().size(); ++i) {
      EXPECT_EQ(bits(bound.operations()[i].number), bits(plain.operations()[i].number)) << text;
    }
    for (const double t : {0.0, -0.0, 0.7, -2.5, 1e200}) {
      if (!std::isnan(plain(t))) {
        EXPECT_EQ(bits(bound(t)), bits(plain(t))) << text << " at " << t;
      }
    }
  }
}

TEST(Expression, keeps_its_constants_until_they_are_bound) {
  const Expression f("a*t+b-a+pi*e", 't', names);
  EXPECT_EQ(f.constants(), (base::Names{"a", "b"}));
  EXPECT_TRUE(std::isnan(f(1.0)));
  // Bound again and again to other values: a scan.
  EXPECT_EQ(f.bound({{"a", 2.0}, {"b", 1.0}})(3.0), 2.0 * 3.0 + 1.0 - 2.0 + M_PI * M_E);
  EXPECT_EQ(f.bound({{"a", -1.0}, {"b", 0.5}})(3.0), -1.0 * 3.0 + 0.5 - -1.0 + M_PI * M_E);
  EXPECT_EQ(f.text(), "a*t+b-a+pi*e");
  const Expression half = f.bound({{"b", 7.25}});  // a keeps its place
  EXPECT_EQ(half.constants(), (base::Names{"a"}));
  EXPECT_EQ(half.text(), "a*t+7.25-a+pi*e");
  EXPECT_EQ(half.bound({{"a", -0.5}}).text(), "(-0.5)*t+7.25-(-0.5)+pi*e");
  EXPECT_EQ(half.bound({{"a", 2.0}})(3.0), f.bound({{"a", 2.0}, {"b", 7.25}})(3.0));
  EXPECT_TRUE(Expression("2*t", 't', names).constants().empty());
}

TEST(Expression, says_that_a_name_is_not_known) {
  EXPECT_THROW(parsed("2*c"), base::UnknownName);
  EXPECT_THROW(Expression("w", 0), base::UnknownName);
  // What is known and used wrongly is no unknown name, nor is another variable: no constant has it.
  for (const std::string text : {"sin", "a(t)", "2a", "t=", "s"}) {
    try {
      parsed(text);
      ADD_FAILURE() << text;
    } catch (const base::UserError& error) {
      EXPECT_EQ(dynamic_cast<const base::UnknownName*>(&error), nullptr) << error.what();
    }
  }
}

TEST(Expression, is_quoted_by_whole_characters) {
  EXPECT_NE(given::mistake([] { parsed("2*µ"); }).find("'µ' where a value"), std::string::npos);
  const std::string message = given::mistake([] { parsed("2*" + std::string(199, ' ') + "µ"); });
  EXPECT_EQ(message.find("\xc2…"), std::string::npos) << message;
}

TEST(Names, are_of_letters_digits_and_underscores) {
  for (const std::string name : {"a", "w_1", "_x", "A9", "sin"}) {
    EXPECT_TRUE(base::is_name(name)) << name;
  }
  for (const std::string name : {"", "9a", "a.b", "a b", "-a", "ä"}) {
    EXPECT_FALSE(base::is_name(name)) << name;
  }
  for (const std::string name : {"sin", "max", "pi", "_e", "t", "s", "inf", "table", "points"}) {
    EXPECT_TRUE(base::is_reserved_name(name)) << name;
  }
  for (const std::string name : {"a", "T", "sine", "Pi"}) {
    EXPECT_FALSE(base::is_reserved_name(name)) << name;
  }
}

/// To the bit: by precedence, from the left, and with the numbers where they stand.
TEST(Expression, is_evaluated_as_written) {
  const double t = 0.7;
  const std::pair<const char*, double> texts[] = {{"2*a*t/5", 2 * 1.5 * t / 5},
                                                  {"-t^2", -(t * t)},
                                                  {"2^-t^2", std::pow(2, -(t * t))},
                                                  {"2^3^t", std::pow(2, std::pow(3, t))},
                                                  {"1+2*t-3/t", 1 + 2 * t - 3 / t},
                                                  {"0.1+t+0.2", 0.1 + t + 0.2},
                                                  {"2-3/(1-t)", 2 - 3 / (1 - t)},
                                                  {"(1<t)+2*(1>t)", 2.0},
                                                  {"t<1||1<t&&1<t", 1.0},
                                                  {"1+t<2==1", 1.0},
                                                  {"2-max(1,t)", 1.0},
                                                  {"2*e+1e1", 2 * std::exp(1.0) + 10}};
  for (const auto& [text, value] : texts) {
    EXPECT_EQ(parsed(text)(t), value) << text;
  }
}

TEST(Expression, may_be_long_and_deep) {
  std::string powers = "t";
  std::string choices = "t";
  std::string brackets = "t";
  for (int i = 0; i < 2000; ++i) {
    powers += "^1";
    choices += "?1:t";
  }
  for (int i = 0; i < 199; ++i) {
    brackets.insert(0, "(").append("+1)");
  }
  EXPECT_EQ(parsed(powers)(3.0), 3.0);
  EXPECT_EQ(parsed(choices)(0.0), 0.0);
  std::string operands = "t";
  for (int i = 0; i < 150; ++i) {
    operands.insert(0, "t+(").append(")");
  }
  EXPECT_EQ(parsed(brackets)(1.0), 200.0);
  EXPECT_EQ(parsed(operands)(2.0), 302.0);
  EXPECT_NE(fault_of("(((" + brackets + ")))"), "");
}

}  // namespace masing::test_expression
