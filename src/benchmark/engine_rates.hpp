#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark/kernel_rates.hpp"
#include "benchmark/machine.hpp"
#include "engine/engine.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::benchmark {

/// The papers' forcing sampled over one period at their step, so that a run of any length meets it
/// again and again without evaluating it.
class SampledForce {
 public:
  SampledForce();
  /// F at `count` + 1 steps from step `first` on; count ≤ longest.
  [[nodiscard]] std::span<const double> from(std::int64_t first, std::int64_t count) const;
  /// Steps of a chunk at most.
  static constexpr std::int64_t longest = 4096;

 private:
  std::int64_t period_;
  std::vector<double> values_;
};

/// An engine driven for as many steps as wanted, in chunks, with nothing done beside them.
class Drive {
 public:
  /// Both must outlive it.
  Drive(engine::Engine& engine, const SampledForce& force);
  /// Collective as the engine is.
  void steps(std::int64_t count);

 private:
  engine::Engine& engine_;
  const SampledForce& force_;
  std::int64_t step_ = 0;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// The papers' finest case as a validated configuration, with other cells and steps at will.
cli::Configuration papers_case(std::int64_t cells, std::int64_t steps);

/// The papers' profile (k = 1, η = s + 0.1) on some of P cells, written by its formula: expressions
/// would take longer to evaluate than the kernels take to measure. Local.
slab::Profile papers_profile(std::int64_t cells, base::CellRange range);

/// Seconds a step of what does not depend on P, or hardly.
struct EngineRates {
  std::vector<std::int64_t> memory_cells;  ///< cli::infinitely_many for P = ∞
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

}  // namespace masing::benchmark
