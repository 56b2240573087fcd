#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/partition.hpp"
#include "engine/run_spec.hpp"
#include "parallel/vector.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// The cells of `to` equal ones of ]0, 1] that share an interval with a range of `from` equal ones;
/// 0-based, cells ]i/P, (i+1)/P]. Local.
base::CellRange overlapping_cells(const base::CellRange& range, std::int64_t from, std::int64_t to);

/// Which of `reference` cells holds the point of cell i of `level` ones by a rule. Local.
std::int64_t containing_cell(slab::Rule rule, std::int64_t i, std::int64_t level,
                             std::int64_t reference);

/// Errors of one level in the maximum norm; NaN where there is nothing to compare with.
struct Errors {
  /// x and y at the level's steps; u at its times, for all s in [0, 1] or at the cells' own points.
  enum Of : std::size_t { x, y, u, u_cells };
  std::array<double, 4> all{};

  double& operator[](std::size_t of) { return all[of]; }
  double operator[](std::size_t of) const { return all[of]; }
  void raise(Of of, double error) { all[of] = std::max(all[of], error); }
  [[nodiscard]] double largest() const { return std::ranges::max(all); }
};

class CriticalCells;

/// The errors of u of a level against a reference, field by field. u_h is constant on the cells
/// ](i-1)/P, i/P]; against a reference with cells its maximum over all s is one over pairs of cells
/// that overlap, against the continuum one over both ends of every cell, or, of a level that is
/// kept as functions, of the cells where it can be largest. Where both are continua the places are
/// those of the files' field. Of a model that is no slab `u` and `u_cells` alike are
/// the maximum over the columns of its state other than x and y of the mass that the force acts on.
/// Source: Proposition 4.1, continuous-masing-2001.
class FieldErrors {
 public:
  /// `run`: of the level; it must outlive the object. Local.
  explicit FieldErrors(const engine::RunSpec& run) : run_(&run), slab_(engine::slab_of(run)) {}

  /// Raise this rank's `errors` by those of u at one time; not where the level is a function and
  /// the reference is not. Collective on the fields' ranks.
  void update_max(Errors& errors, const Field& level, const Field& reference);

 private:
  void compare_with_cells(Errors& errors, const parallel::Vector& level,
                          const parallel::Vector& reference);
  void compare_with_function(Errors& errors, const parallel::Vector& level,
                             const ContinuousField& reference);
  void compare_functions(Errors& errors, const ContinuousField& level,
                         const ContinuousField& reference);
  [[nodiscard]] slab::Element end_of(std::int64_t cells) const;

  const engine::RunSpec* run_;
  const slab::Slab* slab_;                         // null: none
  std::unique_ptr<parallel::RangeGather> gather_;  // of the level's cells on the reference's ranks
  std::vector<slab::Element> ends_;                // of every cell of this rank, [P_local + 1]
  std::vector<slab::Element> points_;              // the cells' own, [P_local]
  std::shared_ptr<const CriticalCells> critical_;  // of many cells
};

/// Whether u of a run is measured at all: not where its state has no columns beside x and y. Local.
bool measures_field(const engine::RunSpec& run);

}  // namespace masing::study
