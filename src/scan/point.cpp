#include "scan/points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "slab/steady/cycle.hpp"

namespace masing::scan {

PointNumbers completed(PointNumbers cycle) {
  const double multiple = std::isnan(cycle.period_multiple) ? 1.0 : cycle.period_multiple;
  cycle.amplitude = (cycle.most_x - cycle.least_x) / 2;
  cycle.centre = (cycle.most_x + cycle.least_x) / 2;
  cycle.secant_stiffness = cycle.restoring_amplitude / cycle.amplitude;
  cycle.damping_ratio =
      cycle.loss / multiple / (2 * std::numbers::pi * cycle.amplitude * cycle.restoring_amplitude);
  return cycle;
}

/// Watches a run for what a scan says of it: the extremes of x over the window of the samples, all
/// steps of it, and, where F has a period, what its last period in the window comes to.
class CycleObserver final : public engine::Observer {
 public:
  CycleObserver(const io::Sampling& window, std::optional<double> period)
      : window_(window), period_(period) {
    // A window that is shorter than a period has none.
    if (period_ && window_.to - window_.from < *period_ * (1 - 1e-9)) {
      period_.reset();
    }
  }

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    const double begin = window_.to - period_.value_or(0.0) - window_.time.step();
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      const double t = window_.time.time(samples.first_step + static_cast<std::int64_t>(i));
      if (t > window_.to) {
        break;
      }
      const Step now{t, samples.x[i], samples.force[i], samples.restoring[i]};
      if (t >= window_.from) {
        least_ = !least_ || now.x < least_->x ? now : *least_;
        most_ = !most_ || now.x > most_->x ? now : *most_;
      }
      if (period_ && t > begin) {
        last_.push_back(now);
      }
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    serialize(archive, "least", least_);
    serialize(archive, "most", most_);
    std::vector<double> numbers;
    for (const Step& step : last_) {
      numbers.insert(numbers.end(), {step.t, step.x, step.force, step.restoring});
    }
    archive.numbers("last", numbers);
    last_.clear();
    for (std::size_t i = 0; i + 3 < numbers.size(); i += 4) {
      last_.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    }
  }

  /// What the run came to, when it is done. Local.
  [[nodiscard]] PointNumbers numbers() const {
    if (!least_) {
      return {};
    }
    PointNumbers cycle{.most_x = most_->x,
                       .least_x = least_->x,
                       .restoring_amplitude = (most_->restoring - least_->restoring) / 2};
    if (period_ && last_.size() > 2) {
      add_period(cycle);
    }
    return completed(cycle);
  }

 private:
  struct Step {
    double t = 0.0;
    double x = 0.0;
    double force = 0.0;
    double restoring = 0.0;
  };

  /// Saves or restores a step that is there or not.
  static void serialize(engine::Archive& archive, const char* name, std::optional<Step>& step) {
    bool is_there = step.has_value();
    Step value = step.value_or(Step{});
    archive.scalars(name, is_there, value.t, value.x, value.force, value.restoring);
    step = is_there ? std::optional(value) : std::nullopt;
  }

  void add_period(PointNumbers& cycle) const {
    // The first step lies before the period: it is moved up to where that begins.
    std::vector<Step> steps = last_;
    const double begin = steps.back().t - *period_;
    const double part = (begin - steps[0].t) / (steps[1].t - steps[0].t);
    const auto between = [part](double a, double b) { return a + part * (b - a); };
    steps[0] = {begin, between(steps[0].x, steps[1].x), between(steps[0].force, steps[1].force),
                between(steps[0].restoring, steps[1].restoring)};
    std::complex<double> of_x;
    std::complex<double> of_force;
    double largest = 0.0;
    double loss = 0.0;
    const double circular = 2 * std::numbers::pi / *period_;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const Step& a = steps[i - 1];
      const Step& b = steps[i];
      loss += (b.x - a.x) * (a.restoring + b.restoring) / 2;
      const double width = (b.t - a.t) / (2 * *period_);
      const std::complex<double> turn_a = std::polar(width, -circular * a.t);
      const std::complex<double> turn_b = std::polar(width, -circular * b.t);
      of_x += a.x * turn_a + b.x * turn_b;
      of_force += a.force * turn_a + b.force * turn_b;
      largest = std::max(largest, std::abs(b.force));
    }
    cycle.loss = loss;
    cycle.phase = slab::phase_lag(of_force, of_x, largest);
    cycle.period = *period_;
  }

  io::Sampling window_;
  std::optional<double> period_;
  std::optional<Step> least_;  // of x
  std::optional<Step> most_;
  std::vector<Step> last_;  // the steps of the last period, and the one before
};

void compute_closed_cycles(const ScanProblem& problem, std::span<ScanPoint> points) {
  const engine::ModelFacts model = problem.run.facts();
  const auto measure = slab::make_settled_measure(*model.slab);
  for (ScanPoint& point : points) {
    const double amplitude = point.values.back();
    const slab::ClosedCycle cycle = slab::closed_cycle(*measure, model.oscillator.k0, amplitude);
    point.numbers = completed({.most_x = amplitude,
                               .least_x = -amplitude,
                               .restoring_amplitude = cycle.restoring,
                               .loss = cycle.loss});
  }
}

PointRun::PointRun(const parallel::Communicator& comm, ScanProblem problem, double available,
                   bool keeps_series)
    : problem_(std::move(problem)),
      setup_(engine::make_setup(comm, problem_.run, {.available = available})),
      cycle_(std::make_unique<CycleObserver>(problem_.series, problem_.period)),
      series_(keeps_series ? std::make_unique<io::SeriesBuffer>(problem_.series) : nullptr),
      observers_{cycle_.get()},
      loop_(comm, *setup_.engine, problem_.run, [this] {
        if (series_ != nullptr) {
          observers_.push_back(series_.get());
        }
        return std::span<engine::Observer* const>(observers_);
      }()) {}

PointRun::~PointRun() = default;

void PointRun::describe(ScanPoint& point) {
  loop_.finish();
  point.numbers = cycle_->numbers();
  if (series_ != nullptr) {
    point.series = std::move(*series_).rows();
  }
}

namespace {

slab::PeriodicForce force_of(const ScanProblem& problem) {
  const base::Function& drive = problem.run.drive;
  return {.value = [drive](double t) { return drive(t); },
          .bounds = [drive](double first, double last) { return drive.bounds(first, last); },
          .breaks = problem.force_breaks,
          .period = *problem.period};
}

slab::Oscillator loaded(const ScanProblem& problem, double preload) {
  slab::Oscillator oscillator = problem.run.facts().oscillator;
  oscillator.preload = preload;
  return oscillator;
}

/// What is known of a cycle of a force of period `period`.
PointNumbers described(const slab::Cycle& cycle, double period) {
  PointNumbers numbers =
      completed({.most_x = cycle.most_x,
                 .least_x = cycle.least_x,
                 .restoring_amplitude = (cycle.most_restoring - cycle.least_restoring) / 2,
                 .loss = cycle.loss,
                 .phase = cycle.phase,
                 .period = period,
                 .period_multiple = static_cast<double>(cycle.multiple),
                 .residual = cycle.residual,
                 .multipliers = cycle.multipliers,
                 .drift = cycle.drift,
                 .frozen = cycle.frozen});
  if (std::abs(cycle.drift) > 1e-9 * (cycle.most_x - cycle.least_x)) {
    numbers.centre = base::undefined;
  }
  return numbers;
}

/// The limit cycles of one problem.
class LimitCycles {
 public:
  LimitCycles(const slab::Measure& measure, double preload, const ScanProblem& problem)
      : map_(measure, loaded(problem, preload), force_of(problem)) {}

  /// A cycle, and by how much the motion still changed before it was sought.
  struct Found {
    slab::Cycle cycle;
    double settled = base::undefined;
  };

  /// The one that the motion from an extreme comes to, or from x0, y0, u0.
  [[nodiscard]] Found after(const std::optional<slab::Extreme>& from) const {
    const auto begin = from ? map_.end_of_period(*from) : std::nullopt;
    const slab::Settled settled = slab::settle(map_, 1e-6, 3000, begin);
    // Where the motion has not settled, a single period may be without an extreme.
    constexpr int several = 4;
    auto start = map_.outer_extreme(settled.state, settled.multiple);
    start = start ? start : map_.outer_extreme(settled.state, several);
    if (!start) {
      throw base::UserError(fmt::format(
          "after {} periods the motion has no extreme of x any more: it is at rest or runs away",
          settled.periods));
    }
    try {
      return {cycle_near(*start, settled), settled.change};
    } catch (const base::UserError& error) {
      throw base::UserError(fmt::format(
          "no cycle found: {}; after {} periods from the start the motion changes by {:.2g} of its "
          "size a period",
          error.what(), settled.periods, settled.change));
    }
  }

  /// The one near that of the point before; where Newton's method does not come to it from there,
  /// what the motion from there comes to. The start may be far from the cycle, so the result is
  /// accepted only if the motion from its end repeats it.
  [[nodiscard]] Found after(const CycleState& before) const {
    slab::Extreme start = before.extreme;
    start.phase *= period() / before.period;
    try {
      const slab::Settled exactly{.state = {}, .multiple = before.multiple, .change = 0.0};
      const slab::Cycle cycle = cycle_near(start, exactly);
      if (repeats(cycle)) {
        return {cycle};
      }
    } catch (const base::UserError&) {
      // The motion tells, below.
    }
    return after(std::optional(start));
  }

  /// The state that a cycle leaves: at its end the slab remembers both its extremes.
  [[nodiscard]] CycleState end_state(const slab::Cycle& cycle) const {
    slab::Extreme end = cycle.extreme;
    const auto passage = map_.passage(end, cycle.multiple * period(), end.side);
    if (passage) {
      end.past = passage->past;
      end.past.positions.push_back(passage->x);
      end.past.positions.push_back(end.side > 0 ? passage->least_x : passage->most_x);
      end.past.x = end.past.positions.back();
    }
    return {end, period(), cycle.multiple};
  }

  /// The samples of a cycle: rows of t, x, y, force and restoring force, from t = 0 on, where a
  /// period of the force begins, to its end; so many a period of the force.
  [[nodiscard]] std::vector<double> series(const slab::Cycle& cycle) const {
    auto solution = map_.from(map_.end_of_period(cycle.extreme).value());
    std::vector<double> rows;
    for (int i = 0; i <= samples_a_period * cycle.multiple; ++i) {
      const double t = period() * i / samples_a_period;
      const slab::MassState now = solution.at(t);
      rows.insert(rows.end(), {t, now.x, now.y, map_.force().value(t),
                               slab::restoring_force(map_.oscillator(), now)});
    }
    return rows;
  }
  [[nodiscard]] double period() const { return map_.force().period; }

 private:
  /// The cycle of fewer periods than `multiple`, as few as there are, whose extreme is within
  /// `share` of the cycle's range of `start`; nothing where there is none.
  [[nodiscard]] std::optional<slab::Cycle> cycle_of_shorter_period(const slab::Extreme& start,
                                                                   int multiple,
                                                                   double share) const {
    for (int fewer = 1; fewer < multiple; ++fewer) {
      if (multiple % fewer != 0) {
        continue;
      }
      try {
        slab::Cycle cycle = slab::find_cycle(map_, start, fewer);
        if (std::abs(cycle.extreme.x - start.x) < share * (cycle.most_x - cycle.least_x)) {
          return cycle;
        }
      } catch (const base::UserError&) {
        continue;  // there is none of so many
      }
    }
    return std::nullopt;
  }

  /// The cycle near an extreme of a motion that has settled to a change from one repetition to the
  /// next. Where it seems to repeat itself after several periods, it may be on a spiral to a cycle
  /// of fewer; and what is found may close after fewer, where the way to it was too far to tell.
  [[nodiscard]] slab::Cycle cycle_near(const slab::Extreme& start,
                                       const slab::Settled& settled) const {
    const int multiple = settled.multiple;
    if (auto cycle = cycle_of_shorter_period(start, multiple, 1000 * settled.change + 1e-6)) {
      return std::move(*cycle);
    }
    slab::Cycle cycle = slab::find_cycle(map_, start, multiple);
    auto same = cycle_of_shorter_period(cycle.extreme, multiple, 1e-9);
    return same ? std::move(*same) : cycle;
  }

  /// Whether the motion from a cycle's end is the cycle again, the slab with it.
  [[nodiscard]] bool repeats(const slab::Cycle& cycle) const {
    constexpr double alike = 1e-9;
    const double whole = cycle.multiple * period();
    slab::Extreme start = cycle.extreme;
    for (int turn = 0; turn < 2; ++turn) {
      auto passage = map_.passage(start, whole, start.side);
      if (!passage || std::abs(passage->span - whole) > alike * whole ||
          std::abs(passage->x - start.x - cycle.drift) > alike * (cycle.most_x - cycle.least_x)) {
        return false;
      }
      start = {start.phase + passage->span, passage->x, std::move(passage->past), start.side};
    }
    return true;
  }

  slab::PeriodMap map_;
};

}  // namespace

void SteadySolver::serialize(engine::Archive& archive) {
  bool is_there = before_.has_value();
  CycleState cycle = before_.value_or(CycleState{});
  slab::Extreme& extreme = cycle.extreme;
  slab::TurningPointState& past = extreme.past;
  archive.scalars("cycle", is_there, cycle.period, cycle.multiple, extreme.phase, extreme.x,
                  extreme.side, past.x0, past.x, past.direction, past.opposite, past.wiped_out,
                  past.outer_start);
  archive.numbers("turning_points", past.positions);
  before_ = is_there ? std::optional(cycle) : std::nullopt;
}

void SteadySolver::solve(const parallel::Communicator& comm, const ScanProblem& problem,
                         ScanPoint& point) {
  const slab::Slab& slab = *engine::slab_of(problem.run);
  if (slab_ != slab) {
    exact_ = engine::exact_slab(comm, slab);
    slab_ = slab;
  }
  const LimitCycles cycles(*exact_.measure, exact_.preload, problem);
  const auto [cycle, settled] = before_ ? cycles.after(*before_) : cycles.after(std::nullopt);
  point.numbers = described(cycle, cycles.period());
  point.numbers.settled = settled;
  if (keeps_series_) {
    point.series = cycles.series(cycle);
  }
  if (past_ == Past::point) {
    before_ = cycles.end_state(cycle);
  }
}

}  // namespace masing::scan
