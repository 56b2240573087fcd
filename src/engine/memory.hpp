#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "engine/remembered_field.hpp"
#include "engine/schemes.hpp"

namespace engine {

/// Which ranks step a memory: all alike, where look-ups give the same bits on all or are
/// collective; the root, which then shares x and y, where the measure comes from library functions
/// that may differ from host to host.
enum class Steppers { all, root };

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P. In exact arithmetic it is the scheme cell by cell.
template <masing::StiffnessMeasure Measure>
class Memory : public Engine {
 public:
  /// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
  /// Collective.
  Memory(const parallel::Communicator& comm, const masing::Problem& problem,
         const masing::Profile& profile, std::shared_ptr<const Measure> measure, Steppers steppers)
      : oscillator_(problem.oscillator),
        step_(problem.time.step()),
        measure_(std::move(measure)),
        slab_(*measure_, oscillator_.x0),
        comm_(comm),
        profile_(profile),
        scheme_(problem.scheme),
        steppers_(steppers),
        u_(comm, problem.field_cells()) {
    begin([this] { state_ = {oscillator_.x0, oscillator_.y0, slab_.internal_force()}; });
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const Chunk& chunk) override {
    if (steppers_ == Steppers::all) {
      step_through(chunk);
    } else {
      fill_on_root(comm_, chunk, [&] { step_through(chunk); });
    }
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
  }

  const parallel::Vector& field() override {
    write_field(*elongation(), profile_, u_);
    return u_;
  }

  std::optional<masing::RememberedElongation> elongation() override {
    bring_up_to_date();
    return slab_.elongation();
  }

  void exchange(std::int64_t /*step*/, Archive& archive) override {
    bring_up_to_date();
    std::vector<double> mass{state_.x,  state_.y,  state_.internal_force,
                             sample_.x, sample_.y, sample_.restoring};
    archive.numbers("mass", mass);
    state_ = {mass[0], mass[1], mass[2]};
    sample_ = {mass[3], mass[4], mass[5]};
    masing::TurningPointState memory = slab_.state();
    std::vector<double> corner{memory.x0, memory.x, static_cast<double>(memory.direction)};
    archive.numbers("memory", corner);
    if (archive.restores()) {
      memory.positions.clear();  // however many there were
    }
    archive.numbers("turning points", memory.positions);
    if (archive.restores()) {
      memory.x0 = corner[0];
      memory.x = corner[1];
      memory.direction = static_cast<int>(corner[2]);
      slab_ = masing::TurningPoints<Measure>(*measure_, memory);
    }
  }

 protected:
  /// The first sample, of the state that `set_state` sets where ranks step. Collective.
  template <class SetState>
  void begin(const SetState& set_state) {
    if (steppers_ == Steppers::all) {
      set_state();
    } else {
      parallel::from_root(comm_, [&] {
        set_state();
        return std::string();
      });
    }
    std::array<double, 3> start{state_.x, state_.y, masing::restoring_force(oscillator_, state_)};
    parallel::broadcast(comm_, start);
    sample_ = {start[0], start[1], start[2]};
  }

  /// Fill the chunk, on the ranks that step.
  virtual void step_through(const Chunk& chunk) {
    MovedMemory slab{slab_};
    engine::advance(scheme_, oscillator_, step_, chunk, state_, slab);
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

  /// Ranks that do not step take the memory of the root.
  void bring_up_to_date() {
    if (steppers_ == Steppers::root) {
      const masing::TurningPointState memory = shared(comm_, slab_.state());
      if (!comm_.is_root()) {
        slab_ = masing::TurningPoints<Measure>(*measure_, memory);
      }
    }
  }

 protected:
  masing::Oscillator oscillator_;
  double step_;  // δt
  std::shared_ptr<const Measure> measure_;
  masing::TurningPoints<Measure> slab_;
  masing::MassState state_;

 private:
  const parallel::Communicator& comm_;
  const masing::Profile& profile_;
  options::Scheme scheme_;
  Steppers steppers_;
  Sample sample_;
  parallel::Vector u_;
};

}  // namespace engine
