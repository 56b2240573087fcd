#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "slab/exact/oscillator_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/problem.hpp"

/// What the tests of the exact solution share.
namespace masing::exact_test {

using slab::MassState;
using slab::Oscillator;
using slab::OscillatorSolution;
using slab::SmoothPieces;

/// The papers' case with P = ∞: k = 1, η = s + 0.1, u0 = 0.
inline const std::shared_ptr<const slab::Measure> papers_case =
    slab::make_continuous_measure(support::problem({.space = support::space_of(0)}));
inline const slab::Measure& papers_measure = *papers_case;

/// The backbone B(x) of the papers' case for x ≥ 0.
inline double papers_backbone(double x) {
  if (x <= 0.1) {
    return x;
  }
  return x <= 1.1 ? -0.5 * x * x + 1.1 * x - 0.005 : 0.6;
}

/// ∫₀ˣ B of the papers' case for x ≥ 0.
inline double papers_backbone_integral(double x) {
  const auto middle = [](double z) { return -z * z * z / 6 + 0.55 * z * z - 0.005 * z; };
  const double elastic = 0.5 * std::pow(std::min(x, 0.1), 2);
  if (x <= 0.1) {
    return elastic;
  }
  return elastic + middle(std::min(x, 1.1)) - middle(0.1) + 0.6 * std::max(0.0, x - 1.1);
}

/// Cells of k(s), η(s), u0(s) at s = i/P.
template <class Stiffness, class Threshold, class Initial>
slab::Profile cells_of(int cells, Stiffness k, Threshold eta, Initial u0) {
  slab::Profile profile{{}, {0, cells}, {}};
  for (int i = 1; i <= cells; ++i) {
    const double s = static_cast<double>(i) / cells;
    profile.stiffness.push_back(k(s));
    profile.threshold.push_back(eta(s));
    profile.initial_u.push_back(u0(s));
  }
  return profile;
}

/// `cells` cells all alike.
inline std::shared_ptr<const slab::Measure> uniform_cells(int cells, double k, double eta,
                                                          double u0 = 0.0) {
  return slab::make_cell_measure(cells_of(
      cells, [&](double) { return k; }, [&](double) { return eta; }, [&](double) { return u0; }));
}

/// The papers' case with P cells.
inline std::shared_ptr<const slab::Measure> papers_cells(int cells) {
  return slab::make_cell_measure(
      slab::sample_profile(support::problem({.space = support::space_of(cells)}), {0, cells}));
}

inline double papers_force(double t) {
  return 0.45 * std::cos(0.5 * t);
}

inline MassState exact_at(const slab::Measure& measure, const Oscillator& oscillator,
                          const SmoothPieces& force, double t) {
  return OscillatorSolution(measure, oscillator, force).at(t);
}

/// The first time after 0 at which y = 0, between `low` (y > 0) and `high`, by bisection.
inline double first_stop(const slab::Measure& measure, const Oscillator& oscillator,
                         const SmoothPieces& force, double low, double high) {
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (exact_at(measure, oscillator, force, middle).y > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Greatest differences of two solutions over the samples compared.
struct ExactDifference {
  double x = 0.0;
  double y = 0.0;
};

/// How far the exact solution can be trusted: the same once more by another method with another
/// step control (ten times the tolerance, 0.7 times the longest step), and the greatest differences
/// in x and y at the times pT/n, p = 1..n. Costs two solutions. Throws UserError where F is not
/// finite.
inline ExactDifference exact_self_check(const slab::Measure& measure, const Oscillator& oscillator,
                                        const SmoothPieces& force, double final_time,
                                        std::int64_t samples,
                                        const slab::StepControl& options = {}) {
  OscillatorSolution solution(measure, oscillator, force, options);
  OscillatorSolution check(measure, oscillator, force, slab::checking(options));
  const slab::TimeGrid time{.final_time = final_time, .steps = samples};
  ExactDifference difference;
  for (std::int64_t p = 1; p <= samples; ++p) {
    const MassState a = solution.at(time.time(p));
    const MassState b = check.at(time.time(p));
    difference.x = std::max(difference.x, std::abs(a.x - b.x));
    difference.y = std::max(difference.y, std::abs(a.y - b.y));
  }
  return difference;
}

}  // namespace masing::exact_test
