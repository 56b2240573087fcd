#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "masing/remembered_elongation.hpp"
#include "parallel/vector.hpp"

/// Engines that advance a trajectory by chunks, the time loop, and the observers that watch it.
namespace engine {

/// One chunk of n steps from step `first`: what an engine reads and fills.
struct Chunk {
  std::int64_t first = 0;         ///< the step before the first new one
  std::span<const double> force;  ///< F(t_p), p = first..first+n, [n+1]
  std::span<double> x;            ///< steps first+1..first+n, [n]
  std::span<double> y;            ///< [n]
  std::span<double> restoring;    ///< F - m x'', [n]
};

/// The mass at a step.
struct Sample {
  double x = 0.0;
  double y = 0.0;
  double restoring = 0.0;
};

/// What drives an engine, sampled at the steps as the force of its chunks.
enum class Driving { force, position };

/// What advances a trajectory. x and y are the same on every rank; u is split over the ranks.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// What the force of a chunk is; of prescribed positions the restoring force is the force. Local.
  [[nodiscard]] virtual Driving driving() const { return Driving::force; }
  /// The state at the current step: at first the initial one. Local.
  [[nodiscard]] virtual Sample sample() const = 0;
  /// Advance by the steps of the chunk and fill it. Nothing is allocated, parsed or written in it.
  /// Collective.
  virtual void advance(const Chunk& chunk) = 0;
  /// u at the current step, [P] split at block limits. Collective.
  virtual const parallel::Vector& field() = 0;
  /// u at the current step for every η and u0, where the engine remembers turning points rather
  /// than cells; the same on every rank. Nothing otherwise. Collective.
  virtual std::optional<masing::RememberedElongation> elongation() { return std::nullopt; }
  /// How far two solutions with different tolerances have been apart in x and y so far, where the
  /// engine checks itself; 0 otherwise. The same on every rank. Collective.
  [[nodiscard]] virtual double self_check() const { return 0.0; }
};

}  // namespace engine
