#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "parallel/vector.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

/// The room of the engines, which advance a trajectory by chunks of steps, of the time loop, and of
/// the observers, which are called after every chunk.
namespace masing::engine {

/// Saves or restores the state of a run. In both cases engines and observers pass the same
/// variables under the same names.
class Archive {
 public:
  Archive() = default;
  virtual ~Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Sets the owner, such as "engine", of all variables that are passed until the next call. Local.
  void begin(const std::string& owner) { owner_ = owner + "/"; }

  /// Returns true if the archive restores, that is, overwrites the passed variables with the saved
  /// values, and false if the archive saves the variables. Local.
  [[nodiscard]] virtual bool restores() const = 0;
  /// Saves the root's `values`, or restores `values` on every rank. To restore, `values` must be
  /// empty or have the number of saved values; if not, throws UserError. Collective.
  virtual void numbers(const std::string& name, std::vector<double>& values) = 0;
  /// Saves or restores a vector that is split over the ranks, or that every rank stores whole. The
  /// vector may be restored with another distribution over the ranks than it was saved with. A
  /// saving archive may keep a pointer to the vector and read the values only when the checkpoint
  /// is written; until then the vector must exist and must not change. Collective.
  virtual void split(const std::string& name, parallel::Vector& values) = 0;
  /// Saves or restores single numbers and flags together under one name, as numbers() does.
  /// Collective.
  template <class... Values>
  void scalars(const std::string& name, Values&... values) {
    std::vector<double> all{static_cast<double>(values)...};
    numbers(name, all);
    std::size_t i = 0;
    ((values = static_cast<Values>(all[i++])), ...);
  }
  /// Saves or restores values that consist of numbers of eight bytes, as numbers() does.
  /// Collective.
  template <class Value>
  void structs(const std::string& name, std::vector<Value>& values) {
    constexpr std::size_t size = sizeof(Value) / sizeof(double);
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) == size * sizeof(double));
    std::vector<double> all(size * values.size());
    std::ranges::copy(std::as_bytes(std::span(values)),
                      std::as_writable_bytes(std::span(all)).begin());
    numbers(name, all);
    values.resize(all.size() / size);
    std::ranges::copy(std::as_bytes(std::span(all)),
                      std::as_writable_bytes(std::span(values)).begin());
  }

 protected:
  /// Returns the full name of a variable: owner, "/" and name. Local.
  [[nodiscard]] std::string path(const std::string& name) const { return owner_ + name; }

 private:
  std::string owner_;
};

/// The position, velocity and restoring force of the mass that F acts on, at one time.
struct Sample {
  double x = 0.0;
  double y = 0.0;
  double restoring = 0.0;
};

/// Returns the sample of a mass on a slab. Local.
inline Sample sample_of(const slab::Oscillator& oscillator, const slab::MassState& state) {
  return {state.x, state.y, slab::restoring_force(oscillator, state)};
}

/// What is recorded of a watched node at every step.
struct WatchedNode {
  double x = 0.0;
  double y = 0.0;
  double a = 0.0;           ///< the absolute acceleration, x'' + a_g if the base moves
  double elongation = 0.0;  ///< that of the element below the node; NaN for node 0
  double force = 0.0;       ///< the force of this element; NaN for node 0
  double restoring = 0.0;   ///< f_i - f_{i+1}
};

/// The interface of a method that advances one trajectory. x and y are the same on every rank; u
/// may be split over the ranks.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns position, velocity and restoring force of the mass at step 0. Must be called before
  /// the first call of advance(). Local.
  [[nodiscard]] virtual Sample start() const = 0;
  /// Advances by the steps of the chunk and writes x, y and the restoring force of these steps to
  /// the arrays of the chunk. Implementations neither parse text nor access files here. Collective.
  virtual void advance(const slab::Chunk& chunk) = 0;
  /// Returns u at the current step, [P] (if P = ∞, at the places of slab::Continuum), split over
  /// the ranks at limits of blocks of cells (base/partition.hpp). If the model is not a slab,
  /// returns the columns of the state of the model, or x and y of all nodes in turn. Collective.
  virtual const parallel::Vector& state() = 0;
  /// Returns a function that computes u of a cell (a slab::Element) at the current step, if the
  /// engine stores turning points and not u of each cell. Returns no value for all other engines.
  /// The function is the same on every rank. Collective.
  virtual std::optional<slab::RememberedElongation> elongation() { return std::nullopt; }
  /// Returns ½ ∫ k u² ds at the current step, if it follows from the turning points without a sum
  /// over cells: for P = ∞, for a run for which has_smooth_cells() is true, and for any P if u0 = 0
  /// and the thresholds are the same in both directions (not if the solution is exact). Returns no
  /// value for all other runs. The result is the same on every rank. Collective.
  virtual std::optional<double> elastic_energy() { return std::nullopt; }
  /// Returns ∫ F dx, ∫ S dx and ∫ c y² dt from t = 0 to the current step, if the engine computes
  /// the exact solution of a slab. Returns no value for all other engines. The first call must be
  /// at step 0, because it starts the integration. Collective.
  virtual std::optional<slab::Works> works() { return std::nullopt; }
  /// Returns the rows of the steps of the last chunk of a model with nodes, [steps][1 + watched]:
  /// the node that F acts on, then the watched nodes. They are the same on every rank. Returns an
  /// empty span for other models. Local.
  [[nodiscard]] virtual std::span<const WatchedNode> watched() { return {}; }
  /// Returns a warning about the motion so far, or an empty string. Collective.
  [[nodiscard]] virtual std::string warning() { return {}; }
  /// Returns the largest difference so far between the solution and a second solution, if the
  /// engine computes two, or 0 if not. The second one is computed by another method (for a slab) or
  /// with other options (for a model of finitely many elements). For a slab, x and y of both
  /// solutions are compared; for a model of finitely many elements, all columns of the state. The
  /// result is the same on every rank. Collective.
  [[nodiscard]] virtual double self_check() const { return 0.0; }
  /// Saves the data from which another engine with the same configuration can continue after the
  /// current step, or restores this engine from such data. The restored engine computes the later
  /// steps with the same bits. It must be restored before the first call of advance(). Collective.
  virtual void serialize(Archive& archive) = 0;
};

/// The motion of the mass in n consecutive steps; it is the same on every rank.
struct Motion {
  std::int64_t first_step = 0;
  /// The first of RunSpec::drives at the steps, [n]. If the position is prescribed, this is the
  /// restoring force; if the engine was advanced to given times, it is empty.
  std::span<const double> force;
  std::span<const double> x;  ///< x at the steps, [n]
  std::span<const double> y;  ///< y at the steps, [n]
  /// The restoring force at the steps, [n]: k0 x + S for a slab, F - m x'' for all other models.
  std::span<const double> restoring;

  [[nodiscard]] std::int64_t last_step() const {
    return first_step + static_cast<std::int64_t>(x.size()) - 1;
  }
};

/// A value that stands for "no step" and is larger than any step.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Base class of objects that receive a trajectory chunk by chunk, such as the recorders of result
/// files.
class Observer {
 public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Returns the first step after `step` at which the observer needs the state; a chunk ends at
  /// this step. The result must be the same on every rank. Local.
  [[nodiscard]] virtual std::int64_t next_state_step(std::int64_t /*step*/) const { return never; }

  /// Processes the motion of a chunk. In a new run this function is called with step 0 alone, then
  /// with every chunk; in a resumed run, with every chunk after the checkpoint. During the call,
  /// engine.state() returns the state at the last of the steps. Collective.
  virtual void observe(const Motion& motion, Engine& engine) = 0;

  /// Saves or restores the data of the observer for the steps up to `step`. To save, an observer
  /// that writes a file must also write all its rows before this function returns. Collective.
  virtual void serialize(std::int64_t /*step*/, Archive& /*archive*/) {}

  /// Writes the data that are not yet written. This function is called once, when the engine has
  /// reached the last step.
  /// Collective.
  virtual void finish(Engine& /*engine*/) {}
};

}  // namespace masing::engine
