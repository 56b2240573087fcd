#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace masing::rheology {

/// One step from t_p to t_{p+1}: its length and the force at both ends.
struct TimeStep {
  double step = 0.0;        ///< h
  double force = 0.0;       ///< F(t_p)
  double next_force = 0.0;  ///< F(t_{p+1}); for models without a mass
};

// The St-Venant elements of a model one by one, for the solution from event to event.

/// Where an element is: in series with a spring, a component of the state within ±bound; or in
/// parallel with one, dry friction of at most `bound` on a velocity.
enum class Connection { in_series, in_parallel };

/// A column of the state, and by what it is multiplied.
struct Term {
  std::size_t column = 0;
  double factor = 1.0;
};

/// One element of X' + M ∂φ(X) ∋ G. With q the sum over `argument` of the state,
///     in series    X' = G - column_of_m·μ,  |q| ≤ bound,  μ ∈ N(q): 0 inside, of the sign of q at
///     ±bound; in parallel  X' = G - column_of_m·μ,  |μ| ≤ bound,  μ = bound·sign(q) where q ≠ 0.
/// Source: (3.8), rheological-models-2000, where M ∂φ is a sum over the elements.
struct StVenant {
  Connection connection = Connection::in_series;
  double bound = 0.0;             ///< ≥ 0
  std::vector<Term> argument;     ///< q: one column in series, a relative velocity in parallel
  std::vector<Term> column_of_m;  ///< the column of M
};

/// Elements in series whose q are columns of their own, from `first` on, in the norm of K⁻¹:
/// `matrix(i, j)` is K_ij. Local.
template <class Matrix>
std::vector<StVenant> box_elements(std::size_t first, std::span<const double> bound,
                                   const Matrix& matrix) {
  std::vector<StVenant> elements;
  for (std::size_t j = 0; j < bound.size(); ++j) {
    StVenant element{Connection::in_series, bound[j], {{first + j}}, {}};
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (const double entry = matrix(i, j); entry != 0) {
        element.column_of_m.push_back({first + i, entry});
      }
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

/// The same for K = 1: elongations that are clamped one by one. Local.
inline std::vector<StVenant> clamped_elements(std::size_t first, std::span<const double> bound) {
  std::vector<StVenant> elements;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    elements.push_back({Connection::in_series, bound[i], {{first + i}}, {{first + i}}});
  }
  return elements;
}

/// Dry friction α on the ground of a mass whose velocity is in column y. Local.
inline StVenant ground_friction(std::size_t y, double mass, double bound) {
  return {Connection::in_parallel, bound, {{y}}, {{y, 1 / mass}}};
}

/// A mass and the column of its velocity.
struct MovingMass {
  std::size_t y = 0;
  double mass = 1.0;
};

/// Dry friction α between two masses, of the second on the first. Local.
inline StVenant contact_friction(const MovingMass& first, const MovingMass& second, double bound) {
  return {Connection::in_parallel,
          bound,
          {{first.y, -1.0}, {second.y}},
          {{first.y, -1 / first.mass}, {second.y, 1 / second.mass}}};
}

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

// The resolvents of St-Venant elements: beside a spring (dry friction of a mass) and in series with
// one (a bounded elongation).

/// The resolvent of St-Venant elements in series with springs: u_i ← clamp(u_i, -η_i, η_i), [n].
/// Local. Source: (2.29) with (4.2), rheological-models-2000.
inline void yield(std::span<double> elongation, std::span<const double> threshold) {
  for (std::size_t i = 0; i < elongation.size(); ++i) {
    elongation[i] = std::clamp(elongation[i], -threshold[i], threshold[i]);
  }
}

/// The resolvent of dry friction on one mass, argmin_z ½(z - y)² + bound·|z|:
///     y - clamp(y, -bound, bound),
/// exactly 0 where |y| ≤ bound. `bound` ≥ 0, hα/m for a step h. Local.
/// Source: (2.1) with (4.2), rheological-models-2000.
inline double soft_threshold(double y, double bound) {
  assert(!(bound < 0));
  return y - std::clamp(y, -bound, bound);
}

/// The dry friction α of a mass on the ground during a step h: y ← soft_threshold(y, hα/m). Returns
/// the friction force, clamp(m y/h, -α, α) with the y before it. Local.
/// Source: (2.1) with (4.2), rheological-models-2000.
inline double slide_on_ground(double mass, double bound, double step, double& velocity) {
  const double friction = std::clamp(mass * velocity / step, -bound, bound);
  velocity = soft_threshold(velocity, step * bound / mass);
  return friction;
}

/// The resolvent of dry friction between two masses, with μ = m1 m2/(m1 + m2):
///     p = clamp(μ (y2 - y1), -bound, bound),   y1 ← y1 + p/m1,   y2 ← y2 - p/m2.
/// Masses that stick get the same velocity to the last bit. Masses > 0; `bound` ≥ 0, hα2 for a
/// step h. Returns p. Local. Source: (2.36), rheological-models-2000.
inline double friction_impulse(double first_mass, double second_mass, double& first_velocity,
                               double& second_velocity, double bound) {
  assert(first_mass > 0 && second_mass > 0 && !(bound < 0));
  const double reduced_mass = first_mass / (1 + first_mass / second_mass);
  const double sticking = reduced_mass * (second_velocity - first_velocity);
  if (std::abs(sticking) <= bound) {
    first_velocity = second_velocity = first_velocity + sticking / first_mass;
    return sticking;
  }
  const double impulse = std::copysign(bound, sticking);
  first_velocity += impulse / first_mass;
  second_velocity -= impulse / second_mass;
  return impulse;
}

}  // namespace masing::rheology
