// Expressions beyond the texts that muParser's answers cover: hints, spans, deep and random texts.
#include "base/expression.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "support/given.hpp"

namespace masing::test_expression {

using base::Expression;

const base::Constants all_values{{"a", 1.5}, {"b", -0.3}, {"zero", -0.0}, {"large", -1e300}};
const base::Names names{"a", "b", "zero", "large"};

Expression parsed(const std::string& text) {
  return Expression(text, 't', names).bound(all_values);
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { parsed(text); });
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

TEST(Expression, hints_at_what_would_be_right) {
  for (const auto& [text, hint] :
       {std::pair{"t**2", "a power is written ^"},
        {"2t", "a product needs its *"},
        {"2(t)", "a product needs its *"},
        {"(t)(t)", "a product needs its *"},
        {"t(2)", "a product needs its *"},
        {"a sin(t)", "a product needs its *"},
        {"t=2", "compare with =="},
        {"1,2", "decimals with a point"},
        {"sin", "sin(...)"},
        {"sin(1,2)", "takes one argument"},
        {"atan2(1)", "takes two arguments"},
        {"min()", "needs an argument"},
        {"1e400", "too large"},
        {"c+1", "there is no 'c'"},
        {"Sin(t)", "there is no function 'Sin'; did you mean sin?"},
        {"1+sine(t)", "at position 3: there is no function 'sine'; did you mean sin?"},
        {"arctan(t)", "did you mean atan?"},
        {"sin(x)", "at position 5: there is no 'x'; did you mean t?"},
        {"sin(T)", "there is no 'T'; did you mean t?"},
        {"2*PI*t", "there is no 'PI'; did you mean pi?"},
        {"zreo*t", "there is no 'zreo'; did you mean zero?"},
        {"2*np.sin(t)", "at position 3: write sin, without np."},
        {"math.pi", "write pi, without math."},
        {"i", "'i' has no meaning here"},
        {"np.", "there is no 'np'"},
        {"erf(t)", "there is no function 'erf'"}}) {
    EXPECT_NE(refusal(text).find(hint), std::string::npos) << text << ": " << refusal(text);
  }
}

/// The texts beside them have the values 1.5, -0.3, -0 and -1e300 in the places of the constants.
TEST(Expression, has_the_bits_of_its_text_with_values_in_the_places_of_constants) {
  for (const auto& [text, written] : {std::pair<std::string, std::string>{"2*a*t", "2*1.5*t"},
                                      {"-a^2", "-1.5^2"},
                                      {"-b^2*t", "-(-0.3)^2*t"},
                                      {"t-b", "t-(-0.3)"},
                                      {"b^t", "(-0.3)^t"},
                                      {"2^-b", "2^-(-0.3)"},
                                      {"a*b/3+t", "1.5*(-0.3)/3+t"},
                                      {"t/a/b", "t/1.5/(-0.3)"},
                                      {"1/zero^2", "1/(-0)^2"},
                                      {"zero*t+zero", "(-0)*t+(-0)"},
                                      {"large*t", "(-1e+300)*t"},
                                      {"min(a,t,b)+avg(a)", "min(1.5,t,(-0.3))+avg(1.5)"},
                                      {"t<a?b:a", "t<1.5?(-0.3):1.5"},
                                      {" a +a*t", " 1.5 +1.5*t"},
                                      {"sin(3)*t", "sin(3)*t"}}) {
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
    } catch (const base::UnknownName& error) {
      ADD_FAILURE() << error.what();
    } catch (const base::UserError&) {  // NOLINT(bugprone-empty-catch)
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
  for (const auto& [text, value] :
       std::initializer_list<std::pair<std::string, double>>{{"2*a*t/5", 2 * 1.5 * t / 5},
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
                                                             {"2*e+1e1", 2 * std::exp(1.0) + 10}}) {
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
  EXPECT_NE(refusal("(((" + brackets + ")))"), "");
}

}  // namespace masing::test_expression
