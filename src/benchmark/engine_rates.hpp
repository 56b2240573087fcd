#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark/kernel_rates.hpp"
#include "benchmark/machine.hpp"

namespace benchmark {

/// Seconds a step of what does not depend on P, or hardly.
struct EngineRates {
  std::vector<std::int64_t> memory_cells;  ///< options::infinitely_many for P = ∞
  std::vector<Timing> memory;              ///< engine memory on all ranks
  Timing forcing;                          ///< one evaluation of the papers' F(t)
  Timing three_cells;                      ///< engine sweep at P = 3 on one rank, F known
  Timing exact;                            ///< engine exact, P = ∞, all else the papers' case
  std::int64_t exact_steps = 0;            ///< N of that run
  double exact_time = 0.0;                 ///< T of that run
};

/// `largest`: no more cells than that. `quick`: a short run of the exact solution. Collective.
EngineRates measure_engines(const parallel::Communicator& comm, const Effort& effort,
                            std::int64_t largest, bool quick);

/// The papers' case at some P and N on these ranks, in seconds: as predicted from the parts
/// measured apart, and as it is.
struct Case {
  std::int64_t cells = 0;
  std::int64_t steps = 0;
  double cell_work = 0.0;  ///< passes over the slab
  double waiting = 0.0;    ///< allreduces
  double forcing = 0.0;    ///< evaluations of F
  double overhead = 0.0;   ///< the rest of a step, as at P = 3
  Timing measured;         ///< of the whole run, start-up excluded

  [[nodiscard]] double predicted() const { return cell_work + waiting + forcing + overhead; }
};

/// Collective.
Case measure_case(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                  std::int64_t steps, const Machine& machine, const KernelRates& kernels,
                  const EngineRates& engines);

}  // namespace benchmark
