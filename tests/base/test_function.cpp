// Functions of one variable as a user gives them: expressions, tables and points; where they are
// not smooth, found in tables and waves, trusted or refused in expressions; and their period,
// looked for in tables.

#include "base/function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "support/given.hpp"

namespace masing::test_function {

using base::Function;

Function expression(const std::string& text, char variable = 's') {
  return {text, variable};
}

Function table(const std::string& content) {
  return Function(base::points_of(content, "f.csv"));
}

/// Period 1, amplitude 1, rising from 0 (square: from +1); at a jump the value is the right limit.
TEST(Waves, have_the_values_of_the_interface) {
  constexpr double eighths_of_triangle[] = {0, 0.5, 1, 0.5, 0, -0.5, -1, -0.5};
  for (const double period : {-3.0, -1.0, 0.0, 1.0, 1000.0}) {
    for (int i = 0; i < 8; ++i) {
      const double part = i / 8.0;
      EXPECT_EQ(expression("triangle(s)")(period + part), eighths_of_triangle[i]);
      EXPECT_EQ(expression("square(s)")(period + part), i < 4 ? 1.0 : -1.0);
      EXPECT_EQ(expression("sawtooth(s)")(period + part), 2 * (i < 4 ? part : part - 1));
    }
  }
  const double before_half = std::nextafter(0.5, 0.0);
  const double before_one = std::nextafter(1.0, 0.0);
  EXPECT_EQ(base::square(before_half), 1.0);
  EXPECT_EQ(base::square(before_one), -1.0);
  EXPECT_EQ(base::sawtooth(before_half), 2 * before_half);
  EXPECT_EQ(base::sawtooth(before_one), 2 * before_one - 2);
  // The fraction of a tiny negative number rounds to 1, which is the start of a period.
  EXPECT_EQ(base::square(-1e-300), 1.0);
  EXPECT_EQ(base::sawtooth(-1e-300), 0.0);
  EXPECT_EQ(base::triangle(-1e-300), 0.0);
}

/// At and beside every point, with spacings that are alike, unlike, and as small as they can be.
TEST(Table, is_found_in_the_interval_of_its_argument) {
  for (const double unlike : {0.0, 0.5, 1e3}) {
    base::PointTable points;
    double argument = -3.0;
    for (int i = 0; i < 200; ++i) {
      points.arguments.push_back(argument);
      points.values.push_back(i % 7 - 0.1 * i);
      argument += i % 50 == 49 ? 0.0 : 0.1 + unlike * (i % 3 == 0);
      argument = std::nextafter(argument, HUGE_VAL);
    }
    for (std::size_t i = 1; i < points.arguments.size(); ++i) {
      const double first = points.arguments[i - 1];
      const double last = points.arguments[i];
      for (const double at : {first, std::midpoint(first, last), std::nextafter(last, -HUGE_VAL)}) {
        const double share = (at - first) / (last - first);
        EXPECT_EQ(points(at),
                  points.values[i - 1] + share * (points.values[i] - points.values[i - 1]));
      }
    }
    EXPECT_EQ(points(-HUGE_VAL), points.values.front());
    EXPECT_EQ(points(HUGE_VAL), points.values.back());
    EXPECT_EQ(points(std::nan("")), points.values.back());
  }
}

TEST(Table, of_arrays_needs_finite_points_in_order) {
  EXPECT_EQ(Function(base::points_of({0, 1}, {2, 4}, "r")).text(), "points:0 2; 1 4");
  const auto refused = [](const std::vector<double>& arguments, const std::vector<double>& values) {
    return given::mistake([&] { base::points_of(arguments, values, "r"); });
  };
  EXPECT_TRUE(refused({0, 0}, {1, 2}).starts_with("r: row 2: argument 0 does not follow 0"));
  EXPECT_TRUE(refused({0, HUGE_VAL}, {1, 2}).starts_with("r: row 2 is not two finite numbers"));
  EXPECT_TRUE(refused({0, 1}, {std::nan(""), 2}).starts_with("r: row 1 is not two finite numbers"));
  EXPECT_TRUE(refused({0}, {1}).starts_with("r has fewer than two points"));
  // As a text they keep every digit.
  const Function f = table("0.1, 0.3\n0.2, 1e-300\n0.7, 3.0000000000000004\n");
  EXPECT_EQ(expression(f.text()), f);
}

TEST(NamedTable, has_the_points_to_which_it_is_bound) {
  const Function f("c*r(t)+r(t)", 't');
  EXPECT_EQ(f.tables(), base::Names{"r"});
  EXPECT_TRUE(std::isnan(f.bound({{"c", 2.0}}, {}, {"r"})(0.5)));
  const auto points = base::points_of({0, 1}, {0, 1}, "r");
  const Function bound = f.bound({{"c", 2.0}}, {{"r", points}});
  EXPECT_EQ(bound(0.5), 1.5);
  EXPECT_EQ(bound.text(), "2*r(t)+r(t)");
  EXPECT_EQ(bound.kinks(), (std::vector{0.0, 1.0}));
  EXPECT_TRUE(bound.tables().empty());
  const auto others = base::points_of({0, 2}, {5, 5}, "r");
  EXPECT_EQ(f.bound({}, {{"r", others}}, {"c"}).bound({{"c", 1.0}})(1.0), 10.0);
  const Function two("2*r(t)-0.5*q(t)", 't');
  const Function sum = two.bound({}, {{"r", points}, {"q", base::points_of({0, 2}, {0, 4}, "q")}});
  EXPECT_EQ(sum(0.5), 2 * 0.5 - 0.5 * 1.0);
  EXPECT_EQ(sum(1.5), 2 * 1.0 - 0.5 * 3.0);
}

TEST(Table, may_be_written_as_programs_write_it) {
  // Between commas, blanks, semicolons or tabs; with decimal commas, where these do not separate;
  // with a byte order mark, a comment or several lines of heading.
  for (const char* content :
       {"0 1\n1 3\n", "0;1\r\n1;3\r\n", "0\t1\n1\t3", "0, 1\n\n1, 3\n\n", "0,1\n1,3\n",
        "0 ,1\n1 ,3\n", "0,\t1\n1,\t3\n", "0 , 1\n1 , 3\n", "-0,5;1\n1,5;3\n",
        "-0,5\t1,0\n1,5\t3,0\n", "-0,5 1,0\n1,5 3,0\n", "-0,5 ; 1,0\r\n1,5;3,0;\r\n",
        ("\xEF\xBB\xBF"
         "0 1\n1 3\n"),
        "# a test\nmachine A\nWeg;Kraft\nmm;kN\n0;1\n1;3\n"}) {
    EXPECT_EQ(table(content)(0.5), 2.0) << content;
    EXPECT_EQ(table(content)(9.0), 3.0) << "constant beyond the points";
  }
}

TEST(Table, damaged_is_refused_with_its_line) {
  using namespace std::string_literals;
  const std::pair<const char*, std::vector<std::string>> damaged[] = {
      {"line 1", {"0,5 1,5 2,5\n"}},
      {"line 2",
       {"0 1\n0.5 two\n", "0 1\n0.5 2 3\n", "0 1\n0.5\n", "0 1\n1 nan\n", "0 1\n1 inf\n",
        "0;1\n0;0;05\n", "-0.5;1\n1,5;3\n"}},
      {"line 3", {"s k\n0 1\n0 2\n", "s k\n0 1\nhalf 2\n"}},
      {"must increase", {"0 1\n1 2\n0.5 2\n"}},
      {"no points", {"", "s,k\n"}},
      {"table f.csv has one point; give two at least, or a number", {"t,f\n0 1\n"}},
      {"table f.csv is no text in UTF-8 or ASCII",
       {"\xFF\xFE\0;\0001\0"s, "\xFE\xFF\0;\0001\0"s, "PK\x03\x04\0\0"s}}};
  for (const auto& [words, tables] : damaged) {
    for (const std::string& content : tables) {
      const std::string message = given::mistake([&] { table(content); });
      EXPECT_NE(message.find(words), std::string::npos) << content << message;
    }
  }
  EXPECT_NE(given::mistake([] { expression("points:"); }), "");
}

TEST(Sum, is_the_sum_and_knows_where_it_is_not_smooth) {
  const Function f = expression("cos(t)", 't');
  const Function g("points:0 1; 2 3; 5 0", 't');
  const Function sum = f.plus(-0.5, g);
  for (const double t : {-1.0, 0.3, 2.0, 4.9, 6.0}) {
    EXPECT_EQ(sum(t), f(t) - 0.5 * g(t)) << t;
  }
  EXPECT_EQ(sum.kinks(), (std::vector{0.0, 2.0, 5.0}));
  EXPECT_EQ(sum.plus(1.0, Function("points:1 1; 4 3", 't')).kinks(),
            (std::vector{0.0, 1.0, 2.0, 4.0, 5.0}));
  for (const char* text : {"1", "2*sin(pi/3)", "points: 0.3 7"}) {
    EXPECT_TRUE(expression(text).plus(1.0, Function()).is_constant()) << text;
    EXPECT_FALSE(sum.plus(1.0, expression(text, 't')).is_constant()) << text;
  }
  for (const char* text : {"s", "1+0*s", "points: 0 7; 1 8"}) {
    EXPECT_FALSE(expression(text).is_constant()) << text;
  }
  const base::Bounds bounds = sum.bounds(0.5, 1.5);
  EXPECT_TRUE(bounds.smooth);
  for (int i = 0; i <= 8; ++i) {
    const double t = 0.5 + 0.125 * i;
    EXPECT_TRUE(bounds.value.contains(sum(t))) << t;
    EXPECT_TRUE(bounds.slope.contains(-std::sin(t) - 0.5)) << t;
  }
  EXPECT_EQ(bounds.top.high, f.bounds(0.5, 1.5).top.high);
  EXPECT_FALSE(sum.bounds(1.5, 2.5).smooth);
}

TEST(Functions, are_equal_where_they_carry_out_the_same_operations) {
  const Function half = expression("s/2");
  EXPECT_EQ(half, expression(" s / 2 "));
  EXPECT_NE(half, expression("s/3"));
  EXPECT_NE(half, expression("sin(s)/2"));
  EXPECT_EQ(Function("a*s", 's').bound({{"a", 0.5}}), expression("0.5*s"));
  EXPECT_NE(Function("a*s", 's').bound({{"a", 0.5}}), expression("0.25*s"));
  const Function points = expression("points:0 1; 2 3");
  EXPECT_EQ(points, expression("points:0 1;2 3"));
  EXPECT_NE(points, expression("points:0 1; 2 4"));
  EXPECT_NE(points, expression("1"));
}

TEST(GivenAt, names_the_place_of_a_quantity_while_it_lives) {
  const auto said = [] { return std::string(base::UserError("mass", "-1").what()); };
  const base::GivenAt outer([](const std::string& quantity) { return "--" + quantity; });
  {
    const base::GivenAt inner([](const std::string& quantity) { return "line 3, " + quantity; });
    EXPECT_EQ(said(), "line 3, mass: -1");
  }
  EXPECT_EQ(said(), "--mass: -1");
  EXPECT_EQ(base::UserError("mass", "-1").fault(), "-1");
}

using Texts = std::vector<std::string>;

Function function(const std::string& text) {
  return {text, 't'};
}

base::Function sum_of(const Texts& texts) {
  base::Function found;
  for (const std::string& text : texts) {
    found = found.plus(1.0, function(text));
  }
  return found;
}

bool has_period(const Texts& texts, double period, double final_time = HUGE_VAL) {
  return base::has_period(sum_of(texts), period, final_time);
}

std::optional<double> period_of(const Texts& texts) {
  return base::period_of(sum_of(texts), HUGE_VAL);
}

using std::numbers::pi;

TEST(Period, is_common_to_all_functions_whatever_is_made_of_them) {
  const std::pair<double, const char*> forces[] = {
      {2 * pi / 0.8, "0.45*cos(0.8*t)"},
      {7.0, "triangle(t/7+0.1)+sin(4*pi*t/7)"},
      {1.0, "square(1-t)+sawtooth(-(3*t))"},
      {2 * pi, "cos(t)^2"},
      {2 * pi, "cos(t)*cos(3*t)+sin(4*t)+cos(t)^3"},
      {2 * pi, "sin(t)*square(t/(2*pi))/(2+cos(t))"},
      {6 * pi, "sin(2*(t+sin(t/3)))"},
      {4 * pi, "40*exp(-(sin(t/2)/0.01)^2)"},
      {30 * pi, "cos(t)*cos(t/3)*cos(t/5)*0+cos(t)^2"},
      {2 * pi, "log(cos(t))"},  // has no value at times
      {2 * pi / 3, "cos((2 > 1 ? 3 : 4)*t)"},
      {2 * pi, "0*t+cos(t)+(t-t)"}};
  for (const auto& [period, text] : forces) {
    const auto found = period_of({text, "0"});
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_NEAR(*found, period, 1e-14 * period) << text;
  }
  EXPECT_NEAR(period_of({"cos(2*t)", "sin(3*t)"}).value(), 2 * pi, 1e-14);
}

TEST(Period, is_none_where_t_stands_elsewhere) {
  for (const char* text : {"0.3*cos(t)+40*exp(-((t-100)/0.01)^2)", "t*cos(t)", "cos(t)/t",
                           "cos(t)+1e-12*t", "cos(t^2)", "cos(t*sin(t))", "cos(t)*(t < 50)",
                           "cos(t)+min(t, 0)", "exp(-t)*sin(t)", "sin(exp(t))"}) {
    EXPECT_FALSE(period_of({text, "0"}).has_value()) << text;
    EXPECT_FALSE(period_of({"cos(t)", text}).has_value()) << text;
    EXPECT_FALSE(has_period({text, "0"}, 2 * pi)) << text;
  }
}

TEST(Period, is_none_without_a_common_multiple_and_any_multiple_is_one) {
  EXPECT_FALSE(period_of({"cos(t)+cos(sqrt(2)*t)", "0"}).has_value());
  EXPECT_FALSE(period_of({"cos(t)", "sin(pi*t)"}).has_value());
  EXPECT_FALSE(period_of({"0.3", "0"}).has_value());
  EXPECT_TRUE(has_period({"cos(t)", "sin(3*t)"}, 4 * pi));
  EXPECT_FALSE(has_period({"cos(t)", "sin(3*t)"}, 2 * pi / 3));
  EXPECT_FALSE(has_period({"cos(1e-12*t)+cos(t)", "0"}, 2 * pi));
  EXPECT_TRUE(has_period({"0.3", "0"}, 3.0));
}

/// A zigzag of period 2 over some of them, the last of another height.
std::string zigzag(int periods, double last_height) {
  std::string text = "points:0 0";
  for (int i = 0; i < periods; ++i) {
    const double height = i + 1 == periods ? last_height : 1.0;
    text += ";" + std::to_string(2 * i + 1) + " " + base::to_text(height);
    text += ";" + std::to_string(2 * i + 2) + " 0";
  }
  return text;
}

TEST(Period, of_a_table_repeats_itself_as_long_as_it_is_looked_at) {
  EXPECT_TRUE(has_period({zigzag(8, 1.0), "0"}, 2.0));
  EXPECT_TRUE(has_period({zigzag(8, 1.0), "cos(pi*t)"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 1.0), "cos(t)"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 0.9), "0"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 1.0), "0"}, 1.0));
  EXPECT_FALSE(has_period({zigzag(3, 1.0), "0"}, 2.0));
  EXPECT_TRUE(has_period({zigzag(3, 1.0), "0"}, 2.0, 6.0));
  EXPECT_EQ(period_of({zigzag(8, 1.0), "cos(pi*t)"}).value(), 2.0);
  // A point of the last period that is looked at may have none a period before it.
  const std::string seven = zigzag(7, 1.0) + ";15 1;15.5 ";
  EXPECT_TRUE(has_period({seven + "0.5;16 0", "0"}, 2.0));
  EXPECT_FALSE(has_period({seven + "0.6;16 0", "0"}, 2.0));
}

std::vector<double> breaks(const std::string& text, double final_time,
                           std::span<const double> given) {
  return base::breaks({{"force", function(text)}}, final_time, given);
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { (void)breaks(text, 10.0, {}); });
}

TEST(Breaks, are_the_corners_of_tables_and_of_waves_of_affine_arguments_or_given) {
  struct Case {
    const char* text;
    double final_time;
    std::vector<double> times;
    std::vector<double> given = {};
  };
  for (const auto& [text, final_time, times, given] : std::initializer_list<Case>{
           {"0.45*cos(0.5*t)", 10.0, {}},
           {"exp(-t^2)*sin(1e-3*t)+2*pi*t", 10.0, {}},
           {"square(0.3)", 3.0, {}},
           {"triangle(t)", 2.0, {0.25, 0.75, 1.25, 1.75}},
           {"square(t)", 2.0, {0.5, 1.0, 1.5}},
           {"0.3*sawtooth(0.5*t/(2*pi)) + cos(t)", 30.0, {2 * pi, 6 * pi}},
           {"square(0.25 - t/2)", 3.0, {0.5, 1.5, 2.5}},
           {"square(t) + sawtooth(3*t/3)", 1.2, {0.5, 1.0}},  // the same corner counts once
           {"points:0 1; 0.5 2; 3 4; 20 1", 10.0, {0.5, 3.0}},
           // Given breaks make any expression trusted; they are sorted and kept within the run.
           {"abs(t-2)+abs(t-7)", 10.0, {2.0, 7.0}, {7.0, 2.0, 0.0, 12.0}},
           {"square(t^2)", 10.0, {4.0}, {4.0}}}) {
    SCOPED_TRACE(text);
    const std::vector<double> found = breaks(text, final_time, given);
    ASSERT_EQ(found.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(found[i], times[i], 1e-13 * times.back());
    }
  }
  // 1e15 + 10.06 is 1e15 + 10 in doubles, which have eighths there: a corner, before T.
  EXPECT_EQ(breaks("square(t+1e15)", 10.06, {}).size(), 20U);
  EXPECT_EQ(breaks("square(t+1e15)", 10.06, {}).back(), 10.0);
  for (const char* text : {"square(t+1e17)", "triangle(-t-6e103)", "sawtooth(3*t+1e300)"}) {
    EXPECT_LE(breaks(text, 10.0, {}).size(), 61U) << text;  // an offset leaves no digit for more
  }
}

TEST(Breaks, refuses_what_is_not_smooth_everywhere) {
  const std::pair<const char*, const char*> refused[] = {
      {"abs(sin(t))", "abs()"},    {"t < 3 ? 1 : 0", "as breaks"},
      {"square(sin(t))", "a*t+b"}, {"max(0,t)", "max()"},
      {"min(t,1)", "min()"},       {"sign(t-1)", "sign()"},
      {"rint(t)", "rint()"},       {"(t>=1)*t", ">="}};
  for (const auto& [text, words] : refused) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << ": " << refusal(text);
  }
}

TEST(Breaks, bounds_the_corners_of_all_waves_together) {
  EXPECT_EQ(breaks("square(4e4*t)", 10.0, {}).size(), 799999);
  EXPECT_EQ(refusal("square(2e5*t)+square(1e5*t)"), "");
  EXPECT_NE(refusal("square(4e5*t)+square(4e5*t)").find("10^7 corners"), std::string::npos);
}

}  // namespace masing::test_function
