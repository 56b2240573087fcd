// The material against clamping every spring in extended precision, its trials and states against
// its moves, and its functions of C against those of C++. tests/jobs/test_install.py builds
// programs with an installed library.
#include "masing/material.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "masing/material.h"

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

/// The oracle: springs whose elongations are clamped at every move, and a spring k0 that is relaxed
/// at 0. The energies are those of the law itself.
struct ClampedSprings {
  const std::vector<SpringSlider>& springs;
  double k0;
  long double x;
  std::vector<long double> u = {};
  long double dissipated = 0;

  void start() {
    for (const SpringSlider& spring : springs) {
      u.push_back(spring.initial_u);
    }
  }
  void move_to(double to) {
    const long double dx = to - x;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const SpringSlider& spring = springs[i];
      const long double free = u[i] + dx;
      u[i] = std::clamp<long double>(free, -down_of(spring), spring.threshold);
      dissipated += spring.stiffness * u[i] * (free - u[i]);  // its force times its slip
    }
    x = to;
  }
  /// The force for n = 1, twice what is stored for n = 2.
  [[nodiscard]] long double sum_of_powers(int n) const {
    long double sum = k0 * std::pow(x, n);
    for (std::size_t i = 0; i < u.size(); ++i) {
      sum += springs[i].stiffness * std::pow(u[i], n);
    }
    return sum;
  }
};

double uniform(std::mt19937_64& random, double a, double b) {
  return std::uniform_real_distribution<double>(a, b)(random);
}

/// Springs with thresholds alike, not alike, far apart or on one side only; u0 zero, anywhere or at
/// a limit; ties; some without force.
std::vector<SpringSlider> random_springs(std::mt19937_64& random) {
  std::vector<SpringSlider> springs(static_cast<std::size_t>(uniform(random, 1, 40)));
  const int sides = static_cast<int>(uniform(random, 0, 4));
  const int start = static_cast<int>(uniform(random, 0, 4));
  const bool ties = uniform(random, 0, 1) < 0.3;
  for (SpringSlider& spring : springs) {
    const auto threshold = [&] {
      const double eta = uniform(random, 0.02, 1.5);
      return ties ? std::ceil(8 * eta) / 8 : eta;
    };
    spring = {uniform(random, 0.1, 2), threshold()};
    spring.threshold_down = sides == 0   ? std::numeric_limits<double>::quiet_NaN()
                            : sides == 1 ? threshold()
                            : sides == 2 ? 1e3 * threshold()
                                         : 0.0;
    const double down = down_of(spring);
    const double share = uniform(random, 0, 1);
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
    const double choice = uniform(random_, 0, 1);
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

TEST(Material, OfSpringsIsClampingThem) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::vector<SpringSlider> springs = random_springs(random);
    const double k0 = seed % 2 == 0 ? 0.0 : 0.3;
    const double x0 = seed % 3 == 0 ? 0.7 : 0.0;
    MaterialPoint point(Material::of_springs(springs, k0), x0);
    ClampedSprings clamped{springs, k0, x0};
    clamped.start();
    Walk walk(seed, std::exp(std::normal_distribution<double>()(random) - 1));
    const double elastic_stiffness =
        std::accumulate(springs.begin(), springs.end(), k0,
                        [](double sum, const SpringSlider& each) { return sum + each.stiffness; });
    double largest = 1.5;  // of |x| and the thresholds
    for (const SpringSlider& spring : springs) {
      largest = std::max(largest, down_of(spring));
    }
    double path = 0.0;
    for (int move = 0; move < 600; ++move) {
      const double x = walk.next(point.position());
      largest = std::max(largest, std::abs(x));
      path += std::abs(x - point.position());
      const Response moved = point.move_to(x);
      ASSERT_EQ(moved.force, point.force());
      clamped.move_to(x);
      // A move adds a few units of x, and of the largest force, to which each level of a nest adds
      // a rounding.
      const double of_x = (16 + move) * unit * largest;
      const double of_force = 2 * elastic_stiffness * of_x;
      ASSERT_NEAR(point.force(), double(clamped.sum_of_powers(1)), of_force) << "move " << move;
      ASSERT_NEAR(point.stored_energy(), double(clamped.sum_of_powers(2) / 2), of_force * largest);
      ASSERT_NEAR(point.dissipated_energy(), double(clamped.dissipated),
                  of_force * (path + largest));
      ASSERT_GE(point.dissipated_energy(), 0.0);
      for (std::size_t i = 0; i < springs.size(); i += 7) {
        ASSERT_NEAR(point.elongation(springs[i]), double(clamped.u[i]), of_x);
      }
    }
  }
}

/// Materials of every kind: springs and the continuum, u0 zero or not, thresholds alike or not.
std::vector<Material> materials() {
  std::mt19937_64 random(7);
  std::vector<Material> all;
  all.reserve(10);
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

bool same(const MaterialPoint& a, const MaterialPoint& b) {
  return a.state() == b.state() && a.force() == b.force() &&
         a.stored_energy() == b.stored_energy() && a.dissipated_energy() == b.dissipated_energy();
}

TEST(Material, StiffnessIsTheSlopeInTheDirectionOfTheMove) {
  for (const Material& material : materials()) {
    MaterialPoint point(material);
    Walk walk(3, 0.4);
    for (int move = 0; move < 300; ++move) {
      const double from = point.position();
      const double x = walk.next(from);
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

TEST(Material, TrialIsRightAnywhereAboveManyTurningPointsAndAllocatesNothing) {
  for (const Material& material : materials()) {
    MaterialPoint deep(material);  // a nest of turning points around 0, the last the innermost
    constexpr int depth = 1501;
    for (int i = 0; i < depth; ++i) {
      deep.move_to((i % 2 == 0 ? 1.0 : -1.0) * (1.5 - 1.2 * i / depth));
    }
    std::vector<double> places = deep.state();  // also the turning points
    ASSERT_GE(places.size(), 1507U);  // where u0 ≠ 0, the first turning point is wiped out
    for (int i = -170; i <= 170; ++i) {
      places.push_back(i / 100.0);
    }
    for (const double x : places) {
      if (std::abs(x) < 2) {
        const std::int64_t before = allocations;
        const Response tried = deep.trial(x);
        (void)deep.set_trial(x);
        EXPECT_EQ(allocations, before);
        MaterialPoint moved = deep;
        ASSERT_TRUE(same(tried, moved.move_to(x))) << x;
      }
    }
  }
}

TEST(Material, TrialsGiveTheBitsOfMovesAndCountForNothingUntilTheyAreCommitted) {
  for (const Material& material : materials()) {
    MaterialPoint tried(material, 0.2);
    MaterialPoint moved(material, 0.2);
    const MaterialPoint made = tried;
    Walk walk(5, 0.4);
    std::mt19937_64 random(6);
    for (int step = 0; step < 2000; ++step) {
      const std::vector<double> before = moved.state();
      double x = walk.next(moved.position());
      if (step % 11 == 0) {  // also exactly at the turning points
        x = before[before.size() - 1 - static_cast<std::size_t>(step) % (before.size() - 7)];
      }
      for (std::uint64_t i = random() % 4; i > 0; --i) {
        tried.set_trial(x + 0.1 * static_cast<double>(i));
        if (i == 2) {
          tried.revert_to_last();
          tried.commit();
        }
      }
      const Response response = tried.set_trial(x);
      ASSERT_TRUE(same(moved.trial(x), response));
      ASSERT_EQ(moved.state(), before);
      ASSERT_TRUE(same(tried, moved));
      tried.commit();
      tried.commit();
      ASSERT_TRUE(same(moved.move_to(x), response)) << step;
      ASSERT_TRUE(same(moved.trial(x), response));
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
      // In a longer array.
      std::vector<double> room(point.state_size() + 5, -7.0);
      ASSERT_EQ(point.state(room), point.state_size());
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
    std::vector<std::vector<double>> all_bad{
        {}, {good.begin(), good.end() - 1}, MaterialPoint(all[(m + 1) % all.size()]).state()};
    const auto with = [&](std::size_t i, double value) {
      all_bad.push_back(good);
      all_bad.back()[i] = value;
    };
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const double value : {std::nan(""), HUGE_VAL, -1e200}) {
        with(i, value);
      }
    }
    for (const std::size_t i : {0, 1, 4}) {
      with(i, good[i] + 1);
    }
    with(4, -good[4]);
    with(6, -1.0);
    with(3, good[good.size() - 2]);                // x where the loop would be closed
    with(good.size() - 1, good[good.size() - 3]);  // a loop as large as the one around it
    for (const std::vector<double>& bad : all_bad) {
      const std::string message = mistake([&] { point.restore(bad); });
      EXPECT_NE(message.find("no state of a point of this material"), std::string::npos) << message;
      EXPECT_TRUE(same(point, before));
    }
    double small[4];
    EXPECT_NE(mistake([&] { point.state(small); }), "none");
  }
}

TEST(Material, FingerprintsTellMaterialsApart) {
  const auto of = [](const std::vector<SpringSlider>& springs, double k0 = 0.0) {
    return Material::of_springs(springs, k0).fingerprint();
  };
  const auto continuum = [](const Continuum& functions, double k0 = 0.0) {
    return Material::continuum(functions, k0).fingerprint();
  };
  const SpringSlider one{1.0, 0.5};
  const SpringSlider other{2.0, 0.25};
  const std::set<std::uint64_t> prints{of({one, other}),
                                       of({other, one}),
                                       of({one, other}, 0.5),
                                       of({one, {2.0, 0.25, 0.25, 0.1}}),
                                       of({one, {2.0, 0.25, 0.3}}),
                                       continuum({"1", "s+0.1"}),
                                       continuum({"1", "s+0.1"}, 0.5),
                                       continuum({"s+0.1", "1"}),
                                       continuum({"1", "s+0.1", "s+0.2"}),
                                       continuum({"1", "s+0.1", "", "0.1*s"})};
  EXPECT_EQ(prints.size(), 10U);
  EXPECT_EQ(of({{1.0, 0.5, 0.5, -0.0}, other}), of({one, other}));
  EXPECT_EQ(continuum({" 1", "s+0.1\t", "s+0.1", "0"}), continuum({"1", "s+0.1"}));
}

TEST(Material, PointsTogetherAreCopiedAndRefuseWhatOneRefuses) {
  const Material material = materials().back();
  MaterialPoints points(material, 3, 0.1);
  const std::vector<double> x{-1.0, 0.4, 0.7};
  const std::vector<double> bad{0.0, 0.0, std::nan("")};
  std::vector<double> force(3);
  points.move(x, force);
  MaterialPoint alone(material, 0.1);
  EXPECT_EQ(alone.move_to(0.4).force, force[1]);
  points[2].restore(alone.state());
  EXPECT_TRUE(same(points[2], alone));
  const MaterialPoints copy = points;
  points.move(std::vector<double>(3, 3.0), force);
  points = copy;
  EXPECT_NE(mistake([&] { points.move(bad, force); }), "none");
  EXPECT_NE(mistake([&] { points.move(x, {force.data(), 2}); }), "none");
  EXPECT_NE(mistake([&] { points.set_trial(x, force, {force.data(), 1}); }), "none");
  EXPECT_NE(mistake([&] { (void)points[3]; }), "none");
  // A trial that failed leaves none to commit.
  points.set_trial(x, force);
  EXPECT_NE(mistake([&] { points.set_trial(bad, force); }), "none");
  points.commit();
  EXPECT_TRUE(same(points[1], alone));
  for (const auto go : {&MaterialPoint::set_trial, &MaterialPoint::move_to}) {
    alone.set_trial(0.5);
    EXPECT_NE(mistake([&] { (alone.*go)(HUGE_VAL); }), "none");
    alone.commit();
    EXPECT_EQ(alone.position(), 0.4);
  }
  points.revert_to_start();
  EXPECT_TRUE(same(points[2], MaterialPoint(material, 0.1)));
  EXPECT_EQ(MaterialPoints(material, 0).size(), 0U);
}

/// Where 1e150 is left everything yields; so it does on the way from 500.
TEST(Material, EnergiesAreThoseOfTheLastLoopsAlsoAfterTheFarthestPositions) {
  for (const Material& material : materials()) {
    MaterialPoint point(material);
    MaterialPoint near(material);
    for (const double x : {1.0, -1.0, 0.5}) {
      point.move_to(1e150 * x);
      EXPECT_TRUE(std::isfinite(point.stored_energy() + point.dissipated_energy()));
      near.move_to(1e3 * x);  // far beyond all thresholds, too
    }
    for (const double x : {1.0, 2.0, 1.5}) {
      point.move_to(x);
      near.move_to(x);
      EXPECT_NEAR(point.stored_energy(), near.stored_energy(), 1e-12 * near.stored_energy());
    }
    MaterialPoint restored(material);
    restored.restore(point.state());
    EXPECT_TRUE(same(restored, point));
  }
}

/// What is wrong with a slab is a matter of slab/test_profile.cpp.
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
           {of({-0.1, 0.1}), "stiffness: k(s) = -0.1 at spring 1"},
           {of({1.0, 0.1, HUGE_VAL}), "threshold-down: eta_down(s) = inf at spring 1"},
           {of({0.0, 0.1}), "the largest stiffness is 0"},
           {of(spring, std::nan("")), "k0 = nan; it must be >= 0 and finite"},
           {mistake([] { (void)Material::of_springs({}); }), "a material needs one spring"},
           {continuum({"0.5-s"}), "stiffness: k(s) = "},
           {continuum({"1", "1", "s+", "0"}), "threshold-down: 's+' is not an expression"},
           {continuum({"1", ""}), "threshold: empty"},
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

template <class Answer>
bool failed(Answer answer) {
  if constexpr (std::is_same_v<Answer, int>) {
    return answer == MASING_MISTAKE;
  }
  return answer != answer || !answer;  // NaN, 0 or null
}

TEST(MaterialInC, faults_are_told_and_leave_points_as_they_are) {
  const double one[] = {1.0};
  const double bad[] = {0.1, HUGE_VAL};
  const double no_number[] = {std::nan("")};
  double out[64] = {};
  masing_material* slab = masing_material_continuum(nullptr, nullptr, nullptr, nullptr, 0.0);
  masing_point* point = masing_point_new(slab, 0.0);
  const auto springs = [](std::size_t n, const double* k, const double* eta, const double* down) {
    return masing_material_of_springs(n, k, eta, down, nullptr, 0.0);
  };
  const auto is_told = [](auto answer, const std::string& words) {
    EXPECT_TRUE(failed(answer)) << words;
    EXPECT_EQ(std::string(masing_last_error()).find(words), 0U) << words << masing_last_error();
  };
  is_told(springs(0, one, one, nullptr), "a material needs one spring at least");
  is_told(springs(1, one, one, no_number), "threshold-down: nan");
  is_told(springs(1, nullptr, one, nullptr), "stiffness: a null pointer");
  is_told(springs(1, one, nullptr, nullptr), "threshold: a null pointer");
  is_told(masing_material_continuum("1+", nullptr, nullptr, nullptr, 0.0), "stiffness: ");
  is_told(masing_point_state(point, nullptr, 64), "state: a null pointer");
  is_told(masing_point_restore(point, nullptr, 64), "state: a null pointer");
  const auto all_fail = [](auto... answers) { return (failed(answers) && ...); };
  EXPECT_TRUE(all_fail(masing_point_new(slab, HUGE_VAL),
                       masing_point_set_trial(point, std::nan(""), out, nullptr),
                       masing_point_state(point, out, 1), masing_point_restore(point, bad, 2)));
  EXPECT_EQ(masing_point_force(point), 0.0);
  const auto fail = [](auto... functions) { return (failed(functions(nullptr)) && ...); };
  EXPECT_TRUE(fail(masing_material_elastic_stiffness, masing_material_fingerprint,
                   masing_point_copy, masing_point_position, masing_point_force,
                   masing_point_commit, masing_point_revert_to_last, masing_point_revert_to_start,
                   masing_point_stored_energy, masing_point_dissipated_energy,
                   masing_point_state_size));
  is_told(masing_point_commit(nullptr), "masing_point_commit: a null pointer, where none may be");
  masing_point_free(point);
  masing_point_free(nullptr);
  masing_material_free(slab);
  masing_material_free(nullptr);
}

/// What a point of C is, to the bit.
void expect_same(const masing_point* point, const MaterialPoint& expected) {
  EXPECT_EQ(masing_point_position(point), expected.position());
  EXPECT_EQ(masing_point_force(point), expected.force());
  EXPECT_EQ(masing_point_stored_energy(point), expected.stored_energy());
  EXPECT_EQ(masing_point_dissipated_energy(point), expected.dissipated_energy());
  std::vector<double> state(masing_point_state_size(point));
  EXPECT_EQ(masing_point_state(point, state.data(), state.size()), MASING_DONE);
  EXPECT_EQ(state, expected.state());
}

TEST(MaterialInC, has_the_bits_of_cpp) {
  const double k[] = {2.0, 1.0, 0.5};
  const double eta[] = {0.1, 0.4, 1.5};
  const double down[] = {0.2, 0.1, 1.0};
  const double u0[] = {0.05, 0.0, -0.5};
  const SpringSlider alike[] = {{2.0, 0.1}, {1.0, 0.4}, {0.5, 1.5}};
  const SpringSlider uneven[] = {{2.0, 0.1, 0.2, 0.05}, {1.0, 0.4, 0.1}, {0.5, 1.5, 1.0, -0.5}};
  const std::vector<std::pair<masing_material*, Material>> pairs{
      {masing_material_of_springs(3, k, eta, nullptr, nullptr, 0.25),
       Material::of_springs(alike, 0.25)},
      {masing_material_of_springs(3, k, eta, down, u0, 0.0), Material::of_springs(uneven)},
      {masing_material_continuum(nullptr, nullptr, nullptr, nullptr, 0.5),
       Material::continuum({"1", "s+0.1"}, 0.5)},
      {masing_material_continuum("2-s", "points:0 0.1; 1 1.1", "s+0.2", "0.1*s", 0.0),
       Material::continuum({"2-s", "points:0 0.1; 1 1.1", "s+0.2", "0.1*s"})}};
  for (const auto& [of, material] : pairs) {
    EXPECT_EQ(masing_material_elastic_stiffness(of), material.elastic_stiffness());
    EXPECT_EQ(masing_material_fingerprint(of), material.fingerprint());
    MaterialPoint expected(material, 0.1);
    masing_point* point = masing_point_new(of, 0.1);
    masing_point* restored = masing_point_new(of, 0.7);
    int failures = 0;
    Walk walk(11, 0.4);
    for (int step = 0; step < 100; ++step) {
      const double x = walk.next(expected.position());
      double force = 0.0;
      double stiffness = 0.0;
      const Response response = expected.set_trial(x);
      failures += masing_point_set_trial(point, x, nullptr, &stiffness);
      failures += masing_point_set_trial(point, x, &force, nullptr);
      EXPECT_TRUE(same(Response{force, stiffness}, response));
      if (step % 4 == 1) {
        expected.revert_to_last();
        failures += masing_point_revert_to_last(point);
      } else if (step == 50) {
        expected.revert_to_start();
        failures += masing_point_revert_to_start(point);
      }
      expected.commit();
      failures += masing_point_commit(point);
      const std::vector<double> state = expected.state();
      failures += masing_point_restore(restored, state.data(), state.size());
      masing_point* copy = masing_point_copy(point);
      for (const masing_point* each : {point, restored, copy}) {
        expect_same(each, expected);
      }
      masing_point_free(copy);
    }
    EXPECT_EQ(failures, 0) << "each call returns MASING_DONE, 0";
    masing_point_free(restored);
    masing_material_free(of);
    // A point outlives what it was made of.
    EXPECT_EQ(masing_point_elongation(point, 0.4), expected.elongation(0.4));
    masing_point_free(point);
  }
}

/// Threads that share materials feel the same forces as one alone; each has its own last fault.
TEST(MaterialInC, is_moved_by_several_threads_at_once) {
  masing_material* slab = masing_material_continuum(nullptr, nullptr, nullptr, nullptr, 0.0);
  masing_material_continuum(nullptr, "this(s)", nullptr, nullptr, 0.0);
  const auto work = [slab] {
    double sum = 0.0;
    double force = 0.0;
    masing_point* point = masing_point_new(slab, 0.0);
    for (int i = 1; i <= 20000; ++i) {
      masing_point_set_trial(point, std::sin(0.01 * i), &force, nullptr);
      sum += force;
      masing_point_commit(point);
    }
    masing_point_free(point);
    return sum;
  };
  std::vector<std::future<double>> sums;
  for (int thread = 0; thread < 8; ++thread) {
    sums.push_back(std::async(std::launch::async, [&] {
      masing_material_continuum(nullptr, "another(s)", nullptr, nullptr, 0.0);
      return work();
    }));
  }
  const double alone = work();
  for (std::future<double>& sum : sums) {
    EXPECT_EQ(sum.get(), alone);
  }
  EXPECT_NE(std::string(masing_last_error()).find("this"), std::string::npos);
  masing_material_free(slab);
}

}  // namespace masing::test_material
