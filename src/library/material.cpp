#include "library/masing/material.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
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
std::shared_ptr<const slab::Measure> measure_of(View<const SpringSlider> springs) {
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

struct Material::Data {
  std::shared_ptr<const slab::Measure> measure;
  double k0 = 0.0;
};

Material::Material(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Material Material::of_springs(View<const SpringSlider> springs, double k0) {
  return checked([&] {
    return Material(std::make_shared<const Data>(Data{measure_of(springs), k0}));
  });
}

Material Material::continuum(const std::string& stiffness, const std::string& threshold) {
  return checked([&] {
    return Material(std::make_shared<const Data>(
        Data{slab::make_continuous_measure(slab_of(stiffness, threshold))}));
  });
}

double Material::elastic_stiffness() const {
  return data_->k0 + data_->measure->total().stiffness;
}

struct MaterialPoint::Data {
  Material material;
  slab::TurningPoints points;
};

MaterialPoint::MaterialPoint(const Material& material, double x)
    : data_(new Data{material, {*material.data_->measure, finite(x)}}) {}
MaterialPoint::MaterialPoint(const MaterialPoint& other) : data_(new Data(*other.data_)) {}
MaterialPoint::MaterialPoint(MaterialPoint&& other) noexcept = default;
MaterialPoint& MaterialPoint::operator=(const MaterialPoint& other) {
  return *this = MaterialPoint(other);
}
MaterialPoint& MaterialPoint::operator=(MaterialPoint&& other) noexcept = default;
MaterialPoint::~MaterialPoint() = default;

double MaterialPoint::position() const {
  return data_->points.x();
}

double MaterialPoint::force() const {
  return data_->points.internal_force();
}

Response MaterialPoint::trial(double x) const {
  slab::TurningPoints moved = data_->points;
  moved.move_to(finite(x));
  return {moved.internal_force(), moved.stiffness_at(x)};
}

Response MaterialPoint::move_to(double x) {
  const double force = data_->points.move_to(finite(x));
  return {force, data_->points.stiffness_at(x)};
}

double MaterialPoint::elongation(double threshold) const {
  return data_->points.elongation()(slab::Element{1.0, threshold, 0.0});
}

std::vector<double> MaterialPoint::state() const {
  const slab::TurningPointState plain = data_->points.state();
  std::vector<double> numbers{plain.x0, plain.x, static_cast<double>(plain.direction),
                              plain.opposite};
  numbers.insert(numbers.end(), plain.positions.begin(), plain.positions.end());
  return numbers;
}

void MaterialPoint::restore(View<const double> state) {
  const bool is_one =
      state.size() >= 4 && std::abs(state[2]) == 1.0 &&
      std::all_of(state.begin(), state.end(), [](double v) { return std::isfinite(v); });
  if (!is_one) {
    throw Mistake("these numbers are no state of a material point; give what state() gave");
  }
  const slab::TurningPointState plain{
      state[0], state[1], state[2] > 0 ? 1 : -1, state[3], {state.begin() + 4, state.end()}};
  data_->points = slab::TurningPoints(*data_->material.data_->measure, plain);
}

}  // namespace masing
