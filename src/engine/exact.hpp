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
  /// `profile`: the points where this rank writes u; it and `problem` must outlive the engine.
  /// `measure`: alike on every rank. `breaks`: times where F is not smooth. Collective.
  Exact(const parallel::Communicator& comm, const masing::Problem& problem,
        const masing::Profile& profile, std::shared_ptr<const Measure> measure,
        std::vector<double> breaks, const masing::ExactOptions& options = {});

  [[nodiscard]] Sample sample() const override { return sample_; }
  /// Throws UserError where F is not finite, alike on all ranks.
  void advance(const Chunk& chunk) override;
  const parallel::Vector& field() override;
  Elongation elongation() override;

 private:
  [[nodiscard]] masing::TurningPoints<Measure> shared_memory() const;

  const parallel::Communicator& comm_;
  const masing::Problem& problem_;
  const masing::Profile& profile_;
  std::shared_ptr<const Measure> measure_;
  std::unique_ptr<masing::ExactSolution<Measure>> solution_;  // on the root
  parallel::Vector u_;
  Sample sample_;
};

/// The exact engine of a problem, for P = ∞ or all P cells on every rank; `breaks`: what the user
/// says of F. Throws UserError alike on all ranks if the problem has no exact solution: u0 that
/// turning points cannot remember, or an F that may not be smooth and has no breaks. Collective.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm,
                                   const masing::Problem& problem, const masing::Profile& profile,
                                   const std::vector<double>& breaks);

}  // namespace engine
