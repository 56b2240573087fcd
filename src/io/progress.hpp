#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "base/poll.hpp"
#include "base/say.hpp"

namespace masing::io {

/// The steps of a run or the points of a scan, for the progress: `first` were there before, in a
/// checkpoint.
struct StepsDone {
  std::int64_t first = 0;
  std::int64_t done = 0;
  std::int64_t all = 1;
  std::string unit = "steps";
};

/// "40 s", "3 min", "2.5 h". Local.
inline std::string duration(double seconds) {
  return seconds < 100    ? fmt::format("{:.0f} s", seconds)
         : seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                          : fmt::format("{:.1f} h", seconds / 3600);
}

/// "[###...]  40 %  TITLE  2e+05 steps/s  12 s left", rate and time left from the steps made in
/// `seconds`, after the first; `remark` stands behind the rate. Local.
inline std::string progress_line(const std::string& title, const StepsDone& steps, double seconds,
                                 const std::string& remark = "") {
  const double share = static_cast<double>(steps.done) / static_cast<double>(steps.all);
  const double rate = static_cast<double>(steps.done - steps.first) / seconds;
  const double left = static_cast<double>(steps.all - steps.done) / rate;
  constexpr std::size_t width = 30;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return fmt::format("[{:.<{}}] {:3.0f} %  {}  {:.3g} {}/s{}  {} left", std::string(filled, '#'),
                     width, 100 * share, title, rate, steps.unit, remark, duration(left));
}

/// Returns what reports on stderr, while it lives and something polls, how long `what` has taken,
/// "setting up P = 200000000, N = 10: 14 s", after the time `first` and then every 30 s. Reports
/// nothing if `is_wanted` is false. Local.
[[nodiscard]] inline base::Polling report_elapsed_time(
    bool is_wanted, const std::string& what, std::chrono::seconds first = std::chrono::seconds(2)) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  return base::Polling([=, next = begin + first]() mutable {
    if (const auto now = Clock::now(); is_wanted && now >= next) {
      next = now + std::chrono::seconds(30);
      const auto seconds = std::chrono::duration<double>(now - begin).count();
      base::say(fmt::format("{}: {}\n", what, duration(seconds)));
    }
  });
}

/// Writes progress lines to stderr, the first within two seconds: one that is redrawn on a terminal
/// or by a listener (base/say); else one every half minute with the time, for a batch log or for
/// mpirun, which stands between the program and the terminal. Local: one rank has it.
class Progress {
 public:
  /// `title`: the run's name in the line, e.g. "P = 1500, N = 1000000".
  Progress(std::string title, StepsDone steps)
      : title_(std::move(title)), steps_(std::move(steps)) {}
  ~Progress() {
    if (drawn_ && terminal_) {
      base::say(clear_line);
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the line where one is due, at this step; `remark` stands behind the rate. Local.
  void show(std::int64_t step, const std::string& remark = "") {
    const Clock::time_point now = Clock::now();
    const std::chrono::milliseconds interval(terminal_ ? 200 : drawn_ ? 30000 : 1500);
    steps_.done = step;
    if (now - last_ < interval || steps_.done == steps_.first) {
      return;
    }
    last_ = now;
    drawn_ = true;
    const std::string line =
        progress_line(title_, steps_, std::chrono::duration<double>(now - start_).count(), remark);
    const std::string text = terminal_ ? clear_line + line
                                       : fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {}\n",
                                                     fmt::gmtime(std::time(nullptr)), line);
    base::say(text);
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
