#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/hooks.hpp"
#include "base/text.hpp"

namespace masing::io {

/// The progress of a run, counted in steps, or of a scan, counted in points. `unit` is the word for
/// what is counted in the progress line.
struct StepsDone {
  std::int64_t first = 0;  ///< how many were completed when the display of the progress began
  std::int64_t done = 0;   ///< how many are completed now
  std::int64_t all = 1;    ///< how many there are in total
  std::string unit = "steps";
};

/// Returns a duration as text: "40 s", "3 min", "2.5 h". Local.
inline std::string duration(double seconds) {
  return seconds < 100    ? fmt::format("{:.0f} s", seconds)
         : seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                          : fmt::format("{:.1f} h", seconds / 3600);
}

/// Returns a progress line, "[###...]  40 %  TITLE  2e+05 steps/s  12 s left". The rate and the
/// remaining time are computed from `seconds`, the time in which steps.done - steps.first steps
/// were completed. Local.
inline std::string progress_line(const std::string& title, const StepsDone& steps, double seconds) {
  const double share = static_cast<double>(steps.done) / static_cast<double>(steps.all);
  const double rate = static_cast<double>(steps.done - steps.first) / seconds;
  const double left = static_cast<double>(steps.all - steps.done) / rate;
  constexpr std::size_t width = 30;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return fmt::format("[{:.<{}}] {:3.0f} %  {}  {:.3g} {}/s  {} left", std::string(filled, '#'),
                     width, 100 * share, title, rate, steps.unit, duration(left));
}

/// Writes the progress of a run to stderr. If stderr is a terminal, or if a listener receives the
/// messages (base/hooks.hpp), a single line is redrawn, at most five times per second. If stderr is
/// a file or a pipe, as in a batch job or under mpirun, a new line with the date and time is
/// written: the first after 1.5 s or later, the others every 30 s. No line is written before a step
/// is completed. Only one rank may use the class. Local.
class Progress {
 public:
  /// `title` names the run in the progress line, for example "P = 1500, N = 1000000".
  Progress(std::string title, StepsDone steps)
      : title_(std::move(title)), steps_(std::move(steps)) {}
  ~Progress() {
    if (drawn_ && terminal_) {
      base::say(clear_line);
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Writes a line if the interval since the previous line is over. `step` is the number of
  /// completed steps. Local.
  void show(std::int64_t step) {
    const Clock::time_point now = Clock::now();
    const std::chrono::milliseconds interval(terminal_ ? 200 : drawn_ ? 30000 : 1500);
    steps_.done = step;
    if (now - last_ < interval || steps_.done == steps_.first) {
      return;
    }
    last_ = now;
    drawn_ = true;
    const std::string line =
        progress_line(title_, steps_, std::chrono::duration<double>(now - start_).count());
    base::say(terminal_ ? clear_line + line : base::utc_now() + ' ' + line + '\n');
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr const char* clear_line = "\r\033[K";

  bool terminal_ = base::listener || isatty(STDERR_FILENO) != 0;
  std::string title_;
  StepsDone steps_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool drawn_ = false;
};

}  // namespace masing::io
