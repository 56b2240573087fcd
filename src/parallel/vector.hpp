#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "parallel/communicator.hpp"

// These two types are declared here as in PETSc, so that this file need not include PETSc's long
// headers.
typedef struct _p_Vec* Vec;             // NOLINT(bugprone-reserved-identifier,modernize-use-using)
typedef struct _p_PetscSF* VecScatter;  // NOLINT(bugprone-reserved-identifier,modernize-use-using)

namespace masing::parallel {

/// Owns a PETSc Vec with one number per cell, which is split over the ranks of a communicator;
/// move-only.
class Vector {
 public:
  /// Creates a vector of `cells` zeros. Each rank holds the cells base::local_range(cells, rank,
  /// size). Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells);
  /// Creates a vector of `cells` zeros. This rank holds the cells `mine`. The ranges of the ranks
  /// must follow one another in the order of ranks. Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells, const base::CellRange& mine);

  [[nodiscard]] Vec handle() const { return handle_.get(); }
  /// Returns the total number of cells on all ranks.
  [[nodiscard]] std::int64_t size() const { return cells_; }
  /// Returns the cells of this rank.
  [[nodiscard]] const base::CellRange& range() const { return range_; }
  /// Returns the entries of this rank's cells, [P_local]. PETSc's operations on handle() use the
  /// same memory.
  [[nodiscard]] std::span<double> values() { return entries_; }
  [[nodiscard]] std::span<const double> values() const { return entries_; }
  /// Returns the number of ranks of the vector's communicator. The number is 1 if every rank holds
  /// a whole vector of its own.
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

/// Copies the entries of a contiguous range of cells from all ranks to this rank; each rank may
/// request a different range. One object can be used for all vectors of the same layout.
class RangeGather {
 public:
  /// `layout` is any vector that is split over the ranks like the vectors from which entries will
  /// be copied. Collective.
  RangeGather(const Vector& layout, const base::CellRange& range);
  ~RangeGather();
  RangeGather(const RangeGather&) = delete;
  RangeGather& operator=(const RangeGather&) = delete;

  /// Returns the entries of `source` in the range, [range.size]. The next call overwrites them.
  /// Collective.
  std::span<const double> operator()(const Vector& source);

 private:
  Vector local_;  // the entries of the range, on this rank alone
  VecScatter scatter_ = nullptr;
};

}  // namespace masing::parallel
