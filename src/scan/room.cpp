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
  const std::string& path = spec.files.result.path;
  const double points = points_of(spec);
  const double series = 8.0 * series_numbers(spec, first);
  const std::string less = !spec.keep_series               ? "fewer points"
                           : spec.kind == ScanKind::steady ? "fewer points, or no series"
                                                           : "fewer points, a larger sample-every, "
                                                             "or no series";
  if (!path.empty()) {
    io::require_disk(comm, path, spec.files.checkpoint,
                     {.result = bytes_of_file(spec, first),
                      .checkpoint = points * (sizeof(PointNumbers) + series),
                      .less_result = less,
                      .less_checkpoint = less});
  }
  // Each rank keeps all points, and the record of each while it is sent to them; the root keeps the
  // series. A checkpoint is packed before it is written; a result in memory is a file and an image.
  const double of_point =
      sizeof(ScanPoint) + sizeof(PointNumbers) + 8.0 * static_cast<double>(spec.axes.size());
  const double copies = spec.files.checkpoint.scheduled ? 2.0 : 1.0;
  const double needed =
      points * (parallel::nodes_of(comm).ranks_here * of_point + copies * series) +
      (path.empty() ? 2 * bytes_of_file(spec, first) : 0.0);
  parallel::on_root(comm, [&] {
    const double room = parallel::available_memory(parallel::Communicator(comm, comm.rank(), 1));
    if (room < needed) {
      throw base::UserError(
          "over", fmt::format("{:.0f} points need {} of memory, {} may be used; give {}", points,
                              engine::gibibytes(needed), engine::gibibytes(room), less));
    }
  });
}

}  // namespace masing::scan
