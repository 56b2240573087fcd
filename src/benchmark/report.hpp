#pragma once

#include <string>

#include "benchmark/machine.hpp"
#include "benchmark/rates.hpp"
#include "io/hdf5.hpp"

namespace masing::benchmark {

/// Seconds of the papers' case at some P and N on all ranks: predicted from parts measured apart,
/// and measured.
struct Prediction {
  std::int64_t cells = 0;
  std::int64_t steps = 0;
  double passes = 0.0;      ///< passes over the cells
  double allreduces = 0.0;  ///< one a pass
  double forcing = 0.0;     ///< evaluations of F
  double overhead = 0.0;    ///< the rest of a step, as at P = 3
  Timing measured;          ///< the whole run, start-up excluded

  [[nodiscard]] double predicted() const { return passes + allreduces + forcing + overhead; }
  /// By how much prediction and measurement differ, at least 1.
  [[nodiscard]] double factor_off() const {
    const double ratio = predicted() / measured.median;
    return ratio < 1 ? 1 / ratio : ratio;
  }
  /// Whether they differ by so much that the parts were not measured on the same quiet machine.
  [[nodiscard]] bool misleads() const { return !(factor_off() <= 2.0); }
};

/// All measurements; the same on every rank.
struct Report {
  Machine machine;
  KernelRates kernels;
  EngineRates engines;
  Prediction prediction;
};

/// The run of P cells and N steps from the other parts of the report, not measured yet. Local.
Prediction predict_run(const Report& report, std::int64_t cells, std::int64_t steps);

/// The report as a table for the terminal. Local.
std::string table(const Report& report);

/// The report as /machine, /latency, /kernel, /memory, /from_start, /exact, /step and /case.
/// Collective.
void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report);

}  // namespace masing::benchmark
