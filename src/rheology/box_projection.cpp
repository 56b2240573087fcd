#include "rheology/box_projection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

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

ActiveSetProjection::ActiveSetProjection(const Matrix3& matrix, const Vector3& bound)
    : matrix_(matrix), bound_(bound) {
  for (std::size_t set = 0; set < sets; ++set) {
    invert(set);
  }
}

void ActiveSetProjection::invert(std::size_t set) {
  // Gauss-Jordan without pivoting: stable where the matrix is positive definite.
  Matrix3 left = matrix_;
  Matrix3& right = inverse_[set];
  for (std::size_t i = 0; i < size; ++i) {
    right[i][i] = holds(set, i) ? 1.0 : 0.0;
  }
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    if (!holds(set, pivot)) {
      continue;
    }
    // What is left of the diagonal must be more than its rounding.
    constexpr double rounding = 16 * base::epsilon;
    if (!(left[pivot][pivot] > rounding * matrix_[pivot][pivot] &&
          std::isfinite(left[pivot][pivot]))) {
      throw base::UserError(
          "the stiffness matrix is singular to rounding; give stiffnesses closer in size");
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = left[row][pivot] / left[pivot][pivot];
      for (std::size_t column = 0; row != pivot && holds(set, row) && column < size; ++column) {
        left[row][column] -= factor * left[pivot][column];
        right[row][column] -= factor * right[pivot][column];
      }
    }
  }
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; holds(set, row) && column < size; ++column) {
      right[row][column] /= left[row][row];
    }
  }
}

ActiveSetProjection::Candidate ActiveSetProjection::on_face(std::size_t set, std::size_t upper,
                                                            const Vector3& value) const {
  Candidate candidate;
  Vector3 multiplier{};
  const auto held_at = [&](std::size_t i) { return holds(upper, i) ? bound_[i] : -bound_[i]; };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; holds(set, i) && j < size; ++j) {
      multiplier[i] += holds(set, j) ? inverse_[set][i][j] * (value[j] - held_at(j)) : 0.0;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (holds(set, i)) {
      const double outward = holds(upper, i) ? multiplier[i] : -multiplier[i];
      candidate.point[i] = held_at(i);
      candidate.violation = std::max(candidate.violation, -outward * matrix_[i][i]);
      continue;
    }
    double free = value[i];
    for (std::size_t j = 0; j < size; ++j) {
      free -= matrix_[i][j] * multiplier[j];
    }
    candidate.point[i] = std::clamp(free, -bound_[i], bound_[i]);
    candidate.violation = std::max(candidate.violation, std::abs(free) - bound_[i]);
  }
  return candidate;
}

Vector3 ActiveSetProjection::project(const Vector3& value) const {
  Candidate best;
  best.violation = std::numeric_limits<double>::infinity();
  best.point.fill(base::undefined);
  for (std::size_t set = 0; set < sets; ++set) {
    // The subsets of `set`: which of it are held at the upper bound.
    for (std::size_t upper = set;; upper = (upper - 1) & set) {
      const Candidate candidate = on_face(set, upper, value);
      if (candidate.violation < best.violation) {
        best = candidate;
      }
      if (best.violation == 0) {
        return best.point;
      }
      if (upper == 0) {
        break;
      }
    }
  }
  return best.point;
}

}  // namespace masing::rheology
