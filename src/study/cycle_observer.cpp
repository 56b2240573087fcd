#include "study/cycle_observer.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "slab/steady/cycle.hpp"

namespace masing::study {

CycleObserver::CycleObserver(const io::Sampling& window, std::optional<double> period)
    : window_(window), period_(period) {
  // A window that is shorter than a period has none.
  if (period_ && window_.to - window_.from < *period_ * (1 - 1e-9)) {
    period_.reset();
  }
}

void CycleObserver::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
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

void CycleObserver::add_period(PointNumbers& numbers) const {
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
  numbers.loss = loss;
  numbers.phase = slab::phase_lag(of_force, of_x, largest);
  numbers.period = *period_;
}

PointNumbers CycleObserver::numbers() const {
  PointNumbers numbers;
  if (!least_) {
    return numbers;
  }
  if (period_ && last_.size() > 2) {
    add_period(numbers);
  }
  describe_cycle(least_->x, most_->x, least_->restoring, most_->restoring, numbers);
  return numbers;
}

}  // namespace masing::study
