// Chains of slabs: the discrete balance of energy, what a first loading dissipates, the greatest
// frequency, and the element that flows first, against closed forms. tests/commands/test_chain.py
// compares chains with a loop over all sliders, engine/test_restart.cpp parts and saved states.
#include "slab/chain/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace masing::test_chain {

using slab::BuiltSlab;
using slab::Chain;
using slab::ChainLoad;
using slab::ChainPart;
using slab::Scheme;

/// Returns the slab η = s + 0.1, k = 1 + s with this u0, for P = ∞.
BuiltSlab continuum(const char* initial_u = "0") {
  slab::Slab shape;
  shape.stiffness = base::Function("1+s", 's');
  shape.threshold = base::Function("s+0.1", 's');
  shape.initial_u = base::Function(initial_u, 's');
  shape.space = slab::Continuum{};
  return {slab::make_continuous_measure(shape), 0.0, false, {}};
}

/// Returns a chain of `n` elements with random numbers and without dashpots.
ChainPart random_part(std::size_t n, bool absorbs) {
  std::mt19937_64 random(n);
  const auto list = [&](std::size_t count, double least, double most) {
    std::uniform_real_distribution<double> number(least, most);
    std::vector<double> values(count);
    std::ranges::generate(values, [&] { return number(random); });
    return values;
  };
  ChainPart part{.mass = list(n + 1, 0.5, 2.0),
                 .ground = std::vector(n + 1, 0.0),
                 .stiffness = list(n, 0.5, 2.0),
                 .scale = list(n, 0.2, 1.0),
                 .spring = list(n, 0.0, 0.3),
                 .dashpot = std::vector(n, 0.0),
                 .x0 = list(n + 1, -0.1, 0.1),
                 .y0 = list(n + 1, -0.5, 0.5)};
  part.x0[0] = 0.0;
  if (!absorbs) {
    part.mass[0] = part.y0[0] = 0.0;
  }
  return part;
}

/// n elements of stiffness and scale 1 with masses 1 above the base, at rest; no springs, dashpots.
ChainPart plain_part(std::size_t n) {
  const std::vector<double> ones(n, 1.0);
  const std::vector<double> none(n, 0.0);
  const std::vector<double> zeros(n + 1, 0.0);
  ChainPart part{.mass = std::vector(n + 1, 1.0),
                 .ground = zeros,
                 .stiffness = ones,
                 .scale = ones,
                 .spring = none,
                 .dashpot = none,
                 .x0 = zeros,
                 .y0 = zeros};
  part.mass[0] = 0.0;
  return part;
}

void run(Chain& chain, int steps, const ChainLoad& load = {}) {
  chain.start({}, {});
  for (int p = 0; p < steps; ++p) {
    chain.move();
    chain.accelerate({}, load);
  }
}

ChainLoad load_at(double t, bool absorbs) {
  const double base = 0.7 * std::sin(3.1 * t);
  return absorbs ? ChainLoad{0.4 * std::cos(2 * t), 0.0, base}
                 : ChainLoad{0.4 * std::cos(2 * t), base, 0.0};
}

/// Σ ½ m (y² - δt² a²/4) + Σ elastic energies + what the sliders have dissipated.
double discrete_energy(const Chain& chain, double step) {
  double sum = 0.0;
  for (std::size_t i = 0; i <= chain.size(); ++i) {
    const double y = chain.y()[i];
    const double a = chain.a()[i];
    sum += 0.5 * chain.mass(i) * (y * y - step * step * a * a / 4);
  }
  for (std::size_t j = 0; j < chain.size(); ++j) {
    const Chain::Energy energy = chain.energy(j);
    sum += energy.elastic + energy.slid;
  }
  return sum;
}

TEST(Chain, balances_its_energy_at_every_step) {
  for (const bool absorbs : {false, true}) {
    for (const char* initial_u : {"0", "0.08*sin(9*s)"}) {
      constexpr double step = 0.05;
      constexpr std::int64_t force_node = 4;
      ChainPart part = random_part(7, absorbs);
      Chain chain(part, {continuum(initial_u)}, Scheme::leapfrog, step, force_node, false);
      chain.start({}, load_at(0.0, absorbs));
      for (std::size_t j = 0; j < chain.size(); ++j) {
        EXPECT_NEAR(chain.energy(j).slid, 0.0, 1e-15);
      }
      double work = 0.0;
      const double start = discrete_energy(chain, step);
      double largest = 0.0;
      for (int p = 1; p <= 2000; ++p) {
        const std::vector<double> before(chain.x().begin(), chain.x().end());
        const ChainLoad then = load_at(step * (p - 1), absorbs);
        const ChainLoad now = load_at(step * p, absorbs);
        chain.move();
        chain.accelerate({}, now);
        work += 0.5 * (then.base_force + now.base_force) * (chain.x()[0] - before[0]);
        for (std::size_t i = 0; i <= chain.size(); ++i) {
          const double dx = chain.x()[i] - before[i];
          work += i == force_node ? 0.5 * (then.force + now.force) * dx : 0.0;
          work -= 0.5 * part.mass[i] * (then.base_acceleration + now.base_acceleration) * dx;
        }
        const double energy = discrete_energy(chain, step) - start;
        largest = std::max({largest, std::abs(work), std::abs(energy)});
        ASSERT_NEAR(energy, work, 1e-12 * std::max(1.0, largest)) << "step " << p;
      }
      EXPECT_GT(largest, 1.0);
      for (std::size_t j = 0; j < chain.size(); ++j) {
        EXPECT_GT(chain.energy(j).slid, 0.0) << "element " << j;
      }
    }
  }
}

TEST(Chain, dissipates_what_a_first_loading_does) {
  // On the way from 0 to r the sliders dissipate N(r) = ∫ k η (r - η) ds; κ = 3, θ = 1/2.
  constexpr int steps = 2000;
  constexpr double r = 0.8;
  const BuiltSlab shape = continuum();
  ChainPart part = plain_part(1);
  part.mass[1] = 1e300;  // it keeps its velocity
  part.stiffness = {3.0};
  part.scale = {0.5};
  part.y0[1] = 0.5 * r;
  Chain chain(part, {shape}, Scheme::leapfrog, 1.0 / steps, 0, false);
  run(chain, steps);
  EXPECT_NEAR(chain.elongation(0), 0.5 * r, 1e-12);
  const double slip = shape.measure->slip(r, {});
  EXPECT_NEAR(chain.energy(0).slid, 3.0 * 0.5 * 0.5 * slip, 1e-5 * slip);
}

TEST(Chain, frequency_is_the_greatest) {
  // A uniform chain that is fixed below and free above, with half a mass there, has ω_q = 2 √(k/m)
  // sin((2q - 1) π/(4n)). With equal masses it is 2 √(k/m) sin((2q - 1) π/(4n + 2)).
  constexpr int n = 12;
  constexpr double k = 3.0;
  constexpr double m = 0.7;
  std::vector<double> masses(n + 1, m);
  masses[0] = 0.0;
  const std::vector<double> stiffness(n, k);
  const auto mode = [&](double parts) {
    return 2 * std::sqrt(k / m) * std::sin((2 * n - 1) * std::numbers::pi / parts);
  };
  EXPECT_NEAR(slab::chain_frequency(masses, stiffness), mode(4 * n + 2), 1e-11);
  masses[n] = m / 2;
  EXPECT_NEAR(slab::chain_frequency(masses, stiffness), mode(4 * n), 1e-11);
  // Free at both ends, with two masses: ω² = k (1/m + 1/m').
  EXPECT_NEAR(slab::chain_frequency(std::vector{m, 2 * m}, std::vector{k}), std::sqrt(k * 1.5 / m),
              1e-11);
}

TEST(Chain, names_the_first_element_that_flows) {
  // Element 2 is the weakest; with a linear spring it would not count.
  for (const double spring : {0.0, 0.5}) {
    for (const bool starts_strained : {false, true}) {
      ChainPart part = plain_part(3);
      part.ground = {0.0, 1.0, 1.0, 1.0};
      part.scale[1] = 0.1;
      part.spring[1] = spring;
      part.x0[1] = starts_strained ? 5.0 : 0.0;  // a displaced chain whose slabs have no force
      Chain chain(part, {continuum()}, Scheme::leapfrog, 0.01, 3, false);
      run(chain, 0);
      EXPECT_EQ(chain.first_at_strength(), 3U);
      EXPECT_EQ(chain.largest_elongation(0), starts_strained ? 5.0 : 0.0);
      run(chain, 3000, {.force = starts_strained ? 0.0 : 0.2});
      // A strained spring of element 2 makes element 1 flow.
      const std::size_t expected =
          spring == 0.0 ? (starts_strained ? 3 : 1) : (starts_strained ? 0 : 3);
      EXPECT_EQ(chain.first_at_strength(), expected) << spring << starts_strained;
    }
  }
}

/// The strength of the last of 300 elements, which alone has no linear spring, is 0.1·0.983.
TEST(Chain, names_an_element_beyond_the_first_block) {
  constexpr std::size_t n = 300;
  ChainPart part = plain_part(n);
  part.ground = std::vector(n + 1, 1.0);
  part.spring = std::vector(n, 1.0);
  part.scale[n - 1] = 0.1;
  part.spring[n - 1] = 0.0;
  Chain chain(part, {continuum()}, Scheme::leapfrog, 0.1, n, false);
  run(chain, 100, {.force = 0.2});
  EXPECT_EQ(chain.first_at_strength(), n - 1);
}

}  // namespace masing::test_chain
