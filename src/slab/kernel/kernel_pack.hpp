#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Vector registers of doubles, in the namespace that MASING_ISA names; included by
// kernel_variant.cpp only, which is compiled once for each instruction set.
namespace masing::slab::MASING_ISA {

namespace {

// The sum has 16 lanes whatever the register width: cell j of a block is added to lane j mod 16.
constexpr int lanes = 16;
#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
constexpr int registers = lanes / width;
using Pack = double __attribute__((vector_size(width * sizeof(double))));
// A typedef, as Clang does not take `aligned` from the type of an alias.
typedef double LoosePack
    __attribute__((vector_size(width * sizeof(double)), aligned(alignof(double)), may_alias));

inline Pack load(const double* place) {
  return *reinterpret_cast<const LoosePack*>(place);
}
inline void store(double* place, Pack value) {
  *reinterpret_cast<LoosePack*>(place) = value;
}

// Single instructions that the compiler does not find: minimum and maximum, and loads and stores of
// the first lanes alone (the others being 0).
#if defined(__AVX512F__)
inline __mmask8 first_lanes(int count) {
  return static_cast<__mmask8>((1 << count) - 1);
}
inline Pack load_first(const double* place, int count) {
  return _mm512_maskz_loadu_pd(first_lanes(count), place);
}
inline void store_first(double* place, int count, Pack value) {
  _mm512_mask_storeu_pd(place, first_lanes(count), value);
}
inline Pack only_first(Pack value, int count) {
  return _mm512_maskz_mov_pd(first_lanes(count), value);
}
inline Pack smaller(Pack a, Pack b) {
  return _mm512_maskz_min_pd(0xff, a, b);  // GCC 12 warns of the one without a mask
}
inline Pack larger(Pack a, Pack b) {
  return _mm512_maskz_max_pd(0xff, a, b);
}
#elif defined(__AVX2__)
inline __m256i first_lanes(int count) {
  alignas(32) static const long long mask[2 * width] = {-1, -1, -1, -1, 0, 0, 0, 0};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask + width - count));
}
inline Pack load_first(const double* place, int count) {
  return _mm256_maskload_pd(place, first_lanes(count));
}
inline void store_first(double* place, int count, Pack value) {
  _mm256_maskstore_pd(place, first_lanes(count), value);
}
inline Pack only_first(Pack value, int count) {
  return _mm256_and_pd(value, _mm256_castsi256_pd(first_lanes(count)));
}
inline Pack smaller(Pack a, Pack b) {
  return _mm256_min_pd(a, b);
}
inline Pack larger(Pack a, Pack b) {
  return _mm256_max_pd(a, b);
}
#else
inline Pack load_first(const double* place, int count) {
  Pack value = {};
  for (int j = 0; j < count; ++j) {
    value[j] = place[j];
  }
  return value;
}
inline void store_first(double* place, int count, Pack value) {
  for (int j = 0; j < count; ++j) {
    place[j] = value[j];
  }
}
inline Pack only_first(Pack value, int count) {
  for (int j = count; j < width; ++j) {
    value[j] = 0.0;
  }
  return value;
}
inline Pack smaller(Pack a, Pack b) {
  return a < b ? a : b;
}
inline Pack larger(Pack a, Pack b) {
  return a > b ? a : b;
}
#endif

inline Pack broadcast(double value) {
  return value - Pack{};
}

}  // namespace

}  // namespace masing::slab::MASING_ISA
