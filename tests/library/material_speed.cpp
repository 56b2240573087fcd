// Nanoseconds a move of the material, force and stiffness, beside the obvious loop over sliders:
//   cmake --build build --target material_speed && build/tests/material_speed
// Each figure is the median, and the least, of 7 in seconds of the processor, so that other load
// disturbs by its use of the caches alone.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "masing/material.hpp"

namespace {

using masing::Material;
using masing::MaterialPoint;
using masing::MaterialPoints;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double sink = 0.0;  // what is computed has a use

void measure(const std::string& name, double moves, const std::function<double()>& work) {
  std::vector<double> taken;
  for (int run = 0; run < 7; ++run) {
    const double start = seconds();
    sink += work();
    taken.push_back(1e9 * (seconds() - start) / moves);
  }
  std::sort(taken.begin(), taken.end());
  std::printf("%-44s %8.1f ns, least %8.1f ns, %6.2f million moves/s\n", name.c_str(), taken[3],
              taken[0], 1e3 / taken[3]);
}

/// Sliders with thresholds from 0.1 to 1.1, as those of the continuum k = 1, η = s + 0.1.
std::vector<masing::SpringSlider> springs(std::size_t count) {
  std::vector<masing::SpringSlider> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(count);
    all.push_back({1.0 / n, (static_cast<double>(i) + 0.5) / n + 0.1});
  }
  return all;
}

/// Every slider clamped at every move, those of a point side by side.
class Loop {
 public:
  Loop(std::size_t sliders, std::size_t points) : u_(sliders * points), x_(points) {
    for (const masing::SpringSlider& spring : springs(sliders)) {
      k_.push_back(spring.stiffness);
      eta_.push_back(spring.threshold);
    }
  }

  void move(const double* to, double* force, double* stiffness) {
    const std::size_t n = k_.size();
    const double* k = k_.data();
    const double* eta = eta_.data();
    for (std::size_t point = 0; point < x_.size(); ++point) {
      const double dx = to[point] - x_[point];
      double* u = u_.data() + point * n;
      double sum = 0.0;
      double slope = 0.0;
#pragma omp simd reduction(+ : sum, slope)
      for (std::size_t i = 0; i < n; ++i) {
        const double moved = u[i] + dx;
        const double held = std::min(std::max(moved, -eta[i]), eta[i]);
        u[i] = held;
        sum += k[i] * held;
        slope += held == moved ? k[i] : 0.0;
      }
      x_[point] = to[point];
      force[point] = sum;
      stiffness[point] = slope;
    }
  }

 private:
  std::vector<double> u_;
  std::vector<double> x_;
  std::vector<double> k_;
  std::vector<double> eta_;
};

constexpr std::size_t many = 100000;
constexpr int steps = 40;  // of many points
constexpr int moves = 1000000;

/// A slow oscillation with a small one upon it.
struct Motion {
  double amplitude, frequency, phase, ripple;
  [[nodiscard]] double at(int step) const {
    const double t = 0.05 * step;
    return amplitude * std::sin(frequency * t + phase) +
           ripple * std::sin(9.7 * frequency * t + 2 * phase);
  }
};

struct Paths {
  std::vector<double> cycles;
  std::vector<double> walk;
  std::vector<std::vector<double>> together;  // [steps][many]

  Paths() {
    std::mt19937_64 random(1);
    const auto uniform = [&](double a, double b) {
      return std::uniform_real_distribution<double>(a, b)(random);
    };
    const Motion one{1.2, 1.0, 0.3, 0.1};
    double x = 0.0;
    for (int i = 0; i < moves; ++i) {
      cycles.push_back(one.at(i));
      x = 0.995 * x + uniform(-0.1, 0.1);
      walk.push_back(x);
    }
    together.assign(steps, std::vector<double>(many));
    for (std::size_t i = 0; i < many; ++i) {
      const Motion motion{uniform(0.2, 1.5), uniform(0.5, 1.5), uniform(0, 6.28),
                          uniform(0.05, 0.15)};
      for (int step = 0; step < steps; ++step) {
        together[static_cast<std::size_t>(step)][i] = motion.at(step);
      }
    }
  }
};

void material(const std::string& name, const Material& material, const Paths& paths) {
  MaterialPoint point(material);
  const auto along = [&point](const std::vector<double>& path) {
    double sum = 0.0;
    for (const double x : path) {
      sum += point.move_to(x).force;
    }
    return sum;
  };
  measure(name + ", cycles", moves, [&] { return along(paths.cycles); });
  measure(name + ", random walk", moves, [&] { return along(paths.walk); });
  measure(name + ", 3 set_trial and commit", moves, [&] {
    double sum = 0.0;
    for (const double x : paths.walk) {
      sum += point.set_trial(x + 0.01).force + point.set_trial(x - 0.003).force;
      sum += point.set_trial(x).force;
      point.commit();
    }
    return sum;
  });
  MaterialPoints points(material, many);
  std::vector<double> force(many);
  std::vector<double> stiffness(many);
  measure(name + ", 1e5 points", static_cast<double>(many) * steps, [&] {
    for (const std::vector<double>& x : paths.together) {
      points.move(x, force, stiffness);
    }
    return force[0];
  });
  MaterialPoint nested(material);
  constexpr int depth = 200000;
  for (int i = 0; i < depth; ++i) {
    nested.move_to((i % 2 == 0 ? 1 : -1) * (1.05 - 1.0 * i / depth));
  }
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> anywhere(-1.0, 1.0);
  std::vector<double> tried(20000);
  std::generate(tried.begin(), tried.end(), [&] { return anywhere(random); });
  measure(name + ", trial in a nest of 2e5", static_cast<double>(tried.size()), [&] {
    double sum = 0.0;
    for (const double x : tried) {
      sum += nested.trial(x).force;
    }
    return sum;
  });
}

void loop(std::size_t sliders, const Paths& paths) {
  const std::string name = "loop over " + std::to_string(sliders);
  Loop one(sliders, 1);
  double force_of_one = 0.0;
  double stiffness_of_one = 0.0;
  measure(name + ", random walk", moves / 10, [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < moves / 10; ++i) {
      one.move(&paths.walk[i], &force_of_one, &stiffness_of_one);
      sum += force_of_one;
    }
    return sum;
  });
  const std::size_t count = sliders < 1000 ? many : many / 10;  // 0.1 GB
  Loop points(sliders, count);
  std::vector<double> force(many);
  std::vector<double> stiffness(many);
  measure(name + ", many points", static_cast<double>(count) * steps / 5, [&] {
    for (std::size_t i = 0; i < steps / 5; ++i) {
      points.move(paths.together[i].data(), force.data(), stiffness.data());
    }
    return force[0];
  });
}

}  // namespace

int main() {
  const Paths paths;
  material("continuum", Material::continuum("1", "s+0.1"), paths);
  for (const std::size_t count : {10, 100, 1000}) {
    material(std::to_string(count) + " springs", Material::of_springs(springs(count)), paths);
    loop(count, paths);
  }
  std::printf("# %g\n", sink);
  return 0;
}
