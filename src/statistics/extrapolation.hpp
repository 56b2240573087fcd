#pragma once

#include <vector>

#include "base/limits.hpp"

namespace masing::statistics {

/// The result of extrapolate() for a scalar φ that is known at all levels of a study. It contains
/// the limit of φ as the step widths go to 0, and the grid convergence index (GCI). The index is an
/// estimated bound of the absolute error of φ at the finest level. All members are NaN if φ is not
/// finite at a level, if φ is the same at all levels, if there are too few levels, or if φ does not
/// approach a limit.
struct Extrapolation {
  double order = base::undefined;     ///< p, the observed order; NaN with two values, or two steps
  double value = base::undefined;     ///< φ₀, the limit of φ as the step widths go to 0
  double index = base::undefined;     ///< U, the grid convergence index
  double relative = base::undefined;  ///< U/|φ|, where φ is the value at the finest level
};

/// Estimates the limit φ₀ of a scalar φ as the step widths go to 0, and the error of φ at the
/// finest level. `values` are the φ of all levels, from coarse to fine. `steps` contains the step
/// widths of all levels: one array for the only refined step, h, or two arrays for δs = h₁ and δt
/// = h₂. Two steps whose ratio is the same at all levels count as one step, h = h₁ + h₂. `promised`
/// is the expected order of the errors of φ.
///
/// One step: φ₀ + α hᵖ is fitted to all values by least squares, with the p in (0.05, 20) that fits
/// best. If this is an end of the interval, because the values alternate, say, or their differences
/// do not fall, φ does not approach a limit. With q = min(p, `promised`) the error ε at the finest
/// level is that of the fit of φ₀ + α h^q or, of three values, that of the φ₀ + α h^q through the
/// last two. With n > 3 values, σ is the standard deviation of the residuals, of n - 3 degrees of
/// freedom, and t the factor of Student's distribution for the confidence 95 %, at least 2. Then
///     U = 1.25 ε,  n = 3;      U = 1.25 ε + t σ,  n > 3.
/// Two values have no observed order: p = q = `promised`, and U = 3 ε.
///
/// Two steps: φ₀ + Σ αⱼ hⱼ^q is fitted to at least four values, with q = `promised`, and U = 1.25 Σ
/// |αⱼ| hⱼ^q + t σ. Local.
///
/// Three values do not show whether they scatter; if they do, U may be too small. Sources: Celik et
/// al., J. Fluids Eng. 130, 078001 (2008); Eça and Hoekstra, J. Comput. Phys. 262 (2014).
Extrapolation extrapolate(const std::vector<std::vector<double>>& steps,
                          const std::vector<double>& values, double promised);

}  // namespace masing::statistics
