// The pass over a slab: u_i ← clamp(u_i + d, -η_i, η_i) and Σ k_i u_i, the same bits for every
// instruction set and for one or two increments a pass. engine/test_restart.cpp cuts slabs.
// Source: (26b), (26c), continuous-masing-2001.

#include "slab/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "base/partition.hpp"
#include "slab/kernel/kernel_variant.hpp"

namespace masing::test_kernel {

using Units = std::array<std::int64_t, 2>;

constexpr double eps = std::numeric_limits<double>::epsilon();
// Units per one such that the sums of the largest slab below, at most 1.1·1.6 a cell, stay far
// below 2^62.
constexpr double scale = 0x1p45;

struct Cells {
  std::vector<double> u;
  std::vector<double> threshold;
  std::vector<double> stiffness;
  slab::ProfileForm form;

  [[nodiscard]] slab::SlabView slab() {
    slab::SlabView slab;
    slab.u = u;
    slab.threshold = threshold;
    slab.stiffness = stiffness;
    slab.form = form;
    return slab;
  }
  /// u_i ← clamp(u_i + d, -η_i, η_i) in doubles, so to the bit.
  void clamp(double d) {
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = std::clamp(u[i] + d, -threshold[i], threshold[i]);
    }
  }
};

/// What is not read from memory: η on a line, k constant.
struct Shape {
  std::size_t count = 0;
  bool line = false;
  bool constant = false;
};

Cells random_cells(const Shape& shape) {
  std::mt19937_64 random(shape.count);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  Cells cells;
  if (shape.line) {
    cells.form.threshold = slab::AffineFormula{0.1, 1.3 / static_cast<double>(shape.count + 1)};
  }
  if (shape.constant) {
    cells.form.stiffness = slab::AffineFormula{0.7};
  }
  for (std::size_t i = 0; i < shape.count; ++i) {
    cells.threshold.push_back(shape.line ? cells.form.threshold->at(static_cast<std::int64_t>(i))
                                         : 0.1 + share(random));
    cells.stiffness.push_back(shape.constant ? 0.7 : 0.6 + share(random));
    cells.u.push_back(cells.threshold.back() * (2 * share(random) - 1));
  }
  return cells;
}

/// Increments that leave some cells elastic and make others yield, to either side; some are 0.
std::vector<double> increments(std::size_t count) {
  std::vector<double> values;
  for (std::size_t p = 0; p < count; ++p) {
    values.push_back(p % 7 == 3 ? 0.0 : 0.17 * std::cos(0.9 * static_cast<double>(p)));
  }
  return values;
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::size_t count : {0, 1, 7, 8, 9, 16, 17, 33, 1023, 1024, 1025, 1040, 2049, 5000}) {
    for (const bool line : {false, true}) {
      for (const bool constant : {false, true}) {
        all.push_back({count, line, constant});
      }
    }
  }
  return all;
}

/// What a pass by one or two increments adds to the units.
Units sums_of(const slab::SlabView& slab, std::span<const double> d) {
  Units units{};
  slab::SlabKernel(slab, scale).project_and_sum(d, std::span(units).first(d.size()));
  return units;
}

/// One pass by two increments against two passes, clamping, and the sums of what cells carry.
void expect_clamped(Cells cells, const std::vector<double>& d) {
  Cells single = cells;
  for (std::size_t p = 0; p < d.size(); p += 2) {
    const Units together = sums_of(cells.slab(), std::span(d).subspan(p, 2));
    Cells clamped = single;
    for (std::size_t step = 0; step < 2; ++step) {
      clamped.clamp(d[p + step]);
      ASSERT_EQ(sums_of(single.slab(), std::span(d).subspan(p + step, 1))[0], together[step]);
      ASSERT_EQ(single.u, clamped.u);
      long double force = 0.0;
      double magnitude = 0.0;
      for (std::size_t i = 0; i < single.u.size(); ++i) {
        force += static_cast<long double>(single.stiffness[i]) * single.u[i];
        magnitude += std::abs(single.stiffness[i] * single.u[i]);
      }
      // A product (or one by a constant k), 64 additions to a lane and 4 in the tree a block, each
      // within eps/2, then half a unit a block; the expected sum is rounded once.
      const std::size_t blocks = (single.u.size() + base::block_cells - 1) / base::block_cells;
      const double bound = 70 * (eps / 2) * magnitude + static_cast<double>(blocks) * 0.5 / scale;
      ASSERT_NEAR(static_cast<double>(together[step]) / scale, static_cast<double>(force), bound);
    }
    ASSERT_EQ(cells.u, single.u);
  }
}

/// An initial u may be outside [-η, η] by a rounding. The first pass, by zero, clamps it to both
/// sides; so does one of two increments of which one is zero.
TEST(Kernel, clamps_every_cell_and_sums_what_they_carry) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.count << shape.line << shape.constant);
    Cells cells = random_cells(shape);
    ASSERT_NO_FATAL_FAILURE(expect_clamped(cells, increments(40)));
    for (std::size_t i = 0; i < cells.u.size(); ++i) {
      cells.u[i] = std::nextafter(cells.threshold[i], 9.0) * (i % 3 == 0 ? 1 : -1);
    }
    for (const auto& d : std::vector<std::vector<double>>{
             {0.0, 0.0}, {0.0, 1e-3}, {0.0, -1e-3}, {1e-3, 0.0}, {-1e-3, 0.0}}) {
      ASSERT_NO_FATAL_FAILURE(expect_clamped(cells, d));
    }
  }
}

#if defined(__x86_64__)
TEST(Kernel, gives_the_same_bits_with_every_instruction_set) {
  if (__builtin_cpu_supports("avx2") == 0) {
    GTEST_SKIP() << "no AVX2";
  }
  for (const Shape& shape : shapes()) {
    const auto run = [&](const slab::KernelVariant& variant) {
      Cells cells = random_cells(shape);
      const slab::SlabKernel kernel(cells.slab(), scale);
      std::vector<std::int64_t> sums(60);
      const std::vector<double> d = increments(60);
      for (std::size_t p = 0; p < d.size(); p += 3) {
        const auto& passes = variant.passes;
        passes[1][shape.line][shape.constant](kernel.arguments(), &d[p], &sums[p]);
        passes[0][shape.line][shape.constant](kernel.arguments(), &d[p + 2], &sums[p + 2]);
      }
      return std::pair(cells.u, sums);
    };
    const auto expected = run(slab::baseline::variant);
    EXPECT_EQ(run(slab::avx2::variant), expected) << shape.count;
    if (__builtin_cpu_supports("avx512vl") != 0) {
      EXPECT_EQ(run(slab::avx512::variant), expected) << shape.count;
    }
  }
}
#endif

/// The line's index is exact up to 2^53: η computed there is η read there, to the bit.
TEST(Kernel, computes_the_line_near_the_last_index) {
  const std::int64_t first = (std::int64_t{1} << 53) - 2 * base::block_cells;
  Cells cells = random_cells({2000, false, true});
  const slab::AffineFormula line{0.1, 0x1p-53};
  for (std::size_t i = 0; i < cells.u.size(); ++i) {
    cells.threshold[i] = line.at(first + static_cast<std::int64_t>(i));
  }
  Cells read = cells;
  cells.form.threshold = line;
  slab::SlabView slab = cells.slab();
  slab.first_cell = first;
  for (const double d : increments(20)) {
    ASSERT_EQ(sums_of(slab, std::array{d, 2.1}), sums_of(read.slab(), std::array{d, 2.1}));
  }
  EXPECT_EQ(cells.u, read.u);
  EXPECT_EQ(cells.u.front(), line.at(first)) << "2.1 makes every cell yield";
}

}  // namespace masing::test_kernel
