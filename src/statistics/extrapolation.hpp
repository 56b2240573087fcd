#pragma once

#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

/// The extrapolation of a scalar to step zero from all levels, and the grid convergence index of
/// the last level, an absolute bound of its error, in the scalar's own unit. NaN where the levels
/// are too few.
struct Extrapolation {
  double order = base::undefined;  ///< the p with which φ₀ + Σ αⱼ hⱼᵖ fits best, in [0.1, 4]
  double value = base::undefined;     ///< φ₀
  double index = base::undefined;     ///< U
  double relative = base::undefined;  ///< U/|φ| of the last level
};

/// Least squares of φ ≈ φ₀ + Σ αⱼ hⱼ^q and of the same with β h^(q+1), h = Σ hⱼ, each with weights
/// alike and with weights like 1/h; of these the fit with the least standard deviation σ. With
/// ε = Σ |αⱼ| hⱼ^q + |β| h^(q+1) of the last level (of one step |φ - φ₀|), r its residual and
/// Δ = (max φ - min φ)/(n - 1): U = F ε + σ + |r|, F = 1.25 where the observed order is within 0.5
/// of the promised q, else 3; where σ > Δ, U = 3 σ/Δ (ε + σ + |r|). `steps`: one, or δs and δt,
/// [levels] each, coarse to fine; more levels than unknowns are needed. Local. Source: Eça and
/// Hoekstra, J. Comput. Phys. 262 (2014); ASME V&V 20.
Extrapolation extrapolate(const std::vector<std::vector<double>>& steps,
                          const std::vector<double>& values, double promised);

}  // namespace masing::statistics
