#pragma once

#include <optional>
#include <vector>

namespace masing::study {

/// A linear least-squares solution β of X β ≈ v.
struct LeastSquares {
  std::vector<double> coefficients;  ///< β, one a column
  std::vector<double> variances;     ///< the diagonal of (XᵀX)⁻¹
  std::vector<double> residuals;     ///< v - X β, [rows]
};

/// The β that minimises |v - X β|, by modified Gram-Schmidt made twice; `columns` are those of X,
/// [rows] each. None where there are more columns than rows or a column depends on those before it.
/// Local.
std::optional<LeastSquares> least_squares(std::vector<std::vector<double>> columns,
                                          std::vector<double> values);

}  // namespace masing::study
