#include <fmt/core.h>

#include <string>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "io/recorders.hpp"
#include "io/room.hpp"
#include "io/samples.hpp"
#include "parallel/communicator.hpp"
#include "parallel/machine.hpp"
#include "scan/scan.hpp"

namespace masing::scan {

namespace {

/// Returns the number of points.
double points_of(const ScanSpec& spec) {
  return static_cast<double>(spec.points.count());
}

/// Returns how many numbers the series of one point contains, or 0 if no series are kept.
double series_numbers(const ScanSpec& spec) {
  return spec.keep_series ? static_cast<double>(io::series_numbers(spec.series)) : 0.0;
}

}  // namespace

double bytes_of_file(const ScanSpec& spec) {
  // In addition to the numbers, HDF5 needs this many bytes for each point with a series: for its
  // group, the five datasets in it and their attributes. 5100 to 5700 bytes for each point were
  // measured in files of 1000 and 3000 points with 5 to 4001 samples.
  constexpr double of_group = 5100;
  constexpr double rest = 18432;  // bytes for all other groups and datasets of the file
  const double numbers = numbers_in_file(spec) + series_numbers(spec);
  double of_samples = 0.0;
  if (const auto& samples = spec.files.result.samples) {
    const bool has_arrays = samples->bytes() <= io::most_sample_bytes;
    of_samples = static_cast<double>(samples->table.size()) + (has_arrays ? samples->bytes() : 0.0);
  }
  return points_of(spec) * (8.0 * numbers + (spec.keep_series ? of_group : 0.0)) + of_samples +
         rest;
}

void require_disk(const parallel::Communicator& comm, const ScanSpec& spec, bool is_complete) {
  const std::string& path = spec.files.result.path;
  if (path.empty()) {
    return;
  }
  io::CheckpointSpec checkpoint = spec.files.checkpoint;
  checkpoint.scheduled &= !is_complete;
  io::require_disk(comm, path, checkpoint, bytes_of_file(spec),
                   points_of(spec) * (sizeof(PointNumbers) + 8.0 * series_numbers(spec)));
}

void require_memory(const parallel::Communicator& comm, const ScanSpec& spec) {
  const double points = points_of(spec);
  // Every rank stores all points and, while their records are broadcast, also these records. The
  // root also stores the series and, while it writes a checkpoint, a copy of the series. If the
  // result file has no path, it is in memory twice: as a file of HDF5 and as a copy of its bytes.
  constexpr double of_point = sizeof(ScanPoint) + sizeof(PointNumbers);
  const double copies = spec.files.checkpoint.scheduled ? 2.0 : 1.0;
  const double needed = points * (parallel::nodes_of(comm).ranks_here * of_point +
                                  copies * 8.0 * series_numbers(spec)) +
                        (spec.files.result.path.empty() ? 2 * bytes_of_file(spec) : 0.0);
  parallel::on_root(comm, [&] {
    const double room = parallel::available_memory(parallel::Communicator(MPI_COMM_SELF));
    if (room < needed) {
      throw base::UserError(
          "over",
          fmt::format("{:.0f} points need {} of memory, {} may be used; {}", points,
                      engine::gibibytes(needed), engine::gibibytes(room),
                      spec.files.checkpoint.restart ? "go on where there is more" : "give fewer"));
    }
  });
}

}  // namespace masing::scan
