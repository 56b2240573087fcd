#include "statistics/extrapolation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "statistics/fit.hpp"
#include "statistics/least_squares.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;

/// A fit of φ₀ + Σ αⱼ hⱼ^power to values, in the notation of extrapolate(). The members are NaN,
/// and `rest` is infinite, if the steps do not determine the unknowns.
struct ValueFit {
  double limit = base::undefined;  // φ₀
  double error = base::undefined;  // Σ |αⱼ| hⱼ^power at the finest level
  double rest = std::numeric_limits<double>::infinity();  // sum of the squared residuals

  /// `steps` is the matrix with the columns h₁, h₂, … Each row is a level, the last is the finest.
  ValueFit(const ArrayXXd& steps, const ArrayXd& values, double power) {
    ArrayXXd columns(steps.rows(), steps.cols() + 1);
    columns << ArrayXd::Ones(steps.rows()), steps.pow(power);
    if (const auto solution = least_squares(columns, values)) {
      limit = solution->coefficients[0];
      error = (solution->coefficients.array() * columns.bottomRows(1).transpose())
                  .tail(steps.cols())
                  .abs()
                  .sum();
      rest = solution->residuals.squaredNorm();
    }
  }
};

/// Returns the order p in (0.05, 20) for which φ₀ + α hᵖ fits `values` best. Returns NaN if the fit
/// is best at an end of this interval.
double observed_power(const ArrayXd& steps, const ArrayXd& values) {
  constexpr double least = 0.05;
  constexpr double most = 20.0;
  constexpr double beside_end = 1e-4;
  constexpr int bits = 30;
  const ArrayXd powers = ArrayXd::LinSpaced(120, std::log(least), std::log(most)).exp();
  const auto rest = [&](double power) { return ValueFit(steps, values, power).rest; };
  Eigen::Index best = 0;
  powers.unaryExpr(rest).minCoeff(&best);
  const double power =
      boost::math::tools::brent_find_minima(rest, powers[std::max<Eigen::Index>(best - 1, 0)],
                                            powers[std::min(best + 1, powers.size() - 1)], bits)
          .first;
  return power > least * (1 + beside_end) && power < most * (1 - beside_end) ? power
                                                                             : base::undefined;
}

}  // namespace

Extrapolation extrapolate(const std::vector<std::vector<double>>& step_columns,
                          const std::vector<double>& value_column, double promised) {
  const auto count = static_cast<Eigen::Index>(value_column.size());
  const bool has_one_step =
      step_columns.size() == 1 || on_one_ray(step_columns[0], step_columns[1]);
  // The differences from the finest value are fitted, which reduces rounding errors.
  const ArrayXd all = Eigen::Map<const ArrayXd>(value_column.data(), count);
  if (count < (has_one_step ? 2 : 4) || !all.allFinite() || (all == all[0]).all()) {
    return {};
  }
  const ArrayXd values = all - all.tail(1)[0];
  ArrayXXd steps(count, std::ssize(step_columns));
  for (Eigen::Index j = 0; j < steps.cols(); ++j) {
    steps.col(j) =
        Eigen::Map<const ArrayXd>(step_columns[static_cast<std::size_t>(j)].data(), count);
  }
  if (has_one_step) {
    steps = steps.rowwise().sum().eval();
  }
  steps = (steps.rowwise() / steps.row(0).eval()).eval();
  const bool is_observed = has_one_step && count > 2;
  const double order = is_observed ? observed_power(steps, values) : base::undefined;
  const double power = is_observed ? order : promised;
  const ValueFit fit(steps, values, power);
  // Two or three values have no scatter that could be seen: the bound follows from the last two.
  const Eigen::Index used = count > 3 ? count : 2;
  const ValueFit bound(steps.bottomRows(used), values.tail(used), std::min(power, promised));
  Extrapolation result{
      .order = order,
      .value = all.tail(1)[0] + fit.limit,
      .index = (count > 2 ? 1.25 : 3.0) * (has_one_step ? std::abs(bound.limit) : bound.error)};
  if (count > 3) {
    const auto freedom = static_cast<double>(count - 3);
    result.index += std::max(2.0, students_factor(freedom)) * std::sqrt(fit.rest / freedom);
  }
  result.relative = result.index / std::abs(all.tail(1)[0]);
  return result;
}

}  // namespace masing::statistics
