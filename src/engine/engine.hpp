#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parallel/vector.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

/// Engines that advance a trajectory by chunks, the time loop, and the observers that watch it.
namespace masing::engine {

/// Where the state of a run goes when it is saved and comes from when it is restored. Engines and
/// observers hand over the same things by the same names both ways, so that save and restore cannot
/// differ.
class Archive {
 public:
  /// `group`: what the names of all owners begin with.
  explicit Archive(std::string group = {}) : group_(std::move(group)) {}
  virtual ~Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Names from now on are those of an owner. Local.
  void begin(const std::string& owner) { owner_ = owner + "/"; }

  /// Whether what is handed over is overwritten with what was saved. Local.
  [[nodiscard]] virtual bool restores() const = 0;
  /// Numbers of the root; restored, they are the same on every rank. As many as there are in
  /// `values`, or any number where it is empty: UserError otherwise. Collective.
  virtual void numbers(const std::string& name, std::vector<double>& values) = 0;
  /// An array split over the ranks, or whole on every rank; restored, it may be split otherwise. It
  /// must outlive what the archive does with it. Collective.
  virtual void split(const std::string& name, parallel::Vector& values) = 0;
  /// The same of some numbers and flags, each a variable. Collective.
  template <class... Values>
  void scalars(const std::string& name, Values&... values) {
    std::vector<double> all{static_cast<double>(values)...};
    numbers(name, all);
    std::size_t i = 0;
    ((values = static_cast<Values>(all[i++])), ...);
  }

 protected:
  /// "group owner/name". Local.
  [[nodiscard]] std::string path(const std::string& name) const { return group_ + owner_ + name; }

 private:
  std::string group_;
  std::string owner_;
};

/// Saves or restores a hysteresis memory.
void serialize(Archive& archive, slab::TurningPointState& state);

/// The mass at a step.
struct Sample {
  double x = 0.0;
  double y = 0.0;
  double restoring = 0.0;
};

/// What advances a trajectory. x and y are the same on every rank; u is split over the ranks.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The state at the current step: at first the initial one. Local.
  [[nodiscard]] virtual Sample sample() const = 0;
  /// Advance by the steps of the chunk and fill it. Nothing is allocated, parsed or written in it.
  /// Collective.
  virtual void advance(const slab::Chunk& chunk) = 0;
  /// u at the current step, [P] split at block limits, or the columns of the state of a model that
  /// is no slab. Collective.
  virtual const parallel::Vector& field() = 0;
  /// u at the current step for every η and u0, where the engine remembers turning points rather
  /// than cells; the same on every rank. Nothing otherwise. Collective.
  virtual std::optional<slab::RememberedElongation> elongation() { return std::nullopt; }
  /// ½ ∫ k u² ds at the current step, where the measure gives it without a sum over cells (P = ∞,
  /// and cells of a profile smooth in pieces); the same on every rank. Nothing otherwise.
  /// Collective.
  virtual std::optional<double> elastic_energy() { return std::nullopt; }
  /// ∫ F dx, ∫ S dx and ∫ c y² dt from t = 0 to the current step, of an engine that knows the
  /// motion between steps; to be asked for the first time at step 0. Nothing otherwise. Collective.
  virtual std::optional<slab::Works> works() { return std::nullopt; }
  /// How far the solution and a second one by another method have been apart in x and y so far, of
  /// an engine that makes one; the same on every rank. Else 0. Collective.
  [[nodiscard]] virtual double self_check() const { return 0.0; }
  /// Save or restore all that the steps after step `step` depend on, to the bit. Restoring needs an
  /// engine of the same configuration, at its start. Collective.
  virtual void serialize(std::int64_t step, Archive& archive) = 0;
};

/// Samples of consecutive steps, the same on every rank.
struct Samples {
  std::int64_t first_step = 0;
  std::span<const double> force;      ///< F(t_p), [n]
  std::span<const double> x;          ///< [n]
  std::span<const double> y;          ///< [n]
  std::span<const double> restoring;  ///< k0 x + S, [n]

  [[nodiscard]] std::int64_t last_step() const {
    return first_step + static_cast<std::int64_t>(x.size()) - 1;
  }
};

/// "No step": later than any.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Receives a trajectory chunk by chunk: recorders, recordings of studies, progress.
class Observer {
 public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// The first step after `step` at which the observer must see the field; a chunk ends there. The
  /// same on every rank. Local.
  [[nodiscard]] virtual std::int64_t next_field_step(std::int64_t /*step*/) const { return never; }

  /// Called once with step 0 alone, then with every chunk; engine.field() is u at the last of the
  /// samples. Collective.
  virtual void observe(const Samples& samples, Engine& engine) = 0;

  /// Save or restore what the observer keeps of the steps up to `step`; what it has written is in
  /// its file when this returns. Collective.
  virtual void serialize(std::int64_t /*step*/, Archive& /*archive*/) {}

  /// Called once after the last chunk: writes what is kept. Collective.
  virtual void finish() {}
};

}  // namespace masing::engine
