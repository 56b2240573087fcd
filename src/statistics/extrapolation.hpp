#pragma once

#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

/// The result of extrapolate() for a scalar φ that is known at all levels of a study. It contains
/// the limit of φ as the step widths go to 0, and the grid convergence index (GCI). The index is an
/// estimated bound of the absolute error of φ at the finest level. All members are NaN if φ is not
/// finite at a level, if φ is the same at all levels, or if none of the fits of extrapolate() is
/// possible.
struct Extrapolation {
  double order = base::undefined;  ///< the p in [0.1, 4] for which φ₀ + Σ αⱼ hⱼᵖ fits φ best
  double value = base::undefined;     ///< φ₀, the limit of φ as the step widths go to 0
  double index = base::undefined;     ///< U, the grid convergence index
  double relative = base::undefined;  ///< U/|φ|, where φ is the value at the finest level
};

/// Estimates the limit φ₀ of a scalar φ as the step widths go to 0, and the error of φ at the
/// finest level. `values` are the φ of all levels, from coarse to fine. `steps` contains the step
/// widths of all levels: one array for the only refined step, h₁, or two arrays for δs = h₁ and δt
/// = h₂. `promised` is the expected order q of the errors of φ.
///
/// Two functions, φ₀ + Σ αⱼ hⱼ^q and φ₀ + Σ αⱼ hⱼ^q + β h^(q+1) with h = Σ hⱼ, are fitted to the n
/// values φ by least squares. Each is fitted once with equal weights and once with weights
/// proportional to 1/h, but only if there are more levels than unknowns in it. Of these at most
/// four fits, the one with the least standard deviation σ of its residuals is used. Let r be the
/// residual of this fit at the finest level and Δ = (max φ - min φ)/(n - 1). The error at the
/// finest level is estimated as ε = |φ - φ₀| if there is one step, and as ε = Σ |αⱼ| hⱼ^q + |β|
/// h^(q+1) if there are two. The grid convergence index is
///     U = F ε + σ + |r|          if σ < Δ,
///     U = 3 σ/Δ (ε + σ + |r|)    otherwise.
/// F is 1.25 if Extrapolation::order differs from q by at most 0.5, and F is 3 otherwise. Local.
/// Source: Eça and Hoekstra, J. Comput. Phys. 262 (2014); ASME V&V 20.
Extrapolation extrapolate(const std::vector<std::vector<double>>& steps,
                          const std::vector<double>& values, double promised);

}  // namespace masing::statistics
