#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace masing::rheology {

/// The resolvent of a chain of n masses with dry friction. Friction acts between each mass and the
/// mass before it, and between the first mass and the ground. The resolvent replaces the velocities
/// Y_i by the solution of a weighted total variation problem, in which y_0 = 0 is the velocity of
/// the ground:
///     argmin_y Σ_i ½ m_i (y_i - Y_i)² + Σ_i h α_i |y_i - y_{i-1}|,   i = 1..n.
/// The algorithm has no errors except rounding errors, and needs O(n) operations. The cost of
/// masses 1..i, minimised over y_1..y_{i-1}, is a function of y_i with a piecewise linear
/// derivative. Going from mass i to mass i + 1 clamps this derivative to ±h α_{i+1} and adds
/// m_{i+1} (y - Y_{i+1}). Masses that stick together get the same velocity to the last bit, and
/// masses that stick to the ground get exactly 0. Source: (2.32), rheological-models-2000; the
/// algorithm is that of Johnson, Journal of Computational and Graphical Statistics 22, 2013, with
/// weights.
class TotalVariation {
 public:
  /// Allocates memory for chains of up to `n` masses.
  explicit TotalVariation(std::size_t n);

  /// Replaces the Y_i in `velocity`, [n], by the minimiser y_i. `mass`, [n], contains the m_i > 0,
  /// and `bound`, [n], the h α_i ≥ 0. Returns the friction impulses g_i, [n]; the span stays valid
  /// until the next call. With g_{n+1} = 0 the impulses satisfy
  ///     m_i (y_i - Y_i) + g_i - g_{i+1} = 0,   g_i ∈ h α_i sign(y_i - y_{i-1}).
  /// If mass i slips on mass i - 1, g_i is ±h α_i. If the two masses stick together, g_i follows
  /// from the first equation. The function allocates no memory. Local.
  std::span<const double> solve(std::span<const double> mass, std::span<const double> bound,
                                std::span<double> velocity);

 private:
  /// A piece slope·y + level of the derivative of the minimal cost.
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
  /// A velocity y = `position` at which one piece of the derivative ends and the next one begins.
  /// `change` is the next piece minus the piece before.
  struct Knot {
    double position = 0.0;
    AffinePiece change;
  };

  void start(double mass, double target, double bound);
  /// Returns the y at which the derivative increases through `value`, removes the knots up to this
  /// y, and sets `piece` to the piece to the right of this y.
  double cut_left(double value, AffinePiece& piece);
  /// Returns the y at which the derivative increases through `value`, removes the knots from this y
  /// on, and sets `piece` to the piece to the left of this y.
  double cut_right(double value, AffinePiece& piece);
  void pass_on(double bound, double mass, double target, std::size_t i);

  std::vector<Knot> knots_;  // [2n + 1]; the knots first_..end_-1 are in use
  // The minimiser y_i is y_{i+1} clamped to [least_[i], greatest_[i]]; both arrays are [n].
  std::vector<double> least_;
  std::vector<double> greatest_;
  std::vector<double> target_;   // Y, [n]
  std::vector<double> impulse_;  // the impulses g_i, [n]
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  AffinePiece leftmost_;
  AffinePiece rightmost_;
};

}  // namespace masing::rheology
