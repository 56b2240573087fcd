#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace masing::rheology {

/// A time step from t_p to t_{p+1}: the length of the step, and the force at both ends.
struct TimeStep {
  double step = 0.0;        ///< h
  double force = 0.0;       ///< F(t_p)
  double next_force = 0.0;  ///< F(t_{p+1}), used by models without a mass
};

// The exact solution uses the descriptions of single St-Venant elements below. It advances from
// event to event. An event is the time at which an element begins or ceases to yield, stick or
// slide.

/// How a St-Venant element enters the equations. `in_series`: the element keeps one column of the
/// state, an elongation or a force, within ±bound, as an element in series with a spring does.
/// `in_parallel`: the element is dry friction of at most `bound` that acts on a velocity, as an
/// element in parallel with a spring is. (In models that have a spring in series with P-elements,
/// the forces of these elements are columns of the state, and the elements count as `in_series`.)
enum class Connection { in_series, in_parallel };

/// A column of the state, and the factor by which it is multiplied.
struct Term {
  std::size_t column = 0;
  double factor = 1.0;
};

/// One St-Venant element of a model X' + M ∂φ(X) ∋ G. The quantity q of the element is the sum of
/// the terms `argument` of the state X, and μ is the multiplier of the element:
///     in series    X' = G - column_of_m·μ,  |q| ≤ bound,  μ = 0 where |q| < bound,  and μ has the
///                  sign of q, or is 0, where q = ±bound;
///     in parallel  X' = G - column_of_m·μ,  |μ| ≤ bound,  μ = bound·sign(q) where q ≠ 0.
/// Source: (3.8), rheological-models-2000, where M ∂φ is a sum over the elements.
struct StVenant {
  Connection connection = Connection::in_series;
  double bound = 0.0;  ///< ≥ 0
  /// The terms of q: one column if the element is in series, a velocity or relative velocity if it
  /// is in parallel.
  std::vector<Term> argument;
  std::vector<Term> column_of_m;  ///< the nonzero entries of the element's column of M
};

/// Returns elements in series that are coupled by a matrix K. The quantity q of element i is the
/// column first + i of the state, and `matrix(i, j)` returns K_ij. Local.
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

/// Returns elements in series that are not coupled, so that each elongation is clamped
/// independently of the others. The elongation of element i is the column first + i of the state.
/// Local.
inline std::vector<StVenant> clamped_elements(std::size_t first, std::span<const double> bound) {
  std::vector<StVenant> elements;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    elements.push_back({Connection::in_series, bound[i], {{first + i}}, {{first + i}}});
  }
  return elements;
}

/// Returns the element of dry friction α = `bound` between the ground and a mass whose velocity is
/// the column y of the state. Local.
inline StVenant ground_friction(std::size_t y, double mass, double bound) {
  return {Connection::in_parallel, bound, {{y}}, {{y, 1 / mass}}};
}

/// A mass and the column of its velocity.
struct MovingMass {
  std::size_t y = 0;
  double mass = 1.0;
};

/// Returns the element of dry friction α = `bound` between two masses; its quantity q is the
/// velocity of the second mass relative to the first. Local.
inline StVenant contact_friction(const MovingMass& first, const MovingMass& second, double bound) {
  return {Connection::in_parallel,
          bound,
          {{first.y, -1.0}, {second.y}},
          {{first.y, -1 / first.mass}, {second.y, 1 / second.mass}}};
}

/// A model as an inclusion X' + M ∂φ(X) ∋ G(t, X). One step is X⁺ = resolvent(X + h G(t_p, X)). X
/// and G have one entry for each column of the state that ModelInfo lists, [columns]. No function
/// that a step calls allocates memory. Source: (3.8), (4.1), (4.2), rheological-models-2000.
class Inclusion {
 public:
  Inclusion() = default;
  virtual ~Inclusion() = default;
  Inclusion(const Inclusion&) = delete;
  Inclusion& operator=(const Inclusion&) = delete;

  /// Fills `rate` with G(t_p, X). Local.
  virtual void drift(const TimeStep& now, std::span<const double> state,
                     std::span<double> rate) const = 0;
  /// Computes X ← (I + hM∂φ)⁻¹ X in place. Returns the force of dry friction on the mass that F
  /// acts on, which is 0 if φ contains no |·|. Local.
  virtual double resolve(const TimeStep& now, std::span<double> state) = 0;
  /// Returns F - m x'' of the mass that F acts on, without the force of dry friction on this mass.
  /// Local.
  [[nodiscard]] virtual double restoring(std::span<const double> state) const = 0;
  /// Returns the St-Venant elements; M∂φ is the sum over these. Local.
  [[nodiscard]] virtual std::vector<StVenant> elements() const = 0;
  /// Computes the columns of the initial state that follow from F(0) (Start::follows). Most models
  /// have no such columns. Local.
  virtual void complete_start(double /*force*/, std::span<double> /*state*/) const {}
};

/// Advances the state by one step, X ← resolvent(X + h G(t_p, X)); `rate` [columns] is scratch
/// memory. Returns the friction force that Inclusion::resolve() returns. Local.
inline double make_step(Inclusion& model, const TimeStep& now, std::span<double> state,
                        std::span<double> rate) {
  model.drift(now, state, rate);
  for (std::size_t c = 0; c < state.size(); ++c) {
    state[c] += now.step * rate[c];
  }
  return model.resolve(now, state);
}

// The functions below are the resolvents of St-Venant elements. In parallel with a spring, an
// element is dry friction on a mass; in series with a spring, it bounds the elongation of the
// spring.

/// Applies the resolvent of St-Venant elements in series with springs: u_i ← clamp(u_i, -η_i, η_i),
/// [n]. Local. Source: (2.29) with (4.2), rheological-models-2000.
inline void yield(std::span<double> elongation, std::span<const double> threshold) {
  for (std::size_t i = 0; i < elongation.size(); ++i) {
    elongation[i] = std::clamp(elongation[i], -threshold[i], threshold[i]);
  }
}

/// Applies the dry friction α = `bound` between a mass and the ground during a step h to the
/// velocity y, which becomes argmin_z ½(z - y)² + (hα/m)·|z|:
///     y ← y - clamp(y, -hα/m, hα/m),
/// which is exactly 0 if |y| ≤ hα/m. Returns the friction force clamp(m y/h, -α, α), computed from
/// the y that is passed. Local. Source: (2.1) with (4.2), rheological-models-2000.
inline double slide_on_ground(double mass, double bound, double step, double& velocity) {
  const double friction = std::clamp(mass * velocity / step, -bound, bound);
  const double largest_change = step * bound / mass;
  velocity -= std::clamp(velocity, -largest_change, largest_change);
  return friction;
}

/// Applies the resolvent of dry friction between two masses, with μ = m1 m2/(m1 + m2):
///     p = clamp(μ (y2 - y1), -bound, bound),   y1 ← y1 + p/m1,   y2 ← y2 - p/m2.
/// Masses that stick together get the same velocity to the last bit. The masses are > 0; `bound` ≥
/// 0 is hα2 for a step h. Returns p. Local. Source: (2.36), rheological-models-2000.
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
