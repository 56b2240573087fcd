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

/// What is read of a file but the fields.
struct Contents {
  std::vector<double> time;  ///< of the samples
  std::vector<double> x;     ///< at those times
  std::vector<double> y;
  std::string dataset;             ///< of u
  std::vector<std::int64_t> rows;  ///< of it that are compared
  std::vector<double> field_time;  ///< of these
  std::int64_t cells = 0;          ///< columns of it
};

[[noreturn]] void refuse(const StudySpec& spec, const std::string& why) {
  throw base::UserError("reference", *spec.reference.file + " " + why);
}

/// u of a slab: all rows of /field. Of the states of another model about as many as the study
/// compares otherwise, the last among them. Throws UserError where the dataset does not fit.
void find_field(const StudySpec& spec, const io::ResultReader& file, Contents& found) {
  const bool is_slab = engine::slab_of(spec.run) != nullptr;
  found.dataset = is_slab ? "/field/u" : "/state/values";
  const std::vector<double> time = file.column(is_slab ? "/field/t" : "/state/t");
  if (is_slab && file.has_attribute("/field", "thinned_from")) {
    refuse(spec, "holds a thinned field; give a file made without field-points");
  }
  const auto shape = file.shape(found.dataset);
  if (shape.size() != 2 || shape[1] < 1 || shape[0] != std::ssize(time)) {
    refuse(spec, "is damaged: its columns differ in length");
  }
  found.cells = shape[1];
  const std::int64_t wanted = is_slab ? shape[0] : std::min(spec.field_samples, shape[0]);
  for (std::int64_t j = 1; j <= wanted; ++j) {
    found.rows.push_back(j * shape[0] / wanted - 1);
    found.field_time.push_back(time[static_cast<std::size_t>(found.rows.back())]);
  }
  if (const std::int64_t columns = engine::field_size(spec.run);
      !is_slab && found.cells != columns) {
    refuse(spec,
           fmt::format("holds a state of {} columns, {} has {}; give a file of the same model",
                       found.cells, std::get<rheology::ModelSpec>(spec.run.model).model->info.name,
                       columns));
  }
}

/// Throws UserError where times are not finite, from 0 on, each after the one before.
void require_increase(const StudySpec& spec, const std::vector<double>& times) {
  if (!std::ranges::all_of(times, [](double t) { return std::isfinite(t) && t >= 0; }) ||
      std::ranges::adjacent_find(times, std::greater_equal()) != times.end()) {
    refuse(spec, "is damaged: its times do not increase");
  }
}

/// Throws UserError where the samples are too far apart for a maximum over them to be one over
/// [0, T]: further than the steps of the first level, and than T/500. Of an error that
/// swings with the circular frequency ω they miss up to a part (ω gap)²/8.
void require_dense(const StudySpec& spec, const std::vector<double>& time) {
  const double least = std::min(500.0, static_cast<double>(spec.levels.front().steps));
  double gap = 0.0;
  for (std::size_t i = 1; i < time.size(); ++i) {
    gap = std::max(gap, time[i] - time[i - 1]);
  }
  if (gap > spec.run.time.final_time / least * (1 + 1e-9)) {
    refuse(spec,
           fmt::format("has {} samples up to {} apart: errors between them are not seen; give one "
                       "with at least {} samples at equal distances (steps and sample-every)",
                       time.size(), base::to_text(gap), least + 1));
  }
}

/// What the root reads, over [0, T] and no further.
Contents read(const StudySpec& spec, const io::ResultReader& file) {
  Contents found{.time = file.column("/series/t"),
                 .x = file.column("/series/x"),
                 .y = file.column("/series/y")};
  if (found.time.empty() || found.x.size() != found.time.size() ||
      found.y.size() != found.time.size()) {
    refuse(spec, "is damaged: its columns differ in length");
  }
  find_field(spec, file, found);
  require_increase(spec, found.time);
  require_increase(spec, found.field_time);
  require_dense(spec, found.time);
  const double final_time = spec.run.time.final_time;
  const double last = found.time.back();
  if (found.time.front() > 0 || last < final_time * (1 - 1e-12)) {
    refuse(spec, fmt::format("holds the samples from t = {} to {} of [0, {}] alone; give one made "
                             "without from and to",
                             base::to_text(found.time.front()), base::to_text(last),
                             base::to_text(final_time)));
  }
  if (std::max(last, found.field_time.empty() ? 0.0 : found.field_time.back()) >
      final_time * (1 + 1e-12)) {
    refuse(spec, "reaches t = " + base::to_text(last) + ", beyond final-time = " +
                     base::to_text(final_time) + "; give the same final time");
  }
  return found;
}

}  // namespace

FileReference::FileReference(const parallel::Communicator& comm, const StudySpec& spec)
    : comm_(comm), path_(*spec.reference.file) {
  Contents found;
  parallel::on_root(comm, [&] {
    found = io::reading(path_, [&] {
      file_ = std::make_unique<io::ResultReader>(path_);
      return read(spec, *file_);
    });
  });
  dataset_ = std::move(found.dataset);
  rows_ = std::move(found.rows);
  for (auto* column : {&found.time, &found.x, &found.y, &found.field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&found.cells, 1));
  const auto times = [](std::vector<double>& given) {
    return SampleTimes(std::make_shared<const std::vector<double>>(std::move(given)));
  };
  times_ = times(found.time);
  field_times_ = times(found.field_time);
  x_ = std::move(found.x);
  y_ = std::move(found.y);
  u_.emplace(comm, found.cells);
}

FileReference::~FileReference() = default;

const parallel::Vector& FileReference::field(std::int64_t j) {
  std::vector<double> u;
  parallel::on_root(comm_, [&] {
    u = io::reading(path_,
                    [&] { return file_->row(dataset_, rows_[static_cast<std::size_t>(j)]); });
  });
  parallel::fill_from_ranges(*u_, 0, u);
  return *u_;
}

}  // namespace masing::study
