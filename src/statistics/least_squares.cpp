#include "statistics/least_squares.hpp"

#include <Eigen/QR>

namespace masing::statistics {

namespace {

/// The rows Σⱼ ρ^|i-j| bⱼ of rows b, by a recursion from either end.
Eigen::MatrixXd correlated(const Eigen::MatrixXd& rows, double correlation) {
  Eigen::MatrixXd before = rows;  // Σ over j ≤ i
  Eigen::MatrixXd after = rows;   // Σ over j ≥ i
  const Eigen::Index last = rows.rows() - 1;
  for (Eigen::Index i = 1; i <= last; ++i) {
    before.row(i) += correlation * before.row(i - 1);
    after.row(last - i) += correlation * after.row(last - i + 1);
  }
  return before + after - rows;
}

}  // namespace

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

Eigen::VectorXd LeastSquares::errors(const Eigen::VectorXd& noise, double correlation) const {
  const Eigen::MatrixXd inside = basis.transpose() * correlated(basis, correlation);
  const double variance =
      noise.squaredNorm() / (static_cast<double>(basis.rows()) - inside.trace());
  return (variance * (inverse * inside * inverse.transpose()).diagonal()).cwiseSqrt();
}

}  // namespace masing::statistics
