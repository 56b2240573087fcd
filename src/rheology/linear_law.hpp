#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "rheology/inclusion.hpp"

/// A model of finitely many elements as a linear equation with St-Venant elements, by numbers.
namespace masing::rheology {

using Eigen::Index;
using Vector = Eigen::VectorXd;

inline Index index(std::size_t i) {
  return static_cast<Index>(i);
}

/// G(t, X) = A X + F(t) b + F'(t) b', by what the model's own drift, which is linear, gives for
/// trial states.
struct LinearLaw {
  /// Column 0 where the force and the other columns give it at once: x of a model without a mass.
  struct Algebraic {
    double force = 0.0;
    Eigen::RowVectorXd state;
  };

  Eigen::SparseMatrix<double> state;  ///< A, [columns, columns]
  Vector force;                       ///< b, [columns]
  Vector force_rate;                  ///< b', [columns]
  std::optional<Algebraic> algebraic;
  Eigen::RowVectorXd restoring;  ///< F - m x'' of the mass that F acts on, without dry friction
  std::optional<std::size_t> friction;  ///< the element whose μ is the dry friction on that mass
  std::vector<StVenant> elements;
};

/// A vector as models take it.
template <class AnyVector>
auto span_of(AnyVector& vector) {
  return std::span(vector.data(), static_cast<std::size_t>(vector.size()));
}

/// The law of an Inclusion of so many columns. Local.
template <Inclusion Model>
LinearLaw linear_law(Model model, Index columns) {
  const Vector zero = Vector::Zero(columns);
  const auto rate = [&](const Vector& state, const TimeStep& now) {
    Vector rates = zero;
    model.drift(now, span_of(state), span_of(rates));
    return rates;
  };
  const auto completed = [&](Vector state, double force) {
    if constexpr (StartsFromForce<Model>) {
      model.complete_start(force, span_of(state));
    }
    return state[0];
  };
  LinearLaw found{.state = {columns, columns},
                  .force = rate(zero, {.step = 1, .force = 1, .next_force = 1}),
                  .force_rate = rate(zero, {.step = 1, .force = 0, .next_force = 1}),
                  .restoring = zero.transpose(),
                  .elements = model.elements()};
  if constexpr (StartsFromForce<Model>) {
    found.algebraic = {.force = completed(zero, 1.0), .state = zero.transpose()};
  }
  std::vector<Eigen::Triplet<double>> entries;
  Vector sizes = Vector::Ones(columns);  // numbers that the state may have
  for (std::size_t e = 0; e < found.elements.size(); ++e) {
    const StVenant& element = found.elements[e];
    if (element.connection == Connection::in_parallel) {
      found.friction = e;
    } else if (element.bound > 0) {
      sizes[index(element.argument.front().column)] = element.bound;
    }
  }
  for (Index c = 0; c < columns; ++c) {
    Vector trial = zero;
    trial[c] = sizes[c];
    const Vector rates = rate(trial, {.step = 1});
    for (Index r = 0; r < columns; ++r) {
      if (rates[r] != 0) {
        entries.emplace_back(r, c, rates[r] / sizes[c]);
      }
    }
    found.restoring[c] = model.restoring(span_of(trial), 0.0) / sizes[c];
    if (found.algebraic && c != 0) {
      found.algebraic->state[c] = completed(trial, 0.0) / sizes[c];
    }
  }
  found.state.setFromTriplets(entries.begin(), entries.end());
  return found;
}

/// q of an element: the sum over its argument of values, [columns].
inline double argument_of(const StVenant& element, const Vector& values) {
  double sum = 0.0;
  for (const auto& [column, factor] : element.argument) {
    sum += factor * values[index(column)];
  }
  return sum;
}

/// The velocities that are 0 where those of the elements numbered `sticking` that are in parallel
/// have q = 0: of masses that they join to the ground, directly or by others.
inline std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
                                              const std::vector<std::size_t>& sticking) {
  std::set<std::size_t> grounded;
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::size_t e : sticking) {
      std::set<std::size_t> others;
      for (const auto& [column, factor] : elements[e].argument) {
        if (elements[e].connection == Connection::in_parallel && !grounded.contains(column)) {
          others.insert(column);
        }
      }
      if (others.size() == 1) {
        grounded.merge(others);
        grows = true;
      }
    }
  }
  return grounded;
}

}  // namespace masing::rheology
