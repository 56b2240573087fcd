#pragma once

#include <cstdint>
#include <vector>

#include "benchmark/machine.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::benchmark {

/// Drives an engine in chunks under the papers' forcing, sampled beforehand over one period.
/// Nothing else is done, so that the time is the engine's.
class Drive {
 public:
  /// `engine` must outlive it.
  explicit Drive(engine::Engine& engine);
  /// Advance by `count` steps. Collective if the engine is.
  void steps(std::int64_t count);

 private:
  engine::Engine& engine_;
  std::int64_t step_ = 0;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// P = ∞ as files write it among numbers of cells.
inline constexpr std::int64_t continuum_cells = 0;

/// The papers' case with N steps of the papers' length. Local.
engine::RunSpec papers_case(const slab::Space& space, std::int64_t steps);

/// The papers' profile (k = 1, η = s + 0.1) on some of P cells, by its formula: evaluating the
/// expressions would take longer than the kernels. Local.
slab::Profile papers_profile(std::int64_t cells, base::CellRange range);

/// Seconds a step of what hardly depends on P.
struct EngineRates {
  std::vector<std::int64_t> memory_cells;  ///< P, or continuum_cells
  std::vector<Timing> memory;              ///< engine memory on all ranks, at memory_cells
  Timing forcing;                          ///< one evaluation of the papers' F(t)
  Timing three_cells;                      ///< engine sweep at P = 3 on one rank, F known
  Timing exact;                            ///< engine exact, P = ∞, else the papers' case
  std::int64_t exact_steps = 0;            ///< N of that run
  double exact_time = 0.0;                 ///< T of that run
};

/// `largest`: the most cells; `quick`: a short run of the exact solution. Collective.
EngineRates measure_engines(const parallel::Communicator& comm, const Effort& effort,
                            std::int64_t largest, bool quick);

/// Seconds of one whole run of the papers' case on all ranks, start-up excluded. Collective.
Timing measure_run(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                   std::int64_t steps);

}  // namespace masing::benchmark
