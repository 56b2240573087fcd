// Rates of the kernel's variants beside the obvious loop and a plain sum, for a developer at work
// on the kernel: build/dev/tests/bench_kernel --benchmark_filter=1500. No figure here is a test.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "benchmark/native_loops.hpp"
#include "benchmark/plain_sum.hpp"
#include "masing/kernel.hpp"

namespace {

constexpr double scale = 0x1p40;

/// The papers' profile, k = 1 and η = s + 0.1, of which a slab need not read all.
struct Cells {
  base::AlignedVector u;
  base::AlignedVector threshold;
  base::AlignedVector stiffness;
  masing::ProfileForm whole;

  explicit Cells(std::int64_t count)
      : u(static_cast<std::size_t>(count), 0.0),
        threshold(u.size()),
        stiffness(u.size(), 1.0),
        whole{
            .affine_threshold = masing::ProfileForm::Affine{0.1, 1.0 / static_cast<double>(count)},
            .constant_stiffness = 1.0} {
    for (std::size_t i = 0; i < u.size(); ++i) {
      threshold[i] = whole.affine_threshold->at(static_cast<std::int64_t>(i));
    }
  }

  masing::Slab slab(bool affine, bool constant) {
    masing::Slab slab;
    slab.u = u;
    slab.threshold = threshold;
    slab.stiffness = stiffness;
    if (affine) {
      slab.form.affine_threshold = whole.affine_threshold;
    }
    if (constant) {
      slab.form.constant_stiffness = whole.constant_stiffness;
    }
    return slab;
  }
};

/// Increments that come and go, so that cells yield to either side.
double increment(std::int64_t pass) {
  return pass % 8 < 4 ? 0.01 : -0.01;
}

void count(benchmark::State& state, std::int64_t steps_of_a_pass) {
  state.SetItemsProcessed(state.iterations() * state.range(0) * steps_of_a_pass);
}

void obvious_loop(benchmark::State& state) {
  Cells cells(state.range(0));
  std::int64_t pass = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(benchmark::baseline_step(cells.u.data(), cells.threshold.data(),
                                                      cells.stiffness.data(), state.range(0),
                                                      increment(pass++)));
  }
  count(state, 1);
}

template <std::size_t steps>
void steps_of_kernel(benchmark::State& state, bool affine, bool constant) {
  Cells cells(state.range(0));
  const masing::SlabKernel kernel(cells.slab(affine, constant), scale);
  std::int64_t pass = 0;
  while (state.KeepRunning()) {
    std::array<double, steps> increments{};
    increments.fill(increment(pass++));
    std::array<std::int64_t, steps> units{};
    kernel.project_and_sum(increments, units);
    benchmark::DoNotOptimize(units);
  }
  count(state, steps);
}

void two_steps(benchmark::State& state, bool affine, bool constant) {
  steps_of_kernel<2>(state, affine, constant);
}
void one_step(benchmark::State& state, bool affine, bool constant) {
  steps_of_kernel<1>(state, affine, constant);
}

void plain_sum(benchmark::State& state, bool read) {
  Cells cells(state.range(0));
  const masing::SlabKernel kernel(cells.slab(!read, !read), scale);
  std::int64_t pass = 0;
  while (state.KeepRunning()) {
    const double d = increment(pass++);
    benchmark::DoNotOptimize(benchmark::project_and_sum_plainly(kernel, {d, d}));
  }
  count(state, 2);
}

void sizes(benchmark::internal::Benchmark* of) {
  for (const std::int64_t cells : {3, 1500, 10000, 100000, 1000000, 10000000}) {
    of->Arg(cells);
  }
}

BENCHMARK(obvious_loop)->Apply(sizes);
BENCHMARK_CAPTURE(two_steps, general, false, false)->Apply(sizes);
BENCHMARK_CAPTURE(two_steps, affine, true, false)->Apply(sizes);
BENCHMARK_CAPTURE(two_steps, constant, false, true)->Apply(sizes);
BENCHMARK_CAPTURE(two_steps, both, true, true)->Apply(sizes);
BENCHMARK_CAPTURE(one_step, general, false, false)->Apply(sizes);
BENCHMARK_CAPTURE(plain_sum, general, true)->Apply(sizes);
BENCHMARK_CAPTURE(plain_sum, both, false)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
