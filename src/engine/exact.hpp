#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/remembered_field.hpp"
#include "masing/exact_check.hpp"

namespace engine {

/// The exact solution as an engine: steps only set where samples lie. The root integrates and
/// shares x, y and the hysteresis memory, so that ranks cannot drift apart; each rank writes u at
/// its own points. At the end of every chunk a second solution with other tolerances is compared.
template <masing::StiffnessMeasure Measure>
class Exact final : public Engine {
 public:
  /// `profile`: the points where this rank writes u. `breaks`: times where F is not smooth. `comm`,
  /// `problem` and `profile` must outlive the engine. Collective.
  Exact(const parallel::Communicator& comm, const masing::Problem& problem,
        const masing::Profile& profile, std::shared_ptr<const Measure> measure,
        std::vector<double> breaks, const masing::ExactOptions& options = {})
      : comm_(comm),
        problem_(problem),
        profile_(profile),
        measure_(std::move(measure)),
        u_(comm, problem.field_cells()) {
    const masing::Oscillator& mass = problem.oscillator;
    sample_ = {mass.x0, mass.y0, mass.k0 * mass.x0 + measure_->initial_force()};
    if (comm.is_root()) {
      const masing::SmoothPieces force([&f = problem.force](double t) { return f(t); },
                                       std::move(breaks), problem.time.final_time);
      using Solution = masing::ExactSolution<Measure>;
      solution_ = std::make_unique<Solution>(*measure_, mass, force, options);
      check_ = std::make_unique<Solution>(*measure_, mass, force, masing::checking(options));
    }
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  /// Throws UserError where F is not finite, alike on all ranks.
  void advance(const Chunk& chunk) override {
    fill_on_root(comm_, chunk, [&] {
      for (std::size_t i = 0; i < chunk.x.size(); ++i) {
        const masing::MassState state =
            solution_->at(problem_.time.time(chunk.first + 1 + static_cast<std::int64_t>(i)));
        chunk.x[i] = state.x;
        chunk.y[i] = state.y;
        chunk.restoring[i] = masing::restoring_force(problem_.oscillator, state);
      }
      const std::int64_t last = chunk.first + static_cast<std::int64_t>(chunk.x.size());
      const masing::MassState other = check_->at(problem_.time.time(last));
      difference_ = std::max(
          {difference_, std::abs(other.x - chunk.x.back()), std::abs(other.y - chunk.y.back())});
    });
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
  }

  const parallel::Vector& field() override {
    write_field(*elongation(), profile_, u_);
    return u_;
  }

  std::optional<masing::RememberedElongation> elongation() override {
    const masing::TurningPointState own =
        comm_.is_root() ? solution_->memory().state() : masing::TurningPointState{};
    return masing::TurningPoints<Measure>(*measure_, shared(comm_, own)).elongation();
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
  const masing::Problem& problem_;
  const masing::Profile& profile_;
  std::shared_ptr<const Measure> measure_;
  std::unique_ptr<masing::ExactSolution<Measure>> solution_;  // on the root
  std::unique_ptr<masing::ExactSolution<Measure>> check_;     // on the root
  double difference_ = 0.0;                                   // on the root
  parallel::Vector u_;
  Sample sample_;
};

}  // namespace engine
