#include "study/errors.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/block_sum.hpp"
#include "slab/turning_points/interval_sets.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::study {

base::CellRange overlapping_cells(const base::CellRange& range, std::int64_t from,
                                  std::int64_t to) {
  const std::int64_t first = base::floor_of_ratio(range.first, to, from);
  const std::int64_t end = base::ceil_of_ratio(range.first + range.size, to, from);
  return range.size == 0 ? base::CellRange{} : base::CellRange{first, end - first};
}

std::int64_t containing_cell(slab::Rule rule, std::int64_t i, std::int64_t level,
                             std::int64_t reference) {
  const std::int64_t halves = rule == slab::Rule::right ? 2 * i + 2 : 2 * i + 1;
  return base::ceil_of_ratio(halves, reference, 2 * level) - 1;  // s = halves/(2 P)
}

namespace {

/// Raises Errors::u to max |u - u_ref| at one time over the cells of the reference on this rank.
/// Raises Errors::u_cells to the same maximum over those points of the level's cells that lie in
/// them. `here`: u of those cells of the level that overlap the cells of the reference on this
/// rank. Among the cells of the reference that overlap one cell of the level, |u - u_ref| is
/// largest where u_ref is least or largest, so only these two are compared. This also holds for
/// rounded differences, because rounding is monotone.
void add_field(slab::Rule rule, const parallel::Vector& level, std::span<const double> here,
               const parallel::Vector& reference, Errors& errors) {
  const base::CellRange range = reference.range();
  const std::int64_t end = range.first + range.size;
  const auto there = [&](std::int64_t j) {
    return reference.values()[static_cast<std::size_t>(j - range.first)];
  };
  std::int64_t i = overlapping_cells(range, reference.size(), level.size()).first;
  for (const double u : here) {
    const base::CellRange met = overlapping_cells({i, 1}, level.size(), reference.size());
    const std::int64_t first = std::max(met.first, range.first);
    double least = there(first);
    double largest = least;
    for (std::int64_t j = first + 1; j < std::min(met.first + met.size, end); ++j) {
      const double value = there(j);
      least = value < least ? value : least;
      largest = largest < value ? value : largest;
    }
    errors.raise(Errors::u, std::max(std::abs(u - least), std::abs(u - largest)));
    const std::int64_t holder = containing_cell(rule, i, level.size(), reference.size());
    if (holder >= range.first && holder < end) {
      errors.raise(Errors::u_cells, std::abs(u - there(holder)));
    }
    ++i;
  }
}

/// Raises Errors::u to the largest difference between the states of the level and of the reference,
/// over all columns except x and y of the mass, whose errors are computed separately. Sets
/// Errors::u_cells to the value of Errors::u.
void add_state(const rheology::StateLayout& layout, const parallel::Vector& level,
               const parallel::Vector& reference, Errors& errors) {
  const rheology::MassColumns motion = layout.mass_columns();
  for (std::size_t i = 0; i < level.values().size(); ++i) {
    const std::int64_t column = level.range().first + static_cast<std::int64_t>(i);
    if (column != motion.x && column != motion.y) {
      errors.raise(Errors::u, std::abs(level.values()[i] - reference.values()[i]));
    }
  }
  errors[Errors::u_cells] = errors[Errors::u];
}

/// Compares `u`, which is constant on one cell, with the function `reference`. Raises Errors::u to
/// the differences at both ends of the cell, and Errors::u_cells to the difference at the point of
/// the cell.
void add_cell(double u, const ContinuousField& reference, const slab::Element& begin,
              const slab::Element& point, const slab::Element& end, Errors& errors) {
  const auto distance = [&](const slab::Element& at) { return std::abs(u - reference(at)); };
  errors.raise(Errors::u, distance(begin));
  errors.raise(Errors::u, distance(end));
  errors.raise(Errors::u_cells, distance(point));
}

}  // namespace

/// Determines the critical cells of two elongations that are given as functions of s: the cells in
/// which the difference of the two is expected to be largest.
class CriticalCells {
 public:
  /// Determines the cells that are critical at all times. Throws UserError if the functions of the
  /// slab are not smooth in pieces. Local.
  explicit CriticalCells(const slab::Slab& slab) : grid_{slab.field_cells(), slab.rule} {
    const auto spans = slab::smooth_spans(slab);
    for (const double s : slab::sample_places(spans)) {
      add(s, 0, always_);
    }
    pieces_.emplace(slab, spans, slab::largest_threshold(slab, spans), std::nullopt,
                    std::numeric_limits<std::size_t>::max());
    std::vector<double> places;
    pieces_->append_ends(places);
    for (const double s : places) {
      add(s, around, always_);
    }
  }

  /// Returns the indices of the critical cells of two elongations at one time, in increasing order.
  /// Some cells are critical at all times: those at fixed sample places, and those around the ends
  /// of the pieces on which the functions of the slab are smooth and monotone. The others are the
  /// cells around the places s at which one of the elongations has a kink. Local.
  [[nodiscard]] std::vector<std::int64_t> at(const ContinuousField& one,
                                             const ContinuousField& other) const {
    std::vector<double> places;
    for (const ContinuousField* field : {&one, &other}) {
      add_kinks(field->after, places);
      if (field->fraction < 1) {
        add_kinks(field->before, places);
      }
    }
    std::vector<std::int64_t> cells = always_;
    for (const double s : places) {
      add(s, around, cells);
    }
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
  }

 private:
  static constexpr std::int64_t around = 2;

  void add(double s, std::int64_t width, std::vector<std::int64_t>& cells) const {
    const std::int64_t centre = grid_.before(s);
    const std::int64_t last = std::min(centre + width, grid_.count - 1);
    for (std::int64_t i = std::max<std::int64_t>(0, std::min(centre - width, last)); i <= last;
         ++i) {
      cells.push_back(i);
    }
  }

  void add_kinks(const slab::RememberedElongation& u, std::vector<double>& places) const {
    using slab::Excursion;
    pieces_->append_places(&Excursion::up, u.highest - u.x0, places);
    pieces_->append_places(&Excursion::down, u.x0 - u.lowest, places);
    pieces_->append_places(&Excursion::span, u.highest - u.lowest, places);
    for (const slab::RememberedLeg& leg : u.legs) {
      pieces_->append_places(&Excursion::span, std::abs(leg.position - leg.meeting), places);
    }
    if (!u.legs.empty()) {
      pieces_->append_places(&Excursion::span, u.direction * (u.x - u.legs.back().position),
                             places);
    }
  }

  slab::CellGrid grid_;
  std::optional<slab::IntervalSets> pieces_;
  std::vector<std::int64_t> always_;
};

void FieldErrors::update_max(const parallel::Communicator& comm, Errors& errors, const Field& level,
                             const Field& reference) {
  if (layout_.of == engine::Layout::Of::nodes) {
    compare_nodes(comm, errors, *level.entries, *reference.entries);
  } else if (level.entries != nullptr && reference.entries != nullptr) {
    compare_with_cells(errors, *level.entries, *reference.entries);
  } else if (level.entries != nullptr) {
    compare_with_function(errors, *level.entries, reference.function);
  } else {
    compare_functions(errors, level.function, reference.function);
  }
}

void FieldErrors::compare_with_cells(Errors& errors, const parallel::Vector& level,
                                     const parallel::Vector& reference) {
  if (slab_ == nullptr) {
    add_state(layout_.state, level, reference, errors);
    return;
  }
  if (!gather_) {
    gather_ = std::make_unique<parallel::RangeGather>(
        level, overlapping_cells(reference.range(), reference.size(), level.size()));
  }
  add_field(slab_->rule, level, (*gather_)(level), reference, errors);
}

/// Compares x and y, which a vector has in turn for each node. A model of n elements has its nodes
/// at the places i/n; both models have the nodes j/g in common, where g is the greatest common
/// divisor of their numbers of elements. Squares are summed as integers, so that the sums have the
/// same bits on any number of ranks.
void FieldErrors::compare_nodes(const parallel::Communicator& comm, Errors& errors,
                                const parallel::Vector& level, const parallel::Vector& reference) {
  const std::int64_t base = 1 - layout_.first_node;
  const std::int64_t n = level.size() / 2 - base;
  const std::int64_t n_reference = reference.size() / 2 - base;
  const std::int64_t common = std::gcd(n, n_reference);
  const std::int64_t stride = n_reference / common;
  // Nodes are counted 1, …, n, or from 0 if the base absorbs.
  const std::int64_t first = reference.range().first / 2 + 1 - base;
  const std::int64_t end = first + reference.range().size / 2;
  const auto below = [&](std::int64_t node) { return (node + stride - 1) / stride; };
  const base::CellRange mine{below(first), below(end) - below(first)};  // of the common nodes
  const auto of_level = [&](std::int64_t j) { return 2 * (j * (n / common) - 1 + base); };
  if (!gather_) {
    const std::int64_t last = mine.first + mine.size - 1;
    gather_ = std::make_unique<parallel::RangeGather>(
        level, mine.size == 0 ? base::CellRange{}
                              : base::CellRange{of_level(mine.first),
                                                of_level(last) - of_level(mine.first) + 2});
  }
  const std::span<const double> here = (*gather_)(level);
  const bool is_split = reference.ranks() > 1;
  for (const auto& [at, most, mean] :
       {std::tuple(0, Errors::x, Errors::u), {1, Errors::y, Errors::u_cells}}) {
    std::vector<double> squares;
    std::array<double, 1> largest{};
    for (std::int64_t j = mine.first; j < mine.first + mine.size; ++j) {
      const double difference =
          here[static_cast<std::size_t>(of_level(j) - of_level(mine.first) + at)] -
          reference.values()[static_cast<std::size_t>(2 * (j * stride - first) + at)];
      errors.raise(most, std::abs(difference));
      squares.push_back(difference * difference);
      largest[0] = std::max(largest[0], squares.back());
    }
    if (is_split) {
      parallel::max_over_ranks(comm, largest);
    }
    const auto nodes = static_cast<double>(common + base);
    const base::FixedPoint scale(std::max(largest[0] * nodes, 1e-200));
    std::int64_t sum = 0;
    for (const double square : squares) {
      sum += std::llrint(square * scale.units_per_one());
    }
    if (is_split) {
      parallel::sum_over_ranks(comm, std::span(&sum, 1));
    }
    errors.raise(mean, std::sqrt(scale.value(sum) / nodes));
  }
}

/// Returns the element at s = `cells`/P, where P is Slab::field_cells(). This is the right end of
/// the first `cells` cells.
slab::Element FieldErrors::end_of(std::int64_t cells) const {
  return slab_->element(static_cast<double>(cells) / static_cast<double>(slab_->field_cells()));
}

void FieldErrors::compare_with_function(Errors& errors, const parallel::Vector& level,
                                        const ContinuousField& reference) {
  const base::CellRange range = level.range();
  if (ends_.empty()) {
    ends_.reserve(static_cast<std::size_t>(range.size) + 1);
    points_.reserve(static_cast<std::size_t>(range.size));
    ends_.push_back(end_of(range.first));
    for (std::int64_t i = range.first; i < range.first + range.size; ++i) {
      ends_.push_back(end_of(i + 1));
      points_.push_back(slab_->element(slab_->point(i)));
    }
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    add_cell(level.values()[i], reference, ends_[i], points_[i], ends_[i + 1], errors);
  }
}

/// Compares a level with its reference, both given as functions. If the level has cells, only the
/// critical cells are compared. Between two kinks, each elongation minus the shift c (see Slab) is
/// η, -η or its initial value, plus a constant. On each piece of the slab's functions, the
/// difference of both elongations at the points of the cells is therefore monotone in s. It is
/// largest next to a kink or to an end of a piece. At the ends of a cell, the change of the
/// reference's u within the cell is added to this difference. To account for this change, cells at
/// fixed sample places are compared, too.
void FieldErrors::compare_functions(Errors& errors, const ContinuousField& level,
                                    const ContinuousField& reference) {
  if (slab_->is_continuum()) {
    for (std::int64_t i = 0; i <= slab_->field_cells(); ++i) {
      const slab::Element at = end_of(i);
      errors.raise(Errors::u, std::abs(level(at) - reference(at)));
    }
    errors[Errors::u_cells] = errors[Errors::u];
    return;
  }
  if (!critical_) {
    critical_ = std::make_shared<const CriticalCells>(*slab_);
  }
  for (const std::int64_t i : critical_->at(level, reference)) {
    const slab::Element point = slab_->element(slab_->point(i));
    add_cell(level(point), reference, end_of(i), point, end_of(i + 1), errors);
  }
}

bool measures_field(const engine::RunSpec& run) {
  const engine::Layout layout = run.model->layout();
  return layout.of != engine::Layout::Of::columns ||
         layout.state.size() > (layout.state.mass_columns().y ? 2 : 1);
}

}  // namespace masing::study
