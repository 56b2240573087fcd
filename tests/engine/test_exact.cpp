// The exact engine: the field of its own turning points, and its check.
#include "engine/engines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "rheology/model_run.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_exact {

support::Problem forced(std::int64_t cells, std::int64_t steps) {
  support::Problem problem = support::forced(cells, "0.3*abs(s-0.4)");
  problem.time.steps = steps;
  return problem;
}

/// An exact engine with what it refers to.
struct Made {
  explicit Made(const support::Problem& problem)
      : profile(engine::checked_profile(alone, problem)),
        engine(
            engine::make_engine(alone, support::run_of(problem, engine::Method::exact), profile)) {}

  parallel::Communicator alone = support::alone();
  slab::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

/// self_check of an engine that has gone to each of some times.
double self_check(engine::Engine& engine, const std::vector<double>& times) {
  std::vector<double> x(times.size());
  std::vector<double> y = x;
  std::vector<double> restoring = x;
  engine.advance({.times = times, .x = x, .y = y, .restoring = restoring});
  return engine.self_check();
}

TEST(Exact, SelfCheckDoesNotDependOnTheTimesThatAreAskedFor) {
  const std::int64_t steps = 20000;  // more than there are comparisons
  const support::Problem problem = forced(20, steps);
  std::vector<double> all;
  for (std::int64_t p = 1; p <= steps; ++p) {
    all.push_back(problem.time.time(p));
  }
  const double checked = self_check(*Made(problem).engine, all);
  EXPECT_GT(checked, 0.0);
  EXPECT_EQ(self_check(*Made(problem).engine, {all.back()}), checked);
  // p T/N rounded may be before T.
  EXPECT_EQ(self_check(*Made(problem).engine, {std::nextafter(all.back(), 0.0)}), checked);
}

TEST(Exact, ElongationIsTheFieldAtEveryPoint) {
  const support::Problem problem = forced(100, 10);
  const Made made(problem);
  (void)support::trajectory(made.alone, *made.engine, problem);
  const slab::RememberedElongation u = *made.engine->elongation();
  const auto field = made.engine->field().values();
  for (std::int64_t i = 0; i < made.profile.range.size; ++i) {
    EXPECT_EQ(u(made.profile.element(i)), field[static_cast<std::size_t>(i)]);
  }
}

TEST(Exact, FlatStartsOfModelsAreTheClosedForms) {
  // x'' + w² x = sin⁵ t from rest
  const auto of_sine = [](double t, double w2) {
    double x = 0.0;
    for (const auto& [share, j] : {std::pair(10.0, 1), std::pair(-5.0, 3), std::pair(1.0, 5)}) {
      x += share / 16 * (std::sin(j * t) - j / std::sqrt(w2) * std::sin(std::sqrt(w2) * t)) /
           (w2 - j * j);
    }
    return x;
  };
  struct Row {
    const char* model;
    model_run::Parameters parameters;
    const char* force;
    std::size_t column;
    std::function<double(double)> x;
  };
  // No element yields; the masses of s1-p2-series stick together, and a gephyroid has x = F/k0.
  const std::vector<Row> rows{
      {"prandtl", {{"k", 2}, {"eta", 10}}, "sin(t)^5", 0, [&](double t) { return of_sine(t, 2); }},
      {"p-series",
       {{"k0", 2}, {"n", 1}, {"k", 1}, {"alpha", 10}},
       "1e-12*sin(t)^5",
       0,
       [&](double t) { return 1e-12 * of_sine(t, 2); }},
      {"s1-p2-series",
       {{"k1", 2}, {"alpha1", 1e4}, {"k2", 0}, {"alpha2", 1e4}},
       "t^8",
       2,
       [](double t) {
         const double s = t * t;
         return ((((s - 56) * s + 1680) * s - 20160) * s + 40320 * (1 - std::cos(t))) / 2;
       }},
      {"persoz-quasistatic",
       {{"k0", 2}, {"k1", 1}, {"k2", 1}, {"k3", 1}, {"alpha1", 10}, {"alpha2", 10}, {"alpha3", 10}},
       "exp(-1/t)",
       0,
       [](double t) { return std::exp(-1 / t) / 2; }}};
  for (const Row& row : rows) {
    engine::RunSpec run =
        support::run_of(support::problem({.force = row.force, .final_time = 3.0}));
    const rheology::ModelSpec spec = model_run::model(row.model, row.parameters);
    run.model = spec;
    const auto engine = engine::make_exact(support::alone(), run, spec);
    const double size = std::abs(row.x(3.0));
    for (int p = 1; p <= 30; ++p) {
      ASSERT_NO_THROW((void)self_check(*engine, {0.1 * p})) << row.model;
      EXPECT_NEAR(engine->field().values()[row.column], row.x(0.1 * p), 1e-13 * size) << row.model;
    }
  }
}

TEST(Exact, AForceFarBeyondTheSlabIsAlmostThatOfAFreeMass) {
  // The slab's force is at most the strength ∫ k η⁺, so x differs from that of F alone by at most
  // strength t²/2m. In the first row S of the start is 0 but for rounding; in the second ω|x| + |y|
  // is nearly 0 at a reversal.
  struct Row {
    const char* stiffness;
    const char* threshold;
    const char* down;
    const char* force;
    double mass;
    double final_time;
    double strength;
    double (*free)(double t);
  };
  for (const Row& row : {Row{"exp(-s)", "0.5+0.3*sin(6*s)", "0.3", "1e8*sin(t)", 0.01, 20, 0.8,
                             [](double t) { return 1e10 * (t - std::sin(t)); }},
                         Row{"1", "s+0.1", "s+0.1", "1e10*cos(t)", 1, 500, 0.61,
                             [](double t) { return 1e10 * (1 - std::cos(t)); }}}) {
    support::Problem problem = support::problem({.stiffness = row.stiffness,
                                                 .threshold = row.threshold,
                                                 .force = row.force,
                                                 .oscillator = {.mass = row.mass},
                                                 .final_time = row.final_time,
                                                 .steps = 4000,
                                                 .space = support::space_of(100)});
    const std::string up = row.threshold;
    problem.threshold = support::function("(" + up + "+" + row.down + ")/2", 's');
    problem.shift = support::function("(" + up + "-(" + row.down + "))/2", 's');
    problem.initial_u = support::function("-(" + up + "-(" + row.down + "))/2", 's');
    for (int i = 1; i <= 100; ++i) {  // ∫ k c, where c is the shift
      problem.oscillator.preload += problem.stiffness(0.01 * i) * problem.shift(0.01 * i) / 100;
    }
    const support::Trajectory run =
        support::trajectory(support::alone(), problem, engine::Method::exact);
    for (std::size_t p = 1; p < run.x.size(); ++p) {
      const double t = problem.time.time(static_cast<std::int64_t>(p));
      const double free = row.free(t);
      EXPECT_NEAR(run.x[p], free, row.strength * t * t / (2 * row.mass) + 1e-9 * (10 + free)) << t;
    }
  }
}

TEST(Exact, RefusesAForceThatIsNotSmoothOrNotFinite) {
  EXPECT_THROW(Made(support::problem({.force = "abs(sin(t))"})), base::UserError);
  const support::Problem problem =
      support::problem({.force = "1/(t-0.503)^2*exp(800*t)", .final_time = 1.0, .steps = 4});
  EXPECT_THROW(support::trajectory(support::alone(), problem, engine::Method::exact),
               base::UserError);
}

TEST(Exact, RefusesMoreEventsThanItCanPass) {
  // Under a force beyond its strength all cells slide twice a period: 2 P T/2π = 3e7 events. A mass
  // that follows a fast force turns twice a period: 2 T 5e6/2π = 3e8 events.
  for (const support::Problem& many : {support::problem({.threshold = "1e-3*(s+0.1)",
                                      .force = "sin(t)",
                                      .oscillator = {.k0 = 0.2},
                                      .final_time = 5000.0,
                                      .steps = 4,
                                      .space = support::space_of(20000)}),
                                       support::problem({.force = "0.45*cos(5e6*t)",
                                       .oscillator = {.k0 = 0.3},
                                       .final_time = 200.0,
                                       .steps = 4})}) {
    try {
      (void)support::trajectory(support::alone(), many, engine::Method::exact);
      FAIL() << "is not refused";
    } catch (const base::UserError& error) {
      EXPECT_NE(std::string(error.what()).find("events"), std::string::npos) << error.what();
    }
  }
}

TEST(Exact, ASolutionThatFailsItsCheckIsAnError) {
  const support::Problem problem = support::problem(
      {.force = "cos(30*t)", .final_time = 20.0, .steps = 20, .space = support::space_of(50)});
  const parallel::Communicator alone = support::alone();
  const slab::Profile profile = engine::checked_profile(alone, problem);
  const engine::RunSpec run = support::run_of(problem, engine::Method::exact);
  const auto measure = slab::make_cell_measure(profile);
  const auto integrated = [&](const slab::StepControl& options) {
    const auto engine = engine::make_exact(alone, run, std::get<engine::Masing>(run.model), profile,
                                           measure, options);
    return support::trajectory(alone, *engine, problem);
  };
  EXPECT_EQ(integrated({}).x.size(), 21U);
  // a step control that lets both solutions go wrong, each in its own way: steps of a period
  EXPECT_THROW((void)integrated({.tolerance = 1e3, .longest_step = 50.0}), base::SystemError);
}

}  // namespace masing::test_exact
