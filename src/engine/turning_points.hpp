#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/vector.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
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

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P. In exact arithmetic it is the scheme cell by cell. All ranks step alike: on several a
/// look-up of the measure is collective.
/// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
/// Collective.
std::unique_ptr<Engine> make_by_turning_points(const parallel::Communicator& comm,
                                               const Masing& masing, const slab::TimeGrid& time,
                                               const slab::Profile& profile,
                                               std::shared_ptr<const slab::Measure> measure);

/// The slab without a mass, by its turning points: at prescribed positions, or where it balances a
/// prescribed force; exact at the steps wherever what drives it is monotone between them. y is
/// the difference quotient of x over the last step.
/// `start`: x(0) or F(0); `preload`: Oscillator's. Else as above. Collective.
std::unique_ptr<Engine> make_by_turning_points(const parallel::Communicator& comm,
                                               const QuasistaticMasing& model,
                                               const slab::TimeGrid& time,
                                               const slab::Profile& profile,
                                               std::shared_ptr<const slab::Measure> measure,
                                               double start, double preload);

}  // namespace masing::engine
