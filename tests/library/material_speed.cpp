// Nanoseconds a move of the material, force and stiffness, beside the obvious loop over sliders:
//   cmake --build build --target material_speed && build/tests/material_speed
// Each figure is the median of 7 in seconds of the processor, so that other load disturbs by its
// use of the caches alone. Nothing else measures this.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "masing/material.hpp"

namespace {

using masing::Material;
using masing::MaterialPoint;
using Numbers = std::vector<double>;

double sink = 0.0;  // what is computed has a use

template <typename Work>
void measure(const std::string& name, double moves, const Work& work) {
  const auto seconds = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  std::array<double, 7> taken{};
  for (double& each : taken) {
    const double start = seconds();
    sink += work();
    each = 1e9 * (seconds() - start) / moves;
  }
  std::sort(taken.begin(), taken.end());
  std::printf("%-44s %8.1f ns\n", name.c_str(), taken[3]);
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

constexpr std::size_t many = 100000;
constexpr std::size_t steps = 40;  // of many points
constexpr std::size_t moves = 1000000;

/// A slow oscillation with a small one upon it, a random walk, and an oscillation for each point.
struct Paths {
  Numbers cycles;
  Numbers walk;
  std::vector<Numbers> together = std::vector<Numbers>(steps, Numbers(many));

  Paths() {
    std::mt19937_64 random(1);
    const auto uniform = [&](double a, double b) {
      return std::uniform_real_distribution<double>(a, b)(random);
    };
    const auto motion = [](double amplitude, double frequency, double phase, std::size_t step) {
      const double angle = 0.05 * frequency * static_cast<double>(step);
      return amplitude * std::sin(angle + phase) + 0.1 * std::sin(9.7 * angle + 2 * phase);
    };
    for (std::size_t i = 0; i < moves; ++i) {
      cycles.push_back(motion(1.2, 1.0, 0.3, i));
      walk.push_back((i == 0 ? 0.0 : 0.995 * walk.back()) + uniform(-0.1, 0.1));
    }
    for (std::size_t i = 0; i < many; ++i) {
      const Numbers of{uniform(0.2, 1.5), uniform(0.5, 1.5), uniform(0, 6.28)};
      for (std::size_t step = 0; step < steps; ++step) {
        together[step][i] = motion(of[0], of[1], of[2], step);
      }
    }
  }
};

void measure_material(const std::string& name, const Material& material, const Paths& paths) {
  MaterialPoint point(material);
  for (const auto& [path, words] :
       {std::pair(&paths.cycles, ", cycles"), {&paths.walk, ", random walk"}}) {
    measure(name + words, moves, [&, way = path] {
      double sum = 0.0;
      for (const double x : *way) {
        sum += point.move_to(x).force;
      }
      return sum;
    });
  }
  measure(name + ", 3 set_trial and commit", moves, [&] {
    double sum = 0.0;
    for (const double x : paths.walk) {
      sum += point.set_trial(x + 0.01).force + point.set_trial(x - 0.003).force;
      sum += point.set_trial(x).force;
      point.commit();
    }
    return sum;
  });
  masing::MaterialPoints points(material, many);
  Numbers force(many);
  Numbers stiffness(many);
  measure(name + ", 1e5 points", static_cast<double>(many * steps), [&] {
    for (const Numbers& x : paths.together) {
      points.move(x, force, stiffness);
    }
    return force[0];
  });
  constexpr int depth = 200000;
  for (int i = 0; i < depth; ++i) {
    point.move_to((i % 2 == 0 ? 1 : -1) * (1.05 - 1.0 * i / depth));
  }
  measure(name + ", trial in a nest of 2e5", 20000, [&] {
    double sum = 0.0;
    for (int i = 0; i < 20000; ++i) {
      sum += point.trial(std::sin(1.7 * i)).force;
    }
    return sum;
  });
}

/// Every slider clamped at every move, those of a point side by side.
void measure_loop(const std::vector<masing::SpringSlider>& sliders, std::size_t points,
                  const Paths& paths) {
  const std::size_t n = sliders.size();
  Numbers k;
  Numbers eta;
  for (const masing::SpringSlider& each : sliders) {
    k.push_back(each.stiffness);
    eta.push_back(each.threshold);
  }
  Numbers u(n * points);
  Numbers from(points);
  Numbers stiffness(points);
  const auto move = [&](std::size_t point, double to) {
    const double dx = to - from[point];
    double* mine = u.data() + point * n;
    double force = 0.0;
    double slope = 0.0;
#pragma omp simd reduction(+ : force, slope)
    for (std::size_t i = 0; i < n; ++i) {
      const double moved = mine[i] + dx;
      const double held = std::min(std::max(moved, -eta[i]), eta[i]);
      mine[i] = held;
      force += k[i] * held;
      slope += held == moved ? k[i] : 0.0;
    }
    from[point] = to;
    stiffness[point] = slope;
    return force;
  };
  const std::string name = "loop over " + std::to_string(n);
  measure(name + ", random walk", static_cast<double>(moves) / 10, [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < moves / 10; ++i) {
      sum += move(0, paths.walk[i]);
    }
    return sum;
  });
  measure(name + ", many points", static_cast<double>(points * steps) / 5, [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < steps / 5; ++i) {
      for (std::size_t point = 0; point < points; ++point) {
        sum += move(point, paths.together[i][point]);
      }
    }
    return sum;
  });
}

}  // namespace

int main() {
  const Paths paths;
  measure_material("continuum", Material::continuum("1", "s+0.1"), paths);
  for (const std::size_t count : {10, 100, 1000}) {
    const std::vector<masing::SpringSlider> sliders = springs(count);
    measure_material(std::to_string(count) + " springs", Material::of_springs(sliders), paths);
    measure_loop(sliders, count < 1000 ? many : many / 10, paths);  // at most 0.1 GB
  }
  std::printf("# %g\n", sink);
  return 0;
}
