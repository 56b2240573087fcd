#include "benchmark/native_loops.hpp"

// Compiled with -O3 -march=native -fopenmp-simd and the kernel's other flags; it includes no
// library: the linker could keep its inline functions compiled here for the whole program.

namespace masing::benchmark {

bool native_loops_run_here() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") != 0;
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return true;
#endif
}

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

std::int64_t exact_sum(const double* lanes, std::int64_t blocks, double scale) {
  std::int64_t units = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    double sum[block_lanes];
    for (std::int64_t lane = 0; lane < block_lanes; ++lane) {
      sum[lane] = lanes[block * block_lanes + lane];
    }
#pragma GCC unroll 4
    for (std::int64_t half = block_lanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
      for (std::int64_t lane = 0; lane < half; ++lane) {
        sum[lane] += sum[lane + half];
      }
    }
    units += __builtin_llrint(sum[0] * scale);
    asm volatile("" ::: "memory");  // one block at a time, as in the kernel
  }
  return units;
}

void copy(double* __restrict target, const double* __restrict source, std::int64_t size) {
#pragma omp simd
  for (std::int64_t i = 0; i < size; ++i) {
    target[i] = source[i];
  }
}

void triad(double* __restrict target, const double* __restrict first,
           const double* __restrict second, std::int64_t size, double factor) {
#pragma omp simd
  for (std::int64_t i = 0; i < size; ++i) {
    target[i] = first[i] + factor * second[i];
  }
}

void update(double* target, std::int64_t size, double term) {
#pragma omp simd
  for (std::int64_t i = 0; i < size; ++i) {
    target[i] += term;
  }
}

}  // namespace masing::benchmark
