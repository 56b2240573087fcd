#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace engine {

/// Any model of finitely many columns, one step X⁺ = resolvent(X + h G(t_p, X)) after another. The
/// state is the same on every rank, each of which makes all steps. Source: (4.2),
/// rheological-models-2000.
template <rheology::Inclusion Model>
class Generic final : public Engine {
 public:
  /// `start`: the state at t = 0, [columns], where the force is `force`. Collective.
  Generic(const parallel::Communicator& comm, Model model, std::vector<double> start,
          const rheology::MotionColumns& motion, double step, double force)
      : model_(std::move(model)),
        motion_(motion),
        step_(step),
        state_(std::move(start)),
        rate_(state_.size()),
        columns_(comm, static_cast<std::int64_t>(state_.size())) {
    if constexpr (rheology::StartsFromForce<Model>) {
      model_.complete_start(force, state_);
    }
    friction_ = friction_at_start(force);
  }

  [[nodiscard]] Sample sample() const override {
    return {column(motion_.x), motion_.y ? column(*motion_.y) : 0.0,
            model_.restoring(state_, friction_)};
  }

  void advance(const Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = column(motion_.x);
      friction_ = rheology::make_step(
          model_, {.step = step_, .force = chunk.force[i], .next_force = chunk.force[i + 1]},
          state_, rate_);
      chunk.x[i] = column(motion_.x);
      chunk.y[i] = motion_.y ? column(*motion_.y) : (column(motion_.x) - before) / step_;
      chunk.restoring[i] = model_.restoring(state_, friction_);
    }
  }

  /// The columns of the state, as a row of /state/values has them.
  const parallel::Vector& field() override {
    const base::CellRange mine = columns_.range();
    const parallel::WriteAccess access(columns_);
    std::copy_n(state_.begin() + mine.first, mine.size, access.values().begin());
    return columns_;
  }

  void exchange(std::int64_t /*step*/, Archive& archive) override {
    archive.numbers("state", state_);
    std::vector<double> friction{friction_};
    archive.numbers("friction", friction);
    friction_ = friction.front();
  }

 private:
  [[nodiscard]] double column(std::int64_t c) const { return state_[static_cast<std::size_t>(c)]; }

  /// The friction force at t = 0 is that of the first step, however short: α sign(y) of what
  /// slides, the force that holds what rests.
  [[nodiscard]] double friction_at_start(double force) {
    constexpr double short_share = 1e-6;
    std::vector<double> trial = state_;
    return rheology::make_step(
        model_, {.step = short_share * step_, .force = force, .next_force = force}, trial, rate_);
  }

  Model model_;
  rheology::MotionColumns motion_;
  double step_;  // h
  std::vector<double> state_;
  double friction_ = 0.0;
  std::vector<double> rate_;
  parallel::Vector columns_;
};

}  // namespace engine
