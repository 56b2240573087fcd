#include "scan/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/checkpoint.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/session.hpp"
#include "scan/scan_line.hpp"
#include "study/schedule.hpp"

namespace masing::scan {

namespace {

/// The values of the axes that define the problem: all but an amplitude.
std::span<const double> of_problem(const ScanSpec& spec, std::span<const double> values) {
  return values.first(values.size() - (spec.kind == ScanKind::closed_curves ? 1 : 0));
}

}  // namespace

ScanProblem first_problem(const ScanSpec& spec) {
  std::vector<double> values;
  for (const ScanAxis& axis : spec.axes) {
    values.push_back(axis.values.front());
  }
  return spec.problem(of_problem(spec, values));
}

std::size_t Scan::failed() const {
  return static_cast<std::size_t>(std::ranges::count(points, false, &ScanPoint::is_done));
}

namespace {

using Clock = std::chrono::steady_clock;

/// Makes the lines of a scan, round by round, shares them and saves them.
class Scanner {
 public:
  Scanner(const parallel::Communicator& comm, const ScanSpec& spec)
      : comm_(comm), spec_(spec), maker_(spec, !spec.quiet && comm.is_root()) {
    lines_.resize(1);
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      const bool within = is_line() && a + 1 == spec.axes.size();
      std::vector<Line> more;
      for (const Line& line : lines_) {
        if (within) {
          more.push_back(extended(line, spec.axes[a]));
          continue;
        }
        for (const double value : spec.axes[a].values) {
          more.push_back(extended(line, {.name = {}, .values = {value}}));
        }
      }
      lines_ = std::move(more);
    }
    is_made_.resize(lines_.size());
  }

  /// All lines that are not made yet, round by round.
  Scan made() {
    if (spec_.checkpoint.restart) {
      restore();
    }
    const auto begin = Clock::now();
    last_saved_ = begin;
    const std::size_t most = 16 * static_cast<std::size_t>(comm_.size());
    std::vector<std::size_t> round;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (is_made_[line] == 0) {
        round.push_back(line);
      }
      if (round.size() == most || (line + 1 == lines_.size() && !round.empty())) {
        make(round);
        round.clear();
      }
    }
    Scan scan;
    for (Line& line : lines_) {
      std::ranges::move(line, std::back_inserter(scan.points));
    }
    scan.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    parallel::broadcast(comm_, std::span(&scan.seconds, 1));  // every rank must write the same
    return scan;
  }

 private:
  [[nodiscard]] bool is_line() const {
    return spec_.kind == ScanKind::closed_curves ||
           (spec_.kind == ScanKind::steady && spec_.past == Past::point);
  }

  static Line extended(const Line& line, const ScanAxis& axis) {
    Line longer;
    for (const double value : axis.values) {
      longer.push_back(line.empty() ? ScanPoint{} : line.front());
      longer.back().values.push_back(value);
    }
    return longer;
  }

  /// Makes the lines of a round on as many ranks each as is best, shares them, and saves them if
  /// that is due.
  void make(const std::vector<std::size_t>& round) {
    std::vector<study::Job> jobs;
    std::vector<std::size_t> lines;  // of the jobs
    std::vector<ScanProblem> problems;
    for (const std::size_t line : round) {
      try {
        problems.push_back(spec_.problem(of_problem(spec_, lines_[line].front().values)));
        jobs.push_back({.run = problems.back().run, .title = title(line)});
        lines.push_back(line);
      } catch (const base::UserError& mistake) {
        fail(lines_[line], mistake.what());
        is_made_[line] = 1;
      }
    }
    const double available = parallel::available_memory(comm_);
    const std::vector<study::Placement> placements = placed(jobs, available);
    std::string stopped;
    for (const study::Placement& placement : placements) {
      const auto& [index, first, count] = placement;
      if (comm_.rank() < first || comm_.rank() >= first + count) {
        continue;
      }
      const parallel::Communicator own(comm_, first, count);
      if (parallel::min_over_ranks(own, stopped.empty() && !parallel::stop_requested() ? 1 : 0) ==
          0) {
        stopped = stopped.empty() ? "stopped" : stopped;
        continue;
      }
      try {
        maker_.make(own, problems[index], jobs[index].title, available, lines_[lines[index]]);
        is_made_[lines[index]] = 1;
      } catch (const base::Stopped&) {
        stopped = "stopped";
      }
    }
    for (const study::Placement& placement : placements) {
      share(lines[placement.run], placement.first);
    }
    if (!parallel::first_text(comm_, stopped).empty()) {
      save();
      throw base::Stopped(fmt::format("stopped {} after {} of {} points{}",
                                      parallel::stop_reason(comm_), made_points(), all_points(),
                                      io::restart_advice(spec_.checkpoint)));
    }
    if (is_due()) {
      save();
    }
    report();
  }

  [[nodiscard]] std::string title(std::size_t line) const {
    return fmt::format("point {} of {}", line + 1, lines_.size());
  }

  /// Runs as a study's; shooting and closed cycles on one rank each.
  [[nodiscard]] std::vector<study::Placement> placed(const std::vector<study::Job>& jobs,
                                                     double available) const {
    if (spec_.kind == ScanKind::runs) {
      return study::fitting_schedule(jobs, comm_.size(), available);
    }
    return study::schedule(std::vector<study::Cost>(jobs.size(), [](int /*ranks*/) { return 1.0; }),
                           comm_.size());
  }

  /// A line as numbers, without its messages.
  static std::vector<double> packed(const Line& line, bool is_made) {
    std::vector<double> numbers{is_made ? 1.0 : 0.0};
    for (const ScanPoint& point : line) {
      numbers.push_back(point.is_done ? 1.0 : 0.0);
      numbers.push_back(static_cast<double>(point.values.size()));
      numbers.insert(numbers.end(), point.values.begin(), point.values.end());
      numbers.insert(numbers.end(), begin_of(point), begin_of(point) + count_of_numbers);
      numbers.push_back(static_cast<double>(point.series.size()));
      numbers.insert(numbers.end(), point.series.begin(), point.series.end());
    }
    return numbers;
  }

  static bool unpack(std::span<const double> numbers, Line& line) {
    const bool is_made = numbers[0] != 0.0;
    line.clear();
    for (std::size_t at = 1; at < numbers.size();) {
      ScanPoint& point = line.emplace_back();
      const auto take = [&](std::size_t count) {
        const auto some = numbers.subspan(at, count);
        at += count;
        return some;
      };
      point.is_done = take(1)[0] != 0.0;
      const auto values = take(static_cast<std::size_t>(take(1)[0]));
      point.values.assign(values.begin(), values.end());
      std::ranges::copy(take(count_of_numbers), &point.numbers.most_x);
      const auto series = take(static_cast<std::size_t>(take(1)[0]));
      point.series.assign(series.begin(), series.end());
    }
    return is_made;
  }

  // PointNumbers consists of doubles alone.
  static constexpr std::size_t count_of_numbers = sizeof(PointNumbers) / sizeof(double);
  static const double* begin_of(const ScanPoint& point) { return &point.numbers.most_x; }

  /// What rank `root` made of a line, on all ranks. Collective.
  void share(std::size_t line, int root) {
    std::vector<double> numbers =
        comm_.rank() == root ? packed(lines_[line], is_made_[line] != 0) : std::vector<double>();
    parallel::broadcast_all(comm_, numbers, root);
    std::vector<std::string> messages;
    for (const ScanPoint& point : lines_[line]) {
      messages.push_back(point.message);
    }
    is_made_[line] = unpack(numbers, lines_[line]) ? 1 : 0;
    messages.resize(lines_[line].size());
    for (std::size_t i = 0; i < lines_[line].size(); ++i) {
      ScanPoint& point = lines_[line][i];
      if (is_made_[line] != 0 && !point.is_done) {
        point.message = parallel::first_text(comm_, comm_.rank() == root ? messages[i] : "");
      }
    }
  }

  [[nodiscard]] bool is_due() const {
    constexpr double seconds = 600.0;
    double passed = std::chrono::duration<double>(Clock::now() - last_saved_).count();
    parallel::broadcast(comm_, std::span(&passed, 1));
    return spec_.checkpoint.scheduled && (spec_.checkpoint.every > 0 || passed >= seconds);
  }

  [[nodiscard]] std::size_t made_points() const {
    std::size_t count = 0;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      count += is_made_[line] != 0 ? lines_[line].size() : 0;
    }
    return count;
  }
  [[nodiscard]] std::size_t all_points() const {
    std::size_t count = 0;
    for (const Line& line : lines_) {
      count += line.size();
    }
    return count;
  }

  void report() const {
    if (!spec_.quiet && comm_.is_root() && Clock::now() - last_report_ > std::chrono::seconds(2)) {
      last_report_ = Clock::now();
      std::fputs(fmt::format("{} of {} points\n", made_points(), all_points()).c_str(), stderr);
    }
  }

  /// FILE of the checkpoint: what scan it is of, and the lines that are done, each behind its index
  /// and its size; those that failed begin again. Collective.
  void save() {
    std::vector<double> all;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (is_made_[line] != 0 && std::ranges::all_of(lines_[line], &ScanPoint::is_done)) {
        const std::vector<double> numbers = packed(lines_[line], true);
        all.push_back(static_cast<double>(line));
        all.push_back(static_cast<double>(numbers.size()));
        all.insert(all.end(), numbers.begin(), numbers.end());
      }
    }
    parallel::on_root(comm_, [&] {
      io::require_room(spec_.checkpoint.path, static_cast<double>(sizeof(double) * all.size()));
    });
    io::write_checkpoint(comm_, spec_.checkpoint.path,
                         {.kind = spec_.result.kind, .configuration = spec_.result.configuration},
                         [&](const io::Handle& file) {
                           const auto of_root =
                               comm_.is_root() ? std::span<const double>(all) : std::span<double>();
                           io::write_distributed(file, done, {"lines that are done", ""}, of_root,
                                                 0, std::ssize(all));
                         });
    last_saved_ = Clock::now();
  }

  void restore() {
    const io::Handle file = io::open_together(comm_, *spec_.checkpoint.restart, H5F_ACC_RDONLY);
    const std::vector<double> all = io::read_numbers(file, done);
    for (std::size_t at = 0; at < all.size();) {
      const auto line = static_cast<std::size_t>(all[at]);
      const auto size = static_cast<std::size_t>(all[at + 1]);
      is_made_.at(line) = unpack(std::span(all).subspan(at + 2, size), lines_.at(line)) ? 1 : 0;
      at += 2 + size;
    }
  }

  static constexpr const char* done = "/done";  // in a checkpoint

  const parallel::Communicator& comm_;
  const ScanSpec& spec_;
  std::vector<Line> lines_;
  std::vector<char> is_made_;
  LineMaker maker_;
  Clock::time_point last_saved_;
  mutable Clock::time_point last_report_ = Clock::now();
};

}  // namespace

Scan make_points(const parallel::Communicator& comm, const ScanSpec& spec) {
  return Scanner(comm, spec).made();
}

}  // namespace masing::scan
