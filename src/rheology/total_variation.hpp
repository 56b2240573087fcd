#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace masing::rheology {

/// The resolvent of a chain of n masses, each held to the one before it by dry friction, the first
/// to the ground: a weighted total variation with the ground at rest, y_0 = 0,
///     argmin_y Σ_i ½ m_i (y_i - Y_i)² + Σ_i h α_i |y_i - y_{i-1}|,   i = 1..n.
/// Exact to rounding in O(n): the derivative of the least cost of masses 1..i as a function of
/// y_i is piecewise linear, and passing it on to mass i + 1 clamps it to ±h α_{i+1} (Johnson,
/// J. Comput. Graph. Stat. 22, 2013, with weights). Masses that stick together get the same
/// velocity to the last bit, those that stick to the ground 0.
/// Source: (2.32), rheological-models-2000.
class TotalVariation {
 public:
  /// Room for chains of up to `n` masses.
  explicit TotalVariation(std::size_t n);

  /// Replaces Y in `velocity`, [n], by the minimiser y, for m_i > 0 and `bound` h α_i ≥ 0, [n].
  /// Returns the impulses g_i of friction, [n], with g_{n+1} = 0, which hold until the next call:
  ///     m_i (y_i - Y_i) + g_i - g_{i+1} = 0,   g_i ∈ h α_i sign(y_i - y_{i-1}),
  /// ±h α_i where masses slip, from the balance where they stick. Allocates nothing. Local.
  std::span<const double> solve(std::span<const double> mass, std::span<const double> bound,
                                std::span<double> velocity);

 private:
  /// A piece slope·y + level of the derivative.
  struct AffinePiece {
    double slope = 0.0;
    double level = 0.0;
    [[nodiscard]] double at(double y) const { return slope * y + level; }
    [[nodiscard]] AffinePiece operator+(const AffinePiece& other) const {
      return {slope + other.slope, level + other.level};
    }
    [[nodiscard]] AffinePiece operator-(const AffinePiece& other) const {
      return {slope - other.slope, level - other.level};
    }
  };
  /// Where the derivative changes piece: right = left + change.
  struct Knot {
    double position = 0.0;
    AffinePiece change;
  };

  void start(double mass, double target, double bound);
  /// Where the derivative rises through `value`; the knots left of it go. `piece` is right of it.
  double cut_left(double value, AffinePiece& piece);
  /// The same for what is right of it; `piece` is left of it.
  double cut_right(double value, AffinePiece& piece);
  void pass_on(double bound, double mass, double target, std::size_t i);

  std::vector<Knot> knots_;       // [2n + 1], in use: first_ .. end_ - 1
  std::vector<double> least_;     // y_i for y_{i+1} below it, [n]
  std::vector<double> greatest_;  // y_i for y_{i+1} above it, [n]
  std::vector<double> target_;    // Y, [n]
  std::vector<double> impulse_;   // [n]
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  AffinePiece leftmost_;
  AffinePiece rightmost_;
};

}  // namespace masing::rheology
