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

inline Pack broadcast(double value) {
  return value - Pack{};
}

/// Yield displacements of a block from memory.
struct ReadThreshold {
  const double* values;
  ReadThreshold(const KernelSlab& slab, std::int64_t first) : values(slab.threshold + first) {}
  inline Pack pack(int i) const { return load(values + i); }
  inline double one(int i) const { return values[i]; }
};

/// Yield displacements of a block from the line a + b·i; the index is exact in a double.
struct LineThreshold {
  double a;
  double b;
  double base;
  Pack lane;
  LineThreshold(const KernelSlab& slab, std::int64_t first)
      : a(slab.threshold_first),
        b(slab.threshold_slope),
        base(static_cast<double>(slab.first_cell + first)) {
    for (int j = 0; j < width; ++j) {
      lane[j] = base + j;
    }
  }
  inline Pack pack(int i) const { return a + b * (lane + static_cast<double>(i)); }
  inline double one(int i) const { return a + b * (base + i); }
};

/// Stiffnesses of a block from memory: the lanes sum k u.
struct ReadStiffness {
  const double* values;
  ReadStiffness(const KernelSlab& slab, std::int64_t first) : values(slab.stiffness + first) {}
  inline Pack weighted(int i, Pack u) const { return load(values + i) * u; }
  inline double weighted(int i, double u) const { return values[i] * u; }
  inline double whole(double sum) const { return sum; }
};

/// A constant stiffness: the lanes sum u, and k multiplies the block's sum.
struct ConstantStiffness {
  double value;
  ConstantStiffness(const KernelSlab& slab, std::int64_t /*first*/)
      : value(slab.stiffness_constant) {}
  inline Pack weighted(int /*i*/, Pack u) const { return u; }
  inline double weighted(int /*i*/, double u) const { return u; }
  inline double whole(double sum) const { return value * sum; }
};

template <int Steps, typename Threshold, typename Stiffness>
inline void pass_block(double* u, int cells, const Threshold& threshold, const Stiffness& stiffness,
                       const Pack (&increment)[Steps], double (&sums)[Steps]) {
  Pack sum[Steps][registers] = {};
  int i = 0;
  for (; i + lanes <= cells; i += lanes) {
    for (int r = 0; r < registers; ++r) {
      const int at = i + r * width;
      Pack value = load(u + at);
      const Pack eta = threshold.pack(at);
      for (int step = 0; step < Steps; ++step) {
        value = clamp(value + increment[step], eta);
        sum[step][r] += stiffness.weighted(at, value);
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
      u[i] = clamp(u[i] + increment[step][0], threshold.one(i));
      lane[step][j] += stiffness.weighted(i, u[i]);
    }
  }
  for (int step = 0; step < Steps; ++step) {
    sums[step] = stiffness.whole(tree_sum(lane[step]));
  }
}

template <int Steps, typename Threshold, typename Stiffness>
void pass(const KernelSlab& slab, const double* increments, std::int64_t* units) {
  Pack increment[Steps];
  for (int step = 0; step < Steps; ++step) {
    increment[step] = broadcast(increments[step]);
  }
  for (std::int64_t first = 0; first < slab.cells; first += base::block_cells) {
    const std::int64_t left = slab.cells - first;
    double sums[Steps];
    pass_block<Steps>(slab.u + first,
                      static_cast<int>(left < base::block_cells ? left : base::block_cells),
                      Threshold(slab, first), Stiffness(slab, first), increment, sums);
    for (int step = 0; step < Steps; ++step) {
      units[step] += __builtin_llrint(sums[step] * slab.scale);
    }
  }
}

}  // namespace

const KernelVariant variant = {
    {{{pass<1, ReadThreshold, ReadStiffness>, pass<1, ReadThreshold, ConstantStiffness>},
      {pass<1, LineThreshold, ReadStiffness>, pass<1, LineThreshold, ConstantStiffness>}},
     {{pass<2, ReadThreshold, ReadStiffness>, pass<2, ReadThreshold, ConstantStiffness>},
      {pass<2, LineThreshold, ReadStiffness>, pass<2, LineThreshold, ConstantStiffness>}}}};

}  // namespace masing::MASING_ISA
