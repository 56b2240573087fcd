#pragma once

#include <cstdint>

namespace engine {

/// Who writes checkpoints of a run, between its chunks.
class Checkpointer {
 public:
  Checkpointer() = default;
  virtual ~Checkpointer() = default;
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// The first step after `step` at which one is due; a chunk ends there. The same on every rank.
  /// Local.
  [[nodiscard]] virtual std::int64_t next_step(std::int64_t step) const = 0;
  /// Whether one is due by the clock of this rank; the root's counts. Local.
  [[nodiscard]] virtual bool is_due() const = 0;
  /// Save the run as it is after step `step`. Collective.
  virtual void write(std::int64_t step) = 0;
};

}  // namespace engine
