#include "study/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/partition.hpp"
#include "parallel/vector.hpp"

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

/// u of the level's P cells against that of the reference's, at the same times.
void add_cells_against_cells(slab::Rule rule, const std::vector<parallel::Vector>& level,
                             const std::vector<parallel::Vector>& reference, Errors& errors) {
  if (reference.empty()) {
    return;
  }
  const Overlap overlap(rule, level.front().size(), reference.front().size());
  const base::CellRange range = reference.front().range();
  parallel::RangeGather gather(level.front(), overlap.needed(range));
  for (std::size_t j = 0; j < level.size(); ++j) {
    const parallel::ReadAccess there(reference[j]);
    add_field(overlap, range, there.values(), gather(level[j]), errors);
  }
}

void add_cells_against_continuum(const slab::Slab& slab, const Recording& level,
                                 const Recording& reference, Errors& errors) {
  const base::CellRange range = level.fields().front().range();
  const auto count = static_cast<std::size_t>(range.size);
  std::vector<slab::Element> ends;    // of every cell, [count + 1]
  std::vector<slab::Element> points;  // the cells' own, [count]
  const auto end = [&](std::int64_t i) {
    return slab.element(static_cast<double>(i) / static_cast<double>(slab.field_cells()));
  };
  ends.push_back(end(range.first));
  for (std::int64_t i = range.first; i < range.first + range.size; ++i) {
    ends.push_back(end(i + 1));
    points.push_back(slab.element(slab.point(i)));
  }
  for (std::size_t j = 0; j < level.fields().size(); ++j) {
    const ContinuousField& u = reference.continuous_fields()[j];
    const parallel::ReadAccess access(level.fields()[j]);
    for (std::size_t i = 0; i < count; ++i) {
      const auto distance = [&](const slab::Element& at) {
        return std::abs(access.values()[i] - u(at));
      };
      errors.u = std::max({errors.u, distance(ends[i]), distance(ends[i + 1])});
      errors.u_cells = std::max(errors.u_cells, distance(points[i]));
    }
  }
}

void add_continuum_against_continuum(const slab::Slab& slab, const Recording& level,
                                     const Recording& reference, Errors& errors) {
  for (std::int64_t i = 0; i <= slab.field_cells(); ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(slab.field_cells());
    const slab::Element at = slab.element(s);
    for (std::size_t j = 0; j < level.continuous_fields().size(); ++j) {
      errors.u = std::max(errors.u, std::abs(level.continuous_fields()[j](at) -
                                             reference.continuous_fields()[j](at)));
    }
  }
  errors.u_cells = errors.u;
}

/// The maxima over the ranks of what each found at its steps and on its cells. Collective.
Errors joined(const parallel::Communicator& comm, const Errors& mine) {
  double all[] = {mine.x, mine.y, mine.u, mine.u_cells};
  parallel::max_over_ranks(comm, all);
  return {all[0], all[1], all[2], all[3]};
}

/// The columns of a state but those that errors of x and y measure.
void add_state(const rheology::StateLayout& layout, const std::vector<parallel::Vector>& level,
               const std::vector<parallel::Vector>& reference, Errors& errors) {
  const rheology::MotionColumns motion = layout.motion();
  if (reference.empty() || layout.size() == (motion.y ? 2 : 1)) {
    errors.u = errors.u_cells = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  for (std::size_t j = 0; j < level.size(); ++j) {
    const parallel::ReadAccess mine(level[j]);
    const parallel::ReadAccess there(reference[j]);
    for (std::size_t i = 0; i < mine.values().size(); ++i) {
      const std::int64_t column = level[j].range().first + static_cast<std::int64_t>(i);
      if (column != motion.x && column != motion.y) {
        errors.u = std::max(errors.u, std::abs(mine.values()[i] - there.values()[i]));
      }
    }
  }
  errors.u_cells = errors.u;
}

/// Errors of x and y over this rank's share of the level's steps, or over the samples read.
Errors motion_errors(const parallel::Communicator& comm, const slab::TimeGrid& time,
                     const Recording& level, const Recording& reference) {
  Errors result;
  const auto add = [&result](const Recording::Motion& here, const Recording::Motion& there) {
    result.x = std::max(result.x, std::abs(here.x - there.x));
    result.y = std::max(result.y, std::abs(here.y - there.y));
  };
  const std::vector<double>& samples = reference.sample_times();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    add(level.at(time, samples[i]), reference.sample(i));
  }
  if (samples.empty()) {
    const base::CellRange mine = base::local_range(level.steps() + 1, comm.rank(), comm.size());
    for (std::int64_t p = mine.first; p < mine.first + mine.size; ++p) {
      add(level.at(p, level.steps()), reference.at(p, level.steps()));
    }
  }
  return result;
}

/// Errors of u of a slab. A file knows u on its cells and at its times only.
void add_slab(const slab::Slab& slab, const Recording& level, const Recording& reference,
              Errors& errors) {
  const bool was_read = !reference.sample_times().empty();
  if (was_read && (level.is_continuum() || reference.fields().empty())) {
    errors.u = errors.u_cells = std::numeric_limits<double>::quiet_NaN();
  } else if (!reference.is_continuum()) {
    add_cells_against_cells(slab.rule, level.fields(), reference.fields(), errors);
  } else if (!level.is_continuum()) {
    add_cells_against_continuum(slab, level, reference, errors);
  } else {
    add_continuum_against_continuum(slab, level, reference, errors);
  }
}

}  // namespace

Errors errors(const parallel::Communicator& comm, const engine::RunSpec& run,
              const Recording& level, const Recording& reference) {
  Errors result = motion_errors(comm, run.time, level, reference);
  if (const slab::Slab* slab = engine::slab_of(run)) {
    add_slab(*slab, level, reference, result);
  } else {
    add_state(*engine::state_layout(run), level.fields(), reference.fields(), result);
  }
  return joined(comm, result);
}

}  // namespace masing::study
