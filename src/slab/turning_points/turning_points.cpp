#include "slab/turning_points/turning_points.hpp"

#include <algorithm>
#include <limits>

namespace masing::slab {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

int sign(double value) {
  return value < 0.0 ? -1 : 1;
}

}  // namespace

TurningPoints::TurningPoints(const Measure& measure, const TurningPointState& state)
    : measure_(&measure),
      total_stiffness_(measure.total().stiffness),
      x0_(state.x0),
      opposite_(state.opposite),
      x_(state.x0) {
  direction_ =
      state.positions.empty() ? state.direction : sign(state.positions.front() - opposite_);
  for (const double position : state.positions) {
    x_ = position;
    force_ = force_at(position);
    reverse();
  }
  x_ = state.x;
  force_ = force_at(x_);
}

TurningPointState TurningPoints::state() const {
  TurningPointState plain{x0_, x_, direction_, opposite_, {}};
  for (const Level& level : levels_) {
    plain.positions.push_back(level.position);
  }
  return plain;
}

void TurningPoints::reverse() {
  if (!levels_.empty()) {
    levels_.push_back({x_, levels_.back().position, force_});
  } else if (x_ != opposite_) {
    levels_.push_back({x_, outer_meeting(), force_});
  }
  direction_ = -direction_;
}

double TurningPoints::stiffness_at(double x) const {
  if (is_outermost()) {
    const OuterSums sums = measure_->outer(extremes_at(x), direction_, hint_);
    return sums.opposite + sums.never;
  }
  const double r = levels_.empty() ? travel_at(x) : radius_at(levels_.back(), x);
  return total_stiffness_ - measure_->below(r, hint_).stiffness;
}

double TurningPoints::corner(int direction) const {
  if (direction == direction_) {
    return levels_.empty() ? direction * infinity : levels_.back().meeting;
  }
  if (!levels_.empty()) {
    return levels_.back().position;
  }
  return x_ == opposite_ ? direction * infinity : outer_meeting();
}

double TurningPoints::next_break() const {
  if (is_outermost()) {
    return next_outer_break();
  }
  const double origin = levels_.empty() ? x0_ : levels_.back().position;
  const int scale = levels_.empty() ? 1 : 2;
  double place = levels_.empty() ? travel_at(x_) : radius_at(levels_.back(), x_);
  for (;;) {
    place = measure_->next_break(place, hint_);
    const double position = origin + scale * direction_ * place;
    if (direction_ * (position - x_) > 0.0) {
      return position;
    }
  }
}

RememberedElongation TurningPoints::elongation() const {
  const double other = levels_.empty() ? x_ : levels_.front().position;
  RememberedElongation u{
      x0_, x_, direction_, std::max(other, opposite_), std::min(other, opposite_), {}};
  for (const Level& level : levels_) {
    u.legs.push_back({level.position, level.meeting});
  }
  return u;
}

double TurningPoints::outer_force_at(double x) const {
  if (is_outermost()) {
    const Extremes extremes = extremes_at(x);
    return measure_->outer(extremes, direction_, hint_).force_at(extremes, direction_);
  }
  const Sums yielded = measure_->below(travel_at(x), hint_);
  return (x - x0_) * (total_stiffness_ - yielded.stiffness) + direction_ * yielded.force;
}

double TurningPoints::next_outer_break() const {
  Extremes extremes = extremes_at(x_);
  double position = x_;
  while (direction_ * (position - x_) <= 0.0) {
    const double growth = measure_->growth_to_break(extremes, direction_, hint_);
    (direction_ > 0 ? extremes.up : extremes.down) += growth;
    extremes.span += growth;
    position = x0_ + direction_ * extremes.own(direction_);
  }
  return position;
}

double TurningPoints::outer_meeting() const {
  return measure_->begins_at_zero() ? x_ - 2 * direction_ * travel_at(x_) : opposite_;
}

void TurningPoints::wipe_out_loop() {
  const double position = levels_.back().position;
  levels_.pop_back();
  if (!levels_.empty()) {
    levels_.pop_back();
  } else if (!measure_->begins_at_zero()) {
    opposite_ = position;
  }
}

}  // namespace masing::slab
