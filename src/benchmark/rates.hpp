#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "benchmark/machine.hpp"

namespace masing::benchmark {

/// The loop that makes a step.
enum class Loop { baseline, kernel };

/// A way to make steps cell by cell.
struct Variant {
  std::string name;         ///< in the file and the table
  std::string description;  ///< one line
  Loop loop = Loop::kernel;
  int increments = 2;     ///< steps of one pass over memory
  bool affine = false;    ///< η is computed, not read
  bool constant = false;  ///< k is not read

  /// Bytes that a step must move for a cell: u read and written, η and k read unless computed,
  /// shared by the steps of a pass.
  [[nodiscard]] double bytes_per_update() const;
};

/// The baseline first, then the kernel's variants.
const std::vector<Variant>& variants();
/// The index of a variant in variants(), by its name.
std::size_t index_of(const std::string& variant);

/// Seconds a step of every variant at every P: [variant][cells].
struct KernelRates {
  std::vector<std::int64_t> cells;
  std::vector<std::vector<Timing>> one;  ///< on the root, the other ranks asleep
  std::vector<std::vector<Timing>> all;  ///< slabs split over the ranks, the allreduce included
  Timing exact_sum;                      ///< what makes the sum of one block exact, on the root

  /// Seconds a step of a variant at P cells on one rank, between the P measured. Local.
  [[nodiscard]] double one_rank_step(std::size_t variant, double cells_of_rank) const;
};

/// Bytes a cell that measuring takes, all ranks together.
inline constexpr std::int64_t bytes_per_cell = 48;

/// 10², 10³, 1500, 10⁴ … below `largest`, and `largest` itself.
std::vector<std::int64_t> ladder(std::int64_t largest);

/// Throws UserError where the native loops cannot run here. Collective.
KernelRates measure_kernels(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const std::int64_t> cells);

/// P = ∞ as files write it among numbers of cells.
inline constexpr std::int64_t continuum_cells = 0;

/// A run of engine memory from its start, cells yielding for the first time included.
struct FromStart {
  std::int64_t cells = 0;
  std::int64_t steps = 0;
  double setup = 0.0;  ///< the least seconds to make the engine from a profile
  Timing step;         ///< seconds a step, on the average
};

/// Seconds a step of what hardly depends on P.
struct EngineRates {
  std::vector<std::int64_t> memory_cells;  ///< P, or continuum_cells
  std::vector<Timing> memory;              ///< engine memory on one rank, at memory_cells
  FromStart zero;                          ///< u0 = 0, at the most cells but P = ∞
  FromStart moved;                         ///< u0 of its own in every cell, at as many
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
