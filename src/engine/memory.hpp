#pragma once

#include <array>
#include <memory>

#include "engine/engine.hpp"
#include "engine/schemes.hpp"
#include "masing/profile.hpp"
#include "masing/turning_points.hpp"

namespace engine {

/// u written into a vector from a hysteresis memory, each rank its own cells. Local.
template <class Memory>
void write_field(const Memory& memory, const masing::Profile& profile, parallel::Vector& u) {
  const parallel::WriteAccess access(u);
  const auto values = access.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = memory.elongation(profile.threshold[i], profile.initial_u[i]);
  }
}

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P, and needs no communication where the measure is on every rank. In exact arithmetic it
/// is the scheme cell by cell. The measure answers alike on every rank.
template <masing::StiffnessMeasure Measure>
class Memory final : public Engine {
 public:
  /// `profile`: the points where this rank writes u; it must outlive the engine. Collective.
  Memory(const parallel::Communicator& comm, const masing::Problem& problem,
         const masing::Profile& profile, std::shared_ptr<const Measure> measure)
      : profile_(profile),
        scheme_(problem.scheme),
        oscillator_(problem.oscillator),
        step_(problem.time.step()),
        measure_(std::move(measure)),
        slab_(*measure_, oscillator_.x0),
        u_(comm, problem.field_cells()) {
    state_ = {oscillator_.x0, oscillator_.y0, slab_.internal_force()};
  }

  [[nodiscard]] Sample sample() const override {
    return {state_.x, state_.y, masing::restoring_force(oscillator_, state_)};
  }

  void advance(const Chunk& chunk) override {
    MovedMemory moved{slab_};
    engine::advance(scheme_, oscillator_, step_, chunk, state_, moved);
  }

  const parallel::Vector& field() override {
    write_field(slab_, profile_, u_);
    return u_;
  }

  Elongation elongation() override {
    return [measure = measure_, slab = slab_](double threshold, double initial_u) {
      return slab.elongation(threshold, initial_u);
    };
  }

 private:
  /// The memory as the schemes see a slab.
  struct MovedMemory {
    masing::TurningPoints<Measure>& memory;

    double after(double d) { return memory.move_to(memory.x() + d); }
    std::array<double, 2> after(double d1, double d2) {
      const double first = after(d1);
      return {first, after(d2)};
    }
  };

  const masing::Profile& profile_;
  options::Scheme scheme_;
  masing::Oscillator oscillator_;
  double step_;  // δt
  std::shared_ptr<const Measure> measure_;
  masing::TurningPoints<Measure> slab_;
  masing::MassState state_;
  parallel::Vector u_;
};

}  // namespace engine
