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
#include "parallel/deal.hpp"
#include "parallel/session.hpp"
#include "parallel/vector.hpp"
#include "scan/point.hpp"

namespace masing::scan {

ScanProblem first_problem(const ScanSpec& spec) {
  std::vector<double> values;
  for (const ScanAxis& axis : spec.axes) {
    values.push_back(axis.values.front());
  }
  return spec.problem(problem_values(spec, values));
}

std::size_t Scan::failed() const {
  return static_cast<std::size_t>(std::ranges::count(points, false, &ScanPoint::is_done));
}

namespace {

using Clock = std::chrono::steady_clock;

/// Deals the tasks of a scan out, keeps what was made of them on the root, and saves it.
class Scanner {
 public:
  Scanner(const parallel::Communicator& comm, const ScanSpec& spec)
      : comm_(comm),
        own_(comm, comm.rank(), 1),
        held_(own_, 1),
        spec_(spec),
        points_(grid(spec.axes)) {
    const bool is_line = spec.kind == ScanKind::closed_curves ||
                         (spec.kind == ScanKind::steady && spec.past == Past::point);
    task_size_ = is_line ? spec.axes.back().values.size() : 1;
    is_made_.resize(points_.size() / task_size_);
  }

  /// All points, on all ranks; those that are not in the checkpoint are made.
  Scan made() {
    if (spec_.checkpoint.restart) {
      restore();
    }
    const auto begin = Clock::now();
    last_saved_ = begin;
    PointMaker maker(spec_, is_made_.size(), comm_.size(), parallel::available_memory(comm_),
                     !spec_.quiet && comm_.is_root());
    std::string stopped;
    try {
      if (dealt(maker)) {
        make_together(maker);
      } else {
        stopped = "stopped";
      }
    } catch (const base::Stopped&) {
      stopped = "stopped";
    }
    if (!parallel::first_text(comm_, stopped).empty()) {
      parallel::on_root(comm_, [this] { save(); });
      std::int64_t count = made_points();
      parallel::broadcast(comm_, std::span(&count, 1));
      throw base::Stopped(fmt::format("stopped {} after {} of {} points{}",
                                      parallel::stop_reason(comm_), count, points_.size(),
                                      io::restart_advice(spec_.checkpoint)));
    }
    share();
    Scan scan{.points = std::move(points_)};
    scan.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    parallel::broadcast(comm_, std::span(&scan.seconds, 1));  // every rank must write the same
    return scan;
  }

 private:
  static std::vector<ScanPoint> grid(const std::vector<ScanAxis>& axes) {
    std::vector<ScanPoint> points(1);
    for (const ScanAxis& axis : axes) {
      std::vector<ScanPoint> more;
      more.reserve(points.size() * axis.values.size());
      for (const ScanPoint& point : points) {
        for (const double value : axis.values) {
          more.push_back(point);
          more.back().values.push_back(value);
        }
      }
      points = std::move(more);
    }
    return points;
  }

  [[nodiscard]] std::span<ScanPoint> points_of(std::size_t task) {
    return std::span(points_).subspan(task * task_size_, task_size_);
  }

  /// Deals out what is not made yet, a task to one rank each; false where that was stopped. Runs
  /// for all ranks together are left.
  bool dealt(PointMaker& maker) {
    std::vector<std::size_t> left;
    for (std::size_t task = 0; task < is_made_.size(); ++task) {
      if (is_made_[task] == 0) {
        left.push_back(task);
      }
    }
    const auto make = [&](std::size_t i) {
      const bool is_made = maker.make(own_, title(left[i]), points_of(left[i]));
      return is_made ? packed(left[i]) : std::vector<double>();
    };
    const auto take = [&](std::size_t i, std::span<const double> numbers) {
      if (!numbers.empty()) {
        unpack(numbers, left[i]);
      }
    };
    const auto between = [this] {
      save_if_due();
      report();
    };
    return parallel::deal(comm_,
                          {.count = left.size(), .make = make, .take = take, .between = between});
  }

  /// Makes what is left on all ranks. Collective.
  void make_together(PointMaker& maker) {
    if (comm_.size() == 1) {
      return;
    }
    std::vector<double> made(is_made_.begin(), is_made_.end());  // the root knows
    parallel::broadcast(comm_, made);
    for (std::size_t task = 0; task < made.size(); ++task) {
      if (made[task] == 0.0) {
        maker.make(comm_, title(task), points_of(task));
        is_made_[task] = 1;
        ++made_since_save_;
        parallel::on_root(comm_, [this] { save_if_due(); });
      }
    }
  }

  [[nodiscard]] std::string title(std::size_t task) const {
    return fmt::format("point {} of {}", task + 1, is_made_.size());
  }

  // PointNumbers consists of doubles alone.
  static constexpr std::size_t count_of_numbers = sizeof(PointNumbers) / sizeof(double);

  /// The points of a task as numbers: of each whether it is done, its numbers, its series and its
  /// message behind their lengths.
  [[nodiscard]] std::vector<double> packed(std::size_t task) {
    std::vector<double> numbers;
    const auto put = [&](const auto& values) {
      numbers.push_back(static_cast<double>(values.size()));
      numbers.insert(numbers.end(), values.begin(), values.end());
    };
    for (const ScanPoint& point : points_of(task)) {
      numbers.push_back(point.is_done ? 1.0 : 0.0);
      put(std::span(&point.numbers.most_x, count_of_numbers));
      put(point.series);
      put(point.message);
    }
    return numbers;
  }

  void unpack(std::span<const double> numbers, std::size_t task) {
    const auto take = [&](std::size_t count) {
      const auto some = numbers.first(count);
      numbers = numbers.subspan(count);
      return some;
    };
    const auto take_list = [&] { return take(static_cast<std::size_t>(take(1)[0])); };
    for (ScanPoint& point : points_of(task)) {
      point.is_done = take(1)[0] != 0.0;
      std::ranges::copy(take_list(), &point.numbers.most_x);
      const auto series = take_list();
      point.series.assign(series.begin(), series.end());
      point.message.clear();
      for (const double letter : take_list()) {
        point.message.push_back(static_cast<char>(letter));
      }
    }
    is_made_[task] = 1;
    ++made_since_save_;
  }

  /// The tasks that are made and `chosen`, each behind its index and its size.
  template <class Chosen>
  std::vector<double> packed_tasks(const Chosen& chosen) {
    std::vector<double> all;
    for (std::size_t task = 0; task < is_made_.size(); ++task) {
      if (is_made_[task] != 0 && chosen(points_of(task))) {
        const std::vector<double> numbers = packed(task);
        all.push_back(static_cast<double>(task));
        all.push_back(static_cast<double>(numbers.size()));
        all.insert(all.end(), numbers.begin(), numbers.end());
      }
    }
    return all;
  }

  void unpack_tasks(std::span<const double> all) {
    while (!all.empty()) {
      const auto size = static_cast<std::size_t>(all[1]);
      unpack(all.subspan(2, size), static_cast<std::size_t>(all[0]));
      all = all.subspan(2 + size);
    }
  }

  /// What the root has, on all ranks. Collective.
  void share() {
    if (comm_.size() == 1) {
      return;
    }
    std::vector<double> all;
    if (comm_.is_root()) {
      all = packed_tasks([](std::span<const ScanPoint> /*points*/) { return true; });
    }
    parallel::broadcast_all(comm_, all, 0);
    unpack_tasks(all);
  }

  /// After so many tasks as asked for, else every ten minutes. Of the root.
  void save_if_due() {
    const std::int64_t every = spec_.checkpoint.every;
    const bool is_due = every > 0 ? made_since_save_ >= every
                                  : Clock::now() - last_saved_ >= std::chrono::minutes(10);
    if (spec_.checkpoint.scheduled && is_due) {
      save();
    }
  }

  [[nodiscard]] std::int64_t made_points() const {
    return std::ranges::count(is_made_, 1) * static_cast<std::int64_t>(task_size_);
  }

  void report() {
    if (!spec_.quiet && Clock::now() - last_report_ > std::chrono::seconds(2)) {
      last_report_ = Clock::now();
      std::fputs(fmt::format("{} of {} points\n", made_points(), points_.size()).c_str(), stderr);
    }
  }

  /// FILE of the checkpoint: what scan it is of, and the tasks that are done; those that failed
  /// begin again. Of the root. Local.
  void save() {
    const std::vector<double> all = packed_tasks([](std::span<const ScanPoint> points) {
      return std::ranges::all_of(points, &ScanPoint::is_done);
    });
    io::require_room(spec_.checkpoint.path, static_cast<double>(sizeof(double) * all.size()));
    io::write_checkpoint(
        own_, spec_.checkpoint.path,
        {.kind = spec_.result.kind, .configuration = spec_.result.configuration},
        [&](const io::Handle& file) {
          io::write_distributed(file, done, {"tasks that are done", ""}, all, 0, std::ssize(all));
        });
    last_saved_ = Clock::now();
    made_since_save_ = 0;
  }

  void restore() {
    const io::Handle file = io::open_together(comm_, *spec_.checkpoint.restart, H5F_ACC_RDONLY);
    unpack_tasks(io::read_numbers(file, done));
    made_since_save_ = 0;
  }

  static constexpr const char* done = "/tasks";  // in a checkpoint

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // this rank
  // PETSc duplicates a communicator for the first vector on it and keeps that as long as any is
  // there: at each point anew if there were none in between.
  parallel::Vector held_;
  const ScanSpec& spec_;
  std::vector<ScanPoint> points_;
  std::size_t task_size_ = 1;
  std::vector<char> is_made_;  // of tasks, on the root
  std::int64_t made_since_save_ = 0;
  Clock::time_point last_saved_;
  Clock::time_point last_report_ = Clock::now();
};

}  // namespace

Scan make_points(const parallel::Communicator& comm, const ScanSpec& spec) {
  return Scanner(comm, spec).made();
}

}  // namespace masing::scan
