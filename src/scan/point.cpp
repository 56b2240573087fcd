#include "scan/point.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <utility>

#include "base/poll.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
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

/// Watches a run for what a scan says of it: the extremes of x over the window of the samples, all
/// steps of it, and, where F has a period, what its last period in the window comes to.
class CycleObserver final : public engine::Observer {
 public:
  CycleObserver(const io::Sampling& window, std::optional<double> period);

  void observe(const engine::Samples& samples, engine::Engine& engine) override;

  /// What the run came to, when it is done. Local.
  [[nodiscard]] PointNumbers numbers() const;

 private:
  struct Step {
    double t;
    double x;
    double force;
    double restoring;
  };

  void add_period(PointNumbers& cycle) const;

  io::Sampling window_;
  std::optional<double> period_;
  std::optional<Step> least_;  // of x
  std::optional<Step> most_;
  std::vector<Step> last_;  // the steps of the last period, and the one before
};

CycleObserver::CycleObserver(const io::Sampling& window, std::optional<double> period)
    : window_(window), period_(period) {
  // A window that is shorter than a period has none.
  if (period_ && window_.to - window_.from < *period_ * (1 - 1e-9)) {
    period_.reset();
  }
}

void CycleObserver::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  base::poll();  // other ranks may ask for work
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

void CycleObserver::add_period(PointNumbers& cycle) const {
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

PointNumbers CycleObserver::numbers() const {
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

}  // namespace

void make_closed_cycles(const ScanProblem& problem, std::span<ScanPoint> points) {
  const engine::ModelFacts model = problem.run.facts();
  const slab::ClosedCurves curves(*model.slab, model.oscillator.k0);
  for (ScanPoint& point : points) {
    const double amplitude = point.values.back();
    const slab::ClosedCycle cycle = curves.cycle(amplitude);
    point.numbers = completed({.most_x = amplitude,
                               .least_x = -amplitude,
                               .restoring_amplitude = cycle.restoring,
                               .loss = cycle.loss});
  }
}

void make_run(const parallel::Communicator& own, const ScanProblem& problem, double available,
              bool keeps_series, const std::string& title, ScanPoint& point) {
  const engine::Setup setup = engine::make_setup(own, problem.run, {.available = available});
  CycleObserver cycle(problem.series, problem.period);
  std::optional<io::SeriesBuffer> series;
  std::vector<engine::Observer*> observers{&cycle};
  if (keeps_series) {
    observers.push_back(&series.emplace(problem.series));
  }
  std::optional<io::Progress> progress;
  if (!title.empty()) {
    observers.push_back(&progress.emplace(own, title, 0, problem.run.time.steps));
  }
  engine::integrate(own, *setup.engine, problem.run, observers);
  point.numbers = cycle.numbers();
  if (series) {
    point.series = std::move(*series).rows();
  }
}

bool is_for_all_ranks(const engine::RunSpec& run, double available, std::size_t tasks, int ranks) {
  return engine::is_split(run, ranks, available) &&
         (tasks < static_cast<std::size_t>(ranks) ||
          engine::memory_shortage(engine::memory_need(run, 1), available));
}

}  // namespace masing::scan
