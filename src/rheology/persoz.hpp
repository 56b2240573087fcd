#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rheology/active_set.hpp"
#include "rheology/gephyroid.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace rheology {

/// The stiffnesses and thresholds of Persoz's model, the same with and without a mass.
struct PersozParameters {
  GephyroidSprings springs;
  SmallVector<3> bound{};  ///< α2, α3, α1

  static std::vector<Parameter> list(Range range_of_stiffness) {
    std::vector<Parameter> all;
    for (const char* name : {"k0", "k1", "k2", "k3"}) {
      all.push_back({name, "stiffness", "", 1, range_of_stiffness});
    }
    for (const char* name : {"alpha1", "alpha2", "alpha3"}) {
      all.push_back({name, "threshold of St-Venant element " + std::string(1, name[5]), "", 1,
                     Range::not_negative});
    }
    return all;
  }

  /// Throws UserError where an initial force is beyond its threshold.
  explicit PersozParameters(const Values& values)
      : springs{values.number("k0"), values.number("k1"), values.number("k2"), values.number("k3")},
        bound{values.number("alpha2"), values.number("alpha3"), values.number("alpha1")} {
    // g0 is given in the order of the state: g2, g3, g1.
    values.require_within("g0", {bound.begin(), bound.end()}, "(alpha2, alpha3, alpha1)");
  }
};

/// Persoz's gephyroid: two branches of a spring and a St-Venant element with a bridge between them,
/// a spring k0 and a mass:
///     m y' = F - δ x + E W,   W' + K A(W) ∋ -k0 U y,   W = (g2, g3, g1),  U = (1, 1, -1).
/// State x, y, g2, g3, g1. Source: (6) to (12), persoz-gephyroid.
class Persoz {
 public:
  static ModelInfo info() {
    std::vector<Parameter> parameters = PersozParameters::list(Range::not_negative);
    parameters.insert(parameters.begin(), {"m", "mass", "1", 1, Range::positive});
    return {.name = "persoz",
            .title = "Persoz's gephyroid, four springs and three St-Venant elements",
            .equation =
                "x' = y\nm y' = F - delta x + E W\nW' + K A(W) ∋ -k0 U y\n"
                "W = (g2, g3, g1), |g_i| <= alpha_i, U = (1, 1, -1), E = k0 U^T K^-1, "
                "delta = k0 (1 - E U)",
            .parameters = parameters,
            .state = {{"x"}, {"y"}, {"g2"}, {"g3"}, {"g1"}},
            .order = "1",
            .source = "(6) to (12), figure 2, persoz-gephyroid"};
  }

  explicit Persoz(const Values& values) : Persoz(values, PersozParameters(values)) {}

  void drift(const Instant& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass_;
    rate[2] = rate[3] = -k0_ * state[1];
    rate[4] = k0_ * state[1];
  }
  [[nodiscard]] double resolve(const Instant& /*now*/, std::span<double> state) const {
    std::ranges::copy(projection_.project({state[2], state[3], state[4]}), state.begin() + 2);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    const auto& e = force_.friction;
    return force_.stiffness * state[0] - (e[0] * state[2] + e[1] * state[3] + e[2] * state[4]);
  }

 private:
  /// Throws UserError unless K is positive definite.
  Persoz(const Values& values, const PersozParameters& p)
      : mass_(values.number("m")),
        k0_(p.springs.k0),
        force_(force_on_mass(checked(values, p).springs)),
        projection_(stiffness_matrix(p.springs), p.bound) {}

  static const PersozParameters& checked(const Values& values, const PersozParameters& p) {
    if (!std::isfinite(determinant(p.springs))) {
      values.refuse("k0", "products of three stiffnesses exceed what a double holds",
                    "give them in other units");
    }
    if (!(determinant(p.springs) > 0)) {
      values.refuse(p.springs.k0 > 0 ? "k1" : "k0", "the stiffness matrix K is singular",
                    "give k1, k2, k3 > 0, or k0 > 0 and at least two of k1, k2, k3 > 0");
    }
    return p;
  }

  double mass_;
  double k0_;
  GephyroidForce force_;
  ActiveSetProjection<3> projection_;
};

}  // namespace rheology
