#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/partition.hpp"
#include "engine/model.hpp"
#include "parallel/vector.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// The interval ]0, 1] is divided once into `from` equal cells and once into `to` equal cells.
/// Returns the range of the cells of the second division that overlap the cells `range` of the
/// first. Cell i = 0, 1, … of P cells is ]i/P, (i+1)/P]. Local.
base::CellRange overlapping_cells(const base::CellRange& range, std::int64_t from, std::int64_t to);

/// The interval ]0, 1] is divided once into `level` equal cells and once into `reference` equal
/// cells. Returns the index of the cell of the second division that contains the point of cell i of
/// the first. The point of a cell is its right end or its midpoint, according to `rule`. Local.
std::int64_t containing_cell(slab::Rule rule, std::int64_t i, std::int64_t level,
                             std::int64_t reference);

/// The errors of one level in the maximum norm. In the results of a study, an error that cannot be
/// computed is NaN. The errors of x and y are maxima over the steps of the level. The errors of u
/// are maxima over the times at which u is compared. For a slab, `u` is in addition the maximum
/// over all s in [0, 1], and `u_cells` the maximum over the points of the level's cells.
struct Errors {
  /// The index of a quantity in `all`.
  enum Of : std::size_t { x, y, u, u_cells };
  std::array<double, 4> all{};

  double& operator[](std::size_t of) { return all[of]; }
  double operator[](std::size_t of) const { return all[of]; }
  void raise(Of of, double error) { all[of] = std::max(all[of], error); }
  [[nodiscard]] double largest() const { return std::ranges::max(all); }
};

class CriticalCells;

/// Computes the errors of u of one level against its reference, one time after another. u of a
/// level with P cells is constant on each cell ]i/P, (i+1)/P]. If the reference has cells, the
/// maximum over all s is therefore a maximum over all pairs of a cell of the level and a cell of
/// the reference that overlap. If only the reference is a continuum, the differences are computed
/// at both ends of all cells of the level. If u of the level is given as a function (Field), they
/// are computed only in those cells in which they are expected to be largest. If the level and the
/// reference are both continua, they are compared at s = 0, 1/n, …, 1, where n is
/// Continuum::field_points of the level. For a model that is no slab, `u` and `u_cells` are both
/// the largest difference over all columns of the state except x and y of the mass that the force
/// acts on. For a model with nodes, those are compared at which both the level and the reference
/// have one: `x` and `y` are raised to the largest differences, and `u` and `u_cells` to the root
/// mean squares over these nodes. Source: Proposition 4.1, continuous-masing-2001.
class FieldErrors {
 public:
  /// `run`: the run of the level, which must outlive the object. Local.
  explicit FieldErrors(const engine::RunSpec& run)
      : layout_(run.model->layout()), slab_(engine::slab_of(run)) {}

  /// Computes the errors of u at one time. Where they are larger than `u` or `u_cells` in `errors`,
  /// they replace these. Only the cells on this rank are compared. Collective on `comm`, whose
  /// ranks are those of the fields that are split.
  void update_max(const parallel::Communicator& comm, Errors& errors, const Field& level,
                  const Field& reference);

 private:
  void compare_with_cells(Errors& errors, const parallel::Vector& level,
                          const parallel::Vector& reference);
  void compare_nodes(const parallel::Communicator& comm, Errors& errors,
                     const parallel::Vector& level, const parallel::Vector& reference);
  void compare_with_function(Errors& errors, const parallel::Vector& level,
                             const ContinuousField& reference);
  void compare_functions(Errors& errors, const ContinuousField& level,
                         const ContinuousField& reference);
  [[nodiscard]] slab::Element end_of(std::int64_t cells) const;

  engine::Layout layout_;
  const slab::Slab* slab_;  // the slab of the run; null if the model is no slab

  // gets u of the level's cells that this rank compares
  std::unique_ptr<parallel::RangeGather> gather_;
  // elements at the ends of the level's cells on this rank, [P_local + 1]
  std::vector<slab::Element> ends_;
  // elements at the points of the level's cells on this rank, [P_local]
  std::vector<slab::Element> points_;
  // the cells to compare if u of the level is a function; else null
  std::shared_ptr<const CriticalCells> critical_;
};

/// Returns whether a study computes errors of u for a run. This is the case for a slab, and for
/// another model if its state has columns beside x and y of the mass. Local.
bool measures_field(const engine::RunSpec& run);

}  // namespace masing::study
