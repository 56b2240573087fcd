#include "io/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace masing::io {

namespace {

constexpr int bar_width = 30;

std::string time_left(double seconds) {
  char text[32] = "";
  if (seconds < 100) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 7200) {
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  } else {
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  }
  return text;
}

}  // namespace

Progress::Progress(const parallel::Communicator& comm, std::string title, std::int64_t steps)
    : speaks_(comm.is_root()),
      terminal_(isatty(STDERR_FILENO) != 0),
      title_(std::move(title)),
      steps_(steps) {}

Progress::~Progress() {
  if (drawn_ && terminal_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(30000);
  if (!speaks_ || now - last_ < pause) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(samples.last_step());
  const double share = done / static_cast<double>(steps_);
  const double rate = done / seconds;
  const std::string left = time_left((static_cast<double>(steps_) - done) / rate);
  const int filled = static_cast<int>(share * bar_width);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(bar_width - filled), '.');
  std::fprintf(stderr,
               terminal_ ? "\r\033[K[%s] %3.0f %%  %s  %.3g steps/s  %s left"
                         : "[%s] %3.0f %%  %s  %.3g steps/s  %s left\n",
               bar.c_str(), 100 * share, title_.c_str(), rate, left.c_str());
  std::fflush(stderr);
}

}  // namespace masing::io
