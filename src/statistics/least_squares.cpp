#include "statistics/least_squares.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace masing::statistics {

namespace {

/// Returns the column of Σⱼ ρ^|i-j| vⱼ, where vⱼ are `values` and ρ is `correlation`. The sums are
/// computed by two recursions, one from the first row and one from the last row.
Column correlated(const Column& values, double correlation) {
  Column before = values;  // sums over j ≤ i
  Column after = values;   // sums over j ≥ i
  const std::size_t last = values.size() - 1;
  for (std::size_t i = 1; i <= last; ++i) {
    before[i] += correlation * before[i - 1];
    after[last - i] += correlation * after[last - i + 1];
  }
  return before + after - values;
}

}  // namespace

std::optional<LeastSquares> least_squares(const std::vector<Column>& columns,
                                          const Column& values) {
  constexpr double dependent = 1e-9;
  const std::size_t count = columns.size();
  if (count > values.size()) {
    return std::nullopt;
  }
  LeastSquares solution;
  // R of X = Q R, by the method of Gram and Schmidt. A second round removes what rounding has left
  // of the other columns.
  std::vector<Column> r(count, Column(count));
  for (std::size_t j = 0; j < count; ++j) {
    const double length = std::sqrt(dot(columns[j], columns[j]));
    Column rest = columns[j] / length;
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < j; ++i) {
        const double part = dot(solution.basis[i], rest);
        rest -= part * solution.basis[i];
        r[i][j] += length * part;
      }
    }
    const double left = std::sqrt(dot(rest, rest));
    if (!(length > 0 && left > dependent)) {
      return std::nullopt;
    }
    solution.basis.push_back(rest / left);
    r[j][j] = length * left;
  }
  // β and the rows of R⁻¹Qᵀ from R β = Qᵀv and R (R⁻¹Qᵀ) = Qᵀ, the last row first.
  solution.coefficients.resize(count);
  solution.residuals = values;
  for (std::size_t j = 0; j < count; ++j) {
    solution.coefficients[j] = dot(solution.basis[j], solution.residuals);
    solution.residuals -= solution.coefficients[j] * solution.basis[j];
  }
  solution.weights = solution.basis;
  for (std::size_t j = count; j-- > 0;) {
    for (std::size_t i = j + 1; i < count; ++i) {
      solution.coefficients[j] -= r[j][i] * solution.coefficients[i];
      solution.weights[j] -= r[j][i] * solution.weights[i];
    }
    solution.coefficients[j] /= r[j][j];
    solution.weights[j] /= r[j][j];
  }
  return solution;
}

Column LeastSquares::errors(const Column& noise, double correlation) const {
  auto freedom = static_cast<double>(noise.size());
  for (const Column& column : basis) {
    freedom -= dot(column, correlated(column, correlation));
  }
  Column all(weights.size());
  for (std::size_t j = 0; j < all.size(); ++j) {
    all[j] = dot(weights[j], correlated(weights[j], correlation));
  }
  return std::sqrt(all * (dot(noise, noise) / freedom));
}

double students_factor(double degrees_of_freedom, double confidence) {
  const boost::math::students_t distribution(std::max(1.0, degrees_of_freedom));
  return quantile(distribution, (1 + confidence) / 2);
}

double largest_scatter(double scatter, double degrees_of_freedom) {
  const double freedom = std::max(1.0, degrees_of_freedom);
  return scatter * std::sqrt(freedom / quantile(boost::math::chi_squared(freedom), 0.2));
}

}  // namespace masing::statistics
