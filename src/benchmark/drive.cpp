#include "benchmark/drive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "options/validate.hpp"

namespace benchmark {

namespace {
constexpr double papers_step = 500.0 / 1e6;
}

SampledForce::SampledForce()
    : period_(std::llround(4 * std::numbers::pi / papers_step)),
      values_(static_cast<std::size_t>(period_ + longest + 1)) {
  for (std::size_t p = 0; p < values_.size(); ++p) {
    values_[p] = 0.45 * std::cos(0.5 * papers_step * static_cast<double>(p));
  }
}

std::span<const double> SampledForce::from(std::int64_t first, std::int64_t count) const {
  assert(count <= longest);
  return std::span(values_).subspan(static_cast<std::size_t>(first % period_),
                                    static_cast<std::size_t>(count + 1));
}

Drive::Drive(engine::Engine& engine, const SampledForce& force)
    : engine_(engine),
      force_(force),
      x_(SampledForce::longest),
      y_(SampledForce::longest),
      restoring_(SampledForce::longest) {}

void Drive::steps(std::int64_t count) {
  const std::int64_t end = step_ + count;
  while (step_ < end) {
    const std::int64_t now = std::min(end - step_, SampledForce::longest);
    const auto size = static_cast<std::size_t>(now);
    engine_.advance({.first = step_,
                     .force = force_.from(step_, now),
                     .x = std::span(x_).first(size),
                     .y = std::span(y_).first(size),
                     .restoring = std::span(restoring_).first(size)});
    step_ += now;
  }
}

options::Configuration papers_case(std::int64_t cells, std::int64_t steps) {
  options::Configuration configuration;
  configuration.cells = cells;
  configuration.steps = steps;
  configuration.final_time = papers_step * static_cast<double>(steps);
  configuration.quiet = true;
  return options::validated(std::move(configuration), {});
}

masing::Profile papers_profile(std::int64_t cells, base::CellRange range) {
  const auto size = static_cast<std::size_t>(range.size);
  const double width = 1.0 / static_cast<double>(cells);
  masing::Profile profile{.range = range,
                          .stiffness = base::AlignedVector(size, 1.0),
                          .threshold = base::AlignedVector(size),
                          .initial_u = base::AlignedVector(size, 0.0),
                          .form = {}};
  profile.form.affine_threshold = {.first = 0.1 + width, .slope = width};
  profile.form.constant_stiffness = 1.0;
  for (std::int64_t i = 0; i < range.size; ++i) {
    profile.threshold[static_cast<std::size_t>(i)] = profile.threshold_of(i);
  }
  return profile;
}

}  // namespace benchmark
