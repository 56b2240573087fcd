#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "parallel/communicator.hpp"

// These types are declared as in PETSc, whose headers are long.
typedef struct _p_Vec* Vec;             // NOLINT(bugprone-reserved-identifier,modernize-use-using)
typedef struct _p_PetscSF* VecScatter;  // NOLINT(bugprone-reserved-identifier,modernize-use-using)

namespace masing::parallel {

/// Owns a PETSc Vec of numbers, one per cell, that is split over the ranks; move-only.
class Vector {
 public:
  /// Creates a vector of `cells` zeros; each rank holds the cells base::local_range(cells, rank,
  /// size). Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells);
  /// Creates a vector of `cells` zeros; this rank holds the cells `mine`. The ranges of all ranks
  /// must be consecutive in the order of ranks. Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells, const base::CellRange& mine);

  [[nodiscard]] Vec handle() const { return handle_.get(); }
  /// Returns the total number of cells on all ranks.
  [[nodiscard]] std::int64_t size() const { return cells_; }
  /// Returns the cells of this rank.
  [[nodiscard]] const base::CellRange& range() const { return range_; }
  /// Returns the entries of this rank's cells, [P_local]; PETSc's operations read and write the
  /// same memory.
  [[nodiscard]] std::span<double> values() { return entries_; }
  [[nodiscard]] std::span<const double> values() const { return entries_; }
  /// Returns the number of ranks of the vector's communicator. It is 1 if every rank holds a whole
  /// vector of its own.
  [[nodiscard]] int ranks() const;

 private:
  std::int64_t cells_;
  base::CellRange range_;
  base::AlignedVector entries_;  // aligned to cache lines, unlike memory that PETSc allocates
  struct Destroy {
    void operator()(Vec vector) const;
  };
  std::unique_ptr<std::remove_pointer_t<Vec>, Destroy> handle_;
};

/// Sets all entries of `target` from the entries that the ranks pass: `values`, [n], are the
/// entries of the cells first..first+n-1. The ranges of the ranks may have any layout, and together
/// contain every cell. Collective on the ranks of `target`.
void fill_from_ranges(Vector& target, std::int64_t first, std::span<const double> values);

/// Gathers a contiguous range of the cells of a vector on this rank; each rank may request a
/// different range. One object gathers from all vectors of the same layout. It can be neither
/// copied nor moved.
class RangeGather {
 public:
  /// `layout` is any vector with the same layout as the vectors from which entries are gathered.
  /// Collective.
  RangeGather(const Vector& layout, const base::CellRange& range);
  ~RangeGather();
  RangeGather(const RangeGather&) = delete;
  RangeGather& operator=(const RangeGather&) = delete;

  /// Returns the entries of `source` in the range, [range.size]. The span stays valid until the
  /// next call. Collective.
  std::span<const double> operator()(const Vector& source);

 private:
  Vector local_;  // the entries of the range, on this rank alone
  VecScatter scatter_ = nullptr;
};

}  // namespace masing::parallel
