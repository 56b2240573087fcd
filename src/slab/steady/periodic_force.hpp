#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/bounds.hpp"
#include "base/periodicity.hpp"
#include "base/smooth_pieces.hpp"

namespace masing::slab {

/// A force of period τ.
struct PeriodicForce {
  /// How many periods from t = 0 on the functions and the breaks are asked for.
  static constexpr double horizon = base::horizon;

  std::function<double(double)> value;                   ///< F(t)
  std::function<base::Bounds(double, double)> bounds{};  ///< as SmoothPieces takes them
  std::vector<double> breaks{};  ///< where F may not be smooth in (0, 8τ), increasing
  double period = 1.0;           ///< τ
  bool is_odd = false;           ///< whether F(t + τ/2) = -F(t), as far as values show

  /// F(t + phase) from t = 0 on. Local.
  [[nodiscard]] base::SmoothPieces from(double phase) const {
    phase -= std::floor(phase / period) * period;
    std::vector<double> later = breaks;
    for (double& at : later) {
      at -= phase;  // SmoothPieces leaves out what lies before 0
    }
    const auto value_at = [f = value, phase](double t) { return f(t + phase); };
    if (!bounds) {
      return {value_at, std::move(later), horizon * period - phase};
    }
    return {
        value_at, std::move(later), horizon * period - phase,
        [b = bounds, phase](double first, double last) { return b(first + phase, last + phase); }};
  }
};

}  // namespace masing::slab
