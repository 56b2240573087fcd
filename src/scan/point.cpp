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

slab::PeriodicForce force_of(const ScanProblem& problem) {
  const base::Function& drive = problem.run.drive;
  return {.value = [drive](double t) { return drive(t); },
          .bounds = [drive](double first, double last) { return drive.bounds(first, last); },
          .breaks = problem.force_breaks,
          .period = *problem.period};
}

/// The state at the outer extreme of a limit cycle, and the force's period there.
struct CycleState {
  slab::Extreme extreme = {};
  double period = 1.0;
  int multiple = 1;  ///< how many periods the cycle takes

  void serialize(engine::Archive& archive) {
    archive.scalars("cycle", period, multiple, extreme.phase, extreme.x, extreme.side);
    engine::serialize(archive, extreme.past);
  }
};

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
  explicit LimitCycles(slab::PeriodMap map) : map_(std::move(map)) {}

  /// A cycle, and by how much the motion still changed before it was sought.
  struct Found {
    slab::Cycle cycle;
    double settled = base::undefined;
  };

  /// The one that the motion from an extreme comes to, or from x0, y0, u0.
  [[nodiscard]] Found settled_from(const std::optional<slab::Extreme>& from) const {
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

  /// The one near a cycle that ended at `end` (ScanPoint::end); where Newton's method does not come
  /// to it from there, what the motion from there comes to. The start may be far from the cycle, so
  /// the result is accepted only if the motion from its end repeats it. If `end` is empty, the one
  /// that the motion from x0, y0, u0 comes to.
  [[nodiscard]] Found after(const std::vector<double>& end) const {
    if (end.empty()) {
      return settled_from(std::nullopt);
    }
    CycleState before;
    campaign::NumbersArchive archive(end);
    before.serialize(archive);
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
    return settled_from(start);
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

void CycleSolver::find_closed_cycle(const ScanProblem& problem, ScanPoint& point) {
  const engine::ModelFacts model = problem.run.facts();
  if (slab_ != *model.slab) {
    exact_.measure = slab::make_settled_measure(*model.slab);
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
