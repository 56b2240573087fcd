#include "engine/distributed_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "slab/turning_points/cell_measure.hpp"

namespace masing::engine {

namespace {

using slab::ExactSums;
using slab::Int128;

// Between two stored sums cells are added at the look-up: some 50 ns, little beside an allreduce,
// for a twentieth of the memory.
constexpr std::int64_t group_cells = 32;

// Limbs of 42 bits leave room in 64 for two million ranks.
constexpr int limb_bits = 42;
constexpr Int128 limb_mask = (Int128{1} << limb_bits) - 1;

void split(Int128 value, std::int64_t* limbs) {
  limbs[0] = static_cast<std::int64_t>(value & limb_mask);
  limbs[1] = static_cast<std::int64_t>((value >> limb_bits) & limb_mask);
  limbs[2] = static_cast<std::int64_t>(value >> (2 * limb_bits));
}

Int128 join(const std::int64_t* limbs) {
  constexpr Int128 radix = Int128{1} << limb_bits;
  return (limbs[2] * radix + limbs[1]) * radix + limbs[0];
}

double least_over_ranks(const parallel::Communicator& comm, double value) {
  double negative = -value;
  parallel::max_over_ranks(comm, std::span(&negative, 1));
  return -negative;
}

}  // namespace

ExactSums sum_over_ranks(parallel::RankSum& sum, const ExactSums& sums) {
  std::array<std::int64_t, 6> limbs{};
  split(sums.stiffness, limbs.data());
  split(sums.force, limbs.data() + 3);
  sum(limbs);
  return {join(limbs.data()), join(limbs.data() + 3)};
}

double sum_bound(const parallel::Communicator& comm, const base::CellRange& range,
                 std::int64_t cells, const std::function<double(std::int64_t)>& term) {
  double largest = 0.0;
  double share = 0.0;  // of the largest sum of this rank, roughly
  for (std::int64_t i = 0; i < range.size; ++i) {
    largest = std::max(largest, term(i));
    share += term(i);
  }
  share /= static_cast<double>(cells);
  std::array most{largest, share};
  parallel::max_over_ranks(comm, most);
  largest = most[0];
  // FixedPoint throws beyond these limits. Within 2⁹ of one rank's share, a bound of the sum from
  // below, the local bound suffices: the exact sum would lead to the same result.
  if (!(largest >= 1e-200 && largest <= 1e200) || largest <= std::ldexp(most[1], 9)) {
    return largest;
  }
  const slab::ExactScale scale(largest, largest, cells);
  ExactSums sums;
  for (std::int64_t i = 0; i < range.size; ++i) {
    sums += scale.term(term(i), 0.0);
  }
  parallel::RankSum sum(comm);
  // A little more than the sum, for the roundings of its parts.
  const double total = scale.value(sum_over_ranks(sum, sums)).stiffness * (1.0 + 1e-6);
  return largest > std::ldexp(total, 10) ? total : largest;
}

namespace {

/// Sums over the cells with η_i ≤ r of all ranks, where one table of all cells would be too large
/// for each: every rank keeps its own cells in the order of η, adds them up exactly, and the ranks'
/// integers are added. To the bit what slab::CellTable gives, on any number of ranks.
class SlabTable {
 public:
  static constexpr bool is_cellwise = true;

  /// η_i and k_i of this rank's cells, in any order. `comm` must outlive the table. Collective.
  SlabTable(const parallel::Communicator& comm, const slab::Profile& profile,
            const slab::ExactScale& scale);

  /// Over all cells of all ranks. Local.
  [[nodiscard]] slab::Sums total() const { return total_; }
  /// Collective; the same `r` on every rank.
  [[nodiscard]] slab::Sums below(double r, slab::SearchHint& hint) const;
  /// The least η_i > r, or infinity. Collective.
  [[nodiscard]] double next_break(double r, slab::SearchHint& hint) const;

 private:
  struct Cell {
    double threshold;
    double stiffness;
  };

  [[nodiscard]] std::int64_t passed(double r, slab::SearchHint& hint) const;
  [[nodiscard]] slab::ExactSums sum_of_first(std::int64_t cells) const;

  const parallel::Communicator* comm_;
  std::shared_ptr<parallel::RankSum> sum_;
  slab::ExactScale scale_;
  std::vector<Cell> cells_;                  // in the order of η
  std::vector<slab::ExactSums> group_sums_;  // before each group of cells, and after the last
  slab::Sums total_;
};

SlabTable::SlabTable(const parallel::Communicator& comm, const slab::Profile& profile,
                     const slab::ExactScale& scale)
    : comm_(&comm),
      sum_(std::make_shared<parallel::RankSum>(comm)),
      scale_(scale),
      cells_(static_cast<std::size_t>(profile.range.size)) {
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    const slab::Element cell = profile.element(i);
    cells_[static_cast<std::size_t>(i)] = {cell.threshold, cell.stiffness};
  }
  slab::put_in_order(std::span(cells_), [](const Cell& cell) { return cell.threshold; });
  ExactSums sums;
  group_sums_.reserve(cells_.size() / group_cells + 2);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i % group_cells == 0) {
      group_sums_.push_back(sums);
    }
    sums += scale_.term(cells_[i].stiffness, cells_[i].threshold);
  }
  group_sums_.push_back(sums);
  total_ = scale_.value(sum_over_ranks(*sum_, sums));
}

std::int64_t SlabTable::passed(double r, slab::SearchHint& hint) const {
  return hint.front.passed([cells = cells_.data()](std::int64_t i) { return cells[i].threshold; },
                           static_cast<std::int64_t>(cells_.size()), r);
}

ExactSums SlabTable::sum_of_first(std::int64_t cells) const {
  const std::int64_t group = cells / group_cells;
  ExactSums sums = group_sums_[static_cast<std::size_t>(group)];
  for (std::int64_t i = group * group_cells; i < cells; ++i) {
    const Cell& cell = cells_[static_cast<std::size_t>(i)];
    sums += scale_.term(cell.stiffness, cell.threshold);
  }
  return sums;
}

slab::Sums SlabTable::below(double r, slab::SearchHint& hint) const {
  return scale_.value(sum_over_ranks(*sum_, sum_of_first(passed(r, hint))));
}

double SlabTable::next_break(double r, slab::SearchHint& hint) const {
  const auto next = static_cast<std::size_t>(passed(r, hint));
  return least_over_ranks(*comm_, next < cells_.size() ? cells_[next].threshold
                                                       : std::numeric_limits<double>::infinity());
}

/// The slab::CellSets of every rank's cells, added exactly.
class SlabSets {
 public:
  /// `comm` must outlive it. Collective.
  SlabSets(const parallel::Communicator& comm, const slab::Profile& profile,
           const slab::ExactScale& scale);

  /// Collective; the same arguments on every rank.
  [[nodiscard]] slab::OuterSums outer(const slab::Extremes& extremes, int direction,
                                      slab::SearchHint& hint) const;
  /// Collective; the same arguments on every rank.
  [[nodiscard]] double growth_to_break(const slab::Extremes& extremes, int direction,
                                       slab::SearchHint& hint) const;

 private:
  const parallel::Communicator* comm_;
  std::shared_ptr<parallel::RankSum> sum_;
  slab::ExactScale scale_;
  slab::CellSets sets_;
};

SlabSets::SlabSets(const parallel::Communicator& comm, const slab::Profile& profile,
                   const slab::ExactScale& scale)
    : comm_(&comm),
      sum_(std::make_shared<parallel::RankSum>(comm)),
      scale_(scale),
      sets_(profile, scale) {}

slab::OuterSums SlabSets::outer(const slab::Extremes& extremes, int direction,
                                slab::SearchHint& hint) const {
  const slab::ExactOuterSums mine = sets_.outer(extremes, direction, hint);
  return slab::outer_sums({sum_over_ranks(*sum_, mine.opposite), sum_over_ranks(*sum_, mine.never)},
                          scale_);
}

double SlabSets::growth_to_break(const slab::Extremes& extremes, int direction,
                                 slab::SearchHint& hint) const {
  return least_over_ranks(*comm_, sets_.growth_to_break(extremes, direction, hint));
}

using DistributedMeasure = slab::TableMeasure<SlabTable, SlabSets>;

bool begins_at_zero(const parallel::Communicator& comm, const slab::Profile& profile) {
  std::int64_t moved = slab::begins_at_zero(profile) ? 0 : 1;
  parallel::sum_over_ranks(comm, std::span(&moved, 1));
  return moved == 0;
}

}  // namespace

std::shared_ptr<const slab::Measure> distributed_measure(const parallel::Communicator& comm,
                                                         const slab::Profile& profile,
                                                         std::int64_t cells) {
  std::array<double, 2> bounds{slab::stiffness_bound(profile), slab::force_bound(profile)};
  parallel::max_over_ranks(comm, bounds);
  const slab::ExactScale scale(bounds[0], bounds[1], cells);
  SlabTable threshold(comm, profile, scale);
  if (begins_at_zero(comm, profile)) {
    return std::make_shared<const DistributedMeasure>(std::move(threshold));
  }
  return std::make_shared<const DistributedMeasure>(std::move(threshold),
                                                    SlabSets(comm, profile, scale));
}

}  // namespace masing::engine
