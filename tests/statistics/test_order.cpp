// Fits of manufactured errors whose order and constants are known: which levels count, what the
// interval promises, where there is no answer; orders of pairs of levels; and least squares against
// normal equations that were worked out by hand.

#include "statistics/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "statistics/least_squares.hpp"

namespace masing::test_order {

using statistics::find_order;
using statistics::Mark;
using statistics::Order;
using Numbers = std::vector<double>;
using Marks = std::vector<Mark>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Numbers halved(double first, std::size_t count) {
  Numbers steps;
  for (std::size_t l = 0; l < count; ++l) {
    steps.push_back(std::ldexp(first, -static_cast<int>(l)));
  }
  return steps;
}

Numbers errors_of(const Numbers& steps, double constant, double p) {
  Numbers errors;
  for (const double h : steps) {
    errors.push_back(constant * std::pow(h, p));
  }
  return errors;
}

Order order_of(const Numbers& steps, const Numbers& errors, double floor = 1e-14) {
  return find_order({.steps = {{steps, Numbers(steps.size(), 0.0)}}, .errors = errors}, floor);
}

/// e = C (hᵖ - rᵖ) against what is exact, a run 16 times or twice finer than the last level, and
/// the next level.
TEST(FindOrder, is_exact_for_a_power) {
  for (const Numbers& steps :
       {halved(0.5, 3), halved(0.5, 5), Numbers{0.3, 0.2, 0.05, 0.04, 0.01}}) {
    const std::size_t count = steps.size();
    Numbers next(steps.begin() + 1, steps.end());
    next.push_back(steps.back() / 2);
    for (const double p : {0.5, 1.0, 2.0, 4.0}) {
      for (const auto& [references, finer] : {std::pair(Numbers(count, 0.0), infinity),
                                              {Numbers(count, steps.back() / 16), 16.0},
                                              {Numbers(count, steps.back() / 2), 2.0},
                                              {next, infinity}}) {
        SCOPED_TRACE(testing::PrintToString(references) + ", p = " + std::to_string(p));
        Numbers errors;
        for (std::size_t l = 0; l < steps.size(); ++l) {
          errors.push_back(250 * (std::pow(steps[l], p) - std::pow(references[l], p)));
        }
        const Order found = find_order({.steps = {{steps, references}},
                                        .errors = errors,
                                        .are_differences = references == next},
                                       0.0);
        EXPECT_EQ(found.marks, Marks(count, Mark::fitted));
        EXPECT_EQ(found.levels, count);
        EXPECT_NEAR(found.order, p, 1e-8);
        EXPECT_NEAR(found.constants.at(0), 250, 0.02);
        EXPECT_LT(found.statistical, 1e-6);
        // The interval of a fit says what taking the reference for exact would read.
        const bool is_fit = found.basis == statistics::Basis::fit;
        EXPECT_EQ(is_fit, count == 3);
        EXPECT_GE(found.structural, p > 2 || !is_fit ? 0.0 : 0.05 * std::pow(finer, -p));
        for (std::size_t l = 0; l < errors.size(); ++l) {
          EXPECT_NEAR(found.predicted[l], errors[l], 1e-6 * errors[l]);
        }
      }
    }
  }
}

/// e = C hᵖ (1 + D h), and half a percent more or less in turn, so that the orders of pairs are not
/// steady: without the next term six levels would read 1.05.
TEST(FindOrder, sees_the_next_term) {
  const Numbers steps = halved(0.3, 8);
  Numbers errors = errors_of(steps, 3.0, 1.0);
  for (std::size_t l = 0; l < steps.size(); ++l) {
    errors[l] *= (1 + 0.8 * steps[l]) * (l % 2 == 0 ? 1.005 : 0.995);
  }
  const Order found = order_of(steps, errors);
  EXPECT_EQ(found.levels, 8U);
  EXPECT_NEAR(found.order, 1.0, 0.01);
  EXPECT_LE(std::abs(found.order - 1.0), found.uncertainty);
}

/// b: before the asymptotic range, f: fitted, o: on the floor, u: undefined.
std::string marks_of(const Order& fit) {
  std::string marks;
  for (const Mark mark : fit.marks) {
    marks += std::map<Mark, char>{
        {Mark::before, 'b'},
        {Mark::fitted, 'f'},
        {Mark::on_floor, 'o'},
        {Mark::undefined,
         'u'}}.at(mark);
  }
  return marks;
}

/// The errors of a ladder are hᵖ, but some are replaced.
TEST(FindOrder, takes_the_levels_that_tell_the_order_of_which_it_needs_three) {
  struct Ladder {
    std::size_t levels;
    double p;
    std::vector<std::pair<std::size_t, double>> replaced;
    double floor;
    const char* marks;
    bool has_order = true;
  };
  for (const Ladder& ladder : std::initializer_list<Ladder>{
           // The orders of pairs are 2, 1.58, and then 1.
           {8, 1.0, {{0, 2.0}, {1, 0.375}}, 1e-14, "bbffffff"},
           // The last levels, or all, are on the round-off floor.
           {6, 2.0, {{4, 2e-3}, {5, 1e-3}}, 2e-3, "ffffoo"},
           {6, 2.0, {}, 1.0, "oooooo", false},
           // Errors that are above the floor by chance must not leave the order to themselves.
           {8, 2.0, {{5, 1e-4}, {6, 1.1e-3}, {7, 1.1e-3}}, 9e-4, "fffffooo"},
           // Of two runs of equal length the finer one counts; the coarser would read 2.
           {7, 1.0, {{0, 2.0}, {1, 0.5}, {3, 1e-6}}, 1e-5, "bbbofff"},
           {3, 1.0, {}, 1e-14, "fff"},
           {3, 1.0, {{2, nan_value}}, 1e-14, "ffu", false},
           {0, 1.0, {}, 1e-14, "", false}}) {
    SCOPED_TRACE(ladder.marks);
    const Numbers steps = halved(0.5, ladder.levels);
    Numbers errors = errors_of(steps, 1.0, ladder.p);
    for (const auto& [level, error] : ladder.replaced) {
      errors[level] = error;
    }
    const Order found = order_of(steps, errors, ladder.floor);
    const std::string marks = marks_of(found);
    EXPECT_EQ(marks, ladder.marks);
    EXPECT_EQ(found.levels, static_cast<std::size_t>(std::ranges::count(marks, 'f')));
    EXPECT_EQ(std::isnan(found.order), !ladder.has_order);
    EXPECT_EQ(std::isnan(found.uncertainty), !ladder.has_order);
    EXPECT_EQ(std::isnan(found.constants.at(0)), !ladder.has_order);
    if (ladder.has_order) {
      EXPECT_NEAR(found.order, ladder.p, 1e-8);
      EXPECT_NEAR(found.constants.at(0), 1.0, 1e-5);
      // log C = log e - p log h: C is known no better than p at the mean of log h of a fit, and at
      // the last h of steady pairs.
      const std::size_t first = marks.find('f');
      const std::size_t last = marks.rfind('f');
      const bool is_fit = found.basis == statistics::Basis::fit;
      const double log_step =
          std::log(is_fit ? steps[first] * steps[last] : std::pow(steps[last], 2)) / 2;
      EXPECT_NEAR(found.constant_uncertainty, std::abs(log_step) * found.uncertainty, 1e-5);
    }
  }
}

struct Coverage {
  double held = 0.0;            // the share of intervals that hold the true order
  double constants = 0.0;       // the share of intervals that hold the true constant C = 3
  double width = 0.0;           // of the intervals on average
  double constant_width = 0.0;  // of the intervals of the constant on average
  double plain = 0.0;           // the share that has no structural part
};

/// Over `draws` draws of errors C hᵖ, each of which `disturb` changes.
Coverage coverage(const Numbers& steps, double p, int draws,
                  const std::function<void(Numbers& errors)>& disturb) {
  Coverage found;
  for (int draw = 0; draw < draws; ++draw) {
    Numbers errors = errors_of(steps, 3.0, p);
    disturb(errors);
    const Order fit = order_of(steps, errors);
    found.held += std::abs(fit.order - p) <= fit.uncertainty ? 1.0 / draws : 0.0;
    const double apart = std::abs(fit.constants.at(0) - 3.0);
    found.constants += apart <= fit.constant_uncertainty ? 1.0 / draws : 0.0;
    found.width += fit.uncertainty / draws;
    found.constant_width += fit.constant_uncertainty / draws;
    found.plain += fit.structural == 0.0 ? 1.0 / draws : 0.0;
  }
  return found;
}

/// Over 1000 draws of noise of a tenth the share of intervals that hold the true order is at least
/// 95 % less three standard deviations; an interval ten times too wide would hold it always. Noise
/// alone has no structure: of 40 levels, two standard errors of a difference are passed by one in
/// twenty of them, one by one in three.
TEST(FindOrder, the_interval_holds_the_truth_as_often_as_it_says) {
  std::mt19937_64 random(20011);
  std::normal_distribution<double> noise(0.0, 0.1);
  for (const int count : {4, 6, 40}) {
    Numbers steps;
    for (int l = 0; l < count; ++l) {
      steps.push_back(0.5 * std::pow(32.0, -l / (count - 1.0)));
    }
    const Coverage found = coverage(steps, 1.0, 1000, [&](Numbers& errors) {
      for (double& error : errors) {
        error *= std::exp(noise(random));
      }
    });
    // 0.95 less three standard deviations of 1000 draws.
    EXPECT_GE(found.held, 0.93) << count << " levels";
    EXPECT_GE(found.constants, 0.93) << count << " levels";
    if (count == 40) {
      EXPECT_GE(found.plain, 0.93);
      // Two standard errors of the slope, 0.1 √12/(√40 log 32), are 0.032; correlations that are
      // not there and other choices of the levels make it at most twice as wide.
      EXPECT_NEAR(found.width, 0.048, 0.016);
      // Those of log C at the mean of log h, -2.43, of which the spread is log 32/√12 = 1.
      const double of_constant = 3.0 * 2 * 0.1 * std::sqrt((1 + 2.43 * 2.43) / 40);
      EXPECT_NEAR(found.constant_width, 1.5 * of_constant, 0.5 * of_constant);
    }
  }
}

/// Four levels leave two degrees of freedom. The choice of the tail costs 3/4 of one, so that the
/// interval has Student's 0.975 quantile for 1.25 (by SciPy), between those for 1 and 2.
TEST(FindOrder, of_four_levels_has_the_quantile_of_five_quarters_of_a_degree) {
  const Numbers steps = halved(0.5, 4);
  Numbers errors = errors_of(steps, 1.0, 1.0);
  errors[1] *= 1.1;
  errors[2] /= 1.1;
  const auto law = statistics::fit_power_law(
      {.steps = {{steps, Numbers(4, 0.0)}}, .errors = errors}, {.first = 0, .end = 4});
  ASSERT_TRUE(law);
  const Order found = order_of(steps, errors);
  ASSERT_EQ(found.levels, 4U);
  EXPECT_NEAR(found.statistical / law->order_error, 8.0279514, 1e-6);
}

/// An event at a time that no level has as a step: θ of the coarsest step is left of it, 2θ mod 1
/// of the next, and each level errs by as much more. Neighbours are correlated by 1/2. The same
/// bound as before.
TEST(FindOrder, the_interval_holds_the_truth_where_events_lie_within_steps) {
  std::mt19937_64 random(20014);
  std::uniform_real_distribution<double> phase(0.0, 1.0);
  for (const std::size_t count : {5U, 8U}) {
    const Coverage found = coverage(halved(0.5, count), 1.0, 1000, [&](Numbers& errors) {
      double theta = phase(random);
      for (double& error : errors) {
        error *= 1 + 0.5 * theta;
        theta = std::fmod(2 * theta, 1.0);
      }
    });
    EXPECT_GE(found.held, 0.93) << count << " levels";
  }
}

/// e = h² |cos φ|, φ by chance: errors of changing sign, some of them nearly zero. The deviation of
/// log |cos φ| is π/√12, so that two standard errors of a straight line through 120 levels are
/// 0.165. With the weight 4 the fourth powers count, E cos⁴ = 3/8, E cos⁸ = 35/128: of these it is
/// √0.944/4, and two standard errors are 0.044.
TEST(FindOrder, errors_that_nearly_cancel_do_not_make_the_interval_wide) {
  std::mt19937_64 random(20015);
  std::uniform_real_distribution<double> angle(0.0, std::numbers::pi);
  Numbers steps;
  for (int l = 0; l < 120; ++l) {
    steps.push_back(std::pow(32.0, -l / 119.0));
  }
  const Coverage found = coverage(steps, 2.0, 300, [&](Numbers& errors) {
    for (double& error : errors) {
      error *= std::abs(std::cos(angle(random)));
    }
  });
  // 95 % less three standard deviations of 300 draws.
  EXPECT_GE(found.held, 0.91);
  EXPECT_GT(found.width, 0.044);
  EXPECT_LT(found.width, 0.165 / 2);
}

/// Neighbouring levels of a dense ladder that err alike count less than as many that do not.
TEST(FindOrder, the_interval_is_wider_where_neighbours_err_alike) {
  Numbers steps;
  Numbers alike;
  Numbers in_turn;
  for (int l = 0; l < 64; ++l) {
    steps.push_back(std::pow(2.0, -l / 10.0));
    alike.push_back(steps.back() * ((l + 2) % 16 < 8 ? 1.1 : 0.9));
    in_turn.push_back(steps.back() * (l % 2 == 0 ? 1.1 : 0.9));
  }
  EXPECT_GT(order_of(steps, alike).statistical, 2 * order_of(steps, in_turn).statistical);
}

/// Errors C₁ δsᵖ + C₂ δtᵖ of a staircase: space and time refined in turn.
struct Staircase {
  Numbers ds = {};
  Numbers dt = {};
  Numbers errors = {};

  Staircase(int levels, double space, double time, double p = 1.0) {
    for (int l = 0; l < levels; ++l) {
      ds.push_back(std::ldexp(0.01, -(l + 1) / 2));
      dt.push_back(std::ldexp(0.04, -l / 2));
      errors.push_back(space * std::pow(ds.back(), p) + time * std::pow(dt.back(), p));
    }
  }
};

/// Order and constants together: no order is put in.
TEST(FindOrder, of_two_steps_finds_order_and_constants) {
  for (const double p : {0.9, 1.0, 1.2, 2.0}) {
    for (const auto& [space, time] : {std::pair(0.7, 2.0), {12.0, 0.3}, {-0.2, 1.5}}) {
      const auto [ds, dt, errors] = Staircase(8, space, time, p);
      const Numbers exact(errors.size(), 0.0);
      const Order found = find_order({.steps = {{ds, exact}, {dt, exact}}, .errors = errors}, 0.0);
      EXPECT_NEAR(found.order, p, 1e-8);
      EXPECT_NEAR(found.constants.at(0), space, 1e-4 * std::abs(space));
      EXPECT_NEAR(found.constants.at(1), time, 1e-4 * time);
      EXPECT_LT(found.uncertainty, 0.0051);
    }
  }
}

TEST(FitJointly, tells_two_constants_apart_to_the_confidence_that_it_says) {
  for (const auto& [space, time] : {std::pair(0.7, 2.0), {9.0, -0.4}}) {
    auto [ds, dt, errors] = Staircase(6, space, time);
    errors[1] = nan_value;  // levels without an error are left out
    errors[3] = 0.0;
    const auto fit = statistics::fit_jointly(ds, dt, errors);
    for (const double apart : {fit.space - space, fit.time - time}) {
      EXPECT_NEAR(apart, 0.0, 1e-10);
    }
    EXPECT_LT(std::max(fit.space_uncertainty, fit.time_uncertainty), 1e-4);
  }
  std::mt19937_64 random(20012);
  std::normal_distribution<double> noise(0.0, 0.01);
  constexpr int draws = 2000;
  double covered_space = 0.0;
  double covered_time = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    auto [ds, dt, errors] = Staircase(6, 3.0, 1.0);
    for (double& error : errors) {
      error *= 1 + noise(random);
    }
    const auto fit = statistics::fit_jointly(ds, dt, errors);
    covered_space += std::abs(fit.space - 3.0) <= fit.space_uncertainty ? 1.0 / draws : 0.0;
    covered_time += std::abs(fit.time - 1.0) <= fit.time_uncertainty ? 1.0 / draws : 0.0;
  }
  EXPECT_NEAR(covered_space, 0.95, 0.025);
  EXPECT_NEAR(covered_time, 0.95, 0.025);
}

TEST(FitJointly, says_nothing_where_the_levels_cannot_tell) {
  for (const auto& [ds, dt] : {std::pair(Numbers{0.12, 0.06, 0.03}, Numbers{0.04, 0.02, 0.01}),
                               {{0.1, 0.05}, {0.1, 0.1}}}) {
    const auto fit = statistics::fit_jointly(ds, dt, ds);
    EXPECT_TRUE(std::isnan(fit.space) && std::isnan(fit.time));
    EXPECT_TRUE(std::isnan(fit.space_uncertainty) && std::isnan(fit.time_uncertainty));
  }
  // On one ray to a hundredth.
  EXPECT_TRUE(statistics::on_one_ray({0.1, 0.05, 0.025}, {0.2, 0.1, 0.0502}));
  EXPECT_FALSE(statistics::on_one_ray({0.1, 0.05, 0.025}, {0.2, 0.1, 0.051}));
}

TEST(JointFit, cancels_where_both_constants_are_told_from_zero_and_of_opposite_signs) {
  for (const auto& [fit, is_known, cancels] :
       {std::tuple(statistics::JointFit{1.0, 12.0, 0.42, -5.0, 0.65}, true, true),
        {{1.0, 12.0, 0.42, -5.0, 5.1}, true, false},
        {{1.0, 12.0, 12.1, -5.0, 0.65}, true, false},
        {{1.0, nan_value, 0.42, 5.0, 0.65}, false, false}}) {
    EXPECT_EQ(fit.is_known(), is_known);
    EXPECT_EQ(fit.cancels(), cancels);
  }
}

/// The order between two levels whose errors are those against an exact solution.
double observed_order(double coarse, double fine, double wide, double narrow) {
  return statistics::pair_order({.steps = {{{wide, narrow}, {0.0, 0.0}}}, .errors = {coarse, fine}},
                                0);
}

/// The order of the differences between three levels.
double of_differences(double coarse, double fine, const Numbers& steps) {
  return statistics::pair_order(
      {.steps = {statistics::against_next(steps)}, .errors = {coarse, fine, nan_value}}, 0);
}

/// log(e₁/e₂)/log(h₁/h₂), and of v_j = v + C h_jᵖ the differences C (h₁ᵖ - h₂ᵖ) and C (h₂ᵖ - h₃ᵖ),
/// each of which loses 1/(1 - r⁻ᵖ) of its digits.
TEST(OrderOfPairs, is_that_of_manufactured_errors_and_differences) {
  for (const double p : {0.5, 1.0, 3.0, -1.0, 0.0}) {
    for (const auto& [h2, h3] : {std::pair(0.1, 0.05), {0.1, 0.03}, {0.17, 0.15}}) {
      const auto e = [&](double h) { return 3.0 * std::pow(h, p); };
      EXPECT_NEAR(observed_order(e(0.2), e(h2), 0.2, h2), p, 1e-13);
      if (p > 0) {
        EXPECT_NEAR(of_differences(e(0.2) - e(h2), e(h2) - e(h3), {0.2, h2, h3}), p, 1e-11) << h2;
      }
    }
  }
  // Where differences grow.
  EXPECT_NEAR(of_differences(1.0, 2.0, {4.0, 2.0, 1.0}), -1.0, 1e-12);
  EXPECT_NEAR(of_differences(1.0, 1.0, {4.0, 2.0, 1.0}), 0.0, 1e-12);
  for (const double bad : {0.0, nan_value, infinity}) {
    for (const auto& [coarse, fine] : {std::pair(bad, 0.1), {0.1, bad}}) {
      EXPECT_TRUE(std::isnan(observed_order(coarse, fine, 2.0, 1.0))) << bad;
      EXPECT_TRUE(std::isnan(of_differences(coarse, fine, {4.0, 2.0, 1.0}))) << bad;
    }
  }
  EXPECT_TRUE(std::isnan(observed_order(0.2, 0.1, 1.0, 1.0)));
  EXPECT_TRUE(std::isnan(of_differences(1e300, 1e-300, {4.0, 2.0, 1.0}))) << "beyond any scheme";
}

using statistics::Column;
using statistics::least_squares;

/// Through (0, 1), (1, 3), (2, 4): slope 3/2, intercept 7/6; (XᵀX)⁻¹ has 5/6 and 1/2.
TEST(LeastSquares, of_a_line_through_three_points_whatever_the_scale_of_columns) {
  const Column y{1, 3, 4};
  const auto found = least_squares({{1, 1, 1}, {0, 1, 2}}, y);
  ASSERT_TRUE(found.has_value());
  const auto expect_near = [](const Column& numbers, const Column& expected) {
    EXPECT_LT(Column(std::abs(numbers - expected)).max(), 4e-15) << numbers[0];
  };
  expect_near(found->coefficients, {7.0 / 6, 1.5});
  expect_near({found->variance(0), found->variance(1)}, {5.0 / 6, 0.5});
  expect_near(found->residuals, {-1.0 / 6, 1.0 / 3, -1.0 / 6});
  const auto scaled = least_squares({{1e-9, 1e-9, 1e-9}, {0, 1e9, 2e9}}, y);
  ASSERT_TRUE(scaled.has_value());
  EXPECT_NEAR(scaled->coefficients[0], 7e9 / 6, 1e-5);
  EXPECT_NEAR(scaled->coefficients[1], 1.5e-9, 1e-23);
  // Columns that depend on each other, or are more than the rows.
  EXPECT_FALSE(least_squares({{1, 2, 3}, {2, 4, 6}}, y).has_value());
  EXPECT_FALSE(least_squares({{1, 2, 3}, {0, 0, 0}}, y).has_value());
  EXPECT_FALSE(least_squares({{1, 1}, {1, 2}, {1, 4}}, {1, 2}).has_value());
}

/// The columns 1, s and s², s = 1 + i 1e-4, are dependent but for 1e-8 of their length; v = 1 + 2 s
/// + 3 s² is found all the same, and Q has columns that are orthogonal to 1e-15.
TEST(LeastSquares, of_columns_that_are_nearly_dependent) {
  Column s(9);
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = 1.0 + 1e-4 * static_cast<double>(i);
  }
  const auto found = least_squares({Column(1.0, 9), s, s * s}, 1.0 + 2.0 * s + 3.0 * s * s);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->coefficients[2], 3.0, 1e-5);
  EXPECT_LT(std::abs(found->residuals).max(), 1e-14);
  EXPECT_LT(std::abs(statistics::dot(found->basis[0], found->basis[2])), 1e-15);
}

/// Of lines through the noise n₀, nᵢ = (nᵢ₋₁ + √3 fresh)/2 with deviation 1 and correlation ½: over
/// 5000 draws the mean square of the slope and that of its standard error are alike, to 10 %, which
/// is four standard deviations of either.
TEST(LeastSquares, has_standard_errors_of_correlated_noise) {
  std::mt19937_64 random(20013);
  std::normal_distribution<double> normal;
  Column places(20);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<double>(i) / 19;
  }
  double slopes = 0.0;
  double errors = 0.0;
  for (int draw = 0; draw < 5000; ++draw) {
    Column noise(20);
    noise[0] = normal(random);
    for (std::size_t i = 1; i < noise.size(); ++i) {
      noise[i] = (noise[i - 1] + std::sqrt(3) * normal(random)) / 2;
    }
    const auto found = least_squares({Column(1.0, 20), places}, noise);
    slopes += std::pow(found->coefficients[1], 2);
    errors += std::pow(found->errors(found->residuals, 0.5)[1], 2);
  }
  EXPECT_NEAR(errors / slopes, 1.0, 0.1);
}

}  // namespace masing::test_order
