#include "rheology/total_variation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace masing::rheology {

namespace {

/// Returns a bound that no impulse in the chain exceeds, since all velocities lie between the
/// smallest and the largest of 0 and the targets. Friction bounds that exceed this bound are
/// replaced by it: the result is the same, and fewer digits are lost.
double greatest_impulse(std::span<const double> mass, std::span<const double> target) {
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  const auto [least, greatest] = std::ranges::minmax(target);
  return 2 * total * (std::max(0.0, greatest) - std::min(0.0, least));
}

}  // namespace

TotalVariation::TotalVariation(std::size_t n)
    : knots_(2 * n + 1), least_(n), greatest_(n), target_(n), impulse_(n) {}

void TotalVariation::start(double mass, double target, double bound) {
  // Each mass adds at most one knot at either end, so the first knot is placed in the middle.
  first_ = knots_.size() / 2;
  end_ = first_ + 1;
  knots_[first_] = {0.0, {0.0, 2 * bound}};  // friction with the ground jumps at y = 0
  leftmost_ = {mass, -mass * target - bound};
  rightmost_ = {mass, -mass * target + bound};
}

double TotalVariation::cut_left(double value, AffinePiece& piece) {
  piece = leftmost_;
  double from = -HUGE_VAL;
  while (first_ < end_ && piece.at(knots_[first_].position) <= value) {
    from = knots_[first_].position;
    piece = piece + knots_[first_].change;
    ++first_;
  }
  if (first_ == end_) {
    piece = rightmost_;  // the same piece without the rounding errors of the sum
  }
  const double to = first_ == end_ ? HUGE_VAL : knots_[first_].position;
  return std::clamp((value - piece.level) / piece.slope, from, to);
}

double TotalVariation::cut_right(double value, AffinePiece& piece) {
  piece = rightmost_;
  double to = HUGE_VAL;
  while (first_ < end_ && piece.at(knots_[end_ - 1].position) >= value) {
    --end_;
    to = knots_[end_].position;
    piece = piece - knots_[end_].change;
  }
  return std::min((value - piece.level) / piece.slope, to);
}

void TotalVariation::pass_on(double bound, double mass, double target, std::size_t i) {
  AffinePiece after_least;
  AffinePiece before_greatest;
  least_[i] = cut_left(-bound, after_least);
  greatest_[i] = std::max(least_[i], cut_right(bound, before_greatest));
  if (least_[i] == greatest_[i]) {
    // At this y the derivative jumps from below -bound to above bound. Clamping leaves a jump from
    // -bound to bound.
    --first_;
    end_ = first_ + 1;
    knots_[first_] = {least_[i], {0.0, 2 * bound}};
  } else {
    knots_[--first_] = {least_[i], {after_least.slope, after_least.level + bound}};
    knots_[end_++] = {greatest_[i], {-before_greatest.slope, bound - before_greatest.level}};
  }
  leftmost_ = {mass, -mass * target - bound};
  rightmost_ = {mass, -mass * target + bound};
}

std::span<const double> TotalVariation::solve(std::span<const double> mass,
                                              std::span<const double> bound,
                                              std::span<double> velocity) {
  const std::size_t n = velocity.size();
  assert(n >= 1 && n <= least_.size());
  assert(mass.size() == n && bound.size() == n);
  const auto target = std::span(target_).first(n);
  std::ranges::copy(velocity, target.begin());
  const double greatest = greatest_impulse(mass, target);
  start(mass[0], target[0], std::min(bound[0], greatest));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    pass_on(std::min(bound[i + 1], greatest), mass[i + 1], target[i + 1], i);
  }
  AffinePiece piece;
  velocity[n - 1] = cut_left(0.0, piece);
  for (std::size_t i = n - 1; i-- > 0;) {
    velocity[i] = std::clamp(velocity[i + 1], least_[i], greatest_[i]);
  }
  double after = 0.0;
  for (std::size_t i = n; i-- > 0;) {
    const double slip = velocity[i] - (i == 0 ? 0.0 : velocity[i - 1]);
    const double sticking = after + mass[i] * (target[i] - velocity[i]);
    after = slip != 0 ? std::copysign(bound[i], slip) : std::clamp(sticking, -bound[i], bound[i]);
    impulse_[i] = after;
  }
  return std::span(impulse_).first(n);
}

}  // namespace masing::rheology
