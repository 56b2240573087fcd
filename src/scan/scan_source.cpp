#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/seconds.hpp"
#include "campaign/campaign.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/recorders.hpp"
#include "parallel/communicator.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"
#include "scan/scan.hpp"
#include "slab/steady/cycle.hpp"

namespace masing::scan {

void ScanPoint::fields(engine::Archive& archive) {
  numbers.fields(archive);
  for (std::string* text : {&message, &warning}) {
    std::vector<double> letters(text->begin(), text->end());
    archive.numbers("text", letters);
    text->assign(letters.begin(), letters.end());
  }
  archive.numbers("series", series);
}

namespace {

using campaign::Unit;
using engine::Pause;

bool is_computed(const ScanPoint& point) {
  return !std::isnan(point.numbers.seconds);
}

/// Observes the run of a point. The observer stores the extremes of x, y and the restoring force
/// and the work of the restoring force over all steps in the time interval [window.from,
/// window.to]. If the force has a period and this interval contains a whole period, the observer
/// also stores the motion of the last period before window.to.
class CycleObserver final : public engine::Observer {
 public:
  explicit CycleObserver(const ScanProblem& problem)
      : window_(problem.series), is_slab_(engine::slab_of(problem.run) != nullptr) {
    const double length = window_.to - window_.from;
    const bool fits = problem.period && length >= *problem.period * (1 - 1e-9);
    period_ = fits ? *problem.period : 0.0;
    // A run cannot tell a small drift from what is left of a transient.
    const bool is_last_period = is_slab_ && length < 1.5 * period_;
    const bool is_held = is_slab_ && problem.run.model->oscillator()->k0 > 0.0;
    least_drift_ = is_held ? base::infinity : is_last_period ? 1e-9 : visible_drift;
  }

  void observe(const engine::Motion& motion, engine::Engine& engine) override {
    const auto nodes = engine.watched();  // in every row first the force node
    const double begin = window_.to - period_ - window_.time.step();
    for (std::size_t i = 0; i < motion.x.size(); ++i) {
      const double t = window_.time.time(motion.first_step + static_cast<std::int64_t>(i));
      if (t > window_.to) {
        break;
      }
      const slab::CyclePoint now{t, motion.x[i], motion.force[i], motion.restoring[i]};
      if (t >= window_.from) {
        least_ = now.x < least_.x ? now : least_;
        most_ = now.x > most_.x ? now : most_;
        numbers_.most_speed = std::max(numbers_.most_speed, std::abs(motion.y[i]));
        numbers_.most_restoring = std::max(numbers_.most_restoring, std::abs(now.restoring));
        if (!nodes.empty()) {
          const engine::WatchedNode& node = nodes[i * (nodes.size() / motion.x.size())];
          numbers_.most_elongation = std::fmax(numbers_.most_elongation, std::abs(node.elongation));
          numbers_.most_acceleration = std::fmax(numbers_.most_acceleration, std::abs(node.a));
        }
        const bool is_first = std::isnan(last_.x);
        numbers_.loss += is_first ? 0.0 : (now.x - last_.x) * (last_.restoring + now.restoring) / 2;
        last_ = now;
      }
      if (period_ > 0.0 && t > begin) {
        rows_.push_back(now);
      }
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.scalars("extremes", least_.x, least_.restoring, most_.x, most_.restoring, last_.x,
                    last_.restoring);
    numbers_.fields(archive);
    archive.structs("period", rows_);
  }

  /// Returns the numbers of the point; called at the end of the run. Local.
  [[nodiscard]] PointNumbers numbers() const {
    if (least_.x > most_.x) {
      return {};  // no step of the run is in the interval [window_.from, window_.to]
    }
    PointNumbers cycle = numbers_;
    cycle.most_x = most_.x;
    cycle.least_x = least_.x;
    cycle.last_x = last_.x;
    cycle.amplitude = (most_.x - least_.x) / 2;
    cycle.centre = (most_.x + least_.x) / 2;
    cycle.restoring_amplitude = (most_.restoring - least_.restoring) / 2;
    if (rows_.size() > 3) {
      return with_period(cycle);
    }
    cycle = completed(cycle);
    cycle.damping_ratio = base::undefined;  // the loss is not that of a cycle
    return cycle;
  }

 private:
  /// Returns `cycle` with the numbers that follow from the last period.
  [[nodiscard]] PointNumbers with_period(PointNumbers cycle) const {
    // The period ends at the last stored step. It usually begins between the first two stored
    // steps, so the values at its beginning are interpolated. If window_.to is not at a step, the
    // period may begin less than a step before the first stored step; then the values are
    // extrapolated.
    slab::CyclePoint first = rows_[0];
    slab::CyclePoint second = rows_[1];
    const double begin = rows_.back().t - period_;
    const double part = (begin - first.t) / (second.t - first.t);
    for (const auto value :
         {&slab::CyclePoint::x, &slab::CyclePoint::force, &slab::CyclePoint::restoring}) {
      first.*value += part * (second.*value - first.*value);
    }
    first.t = begin;
    std::vector<slab::CyclePoint> points;
    cycle.loss = 0.0;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      second = rows_[i];
      first.weight = second.weight = (second.t - first.t) / (2 * period_);
      points.insert(points.end(), {first, second});
      cycle.loss += (second.x - first.x) * (first.restoring + second.restoring) / 2;
      first = second;
    }
    const double drift = points.back().x - points.front().x;
    const double share = std::abs(drift) / (2 * cycle.amplitude);
    const bool drifts = share > least_drift_;
    const auto numbers = slab::numbers_of(points, period_, period_, drifts ? drift : 0.0);
    if (drifts) {
      const auto [least, most] = std::ranges::minmax(points, {}, &slab::CyclePoint::restoring);
      cycle.amplitude = numbers.amplitude;
      cycle.centre = share > visible_drift ? base::undefined : cycle.centre;
      cycle.restoring_amplitude =
          is_slab_ ? numbers.restoring_amplitude : (most.restoring - least.restoring) / 2;
    }
    cycle.phase = numbers.phase;
    cycle.period = period_;
    return completed(cycle, numbers.work_of_drift);
  }

  static constexpr double visible_drift = 1e-3;  // a larger one leaves no centre

  io::Sampling window_;
  bool is_slab_;
  double least_drift_;   // the least drift, as a share of the range of x, that counts
  double period_ = 0.0;  // 0 if there is no period that fits into the window
  slab::CyclePoint least_{.x = base::infinity};
  slab::CyclePoint most_{.x = -base::infinity};
  slab::CyclePoint last_{.x = base::undefined};  // at the last step in the window
  // the largest numbers in the window, and as the loss the work of the restoring force in it
  PointNumbers numbers_{.most_speed = 0.0, .most_restoring = 0.0, .loss = 0.0};
  // the motion at each step of the last period and, if it is stored, at the step before this period
  std::vector<slab::CyclePoint> rows_;
};

/// The run of a point, with its engine and its observers.
struct PointRun {
  /// Sets up the run on the ranks of `comm`, which must outlive the object. `available` is the
  /// available memory per rank in bytes. Throws UserError if the run does not fit into memory or
  /// its engine cannot solve it, and Stopped if a stop is requested meanwhile (engine::make_setup).
  /// Collective on comm.
  PointRun(const parallel::Communicator& comm, ScanProblem its_problem, double available,
           bool keeps_series)
      : problem(std::move(its_problem)),
        setup(engine::make_setup(comm, problem.run, available)),
        cycle(problem),
        series(problem.series),
        observers{&cycle, &series},
        loop(comm, *setup.engine, problem.run, std::span(observers).first(keeps_series ? 2 : 1)) {}

  ScanProblem problem;
  engine::Setup setup;
  CycleObserver cycle;
  io::SeriesBuffer series;  ///< the rows of samples; empty if no series are kept
  std::array<engine::Observer*, 2> observers;
  engine::TimeLoop loop;
};

/// Data that all works of a scan on this rank share.
struct Workshop {
  const ScanSpec& spec;
  const ProblemAt& problem_at;
  int ranks = 1;           ///< number of ranks of the scan
  double available = 0.0;  ///< Available memory per rank, bytes.
  CycleSolver solver = {};
};

/// Computes some points of a scan, one after another. A point that is a run has a state that can be
/// saved. Any other point takes milliseconds; if it is interrupted, it begins anew after a restart.
class PointsWork final : public campaign::Work {
 public:
  PointsWork(const parallel::Communicator& comm, Workshop& shop, campaign::Batch units)
      : comm_(comm), shop_(shop), units_(std::move(units)) {}

  Pause advance(std::int64_t last, Pause wish, campaign::Records& records) override {
    const parallel::PhaseTimer timer(parallel::Phase::steps);
    const double begin = base::seconds_now();
    do {
      if (run_ == nullptr) {
        base::poll();
        attempt([this] { begin_point(true); });
      } else if (const Pause pause = advance_run(last, wish); pause != Pause::none) {
        return pause;
      }
      if (run_ == nullptr) {
        finish_point(records);
      }
    } while (comm_.size() == 1 && !is_done() && base::seconds_now() - begin < 0.02);
    return Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return next_ == units_.size(); }
  [[nodiscard]] campaign::Batch units() const override {
    return run_ == nullptr ? campaign::Batch() : campaign::Batch{units_[next_]};
  }
  [[nodiscard]] campaign::Count steps() const override {
    return run_ == nullptr ? campaign::Count()
                           : campaign::Count{run_->loop.step(), run_->problem.run.time.steps};
  }
  void serialize(engine::Archive& archive) override {
    if (archive.restores()) {
      begin_point(false);
    }
    run_->loop.serialize(archive);
  }

 private:
  /// Begins the next point. A limit cycle is computed at once. Otherwise the run of the
  /// point is created but not advanced. If `may_leave` is true and all ranks should compute the run
  /// together (is_for_all), no run is created and is_left_ is set. Throws UserError if the point
  /// cannot be computed.
  void begin_point(bool may_leave) {
    point_ = {};
    begun_ = base::seconds_now();
    is_left_ = false;
    ScanProblem problem;
    // An input may be unreadable on some ranks only.
    parallel::on_each(comm_, [&] { problem = shop_.problem_at(units_[next_]); });
    point_.warning = problem.warning;
    if (shop_.spec.is_steady) {
      point_.numbers = shop_.solver.find_limit_cycle(comm_, problem);
    } else if (is_left_ = may_leave && is_for_all(problem.run); !is_left_) {
      run_ = std::make_unique<PointRun>(comm_, std::move(problem), shop_.available,
                                        shop_.spec.keep_series);
    }
  }

  Pause advance_run(std::int64_t last, Pause wish) {
    Pause pause = Pause::none;
    attempt([&] {
      pause = run_->loop.advance(last, wish);
      if (run_->loop.is_done()) {
        run_->loop.finish();
        if (point_.warning.empty()) {
          point_.warning = run_->setup.engine->warning();
        }
        point_.numbers = run_->cycle.numbers();
        point_.series = std::move(run_->series).rows();
      }
    });
    if (run_->loop.is_done() || point_.has_failed()) {
      run_.reset();
    }
    return pause;
  }

  /// Calls `work`. If it throws a UserError, marks the point as failed with the message of the
  /// error. A SystemError is handled in the same way if this rank computes the point alone; if
  /// several ranks compute it, the SystemError is rethrown.
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const base::UserError& error) {
      point_.message = parallel::one_line(error.what());
    } catch (const base::SystemError& error) {
      if (comm_.size() > 1) {
        // the error may have occurred on this rank only, while other ranks wait in a collective
        // call
        throw;
      }
      point_.message = parallel::one_line(error.what());
    }
  }

  /// Returns whether this rank should leave a run to all ranks together. This is so if the rank
  /// computes alone, other ranks exist, and the run can be split. In addition, there must be fewer
  /// points than ranks, or the run must be too large for the memory of one rank.
  [[nodiscard]] bool is_for_all(const engine::RunSpec& run) const {
    return comm_.size() < shop_.ranks && engine::is_split(run, shop_.ranks) &&
           (shop_.spec.points.count() < shop_.ranks ||
            engine::bytes_a_rank(run.model->memory(run.method), 1) > shop_.available);
  }

  /// Ends the present point and goes to the next one. Appends the present point to `records`,
  /// unless its run is left to all ranks.
  void finish_point(campaign::Records& records) {
    point_.numbers.seconds = base::seconds_now() - begun_;
    if (!is_left_) {
      records.add(units_[next_], campaign::packed(std::move(point_)));
    }
    ++next_;
  }

  const parallel::Communicator& comm_;
  Workshop& shop_;
  campaign::Batch units_;
  std::size_t next_ = 0;  // index in units_ of the point in progress
  ScanPoint point_;       // the point in progress
  std::unique_ptr<PointRun> run_;
  bool is_left_ = false;  // whether the run of the point is left to all ranks
  double begun_ = 0.0;    // time at which the point was begun or resumed
};

/// Supplies a campaign with the points of a scan and stores their results. Each point is a unit.
class ScanSource final : public campaign::Source {
 public:
  /// Creates the points. `spec` and `problem_at` must outlive the object. Collective on
  /// comm.
  ScanSource(const parallel::Communicator& comm, const ScanSpec& spec, const ProblemAt& problem_at)
      : spec_(spec),
        scan_{.points = std::vector<ScanPoint>(static_cast<std::size_t>(spec.points.count()))},
        shop_{.spec = spec,
              .problem_at = problem_at,
              .ranks = comm.size(),
              .available = parallel::available_memory(comm)} {}

  [[nodiscard]] std::string unit_name() const override { return "points"; }
  [[nodiscard]] campaign::Count count() const override {
    return {computed_, std::ssize(scan_.points)};
  }
  [[nodiscard]] bool shows_count() const override { return true; }

  /// The first call assigns all points that are not yet computed to single ranks, in some 64
  /// batches for each rank: few requests to the root, and about the same end on all ranks. Later
  /// calls assign to all ranks together the points that single ranks did not compute
  /// (PointsWork::is_for_all()).
  campaign::Packing pack(const campaign::Batch& under_way) override {
    campaign::Packing packing;
    const std::set<Unit> resumed(under_way.begin(), under_way.end());
    const bool is_first = !std::exchange(has_dealt_, true);
    auto& batches = is_first ? packing.alone : packing.together;
    const std::int64_t size = is_first ? std::ssize(scan_.points) / (64 * shop_.ranks) : 1;
    for (Unit unit = 0; unit < std::ssize(scan_.points); ++unit) {
      if (!is_computed(point(unit)) && !resumed.contains(unit)) {
        if (batches.empty() || std::ssize(batches.back()) >= size) {
          batches.emplace_back();
        }
        batches.back().push_back(unit);
      }
    }
    return packing;
  }

  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const campaign::Batch& units) override {
    return std::make_unique<PointsWork>(ranks, shop_, units);
  }

  void take(Unit unit, std::span<const double> numbers) override {
    computed_ += is_computed(point(unit)) ? 0 : 1;
    point(unit) = campaign::unpacked<ScanPoint>({numbers.begin(), numbers.end()});
  }

  /// Returns the records of the computed points. The records for a checkpoint omit failed points,
  /// so that these are computed again after a restart. The records for the other ranks contain all
  /// computed points, but without ScanPoint::series, which these ranks do not need.
  [[nodiscard]] campaign::Records records(Use use) const override {
    const bool is_saved = use == Use::in_checkpoint;
    campaign::Records records;
    for (Unit unit = 0; unit < std::ssize(scan_.points); ++unit) {
      const ScanPoint& point = scan_.points[static_cast<std::size_t>(unit)];
      if (is_computed(point) && !(is_saved && point.has_failed())) {
        records.add(unit, campaign::packed(is_saved ? point
                                                    : ScanPoint{.warning = point.warning,
                                                                .message = point.message,
                                                                .numbers = point.numbers}));
      }
    }
    return records;
  }

  void conclude(const parallel::Communicator& comm) override {
    scan_.seconds = base::seconds_now() - begun_;
    parallel::broadcast(comm, std::span(&scan_.seconds, 1));
  }
  [[nodiscard]] ScanResult& scan() { return scan_; }

 private:
  [[nodiscard]] ScanPoint& point(Unit unit) {
    return scan_.points.at(static_cast<std::size_t>(unit));
  }

  const ScanSpec& spec_;
  ScanResult scan_;  // the index of a point is its unit
  Workshop shop_;
  std::int64_t computed_ = 0;  // number of computed points
  bool has_dealt_ = false;     // whether pack() has assigned points to single ranks
  double begun_ = base::seconds_now();
};

}  // namespace

ScanResult make_scan(const parallel::Communicator& comm, const ScanSpec& spec,
                     const ProblemAt& problem_at) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  ScanSource source(comm, spec, problem_at);
  campaign::run(comm, source, spec.files,
                [&](const parallel::Communicator& root, const io::Handle& file) {
                  write(root, file, spec, source.scan());
                });
  return std::move(source.scan());
}

}  // namespace masing::scan
