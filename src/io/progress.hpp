#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"

namespace masing::io {

/// Writes a progress line with rate and time left to stderr, on rank 0: a bar that is redrawn on a
/// terminal, a line every half minute in a batch log.
class Progress final : public engine::Observer {
 public:
  /// `title`: the run's name in the line, e.g. "P = 1500, N = 1000000".
  Progress(const parallel::Communicator& comm, std::string title, std::int64_t steps)
      : is_root_(comm.is_root()), title_(std::move(title)), steps_(static_cast<double>(steps)) {}
  ~Progress() override {
    if (drawn_ && terminal_) {
      std::fputs(clear_line, stderr);
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    const Clock::time_point now = Clock::now();
    if (!is_root_ || now - last_ < std::chrono::milliseconds(terminal_ ? 200 : 30000)) {
      return;
    }
    last_ = now;
    drawn_ = true;
    const auto done = static_cast<double>(samples.last_step());
    const double share = done / steps_;
    const double rate = done / std::chrono::duration<double>(now - start_).count();
    constexpr std::size_t bar_width = 30;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
    std::string bar(bar_width, '.');
    bar.replace(0, filled, filled, '#');
    const std::string line = fmt::format(
        "{}[{}] {:3.0f} %  {}  {:.3g} steps/s  {} left{}", terminal_ ? clear_line : "", bar,
        100 * share, title_, rate, time_left((steps_ - done) / rate), terminal_ ? "" : "\n");
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr const char* clear_line = "\r\033[K";

  static std::string time_left(double seconds) {
    if (seconds < 100) {
      return fmt::format("{:.0f} s", seconds);
    }
    return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                          : fmt::format("{:.1f} h", seconds / 3600);
  }

  bool is_root_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string title_;
  double steps_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

}  // namespace masing::io
