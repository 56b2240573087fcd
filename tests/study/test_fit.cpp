// Fits of manufactured errors whose order and constants are known: which levels count, what the
// uncertainty promises, where there is no answer; Richardson's extrapolation; common times.

#include "study/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "study/plan.hpp"

namespace masing {

namespace {

using study::ErrorModel;
using study::Fit;
using study::fit_order;
using study::Mark;
using Numbers = std::vector<double>;
using Marks = std::vector<Mark>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Orders are the place of a minimum that is found to 2⁻²⁵ of it.
constexpr double found_to = 1e-6;

Numbers halved(double first, std::size_t count) {
  Numbers steps;
  for (std::size_t l = 0; l < count; ++l) {
    steps.push_back(std::ldexp(first, -static_cast<int>(l)));
  }
  return steps;
}

/// C (hᵖ - h_refᵖ).
Numbers errors_of(const Numbers& steps, double constant, double p, double reference = 0.0) {
  Numbers errors;
  for (const double h : steps) {
    errors.push_back(constant * (std::pow(h, p) - std::pow(reference, p)));
  }
  return errors;
}

Fit fit_exact(const Numbers& steps, const Numbers& errors, double tolerance = 0.1) {
  return fit_order(steps, errors, ErrorModel::reference, 0.0, 1e-14, tolerance);
}

TEST(FitOrder, finds_order_and_constant_of_a_power) {
  for (const double p : {0.5, 1.0, 2.0, 4.0}) {
    for (const double constant : {1e-3, 1.0, 250.0}) {
      const Numbers steps{0.1, 0.06, 0.05, 0.011};
      const Fit fit = fit_exact(steps, errors_of(steps, constant, p));
      EXPECT_EQ(fit.levels, 4U);
      EXPECT_EQ(fit.marks, Marks(4, Mark::fitted));
      EXPECT_NEAR(fit.order, p, found_to);
      // log C is extrapolated from log h = -2…-4.5.
      EXPECT_NEAR(fit.constant, constant, 5 * found_to * constant);
      EXPECT_GE(fit.uncertainty, 0.0);
      EXPECT_LT(fit.uncertainty, 1e-5);
    }
  }
}

TEST(FitOrder, leaves_out_what_is_before_the_asymptotic_range) {
  const Numbers steps = halved(0.5, 6);
  Numbers errors = errors_of(steps, 3.0, 1.0);
  errors[0] *= 4.0;  // orders 2, then 1.58, then 1
  errors[1] *= 1.5;
  const Fit fit = fit_exact(steps, errors);
  EXPECT_EQ(fit.marks, (Marks{Mark::before, Mark::before, Mark::fitted, Mark::fitted, Mark::fitted,
                              Mark::fitted}));
  EXPECT_EQ(fit.levels, 4U);
  EXPECT_NEAR(fit.order, 1.0, found_to);
  EXPECT_NEAR(fit.constant, 3.0, 3e-5);
  // A tolerance that takes them in makes another order of it.
  EXPECT_GT(fit_exact(steps, errors, 1.5).order, 1.1);
}

TEST(FitOrder, leaves_out_the_round_off_floor) {
  const Numbers steps = halved(0.5, 6);
  Numbers errors = errors_of(steps, 1.0, 2.0);
  errors[4] = 2e-3;
  errors[5] = 1e-3;
  const Fit fit = fit_order(steps, errors, ErrorModel::reference, 0.0, 2e-3, 0.1);
  EXPECT_EQ(fit.marks, (Marks{Mark::fitted, Mark::fitted, Mark::fitted, Mark::fitted,
                              Mark::on_floor, Mark::on_floor}));
  EXPECT_NEAR(fit.order, 2.0, found_to);
  const Fit all_on_floor = fit_order(steps, errors, ErrorModel::reference, 0.0, 1.0, 0.1);
  EXPECT_EQ(all_on_floor.marks, Marks(6, Mark::on_floor));
  EXPECT_EQ(all_on_floor.levels, 0U);
  EXPECT_TRUE(std::isnan(all_on_floor.order));
}

TEST(FitOrder, needs_three_levels) {
  const Numbers steps = halved(0.5, 3);
  const Numbers errors = errors_of(steps, 1.0, 1.0);
  EXPECT_FALSE(std::isnan(fit_exact(steps, errors).order));
  const std::pair<Numbers, std::size_t> too_few[] = {{{errors[0], errors[1]}, 2},
                                                     {{errors[0]}, 1},
                                                     {{}, 0},
                                                     {{10 * errors[0], errors[1], errors[2]}, 2},
                                                     {{errors[0], errors[1], nan_value}, 2},
                                                     {{nan_value, nan_value, nan_value}, 0}};
  for (const auto& [some, levels] : too_few) {
    const Fit fit = fit_exact(steps, some);
    EXPECT_EQ(fit.levels, levels) << testing::PrintToString(some);
    EXPECT_TRUE(std::isnan(fit.order)) << testing::PrintToString(some);
    EXPECT_TRUE(std::isnan(fit.uncertainty));
    EXPECT_TRUE(std::isnan(fit.constant));
    EXPECT_EQ(fit.marks.size(), some.size());
  }
  EXPECT_EQ(fit_exact(steps, {errors[0], errors[1], nan_value}).marks.back(), Mark::undefined);
}

/// The interval is Student's at 95 %: over 2000 draws of noise the share that covers the true order
/// has a standard deviation of 0.5 %. Of three levels the factor is 12.7, not 1.96.
TEST(FitOrder, the_uncertainty_covers_the_truth_as_often_as_it_says) {
  std::mt19937_64 random(20011);
  std::normal_distribution<double> noise(0.0, 0.02);
  for (const std::size_t count : {3U, 6U}) {
    const Numbers steps = halved(0.5, count);
    constexpr int draws = 2000;
    int covered = 0;
    for (int draw = 0; draw < draws; ++draw) {
      Numbers errors = errors_of(steps, 1.0, 1.0);
      for (double& error : errors) {
        error *= std::exp(noise(random));
      }
      const Fit fit = fit_exact(steps, errors, 10.0);
      ASSERT_EQ(fit.levels, count);
      covered += std::abs(fit.order - 1.0) <= fit.uncertainty ? 1 : 0;
    }
    EXPECT_NEAR(covered / static_cast<double>(draws), 0.95, 0.025) << count << " levels";
  }
}

TEST(FitOrder, is_exact_against_a_reference_that_is_not) {
  const Numbers steps = halved(0.5, 4);
  for (const double p : {1.0, 2.0}) {
    for (const double finer : {2.0, 16.0}) {
      const double reference = steps.back() / finer;
      const Numbers errors = errors_of(steps, 7.0, p, reference);
      const Fit fit = fit_order(steps, errors, ErrorModel::reference, reference, 0.0, 1.0);
      EXPECT_NEAR(fit.order, p, found_to) << "reference " << finer << " times finer";
      EXPECT_NEAR(fit.constant, 7.0, 1e-4);
      // What taking it for exact would say is more than that.
      EXPECT_GT(fit_order(steps, errors, ErrorModel::reference, 0.0, 0.0, 1.0).order,
                p + 0.3 * std::pow(finer, -p));
    }
  }
}

TEST(FitOrder, is_exact_for_differences_of_successive_levels) {
  for (const Numbers& steps : {halved(0.5, 5), Numbers{0.3, 0.2, 0.05, 0.04, 0.01}}) {
    for (const double p : {0.5, 1.0, 2.0}) {
      Numbers differences;
      for (std::size_t l = 0; l + 1 < steps.size(); ++l) {
        differences.push_back(2.5 * (std::pow(steps[l], p) - std::pow(steps[l + 1], p)));
      }
      const Fit fit = fit_order(steps, differences, ErrorModel::successive, 0.0, 0.0, 0.1);
      EXPECT_EQ(fit.levels, 4U);
      EXPECT_NEAR(fit.order, p, found_to);
      EXPECT_NEAR(fit.constant, 2.5, 1e-4);
    }
  }
}

struct Pairs {
  Numbers ds;
  Numbers dt;
};

/// A staircase: space and time refined in turn.
Pairs staircase() {
  Pairs pairs;
  for (int l = 0; l < 6; ++l) {
    pairs.ds.push_back(std::ldexp(0.01, -(l + 1) / 2));
    pairs.dt.push_back(std::ldexp(0.04, -l / 2));
  }
  return pairs;
}

Numbers joint_errors(const Pairs& pairs, double space, double time) {
  Numbers errors;
  for (std::size_t l = 0; l < pairs.ds.size(); ++l) {
    errors.push_back(space * pairs.ds[l] + time * pairs.dt[l]);
  }
  return errors;
}

TEST(FitJointly, tells_two_constants_apart) {
  const Pairs pairs = staircase();
  for (const auto& [space, time] : {std::pair(0.7, 2.0), {12.0, 0.3}, {-0.5, 1.5}, {9.0, -0.4}}) {
    const auto fit = study::fit_jointly(pairs.ds, pairs.dt, joint_errors(pairs, space, time));
    const double size = std::abs(space) + std::abs(time);
    EXPECT_NEAR(fit.space, space, 1e-11 * size);
    EXPECT_NEAR(fit.time, time, 1e-11 * size);
    EXPECT_LT(fit.space_uncertainty, 1e-5 * size);
    EXPECT_LT(fit.time_uncertainty, 1e-5 * size);
  }
}

TEST(FitJointly, has_uncertainties_that_cover_the_truth) {
  const Pairs pairs = staircase();
  std::mt19937_64 random(20012);
  std::normal_distribution<double> noise(0.0, 0.01);
  constexpr int draws = 2000;
  int covered_space = 0;
  int covered_time = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Numbers errors = joint_errors(pairs, 3.0, 1.0);
    for (double& error : errors) {
      error *= 1 + noise(random);
    }
    const auto fit = study::fit_jointly(pairs.ds, pairs.dt, errors);
    covered_space += std::abs(fit.space - 3.0) <= fit.space_uncertainty ? 1 : 0;
    covered_time += std::abs(fit.time - 1.0) <= fit.time_uncertainty ? 1 : 0;
  }
  EXPECT_NEAR(covered_space / static_cast<double>(draws), 0.95, 0.025);
  EXPECT_NEAR(covered_time / static_cast<double>(draws), 0.95, 0.025);
}

TEST(FitJointly, leaves_out_levels_without_an_error) {
  Pairs pairs = staircase();
  Numbers errors = joint_errors(pairs, 2.0, 1.0);
  errors[1] = nan_value;
  errors[3] = 0.0;
  const auto fit = study::fit_jointly(pairs.ds, pairs.dt, errors);
  EXPECT_NEAR(fit.space, 2.0, 1e-10);
  EXPECT_NEAR(fit.time, 1.0, 1e-10);
}

TEST(FitJointly, says_nothing_where_the_levels_cannot_tell) {
  const Numbers dt = halved(0.04, 4);
  Numbers ds = dt;
  std::ranges::transform(ds, ds.begin(), [](double h) { return 3 * h; });
  const auto nothing = [](const study::JointFit& fit) {
    return std::isnan(fit.space) && std::isnan(fit.time) && std::isnan(fit.space_uncertainty) &&
           std::isnan(fit.time_uncertainty);
  };
  EXPECT_TRUE(nothing(study::fit_jointly(ds, dt, joint_errors({ds, dt}, 1.0, 1.0))));
  const Pairs two{{0.1, 0.05}, {0.1, 0.1}};
  EXPECT_TRUE(nothing(study::fit_jointly(two.ds, two.dt, joint_errors(two, 1.0, 1.0))));
}

TEST(JointFit, cancels_where_both_constants_are_told_from_zero_and_of_opposite_signs) {
  study::JointFit fit{1.0, 12.0, 0.42, -5.0, 0.65};
  EXPECT_TRUE(fit.is_known());
  EXPECT_TRUE(fit.cancels());
  fit.time_uncertainty = 5.1;
  EXPECT_FALSE(fit.cancels());
  fit = {1.0, 12.0, 0.42, 5.0, 0.65};
  EXPECT_FALSE(fit.cancels());
  fit.space = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fit.is_known());
  EXPECT_FALSE(fit.cancels());
}

/// v + C hᵖ: the error of the last is C h₃ᵖ, and the index is 1.25 times that.
TEST(Extrapolate, is_exact_for_a_power) {
  for (const double p : {0.5, 1.0, 2.0}) {
    for (const double constant : {0.3, -0.3}) {
      const Numbers steps{9.0, 0.4, 0.2, 0.05};  // the first is not used
      Numbers values;
      for (const double h : steps) {
        values.push_back(-1.5 + constant * std::pow(h, p));
      }
      values.front() = 1e6;
      const auto found = study::extrapolate(steps, values);
      EXPECT_NEAR(found.order, p, 1e-10);
      EXPECT_NEAR(found.value, -1.5, 1e-10);
      EXPECT_NEAR(found.index, 1.25 * 0.3 * std::pow(0.05, p), 1e-10);
    }
  }
}

TEST(Extrapolate, says_nothing_where_there_is_no_limit) {
  const Numbers steps{0.4, 0.2, 0.1};
  for (const Numbers& values : {Numbers{1.0, 2.0, 1.5},
                                {1.0, 1.5, 2.5},
                                {1.0, 2.0, 3.0},
                                {1.0, 1.0, 1.0},
                                {1.0, nan_value, 2.0}}) {
    const auto found = study::extrapolate(steps, values);
    EXPECT_TRUE(std::isnan(found.value)) << testing::PrintToString(values);
    EXPECT_TRUE(std::isnan(found.index)) << testing::PrintToString(values);
  }
  EXPECT_TRUE(std::isnan(study::extrapolate({0.2, 0.1}, {1.0, 2.0}).value));
}

/// All times jT/m are steps of every level, where there are 16 such times or as many as wanted.
TEST(CommonSamples, are_steps_of_every_level) {
  EXPECT_EQ(study::common_samples(200, {10000, 20000}), 200);
  EXPECT_EQ(study::common_samples(200, {1000, 1500}), 125);
  EXPECT_EQ(study::common_samples(200, {120, 240}), 120);
  EXPECT_EQ(study::common_samples(200, {16, 48}), 16);
  EXPECT_EQ(study::common_samples(5, {7, 14}), 5);   // one time in common is too few
  EXPECT_EQ(study::common_samples(3, {10, 20}), 3);  // two as well
  EXPECT_EQ(study::common_samples(2, {10, 20}), 2);
  EXPECT_EQ(study::common_samples(200, {7, 11}), 200);
  EXPECT_EQ(study::common_samples(200, {15, 30}), 200);
  EXPECT_EQ(study::common_samples(1, {3}), 1);
}

}  // namespace

}  // namespace masing
