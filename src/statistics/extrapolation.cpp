#include "statistics/extrapolation.hpp"

#include <Eigen/Core>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "statistics/least_squares.hpp"

namespace masing::statistics {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;

/// Returns the matrix with the columns 1, h₁^q, h₂^q, …, where q is `power`. `steps` is the matrix
/// with the columns h₁, h₂, … Both matrices have one row for each level.
ArrayXXd columns_of(const ArrayXXd& steps, double power) {
  ArrayXXd columns(steps.rows(), steps.cols() + 1);
  columns << ArrayXd::Ones(steps.rows()), steps.pow(power);
  return columns;
}

/// The result of one of the least-squares fits that the docstring of extrapolate() describes, in
/// the notation of that docstring.
struct ValueFit {
  double deviation = 0.0;  // σ, the standard deviation of the residuals
  double limit = 0.0;      // φ₀, the limit as the steps go to 0
  double error = 0.0;      // Σ |αⱼ| hⱼ^q + |β| h^(q+1) at the finest level
  double residual = 0.0;   // r, the residual at the finest level
};

/// Fits a linear combination of `columns`, the first of which is 1, to `values`. `weights` are the
/// weights of the squared residuals; their mean is 1. Returns nothing if there are not more values
/// than columns, or if the columns are linearly dependent.
std::optional<ValueFit> fit_values(const ArrayXXd& columns, const ArrayXd& values,
                                   const ArrayXd& weights) {
  const Eigen::Index unknowns = columns.cols();
  const ArrayXd roots = weights.sqrt();
  const auto solution = values.size() > unknowns
                            ? least_squares(columns.colwise() * roots, values * roots)
                            : std::nullopt;
  if (!solution) {
    return std::nullopt;
  }
  const ArrayXd parts = solution->coefficients.array() * columns.row(values.size() - 1).transpose();
  return ValueFit{.deviation = solution->residuals.norm() /
                               std::sqrt(static_cast<double>(values.size() - unknowns)),
                  .limit = parts[0],
                  .error = parts.tail(unknowns - 1).abs().sum(),
                  .residual = solution->residuals.tail(1)[0] / roots.tail(1)[0]};
}

/// Returns the order p in [0.1, 4] for which φ₀ + Σ αⱼ hⱼᵖ fits `values` with the least sum of
/// squared residuals.
double observed_power(const ArrayXXd& steps, const ArrayXd& values) {
  constexpr double least = 0.1;
  constexpr double most = 4.0;
  constexpr int bits = 30;
  const auto remainder = [&](double power) {
    const auto solution = least_squares(columns_of(steps, power), values);
    return solution ? solution->residuals.squaredNorm() : std::numeric_limits<double>::infinity();
  };
  return boost::math::tools::brent_find_minima(remainder, least, most, bits).first;
}

}  // namespace

Extrapolation extrapolate(const std::vector<std::vector<double>>& step_columns,
                          const std::vector<double>& value_column, double promised) {
  constexpr double near =
      0.5;  // F is 1.25 if the observed order differs from the promised one by at most this
  const auto count = static_cast<Eigen::Index>(value_column.size());
  const ArrayXd values = Eigen::Map<const ArrayXd>(value_column.data(), count);
  if (count < 2 || !values.allFinite()) {
    return {};
  }
  ArrayXXd steps(count, static_cast<Eigen::Index>(step_columns.size()));
  for (Eigen::Index j = 0; j < steps.cols(); ++j) {
    steps.col(j) =
        Eigen::Map<const ArrayXd>(step_columns[static_cast<std::size_t>(j)].data(), count);
  }
  const ArrayXd together = steps.rowwise().sum();
  const ArrayXXd first = columns_of(steps, promised);
  ArrayXXd second(count, first.cols() + 1);
  second << first, together.pow(promised + 1);
  const ArrayXd alike = ArrayXd::Ones(count);
  const ArrayXd inverse = together.inverse() / together.inverse().mean();
  std::optional<ValueFit> best;
  for (const ArrayXXd& columns : {first, second}) {
    for (const ArrayXd& weights : {alike, inverse}) {
      const auto fit = fit_values(columns, values, weights);
      if (fit && (!best || fit->deviation < best->deviation)) {
        best = fit;
      }
    }
  }
  const double spread = (values.maxCoeff() - values.minCoeff()) / static_cast<double>(count - 1);
  if (!best || spread == 0) {
    return {};
  }
  Extrapolation result{.order = observed_power(steps, values), .value = best->limit};
  const double error = steps.cols() == 1 ? std::abs(values.tail(1)[0] - best->limit) : best->error;
  const double rest = best->deviation + std::abs(best->residual);
  const double safety = std::abs(result.order - promised) <= near ? 1.25 : 3.0;
  result.index = best->deviation < spread ? safety * error + rest
                                          : 3 * best->deviation / spread * (error + rest);
  result.relative = result.index / std::abs(values.tail(1)[0]);
  return result;
}

}  // namespace masing::statistics
