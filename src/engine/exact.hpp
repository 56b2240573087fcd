#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "engine/turning_points.hpp"
#include "slab/exact/exact_solution.hpp"

namespace masing::engine {

/// The exact solution as an engine: steps only set where samples lie. The root integrates and
/// shares x, y and the hysteresis memory, so that ranks cannot drift apart; each rank writes u at
/// its own points. At some steps a second solution, by another method with other tolerances, is
/// compared.
class Exact final : public Engine, public SelfChecking {
 public:
  /// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
  /// Collective.
  Exact(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
        const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure,
        const slab::ExactOptions& options = {})
      : SelfChecking(run.time.final_time),
        comm_(comm),
        oscillator_(masing.oscillator),
        profile_(profile),
        measure_(std::move(measure)),
        u_(comm, masing.slab.field_cells()) {
    const slab::TurningPoints start(*measure_, oscillator_.x0);
    sample_ = {oscillator_.x0, oscillator_.y0,
               slab::restoring_force(oscillator_, {oscillator_.x0, 0.0, start.internal_force()})};
    if (comm.is_root()) {
      const slab::SmoothPieces force(
          [drive = run.drive](double t) { return drive(t); }, masing.force_breaks,
          run.time.final_time,
          [drive = run.drive](double first, double last) { return drive.bounds(first, last); },
          drive_of(run));
      solution_ = std::make_unique<slab::ExactSolution>(*measure_, oscillator_, force, options);
      check_ = std::make_unique<slab::ExactSolution>(
          *measure_, oscillator_, force.checked_by([drive = run.drive](double first, double last) {
            return drive.range(first, last);
          }),
          slab::checking(options));
    }
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  /// Throws UserError where F is not finite, SystemError where the two solutions differ by more
  /// than a millionth of x or y, alike on all ranks.
  void advance(const slab::Chunk& chunk) override {
    fill_on_root(comm_, chunk, [&] {
      for (std::size_t i = 0; i < chunk.x.size(); ++i) {
        const double time = chunk.times[i];
        const slab::MassState state = solution_->at(time);
        chunk.x[i] = state.x;
        chunk.y[i] = state.y;
        chunk.restoring[i] = slab::restoring_force(oscillator_, state);
        if (compares_at(time)) {
          compare(time, state);
        }
      }
    });
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
    time_ = chunk.times.back();
  }

  const parallel::Vector& field() override { return u_.of(*elongation(), profile_); }

  std::optional<slab::RememberedElongation> elongation() override {
    const slab::TurningPointState own =
        comm_.is_root() ? solution_->turning_points().state() : slab::TurningPointState{};
    return slab::TurningPoints(*measure_, shared(comm_, own)).elongation();
  }

  std::optional<double> elastic_energy() override {
    return elastic_energy_by(comm_, *measure_, *elongation());
  }

  std::optional<slab::Works> works() override {
    follow_works(true);
    const slab::Works mine = comm_.is_root() ? solution_->works() : slab::Works{};
    std::array<double, 3> works{mine.input, mine.slab, mine.viscous};
    parallel::broadcast(comm_, works);
    return slab::Works{works[0], works[1], works[2]};
  }

  [[nodiscard]] double self_check() const override {
    double difference = difference_;
    parallel::broadcast(comm_, std::span(&difference, 1));
    return difference;
  }

  /// The solution is integrated again from the start: its own steps do not depend on the samples.
  void exchange(std::int64_t /*step*/, Archive& archive) override {
    std::vector<double> numbers{sample_.x,        sample_.y, sample_.restoring,         difference_,
                                next_comparison_, time_,     follows_works_ ? 1.0 : 0.0};
    archive.numbers("mass", numbers);
    if (archive.restores()) {
      sample_ = {numbers[0], numbers[1], numbers[2]};
      difference_ = numbers[3];
      next_comparison_ = numbers[4];
      time_ = numbers[5];
      follow_works(numbers[6] != 0.0);
      parallel::on_root(comm_, [&] {
        solution_->at(time_);
        check_->at(time_);
      });
    }
  }

 private:
  static constexpr double largest_difference = 1e-6;  // of what is to be compared

  /// Compares with the second solution at a step. On the root.
  void compare(double time, const slab::MassState& state) {
    const slab::MassState other = check_->at(time);
    const double x_apart = std::abs(other.x - state.x);
    const double y_apart = std::abs(other.y - state.y);
    difference_ = std::max({difference_, x_apart, y_apart});
    const double most = largest_difference * solution_->speed_scale();
    if (!(y_apart <= most && x_apart * solution_->frequency() <= most)) {
      throw base::SystemError(
          fmt::format("the exact solution fails its check: at t = {} two methods give x = {} and "
                      "{}, y = {} and "
                      "{}; the problem is too sensitive to rounding",
                      base::to_text(time), base::to_text(state.x), base::to_text(other.x),
                      base::to_text(state.y), base::to_text(other.y)));
    }
  }

  void follow_works(bool follow) {
    follows_works_ = follow;
    if (follow && comm_.is_root()) {
      solution_->follow_works();
    }
  }

  const parallel::Communicator& comm_;
  slab::Oscillator oscillator_;
  double time_ = 0.0;  // of the sample
  const slab::Profile& profile_;
  std::shared_ptr<const slab::Measure> measure_;
  std::unique_ptr<slab::ExactSolution> solution_;  // on the root
  std::unique_ptr<slab::ExactSolution> check_;     // on the root
  double difference_ = 0.0;                        // on the root
  bool follows_works_ = false;
  LazyField u_;
  Sample sample_;
};

}  // namespace masing::engine
