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

/// u of a slab: all rows of /field. Of the states of another model about as many as the study
/// compares otherwise, the last among them. Throws UserError where the dataset does not fit.
void find_field(const StudySpec& spec, const io::ResultReader& file, FileTrajectory& found) {
  const bool is_slab = engine::slab_of(spec.run) != nullptr;
  const std::vector<double> time = file.column(is_slab ? "/field/t" : "/state/t");
  if (is_slab && file.has_attribute("/field", "thinned_from")) {
    refuse(spec, "holds a thinned field; give a file made without field-points");
  }
  const auto shape = file.shape(found.dataset);
  if (shape.size() != 2 || shape[1] < 1 || shape[0] != std::ssize(time)) {
    refuse(spec, "is damaged: its columns differ in length");
  }
  found.rows = shape[0];
  found.cells = shape[1];
  const std::int64_t wanted = is_slab ? found.rows : std::min(spec.field_samples, found.rows);
  for (std::int64_t j = 0; j < wanted; ++j) {
    found.field_time.push_back(time[static_cast<std::size_t>(found.row(j, wanted))]);
  }
  if (const std::int64_t columns = engine::field_size(spec.run);
      !is_slab && found.cells != columns) {
    refuse(spec,
           fmt::format("holds a state of {} columns, {} has {}; give a file of the same model",
                       found.cells, std::get<rheology::ModelSpec>(spec.run.model).model->info.name,
                       columns));
  }
}

/// Throws UserError where times do not increase from 0 on, are not over [0, T], or samples are so
/// far apart that a maximum over them is none over [0, T]: further than the steps of the first
/// level, and than T/500. Of an error that swings with the circular frequency ω they miss up to a
/// part (ω gap)²/8.
void require_times(const StudySpec& spec, const FileTrajectory& found) {
  for (const std::vector<double>* times : {&found.time, &found.field_time}) {
    if (!std::ranges::all_of(*times, [](double t) { return std::isfinite(t) && t >= 0; }) ||
        std::ranges::adjacent_find(*times, std::greater_equal()) != times->end()) {
      refuse(spec, "is damaged: its times do not increase");
    }
  }
  const std::vector<double>& time = found.time;
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
  if (std::max(last, found.field_time.empty() ? 0.0 : found.field_time.back()) >
      final_time * (1 + 1e-12)) {
    refuse(spec, "reaches t = " + base::to_text(last) + ", beyond final-time = " +
                     base::to_text(final_time) + "; give the same final time");
  }
}

}  // namespace

std::shared_ptr<const FileTrajectory> read_trajectory(const parallel::Communicator& comm,
                                                      const StudySpec& spec) {
  auto found = std::make_shared<FileTrajectory>();
  found->path = *spec.reference.file;
  found->dataset = engine::slab_of(spec.run) != nullptr ? "/field/u" : "/state/values";
  const auto read = [&] {
    const io::ResultReader file(found->path);
    found->time = file.column("/series/t");
    found->x = file.column("/series/x");
    found->y = file.column("/series/y");
    const std::size_t count = found->time.size();
    if (count == 0 || found->x.size() != count || found->y.size() != count) {
      refuse(spec, "is damaged: its columns differ in length");
    }
    find_field(spec, file, *found);
    require_times(spec, *found);
  };
  parallel::on_root(comm, [&] { io::reading(found->path, read); });
  for (auto* column : {&found->time, &found->x, &found->y, &found->field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&found->rows, 1));
  parallel::broadcast(comm, std::span(&found->cells, 1));
  return found;
}

void read_field(const parallel::Communicator& comm, const FileTrajectory& file, std::int64_t j,
                parallel::Vector& u) {
  io::reading(file.path, [&] {
    io::read_distributed(io::open_together(comm, file.path, H5F_ACC_RDONLY), file.dataset,
                         u.values(), u.range().first, file.row(j, std::ssize(file.field_time)));
  });
}

}  // namespace masing::study
