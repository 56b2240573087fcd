#pragma once

#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

/// The result of extrapolate(): a scalar φ, known at all levels of a study, extrapolated to step 0,
/// and the grid convergence index of the last level, an estimated bound of the absolute error of φ
/// at this level. All members are NaN if φ is not finite at a level, if there are too few levels
/// for any of the fits of extrapolate(), or if φ is the same at all levels.
struct Extrapolation {
  double order = base::undefined;  ///< the p in [0.1, 4] for which φ₀ + Σ αⱼ hⱼᵖ fits φ best
  double value = base::undefined;     ///< φ₀, the extrapolated value at step 0
  double index = base::undefined;     ///< U, the grid convergence index
  double relative = base::undefined;  ///< U/|φ|, where φ is the value at the last level
};

/// Extrapolates `values`, the values φ of a scalar at all levels, to step 0. `steps` contains one
/// or two arrays [levels], from coarse to fine: the one refined step h₁, or δs and δt as h₁ and h₂.
/// `promised` is the promised order q.
///
/// Two functions, φ₀ + Σ αⱼ hⱼ^q and φ₀ + Σ αⱼ hⱼ^q + β h^(q+1) with h = Σ hⱼ, are fitted to the n
/// values φ by least squares, each once with equal weights and once with weights proportional to
/// 1/h. A function is fitted only if there are more levels than unknowns in it. Of these at most
/// four fits, the one with the least standard deviation σ of its residuals is used. Let r be the
/// residual of this fit at the last level and Δ = (max φ - min φ)/(n - 1). The error at the last
/// level is estimated as ε = |φ - φ₀| if there is one step, and otherwise as ε = Σ |αⱼ| hⱼ^q + |β|
/// h^(q+1). The grid convergence index is
///     U = F ε + σ + |r|          if σ < Δ,
///     U = 3 σ/Δ (ε + σ + |r|)    otherwise.
/// F is 1.25 if Extrapolation::order differs from q by at most 0.5, and F is 3 otherwise. Local.
/// Source: Eça and Hoekstra, J. Comput. Phys. 262 (2014); ASME V&V 20.
Extrapolation extrapolate(const std::vector<std::vector<double>>& steps,
                          const std::vector<double>& values, double promised);

}  // namespace masing::statistics
