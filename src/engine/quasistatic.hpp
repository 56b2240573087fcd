#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/memory.hpp"
#include "masing/equilibrium.hpp"

namespace engine {

/// The slab without a mass, by its turning points: at prescribed positions, or where it balances a
/// prescribed force; exact at the steps wherever what drives it is monotone between them. y is
/// the difference quotient of x over the last step.
template <masing::StiffnessMeasure Measure>
class Quasistatic final : public Memory<Measure> {
 public:
  /// `start`: x(0) or F(0). Else as Memory. Collective.
  Quasistatic(const parallel::Communicator& comm, const masing::Problem& problem,
              const masing::Profile& profile, std::shared_ptr<const Measure> measure,
              Steppers steppers, Driving driving, double start)
      : Memory<Measure>(comm, problem, profile, std::move(measure), steppers),
        driving_(driving),
        time_(problem.time),
        saturation_(masing::saturation_force(*this->measure_)) {
    this->begin([&] { follow(start, 0); });
  }

  [[nodiscard]] Driving driving() const override { return driving_; }

 private:
  void step_through(const Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = this->state_.x;
      follow(chunk.force[i + 1], chunk.first + 1 + static_cast<std::int64_t>(i));
      chunk.x[i] = this->state_.x;
      chunk.y[i] = (this->state_.x - before) / this->step_;
      chunk.restoring[i] = masing::restoring_force(this->oscillator_, this->state_);
    }
  }

  /// To the position, or to where the force is balanced, at step `step`.
  void follow(double value, std::int64_t step) {
    if (driving_ == Driving::position) {
      this->slab_.move_to(value);
    } else if (!masing::move_to_equilibrium(this->slab_, this->oscillator_.k0, value,
                                            saturation_)) {
      throw base::UserError("--force: F(t) = " + base::to_text(value) +
                            " at t = " + base::to_text(time_.time(step)) +
                            "; without a mass and with --k0 0 it must stay within +-" +
                            base::to_text(saturation_) + ", where everything slides");
    }
    this->state_ = {this->slab_.x(), 0.0, this->slab_.internal_force()};
  }

  Driving driving_;
  masing::TimeGrid time_;
  double saturation_;
};

}  // namespace engine
