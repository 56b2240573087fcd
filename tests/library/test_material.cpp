// The material against clamping every spring in extended precision, and against closed forms.
#include "masing/material.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {
std::atomic<std::int64_t> allocations{0};
}  // namespace

// All of the test's, and those that the library makes.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace masing::test_material {

constexpr double unit = std::numeric_limits<double>::epsilon();

double down_of(const SpringSlider& spring) {
  return std::isnan(spring.threshold_down) ? spring.threshold : spring.threshold_down;
}

/// Every spring clamped at every move, its energies by the law itself, in extended precision.
class ClampedSprings {
 public:
  ClampedSprings(std::vector<SpringSlider> springs, double k0, double x0)
      : springs_(std::move(springs)), k0_(k0), x_(x0) {
    for (const SpringSlider& spring : springs_) {
      u_.push_back(spring.initial_u);
    }
  }

  void move_to(double x) {
    const long double dx = static_cast<long double>(x) - x_;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const long double free = u_[i] + dx;
      u_[i] = std::clamp<long double>(free, -down_of(springs_[i]), springs_[i].threshold);
      // Force of the slider times its slip.
      dissipated_ += springs_[i].stiffness * u_[i] * (free - u_[i]);
    }
    x_ = x;
  }
  [[nodiscard]] double force() const {
    long double sum = k0_ * x_;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      sum += springs_[i].stiffness * u_[i];
    }
    return static_cast<double>(sum);
  }
  /// In the direction of the last move.
  [[nodiscard]] double stiffness(int direction) const {
    long double sum = k0_;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const bool slides =
          direction > 0 ? u_[i] >= springs_[i].threshold : u_[i] <= -down_of(springs_[i]);
      sum += slides ? 0.0 : springs_[i].stiffness;
    }
    return static_cast<double>(sum);
  }
  [[nodiscard]] double stored() const {
    long double sum = k0_ * x_ * x_ / 2;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      sum += springs_[i].stiffness * u_[i] * u_[i] / 2;
    }
    return static_cast<double>(sum);
  }
  [[nodiscard]] double dissipated() const { return static_cast<double>(dissipated_); }
  [[nodiscard]] double elongation(std::size_t i) const { return static_cast<double>(u_[i]); }

 private:
  std::vector<SpringSlider> springs_;
  long double k0_;
  long double x_;
  long double dissipated_ = 0;
  std::vector<long double> u_;
};

/// Springs with thresholds alike or not, u0 zero, anywhere or at a limit, ties; some without force.
std::vector<SpringSlider> random_springs(std::mt19937_64& random) {
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  std::vector<SpringSlider> springs(static_cast<std::size_t>(uniform(1, 40)));
  const int sides = static_cast<int>(uniform(0, 3));
  const int start = static_cast<int>(uniform(0, 4));
  const bool ties = uniform(0, 1) < 0.3;
  for (SpringSlider& spring : springs) {
    const auto threshold = [&] {
      const double eta = uniform(0.02, 1.5);
      return ties ? std::ceil(8 * eta) / 8 : eta;
    };
    spring = {uniform(0.1, 2), threshold()};
    spring.threshold_down = sides == 0   ? std::numeric_limits<double>::quiet_NaN()
                            : sides == 1 ? threshold()
                                         : 0.0;
    const double down = down_of(spring);
    const double share = uniform(0, 1);
    const bool is_idle = ties && share < 0.3 && springs.size() > 1 && &spring != &springs.front();
    spring.stiffness *= is_idle ? 0.0 : 1.0;
    spring.initial_u = start == 0   ? 0.0
                       : start == 1 ? spring.threshold
                       : start == 2 ? -down
                                    : share * spring.threshold - (1 - share) * down;
  }
  return springs;
}

/// A random walk that comes back to places where it was.
class Walk {
 public:
  Walk(unsigned seed, double size) : random_(seed), size_(size) {}

  double next(double x) {
    const double choice = std::uniform_real_distribution<double>(0, 1)(random_);
    double to = x + size_ * normal_(random_);
    if (choice > 0.9) {
      to = visited_[static_cast<std::size_t>(choice * 1e7) % visited_.size()];
    } else if (choice > 0.8) {
      to = std::round(8 * to) / 8;
    } else if (choice > 0.75) {
      to = x;
    } else if (choice > 0.4) {
      to = 0.97 * x + 0.1 * size_ * normal_(random_);
    }
    visited_.push_back(to);
    return to;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double size_;
  std::vector<double> visited_{0.0};
};

/// What roundings may add up to: a move adds a few units of the largest force, and of x.
struct Bounds {
  double stiffness = 0.0;  ///< Σ k + k0
  double force = 0.0;      ///< Σ k max(η, η⁻) + k0 |x|
  double largest = 0.0;    ///< |x|, η

  Bounds(const std::vector<SpringSlider>& springs, double k0, double most_x) : stiffness(k0) {
    largest = most_x;
    for (const SpringSlider& spring : springs) {
      const double most = std::max(spring.threshold, down_of(spring));
      stiffness += spring.stiffness;
      force += spring.stiffness * most;
      largest = std::max(largest, most);
    }
    force += k0 * most_x;
  }
  /// Of a force: the levels of a nest each add a rounding.
  [[nodiscard]] double of_force(double moves) const {
    return (16 + moves) * unit * (force + stiffness * largest);
  }
};

TEST(Material, OfSpringsIsClampingThem) {
  constexpr int moves = 600;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<SpringSlider> springs = random_springs(random);
    const double k0 = seed % 2 == 0 ? 0.0 : 0.3;
    const double x0 = seed % 3 == 0 ? 0.7 : 0.0;
    const Material material = Material::of_springs(springs, k0);
    MaterialPoint point(material, x0);
    ClampedSprings clamped(springs, k0, x0);
    const double initial = clamped.stored();
    Walk walk(seed, std::exp(std::normal_distribution<double>()(random) - 1));
    double most = 1.0;
    double path = 0.0;
    for (int move = 0; move < moves; ++move) {
      const double from = point.position();
      const double x = walk.next(from);
      most = std::max(most, std::abs(x));
      path += std::abs(x - from);
      const Bounds bounds(springs, k0, most);
      const Response moved = point.move_to(x);
      clamped.move_to(x);
      const double tolerance = bounds.of_force(move);
      ASSERT_NEAR(moved.force, clamped.force(), tolerance) << "move " << move;
      ASSERT_EQ(moved.force, point.force());
      ASSERT_NEAR(point.stored_energy(), clamped.stored(), tolerance * bounds.largest);
      ASSERT_NEAR(point.dissipated_energy(), clamped.dissipated(),
                  tolerance * (path + bounds.largest))
          << "move " << move;
      ASSERT_GE(point.dissipated_energy(), 0.0);
      for (std::size_t i = 0; i < springs.size(); i += 7) {
        ASSERT_NEAR(point.elongation(springs[i]), clamped.elongation(i),
                    (16 + move) * unit * bounds.largest);
      }
    }
    EXPECT_GE(initial + clamped.dissipated(), 0.0);
  }
}

/// Materials of every kind: springs and the continuum, u0 zero or not, thresholds alike or not.
std::vector<Material> materials() {
  std::mt19937_64 random(7);
  std::vector<Material> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(Material::of_springs(random_springs(random), 0.1 * i));
  }
  std::vector<SpringSlider> alike(30);
  for (std::size_t i = 0; i < alike.size(); ++i) {
    alike[i] = {1.0, 0.05 * static_cast<double>(i + 1)};
  }
  all.push_back(Material::of_springs(alike));
  all.push_back(Material::continuum("1", "s+0.1"));
  all.push_back(Material::continuum({"1+s", "0.3+0.2*sin(5*s)", "", "0.05*cos(9*s)"}, 0.2));
  all.push_back(Material::continuum({"1", "s+0.1", "0.5*s+0.2", "0.1*s"}));
  return all;
}

bool same(const Response& a, const Response& b) {
  return a.force == b.force && a.stiffness == b.stiffness;
}

/// Every number that a point shows is the same.
bool same(const MaterialPoint& a, const MaterialPoint& b) {
  return a.state() == b.state() && a.force() == b.force() &&
         a.stored_energy() == b.stored_energy() && a.dissipated_energy() == b.dissipated_energy();
}

TEST(Material, StiffnessIsTheSlopeInTheDirectionOfTheMove) {
  for (const Material& material : materials()) {
    MaterialPoint point(material);
    Walk walk(3, 0.4);
    for (int move = 0; move < 300; ++move) {
      const double x = walk.next(point.position());
      const double from = point.position();
      const Response here = point.move_to(x);
      if (x == from) {
        continue;
      }
      const double h = std::copysign(1e-7, x - from);
      // S is Lipschitz with the elastic stiffness, and its slope falls along a leg, until a loop
      // closes; K varies by some 30 h where it has a root.
      const double slope = (point.trial(x + h).force - here.force) / h;
      ASSERT_NEAR(slope, here.stiffness, 2e-2 * material.elastic_stiffness()) << move;
      ASSERT_LE(here.stiffness, material.elastic_stiffness() * (1 + 4 * unit));
      ASSERT_GE(here.stiffness, material.k0());
    }
  }
}

TEST(Material, TrialGivesTheBitsOfTheMoveAndChangesNothing) {
  for (const Material& material : materials()) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      MaterialPoint point(material, 0.1 * seed);
      Walk walk(seed, seed == 4 ? 2.0 : 0.3);
      Walk others(seed + 100, 0.5);
      for (int move = 0; move < 1000; ++move) {
        const std::vector<double> before = point.state();
        for (int i = 0; i < 3; ++i) {
          (void)point.trial(others.next(point.position()));
        }
        // Also exactly at the turning points.
        double x = walk.next(point.position());
        if (move % 11 == 0) {
          x = before[before.size() - 1 - static_cast<std::size_t>(move) % (before.size() - 7)];
        }
        const Response tried = point.trial(x);
        ASSERT_EQ(point.state(), before);
        ASSERT_TRUE(same(point.move_to(x), tried)) << move;
        ASSERT_TRUE(same(point.trial(x), tried));
      }
    }
  }
}

/// A nest of `depth` turning points around 0, the last the innermost.
MaterialPoint nested(const Material& material, int depth) {
  MaterialPoint point(material);
  for (int i = 0; i < depth; ++i) {
    point.move_to((i % 2 == 0 ? 1.0 : -1.0) * (1.5 - 1.2 * i / depth));
  }
  return point;
}

TEST(Material, TrialIsRightAnywhereAboveManyTurningPoints) {
  for (const Material& material : materials()) {
    const MaterialPoint deep = nested(material, 3001);
    ASSERT_GE(deep.state_size(), 3007U);  // where u0 ≠ 0, the first turning point is wiped out
    for (int i = -170; i <= 170; ++i) {
      const double x = i / 100.0;
      const Response tried = deep.trial(x);
      MaterialPoint moved = deep;
      ASSERT_TRUE(same(moved.move_to(x), tried)) << x;
    }
    for (const double corner : deep.state()) {
      MaterialPoint moved = deep;
      if (std::abs(corner) < 2) {
        ASSERT_TRUE(same(deep.trial(corner), moved.move_to(corner))) << corner;
      }
    }
  }
}

TEST(Material, TrialsAllocateNothing) {
  for (const Material& material : materials()) {
    MaterialPoint point = nested(material, 2000);
    MaterialPoint first(material);
    const std::int64_t before = allocations;
    for (int i = -100; i <= 100; ++i) {
      (void)point.trial(0.03 * i);
      (void)point.set_trial(0.03 * i);
      (void)first.set_trial(0.03 * i);
      first.commit();  // grows no nest but the first leg's
      if (i == -99) {
        first.commit();
      }
    }
    EXPECT_LE(allocations - before, 1);  // of the first turning point that `first` has
  }
}

TEST(Material, TrialsCountForNothingUntilTheyAreCommitted) {
  for (const Material& material : materials()) {
    MaterialPoint tried(material, 0.2);
    MaterialPoint moved(material, 0.2);
    const MaterialPoint made = tried;
    Walk walk(5, 0.4);
    std::mt19937_64 random(6);
    for (int step = 0; step < 500; ++step) {
      const double x = walk.next(moved.position());
      for (std::uint64_t i = random() % 4; i > 0; --i) {
        tried.set_trial(x + 0.1 * static_cast<double>(i));
        if (i == 2) {
          tried.revert_to_last();
          tried.commit();
        }
      }
      ASSERT_TRUE(same(tried, moved));
      const Response response = tried.set_trial(x);
      ASSERT_EQ(tried.position(), moved.position());
      tried.commit();
      tried.commit();
      ASSERT_TRUE(same(response, moved.move_to(x)));
      ASSERT_TRUE(same(tried, moved));
    }
    tried.set_trial(9.0);
    tried.revert_to_start();
    tried.commit();
    EXPECT_TRUE(same(tried, made));
    EXPECT_EQ(tried.dissipated_energy(), 0.0);
  }
}

TEST(Material, RestoredStatesGoOnWithTheSameBits) {
  for (const Material& material : materials()) {
    MaterialPoint point(material, -0.3);
    Walk walk(8, 0.3);
    for (int save = 0; save < 30; ++save) {
      for (int move = 0; move < 40; ++move) {
        point.move_to(walk.next(point.position()));
      }
      // As digits, in a longer array.
      std::vector<double> room(point.state_size() + 5, -7.0);
      ASSERT_EQ(point.state(room), point.state_size());
      for (double& number : room) {
        char text[40];
        std::snprintf(text, sizeof(text), "%.17g", number);
        number = std::strtod(text, nullptr);
      }
      ASSERT_EQ(room[point.state_size()], -7.0);
      MaterialPoint restored(material, 0.9);
      restored.set_trial(1.0);
      restored.restore(room);
      restored.commit();
      ASSERT_TRUE(same(restored, point));
      for (int move = 0; move < 40; ++move) {
        const double x = walk.next(point.position());
        ASSERT_TRUE(same(point.move_to(x), restored.move_to(x)));
        ASSERT_TRUE(same(restored, point));
      }
    }
    MaterialPoint again(material, 5.0);
    again.restore(point.state());
    again.revert_to_start();
    EXPECT_TRUE(same(again, MaterialPoint(material, -0.3)));
  }
}

/// The message of the Mistake that `work` throws, or "none".
template <class Work>
std::string mistake(const Work& work) {
  try {
    work();
  } catch (const Mistake& error) {
    return error.what();
  }
  return "none";
}

TEST(Material, RefusesStatesThatNoPointOfItGave) {
  const std::vector<Material> all = materials();
  for (std::size_t m = 0; m < all.size(); ++m) {
    SCOPED_TRACE(m);
    MaterialPoint point(all[m]);
    for (const double x : {1.0, -0.9, 0.8, -0.7, 0.5}) {
      point.move_to(x);
    }
    const std::vector<double> good = point.state();
    const MaterialPoint before = point;
    const auto refused = [&](const std::vector<double>& state) {
      const std::string message = mistake([&] { point.restore(state); });
      EXPECT_NE(message.find("no state of a point of this material"), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
      EXPECT_TRUE(same(point, before));
    };
    refused({});
    refused({good.begin(), good.end() - 1});
    refused(MaterialPoint(all[(m + 1) % all.size()]).state());
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::vector<double> bad = good;
      bad[i] = std::nan("");
      refused(bad);
      bad[i] = HUGE_VAL;
      refused(bad);
      bad[i] = -1e200;
      refused(bad);
    }
    for (const std::size_t i : {0, 1, 4}) {
      std::vector<double> bad = good;
      bad[i] += 1;
      refused(bad);
    }
    std::vector<double> turned = good;
    turned[4] = -turned[4];
    refused(turned);
    std::vector<double> grown = good;  // a loop beyond the one around it
    std::swap(grown[grown.size() - 1], grown[grown.size() - 3]);
    refused(grown);
    std::vector<double> closed = good;
    closed[3] = closed[closed.size() - 2];  // x where the loop would be closed
    refused(closed);
    std::vector<double> negative = good;
    negative[6] = -1.0;
    refused(negative);
    double small[4];
    EXPECT_NE(mistake([&] { point.state(small); }), "none");
  }
}

TEST(Material, FingerprintsTellMaterialsApart) {
  std::vector<std::uint64_t> prints;
  for (const Material& material : materials()) {
    prints.push_back(material.fingerprint());
  }
  const SpringSlider springs[] = {{1.0, 0.5}, {2.0, 0.25}};
  const SpringSlider swapped[] = {{2.0, 0.25}, {1.0, 0.5}};
  prints.push_back(Material::of_springs(springs).fingerprint());
  prints.push_back(Material::of_springs(swapped).fingerprint());
  prints.push_back(Material::of_springs(springs, 0.5).fingerprint());
  prints.push_back(Material::continuum({"1", "s+0.1"}, 0.5).fingerprint());
  prints.push_back(Material::continuum({"s+0.1", "1"}).fingerprint());
  std::sort(prints.begin(), prints.end());
  EXPECT_EQ(std::adjacent_find(prints.begin(), prints.end()), prints.end());
  EXPECT_EQ(Material::of_springs(springs).fingerprint(),
            Material::of_springs(std::vector<SpringSlider>{{1.0, 0.5, 0.5, -0.0}, {2.0, 0.25}})
                .fingerprint());
  EXPECT_EQ(Material::continuum("1", "s+0.1").fingerprint(),
            Material::continuum({"1", "s+0.1", "s+0.1", "0"}).fingerprint());
  const double s[] = {0.0, 0.3, 1.0};
  const double k[] = {1.0, 1.0 / 3, 2.0};
  EXPECT_EQ(Material::continuum(table(s, k), "1").fingerprint(),
            Material::continuum("points: 0 1; 0.3 0.3333333333333333; 1 2", "1").fingerprint());
  EXPECT_EQ(Material::continuum(" 1", "s+0.1\t").fingerprint(),
            Material::continuum("1", "s+0.1 ").fingerprint());
  EXPECT_NE(Material::continuum("1", "s + 0.1").fingerprint(),
            Material::continuum("1", "s+0.1").fingerprint());
}

TEST(Material, TablesKeepEveryDigit) {
  const double s[] = {0.0, 1.0 / 3, 1.0};
  const double eta[] = {0.1, 0.7, 0.2 + unit};
  EXPECT_EQ(table(s, eta), "points:0 0.1; 0.3333333333333333 0.7; 1 0.20000000000000023");
  // ∫ η ds by the trapezoidal rule is the force where everything slides.
  MaterialPoint point(Material::continuum("1", table(s, eta)));
  EXPECT_NEAR(point.move_to(2.0).force, 0.8 / 6 + 0.9 / 3, 1e-13);
  const double falling[] = {0.0, 0.5, 0.5};
  EXPECT_NE(mistake([&] { table(falling, eta); }), "none");
  EXPECT_NE(mistake([&] { table({}, {}); }), "none");
  EXPECT_NE(mistake([&] { table(s, {eta, 2}); }), "none");
}

TEST(Material, ContinuumHasTheClosedFormsOfALineOfThresholds) {
  // η = s + γ, k = 1: S = x - (x - γ)²/2 on the backbone, between γ and 1 + γ.
  constexpr double gamma = 0.1;
  constexpr double k0 = 0.25;
  MaterialPoint point(Material::continuum({"1", "s+0.1"}, k0));
  const auto rounding = [](double x) { return 8 * unit * (1 + x); };
  for (int i = 1; i <= 20; ++i) {
    const double x = 0.1 * i;
    const double end = std::clamp(x - gamma, 0.0, 1.0);  // s up to which all slide
    const double force = end * end / 2 + gamma * end + x * (1 - end);
    const double held = (std::pow(end + gamma, 3) - std::pow(gamma, 3)) / 3 + x * x * (1 - end);
    // ∫ η (x - η) ds.
    const double lost =
        x * (end * end / 2 + gamma * end) - (std::pow(end + gamma, 3) - std::pow(gamma, 3)) / 3;
    EXPECT_NEAR(point.move_to(x).force, k0 * x + force, 1e-13);
    EXPECT_NEAR(point.move_to(x).stiffness, k0 + 1 - end, 1e-12);
    EXPECT_NEAR(point.stored_energy(), k0 * x * x / 2 + held / 2, rounding(x * x));
    EXPECT_NEAR(point.dissipated_energy(), lost, 1e-13 * x * x);
  }
}

TEST(Material, ClosedLoopsDissipateTheirAreaAndStoreNothing) {
  for (const Material& material : materials()) {
    MaterialPoint point(material);
    constexpr double amplitude = 0.8;
    point.move_to(amplitude);
    point.move_to(-amplitude);
    point.move_to(amplitude);
    const double stored = point.stored_energy();
    const double before = point.dissipated_energy();
    // By 7-point Gauss rules along the loop, whose slope jumps or bends at places unknown.
    double area = 0.0;
    constexpr int parts = 40000;
    double last = point.force();
    for (int i = 1; i <= 2 * parts; ++i) {
      const double x = i <= parts ? amplitude - 2 * amplitude * i / parts
                                  : -amplitude + 2 * amplitude * (i - parts) / parts;
      const double dx = x - point.position();
      const double force = point.move_to(x).force;
      area += 0.5 * (last + force) * dx;
      last = force;
    }
    const double once = point.dissipated_energy() - before;
    // The trapezoidal rule errs by h² |ΔS'|/12 or, at each kink, h² times its jump/8.
    const double h = 2 * amplitude / parts;
    EXPECT_NEAR(once, area, 2 * h * h * material.elastic_stiffness() + 1e-12);
    EXPECT_NEAR(point.stored_energy(), stored, 64 * unit * (1 + stored));
    constexpr int cycles = 10000;
    for (int i = 0; i < cycles; ++i) {
      point.move_to(-amplitude);
      point.move_to(amplitude);
    }
    EXPECT_NEAR(point.dissipated_energy() - before, (cycles + 1) * once,
                2 * cycles * unit * (before + (cycles + 1) * once));
    EXPECT_NEAR(point.stored_energy(), stored, 64 * unit * (1 + stored));
  }
}

/// P springs in the place of a continuum, at s = (i + ½)/P.
std::vector<SpringSlider> springs_of(int count, double (*k)(double), double (*up)(double),
                                     double (*down)(double), double (*start)(double)) {
  std::vector<SpringSlider> springs;
  for (int i = 0; i < count; ++i) {
    const double s = (i + 0.5) / count;
    springs.push_back({k(s) / count, up(s), down(s), start(s)});
  }
  return springs;
}

TEST(Material, ContinuumIsTheLimitOfSprings) {
  constexpr int count = 100000;
  const auto k = [](double s) { return 1 + s; };
  const auto up = [](double s) { return s + 0.1; };
  const auto down = [](double s) { return 0.5 * s + 0.2; };
  const auto start = [](double s) { return 0.1 * std::sin(7 * s); };
  MaterialPoint continuum(Material::continuum({"1+s", "s+0.1", "0.5*s+0.2", "0.1*sin(7*s)"}, 0.3));
  MaterialPoint springs(Material::of_springs(springs_of(count, k, up, down, start), 0.3));
  Walk walk(4, 0.2);
  double path = 0.0;
  for (int move = 0; move < 150; ++move) {
    const double x = walk.next(continuum.position());
    path += std::abs(x - continuum.position());
    // The midpoint rule errs by jump/8 P² at each kink of k u, of which each leg makes one or two,
    // and by what bends between: some 40 jumps of at most 8.
    const double bound = 40.0 / count / count;
    const Response response = continuum.move_to(x);
    ASSERT_NEAR(response.force, springs.move_to(x).force, bound) << move;
    ASSERT_NEAR(continuum.stored_energy(), springs.stored_energy(), bound * 2);
    ASSERT_NEAR(continuum.dissipated_energy(), springs.dissipated_energy(), bound * (path + 2));
    const SpringSlider spring{1.0, up(0.4), down(0.4), start(0.4)};
    ASSERT_NEAR(continuum.elongation(spring), springs.elongation(spring), 1e-12);
  }
}

TEST(Material, OfThresholdsFarApartErrsByRoundingsOfTheLarger) {
  for (const auto& [up, down] : {std::pair{1e6, 1e-3}, {1e-3, 1e6}, {1.0, 1e3}, {1e3, 0.0}}) {
    const std::vector<SpringSlider> spring{{2.0, up, down}};
    MaterialPoint point(Material::of_springs(spring));
    ClampedSprings clamped(spring, 0.0, 0.0);
    const double largest = std::max(up, down);
    for (int move = 1; move <= 5000; ++move) {
      const double x = 0.01 * std::sin(0.37 * move);
      clamped.move_to(x);
      ASSERT_NEAR(point.move_to(x).force, clamped.force(), 2 * unit * largest);
      ASSERT_NEAR(point.stored_energy(), clamped.stored(), 4 * unit * largest * 0.01);
      ASSERT_NEAR(point.dissipated_energy(), clamped.dissipated(), 2 * unit * largest * largest);
    }
  }
}

TEST(Material, RestoresEnergiesBeyondTheLargestPosition) {
  const SpringSlider spring{1e99, 1e100};
  MaterialPoint point(Material::of_springs({&spring, 1}));
  for (const double x : {1e102, -1e102, 2e102}) {
    point.move_to(x);
  }
  ASSERT_GT(point.dissipated_energy(), 1e301);  // k η times slips of some 2e102 each
  MaterialPoint restored = point;
  restored.move_to(0.0);
  restored.restore(point.state());
  EXPECT_TRUE(same(restored, point));
}

TEST(Material, OfOnePointsInManyThreadsHaveTheBitsOfOneThread) {
  for (const Material& material : materials()) {
    const auto walk = [&](unsigned seed) {
      MaterialPoint point(material);
      Walk steps(seed, 0.3);
      std::vector<double> numbers;
      for (int move = 0; move < 2000; ++move) {
        const double x = steps.next(point.position());
        numbers.push_back(point.trial(0.5 * x).force);
        numbers.push_back(point.move_to(x).force);
      }
      numbers.push_back(point.stored_energy());
      numbers.push_back(point.dissipated_energy());
      return numbers;
    };
    std::vector<std::vector<double>> together(8);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < together.size(); ++i) {
      threads.emplace_back([&, i] { together[i] = walk(i); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (unsigned i = 0; i < together.size(); ++i) {
      EXPECT_EQ(together[i], walk(i));
    }
  }
}

TEST(Material, PointsTogetherAreAsEachByItself) {
  for (const Material& material : materials()) {
    constexpr std::size_t count = 33;
    MaterialPoints points(material, count, 0.1);
    std::vector<MaterialPoint> each(count, MaterialPoint(material, 0.1));
    std::vector<Walk> walks;
    for (unsigned i = 0; i < count; ++i) {
      walks.emplace_back(i, 0.1 + 0.02 * i);
    }
    std::vector<double> x(count);
    std::vector<double> force(count);
    std::vector<double> stiffness(count);
    for (int step = 0; step < 200; ++step) {
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = walks[i].next(each[i].position());
      }
      if (step % 3 == 0) {
        points.set_trial(x, force, stiffness);
        points.revert_to_last();
        points.commit();
        points.set_trial(x, force, stiffness);
        points.commit();
      } else {
        points.move(x, force, stiffness);
      }
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(same(each[i].move_to(x[i]), {force[i], stiffness[i]}));
      }
      if (step == 77) {
        points[5].restore(each[9].state());
        ASSERT_TRUE(same(points[5], each[9]));
        points[5] = each[5];
      }
    }
    const MaterialPoints copy = points;
    points.move(std::vector<double>(count, 3.0), force);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(same(copy[i], each[i]));
    }
    std::vector<double> bad(count, 0.0);
    bad.back() = std::nan("");
    points = copy;
    EXPECT_NE(mistake([&] { points.move(bad, force); }), "none");
    EXPECT_NE(mistake([&] { points.move(x, {force.data(), count - 1}); }), "none");
    EXPECT_NE(mistake([&] { points.set_trial(x, force, {stiffness.data(), 1}); }), "none");
    EXPECT_NE(mistake([&] { (void)points[count]; }), "none");
    EXPECT_TRUE(same(points[0], each[0]));
    points.revert_to_start();
    EXPECT_TRUE(same(points[count - 1], MaterialPoint(material, 0.1)));
    EXPECT_EQ(MaterialPoints(material, 0).size(), 0U);
  }
}

TEST(Material, CommitsNoTrialThatFailed) {
  const Material material = Material::continuum("1", "s+0.1");
  MaterialPoint point(material);
  point.set_trial(0.5);
  EXPECT_NE(mistake([&] { point.set_trial(HUGE_VAL); }), "none");
  point.commit();
  EXPECT_EQ(point.position(), 0.0);
  point.set_trial(0.5);
  EXPECT_NE(mistake([&] { point.move_to(HUGE_VAL); }), "none");
  point.commit();
  EXPECT_EQ(point.position(), 0.0);
  MaterialPoints points(material, 2);
  std::vector<double> force(2);
  for (const std::vector<double>& wrong : {std::vector{0.1, HUGE_VAL}, std::vector{0.1}}) {
    points.set_trial(std::vector{0.5, 0.6}, force);
    EXPECT_NE(mistake([&] { points.set_trial(wrong, force); }), "none");
    points.commit();
    EXPECT_EQ(points[0].position(), 0.0);
    EXPECT_EQ(points[1].position(), 0.0);
  }
}

TEST(Material, EnergiesAreThoseOfTheLastLoopsAlsoAfterTheFarthestPositions) {
  for (const Material& material : materials()) {
    MaterialPoint point(material);
    MaterialPoint near(material);
    for (const double x : {1.0, -1.0, 0.5}) {
      point.move_to(1e150 * x);
      EXPECT_TRUE(std::isfinite(point.stored_energy()));
      EXPECT_TRUE(std::isfinite(point.dissipated_energy()));
      near.move_to(1e3 * x);  // far beyond all thresholds, too
    }
    for (const double x : {1.0, 2.0, 1.5}) {
      // Where 1e150 is left everything yields; so it does on the way from 500.
      point.move_to(x);
      near.move_to(x);
      EXPECT_NEAR(point.stored_energy(), near.stored_energy(), 1e-12 * near.stored_energy());
    }
    MaterialPoint restored(material);
    restored.restore(point.state());
    EXPECT_TRUE(same(restored, point));
  }
}

TEST(Material, RefusesMistakesInOneLine) {
  const SpringSlider spring{1.0, 1.0};
  MaterialPoint point(Material::of_springs({&spring, 1}));
  const auto of = [](SpringSlider one, double k0 = 0.0) {
    return mistake([&] { (void)Material::of_springs({&one, 1}, k0); });
  };
  const auto continuum = [](const Continuum& functions) {
    return mistake([&] { (void)Material::continuum(functions); });
  };
  EXPECT_EQ(of({1.0, 0.1, 0.2, -0.2}), "none");
  for (const auto& [message, words] : std::vector<std::pair<std::string, std::string>>{
           {of({-0.1, 0.1}), "stiffness: k(s) = -0.1 at spring 1; k must be >= 0 and finite"},
           {of({1.0, HUGE_VAL}), "threshold: eta(s) = inf at spring 1"},
           {of({1.0, 0.1, HUGE_VAL}), "threshold-down: eta_down(s) = inf at spring 1"},
           {of({0.0, 0.1}), "the largest stiffness is 0"},
           {of(spring, std::nan("")), "k0 = nan; it must be >= 0 and finite"},
           {mistake([] { (void)Material::of_springs({}); }),
            "a material needs one spring at least"},
           {continuum({"0.5-s"}), "stiffness: k(s) = "},
           {continuum({"1", "1", "s+", "0"}), "threshold-down: 's+' is not an expression"},
           {continuum({"1", ""}), "threshold: empty; give an expression or points:"},
           {continuum({"1", "0.5+0.3*sin(1/s)"}), "threshold: near s = "},
           {mistake([&] { (void)point.elongation(-1.0); }), "threshold: eta(s) = -1"},
           {mistake([&] {
              (void)point.elongation({1.0, 1.0, 1.0, 0.5});
            }),
            "no spring of this"}}) {
    EXPECT_EQ(message.find(words), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  for (const double x : {HUGE_VAL, std::nan(""), -1.001e150}) {
    EXPECT_NE(mistake([&] { (void)point.trial(x); }), "none");
    EXPECT_NE(mistake([&] { point.set_trial(x); }), "none");
    EXPECT_NE(mistake([&] { point.move_to(x); }), "none");
  }
  EXPECT_EQ(point.force(), 0.0);
}

}  // namespace masing::test_material
