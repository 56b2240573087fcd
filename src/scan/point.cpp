#include "scan/scan.hpp"

#include <fmt/core.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "slab/steady/cycle.hpp"

namespace masing::scan {

PointNumbers completed(PointNumbers cycle, double work_of_drift) {
  const double multiple = std::isnan(cycle.period_multiple) ? 1.0 : cycle.period_multiple;
  cycle.secant_stiffness = cycle.restoring_amplitude / cycle.amplitude;
  // The loss is a number of the size of X f_X, which leaves the range of double before X does.
  const double size = cycle.amplitude * cycle.restoring_amplitude;
  cycle.damping_ratio =
      std::isnormal(size) ? (cycle.loss - work_of_drift) / multiple /
                                (2 * std::numbers::pi * cycle.amplitude * cycle.restoring_amplitude)
                          : base::undefined;
  return cycle;
}

namespace {

/// Returns the numbers that describe a limit cycle under a force of period `period`.
PointNumbers described(const slab::Cycle& cycle, double period) {
  const bool drifts = std::abs(cycle.drift) > 1e-9 * (cycle.most_x - cycle.least_x);
  return completed({.most_x = cycle.most_x,
                    .least_x = cycle.least_x,
                    .amplitude = cycle.numbers.amplitude,
                    .centre = drifts ? base::undefined : (cycle.most_x + cycle.least_x) / 2,
                    .restoring_amplitude = cycle.numbers.restoring_amplitude,
                    .loss = cycle.loss,
                    .phase = cycle.numbers.phase,
                    .period = period,
                    .period_multiple = static_cast<double>(cycle.multiple),
                    .residual = cycle.residual,
                    .multiplier_re = {cycle.multipliers[0].real(), cycle.multipliers[1].real()},
                    .multiplier_im = {cycle.multipliers[0].imag(), cycle.multipliers[1].imag()},
                    .drift = cycle.drift,
                    .frozen = cycle.frozen},
                   cycle.numbers.work_of_drift);
}

/// Returns slab::find_cycle(), or no value if no cycle is found.
std::optional<slab::Cycle> try_to_find(const slab::PeriodMap& map, const slab::Extreme& start,
                                       int multiple) {
  try {
    return slab::find_cycle(map, start, multiple);
  } catch (const base::UserError&) {
    return std::nullopt;
  }
}

/// Searches for limit cycles of n periods, for each n < `multiple` that divides `multiple`. Returns
/// the cycle with the least n that begins near `start`, or no value if there is none. Near means
/// that x at the beginning of the cycle differs from x at `start` by less than `share` times the
/// range of x of the cycle.
std::optional<slab::Cycle> cycle_of_shorter_period(const slab::PeriodMap& map,
                                                   const slab::Extreme& start, int multiple,
                                                   double share) {
  for (int fewer = 1; fewer < multiple; ++fewer) {
    auto cycle = multiple % fewer == 0 ? try_to_find(map, start, fewer) : std::nullopt;
    if (cycle && std::abs(cycle->extreme.x - start.x) < share * (cycle->most_x - cycle->least_x)) {
      return cycle;
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
slab::Cycle cycle_near(const slab::PeriodMap& map, const slab::Extreme& start,
                       const slab::PeriodicState& settled) {
  const int multiple = settled.multiple;
  if (auto cycle = cycle_of_shorter_period(map, start, multiple, 1000 * settled.change + 1e-6)) {
    return std::move(*cycle);
  }
  slab::Cycle cycle = slab::find_cycle(map, start, multiple);
  auto same = cycle_of_shorter_period(map, cycle.extreme, multiple, 1e-9);
  return same ? std::move(*same) : cycle;
}

/// Returns a limit cycle of a large amplitude, which a motion approaches slowly, or no value if
/// none is found. Throws UserError if there is no cycle because the amplitude X grows for ever: if
/// c = 0 and F has the component a cos(ωt + φ) of the frequency ω² = k0/m, its work per period may
/// be π a X, while the slab takes at most 4 X ∫ k η ds.
std::optional<slab::Cycle> far_cycle(const slab::PeriodMap& map) {
  constexpr double full = 2 * std::numbers::pi;
  constexpr int samples = 4096;
  const auto& [drive, breaks, period] = map.force();
  const slab::Oscillator& mass = map.oscillator();
  const double turns = std::sqrt(mass.k0 / mass.mass) * period / full;
  const double harmonic = std::max(1.0, std::round(turns));
  std::complex<double> component;
  for (double i = 0.5; i < samples; ++i) {
    component +=
        drive(i / samples * period) * std::polar(2.0 / samples, -full * harmonic * i / samples);
  }
  const double most = 4 / std::numbers::pi * map.measure().total().force;
  if (mass.damping == 0.0 && std::abs(turns - harmonic) < 1e-9 * harmonic &&
      std::abs(component) > most) {
    throw base::UserError(fmt::format(
        "no cycle is bounded: the component of F at the frequency sqrt(k0/m), {:.6g}, exceeds 4/pi "
        "int k eta ds = {:.6g}, so that the amplitude grows for ever",
        std::abs(component), most));
  }
  // Near this resonance x lags behind F by π/2. If all elements yield, the cycle does not depend on
  // the past. At still larger x the slab changes x by too little for Newton's method.
  const double phase = (std::numbers::pi / 2 - std::arg(component)) / (full * harmonic) * period;
  for (double x = most / mass.k0; x < 1000 * most / mass.k0; x *= 1.2) {
    auto cycle = try_to_find(map, {phase, x, {.x0 = mass.x0, .opposite = mass.x0}}, 1);
    if (cycle && cycle->frozen < 1e-9 && cycle->most_x < 1000 * most / mass.k0) {
      return cycle;
    }
  }
  return std::nullopt;
}

/// Returns the numbers of the limit cycle to which the motion from x0, y0, u0 converges. Throws
/// UserError if no limit cycle is found.
PointNumbers settled_cycle(const slab::PeriodMap& map) {
  const slab::PeriodicState settled = slab::run_until_periodic(map);
  // A motion that has not settled may have no extreme within settled.multiple periods. Then more
  // periods are searched for one.
  constexpr int several = 4;
  auto start = map.outer_extreme(settled.state, settled.multiple);
  start = start ? start : map.outer_extreme(settled.state, several);
  if (!start) {
    throw base::UserError(fmt::format(
        "after {} periods the motion has no extreme of x any more: it is at rest or runs away",
        settled.periods));
  }
  try {
    PointNumbers numbers = described(cycle_near(map, *start, settled), map.force().period);
    numbers.settled = settled.change;
    return numbers;
  } catch (const base::UserError& error) {
    if (const auto cycle = far_cycle(map)) {
      return described(*cycle, map.force().period);
    }
    throw base::UserError(fmt::format(
        "no cycle found: {}; after {} periods from the start the motion changes by {:.2g} of its "
        "size a period",
        error.what(), settled.periods, settled.change));
  }
}

}  // namespace

PointNumbers CycleSolver::find_limit_cycle(const parallel::Communicator& comm,
                                           const ScanProblem& problem) {
  const slab::Slab& slab = *engine::slab_of(problem.run);
  if (slab_ != slab) {
    exact_ = engine::built_slab(comm, slab, engine::Method::exact);
    slab_ = slab;
  }
  slab::Oscillator oscillator = *problem.run.model->oscillator();
  oscillator.preload = exact_.preload;
  return settled_cycle({*exact_.measure,
                        oscillator,
                        {problem.run.drives.front().of_t, problem.force_breaks, *problem.period}});
}

}  // namespace masing::scan
