#pragma once

#include <utility>
#include <vector>

#include "rheology/friction.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/st_venant.hpp"

namespace masing::rheology {

/// What acts on the elements held at both ends, where these are the whole chain: the ground and F.
struct WholeChain {
  struct Ends {
    double velocity_before = 0.0;  ///< y of what the first element is fixed to
    double force_after = 0.0;      ///< on the last mass
  };
  /// For the force of the first spring and the velocity of the last mass, which neighbours need.
  [[nodiscard]] Ends exchange(double /*first_force*/, double /*last_velocity*/,
                              double force) const {
    return {0.0, force};
  }
};

/// n S-elements and n masses in series, held at the end of element 1, F on mass n:
///     m_i y_i' = k_{i+1} u_{i+1} - k_i u_i  (F - k_n u_n for i = n),
///     u_i' + ∂ψ[-η_i,η_i](u_i) ∋ y_i - y_{i-1},  y_0 = 0.
/// State x_1..x_n, y_1..y_n, u_1..u_n of the elements held; `Line` is WholeChain, or has the same
/// function for a part of a chain.
/// Source: (2.30), rheological-models-2000.
template <class Line = WholeChain>
struct SChain {
  std::vector<double> mass;
  std::vector<double> stiffness;
  std::vector<double> threshold;  ///< η
  Line line;

  static ModelInfo info() {
    return {
        .name = "s-chain",
        .title = "n S-elements (spring and St-Venant element in series) and n masses in series",
        .equation =
            "x_i' = y_i\n"
            "m_i y_i' = k_{i+1} u_{i+1} - k_i u_i, with F for k_{n+1} u_{n+1}\n"
            "u_i' + beta(u_i/eta_i) ∋ y_i - y_{i-1}, y_0 = 0",
        .phi = "Σ psi[-eta_i,eta_i](u_i)",
        .matrix = "I",
        .parameters = {{"n", "elements"},
                       {"m", "masses", Range::positive, per_element, 1.0},
                       {"k", "stiffnesses", Range::positive, per_element},
                       {"eta", "yield displacements alpha_i/k_i", Range::positive, per_element}},
        .state = {{"x", Extent::each}, {"y", Extent::each}, {"u", Extent::each}},
        .order = "1",
        .source = "(2.30), Table I, rheological-models-2000",
        .work = Work::split};
  }

  explicit SChain(const ParameterValues& values)
      : mass(values.list("m")), stiffness(values.list("k")), threshold(values.list("eta")) {
    values.require_within("u0", threshold, "eta");
  }
  /// The same elements with another `Line`.
  template <class Other>
  SChain(SChain<Other> chain, Line beyond)
      : mass(std::move(chain.mass)),
        stiffness(std::move(chain.stiffness)),
        threshold(std::move(chain.threshold)),
        line(std::move(beyond)) {}

  /// Collective if the line is.
  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) {
    const std::size_t n = mass.size();
    const auto y = state.subspan(n, n);
    const auto u = state.subspan(2 * n, n);
    const auto ends = n == 0 ? line.exchange(0.0, 0.0, now.force)
                             : line.exchange(stiffness[0] * u[0], y[n - 1], now.force);
    double below = ends.velocity_before;  // y_{i-1}
    for (std::size_t i = 0; i < n; ++i) {
      const double pull = i + 1 < n ? stiffness[i + 1] * u[i + 1] : ends.force_after;
      rate[i] = y[i];
      rate[n + i] = (pull - stiffness[i] * u[i]) / mass[i];
      rate[2 * n + i] = y[i] - below;
      below = y[i];
    }
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    yield(state.subspan(2 * mass.size()), threshold);
    return 0.0;
  }
  /// Of the last mass held; 0 where there is none.
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return state.empty() ? 0.0 : stiffness.back() * state.back();
  }
  [[nodiscard]] std::vector<StVenant> elements() const {
    return clamped_elements(2 * mass.size(), threshold);
  }
};

}  // namespace masing::rheology
