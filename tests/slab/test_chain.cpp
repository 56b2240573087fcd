// Chains of slabs: the discrete balance of energy, division into parts, saved states, the greatest
// frequency and the largest stable step.
#include "slab/chain/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace masing::test_chain {

using slab::BuiltSlab;
using slab::Chain;
using slab::ChainEnds;
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

/// Returns a chain of `n` elements with random numbers, and dashpots if `has_dashpots` is true.
ChainPart random_part(std::size_t n, bool absorbs, bool has_dashpots) {
  std::mt19937_64 random(n);
  const auto list = [&](std::size_t count, double least, double most) {
    std::uniform_real_distribution<double> number(least, most);
    std::vector<double> values(count);
    std::ranges::generate(values, [&] { return number(random); });
    return values;
  };
  const double damped = has_dashpots ? 0.1 : 0.0;
  ChainPart part{.mass = list(n + 1, 0.5, 2.0),
                 .ground = list(n + 1, 0.0, damped),
                 .stiffness = list(n, 0.5, 2.0),
                 .scale = list(n, 0.2, 1.0),
                 .spring = list(n, 0.0, 0.3),
                 .dashpot = list(n, 0.0, damped),
                 .x0 = list(n + 1, -0.1, 0.1),
                 .y0 = list(n + 1, -0.5, 0.5)};
  part.x0[0] = 0.0;
  if (!absorbs) {
    part.mass[0] = part.ground[0] = part.y0[0] = 0.0;
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
      ChainPart part = random_part(7, absorbs, false);
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
        const std::vector<double> y(chain.y().begin(), chain.y().end());
        const ChainLoad then = load_at(step * (p - 1), absorbs);
        const ChainLoad now = load_at(step * p, absorbs);
        chain.move();
        chain.accelerate({}, now);
        const double drag = chain.ground(0) * (y[0] + chain.y()[0]);
        work += 0.5 * (then.base_force + now.base_force - drag) * (chain.x()[0] - before[0]);
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

/// Chains of the same elements, whole and divided, with the forces that they exchange.
struct Divided {
  Divided(const ChainPart& whole, const std::vector<std::size_t>& ends, Scheme scheme, double step,
          std::int64_t force_node) {
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      const auto cut = [&](const std::vector<double>& values, std::size_t extra) {
        return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(end + extra));
      };
      parts.emplace_back(ChainPart{.holds_base = first == 0,
                                   .mass = cut(whole.mass, 1),
                                   .ground = cut(whole.ground, 1),
                                   .stiffness = cut(whole.stiffness, 0),
                                   .scale = cut(whole.scale, 0),
                                   .spring = cut(whole.spring, 0),
                                   .dashpot = cut(whole.dashpot, 0),
                                   .x0 = cut(whole.x0, 1),
                                   .y0 = cut(whole.y0, 1)},
                         std::vector{continuum()}, scheme, step,
                         force_node - static_cast<std::int64_t>(first), true);
      first = end;
    }
  }

  [[nodiscard]] ChainEnds ends(std::size_t part) const {
    return {part == 0 ? 0.0 : parts[part - 1].forces().back(),
            part + 1 == parts.size() ? 0.0 : parts[part + 1].forces().front()};
  }
  void each(const std::function<void(Chain&, const ChainEnds&)>& call) {
    std::vector<ChainEnds> all;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      all.push_back(ends(part));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      call(parts[part], all[part]);
    }
  }
  void advance(const ChainLoad& load) {
    for (Chain& part : parts) {
      part.move();
    }
    each([&](Chain& part, const ChainEnds& ends) { part.accelerate(ends, load); });
  }

  std::vector<Chain> parts;
};

/// Replaces the chain by a new one with the state that it saves.
void restore(Chain& chain, const ChainPart& part, Scheme scheme, double step, std::int64_t node,
             const ChainEnds& ends, const ChainLoad& load) {
  Chain fresh(part, {continuum()}, scheme, step, node, true);
  for (std::size_t j = 0; j < chain.size(); ++j) {
    double numbers[Chain::element_numbers];
    std::vector<double> positions;
    chain.save_element(j, numbers, positions);
    EXPECT_EQ(positions.size(), chain.depth(j));
    fresh.restore_element(j, numbers, positions);
  }
  for (std::size_t i = 0; i <= chain.size(); ++i) {
    double numbers[Chain::node_numbers];
    chain.save_node(i, numbers);
    fresh.restore_node(i, numbers);
  }
  fresh.restore_load(ends, load);
  chain = std::move(fresh);
}

TEST(Chain, has_the_same_bits_in_parts_and_from_a_saved_state) {
  constexpr std::size_t n = 50;
  constexpr double step = 0.05;
  for (const Scheme scheme : {Scheme::leapfrog, Scheme::euler}) {
    for (const bool absorbs : {false, true}) {
      const ChainPart whole = random_part(n, absorbs, true);
      // F acts on the last node of the second part, of which the third part has a copy.
      constexpr std::int64_t node = 20;
      Divided one(whole, {n}, scheme, step, node);
      Divided several(whole, {7, 20, n}, scheme, step, node);
      for (Divided* chain : {&one, &several}) {
        chain->each(
            [&](Chain& part, const ChainEnds& ends) { part.start(ends, load_at(0.0, absorbs)); });
      }
      for (int p = 1; p <= 400; ++p) {
        const ChainLoad load = load_at(step * p, absorbs);
        one.advance(load);
        several.advance(load);
        if (p == 200) {
          restore(one.parts[0], whole, scheme, step, node, {}, load);
        }
      }
      std::size_t deepest = 0;
      for (std::size_t part = 0, first = 0; part < several.parts.size(); ++part) {
        const Chain& here = several.parts[part];
        const Chain& there = one.parts[0];
        for (std::size_t i = part == 0 ? 0 : 1; i <= here.size(); ++i) {
          EXPECT_EQ(here.x()[i], there.x()[first + i]);
          EXPECT_EQ(here.y()[i], there.y()[first + i]);
          EXPECT_EQ(here.a()[i], there.a()[first + i]);
          EXPECT_EQ(here.largest_a()[i], there.largest_a()[first + i]);
          EXPECT_EQ(here.viscous_work()[i], there.viscous_work()[first + i]);
          EXPECT_EQ(here.force_work()[i], there.force_work()[first + i]);
          EXPECT_EQ(here.base_work()[i], there.base_work()[first + i]);
          EXPECT_EQ(here.force_above(i), there.force_above(first + i));
        }
        for (std::size_t j = 0; j < here.size(); ++j) {
          EXPECT_EQ(here.dissipated(j), there.dissipated(first + j));
          EXPECT_EQ(here.largest_elongation(j), there.largest_elongation(first + j));
          EXPECT_EQ(here.largest_force(j), there.largest_force(first + j));
          deepest = std::max(deepest, here.depth(j));
        }
        first += here.size();
      }
      EXPECT_GT(deepest, 1U);
    }
  }
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
  EXPECT_NEAR(slab::chain_frequency(std::vector{0.0, m}, std::vector{k}), std::sqrt(k / m), 1e-11);
}

TEST(Chain, is_stable_up_to_the_step_that_a_dashpot_allows) {
  for (const double dashpot : {0.0, 0.1, 1.0}) {
    for (const double spring : {0.0, 7.0}) {
      const double stiffness = 1.5 + spring;  // of continuum() and the spring; the mass is 1
      const double frequency = std::sqrt(stiffness);
      const double ratio = 0.5 * dashpot * frequency / stiffness;
      const double largest = 2 * (std::sqrt(1 + 4 * ratio * ratio) - 2 * ratio) / frequency;
      for (const double share : {0.999, 1.01}) {
        ChainPart part = plain_part(1);
        part.scale = {1e9};  // nothing yields
        part.spring = {spring};
        part.dashpot = {dashpot};
        part.y0[1] = 1.0;
        Chain chain(part, {continuum()}, Scheme::leapfrog, share * largest, 0, false);
        run(chain, 2000);
        EXPECT_EQ(chain.largest_x()[1] > 1e3, share > 1) << dashpot << " " << spring;
      }
    }
  }
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
