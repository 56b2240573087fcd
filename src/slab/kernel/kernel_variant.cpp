// This file is compiled once for each instruction set, and the macro MASING_ISA is the name of its
// namespace. It must call no inline function of a header, except intrinsics. Of such a function the
// linker keeps one copy for the whole program, which might be the copy compiled here for AVX-512;
// other processors could not execute it.
#include "slab/kernel/kernel_variant.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/partition.hpp"

namespace masing::slab::MASING_ISA {

namespace {

// A block is summed in 16 lanes, whatever the number of doubles in a register: cell j of a block is
// added to lane j mod 16.
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
// This is a typedef because Clang ignores `aligned` in an alias declared by `using`.
typedef double LoosePack
    __attribute__((vector_size(width * sizeof(double)), aligned(alignof(double)), may_alias));

inline Pack load(const double* place) {
  return *reinterpret_cast<const LoosePack*>(place);
}
inline void store(double* place, Pack value) {
  *reinterpret_cast<LoosePack*>(place) = value;
}

// With AVX-512 and AVX2 most of these functions are one instruction, which the compiler does not
// generate by itself. smaller() and larger() are the minimum and the maximum. load_first(),
// store_first() and only_first() load, store or keep the first `count` elements of a register;
// load_first() and only_first() set the other elements to 0.
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
  return _mm512_maskz_min_pd(0xff, a, b);  // GCC 12 gives a warning for _mm512_min_pd
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

/// The common sign of the one or two increments of x in a pass over the cells: `up` if all are
/// positive, `down` if all are negative, otherwise `either`. As |v| ≤ η before the pass, a positive
/// increment cannot take v below -η, and a negative one cannot take v above η. For `up` and `down`
/// it therefore suffices to compare v with one of the two bounds, and the bits are the same. For
/// `either`, v is compared with both.
enum class Direction { up, down, either };

template <Direction direction, typename Threshold>
/// Returns u + increment, clamped to [-η, η], where u is the elongation v of SlabView. For `up` and
/// `down`, only the bound that such a move can reach is compared.
inline Pack moved(Pack u, Pack increment, const Threshold& eta) {
  u += increment;
  if constexpr (direction != Direction::down) {
    u = smaller(u, eta.upper());
  }
  if constexpr (direction != Direction::up) {
    u = larger(u, eta.lower());
  }
  return u;
}

/// Reads the thresholds of a block from memory.
class ReadThreshold {
 public:
  ReadThreshold(const KernelArguments& slab, std::int64_t first)
      : values_(slab.threshold + first) {}

  struct Bounds {
    Pack eta;
    inline Pack upper() const { return eta; }
    inline Pack lower() const { return -eta; }
  };
  inline Bounds at(int i) const { return {load(values_ + i)}; }
  inline Bounds first_at(int i, int count) const { return {load_first(values_ + i, count)}; }

 private:
  const double* values_;
};

/// Computes the thresholds of a block by their formula: the value in the block's first cell, plus
/// an offset that is read from an array.
class LineThreshold {
 public:
  LineThreshold(const KernelArguments& slab, std::int64_t first)
      : start_(slab.line_start + slab.line_slope * static_cast<double>(slab.first_cell + first)),
        offsets_(slab.line_offsets) {}

  struct Bounds {
    double start;
    Pack offset;
    inline Pack upper() const { return start + offset; }
    inline Pack lower() const { return -start - offset; }  // equals -upper()
  };
  inline Bounds at(int i) const { return {start_, load(offsets_ + i)}; }
  inline ReadThreshold::Bounds first_at(int i, int count) const {
    return {only_first(start_ + load_first(offsets_ + i, count), count)};
  }

 private:
  double start_;
  const double* offsets_;
};

/// Reads the stiffnesses of a block from memory, so that the lanes (see Lanes) sum k u.
class ReadStiffness {
 public:
  ReadStiffness(const KernelArguments& slab, std::int64_t first)
      : values_(slab.stiffness + first) {}
  inline Pack weighted(int i, Pack u) const { return load(values_ + i) * u; }
  inline Pack first_weighted(int i, int count, Pack u) const {
    return load_first(values_ + i, count) * u;
  }
  static inline double whole(const KernelArguments& /*slab*/, double sum) { return sum; }

 private:
  const double* values_;
};

/// Implements a constant stiffness: the lanes (see Lanes) sum u, and the sum over the block is
/// multiplied by k.
class ConstantStiffness {
 public:
  ConstantStiffness(const KernelArguments& /*slab*/, std::int64_t /*first*/) {}
  static inline Pack weighted(int /*i*/, Pack u) { return u; }
  static inline Pack first_weighted(int /*i*/, int /*count*/, Pack u) { return u; }
  static inline double whole(const KernelArguments& slab, double sum) {
    return slab.stiffness_constant * sum;
  }
};

/// The 16 partial sums (lanes) over the cells of a block after one increment of x; cell j of the
/// block is added to lane j mod 16.
struct Lanes {
  Pack part[registers] = {};

  /// Returns the sum of the lanes. The lanes are added pairwise: first lanes j and j + 8, then j
  /// and j + 4, then j and j + 2, then j and j + 1.
  inline double tree_sum() const {
    Pack sum[registers];
    for (int r = 0; r < registers; ++r) {
      sum[r] = part[r];
    }
    for (int half = registers / 2; half > 0; half /= 2) {
      for (int r = 0; r < half; ++r) {
        sum[r] += sum[r + half];
      }
    }
    double lane[width];
    store(lane, sum[0]);
    for (int half = width / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j) {
        lane[j] += lane[j + half];
      }
    }
    return lane[0];
  }
};

/// Moves the `width` cells of a block that begin with cell i. Sets shares[j] to the terms of these
/// cells in the force after increment j, for j < Steps.
template <int Steps, Direction direction, typename Threshold, typename Stiffness>
inline void pass_pack(double* u, int i, const Threshold& threshold, const Stiffness& stiffness,
                      const Pack (&increment)[Steps], Pack (&shares)[Steps]) {
  Pack value = load(u + i);
  const auto eta = threshold.at(i);
  for (int step = 0; step < Steps; ++step) {
    value = moved<direction>(value, increment[step], eta);
    shares[step] = stiffness.weighted(i, value);
  }
  store(u + i, value);
}

/// Does what pass_pack() does for the last `count` cells of a block, which do not fill a register.
/// In the unused elements of the register, u and η are 0, so u remains 0.
template <int Steps, Direction direction, typename Threshold, typename Stiffness>
inline void pass_rest(double* u, int i, int count, const Threshold& threshold,
                      const Stiffness& stiffness, const Pack (&increment)[Steps],
                      Pack (&shares)[Steps]) {
  Pack value = load_first(u + i, count);
  const auto eta = threshold.first_at(i, count);
  for (int step = 0; step < Steps; ++step) {
    value = moved<direction>(value, increment[step], eta);
    shares[step] = stiffness.first_weighted(i, count, value);
  }
  store_first(u + i, count, value);
}

/// Moves the last cells of a block, fewer than 16, beginning with cell `first`. Sets sums[j] to the
/// terms of these cells in the force after increment j, for j < Steps. This function is not
/// inlined, so that in pass_block() the compiler keeps the sums in registers.
template <int Steps, Direction direction, typename Threshold, typename Stiffness>
__attribute__((noinline)) void pass_last_row(double* u, int first, int cells,
                                             const Threshold& threshold, const Stiffness& stiffness,
                                             const Pack (&increment)[Steps], Lanes (&sums)[Steps]) {
  Pack shares[Steps];
  for (int i = first, r = 0; i < cells; i += width, ++r) {
    if (i + width <= cells) {
      pass_pack<Steps, direction>(u, i, threshold, stiffness, increment, shares);
    } else {
      pass_rest<Steps, direction>(u, i, cells - i, threshold, stiffness, increment, shares);
    }
    for (int step = 0; step < Steps; ++step) {
      sums[step].part[r] = shares[step];
    }
  }
}

template <int Steps, Direction direction, typename Threshold, typename Stiffness>
/// Moves the cells of one block, and adds to sums[j] the terms of these cells in the force after
/// increment j, for j < Steps.
inline void pass_block(double* u, int cells, const Threshold& threshold, const Stiffness& stiffness,
                       const Pack (&increment)[Steps], Lanes (&sums)[Steps]) {
  const int whole = cells & ~(lanes - 1);
  Pack shares[Steps];
  for (int i = 0; i < whole; i += lanes) {
    for (int r = 0; r < registers; ++r) {
      pass_pack<Steps, direction>(u, i + r * width, threshold, stiffness, increment, shares);
      for (int step = 0; step < Steps; ++step) {
        sums[step].part[r] += shares[step];
      }
    }
  }
  if (whole < cells) {
    Lanes last[Steps];
    pass_last_row<Steps, direction>(u, whole, cells, threshold, stiffness, increment, last);
    for (int step = 0; step < Steps; ++step) {
      for (int r = 0; r < registers; ++r) {
        sums[step].part[r] += last[step].part[r];
      }
    }
  }
}

template <int Steps, Direction direction, typename Threshold, typename Stiffness>
/// Moves all cells by increments whose common sign is `direction`. For each increment j and each
/// block, adds the force of the block, scaled and rounded to an integer, to units[j].
void pass_in_direction(const KernelArguments& slab, const double* increments, std::int64_t* units) {
  Pack increment[Steps];
  for (int step = 0; step < Steps; ++step) {
    increment[step] = broadcast(increments[step]);
  }
  for (std::int64_t first = 0; first < slab.cells; first += base::block_cells) {
    const std::int64_t left = slab.cells - first;
    Lanes sums[Steps];
    pass_block<Steps, direction>(
        slab.u + first, static_cast<int>(left < base::block_cells ? left : base::block_cells),
        Threshold(slab, first), Stiffness(slab, first), increment, sums);
    for (int step = 0; step < Steps; ++step) {
      units[step] += __builtin_llrint(Stiffness::whole(slab, sums[step].tree_sum()) * slab.scale);
    }
  }
}

/// Returns the direction of the increments. The first pass has the increment 0 and therefore the
/// direction `either`, which clamps u at both bounds. This is needed because rounding may put the
/// initial u slightly outside [-η, η].
template <int Steps>
inline Direction direction_of(const double* increments) {
  const double last = increments[Steps - 1];
  if (increments[0] > 0 && last > 0) {
    return Direction::up;
  }
  return increments[0] < 0 && last < 0 ? Direction::down : Direction::either;
}

template <int Steps, typename Threshold, typename Stiffness>
/// Determines the direction of the increments and moves all cells by them.
void pass(const KernelArguments& slab, const double* increments, std::int64_t* units) {
  switch (direction_of<Steps>(increments)) {
    case Direction::up:
      return pass_in_direction<Steps, Direction::up, Threshold, Stiffness>(slab, increments, units);
    case Direction::down:
      return pass_in_direction<Steps, Direction::down, Threshold, Stiffness>(slab, increments,
                                                                             units);
    case Direction::either:
      return pass_in_direction<Steps, Direction::either, Threshold, Stiffness>(slab, increments,
                                                                               units);
  }
}

}  // namespace

const KernelVariant variant = {
    {{{pass<1, ReadThreshold, ReadStiffness>, pass<1, ReadThreshold, ConstantStiffness>},
      {pass<1, LineThreshold, ReadStiffness>, pass<1, LineThreshold, ConstantStiffness>}},
     {{pass<2, ReadThreshold, ReadStiffness>, pass<2, ReadThreshold, ConstantStiffness>},
      {pass<2, LineThreshold, ReadStiffness>, pass<2, LineThreshold, ConstantStiffness>}}}};

}  // namespace masing::slab::MASING_ISA
