#pragma once

#include <petscvec.h>

#include <cstdint>
#include <span>
#include <utility>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Owner of a PETSc Vec of cells, split over the ranks at block limits; move-only.
class Vector {
 public:
  /// A vector of `cells` zeros, slab_of(cells, rank, size) on each rank. Collective on `comm`.
  Vector(const Communicator& comm, std::int64_t cells);
  ~Vector();
  Vector(Vector&& other) noexcept
      : entries_(std::move(other.entries_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Vector& operator=(Vector&& other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  [[nodiscard]] Vec handle() const { return handle_; }
  /// Cells of all ranks.
  [[nodiscard]] std::int64_t size() const;
  /// The cells of this rank.
  [[nodiscard]] base::CellRange range() const;

 private:
  base::AlignedVector entries_;  // aligned, unlike PETSc's own
  Vec handle_ = nullptr;
};

/// The local entries of a vector for reading, [P_local]; restored when the guard dies. Local.
class ReadAccess {
 public:
  explicit ReadAccess(const Vector& vector);
  ~ReadAccess();
  ReadAccess(const ReadAccess&) = delete;
  ReadAccess& operator=(const ReadAccess&) = delete;
  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  Vec handle_;
  const double* array_ = nullptr;
  std::span<const double> values_;
};

/// The local entries of a vector for reading and writing, [P_local]; restored when the guard
/// dies. Local.
class WriteAccess {
 public:
  explicit WriteAccess(Vector& vector);
  ~WriteAccess();
  WriteAccess(const WriteAccess&) = delete;
  WriteAccess& operator=(const WriteAccess&) = delete;
  [[nodiscard]] std::span<double> values() const { return values_; }

 private:
  Vec handle_;
  double* array_ = nullptr;
  std::span<double> values_;
};

/// Set all entries of `target` from ranges that the ranks hold, of any layout: `values` [n] are
/// those of cells first..first+n-1. Collective on the target's ranks.
void fill_from_ranges(Vector& target, std::int64_t first, std::span<const double> values);

/// target ← target + weight·source, of one layout. Local.
void add_scaled(Vector& target, double weight, const Vector& source);

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
