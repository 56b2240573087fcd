#include "engine/turning_points.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "slab/turning_points/equilibrium.hpp"

namespace masing::engine {

const parallel::Vector& LazyField::of(const slab::RememberedElongation& u,
                                      const slab::Profile& profile) {
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

slab::TurningPointState shared(const parallel::Communicator& comm, slab::TurningPointState memory) {
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

std::optional<double> elastic_energy_by(const parallel::Communicator& comm,
                                        const slab::Measure& measure,
                                        const slab::RememberedElongation& u) {
  // Known alike on all ranks, or on none.
  std::optional<double> energy = measure.elastic_energy(u);
  if (energy) {
    parallel::broadcast(comm, std::span(&*energy, 1));
  }
  return energy;
}

namespace {

/// The memory as the schemes see a slab.
struct MovedMemory {
  slab::TurningPoints& memory;

  double after(double d) { return memory.move_to(memory.x() + d); }
  std::array<double, 2> after(double d1, double d2) {
    const double first = after(d1);
    return {first, after(d2)};
  }
};

}  // namespace

TurningPointEngine::TurningPointEngine(const parallel::Communicator& comm, const Masing& masing,
                                       const slab::TimeGrid& time, const slab::Profile& profile,
                                       std::shared_ptr<const slab::Measure> measure,
                                       Steppers steppers)
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

void TurningPointEngine::advance(const slab::Chunk& chunk) {
  if (steppers_ == Steppers::all) {
    step_through(chunk);
  } else {
    fill_on_root(comm_, chunk, [&] { step_through(chunk); });
  }
  sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
}

std::optional<slab::RememberedElongation> TurningPointEngine::elongation() {
  bring_up_to_date();
  return slab_.elongation();
}

std::optional<double> TurningPointEngine::elastic_energy() {
  return elastic_energy_by(comm_, *measure_, *elongation());
}

void TurningPointEngine::exchange(std::int64_t /*step*/, Archive& archive) {
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
    slab_ = slab::TurningPoints(*measure_, memory);
  }
}

void TurningPointEngine::step_through(const slab::Chunk& chunk) {
  MovedMemory slab{slab_};
  slab::advance(scheme_, oscillator_, step_, chunk, state_, slab);
}

void TurningPointEngine::bring_up_to_date() {
  if (steppers_ == Steppers::root) {
    const slab::TurningPointState memory = shared(comm_, slab_.state());
    if (!comm_.is_root()) {
      slab_ = slab::TurningPoints(*measure_, memory);
    }
  }
}

Quasistatic::Quasistatic(const parallel::Communicator& comm, const QuasistaticMasing& model,
                         const slab::TimeGrid& time, const slab::Profile& profile,
                         std::shared_ptr<const slab::Measure> measure, Steppers steppers,
                         double start, double preload)
    : TurningPointEngine(comm,
                         Masing{.slab = model.slab,
                                .oscillator = {.preload = preload, .k0 = model.k0, .x0 = model.x0}},
                         time, profile, std::move(measure), steppers),
      driving_(model.driving),
      time_(time),
      saturation_(measure_->total().force) {
  begin([&] { follow(start, 0); });
}

void Quasistatic::step_through(const slab::Chunk& chunk) {
  for (std::size_t i = 0; i < chunk.x.size(); ++i) {
    const double before = state_.x;
    follow(chunk.force[i + 1], chunk.first + 1 + static_cast<std::int64_t>(i));
    chunk.x[i] = state_.x;
    chunk.y[i] = (state_.x - before) / step_;
    chunk.restoring[i] = slab::restoring_force(oscillator_, state_);
  }
}

void Quasistatic::follow(double value, std::int64_t step) {
  if (driving_ == Driving::position) {
    slab_.move_to(value);
  } else if (const double preload = oscillator_.preload;
             !slab::move_to_equilibrium(slab_, oscillator_.k0, value - preload, saturation_)) {
    throw base::UserError(
        "force", "F(t) = " + base::to_text(value) + " at t = " + base::to_text(time_.time(step)) +
                     "; without a mass and with k0 = 0 it must stay within " +
                     (preload == 0.0 ? "+-" + base::to_text(saturation_)
                                     : base::to_text(preload - saturation_) + " and " +
                                           base::to_text(preload + saturation_)) +
                     ", where everything slides");
  }
  state_ = {slab_.x(), 0.0, slab_.internal_force()};
}

}  // namespace masing::engine
