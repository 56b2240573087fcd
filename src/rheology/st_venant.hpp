#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

// The St-Venant elements of a model one by one, for the solution from event to event.

namespace masing::rheology {

/// Where an element is: in series with a spring, a component of the state within ±bound; or in
/// parallel with one, dry friction of at most `bound` on a velocity.
enum class Place { in_series, in_parallel };

/// A column of the state, and by what it is multiplied.
struct Term {
  std::size_t column = 0;
  double factor = 1.0;
};

/// One element of X' + M ∂φ(X) ∋ G. With q the sum over `sees` of the state,
///     in series    X' = G - acts·μ,  |q| ≤ bound,  μ ∈ N(q): 0 inside, of the sign of q at ±bound;
///     in parallel  X' = G - acts·μ,  |μ| ≤ bound,  μ = bound·sign(q) where q ≠ 0.
/// Source: (3.8), rheological-models-2000, where M ∂φ is a sum over the elements.
struct StVenant {
  Place place = Place::in_series;
  double bound = 0.0;      ///< ≥ 0
  std::vector<Term> sees;  ///< q: one column in series, a relative velocity in parallel
  std::vector<Term> acts;  ///< the column of M
};

/// Elements in series whose q are columns of their own, from `first` on, in the norm of K⁻¹:
/// `matrix(i, j)` is K_ij. Local.
template <class Matrix>
std::vector<StVenant> box_elements(std::size_t first, std::span<const double> bound,
                                   const Matrix& matrix) {
  std::vector<StVenant> elements;
  for (std::size_t j = 0; j < bound.size(); ++j) {
    StVenant element{Place::in_series, bound[j], {{first + j}}, {}};
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (const double entry = matrix(i, j); entry != 0) {
        element.acts.push_back({first + i, entry});
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
    elements.push_back({Place::in_series, bound[i], {{first + i}}, {{first + i}}});
  }
  return elements;
}

/// Dry friction α on the ground of a mass whose velocity is in column y. Local.
inline StVenant ground_friction(std::size_t y, double mass, double bound) {
  return {Place::in_parallel, bound, {{y}}, {{y, 1 / mass}}};
}

/// A mass and the column of its velocity.
struct MovingMass {
  std::size_t y = 0;
  double mass = 1.0;
};

/// Dry friction α between two masses, of the second on the first. Local.
inline StVenant contact_friction(const MovingMass& first, const MovingMass& second, double bound) {
  return {Place::in_parallel,
          bound,
          {{first.y, -1.0}, {second.y}},
          {{first.y, -1 / first.mass}, {second.y, 1 / second.mass}}};
}

}  // namespace masing::rheology
