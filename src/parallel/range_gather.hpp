#pragma once

#include <petscvec.h>

#include <span>

#include "base/partition.hpp"
#include "parallel/vector.hpp"

namespace parallel {

/// Brings a contiguous range of a vector's cells, wherever they lie, to this rank; each rank names
/// a range of its own. Move-free: made once for vectors of one layout, used for many.
class RangeGather {
 public:
  /// `layout`: any vector laid out like those to come. Collective.
  RangeGather(const Vector& layout, const base::CellRange& wanted);
  ~RangeGather();
  RangeGather(const RangeGather&) = delete;
  RangeGather& operator=(const RangeGather&) = delete;

  /// The wanted entries of `source`, [wanted.size], valid until the next call. Collective.
  std::span<const double> operator()(const Vector& source);

 private:
  Vec local_ = nullptr;
  VecScatter scatter_ = nullptr;
  const double* array_ = nullptr;
};

}  // namespace parallel
