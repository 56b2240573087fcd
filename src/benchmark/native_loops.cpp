#include "benchmark/native_loops.hpp"

// This file is compiled with -O3 -march=native -fopenmp-simd and the other flags of the kernel. It
// must include no header with inline functions. The linker keeps one version of an inline function
// for the whole program; the version compiled here might not run on another processor.

namespace masing::benchmark {

double baseline_step(double* __restrict u, const double* __restrict threshold,
                     const double* __restrict stiffness, std::int64_t cells, double d) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < cells; ++i) {
    const double eta = threshold[i];
    double value = u[i] + d;
    value = value < eta ? value : eta;
    value = value > -eta ? value : -eta;
    u[i] = value;
    sum += stiffness[i] * value;
  }
  return sum;
}

void update(double* target, std::int64_t size, double term) {
#pragma omp simd
  for (std::int64_t i = 0; i < size; ++i) {
    target[i] += term;
  }
}

}  // namespace masing::benchmark
