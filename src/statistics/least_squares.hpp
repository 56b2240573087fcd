#pragma once

#include <Eigen/Core>
#include <optional>

namespace masing::statistics {

/// The least-squares solution β of X β ≈ v.
struct LeastSquares {
  Eigen::VectorXd coefficients;  ///< β, one for each column of X
  Eigen::VectorXd residuals;     ///< v - X β, [rows]
  Eigen::MatrixXd basis;         ///< Q of a decomposition X = Q R with QᵀQ = I, [rows][columns]
  Eigen::MatrixXd inverse;       ///< the matrix R⁻¹ with X R⁻¹ = Q

  /// Returns the diagonal of (XᵀX)⁻¹. Local.
  [[nodiscard]] Eigen::VectorXd variances() const { return inverse.rowwise().squaredNorm(); }
  /// Returns the standard errors of β. The deviations of v from X β are assumed to be random, all
  /// with the same variance, which is estimated from the residuals `noise`. The deviations in the
  /// rows i and j are assumed to have the correlation ρ^|i-j|, where ρ is `correlation`. X must
  /// have more rows than columns. Local.
  [[nodiscard]] Eigen::VectorXd errors(const Eigen::VectorXd& noise, double correlation) const;
};

/// Returns the β that minimises |v - X β|, where X is `columns` and v is `values`. Returns nothing
/// if X has more columns than rows, or if the columns of X, scaled to length 1, are linearly
/// dependent within the tolerance 1e-9. Local.
std::optional<LeastSquares> least_squares(const Eigen::MatrixXd& columns,
                                          const Eigen::VectorXd& values);

}  // namespace masing::statistics
