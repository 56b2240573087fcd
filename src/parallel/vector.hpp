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
  [[nodiscard]] std::int64_t size() const;
  /// The cells of this rank.
  [[nodiscard]] base::CellRange range() const;
  /// The ranks that it is split over; with one, each rank of a program may have the whole.
  [[nodiscard]] int ranks() const;

 private:
  base::AlignedVector entries_;  // aligned, unlike PETSc's own
  struct Destroy {
    void operator()(Vec vector) const;
  };
  std::unique_ptr<std::remove_pointer_t<Vec>, Destroy> handle_;
};

/// The local entries of a vector, [P_local]; PETSc has them back when the object is destroyed.
/// Local.
template <typename Entry>
class Access {
 public:
  using Of = std::conditional_t<std::is_const_v<Entry>, const Vector, Vector>;
  explicit Access(Of& vector);
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  [[nodiscard]] std::span<Entry> values() const { return values_; }

 private:
  Vec handle_;
  Entry* array_ = nullptr;
  std::span<Entry> values_;
};
/// For reading.
using ReadAccess = Access<const double>;
/// For reading and writing.
using WriteAccess = Access<double>;

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
  Vec local_ = nullptr;
  VecScatter scatter_ = nullptr;
  const double* array_ = nullptr;
};

}  // namespace masing::parallel
