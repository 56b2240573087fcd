// Expressions beyond the texts that muParser's answers cover: hints, spans, deep and random texts.
#include "base/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace masing::test_expression {

namespace {

using base::Expression;

Expression parsed(const std::string& text) {
  return {text, 't', {{"a", 1.5}}};
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST(Expression, hints_at_what_would_be_right) {
  const auto expect_hint = [](const std::string& text, const std::string& hint) {
    EXPECT_NE(refusal(text).find(hint), std::string::npos) << text << ": " << refusal(text);
  };
  expect_hint("t**2", "a power is written ^");
  for (const std::string text : {"2t", "2(t)", "(t)(t)", "t(2)", "2 t", "a sin(t)", "2a"}) {
    expect_hint(text, "a product needs its *");
  }
  expect_hint("sn(t)", "did you mean sin?");
  expect_hint("csos(t)", "did you mean cos?");
  expect_hint("slqrt(t)", "did you mean sqrt?");
  expect_hint("t=2", "compare with ==");
  expect_hint("1,2", "decimals with a point");
  expect_hint("sin", "sin(...)");
  expect_hint("sin(1,2)", "takes one argument");
  expect_hint("atan2(1)", "takes two arguments");
  expect_hint("min()", "needs an argument");
  expect_hint("1e400", "too large");
  expect_hint("b+1", "--let NAME=VALUE");
}

TEST(Expression, has_Eulers_number) {
  EXPECT_EQ(parsed("e")(0.0), std::exp(1.0));
  EXPECT_EQ(parsed("2*e+1e1")(0.0), 2 * std::exp(1.0) + 10);
}

TEST(Expression, is_evaluated_as_written) {
  const double t = 0.7;
  EXPECT_EQ(parsed("2*a*t/5")(t), 2 * 1.5 * t / 5);
  EXPECT_EQ(parsed("-t^2")(t), -(t * t));
  EXPECT_EQ(parsed("2^-t^2")(t), std::pow(2, -(t * t)));
  EXPECT_EQ(parsed("0.1+t+0.2")(t), 0.1 + t + 0.2);
}

TEST(Expression, has_the_same_values_one_by_one_and_in_spans) {
  std::vector<double> arguments(1000);
  std::mt19937_64 random(5);
  for (double& each : arguments) {
    each = std::uniform_real_distribution<>(-3.0, 3.0)(random);
  }
  for (const std::string text :
       {"t", "1.5", "0.45*cos(0.5*t)", "t<0?-t:t^3", "min(t,1,t^2)+atan2(t,2)", "sqrt(t)",
        "(t>1)&&(t<2)||t==0", "-t^-2"}) {
    const Expression f = parsed(text);
    std::vector<double> values(arguments.size());
    f.evaluate(arguments, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double one = f(arguments[i]);
      EXPECT_TRUE(values[i] == one || (std::isnan(values[i]) && std::isnan(one))) << text;
    }
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
    brackets = "(" + brackets + "+1)";
  }
  EXPECT_EQ(parsed(powers)(3.0), 3.0);
  EXPECT_EQ(parsed(choices)(0.0), 0.0);
  EXPECT_EQ(parsed(brackets)(1.0), 200.0);
  EXPECT_NE(refusal("(((" + brackets + ")))"), "");
}

TEST(Expression, survives_random_texts) {
  const std::vector<std::string> parts{
      "t", "a", "1", "2.5", "e",  "pi", "sin", "min", "(",    ")",    ",", "+",
      "-", "*", "/", "^",   "<",  "<=", "==",  "!=",  "&&",   "||",   "?", ":",
      " ", ".", "=", "e5",  "1e", "#",  "\t",  "avg", "sqrt", "\xff", "&", "|"};
  std::mt19937_64 random(11);
  int accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (std::uint64_t j = 1 + random() % 12; j > 0; --j) {
      text += parts[random() % parts.size()];
    }
    if (refusal(text).empty()) {
      ++accepted;
      (void)parsed(text)(0.3);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace masing::test_expression
