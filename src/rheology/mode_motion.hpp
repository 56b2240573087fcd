#pragma once

#include <Eigen/SparseCholesky>
#include <set>
#include <vector>

#include "rheology/linear_law.hpp"
#include "rheology/polynomial.hpp"

namespace masing::rheology {

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
  [[nodiscard]] double seen_of(std::size_t element, const Eigen::VectorXd& values) const;
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
