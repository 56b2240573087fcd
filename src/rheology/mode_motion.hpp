#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "rheology/catalogue.hpp"
#include "rheology/polynomial.hpp"

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

/// Of an element: q, the sum over what it sees of values, [columns]. Local.
double seen(const StVenant& element, const Eigen::VectorXd& values);

/// A vector as models take it.
inline std::span<double> span_of(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
inline std::span<const double> span_of(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// The law of a model of `columns` columns. Local.
LinearLaw linear_law(const AnyModel& model, std::size_t columns);

/// The velocities that are 0 where those of the elements numbered `sticking` that are in parallel
/// have q = 0: of masses that they join to the ground, directly or by others. Local.
std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
                                       const std::vector<std::size_t>& sticking);

/// What an element does: 0 keeps still (elastic in series, sticking in parallel), ±1 yields or
/// slides in that direction.
using Modes = std::vector<int>;

/// The motion while no element changes its mode: a linear equation with constant coefficients,
///     X' = A X + F b + F' b' - D μ,   with μ of the elements that hold q (they yield in series or
/// stick in parallel) from q' = 0, and μ = α sign(q) of those that slide, 0 of those that are
/// elastic. As F is a polynomial in τ = (t - start)/span, the Taylor coefficients of X and μ follow
/// one after another without any error but rounding and what is cut off.
class ModeMotion {
 public:
  /// `law` must outlive it. `order`: of the last coefficient, at least ChebyshevFit::points.
  ModeMotion(const LinearLaw& law, int order);

  /// Local; allocates.
  void set_modes(const Modes& modes);
  /// The motion from `start` over `span`; `force_size`: what the rounding of F is to be compared
  /// with.
  void expand(const Eigen::VectorXd& start, const Polynomial& force, double span,
              double force_size);
  /// Make the span shorter by a factor: τ = 1 comes earlier.
  void shorten(double factor);

  [[nodiscard]] double span() const { return span_; }
  [[nodiscard]] Eigen::VectorXd state(double tau) const;
  /// X'.
  [[nodiscard]] Eigen::VectorXd rate(double tau) const;
  /// q of an element, and μ.
  [[nodiscard]] Polynomial seen(std::size_t element) const;
  [[nodiscard]] Polynomial multiplier(std::size_t element) const;
  /// G - X', D μ.
  [[nodiscard]] Eigen::VectorXd acting(double tau) const;
  /// Taylor coefficients, [columns, order + 1].
  [[nodiscard]] const Eigen::MatrixXd& coefficients() const { return state_; }
  /// What the rounding of each column is to be compared with: its coefficients, and what the terms
  /// of its rate are over the span, which may cancel.
  [[nodiscard]] Eigen::VectorXd sizes() const;
  /// The size of the terms that μ of an element that holds q, at such a place, is a sum of; 0 where
  /// there is none.
  [[nodiscard]] double multiplier_scale(Place place) const {
    return place == Place::in_series ? scale_in_series_ : scale_in_parallel_;
  }

 private:
  void act(std::size_t element, double multiplier, Eigen::VectorXd& rate) const;
  void measure();

  const LinearLaw& law_;
  Eigen::SparseMatrix<double> magnitude_;  // |A|
  int order_;
  Modes modes_;
  std::vector<std::size_t> holding_;                             // the elements with q' = 0
  std::set<std::size_t> grounded_;                               // columns that they keep at 0
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> coupling_;  // of their q' by their μ
  Eigen::VectorXd response_;                                     // of μ to 1 in every q'
  double span_ = 0.0;
  Polynomial force_;
  double force_size_ = 0.0;
  Eigen::MatrixXd state_;
  Eigen::MatrixXd multiplier_;  // [elements, order]
  Eigen::VectorXd largest_drift_;
  double scale_in_series_ = 0.0;
  double scale_in_parallel_ = 0.0;
};

}  // namespace masing::rheology
