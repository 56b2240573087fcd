#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "engine/state_columns.hpp"
#include "rheology/exact_solution.hpp"

namespace masing::engine {

/// The exact solution of a model of finitely many elements as an engine: steps only set where
/// samples lie. The root integrates, and shares what it finds. At some steps a second solution,
/// with other polynomials and spans, is compared.
class ExactInclusion final : public Engine, public SelfChecking {
 public:
  /// `comm` must outlive it. Collective.
  ExactInclusion(const parallel::Communicator& comm, const RunSpec& run,
                 const rheology::ModelSpec& spec)
      : SelfChecking(run.time.final_time),
        comm_(comm),
        motion_(spec.layout().motion()),
        columns_(comm, spec.layout(), spec.all(), rheology::Work::replicated),
        state_(static_cast<std::size_t>(spec.layout().size())) {
    parallel::on_root(comm, [&] {
      solution_ = made(run, spec, {}, false);
      check_ = made(run, spec, rheology::checking_options, true);
      solution_->go_to(0.0);
      sample_ = shown();
    });
    share_sample();
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  /// Throws UserError where F is not finite, SystemError where the two solutions differ by more
  /// than a millionth of x or y, or one of them breaks the inclusion, alike on all ranks.
  void advance(const slab::Chunk& chunk) override {
    parallel::on_root(comm_, [&] {
      for (std::size_t i = 0; i < chunk.x.size(); ++i) {
        solution_->go_to(chunk.times[i]);
        const Sample now = shown();
        chunk.x[i] = now.x;
        chunk.y[i] = now.y;
        chunk.restoring[i] = now.restoring;
        if (compares_at(chunk.times[i])) {
          compare(chunk.times[i]);
        }
      }
    });
    parallel::broadcast(comm_, chunk.x);
    parallel::broadcast(comm_, chunk.y);
    parallel::broadcast(comm_, chunk.restoring);
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
    time_ = chunk.times.back();
  }

  const parallel::Vector& field() override {
    if (comm_.is_root()) {
      std::ranges::copy(solution_->state(), state_.begin());
    }
    parallel::broadcast(comm_, std::span(state_));
    return columns_.gather(state_);
  }

  [[nodiscard]] double self_check() const override {
    double difference = difference_;
    parallel::broadcast(comm_, std::span(&difference, 1));
    return difference;
  }

  /// The solution is integrated again from the start: its own steps do not depend on the samples.
  void exchange(std::int64_t /*step*/, Archive& archive) override {
    std::vector<double> numbers{sample_.x,   sample_.y,        sample_.restoring,
                                difference_, next_comparison_, time_};
    archive.numbers("mass", numbers);
    if (archive.restores()) {
      sample_ = {numbers[0], numbers[1], numbers[2]};
      difference_ = numbers[3];
      next_comparison_ = numbers[4];
      time_ = numbers[5];
      parallel::on_root(comm_, [&] {
        solution_->go_to(time_);
        check_->go_to(time_);
      });
    }
  }

 private:
  static std::unique_ptr<rheology::ExactSolution> made(const RunSpec& run,
                                                       const rheology::ModelSpec& spec,
                                                       const rheology::ExactOptions& options,
                                                       bool checks) {
    rheology::BuiltModel built = rheology::build(spec, spec.all());
    base::SmoothPieces force(
        [drive = run.drive](double t) { return drive(t); }, spec.force_breaks, run.time.final_time,
        [drive = run.drive](double first, double last) { return drive.bounds(first, last); });
    if (checks) {
      force = force.checked_by(
          [drive = run.drive](double first, double last) { return drive.range(first, last); });
    }
    return std::make_unique<rheology::ExactSolution>(std::move(built.model), spec.layout(),
                                                     std::move(built.start), force, options);
  }

  /// The mass that F acts on; of a model without a mass y is x'.
  [[nodiscard]] Sample shown() const {
    const auto x = static_cast<std::size_t>(motion_.x);
    return {
        solution_->state()[x],
        motion_.y ? solution_->state()[static_cast<std::size_t>(*motion_.y)] : solution_->rate()[x],
        solution_->restoring()};
  }

  /// Follow with the second solution up to t, and compare all positions and velocities.
  void compare(double t) {
    constexpr double largest_difference = 1e-6;  // of the largest of its group
    check_->go_to(t);
    for (std::size_t c = 0; c < state_.size(); ++c) {
      const double one = solution_->state()[c];
      const double other = check_->state()[c];
      difference_ = std::max(difference_, std::abs(one - other));
      if (!(std::abs(one - other) <= largest_difference * solution_->scale(c))) {
        throw base::SystemError(
            fmt::format("the exact solution fails its check: at t = {} two ways give {} and {} for "
                        "column {} of "
                        "the state; the problem is too sensitive to rounding",
                        base::to_text(t), base::to_text(one), base::to_text(other), c + 1));
      }
    }
  }

  void share_sample() {
    double numbers[] = {sample_.x, sample_.y, sample_.restoring};
    parallel::broadcast(comm_, numbers);
    sample_ = {numbers[0], numbers[1], numbers[2]};
  }

  const parallel::Communicator& comm_;
  double time_ = 0.0;  // of the sample
  rheology::MotionColumns motion_;
  StateColumns columns_;
  std::unique_ptr<rheology::ExactSolution> solution_;  // on the root
  std::unique_ptr<rheology::ExactSolution> check_;     // on the root
  double difference_ = 0.0;                            // on the root
  std::vector<double> state_;
  Sample sample_;
};

}  // namespace masing::engine
