#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "base/limits.hpp"

// This file contains functions for polynomials in τ = (t - t_0)/span on a time step, where t_0 is
// the beginning and span the length of the step; τ goes from 0 to 1.

namespace masing::rheology {

/// The coefficients c[0..degree] of Σ_k c_k τ^k.
using Polynomial = std::vector<double>;

/// Returns the value of p at τ. Local.
inline double value(const Polynomial& p, double tau) {
  double sum = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) {
    sum = sum * tau + p[k];
  }
  return sum;
}

/// Returns the derivative of p at τ. Local.
inline double slope_of(const Polynomial& p, double tau) {
  double sum = 0.0;
  for (std::size_t k = p.size(); k-- > 1;) {
    sum = sum * tau + static_cast<double>(k) * p[k];
  }
  return sum;
}

/// Returns the zero of a decreasing p between `low`, where p ≥ 0, and `high`, where p < 0, within
/// rounding errors. The iteration uses Newton's method. It bisects the bracket of the zero if the
/// iterate would leave the bracket and, after the first eight iterations, in every second one.
/// Local.
inline double falling_zero(const Polynomial& p, double low, double high) {
  double tau = 0.5 * (low + high);
  for (int i = 0; i < 120 && high - low > base::epsilon * high; ++i) {
    const double at = value(p, tau);
    (at < 0 ? high : low) = tau;
    const double newton = tau - at / slope_of(p, tau);
    const bool is_trusted = newton > low && newton < high && (i < 8 || i % 2 == 0);
    const double next = is_trusted ? newton : 0.5 * (low + high);
    if (std::abs(next - tau) <= base::epsilon * tau) {
      return next;
    }
    tau = next;
  }
  return high;
}

/// Returns the coefficients of p in powers of τ - middle.
inline Polynomial about(Polynomial p, double middle) {
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    for (std::size_t k = p.size() - 1; k-- > i;) {
      p[k] += middle * p[k + 1];
    }
  }
  return p;
}

/// Returns the first τ in [low, high] at which p becomes negative, or nothing if p ≥ 0 on the whole
/// interval.
inline std::optional<double> first_below_within(const Polynomial& p, double low, double high) {
  const double middle = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  const Polynomial here = about(p, middle);
  double beyond = 0.0;        // a bound of |p - p(middle)| on the interval
  double slope_beyond = 0.0;  // a bound of |p' - p'(middle)| on the interval
  double power = 1.0;
  for (std::size_t k = 1; k < here.size(); ++k) {
    slope_beyond += k > 1 ? static_cast<double>(k) * std::abs(here[k]) * power : 0.0;
    power *= half;
    beyond += std::abs(here[k]) * power;
  }
  if (here[0] >= beyond) {
    return std::nullopt;
  }
  if (value(p, low) < 0) {
    return low;
  }
  const bool is_narrow = high - low <= 4 * base::epsilon * std::max(high, base::epsilon);
  if (is_narrow || std::abs(here[1]) > slope_beyond) {
    return value(p, high) < 0 ? std::optional(falling_zero(p, low, high)) : std::nullopt;
  }
  const auto first = first_below_within(p, low, middle);
  return first ? first : first_below_within(p, middle, high);
}

/// Returns the first τ in [0, last] at which p becomes negative, or nothing if p ≥ 0 on [0, last].
/// Values that are negative only by rounding errors count as 0. The interval is bisected until
/// bounds of p and p' on each part decide. A part of a few ulp is not bisected: there the values at
/// its ends decide. Local.
inline std::optional<double> first_below_zero(Polynomial p, double last) {
  double rest = 0.0;
  double power = 1.0;
  for (std::size_t k = 1; k < p.size(); ++k) {
    power *= last;
    rest += std::abs(p[k]) * power;
  }
  // Without this term, the interval would be bisected very often if p consists of little but
  // rounding errors.
  p[0] += 8 * base::epsilon * (std::abs(p[0]) + rest);
  return p[0] >= rest ? std::nullopt : first_below_within(p, 0.0, last);
}

/// Returns the sign of p just after τ = 0. The values of p at τ = 0, 4⁻²⁰, …, ¼, 1 are examined in
/// this order. The sign of the first value with |p| > noise is returned, or 0 if there is no such
/// value. Local.
inline int sign_behind_zero(const Polynomial& p, double noise) {
  constexpr int places = 21;  // the number of points after 0
  for (int i = places; i >= 0; --i) {
    const double at = value(p, i == places ? 0.0 : std::ldexp(1.0, -2 * i));
    if (!(std::abs(at) <= noise)) {
      return at > 0 ? 1 : -1;
    }
  }
  return 0;
}

/// The polynomial of degree 15 through the values of a function at the 16 Chebyshev points of a
/// step.
class ChebyshevFit {
 public:
  static constexpr int points = 16;

  /// Computes the coefficients from 16 values of `function`, a function of τ. A coefficient counts
  /// as noise if its absolute value is at most `noise` + `shift_noise`·(largest value - smallest
  /// value); the second term allows for rounding errors of the time t. Local.
  ChebyshevFit(const std::function<double(double)>& function, double noise, double shift_noise) {
    constexpr double step = std::numbers::pi / points;
    static const auto cosine = [] {
      std::array<double, std::size_t{4} * points> table{};
      for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = std::cos(static_cast<double>(i) * 0.5 * step);
      }
      return table;
    }();
    std::array<double, points> values{};
    for (std::size_t i = 0; i < points; ++i) {
      values[i] = function(0.5 * (1.0 + cosine[2 * i + 1]));
    }
    for (std::size_t j = 0; j < points; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < points; ++i) {
        sum += values[i] * cosine[(j * (2 * i + 1)) % cosine.size()];
      }
      coefficient_[j] = sum * (j == 0 ? 1.0 : 2.0) / points;
    }
    const auto [least, most] = std::ranges::minmax(values);
    const double limit = noise + shift_noise * (most - least);
    terms_ = points;
    while (terms_ > 1 && std::abs(coefficient_[static_cast<std::size_t>(terms_) - 1]) <= limit) {
      --terms_;
    }
  }

  /// Returns whether the last two coefficients are noise; then the polynomial resolves the
  /// function.
  [[nodiscard]] bool is_resolved() const { return terms_ + 2 <= points; }
  /// Returns the larger absolute value of the last two coefficients.
  [[nodiscard]] double tail() const {
    return std::max(std::abs(coefficient_[points - 2]), std::abs(coefficient_[points - 1]));
  }
  /// Returns the polynomial in powers of τ. Its last terms are omitted as long as their
  /// coefficients are noise.
  [[nodiscard]] Polynomial polynomial() const {
    static const Powers powers = chebyshev_powers();
    Polynomial p(static_cast<std::size_t>(terms_));
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        p[k] += coefficient_[j] * powers[j][k];
      }
    }
    return p;
  }

 private:
  /// powers[j][k] is the coefficient of τ^k in T_j(2τ - 1), an integer, where T_j is a Chebyshev
  /// polynomial.
  using Powers = std::array<std::array<double, points>, points>;
  static Powers chebyshev_powers() {
    Powers powers{};
    powers[0][0] = 1.0;
    powers[1] = {-1.0, 2.0};
    for (std::size_t j = 2; j < powers.size(); ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        powers[j][k] =
            (k > 0 ? 4 * powers[j - 1][k - 1] : 0.0) - 2 * powers[j - 1][k] - powers[j - 2][k];
      }
    }
    return powers;
  }

  std::array<double, points> coefficient_{};  // the coefficients of T_j(2τ - 1)
  // The number of terms that remain if the last terms are omitted, as long as their coefficients
  // are noise.
  int terms_ = 0;
};

}  // namespace masing::rheology
