#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "rheology/catalogue.hpp"

namespace masing::rheology {

/// A model by numbers: G(t, X) = A X + F(t) b + F'(t) b', and its elements. Made of the model's own
/// drift, which is linear.
struct LinearLaw {
  /// A column that the force and the other columns give at once: x of a model without a mass.
  struct Following {
    Eigen::Index column = 0;
    double force = 0.0;
    Eigen::RowVectorXd state;
  };

  Eigen::SparseMatrix<double> state;  ///< A, [columns, columns]
  Eigen::VectorXd force;              ///< b, [columns]
  Eigen::VectorXd force_rate;         ///< b', [columns]
  std::optional<Following> following;
  Eigen::RowVectorXd restoring;  ///< F - m x'' of the mass that F acts on, without dry friction
  std::optional<std::size_t> friction;  ///< the element whose μ is the dry friction on that mass
  std::vector<StVenant> elements;
};

/// The law of a model of `columns` columns. Local.
LinearLaw linear_law(const AnyModel& model, std::size_t columns);

/// The velocities that are 0 where those of the elements numbered `sticking` that are in parallel
/// have q = 0: of masses that they join to the ground, directly or by others. Local.
std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
                                       const std::vector<std::size_t>& sticking);

}  // namespace masing::rheology
