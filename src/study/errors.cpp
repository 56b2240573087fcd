#include "study/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/limits.hpp"
#include "base/partition.hpp"
#include "slab/turning_points/interval_sets.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::study {

base::CellRange cells_meeting(const base::CellRange& range, std::int64_t from, std::int64_t to) {
  const std::int64_t first = base::floor_of_ratio(range.first, to, from);
  const std::int64_t end = base::ceil_of_ratio(range.first + range.size, to, from);
  return range.size == 0 ? base::CellRange{} : base::CellRange{first, end - first};
}

std::int64_t holding_cell(slab::Rule rule, std::int64_t i, std::int64_t level,
                          std::int64_t reference) {
  const std::int64_t halves = rule == slab::Rule::right ? 2 * i + 2 : 2 * i + 1;
  return base::ceil_of_ratio(halves, reference, 2 * level) - 1;  // s = halves/(2 P)
}

namespace {

/// max |u - u_ref| of one time over this rank's cells of the reference, whose u are `there`;
/// `here`: u of the level's cells that meet them. Rounding is monotone, so of the reference's cells
/// that meet one of the level the least and the largest u_ref are enough.
void add_field(slab::Rule rule, const parallel::Vector& level, std::span<const double> here,
               const parallel::Vector& reference, Errors& errors) {
  const base::CellRange range = reference.range();
  const std::int64_t end = range.first + range.size;
  const auto there = [&](std::int64_t j) {
    return reference.values()[static_cast<std::size_t>(j - range.first)];
  };
  std::int64_t i = cells_meeting(range, reference.size(), level.size()).first;
  for (const double u : here) {
    const base::CellRange met = cells_meeting({i, 1}, level.size(), reference.size());
    const std::int64_t first = std::max(met.first, range.first);
    double least = there(first);
    double largest = least;
    for (std::int64_t j = first + 1; j < std::min(met.first + met.size, end); ++j) {
      const double value = there(j);
      least = value < least ? value : least;
      largest = largest < value ? value : largest;
    }
    errors.u = std::max({errors.u, std::abs(u - least), std::abs(u - largest)});
    const std::int64_t holder = holding_cell(rule, i, level.size(), reference.size());
    if (holder >= range.first && holder < end) {
      errors.u_cells = std::max(errors.u_cells, std::abs(u - there(holder)));
    }
    ++i;
  }
}

/// The columns of a state but those that errors of x and y measure.
void add_state(const rheology::StateLayout& layout, const parallel::Vector& level,
               const parallel::Vector& reference, Errors& errors) {
  const rheology::MassColumns motion = layout.motion();
  for (std::size_t i = 0; i < level.values().size(); ++i) {
    const std::int64_t column = level.range().first + static_cast<std::int64_t>(i);
    if (column != motion.x && column != motion.y) {
      errors.u = std::max(errors.u, std::abs(level.values()[i] - reference.values()[i]));
    }
  }
  errors.u_cells = errors.u;
}

}  // namespace

/// The cells in which the difference of two elongations can be largest, by index.
class CriticalCells {
 public:
  /// Throws UserError where a slab is not smooth in pieces.
  explicit CriticalCells(const slab::Slab& slab) : grid_{slab.field_cells(), slab.rule} {
    const auto spans = slab::smooth_spans(slab);
    std::vector<double> places = slab::sample_places(spans);
    double scale = 0.0;
    for (const double s : places) {
      scale = std::max(scale, slab.threshold(s));
      add(s, 0, always_);
    }
    pieces_.emplace(slab, spans, scale, std::nullopt, std::numeric_limits<std::size_t>::max());
    places.clear();
    pieces_->append_ends(places);
    for (const double s : places) {
      add(s, around, always_);
    }
  }

  /// Of u at one time: those around the places where one of the elongations has a kink, too.
  [[nodiscard]] std::vector<std::int64_t> at(const ContinuousField& one,
                                             const ContinuousField& other) const {
    std::vector<double> places;
    for (const ContinuousField* field : {&one, &other}) {
      for (const auto& part : field->parts()) {
        add_kinks(part.elongation, places);
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
    using slab::Extremes;
    pieces_->append_places(&Extremes::up, u.highest - u.x0, places);
    pieces_->append_places(&Extremes::down, u.x0 - u.lowest, places);
    pieces_->append_places(&Extremes::span, u.highest - u.lowest, places);
    for (const slab::RememberedLeg& leg : u.legs) {
      pieces_->append_places(&Extremes::span, std::abs(leg.position - leg.meeting), places);
    }
    if (!u.legs.empty()) {
      pieces_->append_places(&Extremes::span, u.direction * (u.x - u.legs.back().position), places);
    }
  }

  slab::CellGrid grid_;
  std::optional<slab::IntervalSets> pieces_;
  std::vector<std::int64_t> always_;
};

void FieldErrors::raise(Errors& errors, const Field& level, const Field& reference) {
  if (level.entries != nullptr && reference.entries != nullptr) {
    raise_against_cells(errors, *level.entries, *reference.entries);
  } else if (level.entries != nullptr) {
    raise_against_continuum(errors, *level.entries, reference.function);
  } else if (reference.entries == nullptr && engine::slab_of(*run_)->is_continuum()) {
    raise_continuum(errors, level.function, reference.function);
  } else if (reference.entries == nullptr) {
    raise_many_cells(errors, level.function, reference.function);
  }
}

void FieldErrors::raise_against_cells(Errors& errors, const parallel::Vector& level,
                                      const parallel::Vector& reference) {
  const slab::Slab* slab = engine::slab_of(*run_);
  if (slab == nullptr) {
    add_state(*engine::state_layout(*run_), level, reference, errors);
    return;
  }
  if (!gather_) {
    gather_ = std::make_unique<parallel::RangeGather>(
        level, cells_meeting(reference.range(), reference.size(), level.size()));
  }
  add_field(slab->rule, level, (*gather_)(level), reference, errors);
}

void FieldErrors::raise_against_continuum(Errors& errors, const parallel::Vector& level,
                                          const ContinuousField& reference) {
  const slab::Slab& slab = *engine::slab_of(*run_);
  const base::CellRange range = level.range();
  if (ends_.empty()) {
    const auto end = [&](std::int64_t i) {
      return slab.element(static_cast<double>(i) / static_cast<double>(slab.field_cells()));
    };
    ends_.push_back(end(range.first));
    for (std::int64_t i = range.first; i < range.first + range.size; ++i) {
      ends_.push_back(end(i + 1));
      points_.push_back(slab.element(slab.point(i)));
    }
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto distance = [&](const slab::Element& at) {
      return std::abs(level.values()[i] - reference(at));
    };
    errors.u = std::max({errors.u, distance(ends_[i]), distance(ends_[i + 1])});
    errors.u_cells = std::max(errors.u_cells, distance(points_[i]));
  }
}

void FieldErrors::raise_continuum(Errors& errors, const ContinuousField& level,
                                  const ContinuousField& reference) {
  const slab::Slab& slab = *engine::slab_of(*run_);
  for (std::int64_t i = 0; i <= slab.field_cells(); ++i) {
    const slab::Element at =
        slab.element(static_cast<double>(i) / static_cast<double>(slab.field_cells()));
    errors.u = std::max(errors.u, std::abs(level(at) - reference(at)));
  }
  errors.u_cells = errors.u;
}

/// Between kinks of both and places where η, η - u0 or η + u0 turn, each elongation is ±η or u0 and
/// a constant, so that their difference at the cells' own points is monotone in s: it is largest at
/// ends of such pieces. At the other ends of cells there is the change of u over a cell more, which
/// places all over [0, 1] show.
void FieldErrors::raise_many_cells(Errors& errors, const ContinuousField& level,
                                   const ContinuousField& reference) {
  const slab::Slab& slab = *engine::slab_of(*run_);
  if (!critical_) {
    critical_ = std::make_shared<const CriticalCells>(slab);
  }
  const auto count = static_cast<double>(slab.field_cells());
  for (const std::int64_t i : critical_->at(level, reference)) {
    const slab::Element cell = slab.element(slab.point(i));
    const double u = level(cell);
    const auto distance = [&](const slab::Element& at) { return std::abs(u - reference(at)); };
    errors.u_cells = std::max(errors.u_cells, distance(cell));
    errors.u = std::max({errors.u, distance(slab.element(static_cast<double>(i) / count)),
                         distance(slab.element(static_cast<double>(i + 1) / count))});
  }
}

bool measures_field(const engine::RunSpec& run) {
  if (engine::slab_of(run) != nullptr) {
    return true;
  }
  const rheology::StateLayout layout = *engine::state_layout(run);
  return layout.size() > (layout.motion().y ? 2 : 1);
}

Errors joined(const parallel::Communicator& comm, const Errors& mine) {
  double all[] = {mine.x, mine.y, mine.u, mine.u_cells};
  parallel::max_over_ranks(comm, all);
  return {all[0], all[1], all[2], all[3]};
}

double largest_entry(const Field& field) {
  double largest = 0.0;
  if (field.entries != nullptr) {
    for (const double value : field.entries->values()) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

}  // namespace masing::study
