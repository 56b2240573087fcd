#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/limits.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

namespace {

using base::infinity;

/// Returns 2¹⁰⁰/C, where C is the smallest power of two > P·bound. Throws UserError if `bound` is
/// not in [1e-200, 1e200]; `what` names the bound in the message.
double units_per_one(const char* what, double bound, std::int64_t cells) {
  base::check_bound(bound, what);
  constexpr int bits = 100;
  int exponent = 0;
  std::frexp(bound * static_cast<double>(cells), &exponent);
  return std::ldexp(1.0, bits - exponent);
}

/// Sorts cells by a key. Sorting is fast if the keys of the cells already increase or decrease.
template <class Cell, class Key>
void put_in_order(std::span<Cell> cells, const Key& key) {
  if (std::ranges::is_sorted(cells, std::ranges::greater(), key)) {
    std::ranges::reverse(cells);
  } else if (!std::ranges::is_sorted(cells, {}, key)) {
    std::ranges::sort(cells, {}, key);
  }
}

/// Returns the largest term(cell) over the cells of a profile, or 0 if the profile has no cells.
template <class Term>
double largest(const Profile& profile, const Term& term) {
  double most = 0.0;
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    most = std::max(most, term(profile.element(i)));
  }
  return most;
}

/// Returns whether v0 = u0 - c (see Slab) is 0 in all cells.
bool has_zero_start(const Profile& profile) {
  if (profile.form.initial_u) {
    return profile.form.initial_u->first == 0.0;
  }
  return std::ranges::all_of(profile.initial_u, [](double u0) { return u0 == 0.0; });
}

/// A measure of P cells: a table of the sums over the cells with η_i ≤ r. If v0 = u0 - c (see Slab)
/// is not 0 everywhere, the measure also gives the sums over the four YieldSets. For this purpose
/// the cells are stored in three lists, sorted by the limits η - v0, η + v0 and 2η. CellMarks
/// counts in each list the cells whose limit is at most A, B or R, respectively (see Excursion).
/// When a count changes, the sums are updated for the cells by which it changes. A, B and R do not
/// decrease when x moves. Therefore each list is passed only once in a run, apart from look-ups
/// ahead of x. The sums depend on the present A, B and R alone, not on earlier values.
class CellMeasure : public Measure {
 public:
  explicit CellMeasure(const Profile& all)
      : Measure(has_zero_start(all), true),
        scale_(largest(all, [](const Element& cell) { return cell.stiffness; }),
               largest(all, [](const Element& cell) { return cell.stiffness * cell.threshold; }),
               all.range.size),
        nodes_(static_cast<std::size_t>(all.range.size + 2)) {
    fill_table(all);
    if (!begins_at_zero()) {
      fill_lists(all);
    }
  }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const override {
    const std::int64_t passed = find(r, hint.front);
    // If the front passes some hundred cells in each step, every look-up would miss the caches.
    // Therefore the entry that the next look-up is expected to need is loaded now.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(hint.front.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  [[nodiscard]] double next_break(double r, SearchHint& hint) const override {
    return nodes_[static_cast<std::size_t>(find(r, hint.front) + 1)].threshold;
  }

  /// Returns N(r) = ∫₀ʳ M(ρ) dρ; M is constant between two entries of the table.
  [[nodiscard]] double slip(double r, FrontSearch near) const override {
    const auto last = static_cast<std::size_t>(find(r, near));
    std::size_t node = last - last % slip_distance;
    double slip = slip_[node / slip_distance];
    for (; node < last; ++node) {
      slip += slip_to_next(node);
    }
    return slip + (r - nodes_[last].threshold) * nodes_[last].sums.force;
  }

  [[nodiscard]] OuterSums outer(const Excursion& excursion, int direction,
                                SearchHint& hint) const override {
    CellMarks& marks = moved(excursion, hint);
    const ExactSums& up = marks.of(YieldSet::up);
    const ExactSums& down = marks.of(YieldSet::down);
    const ExactSums& never = marks.of(YieldSet::never);
    const Sums sums = scale_.value(
        {(direction > 0 ? down : up).stiffness,
         up.force - down.force + never.force + direction * marks.of(YieldSet::settled).force});
    return {sums.stiffness, scale_.value(never).stiffness, sums.force};
  }

  [[nodiscard]] double growth_to_break(const Excursion& excursion, int direction,
                                       SearchHint& hint) const override {
    const CellMarks& marks = moved(excursion, hint);
    double growth = infinity;
    for (const std::size_t list : {direction > 0 ? 0 : 1, 2}) {
      const auto next = static_cast<std::size_t>(marks.passed[list]);
      if (next < lists_[list].size()) {
        growth = std::min(
            growth, yield_limits(lists_[list][next]).*limit_of[list] - excursion.*limit_of[list]);
      }
    }
    return growth;
  }

 private:
  /// The threshold η of one cell, and the sums over this cell and all cells before it in the order
  /// of η.
  struct Node {
    double threshold = 0.0;
    Sums sums;
  };

  /// Returns the number of cells with η ≤ r.
  [[nodiscard]] std::int64_t find(double r, FrontSearch& search) const {
    return search.passed([nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; },
                         cells(), r);
  }
  /// Returns by how much N grows from an entry of the table to the next one.
  [[nodiscard]] double slip_to_next(std::size_t node) const {
    return (nodes_[node + 1].threshold - nodes_[node].threshold) * nodes_[node].sums.force;
  }

  /// Fills the tables of sums.
  void fill_table(const Profile& all) {
    for (std::int64_t i = 0; i < all.range.size; ++i) {
      const Element cell = all.element(i);
      nodes_[static_cast<std::size_t>(i + 1)] = {cell.threshold, {cell.stiffness, 0.0}};
    }
    nodes_.back() = {infinity, {}};
    const auto cells = std::span(nodes_).subspan(1, nodes_.size() - 2);
    put_in_order(cells, [](const Node& node) { return node.threshold; });
    // The order of cells with equal η does not matter: look-ups return only the sum over all of
    // them.
    ExactSums sums;
    for (Node& cell : cells) {
      sums += scale_.term(cell.sums.stiffness, cell.threshold);
      cell.sums = scale_.value(sums);
    }
    total_ = nodes_[cells.size()].sums;
    double slip = 0.0;
    for (std::size_t node = 0; node <= cells.size(); ++node) {
      if (node % slip_distance == 0) {
        slip_.push_back(slip);
      }
      slip += slip_to_next(node);
    }
  }

  /// Fills the three sorted lists, and sets start_ to the sums before any cell has yielded.
  void fill_lists(const Profile& all) {
    std::vector<YieldCell>& cells = lists_.front();
    cells.resize(static_cast<std::size_t>(all.range.size));
    for (std::int64_t i = 0; i < all.range.size; ++i) {
      const Element cell = all.element(i);
      cells[static_cast<std::size_t>(i)] = {cell.stiffness, cell.threshold, cell.initial_u};
      start_.of(YieldSet::never) += scale_.term(cell.stiffness, cell.initial_u);
    }
    lists_[1] = lists_[2] = cells;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      put_in_order(std::span(lists_[i]), [limit = limit_of[i]](const YieldCell& cell) {
        return yield_limits(cell).*limit;
      });
    }
  }

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nodes_.size()) - 2; }

  /// Updates the counts and the sums to the A, B and R in `to`, and returns them.
  CellMarks& moved(const Excursion& to, SearchHint& hint) const {
    CellMarks& marks = hint.marks.empty() ? hint.marks.emplace_back(start_) : hint.marks.front();
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      move(list, to, marks);
    }
    return marks;
  }

  /// Updates the count of one list, and the sums, to one number in `to`: A for list 0, B for list
  /// 1, R for list 2.
  void move(std::size_t list, const Excursion& to, CellMarks& marks) const {
    const auto limit = limit_of[list];
    const double extreme = to.*limit;
    const Excursion before = marks.excursion;
    marks.excursion.*limit = extreme;
    const std::vector<YieldCell>& cells = lists_[list];
    auto passed = static_cast<std::size_t>(marks.passed[list]);
    const auto change = [&](const YieldCell& cell) {
      const YieldSet then = yield_set(cell, before);
      const YieldSet now = yield_set(cell, marks.excursion);
      marks.of(then) -= term(cell, then);
      marks.of(now) += term(cell, now);
    };
    for (; passed < cells.size() && yield_limits(cells[passed]).*limit <= extreme; ++passed) {
      change(cells[passed]);
    }
    for (; passed > 0 && yield_limits(cells[passed - 1]).*limit > extreme; --passed) {
      change(cells[passed - 1]);
    }
    marks.passed[list] = static_cast<std::int64_t>(passed);
  }

  /// Returns the terms of a cell in the sums of a set (CellMarks::sets).
  [[nodiscard]] ExactSums term(const YieldCell& cell, YieldSet set) const {
    return scale_.term(cell.stiffness, set == YieldSet::never ? cell.initial_u : cell.threshold);
  }

  // One entry of slip_ for so many cells makes slip_ small beside nodes_, and a look-up quick.
  static constexpr std::size_t slip_distance = 32;

  ExactScale scale_;
  // The cells in the order of η. The first entry has the sums over no cell, the last has η = +∞.
  std::vector<Node> nodes_;
  std::vector<double> slip_;  // N at the η of every slip_distance-th entry of nodes_
  std::array<std::vector<YieldCell>, 3> lists_;  // the cells, sorted by η - v0, η + v0 and 2η
  CellMarks start_;                              // the counts and sums before any cell has yielded
};

/// Returns the profile whose cells are the given springs. Sums over a profile of P cells give each
/// cell the weight 1/P; to cancel this weight, k is multiplied by P.
Profile profile_of(const std::vector<Element>& springs) {
  Profile profile;
  profile.range = {0, std::ssize(springs)};
  for (Element spring : springs) {
    spring.stiffness *= static_cast<double>(springs.size());
    for_each_column([](auto& column, double value) { column.push_back(value); }, profile, spring);
  }
  return profile;
}

/// A CellMeasure that also stores the springs, and computes sums() from them.
class SpringMeasure final : public CellMeasure {
 public:
  explicit SpringMeasure(std::vector<Element> springs)
      : CellMeasure(profile_of(springs)), springs_(std::move(springs)) {}

  [[nodiscard]] std::optional<ElongationSums> sums(const RememberedElongation& u) const override {
    ElongationSums sums;
    for (const Element& spring : springs_) {
      const double now = u(spring);
      const double force = spring.stiffness * (now - spring.shift);
      sums.energy += 0.5 * spring.stiffness * now * now;
      sums.load += spring.shift * force;
      sums.grip += spring.threshold * force;
    }
    return sums;
  }

 private:
  std::vector<Element> springs_;
};

}  // namespace

ExactScale::ExactScale(double stiffness_bound, double force_bound, std::int64_t cells)
    : stiffness_units_(units_per_one("stiffness", stiffness_bound, cells)),
      force_units_(units_per_one("stiffness * threshold", 2 * force_bound, cells)),
      cells_(static_cast<double>(cells)) {}

std::shared_ptr<const Measure> make_cell_measure(const Profile& all) {
  return std::make_shared<const CellMeasure>(all);
}

std::shared_ptr<const Measure> make_spring_measure(std::vector<Element> springs) {
  return std::make_shared<const SpringMeasure>(std::move(springs));
}

}  // namespace masing::slab
