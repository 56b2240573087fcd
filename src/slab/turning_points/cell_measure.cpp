#include "slab/turning_points/cell_measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::slab {

namespace {

using base::infinity;

/// 2¹⁰⁰/C for the smallest power of two C > P·bound.
double units_per_one(const char* what, double bound, std::int64_t cells) {
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw base::UserError(fmt::format("the largest {} is {}; it must lie between 1e-200 and 1e200",
                                      what, base::to_text(bound)));
  }
  constexpr int bits = 100;
  int exponent = 0;
  std::frexp(bound * static_cast<double>(cells), &exponent);
  return std::ldexp(1.0, bits - exponent);
}

}  // namespace

ExactScale::ExactScale(double stiffness_bound, double force_bound, std::int64_t cells)
    : stiffness_units_(units_per_one("stiffness", stiffness_bound, cells)),
      force_units_(units_per_one("stiffness * threshold", 2 * force_bound, cells)),
      cells_(static_cast<double>(cells)) {}

namespace {

/// Sorts what mostly is in order already, or in the opposite one.
template <class Cell, class Key>
void put_in_order(std::span<Cell> cells, const Key& key) {
  if (std::ranges::is_sorted(cells, std::ranges::greater(), key)) {
    std::ranges::reverse(cells);
  } else if (!std::ranges::is_sorted(cells, {}, key)) {
    std::ranges::sort(cells, {}, key);
  }
}

/// Sums over the cells with η_i ≤ r of a whole slab.
class CellTable {
 public:
  static constexpr bool is_cellwise = true;

  CellTable(const Profile& all, const ExactScale& scale)
      : nodes_(static_cast<std::size_t>(all.range.size + 2)) {
    for (std::int64_t i = 0; i < all.range.size; ++i) {
      const Element cell = all.element(i);
      nodes_[static_cast<std::size_t>(i + 1)] = {cell.threshold, {cell.stiffness, 0.0}};
    }
    nodes_.front() = {-infinity, {}};
    nodes_.back() = {infinity, {}};
    const auto cells = std::span(nodes_).subspan(1, nodes_.size() - 2);
    put_in_order(cells, [](const Node& node) { return node.threshold; });
    // The order within a tie changes only sums that no look-up returns.
    ExactSums sums;
    for (Node& cell : cells) {
      sums += scale.term(cell.sums.stiffness, cell.threshold);
      cell.sums = scale.value(sums);
    }
  }

  [[nodiscard]] Sums total() const { return nodes_[static_cast<std::size_t>(cells())].sums; }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const {
    const std::int64_t passed = find(r, hint);
    // At a few hundred cells a step every look-up would miss the caches.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(hint.front.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  [[nodiscard]] double next_break(double r, SearchHint& hint) const {
    return nodes_[static_cast<std::size_t>(find(r, hint) + 1)].threshold;
  }

 private:
  /// η of one cell, and the sums up to it.
  struct Node {
    double threshold = 0.0;
    Sums sums;
  };

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nodes_.size()) - 2; }
  [[nodiscard]] std::int64_t find(double r, SearchHint& hint) const {
    return hint.front.passed(
        [nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; }, cells(), r);
  }

  std::vector<Node> nodes_;  // [P + 2], from -∞ to +∞
};

/// Sums over the cells with η_i ≤ r of all parts, where one table would be too large for each:
/// every part keeps its own cells in the order of η, and adds them up exactly.
class SplitTable {
 public:
  static constexpr bool is_cellwise = true;

  SplitTable(const Profile& own, const ExactScale& scale, std::shared_ptr<const Parts> parts)
      : parts_(std::move(parts)), scale_(scale), cells_(static_cast<std::size_t>(own.range.size)) {
    for (std::int64_t i = 0; i < own.range.size; ++i) {
      const Element cell = own.element(i);
      cells_[static_cast<std::size_t>(i)] = {cell.threshold, cell.stiffness};
    }
    put_in_order(std::span(cells_), [](const Cell& cell) { return cell.threshold; });
    ExactSums sums;
    group_sums_.reserve(cells_.size() / group_cells + 2);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i % group_cells == 0) {
        group_sums_.push_back(sums);
      }
      sums += scale_.term(cells_[i].stiffness, cells_[i].threshold);
    }
    group_sums_.push_back(sums);
    total_ = scale_.value(parts_->sum(sums));
  }

  [[nodiscard]] Sums total() const { return total_; }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const {
    const std::size_t count = passed(r, hint);
    const std::size_t group = count / group_cells;
    ExactSums sums = group_sums_[group];
    for (std::size_t i = group * group_cells; i < count; ++i) {
      sums += scale_.term(cells_[i].stiffness, cells_[i].threshold);
    }
    return scale_.value(parts_->sum(sums));
  }

  [[nodiscard]] double next_break(double r, SearchHint& hint) const {
    const std::size_t next = passed(r, hint);
    return -parts_->most(next < cells_.size() ? -cells_[next].threshold : -infinity);
  }

 private:
  // Between two stored sums cells are added at the look-up: some 50 ns, little beside an allreduce,
  // for a twentieth of the memory.
  static constexpr std::size_t group_cells = 32;

  struct Cell {
    double threshold;
    double stiffness;
  };

  [[nodiscard]] std::size_t passed(double r, SearchHint& hint) const {
    return static_cast<std::size_t>(
        hint.front.passed([cells = cells_.data()](std::int64_t i) { return cells[i].threshold; },
                          static_cast<std::int64_t>(cells_.size()), r));
  }

  std::shared_ptr<const Parts> parts_;
  ExactScale scale_;
  std::vector<Cell> cells_;            // in the order of η
  std::vector<ExactSums> group_sums_;  // before each group of cells, and after the last
  Sums total_;
};

constexpr std::array limit_of{&Extremes::up, &Extremes::down, &Extremes::span};

/// Sums over the four YieldSets of P cells. Each of three lists, in the order of η - u0, η + u0 and
/// 2η, has a mark that goes with an extreme of x: a cell that it passes changes its set, at most
/// twice while x goes on. So a step costs O(1), amortised over a run. The sums depend on the
/// extremes alone, not on earlier ones.
class CellSets {
 public:
  /// The cells of a profile, in any order. `parts`: null where they are all.
  CellSets(const Profile& profile, const ExactScale& scale, std::shared_ptr<const Parts> parts)
      : scale_(scale), parts_(std::move(parts)) {
    std::vector<YieldCell>& cells = lists_.front();
    cells.resize(static_cast<std::size_t>(profile.range.size));
    for (std::int64_t i = 0; i < profile.range.size; ++i) {
      const Element cell = profile.element(i);
      cells[static_cast<std::size_t>(i)] = {cell.stiffness, cell.threshold, cell.initial_u};
      const ExactSums initial = scale_.term(cell.stiffness, cell.initial_u);
      start_.never += initial.stiffness;
      start_.other_force += initial.force;
    }
    lists_[1] = lists_[2] = cells;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      put_in_order(std::span(lists_[i]), [limit = limit_of[i]](const YieldCell& cell) {
        return yield_limits(cell).*limit;
      });
    }
  }

  [[nodiscard]] OuterSums outer(const Extremes& extremes, int direction, SearchHint& hint) const {
    const CellMarks& marks = moved(extremes, hint);
    ExactSums opposite{marks.one_way[direction > 0 ? 1 : 0],
                       marks.other_force + direction * marks.settled_force};
    ExactSums never{marks.never, 0};
    if (parts_) {
      opposite = parts_->sum(opposite);
      never = parts_->sum(never);
    }
    const Sums sums = scale_.value(opposite);
    return {sums.stiffness, scale_.value(never).stiffness, sums.force};
  }

  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction,
                                       SearchHint& hint) const {
    const CellMarks& marks = moved(extremes, hint);
    double growth = infinity;
    for (const std::size_t list : {direction > 0 ? 0 : 1, 2}) {
      const auto next = static_cast<std::size_t>(marks.passed[list]);
      if (next < lists_[list].size()) {
        growth = std::min(
            growth, yield_limits(lists_[list][next]).*limit_of[list] - extremes.*limit_of[list]);
      }
    }
    return parts_ ? -parts_->most(-growth) : growth;
  }

 private:
  const CellMarks& moved(const Extremes& to, SearchHint& hint) const {
    CellMarks& marks = hint.marks ? *hint.marks : hint.marks.emplace(start_);
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      move(list, to, marks);
    }
    return marks;
  }

  /// Moves the mark of a list to what its extreme has become.
  void move(std::size_t list, const Extremes& to, CellMarks& marks) const {
    const auto limit = limit_of[list];
    const double extreme = to.*limit;
    const double before = marks.extremes.*limit;
    const std::vector<YieldCell>& cells = lists_[list];
    auto passed = static_cast<std::size_t>(marks.passed[list]);
    const auto change = [&](const YieldCell& cell) {
      Extremes extremes = marks.extremes;
      extremes.*limit = before;
      const YieldSet from = yield_set(cell, extremes);
      extremes.*limit = extreme;
      transfer(cell, from, yield_set(cell, extremes), marks);
    };
    for (; passed < cells.size() && yield_limits(cells[passed]).*limit <= extreme; ++passed) {
      change(cells[passed]);
    }
    for (; passed > 0 && yield_limits(cells[passed - 1]).*limit > extreme; --passed) {
      change(cells[passed - 1]);
    }
    marks.passed[list] = static_cast<std::int64_t>(passed);
    marks.extremes.*limit = extreme;
  }

  void transfer(const YieldCell& cell, YieldSet from, YieldSet to, CellMarks& marks) const {
    if (from == to) {
      return;
    }
    const ExactSums yielded = scale_.term(cell.stiffness, cell.threshold);
    const auto add = [&](YieldSet set, int sign) {
      switch (set) {
        case YieldSet::settled:
          marks.settled_force += sign * yielded.force;
          break;
        case YieldSet::up:
          marks.one_way[0] += sign * yielded.stiffness;
          marks.other_force += sign * yielded.force;
          break;
        case YieldSet::down:
          marks.one_way[1] += sign * yielded.stiffness;
          marks.other_force -= sign * yielded.force;
          break;
        case YieldSet::never:
          marks.never += sign * yielded.stiffness;
          marks.other_force += sign * scale_.term(cell.stiffness, cell.initial_u).force;
          break;
      }
    };
    add(from, -1);
    add(to, 1);
  }

  ExactScale scale_;
  std::shared_ptr<const Parts> parts_;
  std::array<std::vector<YieldCell>, 3> lists_;  // in the order of each of the limits
  CellMarks start_;                              // no cell has passed
};

bool begins_at_zero(const Profile& profile) {
  if (profile.form.initial_u) {
    return profile.form.initial_u->first == 0.0;
  }
  return std::ranges::all_of(profile.initial_u, [](double u0) { return u0 == 0.0; });
}

template <class Table>
std::shared_ptr<const Measure> measure_of(Table table, std::optional<CellSets> sets) {
  return std::make_shared<const TableMeasure<Table, CellSets>>(std::move(table), std::move(sets));
}

}  // namespace

std::shared_ptr<const Measure> make_cell_measure(const Profile& all) {
  const ExactScale scale(stiffness_bound(all), force_bound(all), all.range.size);
  std::optional<CellSets> sets;
  if (!begins_at_zero(all)) {
    sets.emplace(all, scale, nullptr);
  }
  return measure_of(CellTable(all, scale), std::move(sets));
}

std::shared_ptr<const Measure> make_split_measure(const Profile& own, std::int64_t cells,
                                                  const std::shared_ptr<const Parts>& parts) {
  const double stiffest = parts->most(stiffness_bound(own));
  const ExactScale scale(stiffest, parts->most(force_bound(own)), cells);
  std::optional<CellSets> sets;
  if (parts->most(begins_at_zero(own) ? 0.0 : 1.0) > 0.0) {
    sets.emplace(own, scale, parts);
  }
  return measure_of(SplitTable(own, scale, parts), std::move(sets));
}

}  // namespace masing::slab
