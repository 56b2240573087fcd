#pragma once

#include <algorithm>
#include <cstdint>

#include "base/partition.hpp"
#include "base/ratio.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"
#include "study/recording.hpp"

namespace masing::study {

/// How the cells of two partitions of ]0, 1] lie to each other; 0-based, cells ]i/P, (i+1)/P].
class Overlap {
 public:
  Overlap(slab::Rule rule, std::int64_t level_cells, std::int64_t reference_cells)
      : level_(level_cells), reference_(reference_cells), rule_(rule) {}

  /// First and last cell of the level that share an interval with the reference's cell j.
  [[nodiscard]] std::int64_t first(std::int64_t j) const {
    return base::floor_of_ratio(j, level_, reference_);
  }
  [[nodiscard]] std::int64_t last(std::int64_t j) const {
    return base::ceil_of_ratio(j + 1, level_, reference_) - 1;
  }

  /// The reference's cell that holds the point of the level's cell i.
  [[nodiscard]] std::int64_t holder(std::int64_t i) const {
    const std::int64_t halves = rule_ == slab::Rule::right ? 2 * i + 2 : 2 * i + 1;
    return base::ceil_of_ratio(halves, reference_, 2 * level_) - 1;  // s = halves/(2 P_level)
  }

  /// The cells of the level that overlap a range of the reference's.
  [[nodiscard]] base::CellRange needed(const base::CellRange& range) const {
    if (range.size == 0) {
      return {};
    }
    return {first(range.first), last(range.first + range.size - 1) - first(range.first) + 1};
  }

 private:
  std::int64_t level_;
  std::int64_t reference_;
  slab::Rule rule_;
};

/// Errors of one level in the maximum norm; NaN where there is nothing to compare with.
struct Errors {
  double x = 0.0;        ///< max over the level's steps
  double y = 0.0;        ///< max over the level's steps
  double u = 0.0;        ///< max over the field times and all s in [0, 1]
  double u_cells = 0.0;  ///< max over the field times and the cells' own points

  [[nodiscard]] double largest() const { return std::max({x, y, u, u_cells}); }
};

/// The errors of `level`, a recording of `run`, against `reference`: a run that is as fine or finer
/// in time and in s, at the level's steps; a trajectory that was read, at its samples' times,
/// between steps linear in t. u_h is constant on the cells ](i-1)/P, i/P]; against a reference with
/// cells its maximum over all s is one over pairs of cells that overlap, against the continuum one
/// over both ends of every cell. Where both are continua the places are those of the files' field.
/// Of a model that is no slab `u` and `u_cells` alike are the maximum over the columns of its state
/// other than x and y of the mass that the force acts on, NaN where there are none. Collective.
/// Source: Proposition 4.1, continuous-masing-2001.
Errors errors(const parallel::Communicator& comm, const engine::RunSpec& run,
              const Recording& level, const Recording& reference);

}  // namespace masing::study
