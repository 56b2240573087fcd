#include "scan/points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/say.hpp"
#include "io/checkpoint.hpp"
#include "parallel/deal.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"
#include "parallel/vector.hpp"

namespace masing::scan {

namespace {

// PointNumbers consists of doubles alone.
constexpr std::size_t count_of_numbers = sizeof(PointNumbers) / sizeof(double);

/// All points, those of the last axis next to each other.
std::vector<ScanPoint> grid(const std::vector<ScanAxis>& axes) {
  std::vector<ScanPoint> points(1);
  for (const ScanAxis& axis : axes) {
    std::vector<ScanPoint> more;
    for (const ScanPoint& point : points) {
      for (const double value : axis.values) {
        more.emplace_back(point).values.push_back(value);
      }
    }
    points = std::move(more);
  }
  return points;
}

/// The points of a scan while they are made, task by task: a task is one point; or those of all
/// amplitudes of closed cycles, or of the last axis where each limit cycle begins with the one
/// before.
class Points {
 public:
  /// Restores what the checkpoint has. Collective.
  Points(const parallel::Communicator& comm, const ScanSpec& spec, const Attempt& attempt)
      : comm_(comm),
        own_(comm, comm.rank(), 1),
        petsc_duplicate_(own_, 1),
        spec_(spec),
        attempt_(attempt),
        available_(parallel::available_memory(comm)),
        points_(grid(spec.axes)),
        solver_(spec.past, spec.keep_series) {
    const bool is_line = spec.kind == ScanKind::closed_curves ||
                         (spec.kind == ScanKind::steady && spec.past == Past::point);
    task_size_ = is_line ? spec.axes.back().values.size() : 1;
    is_made_.resize(points_.size() / task_size_);
    grid_size_ = std::ssize(points_);
    if (spec.checkpoint.restart) {
      io::read_state(comm, *spec.checkpoint.restart,
                     [this](engine::Archive& archive) { serialize(archive); });
      made_since_save_ = 0;
    }
  }

  /// Collective.
  Scan made() {
    do {
      make_alone();
      make_together();
      if (!parallel::first_text(comm_, is_stopped_ ? "stopped" : "").empty()) {
        parallel::on_root(comm_, [this] { save(); });
        std::int64_t count = made_points();
        parallel::broadcast(comm_, std::span(&count, 1));
        throw base::Stopped(fmt::format("stopped {} after {} of {} points{}",
                                        parallel::stop_reason(comm_), count, points_.size(),
                                        io::restart_advice(spec_.checkpoint)));
      }
      share();
    } while (refine());
    if (spec_.resolve) {
      std::ranges::stable_sort(points_, {}, &ScanPoint::values);
    }
    Scan scan{.points = std::move(points_)};
    scan.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    parallel::broadcast(comm_, std::span(&scan.seconds, 1));  // every rank must write the same
    return scan;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Adds points, yet to be made, on both sides of each where X or the phase bends along the last
  /// axis; false where there are none. Local, alike on all ranks.
  bool refine() {
    using std::numbers::pi;
    if (!spec_.resolve || added_[0]++ == 6.0) {
      return false;
    }
    double least = base::infinity;
    double most = 0.0;
    std::map<std::vector<double>, PointNumbers> all;
    for (const ScanPoint& point : points_) {
      all[point.values] = point.numbers;
      least = std::min(least, point.numbers.amplitude);  // NaN, of one that failed, is not less
      most = std::max(most, point.numbers.amplitude);
    }
    std::vector<std::pair<double, std::vector<double>>> middles;  // with how much there bends
    for (auto c = all.begin(), b = c, a = c; c != all.end(); a = b, b = c++) {
      const double last[] = {a->first.back(), b->first.back(), c->first.back()};
      const double part = (last[1] - last[0]) / (last[2] - last[0]);  // NaN at first
      const auto bend = [&](double before, double after, double range) {
        return std::abs((1 - part) * before - part * after) / range;
      };
      const double most_bent = std::max(
          bend(b->second.amplitude - a->second.amplitude, c->second.amplitude - b->second.amplitude,
               std::max(most - least, 1e-9 * most)),
          bend(std::remainder(b->second.phase - a->second.phase, 2 * pi),
               std::remainder(c->second.phase - b->second.phase, 2 * pi), pi));
      if (std::equal(a->first.begin(), a->first.end() - 1, c->first.begin()) &&
          most_bent > *spec_.resolve) {
        for (const double other : {last[0], last[2]}) {
          middles.emplace_back(most_bent, b->first);
          middles.back().second.back() = (last[1] + other) / 2;
        }
      }
    }
    std::ranges::stable_sort(middles, std::greater<>(),
                             [](const auto& each) { return each.first; });
    for (auto room = 10 * grid_size_ - std::ssize(points_); const auto& [bend, middle] : middles) {
      if (room > 0 && all.try_emplace(middle).second) {
        added_.insert(added_.end(), middle.begin(), middle.end());
        --room;
      }
    }
    return append_added();
  }

  /// Appends what is added to the points; false where there is nothing new. Local.
  bool append_added() {
    const auto size = std::ssize(spec_.axes);
    const auto there = std::ssize(points_) - grid_size_;
    for (auto at = added_.begin() + 1 + there * size; at != added_.end(); at += size) {
      points_.push_back({.values = {at, at + size}});
    }
    is_made_.resize(points_.size() / task_size_);
    return std::ssize(points_) > grid_size_ + there;
  }

  /// Each rank the tasks that it is dealt, but runs that are left for all of them. Collective.
  void make_alone() {
    const std::vector<std::size_t> left = tasks_left();
    const auto take = [this](std::size_t, std::span<const double> numbers) { unpack(numbers); };
    parallel::Deal deal(comm_, left.size(), take, [this] {
      save_if_due();
      report();
    });
    while (const auto i = deal.next()) {
      try {
        deal.made(make(left[*i], own_) ? packed(left[*i]) : std::vector<double>());
      } catch (const base::Stopped&) {
        deal.stop();
      }
    }
    is_stopped_ = !deal.is_done();
  }

  /// What is left, on all ranks. Collective.
  void make_together() {
    std::vector<double> made(is_made_.begin(), is_made_.end());
    parallel::broadcast(comm_, made);  // the root knows
    is_made_.assign(made.begin(), made.end());
    try {
      for (const std::size_t task : is_stopped_ ? std::vector<std::size_t>() : tasks_left()) {
        make(task, comm_);
        is_made_[task] = 1;
        ++made_since_save_;
        parallel::on_root(comm_, [this] { save_if_due(); });
      }
    } catch (const base::Stopped&) {
      is_stopped_ = true;
    }
  }

  std::vector<std::size_t> tasks_left() const {
    std::vector<std::size_t> left;
    for (std::size_t task = 0; task < is_made_.size(); ++task) {
      if (is_made_[task] == 0) {
        left.push_back(task);
      }
    }
    return left;
  }

  std::span<ScanPoint> points_of(std::size_t task) {
    return std::span(points_).subspan(task * task_size_, task_size_);
  }

  /// Makes the points of a task, or marks them as failed; false where it is left for all ranks.
  /// Throws Stopped, and what fails on one of several ranks. Collective on `ranks`.
  bool make(std::size_t task, const parallel::Communicator& ranks) {
    const parallel::PhaseTimer timer(parallel::Phase::steps);
    const Clock::time_point begin = Clock::now();
    const std::span<ScanPoint> all = points_of(task);
    bool is_made = true;
    solver_.forget();
    const std::size_t size = spec_.kind == ScanKind::steady ? 1 : task_size_;  // of a problem
    for (std::size_t first = 0; first < task_size_; first += size) {
      const std::span<ScanPoint> points = all.subspan(first, size);
      const std::size_t axes = spec_.axes.size() - (spec_.kind == ScanKind::closed_curves ? 1 : 0);
      const auto fail = [&](const std::exception& error) {
        for (ScanPoint& point : points) {
          point.message = parallel::one_line(error.what());
        }
      };
      try {
        attempt_(std::span(points[0].values).first(axes), [&](const ScanProblem& problem) {
          is_made = compute(problem, ranks, task, points);
        });
      } catch (const base::UserError& error) {
        fail(error);
      } catch (const base::SystemError& error) {
        if (ranks.size() > 1) {
          throw;  // it may be of one rank only, and others wait for it
        }
        fail(error);
      }
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    for (ScanPoint& point : all) {
      point.numbers.seconds = took.count() / static_cast<double>(task_size_);
    }
    return is_made;
  }

  /// Sets the numbers of the points of a problem; false where it is left for all ranks: where they
  /// may share its run, and there are fewer tasks than ranks, or it does not fit on one rank.
  bool compute(const ScanProblem& problem, const parallel::Communicator& ranks, std::size_t task,
               std::span<ScanPoint> points) {
    if (spec_.kind == ScanKind::steady) {
      solver_.solve(own_, problem, points[0]);
      return true;
    }
    if (spec_.kind == ScanKind::closed_curves) {
      compute_closed_cycles(problem, points);
      return true;
    }
    if (ranks.size() < comm_.size() && engine::is_split(problem.run, comm_.size()) &&
        (std::ssize(is_made_) < comm_.size() ||
         engine::memory_shortage(engine::memory_need(problem.run, 1), available_))) {
      return false;
    }
    const bool shows_progress = !spec_.quiet && comm_.is_root();
    compute_run(ranks, problem, available_, spec_.keep_series,
                shows_progress ? fmt::format("point {} of {}", task + 1, is_made_.size()) : "",
                points[0]);
    return true;
  }

  /// A task as numbers: its index, and of each point its numbers, its series and its message behind
  /// their lengths.
  std::vector<double> packed(std::size_t task, bool has_series = true) {
    std::vector<double> numbers{static_cast<double>(task)};
    const auto put = [&](const auto& values) {
      numbers.push_back(static_cast<double>(values.size()));
      numbers.insert(numbers.end(), values.begin(), values.end());
    };
    for (const ScanPoint& point : points_of(task)) {
      put(std::span(&point.numbers.most_x, count_of_numbers));
      put(has_series ? std::span<const double>(point.series) : std::span<const double>());
      put(point.message);
    }
    return numbers;
  }

  /// The tasks that are made, with or without those that failed, one after another.
  std::vector<double> packed_tasks(bool failed_too, bool has_series = true) {
    std::vector<double> all;
    for (std::size_t task = 0; task < is_made_.size(); ++task) {
      const bool is_bad = std::ranges::any_of(points_of(task), &ScanPoint::has_failed);
      if (is_made_[task] != 0 && (failed_too || !is_bad)) {
        const std::vector<double> numbers = packed(task, has_series);
        all.insert(all.end(), numbers.begin(), numbers.end());
      }
    }
    return all;
  }

  void unpack(std::span<const double> numbers) {
    const auto take = [&](std::size_t count) {
      const auto some = numbers.first(count);
      numbers = numbers.subspan(count);
      return some;
    };
    const auto take_list = [&] { return take(static_cast<std::size_t>(take(1)[0])); };
    while (!numbers.empty()) {
      const auto task = static_cast<std::size_t>(take(1)[0]);
      for (ScanPoint& point : points_of(task)) {
        std::ranges::copy(take_list().first(count_of_numbers), &point.numbers.most_x);
        const auto series = take_list();
        point.series.assign(series.begin(), series.end());
        const auto message = take_list();
        point.message.assign(message.begin(), message.end());
      }
      is_made_[task] = 1;
      ++made_since_save_;
    }
  }

  /// What the root has but the series, which it writes, on all ranks. Collective.
  void share() {
    std::vector<double> all = comm_.is_root() ? packed_tasks(true, false) : std::vector<double>();
    parallel::broadcast_all(comm_, all, 0);
    if (!comm_.is_root()) {
      unpack(all);
    }
  }

  /// After so many tasks as asked for, else every ten minutes. Of the root.
  void save_if_due() {
    const std::int64_t every = spec_.checkpoint.every;
    const bool is_due = every > 0 ? made_since_save_ >= every
                                  : Clock::now() - last_saved_ >= spec_.checkpoint.distance;
    if (spec_.checkpoint.scheduled && is_due) {
      save();
    }
  }

  std::int64_t made_points() const {
    return std::ranges::count(is_made_, 1) * static_cast<std::int64_t>(task_size_);
  }

  void report() {
    if (!spec_.quiet && Clock::now() - last_report_ > std::chrono::seconds(2)) {
      last_report_ = Clock::now();
      base::say(fmt::format("{} of {} points\n", made_points(), points_.size()));
    }
  }

  /// Of the root. Local.
  void save() {
    io::write_state(own_, spec_.checkpoint.path, spec_.result,
                    [this](engine::Archive& archive) { serialize(archive); });
    last_saved_ = Clock::now();
    made_since_save_ = 0;
  }

  /// The tasks that are done; those that failed begin again.
  void serialize(engine::Archive& archive) {
    std::vector<double> all = archive.restores() ? std::vector<double>() : packed_tasks(false);
    if (spec_.resolve) {
      added_.resize(archive.restores() ? 0 : added_.size());
      archive.numbers("added", added_);
      append_added();
    }
    archive.numbers("tasks", all);
    if (archive.restores()) {
      unpack(all);
    }
  }

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // this rank
  // Keeps PETSc's duplicate of own_ alive; otherwise it is made again for every point.
  parallel::Vector petsc_duplicate_;
  const ScanSpec& spec_;
  const Attempt& attempt_;
  double available_;
  std::vector<ScanPoint> points_;
  std::ptrdiff_t grid_size_ = 0;
  std::vector<double> added_{0.0};  // rounds of refine(), and the values of the points it added
  std::size_t task_size_ = 1;
  std::vector<char> is_made_;  // of tasks, on the root
  bool is_stopped_ = false;
  SteadySolver solver_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_saved_ = begun_;
  Clock::time_point last_report_ = begun_;
  std::int64_t made_since_save_ = 0;
};

}  // namespace

Scan make_points(const parallel::Communicator& comm, const ScanSpec& spec, const Attempt& attempt) {
  return Points(comm, spec, attempt).made();
}

}  // namespace masing::scan
