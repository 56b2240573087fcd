#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "rheology/st_venant.hpp"

namespace masing::rheology {

/// One step from t_p to t_{p+1}: its length and the force at both ends.
struct TimeStep {
  double step = 0.0;        ///< h
  double force = 0.0;       ///< F(t_p)
  double next_force = 0.0;  ///< F(t_{p+1}); for models without a mass
};

/// A model as an inclusion X' + M ∂φ(X) ∋ G(t, X):
///     drift(now, X, G)      fills G(t_p, X);
///     resolve(now, X)       X ← (I + hM∂φ)⁻¹ X in place; returns the force of dry friction on the
///                           mass that F acts on, which it found (0 where φ has no |·|);
///     restoring(X, g)       F - m x'' of that mass, g that friction force;
///     elements()            the St-Venant elements whose sum M∂φ is.
/// One step is X⁺ = resolvent(X + h G(t_p, X)). X and G: [columns], as the model's info lists them,
/// of the elements that the model holds. The first three allocate nothing; drift and resolve are
/// Collective where the elements are split over ranks, else Local. Source: (3.8), (4.1), (4.2),
/// rheological-models-2000.
template <class Model>
concept Inclusion = requires(Model& model, const Model& law, const TimeStep& now,
                             std::span<const double> state, std::span<double> values) {
  model.drift(now, state, values);
  { model.resolve(now, values) } -> std::convertible_to<double>;
  { law.restoring(state, 0.0) } -> std::convertible_to<double>;
  { law.elements() } -> std::same_as<std::vector<StVenant>>;
};

/// An inclusion whose initial state follows in part from the force at t = 0.
template <class Model>
concept StartsFromForce = requires(const Model& law, std::span<double> state) {
  law.complete_start(0.0, state);
};

/// X ← resolvent(X + h G(t_p, X)); `rate` [columns] is scratch. Returns the friction force that
/// the resolvent found. Local.
template <Inclusion Model>
double make_step(Model& model, const TimeStep& now, std::span<double> state,
                 std::span<double> rate) {
  model.drift(now, state, rate);
  for (std::size_t c = 0; c < state.size(); ++c) {
    state[c] += now.step * rate[c];
  }
  return model.resolve(now, state);
}

}  // namespace masing::rheology
