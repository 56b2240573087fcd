// A frame of two storeys on shaking ground, whose columns are Masing elements: Newmark's method (β
// = 1/4, γ = 1/2) with Newton's iterations, steps that are halved where these do not converge, an
// energy balance, a state that is saved and restored. The columns are the element, 100 sliders,
// and, as the reference, 100000 or as many as are given.
//
//     c++ -std=c++17 -O3 -march=native -fopenmp-simd -I$PREFIX/include frame.cpp
//         -L$PREFIX/lib -lmasing_material -Wl,-rpath,$PREFIX/lib -o frame

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <masing/material.hpp>
#include <string>
#include <vector>

#include "sliders.h"

namespace {

// Dimensionless: masses 1, columns of initial stiffness 1 that begin to yield at 0.1 and have
// yielded at 1.1.
constexpr double first = 0.1;
constexpr double last = 1.1;
constexpr double hardening = 0.05;

constexpr double duration = 100.0;

/// A column of sliders with the functions of masing::MaterialPoint that the frame uses.
class Sliders {
 public:
  explicit Sliders(int n) : all_(sliders_make(n, 1.0, first, last, hardening)) {}
  Sliders(const Sliders&) = delete;
  Sliders& operator=(const Sliders&) = delete;
  ~Sliders() { sliders_free(&all_); }
  masing::Response set_trial(double x) {
    sliders_set_trial(&all_, x);
    return {all_.force, all_.slope};
  }
  void commit() { sliders_commit(&all_); }
  void revert_to_last() { sliders_set_trial(&all_, all_.x); }
  [[nodiscard]] double position() const { return all_.x; }

 private:
  sliders all_;
};

using Pair = std::array<double, 2>;

/// Displacements, velocities and accelerations of the two floors relative to the ground, the forces
/// of the ground and of the columns on them.
struct Motion {
  double t = 0.0;
  Pair x{}, v{}, a{};
  double load = 0.0;
  Pair force{};
};

template <class Column>
class Frame {
 public:
  Frame(Column& lower, Column& upper) : columns_{&lower, &upper} {}

  Motion motion;
  int iterations = 0;
  int cut_backs = 0;
  double input = 0.0;  ///< work of the ground on the frame, by the trapezoidal rule
  double work = 0.0;   ///< work on the columns, by the same

  /// One step, or two halves of it where it was given up.
  void step(double h) {
    if (try_step(h)) {
      return;
    }
    ++cut_backs;
    for (Column* column : columns_) {
      column->revert_to_last();
    }
    step(0.5 * h);
    step(0.5 * h);
  }

  [[nodiscard]] double kinetic() const {
    return 0.5 * (motion.v[0] * motion.v[0] + motion.v[1] * motion.v[1]);
  }

 private:
  /// Shaking that swells and dies away, with a jolt at t = 30.
  static double ground(double t) {
    const double jolt = t > 30.0 && t < 30.4 ? 2.0 : 0.0;
    return 0.35 * std::exp(-0.002 * (t - 40) * (t - 40)) * std::sin(0.9 * t) + jolt;
  }

  /// Gives up where Newton's iterations do not converge, and where the ground jolts within the
  /// step.
  bool try_step(double h) {
    constexpr int most_iterations = 8;
    const double inertia = 4 / (h * h);
    const double to = motion.t + h;
    const double load = -ground(to);
    Pair x = motion.x;
    for (int i = 0; i < most_iterations; ++i) {
      ++iterations;
      const masing::Response lower = columns_[0]->set_trial(x[0]);
      const masing::Response upper = columns_[1]->set_trial(x[1] - x[0]);
      const Pair a = {acceleration(x, h, 0), acceleration(x, h, 1)};
      const Pair residual = {load - a[0] - lower.force + upper.force, load - a[1] - upper.force};
      if (std::fmax(std::fabs(residual[0]), std::fabs(residual[1])) < 1e-13 * inertia) {
        if (std::fabs(load - motion.load) > 0.5 && h > 0.1 * duration / 4000) {
          return false;
        }
        const Pair force = {lower.force - upper.force, upper.force};
        for (int j = 0; j < 2; ++j) {
          const double d = x[j] - motion.x[j];
          input += 0.5 * (motion.load + load) * d;
          work += 0.5 * (motion.force[j] + force[j]) * d;
          motion.v[j] += 0.5 * h * (motion.a[j] + a[j]);
        }
        motion.t = to;
        motion.x = x;
        motion.a = a;
        motion.load = load;
        motion.force = force;
        columns_[0]->commit();
        columns_[1]->commit();
        return true;
      }
      const double a00 = inertia + lower.stiffness + upper.stiffness;
      const double a01 = -upper.stiffness;
      const double a11 = inertia + upper.stiffness;
      const double determinant = a00 * a11 - a01 * a01;
      x[0] += (a11 * residual[0] - a01 * residual[1]) / determinant;
      x[1] += (a00 * residual[1] - a01 * residual[0]) / determinant;
    }
    return false;
  }

  [[nodiscard]] double acceleration(const Pair& x, double h, int j) const {
    return 4 * ((x[j] - motion.x[j]) / h - motion.v[j]) / h - motion.a[j];
  }

  std::array<Column*, 2> columns_;
};

struct Result {
  std::vector<Pair> path;
  Motion end;
  int iterations = 0;
  int cut_backs = 0;
  double seconds = 0.0;
  double input = 0.0;
  double work = 0.0;
  double kinetic = 0.0;
};

template <class Column>
Result run(Column& lower, Column& upper, int steps) {
  Frame<Column> frame(lower, upper);
  Result result;
  const auto start = std::chrono::steady_clock::now();
  for (int p = 1; p <= steps; ++p) {
    frame.step(p * duration / steps - frame.motion.t);
    result.path.push_back(frame.motion.x);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  result.end = frame.motion;
  result.iterations = frame.iterations;
  result.cut_backs = frame.cut_backs;
  result.seconds = taken.count();
  result.input = frame.input;
  result.work = frame.work;
  result.kinetic = frame.kinetic();
  return result;
}

Result sliders_run(int n, int steps) {
  Sliders lower(n);
  Sliders upper(n);
  return run(lower, upper, steps);
}

double difference(const Result& a, const Result& b) {
  double largest = 0.0;
  for (std::size_t p = 0; p < a.path.size(); ++p) {
    for (int j = 0; j < 2; ++j) {
      largest = std::fmax(largest, std::fabs(a.path[p][j] - b.path[p][j]));
    }
  }
  return largest;
}

masing::Material column() {
  masing::Continuum slab;
  const double ends[] = {0.0, 1.0};
  const double thresholds[] = {first, last};
  slab.stiffness = std::to_string(1 - hardening);
  slab.threshold = masing::table(ends, thresholds);
  return masing::Material::continuum(slab, hardening);
}

/// What the columns hold and took, less the work that the trapezoidal rule finds along the steps.
double work_error(const masing::Material& material, int steps) {
  masing::MaterialPoint lower(material);
  masing::MaterialPoint upper(material);
  const Result result = run(lower, upper, steps);
  return lower.stored_energy() + lower.dissipated_energy() + upper.stored_energy() +
         upper.dissipated_energy() - result.work;
}

/// Whether a frame that is saved at half time goes on to the same bits where it is restored.
bool is_restored(const masing::Material& material, int steps) {
  masing::MaterialPoint lower(material);
  masing::MaterialPoint upper(material);
  Frame<masing::MaterialPoint> frame(lower, upper);
  const double h = duration / steps;
  for (int p = 0; p < steps / 2; ++p) {
    frame.step(h);
  }
  const Motion saved = frame.motion;
  const std::vector<double> saved_lower = lower.state();
  const std::vector<double> saved_upper = upper.state();
  masing::MaterialPoint lower_again(material);
  masing::MaterialPoint upper_again(material);
  lower_again.restore(saved_lower);
  upper_again.restore(saved_upper);
  Frame<masing::MaterialPoint> again(lower_again, upper_again);
  again.motion = saved;
  for (int p = steps / 2; p < steps; ++p) {
    frame.step(h);
    again.step(h);
  }
  return frame.motion.x == again.motion.x && frame.motion.v == again.motion.v &&
         lower.state() == lower_again.state() && upper.state() == upper_again.state();
}

}  // namespace

int main(int count, char** words) {
  constexpr int steps = 4000;
  const int many = count > 1 ? std::atoi(words[1]) : 100000;
  const masing::Material material = column();
  masing::MaterialPoint lower(material);
  masing::MaterialPoint upper(material);
  const Result exact = sliders_run(many, steps);
  const Result element = run(lower, upper, steps);
  const Result hundred = sliders_run(100, steps);

  std::printf("%d steps, drift left %.6f\n", steps, element.end.x[0]);
  std::printf("%-16s %12s %12s %10s %10s\n", "columns", "error of x", "iterations", "cut-backs",
              "time, ms");
  const auto row = [&exact](const char* name, const Result& result) {
    std::printf("%-16s %12.3g %12d %10d %10.3f\n", name, difference(result, exact),
                result.iterations, result.cut_backs, 1e3 * result.seconds);
  };
  row("Masing", element);
  row("100 sliders", hundred);
  row((std::to_string(many) + " sliders").c_str(), exact);

  const double stored = lower.stored_energy() + upper.stored_energy();
  const double dissipated = lower.dissipated_energy() + upper.dissipated_energy();
  std::printf("input %.9f = kinetic %.9f + stored %.9f + dissipated %.9f\n", element.input,
              element.kinetic, stored, dissipated);
  std::printf("balance of the scheme: %.2g\n", element.input - element.kinetic - element.work);
  std::printf(
      "energies of the columns less work by the trapezoidal rule: %.3g, with twice the "
      "steps %.3g\n",
      work_error(material, steps), work_error(material, 2 * steps));
  std::printf("same bits after a restart: %s\n", is_restored(material, steps) ? "yes" : "no");
  return 0;
}
