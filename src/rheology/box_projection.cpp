#include "rheology/box_projection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/block_sum.hpp"
#include "base/limits.hpp"

namespace masing::rheology {

double common_shift(const BoxElements& elements) {
  assert(elements.coupling >= 0 && elements.total_compliance > 0);
  double above = 0.0;
  double below = 0.0;
  for (std::size_t i = 0; i < elements.value.size(); ++i) {
    above = std::max(above, elements.value[i] - elements.bound[i]);
    below = std::max(below, -elements.bound[i] - elements.value[i]);
  }
  // The root lies in [least, greatest]. For every τ in this interval, each element with |v_i - τ| >
  // α_i has |v_i - sign(r_i) α_i| ≤ farthest.
  double least = -below;
  double greatest = above;
  const double farthest = std::max(above, below);
  const double largest_sum = farthest * elements.total_compliance;
  if (!(largest_sum <= 1e200)) {
    return base::undefined;
  }
  // A sum whose bound is below 1e-200 is rounded to multiples of about 3e-219.
  const std::array scales{base::FixedPoint(std::max(elements.total_compliance, 1e-200)),
                          base::FixedPoint(std::max(largest_sum, 1e-200))};
  const double resolution = 0.5 * base::epsilon * farthest;
  // The iteration begins at 0 and not at the root of the time step before, so that the result
  // depends only on the state.
  double shift = 0.0;
  // Newton's method usually ends after fewer than eight evaluations. Bisecting the bracket after
  // every eighth evaluation bounds the number of evaluations.
  constexpr int newton_steps = 8;
  for (int evaluations = 1; greatest - least > resolution; ++evaluations) {
    const auto units = base::block_sum<2>(elements.value.size(), scales, [&](std::size_t i) {
      const double shifted = elements.value[i] - shift;
      const double to_bound = elements.value[i] - std::copysign(elements.bound[i], shifted);
      const double yielding = std::abs(shifted) > elements.bound[i] ? elements.compliance[i] : 0.0;
      return std::array{yielding, to_bound * yielding};
    });
    const double slope = 1 + elements.coupling * scales[0].value(units[0]);
    double next = elements.coupling * scales[1].value(units[1]) / slope;
    next = std::clamp(next, least, greatest);
    if (std::abs(next - shift) <= resolution) {
      return next;
    }
    (next > shift ? least : greatest) = shift;
    if (next <= least || next >= greatest || evaluations % newton_steps == 0) {
      next = least + 0.5 * (greatest - least);
    }
    shift = next;
  }
  return shift;
}

BoxProjection3::BoxProjection3(const Matrix3& matrix, const Vector3& bound)
    : matrix_(matrix), bound_(bound) {
  for (std::size_t set = 0; set < sets; ++set) {
    // Gauss-Jordan elimination without pivoting is stable for a positive definite matrix.
    Matrix3 left = matrix_;
    Matrix3& right = inverse_[set];
    for (std::size_t i = 0; i < size; ++i) {
      right[i][i] = holds(set, i) ? 1.0 : 0.0;
    }
    for (std::size_t pivot = 0; pivot < size; ++pivot) {
      if (!holds(set, pivot)) {
        continue;
      }
      // The pivot must be larger than its rounding error.
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
}

BoxProjection3::Candidate BoxProjection3::on_face(std::size_t set, std::size_t upper,
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

Vector3 BoxProjection3::project(const Vector3& value) const {
  Candidate best;
  best.violation = base::infinity;
  best.point.fill(base::undefined);
  for (std::size_t set = 0; set < sets; ++set) {
    // `upper` runs through all subsets of `set`: the indices in `upper` are held at the upper
    // bound, and the other indices in `set` at the lower bound.
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
