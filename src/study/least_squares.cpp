#include "study/least_squares.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace masing::study {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Takes the part of `vector` along a unit vector out of it, twice, and returns its length.
double take_out(const std::vector<double>& unit, std::vector<double>& vector) {
  double length = 0.0;
  for (int pass = 0; pass < 2; ++pass) {
    const double part = dot(unit, vector);
    length += part;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      vector[i] -= part * unit[i];
    }
  }
  return length;
}

}  // namespace

std::optional<LeastSquares> least_squares(std::vector<std::vector<double>> columns,
                                          std::vector<double> values) {
  constexpr double dependent = 1e-9;  // what is left of a column, of its length
  const std::size_t count = columns.size();
  if (count > values.size()) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> r(count, std::vector<double>(count, 0.0));  // X = Q R
  std::vector<double> right(count, 0.0);                                       // Qᵀ v
  for (std::size_t j = 0; j < count; ++j) {
    const double length = std::sqrt(dot(columns[j], columns[j]));
    for (std::size_t i = 0; i < j; ++i) {
      r[i][j] = take_out(columns[i], columns[j]);
    }
    r[j][j] = std::sqrt(dot(columns[j], columns[j]));
    if (!(r[j][j] > dependent * length)) {
      return std::nullopt;
    }
    for (double& entry : columns[j]) {
      entry /= r[j][j];
    }
    right[j] = take_out(columns[j], values);
  }
  LeastSquares found{.coefficients = std::vector<double>(count, 0.0),
                     .variances = std::vector<double>(count, 0.0),
                     .residuals = std::move(values)};
  // R β = Qᵀ v, and R times each column of its inverse is a column of the identity.
  const auto solve = [&](std::vector<double> unknown) {
    for (std::size_t j = count; j-- > 0;) {
      for (std::size_t k = j + 1; k < count; ++k) {
        unknown[j] -= r[j][k] * unknown[k];
      }
      unknown[j] /= r[j][j];
    }
    return unknown;
  };
  found.coefficients = solve(right);
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> one(count, 0.0);
    one[k] = 1.0;
    const std::vector<double> column = solve(one);
    for (std::size_t j = 0; j < count; ++j) {
      found.variances[j] += column[j] * column[j];
    }
  }
  return found;
}

}  // namespace masing::study
