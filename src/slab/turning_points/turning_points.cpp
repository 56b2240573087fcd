#include "slab/turning_points/turning_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "base/roots.hpp"

namespace masing::slab {

TurningPoints::TurningPoints(const Measure& measure, const TurningPointState& state)
    : measure_(&measure),
      x0_(state.x0),
      opposite_(state.opposite),
      x_(state.x0),
      direction_(state.positions.empty()                    ? state.direction
                 : state.positions.front() < state.opposite ? -1
                                                            : 1),
      wiped_out_(state.wiped_out),
      outer_start_(state.outer_start) {
  leg_ = outer_leg(direction_);
  for (const double position : state.positions) {
    x_ = position;
    force_ = force_at(position);
    reverse();
  }
  x_ = state.x;
  force_ = force_at(x_);
}

TurningPointState TurningPoints::state() const {
  TurningPointState plain{x0_, x_, direction_, opposite_, {}, wiped_out_, outer_start_};
  for (std::size_t i = 1; i <= turning_points(); ++i) {
    plain.positions.push_back(leg(i).position);
  }
  return plain;
}

Tangent TurningPoints::outer_tangent(const Excursion& excursion, int direction) const {
  const OuterSums sums = measure_->outer(excursion, direction, hint_);
  return {sums.force_at(excursion, direction), sums.opposite + sums.never};
}

TurningPoints::Leg TurningPoints::outer_leg(int direction) const {
  return {x0_, direction * base::infinity, 0.0, measure_->begins_at_zero() ? 1.0 : 0.0};
}

TurningPoints::Leg TurningPoints::turned() const {
  if (!around_.empty()) {
    return {x_, leg_.position, force_};
  }
  if (x_ == opposite_) {
    return outer_leg(-direction_);
  }
  const bool mirrors = measure_->begins_at_zero();
  return {x_, mirrors ? x_ - 2 * direction_ * radius_at(x_, leg_, direction_) : opposite_, force_};
}

Tangent TurningPoints::ahead(double x) const {
  const bool reverses = x != x_ && (x > x_) != (direction_ > 0);
  const int direction = reverses ? -direction_ : direction_;
  const Leg first = reverses ? turned() : leg_;
  const auto last = std::ssize(around_) + (reverses && std::isfinite(first.meeting) ? 1 : 0);
  const auto at = [&](std::int64_t i) -> const Leg& {
    return i == last ? first : leg(static_cast<std::size_t>(i));
  };
  // Counted backwards from leg `last`, every second leg has the direction of the move. Among these
  // the move closes those whose `meeting` it passes, which are the first ones in this order.
  const auto meeting = [&](std::int64_t i) { return direction * at(last - 2 * i).meeting; };
  const std::int64_t to = last - 2 * FrontSearch().passed(meeting, (last + 1) / 2, direction * x);
  return to < 0 ? tangent_at(x, outer_leg(direction), direction, at(1).position)
                : tangent_at(x, at(to), direction, opposite_);
}

double TurningPoints::outer_slip(double x, int direction) const {
  if (measure_->begins_at_zero()) {
    return measure_->slip(std::abs(x - x0_), hint_.front);
  }
  // The sliders of a slab with thresholds η in both directions dissipate ∫ k η |slip| ds. On the
  // outer curve all slips have the direction of x. The slip of an element is the change of x minus
  // the change of its v = u - c (see Slab).
  const auto grip = [&](double end) {
    const auto [low, high] = std::minmax(end, opposite_);
    return measure_->sums({x0_, end, direction, high, low, {}})->grip;
  };
  return std::max(0.0, direction * ((x - outer_start_) * measure_->total().force -
                                    (grip(x) - grip(outer_start_))));
}

double TurningPoints::slip_energy() const {
  const std::size_t turns = turning_points();
  double end = turns == 0 ? x_ : leg(1).position;
  double sum = wiped_out_ + outer_slip(end, turns % 2 == 0 ? direction_ : -direction_);
  for (std::size_t i = 1; i <= turns; ++i) {
    const double start = std::exchange(end, i < turns ? leg(i + 1).position : x_);
    sum += 2 * measure_->slip(0.5 * std::abs(end - start), hint_.front);
  }
  return sum;
}

double TurningPoints::elastic_energy() const {
  const std::size_t turns = turning_points();
  const auto end_of = [&](std::size_t i) {
    return i < turns ? std::pair(leg(i + 1).position, leg(i + 1).force) : std::pair(x_, force_);
  };
  const auto [first, force] = end_of(0);
  double energy =
      0.5 * (force * (first - x0_) - measure_->slip(std::abs(first - x0_), hint_.front));
  for (std::size_t i = 1; i <= turns; ++i) {
    const auto [end, force_there] = end_of(i);
    energy += 0.5 * (leg(i).force + force_there) * (end - leg(i).position);
  }
  return energy;
}

void TurningPoints::reverse() {
  const Leg next = turned();
  if (std::isfinite(next.meeting)) {
    around_.push_back(leg_);
  }
  leg_ = next;
  direction_ = -direction_;
}

double TurningPoints::next_break() const {
  if (is_outermost()) {
    return next_outer_break();
  }
  double r = radius_at(x_, leg_, direction_);
  for (;;) {
    r = measure_->next_break(r, hint_);
    const double position = leg_.position + direction_ / leg_.ratio * r;
    if (direction_ * (position - x_) > 0.0) {
      return position;
    }
  }
}

RememberedElongation TurningPoints::elongation() const {
  const double other = around_.empty() ? x_ : leg(1).position;
  RememberedElongation u{
      x0_, x_, direction_, std::max(other, opposite_), std::min(other, opposite_), {}};
  for (std::size_t i = 1; i <= turning_points(); ++i) {
    u.legs.push_back({leg(i).position, leg(i).meeting});
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

void TurningPoints::wipe_out_loop() {
  const Leg closed = leg_;
  const bool is_loop = around_.size() > 1;  // if not, only one leg is closed, which is half a loop
  const bool follows_slip = !std::isnan(wiped_out_);
  if (follows_slip) {
    wiped_out_ += (is_loop ? 4 : 2) *
                  measure_->slip(0.5 * std::abs(closed.position - closed.meeting), hint_.front);
  }
  around_.pop_back();
  if (is_loop) {
    leg_ = around_.back();
    around_.pop_back();
    return;
  }
  leg_ = outer_leg(direction_);
  if (!measure_->begins_at_zero()) {
    if (follows_slip) {
      wiped_out_ += outer_slip(closed.position, -direction_);
      outer_start_ = closed.meeting;
    }
    opposite_ = closed.position;
  }
}

namespace {

/// Returns the position x on a leg at which R(x) = `force`, where R is `resistance`; the result is
/// accurate to the last bit or two. On the way in `direction`, R changes monotonically: it has not
/// reached `force` at `here`, and it has reached `force` at `corner`. If the leg has no corner,
/// `corner` is ±∞.
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
  const double beyond = excess(corner);
  if (beyond == 0.0) {
    return corner;
  }
  // Scaling by a power of two prevents overflow of products with x and changes no bit.
  const double unit = std::ldexp(1.0, std::ilogb(beyond));
  const auto scaled = [&](double x) { return excess(x) / unit; };
  const auto [first, last] = std::minmax(here, corner);
  const auto [low, high] = base::bracket_root(scaled, first, last, scaled(first), scaled(last));
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
    // On the outer curve, evaluating S at a far position would cost as much as moving there. There
    // the next break takes the place of the corner.
    const double corner = leg.is_outermost() ? leg.next_break() : leg.corner(direction);
    const bool beyond = std::isfinite(corner) && direction * (force - resistance(corner)) >= 0.0;
    const double x = beyond ? corner : position_on_leg(resistance, force, here, direction, corner);
    if (x == here) {
      return true;  // the root differs from `here` by less than the rounding of x
    }
    turning_points.move_to(x);
    if (!beyond) {
      return true;
    }
  }
}

}  // namespace masing::slab
