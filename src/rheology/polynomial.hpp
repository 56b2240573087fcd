#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

// Polynomials on a step, in τ = (t - start)/span from 0 to 1.

namespace masing::rheology {

/// Σ_k c_k τ^k; c[0..degree].
using Polynomial = std::vector<double>;

/// Its value and its slope. Local.
double value(const Polynomial& p, double tau);
double slope_of(const Polynomial& p, double tau);

/// The first τ in [0, last] from which p is below 0, to rounding; none where p ≥ 0 throughout.
/// Bounds of p and p' over intervals that are halved until they decide leave nothing out. Local.
std::optional<double> first_below_zero(Polynomial p, double last);

/// The sign of p behind 0: of p at the first of τ = 0, 4⁻²⁰, …, ¼, 1 where |p| > noise; 0 where
/// there is none. Local.
int sign_behind_zero(const Polynomial& p, double noise);

/// The polynomial of degree 15 through a function at Chebyshev's 16 points of a step.
class ChebyshevFit {
 public:
  static constexpr int points = 16;

  /// `function` of τ; `noise`: up to which it is rounding, beside `shift_noise` times its range
  /// over the step, which is the rounding of t. Local.
  ChebyshevFit(const std::function<double(double)>& function, double noise, double shift_noise);

  /// Whether the last two coefficients are noise: the function is resolved.
  [[nodiscard]] bool is_resolved() const { return terms_ + 2 <= points; }
  /// The larger of them.
  [[nodiscard]] double tail() const;
  /// Powers of τ, without the terms that are noise.
  [[nodiscard]] Polynomial polynomial() const;

 private:
  std::array<double, points> coefficient_{};  // of T_j(2τ - 1)
  int terms_ = 0;                             // those that are more than noise
};

}  // namespace masing::rheology
