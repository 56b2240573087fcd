#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "rheology/friction.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/st_venant.hpp"

// Models of P-elements, a spring and a St-Venant element in parallel, alone or with an S-element.

namespace masing::rheology {

/// A mass on a spring and a St-Venant element in parallel (a P-element):
/// m x'' + k x + α σ(x') ∋ F. State x, y. Source: (2.1), rheological-models-2000.
struct FrictionOscillator {
  double mass;
  double stiffness;
  double bound;  ///< α

  static ModelInfo info() {
    return {.name = "friction-oscillator",
            .title = "one spring and one St-Venant element in parallel",
            .equation = "m x'' + k x + alpha sigma(x') ∋ F",
            .phi = "alpha |y|",
            .matrix = "diag(1, 1/m)",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"k", "stiffness", Range::not_negative},
                           {"alpha", "friction threshold", Range::not_negative}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.1), Table I, rheological-models-2000"};
  }

  explicit FrictionOscillator(const ParameterValues& values)
      : FrictionOscillator(values.number("m"), values.number("k"), values.number("alpha")) {}
  FrictionOscillator(double m, double k, double alpha) : mass(m), stiffness(k), bound(alpha) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - stiffness * state[0]) / mass;
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) const {
    return slide_on_ground(mass, bound, now.step, state[1]);
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return stiffness * state[0] + friction;
  }
  [[nodiscard]] std::vector<StVenant> elements() const { return {ground_friction(1, mass, bound)}; }
};

/// n P-elements in parallel, which are one with k = Σ k_i and α = Σ α_i. State x, y.
/// Source: (2.24), rheological-models-2000.
struct PParallel : FrictionOscillator {
  static ModelInfo info() {
    return {.name = "p-parallel",
            .title = "n P-elements (spring and St-Venant element in parallel) in parallel",
            .equation = "m x'' + (Σ k_i) x + (Σ alpha_i) sigma(x') ∋ F",
            .phi = "(Σ alpha_i) |y|",
            .matrix = "diag(1, 1/m)",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"n", "elements"},
                           {"k", "stiffnesses", Range::not_negative, per_element},
                           {"alpha", "friction thresholds", Range::not_negative, per_element}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.24), rheological-models-2000"};
  }

  explicit PParallel(const ParameterValues& values)
      : FrictionOscillator(values.number("m"), sum(values.list("k")), sum(values.list("alpha"))) {}

 private:
  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
};

/// An S-element (k1, α1) and a P-element (k2, α2), however they are connected.
struct S1P2 {
  double k1;
  double threshold;  ///< η1 = α1/k1
  double k2;
  double bound;  ///< α2

  /// The parameters, behind those of the masses.
  static std::vector<Parameter> parameters(std::vector<Parameter> masses) {
    masses.insert(masses.end(), {{"k1", "stiffness of the S-element", Range::positive},
                                 {"alpha1", "threshold of the S-element", Range::positive},
                                 {"k2", "stiffness of the P-element", Range::not_negative},
                                 {"alpha2", "threshold of the P-element", Range::not_negative}});
    return masses;
  }

  /// Throws ParameterError where the initial elongation of the S-element is beyond its threshold.
  explicit S1P2(const ParameterValues& values)
      : k1(values.number("k1")),
        threshold(values.number("alpha1") / k1),
        k2(values.number("k2")),
        bound(values.number("alpha2")) {
    values.require_within("u0", {threshold}, "alpha1/k1");
  }
};

/// An S-element (k1, α1) and a P-element (k2, α2) in parallel on one mass:
///     m y' + α2 σ(y) ∋ F - k1 u - k2 x,   u' + ∂ψ[-η1,η1](u) ∋ y,   η1 = α1/k1.
/// State x, y, u. Source: (2.38) with z = k1 u and k2 x for x, rheological-models-2000.
struct S1P2Parallel : S1P2 {
  double mass;

  static ModelInfo info() {
    return {.name = "s1-p2-parallel",
            .title = "one S-element and one P-element in parallel",
            .equation =
                "x' = y\nm y' + alpha2 sigma(y) ∋ F - k1 u - k2 x\n"
                "u' + beta(u/eta1) ∋ y, eta1 = alpha1/k1",
            .phi = "alpha2 |y| + psi[-eta1,eta1](u)",
            .matrix = "diag(1, 1/m, 1)",
            .parameters = S1P2::parameters({{"m", "mass", Range::positive, 1, 1.0}}),
            .state = {{"x"}, {"y"}, {"u"}},
            .order = ">=0.5",
            .source = "(2.38), Table I, rheological-models-2000"};
  }

  explicit S1P2Parallel(const ParameterValues& values) : S1P2(values), mass(values.number("m")) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass;
    rate[2] = state[1];
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) const {
    const double friction = slide_on_ground(mass, bound, now.step, state[1]);
    state[2] = std::clamp(state[2], -threshold, threshold);
    return friction;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return k2 * state[0] + k1 * state[2] + friction;
  }
  [[nodiscard]] std::vector<StVenant> elements() const {
    return {ground_friction(1, mass, bound), clamped_elements(2, {&threshold, 1}).front()};
  }
};

/// An S-element (k1, α1), a mass, a P-element (k2, α2) and a mass in series, F on the second:
///     m1 y1' = -k1 u1 + k2 (x2 - x1) + g2,   m2 y2' = F - k2 (x2 - x1) - g2,
///     g2 ∈ α2 σ(y2 - y1),   u1' + ∂ψ[-η1,η1](u1) ∋ y1,   η1 = α1/k1.
/// State x1, y1, x2, y2, u1. Source: (2.36) with z1 = k1 u1, rheological-models-2000.
struct S1P2Series : S1P2 {
  double m1;
  double m2;

  static ModelInfo info() {
    return {.name = "s1-p2-series",
            .title = "one S-element and one P-element in series with two masses",
            .equation =
                "x1' = y1, x2' = y2\n"
                "m1 y1' = -k1 u1 + k2 (x2 - x1) + g2\nm2 y2' = F - k2 (x2 - x1) - g2\n"
                "g2 ∈ alpha2 sigma(y2 - y1)\nu1' + beta(u1/eta1) ∋ y1, eta1 = alpha1/k1",
            .phi = "alpha2 |y2 - y1| + psi[-eta1,eta1](u1)",
            .matrix = "diag(1, 1/m1, 1, 1/m2, 1)",
            .parameters =
                S1P2::parameters({{"m1", "mass between the elements", Range::positive, 1, 1.0},
                                  {"m2", "mass at the end", Range::positive, 1, 1.0}}),
            .state = {{"x1"}, {"y1"}, {"x2"}, {"y2"}, {"u1"}},
            .order = ">=0.5",
            .source = "(2.36), Table I, rheological-models-2000"};
  }

  explicit S1P2Series(const ParameterValues& values)
      : S1P2(values), m1(values.number("m1")), m2(values.number("m2")) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    const double pull = k2 * (state[2] - state[0]);
    rate[0] = state[1];
    rate[1] = (pull - k1 * state[4]) / m1;
    rate[2] = state[3];
    rate[3] = (now.force - pull) / m2;
    rate[4] = state[1];
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) const {
    const FrictionContact found = friction_impulse(m1, m2, state[1], state[3], now.step * bound);
    state[1] = found.first_velocity;
    state[3] = found.second_velocity;
    state[4] = std::clamp(state[4], -threshold, threshold);
    return found.impulse / now.step;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return k2 * (state[2] - state[0]) + friction;
  }
  [[nodiscard]] std::vector<StVenant> elements() const {
    return {contact_friction({1, m1}, {3, m2}, bound),
            clamped_elements(4, {&threshold, 1}).front()};
  }
};

}  // namespace masing::rheology
