#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/turning_points.hpp"
#include "slab/exact/exact_solution.hpp"

namespace masing::engine {

/// The exact solution as an engine: steps only set where samples lie. The root integrates and
/// shares x, y and the hysteresis memory, so that ranks cannot drift apart; each rank writes u at
/// its own points. At the end of every chunk a second solution with other tolerances is compared.
template <slab::StiffnessMeasure Measure>
class Exact final : public Engine {
 public:
  /// `profile`: the points where this rank writes u. `breaks`: times where F is not smooth. `comm`,
  /// `problem` and `profile` must outlive the engine. Collective.
  Exact(const parallel::Communicator& comm, const slab::Problem& problem,
        const slab::Profile& profile, std::shared_ptr<const Measure> measure,
        std::vector<double> breaks, const slab::ExactOptions& options = {})
      : comm_(comm),
        problem_(problem),
        profile_(profile),
        measure_(std::move(measure)),
        u_(comm, problem.field_cells()) {
    const slab::Oscillator& mass = problem.oscillator;
    sample_ = {mass.x0, mass.y0, mass.k0 * mass.x0 + measure_->initial_force()};
    if (comm.is_root()) {
      const slab::SmoothPieces force([&f = problem.force](double t) { return f(t); },
                                     std::move(breaks), problem.time.final_time);
      using Solution = slab::ExactSolution<Measure>;
      solution_ = std::make_unique<Solution>(*measure_, mass, force, options);
      check_ = std::make_unique<Solution>(*measure_, mass, force, slab::checking(options));
    }
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  /// Throws UserError where F is not finite, alike on all ranks.
  void advance(const Chunk& chunk) override {
    fill_on_root(comm_, chunk, [&] {
      for (std::size_t i = 0; i < chunk.x.size(); ++i) {
        const slab::MassState state =
            solution_->at(problem_.time.time(chunk.first + 1 + static_cast<std::int64_t>(i)));
        chunk.x[i] = state.x;
        chunk.y[i] = state.y;
        chunk.restoring[i] = slab::restoring_force(problem_.oscillator, state);
      }
      const std::int64_t last = chunk.first + static_cast<std::int64_t>(chunk.x.size());
      const slab::MassState other = check_->at(problem_.time.time(last));
      difference_ = std::max(
          {difference_, std::abs(other.x - chunk.x.back()), std::abs(other.y - chunk.y.back())});
    });
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
  }

  const parallel::Vector& field() override {
    write_field(*elongation(), profile_, u_);
    return u_;
  }

  std::optional<slab::RememberedElongation> elongation() override {
    const slab::TurningPointState own =
        comm_.is_root() ? solution_->turning_points().state() : slab::TurningPointState{};
    return slab::TurningPoints<Measure>(*measure_, shared(comm_, own)).elongation();
  }

  [[nodiscard]] double self_check() const override {
    double difference = difference_;
    parallel::broadcast(comm_, std::span(&difference, 1));
    return difference;
  }

  /// The solution is integrated again from the start: its own steps do not depend on the samples.
  void exchange(std::int64_t step, Archive& archive) override {
    std::vector<double> numbers{sample_.x, sample_.y, sample_.restoring, difference_};
    archive.numbers("mass", numbers);
    if (archive.restores()) {
      sample_ = {numbers[0], numbers[1], numbers[2]};
      difference_ = numbers[3];
      parallel::from_root(comm_, [&] {
        solution_->at(problem_.time.time(step));
        check_->at(problem_.time.time(step));
        return std::string();
      });
    }
  }

 private:
  const parallel::Communicator& comm_;
  const slab::Problem& problem_;
  const slab::Profile& profile_;
  std::shared_ptr<const Measure> measure_;
  std::unique_ptr<slab::ExactSolution<Measure>> solution_;  // on the root
  std::unique_ptr<slab::ExactSolution<Measure>> check_;     // on the root
  double difference_ = 0.0;                                 // on the root
  parallel::Vector u_;
  Sample sample_;
};

}  // namespace masing::engine
