#include "rheology/elastic_growth.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "rheology/catalogue.hpp"

namespace masing::rheology {

namespace {

using Eigenvalues = std::vector<std::complex<double>>;

/// Returns the eigenvalues of `apply`, a linear map of vectors of `columns` numbers, approximated
/// by Arnoldi's method from a fixed start vector.
template <typename Map>
Eigenvalues eigenvalues_of(const Map& apply, Eigen::Index columns) {
  Eigenvalues unknown{std::numeric_limits<double>::infinity()};
  // For long vectors the basis has fewer than 40 vectors, but at least 4, to limit memory and time.
  constexpr Eigen::Index numbers = Eigen::Index{1} << 21;
  const auto most = std::min(columns, std::clamp<Eigen::Index>(numbers / columns, 4, 40));
  Eigen::MatrixXd basis(columns, most);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(most, most);
  basis.col(0) = Eigen::VectorXd::LinSpaced(columns, 1.0, 2.0).array().sin().matrix().normalized();
  Eigen::Index size = 0;
  while (size < most) {
    Eigen::VectorXd next = apply(basis.col(size));
    const double length = next.norm();
    if (!std::isfinite(length)) {
      return unknown;
    }
    const auto before = basis.leftCols(size + 1);
    // The second pass removes the components along the basis that rounding errors of the first pass
    // leave.
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd along = before.transpose() * next;
      matrix.col(size).head(size + 1) += along;
      next -= before * along;
    }
    ++size;
    if (size == most || !(next.norm() > 1e-12 * length)) {
      break;
    }
    matrix(size, size - 1) = next.norm();
    basis.col(size) = next.normalized();
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix.topLeftCorner(size, size), false);
  if (solver.info() != Eigen::Success) {
    return unknown;
  }
  const auto& values = solver.eigenvalues();
  return {values.begin(), values.end()};
}

}  // namespace

Eigenvalues elastic_eigenvalues(const ModelSpec& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  const std::int64_t elements = spec.parameters.elements;
  const bool is_split = spec.work() == Work::split;
  const std::int64_t part = is_split ? std::min(most, elements) : elements;
  Eigenvalues all;
  for (std::int64_t first = 0; first < elements; first += part) {
    BuiltModel built = build(spec, {first, std::min(part, elements - first)});
    const std::size_t columns = built.start.size();
    const auto rate = [&](const Eigen::VectorXd& state) {
      Eigen::VectorXd values(state.size());
      std::visit(
          [&](auto& model) {
            model.drift({.step = 1.0}, {state.data(), columns}, {values.data(), columns});
          },
          built.model);
      return values;
    };
    const Eigenvalues eigenvalues = eigenvalues_of(rate, std::ssize(built.start));
    all.insert(all.end(), eigenvalues.begin(), eigenvalues.end());
  }
  return all;
}

double log_elastic_growth(const Eigenvalues& eigenvalues, double step, std::int64_t steps) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const std::complex<double> value : eigenvalues) {
    largest = std::max(largest, std::log(std::abs(1.0 + step * value)));
  }
  return static_cast<double>(steps) * largest;
}

std::int64_t steps_for_growth(const Eigenvalues& eigenvalues, double final_time, std::int64_t steps,
                              double limit) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  while (steps < most &&
         log_elastic_growth(eigenvalues, final_time / static_cast<double>(steps), steps) > limit) {
    steps = std::min(most, 2 * steps);
  }
  return steps;
}

}  // namespace masing::rheology
