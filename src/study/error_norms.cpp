#include "study/error_norms.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/range_gather.hpp"

namespace study {

namespace {

/// How the cells of two partitions of ]0, 1] lie to each other; 0-based, cells ]i/P, (i+1)/P].
class Overlap {
 public:
  Overlap(const Recording& level, const Recording& reference)
      : level_(level.cells()), reference_(reference.cells()), rule_(level.rule()) {}

  /// First and last cell of the level that share an interval with the reference's cell j.
  [[nodiscard]] std::int64_t first(std::int64_t j) const { return j * level_ / reference_; }
  [[nodiscard]] std::int64_t last(std::int64_t j) const {
    return ((j + 1) * level_ - 1) / reference_;
  }

  /// The reference's cell that holds the point of the level's cell i.
  [[nodiscard]] std::int64_t holder(std::int64_t i) const {
    const std::int64_t halves = rule_ == options::Rule::right ? 2 * i + 2 : 2 * i + 1;
    return (halves * reference_ - 1) / (2 * level_);  // ceil(s·P) - 1 for s = halves/(2 P_level)
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
  options::Rule rule_;
};

/// max |u - u_ref| of one time over this rank's cells of the reference.
void add_field(const Overlap& overlap, const base::CellRange& range,
               std::span<const double> reference, std::span<const double> level, Errors& errors) {
  const std::int64_t offset = overlap.needed(range).first;
  for (std::int64_t j = range.first; j < range.first + range.size; ++j) {
    const double there = reference[static_cast<std::size_t>(j - range.first)];
    for (std::int64_t i = overlap.first(j); i <= overlap.last(j); ++i) {
      const double difference = std::abs(level[static_cast<std::size_t>(i - offset)] - there);
      errors.u = std::max(errors.u, difference);
      if (overlap.holder(i) == j) {
        errors.u_cells = std::max(errors.u_cells, difference);
      }
    }
  }
}

}  // namespace

Errors errors(const parallel::Communicator& comm, const Recording& level,
              const Recording& reference) {
  Errors result;
  for (std::int64_t p = 0; p <= level.steps(); ++p) {
    const auto mine = level.at(p, level.steps());
    const auto there = reference.at(p, level.steps());
    result.x = std::max(result.x, std::abs(mine.x - there.x));
    result.y = std::max(result.y, std::abs(mine.y - there.y));
  }
  const Overlap overlap(level, reference);
  const base::CellRange range = reference.fields().front().range();
  parallel::RangeGather gather(level.fields().front(), overlap.needed(range));
  for (std::size_t j = 0; j < level.fields().size(); ++j) {
    const parallel::ReadAccess there(reference.fields()[j]);
    add_field(overlap, range, there.values(), gather(level.fields()[j]), result);
  }
  double both[] = {result.u, result.u_cells};
  parallel::max_over_ranks(comm, both);
  result.u = both[0];
  result.u_cells = both[1];
  return result;
}

}  // namespace study
