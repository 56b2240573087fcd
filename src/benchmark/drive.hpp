#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "masing/problem.hpp"
#include "masing/profile.hpp"

namespace benchmark {

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
options::Configuration papers_case(std::int64_t cells, std::int64_t steps);

/// The papers' profile (k = 1, η = s + 0.1) on some of P cells, written by its formula: expressions
/// would take longer to evaluate than the kernels take to measure. Local.
masing::Profile papers_profile(std::int64_t cells, base::CellRange range);

}  // namespace benchmark
