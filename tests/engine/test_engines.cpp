// The schemes on a slab of one cell against numbers computed by hand, and the engine of the exact
// solution against closed forms, with its check and what it refuses. Without yielding, a step
// equals multiplication by a matrix: tests/commands/test_engines.py shows this, and that the memory
// is the scheme cell by cell. The orders are a matter of tests/study/test_orders.cpp.

#include "engine/engines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/limits.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "support/given.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_engines {

using engine::Method;
using slab::Scheme;
using Numbers = std::vector<double>;

/// A path of one cell computed by hand. Every number is dyadic, so that the sweep and turning
/// points must give these very numbers.
struct HandPath {
  Scheme scheme;
  support::Data data;
  Numbers x;
  Numbers y;
  Numbers restoring;
  Numbers u;
};

const HandPath paths[] = {
    // P = 1, k = 2, η = ½, u0 = -¼, m = ½, k0 = ½, x0 = ½, y0 = 1, δt = ½, F = 2 then -4:
    //     x⁺ = x + y/2,  y⁺ = y + F - (x/2 + 2u),  u⁺ = clamp(u + y/2, -½, ½).
    {.scheme = Scheme::euler,
     .data = {.stiffness = "2",
              .threshold = "0.5",
              .initial_u = "-0.25",
              .force = "t < 1 ? 2 : -4",
              .oscillator = {.mass = 0.5, .k0 = 0.5, .x0 = 0.5, .y0 = 1.0},
              .final_time = 2.5,
              .steps = 5},
     .x = {0.5, 1.0, 2.625, 4.75, 3.71875, -1.0},
     .y = {1.0, 3.25, 4.25, -2.0625, -9.4375, -14.296875},
     .restoring = {-0.25, 1.0, 2.3125, 3.375, 0.859375, -1.5},
     .u = {-0.25, 0.25, 0.5, 0.5, -0.5, -0.5}},
    // m = k = 1, k0 = 0, η = 3/16, from rest at 0 with y = 1, δt = 1, F = -2, -2, 29/16, 29/16:
    //     a = -2       y > 0 turns at t = ½ and x = ¼: u goes to 3/16, then down by ¼: -1/16;
    //     a = -31/16   d = -31/16 without turning: u = -3/16;
    //     a = 2        y = -15/16 turns at 15/32, x lower by 225/1024: u stays, then goes up by
    //                  1/16 + 225/1024 to 97/1024.
    {.scheme = Scheme::leapfrog,
     .data = {.threshold = "0.1875",
              .force = "t < 1.5 ? -2 : 1.8125",
              .oscillator = {.y0 = 1.0},
              .final_time = 3.0,
              .steps = 3},
     .x = {0.0, 0.0, -31.0 / 16, -30.0 / 16},
     .y = {1.0, -31.0 / 32, -15.0 / 16, 1887.0 / 2048},
     .restoring = {0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024},
     .u = {0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024}}};

TEST(Schemes, follow_paths_computed_by_hand) {
  for (const HandPath& wanted : paths) {
    for (const auto method : {Method::sweep, Method::memory}) {
      support::Problem problem = support::problem(wanted.data);
      problem.scheme = wanted.scheme;
      const auto path = support::trajectory(support::alone(), problem, method, {0, 1, 2, 3, 4, 5});
      EXPECT_EQ(path.x, wanted.x);
      EXPECT_EQ(path.y, wanted.y);
      EXPECT_EQ(path.restoring, wanted.restoring);
      ASSERT_EQ(path.fields.size(), wanted.u.size());
      for (std::size_t p = 0; p < wanted.u.size(); ++p) {
        EXPECT_EQ(path.fields[p], Numbers{wanted.u[p]}) << p;
      }
    }
  }
}

/// A pass over the slab makes two steps of Euler's scheme: half a pass would cost a whole one.
TEST(Schemes, advance_by_whole_passes_however_long_a_step_takes) {
  engine::Pace pace;
  pace.record(16, 1000.0);
  EXPECT_EQ(pace.steps(), 2);
  pace.record(2, 0.0);
  EXPECT_EQ(pace.steps(), 8);
  pace.record(7, 0.0999999);  // 7.00001 steps in 0.1 s
  EXPECT_EQ(pace.steps(), 6);
  pace.record(4096, 0.0);
  EXPECT_EQ(pace.steps(), 4096);
}

/// By hand, with δt = 1 and k0 = 1e200: x = 1, 1, -1e200, -3e200, ∞ and y = 0, -1e200, -2e200, ∞.
TEST(Stepper, names_the_first_step_that_is_not_finite) {
  const engine::RunSpec run = support::run_of(
      support::problem({.oscillator = {.k0 = 1e200, .x0 = 1.0}, .final_time = 6.0, .steps = 6}));
  const parallel::Communicator alone = support::alone();
  for (const auto& [count, text] :
       {std::pair(3, "y = inf at step 3 (t = 3)"), {6, "x = inf at step 4 (t = 4)"}}) {
    const engine::Setup setup = engine::make_setup(alone, run);
    engine::Stepper stepper(alone, *setup.engine, run);
    stepper.start();
    stepper.share(0, 2, 2);
    EXPECT_NO_THROW(stepper.advance(0));
    stepper.share(2, count - 2, count - 2);
    const std::string said = given::mistake([&] { stepper.advance(2); });
    EXPECT_NE(said.find(text), std::string::npos) << said;
  }
}

/// An engine of a run by one rank, which goes to the times that a test names.
struct Going {
  explicit Going(engine::RunSpec of) : run(std::move(of)), setup(engine::make_setup(alone, run)) {}
  explicit Going(const std::string& options)
      : Going(cli::simulation(given::requested(cli::Command::simulate, given::options(options)), "")
                  .run) {}

  /// Returns x at these times.
  Numbers x(const Numbers& times) const {
    Numbers x(times.size());
    Numbers y = x;
    Numbers restoring = x;
    setup.engine->advance({.times = times, .x = x, .y = y, .restoring = restoring});
    return x;
  }
  /// Returns self_check after these times.
  double self_check(const Numbers& times) const {
    (void)x(times);
    return setup.engine->self_check();
  }
  [[nodiscard]] Numbers times_of_steps() const {
    Numbers all;
    for (std::int64_t p = 1; p <= run.time.steps; ++p) {
      all.push_back(run.time.time(p));
    }
    return all;
  }

  parallel::Communicator alone = support::alone();
  engine::RunSpec run;
  engine::Setup setup;
};

TEST(Exact, begins_with_the_force_of_its_elongations) {
  support::Problem problem =
      support::problem({.stiffness = "2", .threshold = "1", .initial_u = "0.5*s"});
  problem.space = support::space_of(0);
  const auto path = support::trajectory(support::alone(), problem, Method::exact);
  EXPECT_NEAR(path.restoring[0], 0.5, 1e-15);
}

TEST(Exact, self_check_does_not_depend_on_the_times_that_are_asked_for) {
  support::Problem problem = support::forced(20, "0.3*abs(s-0.4)");
  problem.time.steps = 20000;  // more than there are comparisons
  const engine::RunSpec run = support::run_of(problem, Method::exact);
  const Numbers all = Going(run).times_of_steps();
  const double checked = Going(run).self_check(all);
  EXPECT_GT(checked, 0.0);
  EXPECT_EQ(Going(run).self_check({all.back()}), checked);
  // p T/N rounded may be before T.
  EXPECT_EQ(Going(run).self_check({std::nextafter(all.back(), 0.0)}), checked);
}

TEST(Exact, flat_starts_of_models_are_the_closed_forms) {
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
    const char* options;
    std::size_t column;
    std::function<double(double)> x;
  };
  // No element yields; the masses of s1-p2-series stick together, and a gephyroid has x = F/k0.
  const std::vector<Row> rows{
      {"prandtl; set k=2; set eta=10; force=sin(t)^5", 0, [&](double t) { return of_sine(t, 2); }},
      {"p-series; set k0=2; set n=1; set k=1; set alpha=10; force=1e-12*sin(t)^5", 0,
       [&](double t) { return 1e-12 * of_sine(t, 2); }},
      {"s1-p2-series; set k1=2; set alpha1=1e4; set k2=0; set alpha2=1e4; force=t^8", 2,
       [](double t) {
         const double s = t * t;
         return ((((s - 56) * s + 1680) * s - 20160) * s + 40320 * (1 - std::cos(t))) / 2;
       }},
      {"persoz-quasistatic; set k0=2; set k1=1; set k2=1; set k3=1; set alpha1=10; set alpha2=10; "
       "set alpha3=10; force=exp(-1/t)",
       0, [](double t) { return std::exp(-1 / t) / 2; }}};
  for (const Row& row : rows) {
    const Going of(std::string("engine=exact; final-time=3; steps=30; model=") + row.options);
    for (const double t : of.times_of_steps()) {
      (void)of.x({t});
      EXPECT_NEAR(of.setup.engine->state().values()[row.column], row.x(t),
                  1e-13 * std::abs(row.x(3)))
          << row.options;
    }
  }
}

TEST(Exact, a_force_far_beyond_the_slab_is_almost_that_of_a_free_mass) {
  // The slab's force is at most the strength ∫ k η⁺, so x differs from that of F alone by at most
  // strength t²/2m. In the first row S of the start is 0 but for rounding; in the second ω|x| + |y|
  // is nearly 0 at a reversal.
  struct Row {
    const char* options;
    double strength;
    double (*free)(double t);
  };
  for (const Row& row : {Row{"stiffness=exp(-s); threshold=0.5+0.3*sin(6*s); threshold-down=0.3; "
                             "force=1e8*sin(t); mass=0.01; final-time=20",
                             80, [](double t) { return 1e10 * (t - std::sin(t)); }},
                         Row{"force=1e10*cos(t); final-time=500", 0.61,
                             [](double t) { return 1e10 * (1 - std::cos(t)); }}}) {
    const Going of(std::string("engine=exact; cells=100; steps=4000; ") + row.options);
    const Numbers times = of.times_of_steps();
    const Numbers x = of.x(times);
    for (std::size_t p = 0; p < x.size(); ++p) {
      const double free = row.free(times[p]);
      EXPECT_NEAR(x[p], free, row.strength * times[p] * times[p] / 2 + 1e-9 * (10 + free));
    }
  }
}

TEST(Exact, refuses_what_it_cannot_solve) {
  struct Row {
    const char* options;
    const char* phrase;
  };
  for (const Row& row :
       {Row{"force=abs(sin(t)); cells=1", "smooth"},
        Row{"force=1/(t-0.503)^2*exp(800*t); final-time=1; cells=1", "finite"},
        // Under a force beyond its strength all cells slide twice a period: 2 P T/2π = 3e7 events.
        Row{"threshold=1e-3*(s+0.1); force=sin(t); k0=0.2; final-time=5000; cells=20000", "events"},
        // A mass that follows a fast force turns twice a period: 2 T 5e6/2π = 3e8 events.
        Row{"force=0.45*cos(5e6*t); k0=0.3; final-time=200; cells=1", "events"}}) {
    const std::string said = given::mistake([&] {
      const Going of(std::string("steps=4; engine=exact; ") + row.options);
      (void)of.x({of.run.time.final_time});
    });
    EXPECT_NE(said.find(row.phrase), std::string::npos) << row.options << ": " << said;
  }
}

TEST(Exact, a_solution_that_fails_its_check_is_an_error) {
  const support::Problem problem = support::problem(
      {.force = "cos(30*t)", .final_time = 20.0, .steps = 20, .space = support::space_of(50)});
  const parallel::Communicator alone = support::alone();
  const slab::Profile profile =
      engine::checked_profile(alone, problem, Method::sweep, base::infinity);
  const engine::RunSpec run = support::run_of(problem, Method::exact);
  const auto measure = slab::make_cell_measure(profile);
  const auto integrated = [&](const slab::StepControl& options) {
    const auto engine =
        engine::make_exact(alone, run, support::masing_of(problem), profile, measure, options);
    return support::trajectory(alone, *engine, problem);
  };
  EXPECT_EQ(integrated({}).x.size(), 21U);
  // a step control that lets both solutions go wrong, each in its own way: steps of a period
  EXPECT_THROW((void)integrated({.tolerance = 1e3, .longest_step = 50.0}), base::SystemError);
}

}  // namespace masing::test_engines
