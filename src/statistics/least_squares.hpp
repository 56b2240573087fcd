#pragma once

#include <Eigen/Core>
#include <optional>

namespace masing::statistics {

/// A linear least-squares solution β of X β ≈ v.
struct LeastSquares {
  Eigen::VectorXd coefficients;  ///< β, one a column
  Eigen::VectorXd residuals;     ///< v - X β, [rows]
  Eigen::MatrixXd basis;         ///< Q of X = Q R, [rows][columns]
  Eigen::MatrixXd inverse;       ///< R⁻¹, in the order of the coefficients

  /// The diagonal of (XᵀX)⁻¹.
  [[nodiscard]] Eigen::VectorXd variances() const { return inverse.rowwise().squaredNorm(); }
  /// The standard errors of β for a noise of which this is what the fit leaves, correlated by
  /// ρ^|i-j| between rows i and j; there must be more rows than columns.
  [[nodiscard]] Eigen::VectorXd errors(const Eigen::VectorXd& noise, double correlation) const;
};

/// The β that minimises |v - X β|. None where there are more columns than rows or, to 1e-9 of
/// their lengths, a column depends on others. Local.
std::optional<LeastSquares> least_squares(const Eigen::MatrixXd& columns,
                                          const Eigen::VectorXd& values);

}  // namespace masing::statistics
