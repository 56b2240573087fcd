#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "engine/engine.hpp"

namespace engine {

/// Samples of consecutive steps, the same on every rank.
struct Samples {
  std::int64_t first_step = 0;
  std::span<const double> force;      ///< F(t_p), [n]
  std::span<const double> x;          ///< [n]
  std::span<const double> y;          ///< [n]
  std::span<const double> restoring;  ///< F - m x'', [n]

  [[nodiscard]] std::int64_t last_step() const {
    return first_step + static_cast<std::int64_t>(x.size()) - 1;
  }
};

/// "No step": later than any.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Who looks at a trajectory between chunks: recorder, error norms, progress.
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
  virtual void exchange(std::int64_t /*step*/, Archive& /*archive*/) {}
};

}  // namespace engine
