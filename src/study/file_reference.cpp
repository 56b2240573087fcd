#include "study/file_reference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/result_reader.hpp"

namespace masing::study {

namespace {

[[noreturn]] void refuse(const StudySpec& spec, const std::string& why) {
  throw base::UserError("reference", *spec.reference.file + " " + why);
}

/// Sets the shape of the dataset of u and the times at which u is compared. For a slab, these are
/// the times of all rows of /field. For another model, these are the times of at most
/// StudySpec::field_samples rows of /state, among them the last row. Throws UserError if the
/// dataset does not fit the study.
void find_field(const StudySpec& spec, const io::ResultReader& file, FileTrajectory& trajectory) {
  if (spec.run.facts().chain != nullptr) {
    trajectory.cells = 1;  // x and y of one node are compared, and no field
    return;
  }
  const bool is_slab = engine::slab_of(spec.run) != nullptr;
  const std::vector<double> time = file.column(is_slab ? "/field/t" : "/state/t");
  if (is_slab && file.has_attribute("/field", "thinned_from")) {
    refuse(spec, "holds a thinned field; give a file made without field-points");
  }
  const auto shape = file.shape(trajectory.dataset);
  if (shape.size() != 2 || shape[1] < 1 || shape[0] != std::ssize(time)) {
    refuse(spec, "is damaged: its columns differ in length");
  }
  trajectory.rows = shape[0];
  trajectory.cells = shape[1];
  const std::int64_t wanted =
      is_slab ? trajectory.rows : std::min(spec.field_samples, trajectory.rows);
  for (std::int64_t j = 0; j < wanted; ++j) {
    trajectory.field_time.push_back(time[static_cast<std::size_t>(trajectory.row(j, wanted))]);
  }
  if (const std::int64_t columns = engine::field_size(spec.run);
      !is_slab && trajectory.cells != columns) {
    refuse(spec,
           fmt::format("holds a state of {} columns, {} has {}; give a file of the same model",
                       trajectory.cells,
                       std::get<rheology::ModelSpec>(spec.run.model).model->info.name, columns));
  }
}

/// Throws UserError if the times in a file do not increase, do not extend over exactly [0, T], or
/// are too far apart. They are too far apart if the largest distance (`gap`) between two successive
/// times exceeds both T/500 and the step of the first level. The largest error at the samples may
/// then be much smaller than the largest error on [0, T]. If an error oscillates with the circular
/// frequency ω, the maximum over the samples is too small by up to about the fraction (ω gap)²/8 of
/// the error.
void require_times(const StudySpec& spec, const FileTrajectory& trajectory) {
  for (const std::vector<double>* times : {&trajectory.time, &trajectory.field_time}) {
    if (!std::ranges::all_of(*times, [](double t) { return std::isfinite(t) && t >= 0; }) ||
        std::ranges::adjacent_find(*times, std::greater_equal()) != times->end()) {
      refuse(spec, "is damaged: its times do not increase");
    }
  }
  const std::vector<double>& time = trajectory.time;
  const double final_time = spec.run.time.final_time;
  const double least = std::min(500.0, static_cast<double>(spec.levels.front().steps));
  double gap = 0.0;
  for (std::size_t i = 1; i < time.size(); ++i) {
    gap = std::max(gap, time[i] - time[i - 1]);
  }
  if (gap > final_time / least * (1 + 1e-9)) {
    refuse(spec,
           fmt::format("has {} samples up to {} apart: errors between them are not seen; give one "
                       "with at least {} samples at equal distances (steps and sample-every)",
                       time.size(), base::to_text(gap), least + 1));
  }
  const double last = time.back();
  if (time.front() > 0 || last < final_time * (1 - 1e-12)) {
    refuse(spec, fmt::format("holds the samples from t = {} to {} of [0, {}] alone; give one made "
                             "without from and to",
                             base::to_text(time.front()), base::to_text(last),
                             base::to_text(final_time)));
  }
  if (std::max(last, trajectory.field_time.empty() ? 0.0 : trajectory.field_time.back()) >
      final_time * (1 + 1e-12)) {
    refuse(spec, "reaches t = " + base::to_text(last) + ", beyond final-time = " +
                     base::to_text(final_time) + "; give the same final time");
  }
}

}  // namespace

std::shared_ptr<const FileTrajectory> read_trajectory(const parallel::Communicator& comm,
                                                      const StudySpec& spec) {
  auto trajectory = std::make_shared<FileTrajectory>();
  trajectory->path = *spec.reference.file;
  trajectory->dataset = engine::slab_of(spec.run) != nullptr ? "/field/u" : "/state/values";
  const auto read = [&] {
    const io::ResultReader file(trajectory->path);
    trajectory->time = file.column("/series/t");
    trajectory->x = file.column("/series/x");
    trajectory->y = file.column("/series/y");
    const std::size_t count = trajectory->time.size();
    if (count == 0 || trajectory->x.size() != count || trajectory->y.size() != count) {
      refuse(spec, "is damaged: its columns differ in length");
    }
    find_field(spec, file, *trajectory);
    require_times(spec, *trajectory);
  };
  parallel::on_root(comm, [&] { io::reading(trajectory->path, read); });
  for (auto* column :
       {&trajectory->time, &trajectory->x, &trajectory->y, &trajectory->field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&trajectory->rows, 1));
  parallel::broadcast(comm, std::span(&trajectory->cells, 1));
  return trajectory;
}

void read_field(const parallel::Communicator& comm, const FileTrajectory& file, std::int64_t j,
                parallel::Vector& u) {
  io::reading(file.path, [&] {
    io::read_distributed(io::open_together(comm, file.path, H5F_ACC_RDONLY), file.dataset,
                         u.values(), u.range().first, file.row(j, std::ssize(file.field_time)));
  });
}

}  // namespace masing::study
