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
void add_cells_against_cells(cli::Rule rule, const std::vector<parallel::Vector>& level,
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

/// η and u0 of one place of the continuum.
struct Place {
  double threshold;
  double initial_u;
};

Place place(const slab::Problem& problem, double s) {
  return {problem.threshold(s), problem.initial_u(s)};
}

void add_cells_against_continuum(const slab::Problem& problem, const Recording& level,
                                 const Recording& reference, Errors& errors) {
  const base::CellRange range = level.fields().front().range();
  const auto count = static_cast<std::size_t>(range.size);
  std::vector<Place> ends;    // of every cell, [count + 1]
  std::vector<Place> points;  // the cells' own, [count]
  const auto end = [&](std::int64_t i) {
    return place(problem, static_cast<double>(i) / static_cast<double>(level.cells()));
  };
  ends.push_back(end(range.first));
  for (std::int64_t i = range.first; i < range.first + range.size; ++i) {
    ends.push_back(end(i + 1));
    points.push_back(place(problem, problem.point(i)));
  }
  for (std::size_t j = 0; j < level.fields().size(); ++j) {
    const ContinuousField& u = reference.continuous_fields()[j];
    const parallel::ReadAccess access(level.fields()[j]);
    for (std::size_t i = 0; i < count; ++i) {
      const auto distance = [&](const Place& at) {
        return std::abs(access.values()[i] - u(at.threshold, at.initial_u));
      };
      errors.u = std::max({errors.u, distance(ends[i]), distance(ends[i + 1])});
      errors.u_cells = std::max(errors.u_cells, distance(points[i]));
    }
  }
}

void add_continuum_against_continuum(const slab::Problem& problem, const Recording& level,
                                     const Recording& reference, Errors& errors) {
  for (std::int64_t i = 0; i <= problem.field_points; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(problem.field_points);
    const auto [threshold, initial_u] = place(problem, s);
    for (std::size_t j = 0; j < level.continuous_fields().size(); ++j) {
      errors.u =
          std::max(errors.u, std::abs(level.continuous_fields()[j](threshold, initial_u) -
                                      reference.continuous_fields()[j](threshold, initial_u)));
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

/// Errors of x and y over this rank's share of the level's steps.
Errors motion_errors(const parallel::Communicator& comm, const Recording& level,
                     const Recording& reference) {
  Errors result;
  const base::CellRange mine = base::slab_of(level.steps() + 1, comm.rank(), comm.size());
  for (std::int64_t p = mine.first; p < mine.first + mine.size; ++p) {
    const auto here = level.at(p, level.steps());
    const auto there = reference.at(p, level.steps());
    result.x = std::max(result.x, std::abs(here.x - there.x));
    result.y = std::max(result.y, std::abs(here.y - there.y));
  }
  return result;
}

/// Errors of x and y over the samples of a file.
Errors motion_errors(const slab::TimeGrid& time, const Recording& level,
                     const FileReference& reference) {
  Errors result;
  for (std::size_t i = 0; i < reference.time.size(); ++i) {
    const auto here = level.at(time, reference.time[i]);
    result.x = std::max(result.x, std::abs(here.x - reference.x[i]));
    result.y = std::max(result.y, std::abs(here.y - reference.y[i]));
  }
  return result;
}

}  // namespace

Errors errors(const parallel::Communicator& comm, const slab::Problem& problem,
              const Recording& level, const Recording& reference) {
  Errors result = motion_errors(comm, level, reference);
  if (!reference.continuum()) {
    add_cells_against_cells(problem.rule, level.fields(), reference.fields(), result);
  } else if (!level.continuum()) {
    add_cells_against_continuum(problem, level, reference, result);
  } else {
    add_continuum_against_continuum(problem, level, reference, result);
  }
  return joined(comm, result);
}

Errors errors(const parallel::Communicator& comm, const slab::Problem& problem,
              const Recording& level, const FileReference& reference) {
  Errors result = motion_errors(problem.time, level, reference);
  if (level.continuum() || reference.fields.empty()) {
    // A file knows u on its cells and at its times only.
    result.u = result.u_cells = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  add_cells_against_cells(problem.rule, level.fields(), reference.fields, result);
  return joined(comm, result);
}

Errors errors(const parallel::Communicator& comm, const rheology::StateLayout& layout,
              const Recording& level, const Recording& reference) {
  Errors result = motion_errors(comm, level, reference);
  add_state(layout, level.fields(), reference.fields(), result);
  return joined(comm, result);
}

Errors errors(const parallel::Communicator& comm, const rheology::StateLayout& layout,
              const slab::TimeGrid& time, const Recording& level, const FileReference& reference) {
  Errors result = motion_errors(time, level, reference);
  add_state(layout, level.fields(), reference.fields, result);
  return joined(comm, result);
}

}  // namespace masing::study
