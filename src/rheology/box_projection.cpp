#include "rheology/box_projection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/limits.hpp"

namespace masing::rheology {

namespace {

/// Sums far below or above what a double can scale back are not worth a digit, or are NaN anyway.
double within_range(double bound) {
  return std::clamp(std::isnan(bound) ? 0.0 : bound, 1e-200, 1e200);
}

}  // namespace

std::array<double, 2> farthest_excess(const BoxElements& elements) {
  double above = 0.0;
  double below = 0.0;
  for (std::size_t i = 0; i < elements.value.size(); ++i) {
    above = std::max(above, elements.value[i] - elements.bound[i]);
    below = std::max(below, -elements.bound[i] - elements.value[i]);
  }
  return {above, below};
}

ShiftSearch::ShiftSearch(const Coupling& coupling, const std::array<double, 2>& excess,
                         double guess)
    : stiffness_(coupling.stiffness),
      least_(-excess[1]),
      greatest_(excess[0]),
      resolution_(0.5 * base::epsilon * std::max(excess[0], excess[1])),
      shift_(std::clamp(guess, least_, greatest_)),
      scales_{base::FixedPoint(within_range(coupling.compliance)),
              base::FixedPoint(within_range(std::max(excess[0], excess[1]) * coupling.compliance))},
      found_(least_ == greatest_) {
  assert(coupling.stiffness >= 0 && coupling.compliance > 0);
  const double largest_sum = std::max(excess[0], excess[1]) * coupling.compliance;
  if (!(largest_sum <= 1e200)) {
    shift_ = base::undefined;
    found_ = true;
  }
}

YieldingUnits ShiftSearch::yielding(const BoxElements& elements) const {
  return base::block_sum<2>(elements.value.size(), scales_, [&](std::size_t i) {
    const double shifted = elements.value[i] - shift_;
    const double to_bound = elements.value[i] - std::copysign(elements.bound[i], shifted);
    const double compliance = std::abs(shifted) > elements.bound[i] ? elements.compliance[i] : 0.0;
    return std::array{compliance, to_bound * compliance};
  });
}

void ShiftSearch::advance(const YieldingUnits& units) {
  // One midpoint in so many evaluations bounds their number; Newton alone needs fewer.
  constexpr int newton_steps = 8;
  const double slope = 1 + stiffness_ * scales_[0].value(units[0]);
  double next = stiffness_ * scales_[1].value(units[1]) / slope;
  next = std::clamp(next, least_, greatest_);
  if (std::abs(next - shift_) <= resolution_) {
    shift_ = next;
    found_ = true;
    return;
  }
  (next > shift_ ? least_ : greatest_) = shift_;
  ++evaluations_;
  if (next <= least_ || next >= greatest_ || evaluations_ % newton_steps == 0) {
    next = least_ + 0.5 * (greatest_ - least_);
  }
  found_ = greatest_ - least_ <= resolution_;
  shift_ = next;
}

void project_shifted(std::span<const double> value, std::span<const double> bound, double shift,
                     std::span<double> point) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    point[i] = std::clamp(value[i] - shift, -bound[i], bound[i]);
  }
}

}  // namespace masing::rheology
