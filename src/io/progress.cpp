#include "io/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace masing::io {

namespace {

constexpr std::size_t bar_width = 30;
constexpr const char* clear_line = "\r\033[K";

std::string time_left(double seconds) {
  if (seconds < 100) {
    return fmt::format("{:.0f} s", seconds);
  }
  if (seconds < 7200) {
    return fmt::format("{:.0f} min", seconds / 60);
  }
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(const parallel::Communicator& comm, std::string title, std::int64_t steps)
    : is_root_(comm.is_root()),
      terminal_(isatty(STDERR_FILENO) != 0),
      title_(std::move(title)),
      steps_(steps) {}

Progress::~Progress() {
  if (drawn_ && terminal_) {
    std::fputs(clear_line, stderr);
  }
}

void Progress::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(30000);
  if (!is_root_ || now - last_ < pause) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(samples.last_step());
  const double share = done / static_cast<double>(steps_);
  const double rate = done / seconds;
  const std::string left = time_left((static_cast<double>(steps_) - done) / rate);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  std::string bar(bar_width, '.');
  bar.replace(0, filled, filled, '#');
  const std::string line =
      fmt::format("{}[{}] {:3.0f} %  {}  {:.3g} steps/s  {} left{}", terminal_ ? clear_line : "",
                  bar, 100 * share, title_, rate, left, terminal_ ? "" : "\n");
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace masing::io
