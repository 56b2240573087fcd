#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "rheology/model_info.hpp"

namespace masing::rheology {

/// Eigenvalues λ of the linear part of a model's drift, by which it moves while no friction element
/// does: all of a model of up to 40 columns, else the outermost, by Arnoldi's method; infinite
/// where they exceed a double. Of a chain split over ranks those of parts of it, held at their
/// ends. Local.
std::vector<std::complex<double>> elastic_eigenvalues(const ModelSpec& spec);

/// By how much N steps of length h let such a motion grow, as its natural logarithm: N times the
/// largest log |1 + hλ|. What slides damps, so a run may grow less. Local.
double log_elastic_growth(const std::vector<std::complex<double>>& eigenvalues, double step,
                          std::int64_t steps);

/// The least doubling of `steps` with which log_elastic_growth up to the time T is at most `limit`;
/// 2^53 where none is. Local.
std::int64_t steps_for_growth(const std::vector<std::complex<double>>& eigenvalues,
                              double final_time, std::int64_t steps, double limit);

}  // namespace masing::rheology
