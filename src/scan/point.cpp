#include "scan/scan.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "campaign/campaign.hpp"
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

namespace {

/// Returns the force of a problem; `problem.period` must not be empty.
slab::PeriodicForce force_of(const ScanProblem& problem) {
  const base::Function& drive = problem.run.drive;
  return {.value = [drive](double t) { return drive(t); },
          .bounds = [drive](double first, double last) { return drive.bounds(first, last); },
          .breaks = problem.force_breaks,
          .period = *problem.period};
}

/// The state at the end of a limit cycle, from which the next point starts. `extreme` is the
/// extreme of x at which the cycle begins and ends; `period` is the period of the force.
struct CycleState {
  slab::Extreme extreme = {};
  double period = 1.0;
  int multiple = 1;  ///< number of periods of the force in the cycle

  void serialize(engine::Archive& archive) {
    archive.scalars("cycle", period, multiple, extreme.phase, extreme.x, extreme.side);
    engine::serialize(archive, extreme.past);
  }
};

/// Returns the numbers that describe a limit cycle under a force of period `period`.
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

/// Computes limit cycles of one problem.
class LimitCycles {
 public:
  explicit LimitCycles(slab::PeriodMap map) : map_(std::move(map)) {}

  /// A limit cycle that Newton's method has found. `settled` is the relative change, over one
  /// cycle, of the motion from which Newton's method started. It is NaN if Newton's method started
  /// from the limit cycle of another problem.
  struct SettledCycle {
    slab::Cycle cycle;
    double settled = base::undefined;
  };

  /// Returns the limit cycle to which a motion converges. The motion starts from the extreme `from`
  /// of x. It starts from x0, y0, u0 if `from` is empty, or if no motion can have arrived at this
  /// extreme (PeriodMap::end_of_period() returns nothing). Throws UserError if no limit cycle is
  /// found.
  [[nodiscard]] SettledCycle settled_from(const std::optional<slab::Extreme>& from) const {
    const auto begin = from ? map_.end_of_period(*from) : std::nullopt;
    const slab::PeriodicState settled = slab::run_until_periodic(map_, 1e-6, 3000, begin);
    // A motion that has not settled may have no extreme within settled.multiple periods. Then more
    // periods are searched for one.
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

  /// Returns the limit cycle that is found from `end`, the end of the limit cycle of another
  /// problem (ScanPoint::end). First, Newton's method starts at `end`. Because `end` may be far
  /// from the limit cycle, the resulting cycle is accepted only if the motion from its beginning
  /// repeats it (repeats()). If it is not accepted, the motion from `end` is followed until it
  /// converges to a limit cycle. If `end` is empty, the motion from x0, y0, u0 is followed. Throws
  /// UserError if no limit cycle is found.
  [[nodiscard]] SettledCycle after(const std::vector<double>& end) const {
    if (end.empty()) {
      return settled_from(std::nullopt);
    }
    CycleState before;
    campaign::NumbersArchive archive(end);
    before.serialize(archive);
    slab::Extreme start = before.extreme;
    start.phase *= period() / before.period;
    try {
      const slab::PeriodicState exactly{.state = {}, .multiple = before.multiple, .change = 0.0};
      const slab::Cycle cycle = cycle_near(start, exactly);
      if (repeats(cycle)) {
        return {cycle};
      }
    } catch (const base::UserError&) {
      // Newton's method has found no cycle, so the motion is followed below.
    }
    return settled_from(start);
  }

  /// Returns the state from which the next point starts. It is the extreme at which the cycle
  /// begins, after the motion has followed the cycle once more. The slab then remembers both
  /// extremes of the cycle as turning points.
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

  /// Returns the rows of samples of a cycle, each with t, x, y, the force and the restoring force.
  /// The first row is at t = 0, where a period of the force begins. After it there are
  /// samples_a_period rows for each period, up to the end of the cycle.
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
  /// Searches for limit cycles of n periods, for each n < `multiple` that divides `multiple`.
  /// Returns the cycle with the least n that begins near `start`, or no value if there is none.
  /// Near means that x at the beginning of the cycle differs from x at `start` by less than `share`
  /// times the range of x of the cycle.
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
        continue;  // there is no cycle of `fewer` periods
      }
    }
    return std::nullopt;
  }

  /// Returns the limit cycle near `start`, an extreme of a motion. The motion repeats itself after
  /// settled.multiple periods except for the relative change settled.change. If these are several
  /// periods, the motion may in fact converge slowly to a cycle of fewer periods; therefore such a
  /// cycle is searched for first. If Newton's method finds a cycle of several periods that already
  /// closes after fewer periods, the shorter cycle is returned. Throws UserError if no cycle is
  /// found.
  [[nodiscard]] slab::Cycle cycle_near(const slab::Extreme& start,
                                       const slab::PeriodicState& settled) const {
    const int multiple = settled.multiple;
    if (auto cycle = cycle_of_shorter_period(start, multiple, 1000 * settled.change + 1e-6)) {
      return std::move(*cycle);
    }
    slab::Cycle cycle = slab::find_cycle(map_, start, multiple);
    auto same = cycle_of_shorter_period(cycle.extreme, multiple, 1e-9);
    return same ? std::move(*same) : cycle;
  }

  /// Returns whether the motion from the beginning of a cycle repeats the cycle twice. The second
  /// repetition starts with the turning points that the slab remembers after the first. A
  /// repetition counts if its duration agrees with that of the cycle to a relative accuracy of
  /// 1e-9. In addition, its change of x must agree with the drift of the cycle to 1e-9 of the range
  /// of x.
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

void CycleSolver::find_closed_cycle(const ScanProblem& problem, ScanPoint& point) {
  const engine::ModelFacts model = problem.run.facts();
  if (slab_ != *model.slab) {
    exact_.measure = slab::make_measure_without_u0(*model.slab);
    slab_ = *model.slab;
  }
  const double amplitude = point.values.back();
  const slab::ClosedCycle cycle =
      slab::closed_cycle(*exact_.measure, model.oscillator.k0, amplitude);
  point.numbers = completed({.most_x = amplitude,
                             .least_x = -amplitude,
                             .restoring_amplitude = cycle.restoring,
                             .loss = cycle.loss});
}

void CycleSolver::find_limit_cycle(const parallel::Communicator& comm, const ScanProblem& problem,
                                   const std::vector<double>& before, ScanPoint& point) {
  const slab::Slab& slab = *engine::slab_of(problem.run);
  if (slab_ != slab) {
    exact_ = engine::exact_slab(comm, slab);
    slab_ = slab;
  }
  slab::Oscillator oscillator = problem.run.facts().oscillator;
  oscillator.preload = exact_.preload;
  const LimitCycles cycles({*exact_.measure, oscillator, force_of(problem)});
  const auto [cycle, settled] = cycles.after(before);
  point.numbers = described(cycle, cycles.period());
  point.numbers.settled = settled;
  if (spec_.keep_series) {
    point.series = cycles.series(cycle);
  }
  if (spec_.past == Past::point) {
    campaign::NumbersArchive end;
    cycles.end_state(cycle).serialize(end);
    point.end = end.state();
  }
}

}  // namespace masing::scan
