#include "statistics/extrapolation.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>

#include "statistics/least_squares.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

namespace {

/// A fit of φ₀ + Σ αⱼ hⱼ^power to values, in the notation of extrapolate(). The members are NaN,
/// and `rest` is infinite, if the steps do not determine the unknowns.
struct ValueFit {
  double limit = base::undefined;  // φ₀
  double error = base::undefined;  // Σ |αⱼ| hⱼ^power at the finest level
  double rest = std::numeric_limits<double>::infinity();  // sum of the squared residuals

  /// `steps` are the columns h₁, h₂, …, [steps][levels], of which the last level is the finest.
  ValueFit(const std::vector<Column>& steps, const Column& values, double power) {
    std::vector<Column> columns{Column(1.0, values.size())};
    for (const Column& step : steps) {
      columns.emplace_back(std::pow(step, power));
    }
    if (const auto solution = least_squares(columns, values)) {
      limit = solution->coefficients[0];
      error = 0.0;
      for (std::size_t j = 1; j < columns.size(); ++j) {
        error += std::abs(solution->coefficients[j] * columns[j][values.size() - 1]);
      }
      rest = dot(solution->residuals, solution->residuals);
    }
  }
};

/// Returns the order p in (0.05, 20) for which φ₀ + α hᵖ fits `values` best. Returns NaN if the fit
/// is best at an end of this interval.
double observed_power(const std::vector<Column>& steps, const Column& values) {
  constexpr double least = 0.05;
  constexpr double most = 20.0;
  constexpr double beside_end = 1e-4;
  constexpr int bits = 30;
  constexpr int last = 119;  // of the powers from `least` to `most` that are tried first
  const auto power_at = [](int i) { return least * std::pow(most / least, i / double{last}); };
  const auto rest = [&](double power) { return ValueFit(steps, values, power).rest; };
  const int best =
      std::ranges::min(std::views::iota(0, last + 1), {}, [&](int i) { return rest(power_at(i)); });
  const double power =
      boost::math::tools::brent_find_minima(rest, power_at(std::max(best - 1, 0)),
                                            power_at(std::min(best + 1, last)), bits)
          .first;
  return power > least * (1 + beside_end) && power < most * (1 - beside_end) ? power
                                                                             : base::undefined;
}

/// Returns the last `count` numbers of a column.
Column last_of(const Column& column, std::size_t count) {
  return column[std::slice(column.size() - count, count, 1)];
}

}  // namespace

Extrapolation extrapolate(const std::vector<std::vector<double>>& step_columns,
                          const std::vector<double>& value_column, double promised) {
  const std::size_t count = value_column.size();
  const bool has_one_step =
      step_columns.size() == 1 || on_one_ray(step_columns[0], step_columns[1]);
  if (count < (has_one_step ? 2 : 4)) {
    return {};
  }
  // The differences from the finest value are fitted, which reduces rounding errors.
  const double finest = value_column.back();
  const Column values = Column(value_column.data(), count) - finest;
  if (!std::isfinite(values.sum()) || dot(values, values) == 0) {
    return {};
  }
  std::vector<Column> steps;
  for (const std::vector<double>& column : step_columns) {
    steps.emplace_back(column.data(), count);
  }
  if (has_one_step) {
    steps = {std::accumulate(steps.begin() + 1, steps.end(), steps[0], std::plus<Column>())};
  }
  for (Column& step : steps) {
    step /= Column(step)[0];
  }
  const bool is_observed = has_one_step && count > 2;
  const double order = is_observed ? observed_power(steps, values) : base::undefined;
  const double power = is_observed ? order : promised;
  const ValueFit fit(steps, values, power);
  // Two or three values have no scatter that could be seen: the bound follows from the last two.
  const std::size_t used = count > 3 ? count : 2;
  for (Column& step : steps) {
    step = last_of(Column(step), used);
  }
  const ValueFit bound(steps, last_of(values, used), std::min(power, promised));
  Extrapolation result{
      .order = order,
      .value = finest + fit.limit,
      .index = (count > 2 ? 1.25 : 3.0) * (has_one_step ? std::abs(bound.limit) : bound.error)};
  if (count > 3) {
    const auto freedom = static_cast<double>(count - 3);
    result.index += std::max(2.0, students_factor(freedom)) * std::sqrt(fit.rest / freedom);
  }
  result.relative = result.index / std::abs(finest);
  return result;
}

}  // namespace masing::statistics
