#include "statistics/least_squares.hpp"

#include <Eigen/QR>

namespace masing::statistics {

namespace {

/// Returns the matrix with the rows Σⱼ ρ^|i-j| bⱼ, where bⱼ are the rows of `rows` and ρ is
/// `correlation`. The sums are computed by two recursions, one from the first row and one from the
/// last row.
Eigen::MatrixXd correlated(const Eigen::MatrixXd& rows, double correlation) {
  Eigen::MatrixXd before = rows;  // sums over j ≤ i
  Eigen::MatrixXd after = rows;   // sums over j ≥ i
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
  LeastSquares solution;
  solution.coefficients = qr.solve(values).cwiseQuotient(lengths);
  solution.residuals = values - columns * solution.coefficients;
  solution.basis = qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), count);
  const auto r = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse = r.solve(Eigen::MatrixXd::Identity(count, count));
  solution.inverse = lengths.cwiseInverse().asDiagonal() * (qr.colsPermutation() * inverse);
  return solution;
}

Eigen::VectorXd LeastSquares::errors(const Eigen::VectorXd& noise, double correlation) const {
  const Eigen::MatrixXd inside = basis.transpose() * correlated(basis, correlation);
  const double variance =
      noise.squaredNorm() / (static_cast<double>(basis.rows()) - inside.trace());
  return (variance * (inverse * inside * inverse.transpose()).diagonal()).cwiseSqrt();
}

}  // namespace masing::statistics
