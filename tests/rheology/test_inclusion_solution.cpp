// The solution from event to event against closed forms: Coulomb's decay, a force that rises past
// friction, masses on the edge of sticking, modes of a chain. That it is the limit of the scheme
// for all models is seen by test_models.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "rheology/model_run.hpp"

namespace masing::test_inclusion_solution {

using model_run::ExactRun;
using model_run::State;
using std::numbers::pi;

double no_force(double /*t*/) {
  return 0.0;
}

TEST(ExactModel, friction_oscillator_decays_as_coulomb_says) {
  // m = 0.5, k = 2: ω = 2; the amplitude loses 2α/k = 0.1 every half cycle π/ω, until |x| ≤ 0.05.
  ExactRun run("friction-oscillator", {{"m", 0.5}, {"k", 2}, {"alpha", 0.1}, {"x0", 1.025}},
               no_force, 30);
  constexpr int samples = 3000;
  for (int p = 0; p <= samples; ++p) {
    const double t = 30.0 * p / samples;
    const int half = static_cast<int>(t / (pi / 2));
    const State state = run.at(t);
    double x = 1.025 - 0.1 * std::min(half, 10);
    double y = 0.0;
    if (half < 10) {
      const double amplitude = x - 0.05;  // about the rest position ±α/k
      const double s = 2 * (t - half * pi / 2);
      x = 0.05 + amplitude * std::cos(s);
      y = -2 * amplitude * std::sin(s);
    }
    const int sign = half % 2 == 0 || half >= 10 ? 1 : -1;
    ASSERT_NEAR(state[0], sign * x, 2e-14) << t;
    ASSERT_NEAR(state[1], sign * y, 4e-14) << t;
  }
  EXPECT_EQ(run.solution->state()[1], 0.0);
  EXPECT_NEAR(run.solution->restoring(), 0.0, 1e-15);  // friction holds the spring
}

TEST(ExactModel, masses_break_away_and_graze_rest) {
  // F = a t: rest until F = α; then k x = a (s - sin ωs/ω), y = a/k (1 - cos ωs), which touches
  // rest at every ωs = 2πj, on the edge of sticking, and goes on. So does the last mass of a chain
  // as long as what it puts on the first, k x + α ≤ 1.6, is below that one's friction.
  constexpr double a = 0.3;
  constexpr double alpha = 0.7;
  const auto force = [](double t) { return a * t; };
  const double omega = std::sqrt(1.5);
  ExactRun single("friction-oscillator", {{"m", 2}, {"k", 3}, {"alpha", alpha}}, force, 40);
  ExactRun chain("p-chain",
                 {{"m", State{0.844, 2}}, {"k", State{2.615, 3}}, {"alpha", State{1.9, alpha}}},
                 force, 5);
  for (int p = 0; p <= 4000; ++p) {
    const double t = 0.01 * p;
    const double s = std::max(0.0, t - alpha / a);
    const double x = a / 3 * (s - std::sin(omega * s) / omega);
    const double y = a / 3 * (1 - std::cos(omega * s));
    const State one = single.at(t);
    ASSERT_NEAR(one[0], x, 1e-13) << t;
    ASSERT_NEAR(one[1], y, 1e-13) << t;
    if (t <= 5) {
      const State two = chain.at(t);
      ASSERT_EQ(two[0], 0.0) << t;
      ASSERT_EQ(two[2], 0.0) << t;
      ASSERT_NEAR(two[1], x, s == 0 ? 0.0 : 1e-14) << t;
      ASSERT_NEAR(two[3], y, s == 0 ? 0.0 : 1e-14) << t;
    }
  }
}

TEST(ExactModel, masses_that_stick_are_at_rest_to_the_last_bit) {
  // |F| < α of all elements, whatever rounding makes of F/m less the friction that holds it.
  const auto force = [](double t) {
    return 0.429 * std::sin(0.311 * t) + 0.302 * std::cos(3.973 * t) - 0.107;
  };
  ExactRun chain("p-chain",
                 {{"m", State{0.844, 1.055, 0.7}}, {"k", State{2.6, 1.3, 1}}, {"alpha", 1}}, force,
                 14.1);
  ExactRun single("friction-oscillator", {{"m", 1.3}, {"k", 2}, {"alpha", 1}}, force, 14.1);
  for (int p = 0; p <= 500; ++p) {
    const double t = 14.1 * p / 500;
    ASSERT_EQ(chain.at(t), State(6, 0.0)) << t;
    ASSERT_EQ(single.at(t), State(2, 0.0)) << t;
  }
}

/// No element yields: x = F/k0.
TEST(ExactModel, rate_of_a_model_without_a_mass_is_that_of_the_force) {
  ExactRun run(
      "persoz-quasistatic",
      {{"k0", 2}, {"k1", 1}, {"k2", 1}, {"k3", 1}, {"alpha1", 10}, {"alpha2", 10}, {"alpha3", 10}},
      [](double t) { return std::sin(t); }, 3);
  for (const double t : {0.4, 1.3, 2.9}) {
    EXPECT_NEAR(run.at(t)[0], std::sin(t) / 2, 1e-13);
    EXPECT_NEAR(run.solution->rate()[0], std::cos(t) / 2, 1e-11);
  }
}

TEST(ExactModel, s_chain_moves_as_its_modes_say) {
  // n equal masses and springs from rest, F = 1 at the last, no element yields: with
  // θ_j = (2j-1)π/(2n+1), ω_j = 2 sin(θ_j/2),
  // x_i = 4/(2n+1) Σ_j sin(iθ_j) sin(nθ_j) (1 - cos ω_j t)/ω_j². The first masses move so little
  // at first that polynomials do not show it.
  constexpr int n = 30;
  ExactRun run(
      "s-chain", {{"n", n}, {"k", 1}, {"eta", 10}}, [](double) { return 1.0; }, 60);
  for (int p = 0; p <= 600; ++p) {
    const double t = 0.1 * p;
    const State state = run.at(t);
    for (int i = 1; i <= n; ++i) {
      double x = 0.0;
      for (int j = 1; j <= n; ++j) {
        const double angle = (2 * j - 1) * pi / (2 * n + 1);
        const double omega = 2 * std::sin(angle / 2);
        x +=
            std::sin(i * angle) * std::sin(n * angle) * (1 - std::cos(omega * t)) / (omega * omega);
      }
      ASSERT_NEAR(state[static_cast<std::size_t>(i - 1)], 4.0 / (2 * n + 1) * x, 1e-11) << t;
    }
  }
}

TEST(ExactModel, s_chain_from_bounds_that_hold_each_other_takes_few_steps) {
  // Every element begins at its bound, all bounds are the same force, and F jumps.
  const std::vector<double> jumps{4.5, 13.5, 22.5, 31.5};
  int looks = 0;
  const auto force = [&looks](double t) {
    ++looks;
    return 0.45 * std::cos(0.5 * t) + 0.2 * 2 * (t / 9 - std::floor(t / 9 + 0.5));
  };
  const State bounds{0.3, 0.15, 0.1};
  const model_run::Parameters parameters{
      {"n", 3}, {"k", State{1, 2, 3}}, {"eta", bounds}, {"u0", bounds}};
  ExactRun run("s-chain", parameters, force, 40, jumps);
  const State end = run.at(40);
  const int steps = std::exchange(looks, 0);
  const State other =
      ExactRun("s-chain", parameters, force, 40, jumps, rheology::checking_options).at(40);
  for (std::size_t c = 0; c < end.size(); ++c) {
    EXPECT_NEAR(end[c], other[c], 1e-11) << c;
  }
  // Each step looks at F some 20 times. The three springs yield and stop a few times each within a
  // period of the fastest mode.
  EXPECT_LT(std::max(steps, looks), 10000);
}

TEST(ExactModel, jumps_without_a_mass_as_the_resolvent_says) {
  // F falls until g1 yields, or g2 and g3 do, jumps, and falls: at the jump g2 and g3 go to their
  // other bounds, which they leave with F, and g1 leaves its own.
  const model_run::Parameters parameters{{"k0", 1.2},     {"k1", 3.3},     {"k2", 1.1},
                                         {"k3", 3.3},     {"alpha1", 0.3}, {"alpha2", 0.7},
                                         {"alpha3", 0.65}};
  constexpr double jump = 2.0;
  struct Fall {
    double rate;
    std::size_t yields;
  };
  for (const auto& [rate, yields] : {Fall{0.2, 3}, Fall{0.6, 1}}) {
    const auto force = [rate = rate](double t) {
      return t < jump ? -rate * t : 1.5 - 0.1 * (t - jump);
    };
    ExactRun run("persoz-quasistatic", parameters, force, 3, {jump});
    model_run::Run step("persoz-quasistatic", parameters);
    constexpr double before = jump - 1e-9;
    step.state = run.at(before);
    ASSERT_EQ(std::abs(step.state[yields]), yields == 3 ? 0.3 : 0.7);
    step.step(1.0, force(before), force(jump));
    const State behind = run.at(jump);
    for (std::size_t c = 0; c < behind.size(); ++c) {
      EXPECT_NEAR(behind[c], step.state[c], 1e-8) << c;  // what F does in the last 1e-9
    }
    const State later = run.at(3);
    EXPECT_NEAR(later[1], -0.7 + 0.1, 1e-14);
    EXPECT_NEAR(later[2], -0.65 + 0.1, 1e-14);
  }
}

}  // namespace masing::test_inclusion_solution
