#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "base/limits.hpp"

// Polynomials on a step, in τ = (t - start)/span from 0 to 1.

namespace masing::rheology {

/// Σ_k c_k τ^k; c[0..degree].
using Polynomial = std::vector<double>;

/// Its value. Local.
inline double value(const Polynomial& p, double tau) {
  double sum = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) {
    sum = sum * tau + p[k];
  }
  return sum;
}

/// Its slope. Local.
inline double slope_of(const Polynomial& p, double tau) {
  double sum = 0.0;
  for (std::size_t k = p.size(); k-- > 1;) {
    sum = sum * tau + static_cast<double>(k) * p[k];
  }
  return sum;
}

/// The zero between `low`, where p ≥ 0, and `high`, where p < 0, of a p that falls: Newton's
/// method, and bisection where it would leave the bracket.
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

/// p about `middle`, in the same unit.
inline Polynomial about(Polynomial p, double middle) {
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    for (std::size_t k = p.size() - 1; k-- > i;) {
      p[k] += middle * p[k + 1];
    }
  }
  return p;
}

/// first_below_zero within [low, high], for p(low) ≥ 0 or a first interval.
inline std::optional<double> first_below_within(const Polynomial& p, double low, double high) {
  const double middle = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  const Polynomial here = about(p, middle);
  double beyond = 0.0;        // bound of |p - p(middle)|
  double slope_beyond = 0.0;  // of |p' - p'(middle)|
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

/// The first τ in [0, last] from which p is below 0, to rounding; none where p ≥ 0 throughout.
/// Bounds of p and p' over intervals that are halved until they decide leave nothing out. Local.
inline std::optional<double> first_below_zero(Polynomial p, double last) {
  double rest = 0.0;
  double power = 1.0;
  for (std::size_t k = 1; k < p.size(); ++k) {
    power *= last;
    rest += std::abs(p[k]) * power;
  }
  // What is below by rounding is not below, or a p of little else would be halved for ever.
  p[0] += 8 * base::epsilon * (std::abs(p[0]) + rest);
  return p[0] >= rest ? std::nullopt : first_below_within(p, 0.0, last);
}

/// The sign of p behind 0: of p at the first of τ = 0, 4⁻²⁰, …, ¼, 1 where |p| > noise; 0 where
/// there is none. Local.
inline int sign_behind_zero(const Polynomial& p, double noise) {
  constexpr int places = 21;  // beside 0
  for (int i = places; i >= 0; --i) {
    const double at = value(p, i == places ? 0.0 : std::ldexp(1.0, -2 * i));
    if (!(std::abs(at) <= noise)) {
      return at > 0 ? 1 : -1;
    }
  }
  return 0;
}

/// The polynomial of degree 15 through a function at Chebyshev's 16 points of a step.
class ChebyshevFit {
 public:
  static constexpr int points = 16;

  /// `function` of τ; `noise`: up to which it is rounding, beside `shift_noise` times its range
  /// over the step, which is the rounding of t. Local.
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

  /// Whether the last two coefficients are noise: the function is resolved.
  [[nodiscard]] bool is_resolved() const { return terms_ + 2 <= points; }
  /// The larger of them.
  [[nodiscard]] double tail() const {
    return std::max(std::abs(coefficient_[points - 2]), std::abs(coefficient_[points - 1]));
  }
  /// Powers of τ, without the terms that are noise.
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
  /// Coefficients of T_j(2τ - 1) in powers of τ: whole numbers.
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

  std::array<double, points> coefficient_{};  // of T_j(2τ - 1)
  int terms_ = 0;                             // those that are more than noise
};

}  // namespace masing::rheology
