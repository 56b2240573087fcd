#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

namespace {

class TurningPointEngine : public Engine {
 public:
  TurningPointEngine(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
                     const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure)
      : oscillator_(masing.oscillator),
        step_(run.time.step()),
        measure_(std::move(measure)),
        slab_(*measure_, oscillator_.x0),
        state_{oscillator_.x0, oscillator_.y0, slab_.internal_force()},
        profile_(profile),
        scheme_(masing.scheme),
        begins_relaxed_(measure_->begins_at_zero() && !masing.slab.is_shifted()),
        u_(comm, masing.slab.field_cells()) {}

  [[nodiscard]] Sample start() const override { return sample_of(oscillator_, state_); }

  void advance(const slab::Chunk& chunk) override {
    MovedSlab slab{slab_};
    slab::advance(scheme_, oscillator_, step_, chunk, state_, slab);
  }

  const parallel::Vector& state() override { return u_.of(*elongation(), profile_); }

  std::optional<slab::RememberedElongation> elongation() override { return slab_.elongation(); }

  std::optional<double> elastic_energy() override {
    if (const auto known = measure_->sums(slab_.elongation())) {
      return known->energy;
    }
    return begins_relaxed_ ? std::optional(slab_.elastic_energy()) : std::nullopt;
  }

  void serialize(Archive& archive) override {
    archive.scalars("mass", state_.x, state_.y, state_.internal_force);
    slab::TurningPointState state = slab_.state();
    archive.scalars("memory", state.x0, state.x, state.direction, state.opposite, state.wiped_out,
                    state.outer_start);
    if (archive.restores()) {
      state.positions.clear();  // an empty vector accepts any number of saved positions
    }
    archive.numbers("turning points", state.positions);
    if (archive.restores()) {
      slab_ = slab::TurningPoints(*measure_, state);
    }
  }

 private:
  /// The slab as the time stepping schemes use it: after(d) moves x by the increment d and returns
  /// the internal force δs Σ k_i v_i, where v = u - c (see slab::Slab).
  struct MovedSlab {
    slab::TurningPoints& slab;

    double after(double d) { return slab.move_to(slab.x() + d); }
    std::array<double, 2> after(double d1, double d2) {
      const double first = after(d1);
      return {first, after(d2)};
    }
  };

 protected:
  slab::Oscillator oscillator_;
  double step_;  // δt
  std::shared_ptr<const slab::Measure> measure_;
  slab::TurningPoints slab_;
  slab::MassState state_;

 private:
  const slab::Profile& profile_;
  slab::Scheme scheme_;
  bool begins_relaxed_;  // whether u = v, and v0 = 0 in all cells (see slab::Slab)
  LazyField u_;
};

class Quasistatic final : public TurningPointEngine {
 public:
  Quasistatic(const parallel::Communicator& comm, const RunSpec& run, const Masing& masing,
              const slab::Profile& profile, std::shared_ptr<const slab::Measure> measure)
      : TurningPointEngine(comm, run, masing, profile, std::move(measure)),
        gives_position_(run.gives_position),
        time_(run.time),
        saturation_(measure_->total().force) {
    follow(drives_at_start(comm, run).front(), 0);
  }

  void advance(const slab::Chunk& chunk) override {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const double before = state_.x;
      follow(chunk.force[i + 1], chunk.first + 1 + static_cast<std::int64_t>(i));
      chunk.x[i] = state_.x;
      chunk.y[i] = (state_.x - before) / step_;
      chunk.restoring[i] = slab::restoring_force(oscillator_, state_);
    }
  }

 private:
  /// Moves the slab to the prescribed position `value`, or to the position at which the slab and
  /// the spring k0 balance the prescribed force `value`. Throws UserError if no position balances
  /// the force; the message states the time of step `step`. Local.
  void follow(double value, std::int64_t step) {
    if (gives_position_) {
      slab_.move_to(value);
    } else if (const double preload = oscillator_.preload;
               !slab::move_to_equilibrium(slab_, oscillator_.k0, value - preload, saturation_)) {
      throw base::NamedQuantity().fault(
          value, "t = " + base::to_text(time_.time(step)),
          "without a mass and with k0 = 0 it must stay within " +
              (preload == 0.0 ? "+-" + base::to_text(saturation_)
                              : base::to_text(preload - saturation_) + " and " +
                                    base::to_text(preload + saturation_)) +
              ", where everything slides");
    }
    state_ = {slab_.x(), 0.0, slab_.internal_force()};
  }

  bool gives_position_;
  slab::TimeGrid time_;
  double saturation_;
};

}  // namespace

std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm, const RunSpec& run,
                                    const Masing& masing, const slab::Profile& profile,
                                    std::shared_ptr<const slab::Measure> measure) {
  if (masing.has_mass()) {
    return std::make_unique<TurningPointEngine>(comm, run, masing, profile, std::move(measure));
  }
  return std::make_unique<Quasistatic>(comm, run, masing, profile, std::move(measure));
}

}  // namespace masing::engine
