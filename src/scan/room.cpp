#include <fmt/core.h>

#include <string>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "io/recorders.hpp"
#include "io/room.hpp"
#include "parallel/communicator.hpp"
#include "parallel/session.hpp"
#include "scan/scan.hpp"

namespace masing::scan {

namespace {

/// Returns the number of points of the grid, without those that `resolve` may add.
double points_of(const ScanSpec& spec) {
  double points = 1.0;
  for (const ScanAxis& axis : spec.axes) {
    points *= static_cast<double>(axis.values.size());
  }
  return points;
}

/// Returns the number of values in the series of a point; for a limit cycle, whose number of
/// periods is not known in advance, that of one period.
double series_numbers(const ScanSpec& spec, const ScanProblem& first) {
  if (!spec.keep_series) {
    return 0.0;
  }
  return spec.kind == ScanKind::steady ? 5.0 * (samples_a_period + 1)
                                       : static_cast<double>(io::series_numbers(first.series));
}

/// Throws UserError if the node of the root does not have the memory for the points, which each of
/// its ranks keeps, and for the series, which the root keeps. Collective.
void require_memory(const parallel::Communicator& comm, const ScanSpec& spec,
                    const ScanProblem& first, const std::string& less) {
  const int ranks = parallel::nodes_of(comm).ranks_here;
  parallel::on_root(comm, [&] {
    const double points = points_of(spec);
    // After a round all ranks have all points, and the record of each while it is sent to them.
    const double of_point =
        sizeof(ScanPoint) + sizeof(PointNumbers) + 8.0 * static_cast<double>(spec.axes.size());
    // A checkpoint is packed before it is written; a result in memory exists as file and as image.
    const double copies = 1.0 + (spec.files.checkpoint.scheduled ? 1.0 : 0.0);
    const double image = spec.files.result.path.empty() ? 2 * bytes_of_file(spec, first) : 0.0;
    const double needed =
        points * (ranks * of_point + copies * 8.0 * series_numbers(spec, first)) + image;
    const double room = parallel::available_memory(parallel::Communicator(comm, comm.rank(), 1));
    if (room < needed) {
      throw base::UserError(
          "over", fmt::format("{:.0f} points need {} of memory, {} may be used; give {}", points,
                              engine::gibibytes(needed), engine::gibibytes(room), less));
    }
  });
}

}  // namespace

double bytes_of_file(const ScanSpec& spec, const ScanProblem& first) {
  // Bytes of HDF5 per point beside its numbers: a group, five datasets and their attributes.
  // Measured on files of 1000 and 3000 points with 5 to 4001 samples: 5100 to 5700.
  constexpr double of_group = 5100;
  constexpr double rest = 16384;  // the other groups and datasets, the configuration
  const double numbers = numbers_in_file(spec) + series_numbers(spec, first);
  return points_of(spec) * (8.0 * numbers + (spec.keep_series ? of_group : 0.0)) + rest;
}

void require_room(const parallel::Communicator& comm, const ScanSpec& spec,
                  const ScanProblem& first) {
  const std::string less = !spec.keep_series               ? "fewer points"
                           : spec.kind == ScanKind::steady ? "fewer points, or no series"
                                                           : "fewer points, a larger sample-every, "
                                                             "or no series";
  if (!spec.files.result.path.empty()) {
    io::require_disk(
        comm, spec.files.result.path, spec.files.checkpoint,
        {.result = bytes_of_file(spec, first),
         .checkpoint = points_of(spec) * (sizeof(PointNumbers) + 8.0 * series_numbers(spec, first)),
         .less_result = less,
         .less_checkpoint = less});
  }
  require_memory(comm, spec, first, less);
}

}  // namespace masing::scan
