// Compiled once for each instruction set, MASING_ISA names the namespace. It includes no library:
// an inline function compiled here for AVX-512 could be the one the linker keeps for everybody.
#include "masing/kernel_variant.hpp"

#include "base/partition.hpp"

namespace masing::MASING_ISA {

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
using LoosePack = double
    __attribute__((vector_size(width * sizeof(double)), aligned(alignof(double)), may_alias));

inline Pack load(const double* place) {
  return *reinterpret_cast<const LoosePack*>(place);
}
inline void store(double* place, Pack value) {
  *reinterpret_cast<LoosePack*>(place) = value;
}

template <typename Real>
inline Real clamp(Real value, Real threshold) {
  value = value < threshold ? value : threshold;
  return value > -threshold ? value : -threshold;
}

/// Lanes added pairwise: j and j + 8, then j + 4, j + 2, j + 1.
inline double tree_sum(double* lane) {
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) {
      lane[j] += lane[j + half];
    }
  }
  return lane[0];
}

template <int Steps>
inline void pass_block(double* u, const double* threshold, const double* stiffness, int cells,
                       const Pack (&increment)[Steps], double (&sums)[Steps]) {
  Pack sum[Steps][registers] = {};
  int i = 0;
  for (; i + lanes <= cells; i += lanes) {
    for (int r = 0; r < registers; ++r) {
      const int at = i + r * width;
      Pack value = load(u + at);
      const Pack eta = load(threshold + at);
      const Pack k = load(stiffness + at);
      for (int step = 0; step < Steps; ++step) {
        value = clamp(value + increment[step], eta);
        sum[step][r] += k * value;
      }
      store(u + at, value);
    }
  }
  double lane[Steps][lanes];
  for (int step = 0; step < Steps; ++step) {
    for (int r = 0; r < registers; ++r) {
      store(&lane[step][r * width], sum[step][r]);
    }
  }
  for (int j = 0; i < cells; ++i, ++j) {
    for (int step = 0; step < Steps; ++step) {
      u[i] = clamp(u[i] + increment[step][0], threshold[i]);
      lane[step][j] += stiffness[i] * u[i];
    }
  }
  for (int step = 0; step < Steps; ++step) {
    sums[step] = tree_sum(lane[step]);
  }
}

template <int Steps>
void pass(double* u, const double* threshold, const double* stiffness, std::int64_t cells,
          const double* increments, double scale, std::int64_t* units) {
  Pack increment[Steps];
  for (int step = 0; step < Steps; ++step) {
    increment[step] = increments[step] - Pack{};
  }
  for (std::int64_t first = 0; first < cells; first += base::block_cells) {
    const std::int64_t left = cells - first;
    double sums[Steps];
    pass_block<Steps>(u + first, threshold + first, stiffness + first,
                      static_cast<int>(left < base::block_cells ? left : base::block_cells),
                      increment, sums);
    for (int step = 0; step < Steps; ++step) {
      units[step] += __builtin_llrint(sums[step] * scale);
    }
  }
}

}  // namespace

const KernelVariant variant = {pass<1>, pass<2>};

}  // namespace masing::MASING_ISA
