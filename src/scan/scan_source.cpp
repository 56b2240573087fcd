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
#include "base/poll.hpp"
#include "campaign/campaign.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"
#include "scan/points.hpp"

namespace masing::scan {

namespace {

using campaign::Unit;
using engine::Pause;
using Clock = std::chrono::steady_clock;

// PointNumbers consists of doubles alone.
constexpr std::size_t count_of_numbers = sizeof(PointNumbers) / sizeof(double);

// In place of a task: the record of the rounds that added points, and of the values of these.
constexpr Unit of_rounds = -1;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns all points of the grid; the last axis varies fastest.
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

/// Packs the points of a task into one array: for each its numbers, its series and its message,
/// each preceded by its length.
std::vector<double> record_of(std::span<const ScanPoint> points, bool has_series) {
  std::vector<double> record;
  const auto put = [&](const auto& values) {
    record.push_back(static_cast<double>(values.size()));
    record.insert(record.end(), values.begin(), values.end());
  };
  for (const ScanPoint& point : points) {
    put(std::span(&point.numbers.most_x, count_of_numbers));
    put(has_series ? std::span<const double>(point.series) : std::span<const double>());
    put(point.message);
  }
  return record;
}

/// Unpacks the record of a task into its points.
void read_record(std::span<const double> record, std::span<ScanPoint> points) {
  const auto take = [&] {
    const auto list = record.subspan(1, static_cast<std::size_t>(record[0]));
    record = record.subspan(1 + list.size());
    return list;
  };
  for (ScanPoint& point : points) {
    std::ranges::copy(take().first(count_of_numbers), &point.numbers.most_x);
    const auto series = take();
    point.series.assign(series.begin(), series.end());
    const auto message = take();
    point.message.assign(message.begin(), message.end());
  }
}

/// Data that all works of a scan on this rank share.
struct Workshop {
  const ScanSpec& spec;
  const Problems& problems;
  int ranks = 1;              ///< of the scan
  double available = 0.0;     ///< available memory per rank, bytes
  std::size_t task_size = 1;  ///< number of points of a task
  std::int64_t tasks = 0;     ///< number of tasks of the scan
  SteadySolver solver;        ///< prepares a slab again only if it differs from the last one
};

/// Computes some tasks, one after another. A task is one point; or all points along the last axis
/// if these are amplitudes of closed cycles, or limit cycles that each start from the previous one.
/// Checkpoints contain the state of a run, and the completed points of a line of limit cycles;
/// other points take milliseconds and are computed again.
class PointsWork final : public campaign::Work {
 public:
  /// `points`: the points of the tasks `units`, with their values of the axes.
  PointsWork(const parallel::Communicator& comm, Workshop& shop, campaign::Batch units,
             std::vector<ScanPoint> points)
      : comm_(comm), shop_(shop), units_(std::move(units)), points_(std::move(points)) {}

  Pause advance(std::int64_t last, Pause wish, campaign::Records& records) override {
    const parallel::PhaseTimer timer(parallel::Phase::steps);
    const Clock::time_point begin = Clock::now();
    do {
      if (run_ == nullptr) {
        base::poll();
        compute_next(records);
      } else if (const Pause pause = advance_run(last, wish, records); pause != Pause::none) {
        return pause;
      }
    } while (comm_.size() == 1 && !is_done() &&
             Clock::now() - begin < std::chrono::milliseconds(20));
    return Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return next_ == units_.size(); }
  [[nodiscard]] campaign::Batch units() const override {
    return point_ == 0 ? campaign::Batch() : campaign::Batch{units_[next_]};
  }
  /// Steps of a run, or points of a line of limit cycles.
  [[nodiscard]] campaign::Count steps() const override {
    if (run_ != nullptr) {
      return {run_->step(), run_->steps()};
    }
    return {static_cast<std::int64_t>(point_),
            point_ == 0 ? 0 : static_cast<std::int64_t>(shop_.task_size)};
  }
  void serialize(engine::Archive& archive) override {
    const bool is_run = shop_.spec.kind == ScanKind::runs;
    double seconds = seconds_ + since(begun_);
    std::size_t point = point_;
    archive.scalars("point", seconds, point);
    if (archive.restores()) {
      is_resumed_ = true;
      if (is_run) {
        campaign::Records none;
        compute_next(none);
        if (run_ == nullptr) {
          throw base::UserError(fmt::format("point {} cannot be resumed: {}", units_.front() + 1,
                                            points_.front().message));
        }
      }
      point_ = point;
      seconds_ = seconds;
      begun_ = Clock::now();
    }
    if (is_run) {
      run_->serialize(archive);
      return;
    }
    shop_.solver.serialize(archive);
    const std::span<ScanPoint> completed = task().first(point_);
    auto record = archive.restores() ? std::vector<double>() : record_of(completed, true);
    archive.numbers("points", record);
    if (archive.restores()) {
      read_record(record, completed);
    }
  }

 private:
  [[nodiscard]] std::span<ScanPoint> task() {
    return std::span(points_).subspan(next_ * shop_.task_size, shop_.task_size);
  }

  /// Computes the next limit cycle or line of closed cycles, or creates the next run. Skips a run
  /// that is left for all ranks.
  void compute_next(campaign::Records& records) {
    if (point_ == 0) {
      begun_ = Clock::now();
      seconds_ = 0.0;
      shop_.solver.forget();
    }
    const ScanKind kind = shop_.spec.kind;
    const std::size_t size = kind == ScanKind::steady ? 1 : shop_.task_size;  // of a problem
    const std::size_t axes = shop_.spec.axes.size() - (kind == ScanKind::closed_curves ? 1 : 0);
    const std::span<ScanPoint> points = task().subspan(point_, size);
    bool is_computed = true;
    attempt(points, [&] {
      ScanProblem problem = shop_.problems.at(std::span(points[0].values).first(axes));
      if (kind == ScanKind::steady) {
        shop_.solver.solve(comm_, problem, points[0]);
      } else if (kind == ScanKind::closed_curves) {
        compute_closed_cycles(problem, points);
      } else if (is_left_for_all(problem.run)) {
        is_computed = false;
      } else {
        run_ = std::make_unique<PointRun>(comm_, std::move(problem), shop_.available,
                                          shop_.spec.keep_series);
      }
    });
    point_ += size;
    if (run_ == nullptr && point_ == shop_.task_size) {
      finish_task(is_computed ? &records : nullptr);
    }
  }

  Pause advance_run(std::int64_t last, Pause wish, campaign::Records& records) {
    Pause pause = Pause::none;
    attempt(task(), [&] {
      pause = run_->advance(last, wish);
      if (run_->is_done()) {
        run_->describe(task().front());
      }
    });
    if (run_->is_done() || task().front().has_failed()) {
      run_.reset();
      finish_task(&records);
    }
    return pause;
  }

  /// Calls `work`. If it throws a UserError or, on one rank, a SystemError, marks the points as
  /// failed with its message.
  template <class Attempt>
  void attempt(std::span<ScanPoint> points, const Attempt& work) {
    const auto fail = [&](const std::string& what) {
      for (ScanPoint& point : points) {
        point.message = parallel::one_line(what);
      }
    };
    try {
      work();
    } catch (const base::UserError& error) {
      fail(shop_.problems.message(error));
    } catch (const base::SystemError& error) {
      if (comm_.size() > 1) {
        throw;  // it may occur on this rank only, while others wait in a collective call
      }
      fail(error.what());
    }
  }

  /// Whether a single rank leaves a run for all ranks: it can be split, and there are fewer tasks
  /// than ranks or it does not fit into the memory of one rank. Never of a resumed run.
  [[nodiscard]] bool is_left_for_all(const engine::RunSpec& run) const {
    return !is_resumed_ && comm_.size() < shop_.ranks && engine::is_split(run, shop_.ranks) &&
           (shop_.tasks < shop_.ranks ||
            engine::memory_shortage(engine::memory_need(run, 1), shop_.available));
  }

  /// Appends the points of the task to `records`, or nothing if that is null because the task is
  /// left for all ranks, and goes to the next task.
  void finish_task(campaign::Records* records) {
    const double seconds = seconds_ + since(begun_);
    for (ScanPoint& point : task()) {
      point.numbers.seconds = seconds / static_cast<double>(shop_.task_size);
    }
    if (records != nullptr) {
      records->add(units_[next_], record_of(task(), true));
    }
    ++next_;
    point_ = 0;
  }

  const parallel::Communicator& comm_;
  Workshop& shop_;
  campaign::Batch units_;
  std::vector<ScanPoint> points_;
  std::size_t next_ = 0;   // index in units_ of the task in progress
  std::size_t point_ = 0;  // number of its points that are completed, or whose run is in progress
  std::unique_ptr<PointRun> run_;
  bool is_resumed_ = false;  // restored from a checkpoint: the run is not left for all ranks
  Clock::time_point begun_;  // when the task began or was resumed
  double seconds_ = 0.0;     // time of the task before it was resumed
};

/// The tasks of a scan as units of a campaign.
class ScanSource final : public campaign::Source {
 public:
  /// Collective.
  ScanSource(const parallel::Communicator& comm, const ScanSpec& spec, const Problems& problems)
      : spec_(spec),
        shop_{.spec = spec,
              .problems = problems,
              .ranks = comm.size(),
              .available = parallel::available_memory(comm),
              .task_size = task_size(spec),
              .solver = SteadySolver(spec.past, spec.keep_series)},
        scan_{.points = grid(spec.axes)},
        grid_size_(std::ssize(scan_.points)) {
    update_tasks();
  }

  [[nodiscard]] std::string unit_name() const override { return "points"; }
  [[nodiscard]] campaign::Count count() const override {
    const auto size = static_cast<std::int64_t>(shop_.task_size);
    return {made_ * size, shop_.tasks * size};
  }
  [[nodiscard]] bool schedules_by_units() const override { return true; }

  /// In each round, the first call assigns all tasks that are not completed to single ranks. The
  /// second call assigns the runs that these have left to all ranks.
  campaign::Packing pack(const campaign::Batch& under_way) override {
    campaign::Packing packing{.most_in_share = std::int64_t{1} << 40};
    std::vector<char> is_closed = is_made_;
    for (const Unit task : under_way) {
      is_closed[static_cast<std::size_t>(task)] = 1;
    }
    auto& batches = std::exchange(has_dealt_, true) ? packing.together : packing.alone;
    for (std::size_t task = 0; task < is_closed.size(); ++task) {
      if (is_closed[task] == 0) {
        batches.push_back({static_cast<Unit>(task)});
      }
    }
    return packing;
  }

  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const campaign::Batch& units) override {
    std::vector<ScanPoint> points;
    for (const Unit task : units) {
      for (const ScanPoint& point : points_of(task)) {
        points.push_back({.values = point.values});
      }
    }
    return std::make_unique<PointsWork>(ranks, shop_, units, std::move(points));
  }

  [[nodiscard]] std::string title(const campaign::Batch& units) const override {
    return fmt::format("point {} of {}", units.front() + 1, shop_.tasks);
  }

  void take(Unit task, std::span<const double> numbers) override {
    if (task == of_rounds) {
      rounds_ = static_cast<std::int64_t>(numbers[0]);
      added_.assign(numbers.begin() + 1, numbers.end());
      append_added();
      return;
    }
    read_record(numbers, points_of(task));
    made_ += std::exchange(is_made_[static_cast<std::size_t>(task)], 1) == 0 ? 1 : 0;
  }

  /// A checkpoint has the tasks that are completed, without those that have a failed point, which
  /// are computed again after a restart. All ranks need all points without the series, which only
  /// the root writes. The points that were added come first.
  [[nodiscard]] campaign::Records records(Use use) const override {
    const bool is_saved = use == Use::in_checkpoint;
    campaign::Records records;
    std::vector<double> rounds{static_cast<double>(rounds_)};
    rounds.insert(rounds.end(), added_.begin(), added_.end());
    records.add(of_rounds, rounds);
    for (Unit task = 0; task < shop_.tasks; ++task) {
      const auto points =
          std::span(scan_.points)
              .subspan(static_cast<std::size_t>(task) * shop_.task_size, shop_.task_size);
      if (is_made_[static_cast<std::size_t>(task)] != 0 &&
          (!is_saved || std::ranges::none_of(points, &ScanPoint::has_failed))) {
        records.add(task, record_of(points, is_saved));
      }
    }
    return records;
  }

  bool refine(const parallel::Communicator& comm) override {
    if (add_points()) {
      has_dealt_ = false;
      return true;
    }
    scan_.seconds = since(begun_);
    parallel::broadcast(comm, std::span(&scan_.seconds, 1));
    return false;
  }
  /// The scan as it is written, with the points sorted by their values. The source keeps them in
  /// the order of their tasks, as a checkpoint may have to be written where the file cannot be.
  [[nodiscard]] Scan& scan() {
    if (!spec_.resolve) {
      return scan_;
    }
    if (sorted_.points.empty()) {
      sorted_ = scan_;
      std::ranges::stable_sort(sorted_.points, {}, &ScanPoint::values);
    }
    return sorted_;
  }

 private:
  static std::size_t task_size(const ScanSpec& spec) {
    const bool is_line = spec.kind == ScanKind::closed_curves ||
                         (spec.kind == ScanKind::steady && spec.past == Past::point);
    return is_line ? spec.axes.back().values.size() : 1;
  }

  [[nodiscard]] std::span<ScanPoint> points_of(Unit task) {
    return std::span(scan_.points)
        .subspan(static_cast<std::size_t>(task) * shop_.task_size, shop_.task_size);
  }

  void update_tasks() {
    is_made_.resize(scan_.points.size() / shop_.task_size);
    shop_.tasks = std::ssize(is_made_);
  }

  /// Refines the last axis: adds the midpoints on both sides of each point whose amplitude X or
  /// phase is farther from the chord of its neighbours than `resolve` allows, the largest
  /// deviations first. Returns false if it adds none. Local, with the same result on all ranks.
  bool add_points() {
    using std::numbers::pi;
    if (!spec_.resolve || rounds_ == 6) {
      return false;
    }
    ++rounds_;
    double least = base::infinity;
    double most = 0.0;
    std::map<std::vector<double>, PointNumbers> all;
    for (const ScanPoint& point : scan_.points) {
      all[point.values] = point.numbers;
      least = std::min(least, point.numbers.amplitude);  // ignores NaN, of a failed point
      most = std::max(most, point.numbers.amplitude);
    }
    std::vector<std::pair<double, std::vector<double>>> middles;  // each with its deviation
    for (auto c = all.begin(), b = c, a = c; c != all.end(); a = b, b = c++) {
      const double last[] = {a->first.back(), b->first.back(), c->first.back()};
      const double part = (last[1] - last[0]) / (last[2] - last[0]);  // NaN while a, b, c are one
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
    for (auto room = 10 * grid_size_ - std::ssize(scan_.points);
         const auto& [bend, middle] : middles) {
      if (room > 0 && all.try_emplace(middle).second) {
        added_.insert(added_.end(), middle.begin(), middle.end());
        --room;
      }
    }
    return append_added();
  }

  /// Appends the points of added_ that are not yet in points_; returns false if there are none.
  /// Local.
  bool append_added() {
    const auto size = std::ssize(spec_.axes);
    const auto there = std::ssize(scan_.points) - grid_size_;
    for (auto at = added_.begin() + there * size; at != added_.end(); at += size) {
      scan_.points.push_back({.values = {at, at + size}});
    }
    update_tasks();
    return std::ssize(scan_.points) > grid_size_ + there;
  }

  const ScanSpec& spec_;
  Workshop shop_;
  Scan scan_;    // its points are those of all tasks, one task after another
  Scan sorted_;  // with --resolve, once it is asked for
  std::ptrdiff_t grid_size_;
  std::int64_t rounds_ = 0;    // number of calls of add_points()
  std::vector<double> added_;  // axis values of the points that add_points() added
  std::vector<char> is_made_;  // whether a task is completed; on other ranks as of share()
  std::int64_t made_ = 0;      // number of completed tasks
  bool has_dealt_ = false;     // whether this round's tasks are assigned to single ranks
  Clock::time_point begun_ = Clock::now();
};

}  // namespace

Scan make_scan(const parallel::Communicator& comm, const ScanSpec& spec, const Problems& problems) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  ScanSource source(comm, spec, problems);
  campaign::run(comm, source, spec.files,
                [&](const parallel::Communicator& root, const io::Handle& file) {
                  write(root, file, spec, source.scan());
                });
  return std::move(source.scan());
}

}  // namespace masing::scan
