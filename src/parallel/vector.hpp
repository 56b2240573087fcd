#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "parallel/communicator.hpp"

// As PETSc has them, whose headers are long.
typedef struct _p_Vec* Vec;             // NOLINT(bugprone-reserved-identifier,modernize-use-using)
typedef struct _p_PetscSF* VecScatter;  // NOLINT(bugprone-reserved-identifier,modernize-use-using)

namespace masing::parallel {

/// Owner of a PETSc Vec of cells, split over the ranks; move-only.
class Vector {
 public:
  /// A vector of `cells` zeros, base::local_range(cells, rank, size) on each rank. Collective on
  /// `comm`.
  Vector(const Communicator& comm, std::int64_t cells);
  /// Those of `mine` on this rank; consecutive in the order of ranks. Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells, const base::CellRange& mine);

  [[nodiscard]] Vec handle() const { return handle_.get(); }
  /// Cells of all ranks.
  [[nodiscard]] std::int64_t size() const { return cells_; }
  /// The cells of this rank.
  [[nodiscard]] const base::CellRange& range() const { return range_; }
  /// The entries of this rank's cells, [P_local]; PETSc's operations read and write the same.
  [[nodiscard]] std::span<double> values() { return entries_; }
  [[nodiscard]] std::span<const double> values() const { return entries_; }
  /// Ranks of its communicator; 1 also for a vector that every rank holds whole.
  [[nodiscard]] int ranks() const;

 private:
  std::int64_t cells_;
  base::CellRange range_;
  base::AlignedVector entries_;  // aligned, unlike PETSc's own
  struct Destroy {
    void operator()(Vec vector) const;
  };
  std::unique_ptr<std::remove_pointer_t<Vec>, Destroy> handle_;
};

/// Set all entries of `target` from ranges that the ranks hold, of any layout: `values` [n] are
/// those of cells first..first+n-1. Collective on the target's ranks.
void fill_from_ranges(Vector& target, std::int64_t first, std::span<const double> values);

/// Gathers a contiguous range of a vector's cells on this rank; each rank has a range of its own.
/// Made once for all vectors of one layout; neither copied nor moved.
class RangeGather {
 public:
  /// `layout`: any vector laid out like those to be gathered. Collective.
  RangeGather(const Vector& layout, const base::CellRange& range);
  ~RangeGather();
  RangeGather(const RangeGather&) = delete;
  RangeGather& operator=(const RangeGather&) = delete;

  /// The entries of `source` in the range, [range.size], valid until the next call. Collective.
  std::span<const double> operator()(const Vector& source);

 private:
  Vector local_;  // the range, of this rank alone
  VecScatter scatter_ = nullptr;
};

}  // namespace masing::parallel
