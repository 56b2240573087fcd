#pragma once

#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "masing/exact_solution.hpp"
#include "masing/profile.hpp"

namespace engine {

/// The exact solution as an engine: steps only set where samples lie. The root integrates and
/// shares x, y and the hysteresis memory, so that ranks cannot drift apart; each rank writes u at
/// its own points. Source: MODEL §6.
template <masing::StiffnessMeasure Measure>
class Exact final : public Engine {
 public:
  /// `measure`, alike on every rank, and `profile`, the points where this rank writes u (a slab of
  /// `points` in all), must outlive the engine, and so must `problem`. `breaks`: times where F is
  /// not smooth. Collective.
  Exact(const parallel::Communicator& comm, const masing::Problem& problem, const Measure& measure,
        const masing::Profile& profile, std::int64_t points, std::vector<double> breaks,
        const masing::ExactOptions& options = {});

  [[nodiscard]] Sample sample() const override { return sample_; }
  /// Throws UserError where F is not finite, alike on all ranks.
  void advance(const Chunk& chunk) override;
  const parallel::Vector& field() override;

 private:
  [[nodiscard]] masing::TurningPointState shared_memory() const;

  const parallel::Communicator& comm_;
  const masing::Problem& problem_;
  const Measure& measure_;
  const masing::Profile& profile_;
  std::unique_ptr<masing::ExactSolution<Measure>> solution_;  // on the root
  parallel::Vector u_;
  Sample sample_;
};

}  // namespace engine
