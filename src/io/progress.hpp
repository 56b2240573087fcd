#pragma once

#include <chrono>
#include <string>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// Writes a progress line with rate and time left to stderr, on rank 0: a bar that is redrawn on a
/// terminal, a line every half minute in a batch log.
class Progress final : public engine::Observer {
 public:
  /// `title`: the run's name in the line, e.g. "P = 1500, N = 1000000".
  Progress(const parallel::Communicator& comm, std::string title, std::int64_t steps);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void observe(const engine::Samples& samples, engine::Engine& engine) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_root_;
  bool terminal_;
  std::string title_;
  std::int64_t steps_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

}  // namespace masing::io
