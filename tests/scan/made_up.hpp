#pragma once

#include <numbers>

#include "base/text.hpp"
#include "scan/scan.hpp"
#include "support/problem.hpp"

/// Points of a slab with k = 1, η = 0.1 + s, k0 = 0.2 and m = 1 under a cosine, without the words
/// of the command line.
namespace masing::made_up {

struct Point {
  std::string force;
  double frequency = 0.5;  ///< ω: F has the period 2π/ω
  double damping = 0.3;    ///< c
  std::int64_t periods = 30;
  std::int64_t steps_a_period = 1000;
};

inline Point cosine(double amplitude, double frequency) {
  return {.force = base::to_text(amplitude) + "*cos(" + base::to_text(frequency) + "*t)",
          .frequency = frequency};
}

/// A run by the exact solution from rest; its last period is the window of the samples.
inline scan::ScanProblem problem(const Point& point) {
  const support::Problem made =
      support::problem({.force = point.force,
                        .oscillator = {.damping = point.damping, .k0 = 0.2},
                        .space = slab::Continuum{1}});
  const double period = 2 * std::numbers::pi / point.frequency;
  const slab::TimeGrid time{static_cast<double>(point.periods) * period,
                            point.periods * point.steps_a_period};
  return {.run = {engine::Masing{
                      .slab = made, .oscillator = made.oscillator, .method = engine::Method::exact},
                  made.force, time},
          .series = {.time = time, .from = time.final_time - period, .to = time.final_time},
          .period = period};
}

inline scan::ScanSpec steady(std::vector<scan::ScanAxis> axes) {
  return {.axes = std::move(axes), .is_steady = true, .files = {.quiet = true}};
}

/// (K - mω² + iωc)/1, K = k0 + ∫k: F over x of the motion far below yielding.
inline std::complex<double> stiffness(const Point& point) {
  return {1.2 - point.frequency * point.frequency, point.frequency * point.damping};
}

}  // namespace masing::made_up
