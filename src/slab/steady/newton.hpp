#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>

namespace masing::slab {

using Pair = std::array<double, 2>;

inline double size_of(const Pair& v) {
  return std::max(std::abs(v[0]), std::abs(v[1]));
}

/// The slope of a residual r(v), by central differences; [i][j] = ∂r_i/∂v_j. Nothing where r has no
/// value. `Residual`: std::optional<Pair> operator()(const Pair&).
template <class Residual>
std::optional<std::array<Pair, 2>> slope_of(const Residual& residual, const Pair& v) {
  constexpr double step = 1e-6;
  std::array<Pair, 2> slope{};
  for (std::size_t j = 0; j < 2; ++j) {
    Pair after = v;
    Pair before = v;
    after[j] += step;
    before[j] -= step;
    const auto high = residual(after);
    const auto low = residual(before);
    if (!high || !low) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      slope[i][j] = ((*high)[i] - (*low)[i]) / (after[j] - before[j]);
    }
  }
  return slope;
}

/// v with r(v) = 0 to rounding, near `v`, by Newton's method with shorter steps where r would grow;
/// nothing where it does not come there.
template <class Residual>
std::optional<Pair> solve(const Residual& residual, Pair v) {
  constexpr double rounding = 1e-13;
  constexpr double small = 1e-9;
  auto at = residual(v);
  std::optional<std::array<Pair, 2>> slope;
  double shrunk = 0.0;  // by the last step
  for (int pass = 0; at && pass < 40; ++pass) {
    if (size_of(*at) <= rounding || (size_of(*at) <= small && shrunk > 0.5)) {
      return v;
    }
    // Reuse the Jacobian while steps shrink fast: it costs four evaluations.
    if (!slope || shrunk > 0.05) {
      slope = slope_of(residual, v);
    }
    if (!slope) {
      return std::nullopt;
    }
    const auto& [first, second] = *slope;
    const double determinant = first[0] * second[1] - first[1] * second[0];
    const Pair step{-((*at)[0] * second[1] - first[1] * (*at)[1]) / determinant,
                    -(first[0] * (*at)[1] - second[0] * (*at)[0]) / determinant};
    if (!std::isfinite(size_of(step))) {
      return std::nullopt;
    }
    double part = 1.0;
    for (;; part *= 0.5) {
      const Pair trial{v[0] + part * step[0], v[1] + part * step[1]};
      const auto there = residual(trial);
      const bool is_less = there && size_of(*there) < size_of(*at);
      if (is_less || (there && size_of(*at) <= small)) {
        shrunk = size_of(*there) / size_of(*at);
        if (is_less) {
          v = trial;
          at = there;
        }
        break;
      }
      if (part < 1e-3) {
        return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

/// The eigenvalues of a 2×2 matrix.
inline std::array<std::complex<double>, 2> eigenvalues(const std::array<Pair, 2>& matrix) {
  const double mean = (matrix[0][0] + matrix[1][1]) / 2;
  const double difference = (matrix[0][0] - matrix[1][1]) / 2;
  const std::complex<double> root =
      std::sqrt(std::complex<double>(difference * difference + matrix[0][1] * matrix[1][0]));
  return {mean + root, mean - root};
}

}  // namespace masing::slab
