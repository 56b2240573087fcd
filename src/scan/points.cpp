#include "scan/points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "parallel/session.hpp"

namespace masing::scan {

std::size_t Scan::failed() const {
  return static_cast<std::size_t>(std::ranges::count(points, false, &ScanPoint::is_done));
}

namespace {

constexpr const char* done = "/tasks";  // in a checkpoint

// PointNumbers consists of doubles alone.
constexpr std::size_t count_of_numbers = sizeof(PointNumbers) / sizeof(double);

std::vector<ScanPoint> grid(const std::vector<ScanAxis>& axes) {
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

}  // namespace

Points::Points(const parallel::Communicator& comm, const ScanSpec& spec)
    : comm_(comm),
      own_(comm, comm.rank(), 1),
      held_(own_, 1),
      spec_(spec),
      available_(parallel::available_memory(comm)),
      points_(grid(spec.axes)),
      solver_(spec.past, spec.keep_series) {
  const bool is_line = spec.kind == ScanKind::closed_curves ||
                       (spec.kind == ScanKind::steady && spec.past == Past::point);
  task_size_ = is_line ? spec.axes.back().values.size() : 1;
  is_made_.resize(points_.size() / task_size_);
  if (spec.checkpoint.restart) {
    restore();
  }
  for (std::size_t task = 0; task < is_made_.size(); ++task) {
    if (is_made_[task] == 0) {
      left_.push_back(task);
    }
  }
  const auto take = [this](std::size_t i, std::span<const double> numbers) {
    if (!numbers.empty()) {
      unpack(numbers, left_[i]);
    }
  };
  deal_.emplace(comm, left_.size(), take, [this] {
    save_if_due();
    report();
  });
}

std::span<ScanPoint> Points::points_of(std::size_t task) {
  return std::span(points_).subspan(task * task_size_, task_size_);
}

std::optional<std::span<const double>> Points::next() {
  if (problems_ > 0 && ++problem_ == problems_) {
    end();
  }
  if (problems_ == 0 && !next_task()) {
    return std::nullopt;
  }
  const std::span<const double> values = points_of(task_)[problem_].values;
  return values.first(values.size() - (spec_.kind == ScanKind::closed_curves ? 1 : 0));
}

/// Begins the next task: of this rank, then, where they are left, of all ranks together.
bool Points::next_task() {
  if (is_stopped_) {
    return false;
  }
  if (deal_) {
    if (const auto i = deal_->next()) {
      begin(left_[*i]);
      return true;
    }
    is_stopped_ = !deal_->is_done();
    deal_.reset();
    std::vector<double> made(is_made_.begin(), is_made_.end());
    parallel::broadcast(comm_, made);  // the root knows
    left_.clear();
    for (std::size_t task = made.size(); task-- > 0;) {
      if (made[task] == 0.0) {
        left_.push_back(task);
      }
    }
  }
  if (is_stopped_ || left_.empty()) {
    return false;
  }
  begin(left_.back());
  left_.pop_back();
  return true;
}

void Points::begin(std::size_t task) {
  task_ = task;
  problem_ = 0;
  problems_ = spec_.kind == ScanKind::steady ? task_size_ : 1;
  is_for_all_ = false;
  task_begun_ = Clock::now();
  solver_.forget();
}

/// Ends a task: its numbers go to the root.
void Points::end() {
  problems_ = 0;
  const std::chrono::duration<double> took = Clock::now() - task_begun_;
  for (ScanPoint& point : points_of(task_)) {
    point.is_done = point.message.empty();
    point.numbers.seconds = took.count() / static_cast<double>(task_size_);
  }
  if (deal_) {
    deal_->made(is_for_all_ ? std::vector<double>() : packed(task_));
  } else {
    is_made_[task_] = 1;
    ++made_since_save_;
    parallel::on_root(comm_, [this] { save_if_due(); });
  }
}

void Points::make(const ScanProblem& problem) {
  try {
    compute(problem);
  } catch (const base::SystemError& error) {
    if (!deal_ && comm_.size() > 1) {
      throw;  // it may be of one rank only, and others wait for it
    }
    fail(error.what());
  } catch (const base::Stopped&) {
    problems_ = 0;
    if (deal_) {
      deal_->stop();
    } else {
      is_stopped_ = true;
    }
  }
}

void Points::compute(const ScanProblem& problem) {
  const std::span<ScanPoint> points = points_of(task_);
  if (spec_.kind == ScanKind::steady) {
    solver_.solve(own_, problem, points[problem_]);
  } else if (spec_.kind == ScanKind::closed_curves) {
    make_closed_cycles(problem, points);
  } else if (deal_ && comm_.size() > 1 &&
             is_for_all_ranks(problem.run, available_, is_made_.size(), comm_.size())) {
    is_for_all_ = true;
  } else {
    const bool shows_progress = !spec_.quiet && comm_.is_root();
    make_run(deal_ ? own_ : comm_, problem, available_, spec_.keep_series,
             shows_progress ? fmt::format("point {} of {}", task_ + 1, is_made_.size()) : "",
             points[0]);
  }
}

void Points::fail(const std::string& message) {
  for (ScanPoint& point :
       spec_.kind == ScanKind::steady ? points_of(task_).subspan(problem_, 1) : points_of(task_)) {
    point.message = parallel::one_line(message);
  }
}

Scan Points::finished() {
  if (!parallel::first_text(comm_, is_stopped_ ? "stopped" : "").empty()) {
    parallel::on_root(comm_, [this] { save(); });
    std::int64_t count = made_points();
    parallel::broadcast(comm_, std::span(&count, 1));
    throw base::Stopped(fmt::format("stopped {} after {} of {} points{}",
                                    parallel::stop_reason(comm_), count, points_.size(),
                                    io::restart_advice(spec_.checkpoint)));
  }
  share();
  Scan scan{.points = std::move(points_)};
  scan.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  parallel::broadcast(comm_, std::span(&scan.seconds, 1));  // every rank must write the same
  return scan;
}

/// The points of a task as numbers: of each whether it is done, its numbers, its series and its
/// message behind their lengths.
std::vector<double> Points::packed(std::size_t task) {
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

void Points::unpack(std::span<const double> numbers, std::size_t task) {
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

/// The tasks that are made, with or without those that failed, each behind its index and its size.
std::vector<double> Points::packed_tasks(bool failed_too) {
  std::vector<double> all;
  for (std::size_t task = 0; task < is_made_.size(); ++task) {
    const bool is_good = std::ranges::all_of(points_of(task), &ScanPoint::is_done);
    if (is_made_[task] != 0 && (is_good || failed_too)) {
      const std::vector<double> numbers = packed(task);
      all.push_back(static_cast<double>(task));
      all.push_back(static_cast<double>(numbers.size()));
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
  }
  return all;
}

void Points::unpack_tasks(std::span<const double> all) {
  while (!all.empty()) {
    const auto size = static_cast<std::size_t>(all[1]);
    unpack(all.subspan(2, size), static_cast<std::size_t>(all[0]));
    all = all.subspan(2 + size);
  }
}

/// What the root has, on all ranks. Collective.
void Points::share() {
  if (comm_.size() == 1) {
    return;
  }
  std::vector<double> all;
  if (comm_.is_root()) {
    all = packed_tasks(true);
  }
  parallel::broadcast_all(comm_, all, 0);
  unpack_tasks(all);
}

/// After so many tasks as asked for, else every ten minutes. Of the root.
void Points::save_if_due() {
  const std::int64_t every = spec_.checkpoint.every;
  const bool is_due = every > 0 ? made_since_save_ >= every
                                : Clock::now() - last_saved_ >= std::chrono::minutes(10);
  if (spec_.checkpoint.scheduled && is_due) {
    save();
  }
}

std::int64_t Points::made_points() const {
  return std::ranges::count(is_made_, 1) * static_cast<std::int64_t>(task_size_);
}

void Points::report() {
  if (!spec_.quiet && Clock::now() - last_report_ > std::chrono::seconds(2)) {
    last_report_ = Clock::now();
    std::fputs(fmt::format("{} of {} points\n", made_points(), points_.size()).c_str(), stderr);
  }
}

/// FILE of the checkpoint: what scan it is of, and the tasks that are done; those that failed
/// begin again. Of the root. Local.
void Points::save() {
  const std::vector<double> all = packed_tasks(false);
  io::write_checkpoint(
      own_, spec_.checkpoint.path, spec_.result, static_cast<double>(sizeof(double) * all.size()),
      [&](const io::Handle& file) {
        io::write_distributed(file, done, {"tasks that are done", ""}, all, 0, std::ssize(all));
      });
  last_saved_ = Clock::now();
  made_since_save_ = 0;
}

void Points::restore() {
  const io::Handle file = io::open_together(comm_, *spec_.checkpoint.restart, H5F_ACC_RDONLY);
  unpack_tasks(io::read_numbers(file, done));
  made_since_save_ = 0;
}

}  // namespace masing::scan
