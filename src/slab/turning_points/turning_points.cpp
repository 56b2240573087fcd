#include "slab/turning_points/turning_points.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/limits.hpp"

namespace masing::slab {

namespace {

using base::infinity;

int sign(double value) {
  return value < 0.0 ? -1 : 1;
}

}  // namespace

TurningPoints::TurningPoints(const Measure& measure, const TurningPointState& state)
    : measure_(&measure),
      total_stiffness_(measure.total().stiffness),
      x0_(state.x0),
      opposite_(state.opposite),
      x_(state.x0),
      follows_slip_(state.follows_slip),
      wiped_out_(state.wiped_out),
      outer_start_(state.outer_start) {
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
  TurningPointState plain{x0_,           x_,         direction_,  opposite_, {},
                          follows_slip_, wiped_out_, outer_start_};
  for (const Level& level : levels_) {
    plain.positions.push_back(level.position);
  }
  return plain;
}

Tangent TurningPoints::tangent_at(double x, const Level& leg, int direction,
                                  double opposite) const {
  if (!is_outer(leg)) {
    const double r = std::max(0.0, 0.5 * direction * (x - leg.position));
    const Sums yielded = measure_->below(r, hint_);
    const double stiffness = total_stiffness_ - yielded.stiffness;
    return {leg.force + (x - leg.position) * stiffness + 2 * direction * yielded.force, stiffness};
  }
  if (!measure_->begins_at_zero()) {
    const Excursion excursion = excursion_at(x, direction, opposite);
    const OuterSums sums = measure_->outer(excursion, direction, hint_);
    return {sums.force_at(excursion, direction), sums.opposite + sums.never};
  }
  const Sums yielded = measure_->below(std::max(0.0, direction * (x - x0_)), hint_);
  const double stiffness = total_stiffness_ - yielded.stiffness;
  return {(x - x0_) * stiffness + direction * yielded.force, stiffness};
}

Tangent TurningPoints::ahead(double x) const {
  const bool reverses = x != x_ && (x > x_) != (direction_ > 0);
  const int direction = reverses ? -direction_ : direction_;
  const auto size = static_cast<std::int64_t>(levels_.size());
  Level begun;  // by the move
  std::int64_t leg = size - 1;
  if (reverses && (size > 0 || x_ != opposite_)) {
    begun = {x_, size > 0 ? leg_.position : outer_meeting(), force_};
    leg = size;
  }
  const auto at = [&](std::int64_t i) -> const Level& {
    return i + 1 < size ? levels_[i] : i + 1 == size ? leg_ : begun;
  };
  // Every other leg goes this way; the move closes those from one of them on.
  const auto closes = [&](std::int64_t i) { return direction * (x - at(i).meeting) >= 0.0; };
  if (x != x_ && leg >= 0 && closes(leg)) {
    std::int64_t closed = leg;
    // Mostly it is one loop; else between here and before the first.
    leg = closed >= 2 && !closes(closed - 2) ? closed - 2 : closed % 2 - 2;
    while (closed - leg > 2) {
      const std::int64_t middle = leg + (closed - leg) / 4 * 2;
      (closes(middle) ? closed : leg) = middle;
    }
    if (closed == 0 && !measure_->begins_at_zero()) {
      return tangent_at(x, {}, direction, at(0).position);
    }
  }
  return tangent_at(x, leg < 0 ? Level{} : at(leg), direction, opposite_);
}

double TurningPoints::outer_slip(double x, int direction) const {
  if (measure_->begins_at_zero()) {
    return measure_->slip(std::abs(x - x0_), hint_.front);
  }
  const auto up_to = [&](double end) {
    return measure_->outer_slip(excursion_at(end, direction, opposite_), direction);
  };
  return std::max(0.0, up_to(x) - up_to(outer_start_));
}

double TurningPoints::slip_energy() const {
  const bool turned = !levels_.empty();
  const int outward = levels_.size() % 2 == 0 ? direction_ : -direction_;
  double sum = wiped_out_ + outer_slip(turned ? levels_.front().position : x_, outward);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const double end = i + 1 < levels_.size() ? levels_[i + 1].position : x_;
    sum += 2 * measure_->slip(0.5 * std::abs(end - levels_[i].position), hint_.front);
  }
  return sum;
}

void TurningPoints::reverse() {
  if (!levels_.empty()) {
    levels_.push_back({x_, levels_.back().position, force_});
  } else if (x_ != opposite_) {
    levels_.push_back({x_, outer_meeting(), force_});
  }
  leg_ = levels_.empty() ? Level{} : levels_.back();
  direction_ = -direction_;
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

double TurningPoints::next_outer_break() const {
  Excursion excursion = excursion_at(x_, direction_, opposite_);
  double position = x_;
  while (direction_ * (position - x_) <= 0.0) {
    const double growth = measure_->growth_to_break(excursion, direction_, hint_);
    (direction_ > 0 ? excursion.up : excursion.down) += growth;
    excursion.span += growth;
    position = x0_ + direction_ * excursion.toward(direction_);
  }
  return position;
}

double TurningPoints::outer_meeting() const {
  return measure_->begins_at_zero() ? x_ - 2 * direction_ * travel_at(x_) : opposite_;
}

void TurningPoints::wipe_out_loop() {
  const auto [position, meeting, force] = levels_.back();
  if (follows_slip_) {
    const bool is_loop = levels_.size() > 1;  // else half of one
    wiped_out_ +=
        (is_loop ? 4 : 2) * measure_->slip(0.5 * std::abs(position - meeting), hint_.front);
  }
  levels_.pop_back();
  if (!levels_.empty()) {
    levels_.pop_back();
  } else if (!measure_->begins_at_zero()) {
    if (follows_slip_) {
      wiped_out_ += outer_slip(position, -direction_);
      outer_start_ = meeting;
    }
    opposite_ = position;
  }
  leg_ = levels_.empty() ? Level{} : levels_.back();
}

namespace {

/// The root of R(x) = force on the leg that begins at `here`, where R has not reached it yet, in
/// `direction` up to `corner`, where it has; R is monotone. To the last bit or two.
template <class Resistance>
double position_on_leg(const Resistance& resistance, double force, double here, int direction,
                       double corner) {
  const auto excess = [&](double x) { return resistance(x) - force; };
  double reach = std::max(1.0, std::abs(here));
  while (!std::isfinite(corner)) {
    const double trial = here + direction * reach;
    if (direction * excess(trial) >= 0.0) {
      corner = trial;
    }
    reach *= 2;
  }
  if (excess(corner) == 0.0) {
    return corner;
  }
  std::uintmax_t evaluations = 200;
  const auto [low, high] =
      boost::math::tools::toms748_solve(excess, std::min(here, corner), std::max(here, corner),
                                        boost::math::tools::eps_tolerance<double>(), evaluations);
  return std::abs(excess(low)) < std::abs(excess(high)) ? low : high;
}

}  // namespace

bool move_to_equilibrium(TurningPoints& turning_points, double k0, double force,
                         double saturation) {
  if (k0 == 0.0 && std::abs(force) >= saturation) {
    return false;
  }
  for (;;) {
    const double here = turning_points.x();
    const double resistance_here = k0 * here + turning_points.internal_force();
    if (force == resistance_here) {
      return true;
    }
    const int direction = force > resistance_here ? 1 : -1;
    std::optional<TurningPoints> turned;
    if (direction != turning_points.direction()) {
      turned.emplace(turning_points).reverse();
    }
    const TurningPoints& leg = turned ? *turned : turning_points;
    const auto resistance = [&](double x) { return k0 * x + leg.force_at(x); };
    // A look far along the outermost curve would cost what going there does.
    const double corner = leg.is_outermost() ? leg.next_break() : leg.corner(direction);
    const bool beyond = std::isfinite(corner) && direction * (force - resistance(corner)) >= 0.0;
    const double x = beyond ? corner : position_on_leg(resistance, force, here, direction, corner);
    if (x == here) {
      return true;  // nearer than a rounding of x
    }
    turning_points.move_to(x);
    if (!beyond) {
      return true;
    }
  }
}

}  // namespace masing::slab
