#pragma once

#include "rheology/persoz.hpp"

namespace rheology {

/// Persoz's gephyroid without a mass: x = (F + E W)/δ,
///     W' + Q A(W) ∋ -U F',   Q⁻¹ = K⁻¹ + EᵀE/δ,   for which Q Eᵀ/δ = U.
/// State x, g2, g3, g1; hF' is F(t_{p+1}) - F(t_p). Source: §4.1, persoz-gephyroid.
class PersozQuasistatic {
 public:
  static ModelInfo info() {
    return {.name = "persoz-quasistatic",
            .title = "Persoz's gephyroid without a mass",
            .equation =
                "x = (F + E W)/delta\nW' + Q A(W) ∋ -Q E^T F'/delta\n"
                "Q^-1 = K^-1 + E^T E/delta; W, E, K, delta as in persoz",
            .parameters = PersozParameters::list(Range::positive),
            .state = {{"x", Extent::one, Start::follows}, {"g2"}, {"g3"}, {"g1"}},
            .order = ">=1",
            .source = "section 4.1, persoz-gephyroid"};
  }

  explicit PersozQuasistatic(const Values& values) : PersozQuasistatic(PersozParameters(values)) {}

  /// x at t = 0, from F(0).
  void complete_start(double force, std::span<double> state) const {
    state[0] = position(force, state);
  }
  /// x has no equation of its own: it follows in the resolvent.
  void drift(const Instant& now, std::span<const double> /*state*/, std::span<double> rate) const {
    const double force_rate = (now.next_force - now.force) / now.step;
    rate[0] = 0.0;
    rate[1] = rate[2] = -force_rate;
    rate[3] = force_rate;
  }
  [[nodiscard]] double resolve(const Instant& now, std::span<double> state) const {
    std::ranges::copy(projection_.project({state[1], state[2], state[3]}), state.begin() + 1);
    state[0] = position(now.next_force, state);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return force_.stiffness * state[0] - friction_part(state);
  }

 private:
  explicit PersozQuasistatic(const PersozParameters& p)
      : force_(force_on_mass(p.springs)), projection_(quasistatic_matrix(p.springs), p.bound) {}

  /// E W.
  [[nodiscard]] double friction_part(std::span<const double> state) const {
    const auto& e = force_.friction;
    return e[0] * state[1] + e[1] * state[2] + e[2] * state[3];
  }
  [[nodiscard]] double position(double force, std::span<const double> state) const {
    return (force + friction_part(state)) / force_.stiffness;
  }

  GephyroidForce force_;
  ActiveSetProjection<3> projection_;
};

}  // namespace rheology
