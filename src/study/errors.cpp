#include "study/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/partition.hpp"

namespace masing::study {

namespace {

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

/// The columns of a state but those that errors of x and y measure.
void add_state(const rheology::StateLayout& layout, const parallel::Vector& level,
               const parallel::Vector& reference, Errors& errors) {
  const rheology::MotionColumns motion = layout.motion();
  const parallel::ReadAccess mine(level);
  const parallel::ReadAccess there(reference);
  for (std::size_t i = 0; i < mine.values().size(); ++i) {
    const std::int64_t column = level.range().first + static_cast<std::int64_t>(i);
    if (column != motion.x && column != motion.y) {
      errors.u = std::max(errors.u, std::abs(mine.values()[i] - there.values()[i]));
    }
  }
  errors.u_cells = errors.u;
}

}  // namespace

void FieldErrors::raise(Errors& errors, const Field& level, const Field& reference) {
  std::visit(
      [&]<class Mine, class There>(const Mine& mine, const There& there) {
        if constexpr (std::is_same_v<There, ContinuousField>) {
          raise_against_continuum(errors, mine, there);
        } else if constexpr (std::is_same_v<Mine, parallel::Vector>) {
          raise_against_cells(errors, mine, there);
        }
      },
      level, reference);
}

void FieldErrors::raise_against_cells(Errors& errors, const parallel::Vector& level,
                                      const parallel::Vector& reference) {
  const slab::Slab* slab = engine::slab_of(*run_);
  if (slab == nullptr) {
    add_state(*engine::state_layout(*run_), level, reference, errors);
    return;
  }
  const Overlap overlap(slab->rule, level.size(), reference.size());
  const base::CellRange range = reference.range();
  if (!gather_) {
    gather_ = std::make_unique<parallel::RangeGather>(level, overlap.needed(range));
  }
  const parallel::ReadAccess there(reference);
  add_field(overlap, range, there.values(), (*gather_)(level), errors);
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
  const parallel::ReadAccess access(level);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto distance = [&](const slab::Element& at) {
      return std::abs(access.values()[i] - reference(at));
    };
    errors.u = std::max({errors.u, distance(ends_[i]), distance(ends_[i + 1])});
    errors.u_cells = std::max(errors.u_cells, distance(points_[i]));
  }
}

void FieldErrors::raise_against_continuum(Errors& errors, const ContinuousField& level,
                                          const ContinuousField& reference) const {
  const slab::Slab& slab = *engine::slab_of(*run_);
  for (std::int64_t i = 0; i <= slab.field_cells(); ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(slab.field_cells());
    const slab::Element at = slab.element(s);
    errors.u = std::max(errors.u, std::abs(level(at) - reference(at)));
  }
  errors.u_cells = errors.u;
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

Errors errors(const parallel::Communicator& comm, const engine::RunSpec& run,
              const Recording& level, const Recording& reference) {
  Errors result;
  const bool was_read = reference.times().are_given();
  const SampleTimes times = was_read ? reference.times() : SampleTimes(run.time.steps);
  const Recording::View here = level.at(times);
  const Recording::View there = reference.at(times);
  for (std::int64_t i = here.range.first; i < here.range.first + here.range.size; ++i) {
    result.x = std::max(result.x, std::abs(here(i).x - there(i).x));
    result.y = std::max(result.y, std::abs(here(i).y - there(i).y));
  }
  // A file knows u on its cells and at its times only.
  const bool has_fields = reference.fields() > 0 && (!was_read || !level.is_continuum());
  if (has_fields && measures_field(run)) {
    FieldErrors field_errors(run);
    for (std::size_t j = 0; j < level.fields(); ++j) {
      field_errors.raise(result, level.field(j), reference.field(j));
    }
  } else {
    result.u = result.u_cells = std::numeric_limits<double>::quiet_NaN();
  }
  return joined(comm, result);
}

}  // namespace masing::study
