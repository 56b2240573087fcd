#include "study/least_squares.hpp"

#include <Eigen/QR>

namespace masing::study {

std::optional<LeastSquares> least_squares(const Eigen::MatrixXd& columns,
                                          const Eigen::VectorXd& values) {
  constexpr double dependent = 1e-9;
  const Eigen::Index count = columns.cols();
  const Eigen::VectorXd lengths = columns.colwise().norm();
  if (count > columns.rows() || !(lengths.array() > 0).all()) {
    return std::nullopt;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(dependent);
  qr.compute(columns * lengths.cwiseInverse().asDiagonal());
  if (qr.rank() < count) {
    return std::nullopt;
  }
  LeastSquares found;
  found.coefficients = qr.solve(values).cwiseQuotient(lengths);
  found.residuals = values - columns * found.coefficients;
  found.basis = qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), count);
  const auto r = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse = r.solve(Eigen::MatrixXd::Identity(count, count));
  found.inverse = lengths.cwiseInverse().asDiagonal() * (qr.colsPermutation() * inverse);
  return found;
}

Eigen::VectorXd LeastSquares::variances() const {
  return inverse.rowwise().squaredNorm();
}

Eigen::VectorXd LeastSquares::errors(const Eigen::VectorXd& noise, double correlation) const {
  const Eigen::Index rows = basis.rows();
  const Eigen::ArrayXd lags = Eigen::ArrayXd::LinSpaced(rows, 0.0, static_cast<double>(rows - 1));
  const Eigen::VectorXd powers = Eigen::pow(correlation, lags);
  Eigen::MatrixXd correlations(rows, rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    correlations.row(i).head(i + 1) = powers.head(i + 1).reverse();
    correlations.row(i).tail(rows - i) = powers.head(rows - i);
  }
  const Eigen::MatrixXd inside = basis.transpose() * correlations * basis;
  const double variance = noise.squaredNorm() / (static_cast<double>(rows) - inside.trace());
  return (variance * (inverse * inside * inverse.transpose()).diagonal()).cwiseSqrt();
}

}  // namespace masing::study
