#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "rheology/model_info.hpp"

namespace masing::rheology {

/// Returns the eigenvalues λ of a model's drift; for F = 0 the drift is a linear map of the state.
/// The drift alone governs the motion as long as no element in series yields and no dry friction
/// acts. The different eigenvalues are computed by Arnoldi's method from one start vector: as a
/// rule all of them for a model of up to 40 columns, and approximations of the outermost ones for a
/// larger model. If a number overflows or the computation fails, the result contains infinity. A
/// model that can be split over ranks (Work::split) is divided into segments of at most 65,536
/// elements. Each segment is attached to the ground at its first element and free at its last; the
/// eigenvalues of all segments are returned. Local.
std::vector<std::complex<double>> elastic_eigenvalues(const ModelSpec& spec);

/// Returns the natural logarithm of the factor by which N steps of length h amplify the motion that
/// the drift alone causes: N times the largest log |1 + hλ|, where N = `steps` and h = `step`.
/// Elements that yield or slide dissipate energy, so the motion of a run may grow by a smaller
/// factor. Local.
double log_elastic_growth(const std::vector<std::complex<double>>& eigenvalues, double step,
                          std::int64_t steps);

/// Returns the first of the numbers N = `steps`, 2 `steps`, 4 `steps`, … for which
/// log_elastic_growth() of N steps of length `final_time`/N is at most `limit`, or 2^53 if no
/// smaller number suffices. Local.
std::int64_t steps_for_growth(const std::vector<std::complex<double>>& eigenvalues,
                              double final_time, std::int64_t steps, double limit);

}  // namespace masing::rheology
