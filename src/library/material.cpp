#include "library/masing/material.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "library/masing/run.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/continuous_measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing {

namespace {

/// `work`, its UserError as a Mistake.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw Mistake(error.what());
  }
}

/// `x`, a position, if it is finite.
double finite(double x) {
  if (!std::isfinite(x)) {
    throw Mistake(fmt::format("a position of {}; it must be finite", x));
  }
  return x;
}

/// P cells have weights 1/P, springs have none.
std::shared_ptr<const slab::Measure> measure_of(std::span<const SpringSlider> springs) {
  const auto count = static_cast<double>(springs.size());
  slab::Profile profile;
  profile.range = {0, static_cast<std::int64_t>(springs.size())};
  profile.form.initial_u = slab::AffineFormula{};
  for (const SpringSlider& spring : springs) {
    const slab::Element cell{count * spring.stiffness, spring.threshold, 0.0};
    const auto fault = slab::value_fault(
        cell, [&] { return fmt::format("spring {}", profile.stiffness.size() + 1); });
    if (fault) {
      throw Mistake(fault->what());
    }
    profile.stiffness.push_back(cell.stiffness);
    profile.threshold.push_back(cell.threshold);
  }
  if (springs.empty()) {
    throw Mistake("a material needs one spring at least");
  }
  return slab::make_cell_measure(profile);
}

slab::Slab slab_of(const std::string& stiffness, const std::string& threshold) {
  slab::Slab slab;
  slab.stiffness = base::Function(stiffness, 's');
  slab.threshold = base::Function(threshold, 's');
  slab.space = slab::Continuum{};
  if (const auto fault = slab::continuous_fault(slab)) {
    throw *fault;
  }
  return slab;
}

}  // namespace

Material::Material(std::shared_ptr<const slab::Measure> measure) : measure_(std::move(measure)) {}

Material Material::of_springs(std::span<const SpringSlider> springs) {
  return checked([&] { return Material(measure_of(springs)); });
}

Material Material::continuum(const std::string& stiffness, const std::string& threshold) {
  return checked(
      [&] { return Material(slab::make_continuous_measure(slab_of(stiffness, threshold))); });
}

double Material::elastic_stiffness() const {
  return measure_->total().stiffness;
}

MaterialPoint::MaterialPoint(const Material& material, double x)
    : material_(material),
      points_(std::make_unique<slab::TurningPoints>(*material.measure_, finite(x))) {}
MaterialPoint::MaterialPoint(const MaterialPoint& other)
    : material_(other.material_), points_(std::make_unique<slab::TurningPoints>(*other.points_)) {}
MaterialPoint::MaterialPoint(MaterialPoint&& other) noexcept = default;
MaterialPoint& MaterialPoint::operator=(const MaterialPoint& other) {
  return *this = MaterialPoint(other);
}
MaterialPoint& MaterialPoint::operator=(MaterialPoint&& other) noexcept = default;
MaterialPoint::~MaterialPoint() = default;

double MaterialPoint::position() const {
  return points_->x();
}

double MaterialPoint::force() const {
  return points_->internal_force();
}

Response MaterialPoint::trial(double x) const {
  const int direction = points_->direction();
  const bool is_on_leg = direction * (finite(x) - points_->x()) > 0.0 &&
                         direction * (points_->corner(direction) - x) > 0.0;
  if (is_on_leg) {
    return {points_->force_at(x), points_->stiffness_at(x)};
  }
  slab::TurningPoints moved = *points_;
  moved.move_to(x);
  return {moved.internal_force(), moved.stiffness_at(x)};
}

Response MaterialPoint::move_to(double x) {
  const double force = points_->move_to(finite(x));
  return {force, points_->stiffness_at(x)};
}

double MaterialPoint::elongation(double threshold) const {
  return points_->elongation()(slab::Element{1.0, threshold, 0.0});
}

std::vector<double> MaterialPoint::state() const {
  const slab::TurningPointState plain = points_->state();
  std::vector<double> numbers{plain.x0, plain.x, static_cast<double>(plain.direction),
                              plain.opposite};
  numbers.insert(numbers.end(), plain.positions.begin(), plain.positions.end());
  return numbers;
}

void MaterialPoint::restore(std::span<const double> state) {
  const bool is_one = state.size() >= 4 && std::abs(state[2]) == 1.0 &&
                      std::ranges::all_of(state, [](double v) { return std::isfinite(v); });
  if (!is_one) {
    throw Mistake("these numbers are no state of a material point; give what state() gave");
  }
  const slab::TurningPointState plain{
      state[0], state[1], state[2] > 0 ? 1 : -1, state[3], {state.begin() + 4, state.end()}};
  *points_ = slab::TurningPoints(*material_.measure_, plain);
}

}  // namespace masing
