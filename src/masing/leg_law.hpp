#pragma once

#include <algorithm>
#include <cmath>

#include "masing/turning_points.hpp"

namespace masing {

/// A measure of finitely many cells: K and M jump at breaks and are constant between them, so that
/// S is piecewise linear in x.
template <class Measure>
concept CellwiseMeasure = StiffnessMeasure<Measure> && Measure::is_cellwise;

/// The first position beyond here, going on, where S(x) is not smooth: a corner, or the front
/// reaching a break of the measure; ±∞ if there is none.
template <StiffnessMeasure Measure>
double leg_end(const TurningPoints<Measure>& memory) {
  const double corner = memory.corner(memory.direction());
  const double front = memory.next_break();
  return memory.direction() > 0 ? std::min(corner, front) : std::max(corner, front);
}

/// S(x) on the smooth part of a leg that begins where `memory` is, in its direction, up to end();
/// `memory` must outlive the law, unchanged.
template <StiffnessMeasure Measure>
class LegLaw {
 public:
  explicit LegLaw(const TurningPoints<Measure>& memory) : memory_(&memory), end_(leg_end(memory)) {}

  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double operator()(double x) const { return memory_->force_at(x); }

 private:
  const TurningPoints<Measure>* memory_;
  double end_;
};

/// The same for finitely many cells: a straight line, which goes on beyond both ends.
template <CellwiseMeasure Measure>
class LegLaw<Measure> {
 public:
  explicit LegLaw(const TurningPoints<Measure>& memory) : end_(leg_end(memory)) {
    // In the middle no rounding can put a cell on the wrong side of the front.
    const double beyond = memory.x() + memory.direction() * (1.0 + std::abs(memory.x()));
    const double end = std::isfinite(end_) ? end_ : beyond;
    middle_ = memory.x() + 0.5 * (end - memory.x());
    force_ = memory.force_at(middle_);
    stiffness_ = memory.stiffness_at(middle_);
  }

  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double operator()(double x) const { return force_ + stiffness_ * (x - middle_); }

 private:
  double end_;
  double middle_ = 0.0;
  double force_ = 0.0;
  double stiffness_ = 0.0;
};

}  // namespace masing
