#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/vector.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/elastic_energy.hpp"
#include "slab/turning_points/equilibrium.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// u as a vector, made when it is first asked for: of many cells few runs do.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// u from a hysteresis memory, each rank its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile) {
    if (!field_) {
      field_.emplace(comm_, cells_);
    }
    const parallel::WriteAccess access(*field_);
    const auto values = access.values();
    for (std::int64_t i = 0; i < profile.range.size; ++i) {
      values[static_cast<std::size_t>(i)] = u(profile.element(i));
    }
    return *field_;
  }

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

/// The root's turning points, on every rank. Collective.
inline slab::TurningPointState shared(const parallel::Communicator& comm,
                                      slab::TurningPointState memory) {
  std::array<double, 3> places{memory.x0, memory.x, memory.opposite};
  std::array<std::int64_t, 2> numbers{memory.direction, std::ssize(memory.positions)};
  parallel::broadcast(comm, places);
  parallel::broadcast(comm, numbers);
  memory.x0 = places[0];
  memory.x = places[1];
  memory.opposite = places[2];
  memory.direction = static_cast<int>(numbers[0]);
  memory.positions.resize(static_cast<std::size_t>(numbers[1]));
  parallel::broadcast(comm, memory.positions);
  return memory;
}

/// The root's x, y and restoring force of a chunk, on every rank; `work` fills them on the root,
/// and a UserError it throws there is thrown on every rank. Collective.
template <class Work>
void fill_on_root(const parallel::Communicator& comm, const slab::Chunk& chunk, const Work& work) {
  parallel::on_root(comm, [&] { work(); });
  parallel::broadcast(comm, chunk.x);
  parallel::broadcast(comm, chunk.y);
  parallel::broadcast(comm, chunk.restoring);
}

/// ½ ∫ k u² ds by a measure that knows it: the root's value, on every rank. Collective.
template <class Measure>
std::optional<double> elastic_energy_by(const parallel::Communicator& comm, const Measure& measure,
                                        const slab::RememberedElongation& u) {
  if constexpr (requires { elastic_energy(measure, u); }) {
    double energy = comm.is_root() ? elastic_energy(measure, u) : 0.0;
    parallel::broadcast(comm, std::span(&energy, 1));
    return energy;
  } else {
    return std::nullopt;
  }
}

/// Which ranks step a memory: all alike, where look-ups give the same bits on all or are
/// collective; the root, which then shares x and y, where the measure comes from library functions
/// that may differ from host to host.
enum class Steppers { all, root };

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P. In exact arithmetic it is the scheme cell by cell.
template <slab::StiffnessMeasure Measure>
class TurningPointEngine : public Engine {
 public:
  /// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
  /// Collective.
  TurningPointEngine(const parallel::Communicator& comm, const Masing& masing,
                     const slab::TimeGrid& time, const slab::Profile& profile,
                     std::shared_ptr<const Measure> measure, Steppers steppers)
      : oscillator_(masing.oscillator),
        step_(time.step()),
        measure_(std::move(measure)),
        slab_(*measure_, oscillator_.x0),
        comm_(comm),
        profile_(profile),
        scheme_(masing.scheme),
        steppers_(steppers),
        u_(comm, masing.slab.field_cells()) {
    begin([this] { state_ = {oscillator_.x0, oscillator_.y0, slab_.internal_force()}; });
  }

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const slab::Chunk& chunk) override {
    if (steppers_ == Steppers::all) {
      step_through(chunk);
    } else {
      fill_on_root(comm_, chunk, [&] { step_through(chunk); });
    }
    sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
  }

  const parallel::Vector& field() override { return u_.of(*elongation(), profile_); }

  std::optional<slab::RememberedElongation> elongation() override {
    bring_up_to_date();
    return slab_.elongation();
  }

  std::optional<double> elastic_energy() override {
    return elastic_energy_by(comm_, *measure_, *elongation());
  }

  void exchange(std::int64_t /*step*/, Archive& archive) override {
    bring_up_to_date();
    std::vector<double> mass{state_.x,  state_.y,  state_.internal_force,
                             sample_.x, sample_.y, sample_.restoring};
    archive.numbers("mass", mass);
    state_ = {mass[0], mass[1], mass[2]};
    sample_ = {mass[3], mass[4], mass[5]};
    slab::TurningPointState memory = slab_.state();
    std::vector<double> corner{memory.x0, memory.x, static_cast<double>(memory.direction),
                               memory.opposite};
    archive.numbers("memory", corner);
    if (archive.restores()) {
      memory.positions.clear();  // however many there were
    }
    archive.numbers("turning points", memory.positions);
    if (archive.restores()) {
      memory.x0 = corner[0];
      memory.x = corner[1];
      memory.direction = static_cast<int>(corner[2]);
      memory.opposite = corner[3];
      slab_ = slab::TurningPoints<Measure>(*measure_, memory);
    }
  }

 protected:
  /// The first sample, of the state that `set_state` sets where ranks step. Collective.
  template <class SetState>
  void begin(const SetState& set_state) {
    if (steppers_ == Steppers::all) {
      set_state();
    } else {
      parallel::on_root(comm_, [&] { set_state(); });
    }
    std::array<double, 3> start{state_.x, state_.y, slab::restoring_force(oscillator_, state_)};
    parallel::broadcast(comm_, start);
    sample_ = {start[0], start[1], start[2]};
  }

  /// Fill the chunk, on the ranks that step.
  virtual void step_through(const slab::Chunk& chunk) {
    MovedSlab slab{slab_};
    slab::advance(scheme_, oscillator_, step_, chunk, state_, slab);
  }

 private:
  /// The memory as the schemes see a slab.
  struct MovedSlab {
    slab::TurningPoints<Measure>& memory;

    double after(double d) { return memory.move_to(memory.x() + d); }
    std::array<double, 2> after(double d1, double d2) {
      const double first = after(d1);
      return {first, after(d2)};
    }
  };

  /// Ranks that do not step take the memory of the root.
  void bring_up_to_date() {
    if (steppers_ == Steppers::root) {
      const slab::TurningPointState memory = shared(comm_, slab_.state());
      if (!comm_.is_root()) {
        slab_ = slab::TurningPoints<Measure>(*measure_, memory);
      }
    }
  }

 protected:
  slab::Oscillator oscillator_;
  double step_;  // δt
  std::shared_ptr<const Measure> measure_;
  slab::TurningPoints<Measure> slab_;
  slab::MassState state_;

 private:
  const parallel::Communicator& comm_;
  const slab::Profile& profile_;
  slab::Scheme scheme_;
  Steppers steppers_;
  Sample sample_;
  LazyField u_;
};

/// The slab without a mass, by its turning points: at prescribed positions, or where it balances a
/// prescribed force; exact at the steps wherever what drives it is monotone between them. y is
/// the difference quotient of x over the last step.
template <slab::StiffnessMeasure Measure>
class Quasistatic final : public TurningPointEngine<Measure> {
 public:
  /// `start`: x(0) or F(0); `preload`: Oscillator's. Else as TurningPointEngine. Collective.
  Quasistatic(const parallel::Communicator& comm, const QuasistaticMasing& model,
              const slab::TimeGrid& time, const slab::Profile& profile,
              std::shared_ptr<const Measure> measure, Steppers steppers, double start,
              double preload)
      : TurningPointEngine<Measure>(
            comm,
            Masing{.slab = model.slab,
                   .oscillator = {.preload = preload, .k0 = model.k0, .x0 = model.x0}},
            time, profile, std::move(measure), steppers),
        driving_(model.driving),
        time_(time),
        saturation_(slab::saturation_force(*this->measure_)) {
    this->begin([&] { follow(start, 0); });
  }

 private:
  void step_through(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = this->state_.x;
      follow(chunk.force[i + 1], chunk.first + 1 + static_cast<std::int64_t>(i));
      chunk.x[i] = this->state_.x;
      chunk.y[i] = (this->state_.x - before) / this->step_;
      chunk.restoring[i] = slab::restoring_force(this->oscillator_, this->state_);
    }
  }

  /// To the position, or to where the force is balanced, at step `step`.
  void follow(double value, std::int64_t step) {
    if (driving_ == Driving::position) {
      this->slab_.move_to(value);
    } else if (const double preload = this->oscillator_.preload; !slab::move_to_equilibrium(
                   this->slab_, this->oscillator_.k0, value - preload, saturation_)) {
      throw base::UserError(
          "force", "F(t) = " + base::to_text(value) + " at t = " + base::to_text(time_.time(step)) +
                       "; without a mass and with k0 = 0 it must stay within " +
                       (preload == 0.0 ? "+-" + base::to_text(saturation_)
                                       : base::to_text(preload - saturation_) + " and " +
                                             base::to_text(preload + saturation_)) +
                       ", where everything slides");
    }
    this->state_ = {this->slab_.x(), 0.0, this->slab_.internal_force()};
  }

  Driving driving_;
  slab::TimeGrid time_;
  double saturation_;
};

}  // namespace masing::engine
