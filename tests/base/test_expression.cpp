// The language of functions: precedence and associativity, against C++ for every pair of operators;
// which texts are no expressions, and where faults are said to be; constants, and long and deep
// texts.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/text.hpp"
#include "support/given.hpp"

namespace masing::test_expression {

using base::Expression;

const base::Constants all_values{{"a", 1.5}, {"b", -0.3}, {"zero", -0.0}, {"large", -1e300}};

Expression parsed(const std::string& text) {
  return Expression(text, 't').bound(all_values);
}

std::string fault_of(const std::string& text) {
  return given::mistake([&] { parsed(text); });
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

struct Operator {
  const char* sign;
  int level;  ///< those of a higher level bind more tightly
  double (*value)(double, double);
};
const Operator operators[] = {
    {"||", 0, [](double a, double b) { return double(a != 0 || b != 0); }},
    {"&&", 1, [](double a, double b) { return double(a != 0 && b != 0); }},
    {"<", 2, [](double a, double b) { return double(a < b); }},
    {"<=", 2, [](double a, double b) { return double(a <= b); }},
    {">", 2, [](double a, double b) { return double(a > b); }},
    {">=", 2, [](double a, double b) { return double(a >= b); }},
    {"==", 2, [](double a, double b) { return double(a == b); }},
    {"!=", 2, [](double a, double b) { return double(a != b); }},
    {"+", 3, [](double a, double b) { return a + b; }},
    {"-", 3, [](double a, double b) { return a - b; }},
    {"*", 4, [](double a, double b) { return a * b; }},
    {"/", 4, [](double a, double b) { return a / b; }},
    {"^", 5, [](double a, double b) { return std::pow(a, b); }}};

/// A sign binds more tightly than a product, less than a power; ?: binds least.
TEST(Language, groups_every_pair_of_operators_by_precedence_and_from_the_left_but_powers) {
  const auto text = [](const char* format, const Operator& one, const Operator& other) {
    std::string made;
    for (const char* each = format; *each != 0; ++each) {
      made += *each == 'A' ? one.sign : *each == 'B' ? other.sign : std::string(1, *each);
    }
    return parsed(made);
  };
  for (const Operator& one : operators) {
    for (const Operator& other : operators) {
      SCOPED_TRACE(one.sign + std::string(" ") + other.sign);
      const bool is_left = one.level > other.level || (one.level == other.level && one.level < 5);
      for (const double t : {0.0, 0.7, 1.5, 2.0}) {
        for (const auto& [format, x, y] : {std::tuple("t A 2.5 B 1.5", 2.5, 1.5),
                                           {"tA0B2", 0.0, 2.0},
                                           {"tA-.7B+a", -0.7, 1.5}}) {
          const bool is_negative = x < 0 && other.level == 5;  // -(0.7^1.5)
          const double right = is_negative ? -other.value(-x, y) : other.value(x, y);
          const double value = is_left ? other.value(one.value(t, x), y) : one.value(t, right);
          const double found = text(format, one, other)(t);
          EXPECT_TRUE(found == value || (std::isnan(found) && std::isnan(value)) ||
                      std::abs(found - value) < 4e-16 * std::abs(value))
              << format << " at " << t << ": " << found << ", not " << value;
        }
        const double choice = one.value(t, 2) != 0 ? other.value(t, 1) : one.value(3, t);
        EXPECT_EQ(text("tA2?tB1:3At", one, other)(t), choice);
      }
    }
  }
}

TEST(Language, has_numbers_in_all_forms) {
  for (const std::string number : {"0", "007", "2.5", ".5", "5.", "1e3", "1E+2", "2.e-3", ".5e1",
                                   "1e-400", "4.9e-324", "1.7976931348623157e308"}) {
    EXPECT_EQ(bits(parsed("t*0+" + number)(1.0)), bits(std::strtod(number.c_str(), nullptr)))
        << number;
  }
  EXPECT_EQ(parsed("\t 1+ \n t \r")(2.0), 3.0);
  EXPECT_EQ(parsed("rint(t)-rint(-2.5)")(2.5), 3.0 + 2.0);
}

/// The position from 1 of what cannot be read, of faulty texts with | between them.
TEST(Language, says_where_a_text_is_no_expression) {
  const std::pair<int, const char*> rows[] = {
      {1,
       "k(t)|~t|*|?|)t(|n|inf|points|.|{t}|\"t\"|sin|cos sin(t)|tsin(t)|max 1|pow(2,3)|/ "
       "t|>= 1|\xcf\x80|\xef\xbb\xbft|e_0|a()"},
      {2, "1e+|1ee5|t!2|1;2|t@|t#comment|()2|+-2|--t|0x1F|2pi|2(t)|t\x7f|t=2|a=1|t''|0,5*t"},
      {3, "t+|(t|t*^2|1 .5|2*n|2*\xcf\x80|pi(2)|t?:1|t**2|2.t|t t"},
      {4, "t *|(t))|5.5.5|1e3t|(2)t|1/2t|2^--2|t?1|2---3"},
      {5, "t <=|t * / 2|t < < 2|2-1/i|max()"},
      {6, "max(0|t?1:2,3|min(t "},
      {7, "sin(1,)|max(1 2)|sin(t))|sin(t)(t)"}};
  for (const auto& [position, texts] : rows) {
    for (const std::string& text : base::split(texts, '|')) {
      const std::string message = fault_of(text);
      EXPECT_NE(message.find("at position " + std::to_string(position) + ":"), std::string::npos)
          << text << ": " << message;
    }
  }
  for (const std::string& text :
       base::split("t|1 1?2:3:4 max((1,2),3) atan2(1) 1,000.5 t:t t^ t- ^t () (,) sin() sin(t,t) "
                   "min(,t) min(t,,t) ?t:t t?t t?:t t^- ,t t,t (t:t) -^t t-?t:t",
                   ' ')) {
    EXPECT_NE(fault_of(text), "") << text;
  }
  EXPECT_NE(fault_of("") + fault_of(" "), "");
}

TEST(Expression, hints_at_what_would_be_right) {
  const std::pair<const char*, const char*> hints[] = {
      {"t**2", "a power is written ^"},
      {"a sin(t)", "a product needs its *"},
      {"sin(1,2)", "takes one argument"},
      {"1e400", "no number that a double holds"},
      {"1+sine(t)", "at position 3: there is no function 'sine'; did you mean sin?"},
      {"sin(zreo)", "at position 5: there is no 'zreo'; did you mean zero?"},
      {"2*np.sin(t)", "at position 3: write sin, without np."},
      {"i", "'i' has no meaning here"}};
  for (const auto& [text, hint] : hints) {
    EXPECT_NE(fault_of(text).find(hint), std::string::npos) << text << ": " << fault_of(text);
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
  const Expression f("a*t+b-a+pi*e", 't');
  EXPECT_EQ(f.constants(), (base::Names{"a", "b"}));
  EXPECT_TRUE(std::isnan(f(1.0)));
  // Bound again and again to other values: a scan.
  EXPECT_EQ(f.bound({{"a", 2.0}, {"b", 1.0}})(3.0), 2.0 * 3.0 + 1.0 - 2.0 + M_PI * M_E);
  EXPECT_EQ(f.bound({{"a", -1.0}, {"b", 0.5}})(3.0), -1.0 * 3.0 + 0.5 - -1.0 + M_PI * M_E);
  EXPECT_EQ(f.text(), "a*t+b-a+pi*e");
  const Expression half = f.bound({{"b", 7.25}}, {}, {"a"});  // a keeps its place
  EXPECT_EQ(half.constants(), (base::Names{"a"}));
  EXPECT_EQ(half.bound({{"a", -0.5}}).text(), "(-0.5)*t+7.25-(-0.5)+pi*e");
}

/// What is known and used wrongly is no unknown name, nor is another variable: no constant has it.
TEST(Expression, says_that_a_name_is_not_known) {
  const auto unknown = [](const std::string& text) {
    return given::mistake<base::UnknownName>([&] { parsed(text); });
  };
  EXPECT_NE(unknown("2*c"), "");
  EXPECT_NE(given::mistake<base::UnknownName>([] { (void)Expression("w", 0).bound({}); }), "");
  for (const std::string text : {"sin", "a(t)", "2a", "t=", "s"}) {
    EXPECT_THROW(unknown(text), base::UserError) << text;
  }
  // Quoted by whole characters.
  EXPECT_NE(fault_of("2*µ").find("'µ' where a value"), std::string::npos);
  EXPECT_EQ(fault_of("2*" + std::string(199, ' ') + "µ").find("\xc2…"), std::string::npos);
}

TEST(Names, are_of_letters_digits_and_underscores_and_without_another_meaning) {
  for (const char* name : {"a", "w_1", "_x", "A9", "T", "sine", "Pi"}) {
    EXPECT_TRUE(base::is_name(name) && !base::is_reserved_name(name)) << name;
  }
  for (const char* name : {"", "9a", "a.b", "a b", "-a", "ä"}) {
    EXPECT_FALSE(base::is_name(name)) << name;
  }
  for (const char* name : {"sin", "max", "pi", "_e", "t", "s", "inf", "table", "points"}) {
    EXPECT_TRUE(base::is_name(name) && base::is_reserved_name(name)) << name;
  }
}

TEST(Expression, may_be_long_and_deep) {
  std::string powers = "t";
  std::string choices = "t";
  std::string brackets = "t";
  std::string operands = "t";
  std::string sum = "t";
  for (int i = 0; i < 4999; ++i) {
    sum += "+t";
    powers += i < 2000 ? "^1" : "";
    choices += i < 2000 ? "?1:t" : "";
    brackets = i < 199 ? "(" + brackets + "+1)" : brackets;
    operands = i < 150 ? "t+(" + operands + ")" : operands;
  }
  EXPECT_EQ(parsed(powers)(3.0), 3.0);
  EXPECT_EQ(parsed(choices)(0.0), 0.0);
  EXPECT_EQ(parsed(brackets)(1.0), 200.0);
  EXPECT_EQ(parsed(operands)(2.0), 302.0);
  EXPECT_NE(fault_of("(((" + brackets + ")))"), "");
  EXPECT_EQ(parsed(sum + " ")(2.0), 10000.0);  // a blank at an end does not count
  EXPECT_EQ(fault_of("-" + sum), "");
  EXPECT_NE(fault_of("1+" + sum).find("10001 characters; at most 10000"), std::string::npos);
}

}  // namespace masing::test_expression
