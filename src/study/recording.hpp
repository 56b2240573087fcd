#pragma once

#include <vector>

#include "engine/observer.hpp"
#include "masing/problem.hpp"

/// Refinement studies: levels, recordings, error norms, observed orders, verdict.
namespace study {

/// What a study keeps of one trajectory: x and y at every `stride`-th step, the same on every rank,
/// and u at the times T/m, 2T/m, …, T, split over the ranks. Between steps all three are linear in
/// t, as Proposition 4.1 of continuous-masing-2001 has them.
class Recording final : public engine::Observer {
 public:
  /// `stride` divides N. Collective.
  Recording(const parallel::Communicator& comm, const masing::Problem& problem, std::int64_t stride,
            std::int64_t field_samples);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t cells() const { return cells_; }
  [[nodiscard]] options::Rule rule() const { return rule_; }

  /// Position and velocity.
  struct Motion {
    double x;
    double y;
  };
  /// x and y at t = p·T/`steps`, p in 0..`steps`. Local.
  [[nodiscard]] Motion at(std::int64_t p, std::int64_t steps) const;
  /// u at the times jT/m, j = 1..m, [P] each.
  [[nodiscard]] const std::vector<parallel::Vector>& fields() const { return fields_; }

 private:
  /// At step `step` the field enters sample `sample` with weight `weight`.
  struct Contribution {
    std::int64_t step;
    std::size_t sample;
    double weight;
  };

  std::int64_t steps_;
  std::int64_t cells_;
  options::Rule rule_;
  std::int64_t stride_;
  std::vector<Motion> motion_;
  std::vector<Contribution> contributions_;  // by step
  std::vector<parallel::Vector> fields_;
};

}  // namespace study
