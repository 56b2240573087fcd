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

/// 1, h₁^q, … of all levels; `steps` by columns.
ArrayXXd columns_of(const ArrayXXd& steps, double power) {
  ArrayXXd columns(steps.rows(), steps.cols() + 1);
  columns << ArrayXd::Ones(steps.rows()), steps.pow(power);
  return columns;
}

/// One fit to the values.
struct ValueFit {
  double deviation = 0.0;  // σ
  double limit = 0.0;      // φ₀
  double error = 0.0;      // ε
  double residual = 0.0;   // of the last level
};

/// Of columns of which the first is 1, with weights that have the mean 1.
std::optional<ValueFit> fit_values(const ArrayXXd& columns, const ArrayXd& values,
                                   const ArrayXd& weights) {
  const Eigen::Index unknowns = columns.cols();
  const ArrayXd roots = weights.sqrt();
  const auto found = values.size() > unknowns
                         ? least_squares(columns.colwise() * roots, values * roots)
                         : std::nullopt;
  if (!found) {
    return std::nullopt;
  }
  const ArrayXd parts = found->coefficients.array() * columns.row(values.size() - 1).transpose();
  return ValueFit{.deviation = found->residuals.norm() /
                               std::sqrt(static_cast<double>(values.size() - unknowns)),
                  .limit = parts[0],
                  .error = parts.tail(unknowns - 1).abs().sum(),
                  .residual = found->residuals.tail(1)[0] / roots.tail(1)[0]};
}

/// The order with which a power fits the values best.
double observed_power(const ArrayXXd& steps, const ArrayXd& values) {
  constexpr double least = 0.1;
  constexpr double most = 4.0;
  constexpr int bits = 30;
  const auto remainder = [&](double power) {
    const auto found = least_squares(columns_of(steps, power), values);
    return found ? found->residuals.squaredNorm() : std::numeric_limits<double>::infinity();
  };
  return boost::math::tools::brent_find_minima(remainder, least, most, bits).first;
}

}  // namespace

Extrapolation extrapolate(const std::vector<std::vector<double>>& step_columns,
                          const std::vector<double>& value_column, double promised) {
  constexpr double near = 0.5;  // of the promised order
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
  Extrapolation found{.order = observed_power(steps, values), .value = best->limit};
  const double error = steps.cols() == 1 ? std::abs(values.tail(1)[0] - best->limit) : best->error;
  const double rest = best->deviation + std::abs(best->residual);
  const double safety = std::abs(found.order - promised) <= near ? 1.25 : 3.0;
  found.index = best->deviation < spread ? safety * error + rest
                                         : 3 * best->deviation / spread * (error + rest);
  found.relative = found.index / std::abs(values.tail(1)[0]);
  return found;
}

}  // namespace masing::statistics
