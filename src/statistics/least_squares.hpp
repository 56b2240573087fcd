#pragma once

#include <cstddef>
#include <optional>
#include <valarray>
#include <vector>

namespace masing::statistics {

/// A column of a matrix, or numbers of all levels, [rows].
using Column = std::valarray<double>;

/// Returns Σ aᵢ bᵢ. Local.
inline double dot(const Column& a, const Column& b) {
  return (a * b).sum();
}

/// The least-squares solution β of X β ≈ v.
struct LeastSquares {
  Column coefficients;        ///< β, one for each column of X
  Column residuals;           ///< v - X β, [rows]
  std::vector<Column> basis;  ///< the columns of Q of a decomposition X = Q R with QᵀQ = I
  std::vector<Column> weights;  ///< the rows of R⁻¹Qᵀ: βⱼ = Σᵢ wᵢ vᵢ, where w is weights[j]

  /// Returns number j of the diagonal of (XᵀX)⁻¹. Local.
  [[nodiscard]] double variance(std::size_t j) const { return dot(weights[j], weights[j]); }
  /// Returns the standard errors of β. The deviations of v from X β are assumed to be random, all
  /// with the same variance, which is estimated from the residuals `noise`. The deviations in the
  /// rows i and j are assumed to have the correlation ρ^|i-j|, where ρ is `correlation`. X must
  /// have more rows than columns. Local.
  [[nodiscard]] Column errors(const Column& noise, double correlation) const;
};

/// Returns the β that minimises |v - X β|, where X has the `columns` and v is `values`. Returns
/// nothing if X has more columns than rows, or if the columns of X, scaled to length 1, are
/// linearly dependent within the tolerance 1e-9. Local.
std::optional<LeastSquares> least_squares(const std::vector<Column>& columns, const Column& values);

/// Returns the half-width of the two-sided interval of the probability `confidence` in multiples of
/// the standard error, by Student's distribution. Fewer degrees of freedom than 1 count as 1.
/// Local.
double students_factor(double degrees_of_freedom, double confidence = 0.95);

/// Returns an upper bound of the standard deviation that is estimated as `scatter`: the upper end
/// of its one-sided interval of confidence 80 %, by the chi-squared distribution. Fewer degrees of
/// freedom than 1 count as 1. Local.
double largest_scatter(double scatter, double degrees_of_freedom);

}  // namespace masing::statistics
