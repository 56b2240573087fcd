#include "study/recording.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace study {

void ContinuousField::add(double weight, masing::RememberedElongation elongation) {
  parts_.push_back({weight, std::move(elongation)});
}

double ContinuousField::operator()(double threshold, double initial_u) const {
  double u = 0.0;
  for (const auto& [weight, elongation] : parts_) {
    u += weight * elongation(threshold, initial_u);
  }
  return u;
}

Recording::Recording(const parallel::Communicator& comm, const masing::Problem& problem,
                     std::int64_t stride, std::int64_t field_samples)
    : steps_(problem.time.steps), cells_(problem.cells), stride_(stride) {
  assert(steps_ % stride_ == 0);
  motion_.reserve(static_cast<std::size_t>(steps_ / stride_ + 1));
  for (std::int64_t j = 1; j <= field_samples; ++j) {
    // t = jT/m lies at step jN/m: whole steps and a rest, from integers.
    const std::int64_t common = std::gcd(steps_, field_samples);
    const std::int64_t parts = field_samples / common;
    const std::int64_t position = j * (steps_ / common);
    const std::int64_t step = position / parts;
    const double rest = static_cast<double>(position % parts) / static_cast<double>(parts);
    const auto sample = static_cast<std::size_t>(j - 1);
    contributions_.push_back({step, sample, 1.0 - rest});
    if (rest > 0) {
      contributions_.push_back({step + 1, sample, rest});
    }
    if (continuum()) {
      continuous_fields_.emplace_back();
    } else {
      fields_.emplace_back(comm, cells_);
    }
  }
  std::ranges::stable_sort(contributions_, {}, &Contribution::step);
}

std::int64_t Recording::next_field_step(std::int64_t step) const {
  const auto next = std::ranges::upper_bound(contributions_, step, {}, &Contribution::step);
  return next == contributions_.end() ? engine::never : next->step;
}

void Recording::observe(const engine::Samples& samples, engine::Engine& engine) {
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    if ((samples.first_step + static_cast<std::int64_t>(i)) % stride_ == 0) {
      motion_.push_back({samples.x[i], samples.y[i]});
    }
  }
  const std::int64_t step = samples.last_step();
  if (step == steps_) {
    self_check_ = engine.self_check();
  }
  auto due = std::ranges::lower_bound(contributions_, step, {}, &Contribution::step);
  for (; due != contributions_.end() && due->step == step; ++due) {
    if (continuum()) {
      continuous_fields_[due->sample].add(due->weight, *engine.elongation());
    } else {
      parallel::add_scaled(fields_[due->sample], due->weight, engine.field());
    }
  }
}

Recording::Motion Recording::at(std::int64_t p, std::int64_t steps) const {
  const std::int64_t stored = steps_ / stride_;
  const std::int64_t common = std::gcd(stored, steps);
  const std::int64_t parts = steps / common;
  assert(parts >= 1);
  const std::int64_t whole = p / parts * (stored / common);
  const std::int64_t position = p % parts * (stored / common);
  const auto i = static_cast<std::size_t>(whole + position / parts);
  const double rest = static_cast<double>(position % parts) / static_cast<double>(parts);
  if (rest == 0) {
    return motion_[i];
  }
  return {std::lerp(motion_[i].x, motion_[i + 1].x, rest),
          std::lerp(motion_[i].y, motion_[i + 1].y, rest)};
}

}  // namespace study
