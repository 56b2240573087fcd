#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/vector.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// u as a vector, made when it is first asked for: of many cells few runs do.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// u from a hysteresis memory, each rank its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile);

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

/// The root's turning points, on every rank. Collective.
slab::TurningPointState shared(const parallel::Communicator& comm, slab::TurningPointState memory);

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
std::optional<double> elastic_energy_by(const parallel::Communicator& comm,
                                        const slab::Measure& measure,
                                        const slab::RememberedElongation& u);

/// Which ranks step a memory: all alike, where look-ups give the same bits on all or are
/// collective; the root, which then shares x and y, where the measure comes from library functions
/// that may differ from host to host.
enum class Steppers { all, root };

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P. In exact arithmetic it is the scheme cell by cell.
class TurningPointEngine : public Engine {
 public:
  /// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
  /// Collective.
  TurningPointEngine(const parallel::Communicator& comm, const Masing& masing,
                     const slab::TimeGrid& time, const slab::Profile& profile,
                     std::shared_ptr<const slab::Measure> measure, Steppers steppers);

  [[nodiscard]] Sample sample() const override { return sample_; }

  void advance(const slab::Chunk& chunk) override;

  const parallel::Vector& field() override { return u_.of(*elongation(), profile_); }

  std::optional<slab::RememberedElongation> elongation() override;

  std::optional<double> elastic_energy() override;

  void exchange(std::int64_t step, Archive& archive) override;

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
  virtual void step_through(const slab::Chunk& chunk);

 private:
  /// Ranks that do not step take the memory of the root.
  void bring_up_to_date();

 protected:
  slab::Oscillator oscillator_;
  double step_;  // δt
  std::shared_ptr<const slab::Measure> measure_;
  slab::TurningPoints slab_;
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
class Quasistatic final : public TurningPointEngine {
 public:
  /// `start`: x(0) or F(0); `preload`: Oscillator's. Else as TurningPointEngine. Collective.
  Quasistatic(const parallel::Communicator& comm, const QuasistaticMasing& model,
              const slab::TimeGrid& time, const slab::Profile& profile,
              std::shared_ptr<const slab::Measure> measure, Steppers steppers, double start,
              double preload);

 private:
  void step_through(const slab::Chunk& chunk) override;

  /// To the position, or to where the force is balanced, at step `step`.
  void follow(double value, std::int64_t step);

  Driving driving_;
  slab::TimeGrid time_;
  double saturation_;
};

}  // namespace masing::engine
