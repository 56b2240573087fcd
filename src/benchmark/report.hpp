#pragma once

#include <string>

#include "benchmark/engine_rates.hpp"
#include "benchmark/kernel_rates.hpp"
#include "benchmark/machine.hpp"
#include "io/hdf5.hpp"

namespace masing::benchmark {

/// All that was measured; the same on every rank.
struct Report {
  Machine machine;
  KernelRates kernels;
  EngineRates engines;
  Case example;
};

/// A variant at a P on one rank or on all, as the table and the file state it.
struct KernelRow {
  Timing step;            ///< seconds a step
  double updates = 0.0;   ///< cell-updates a second
  double bytes = 0.0;     ///< a cell-update
  double fraction = 0.0;  ///< of the best bandwidth measured on as many ranks
  double ratio = 0.0;     ///< of cell-updates to the baseline's on as many ranks
  double speed_up = 0.0;  ///< of all ranks over one
};

enum class Ranks { one, all };

/// The row of variants()[variant] at kernels.cells[level]. Local.
KernelRow kernel_row(const Report& report, Ranks ranks, std::size_t variant, std::size_t level);

/// What reproducible sums add to a step of a variant ("general" or "both") on one rank, at most, as
/// a fraction of the rest of the step: B c / (t - B c), t seconds a step, B blocks, c seconds to
/// add up a block's lanes, round the sum to an integer and add that. Local.
double sum_overhead(const Report& report, const std::string& variant, std::size_t level);

/// The report in words, for a reader. Local.
std::string table(const Report& report);

/// The report as /machine, /latency, /kernel, /memory, /exact, /step and /case. Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report);

}  // namespace masing::benchmark
