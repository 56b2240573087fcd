#include "study/file_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/result_reader.hpp"

namespace masing::study {

namespace {

/// What is asked of the file.
struct Request {
  std::string file;
  const engine::RunSpec& run;
  std::int64_t field_samples;
  std::int64_t first_steps;  ///< of the coarsest level

  [[nodiscard]] bool is_slab() const { return engine::slab_of(run) != nullptr; }
};

/// What is read of it but the fields.
struct Columns {
  std::vector<double> time;  ///< of the samples
  std::vector<double> x;     ///< at those times
  std::vector<double> y;
  std::vector<double> field_time;
  std::int64_t cells = 0;  ///< columns of its field
};

/// Where a file keeps u: a dataset, its rows that are compared, and their times.
struct FieldRows {
  std::string dataset;
  std::vector<std::int64_t> rows;
  std::vector<double> time;  ///< one a row
  std::size_t total = 0;     ///< rows of the dataset
};

[[noreturn]] void refuse(const Request& r, const std::string& why) {
  throw base::UserError("reference", r.file + " " + why);
}

FieldRows slab_rows(const Request& r, const io::ResultReader& file) {
  FieldRows found{.dataset = "/field/u", .rows = {}, .time = file.column("/field/t")};
  found.total = found.time.size();
  if (file.has_attribute("/field", "thinned_from")) {
    refuse(r, "holds a thinned field; give a file made without field-points");
  }
  for (std::size_t row = 0; row < found.time.size(); ++row) {
    found.rows.push_back(static_cast<std::int64_t>(row));
  }
  return found;
}

/// Of the states, about as many as the study compares otherwise, the last among them.
FieldRows state_rows(const Request& r, const io::ResultReader& file) {
  FieldRows found{.dataset = "/state/values", .rows = {}, .time = {}};
  const std::vector<double> time = file.column("/state/t");
  found.total = time.size();
  const auto rows = static_cast<std::int64_t>(time.size());
  const std::int64_t wanted = std::min(r.field_samples, rows);
  for (std::int64_t j = 1; j <= wanted; ++j) {
    found.rows.push_back(j * rows / wanted - 1);
    found.time.push_back(time[static_cast<std::size_t>(found.rows.back())]);
  }
  return found;
}

/// Whether times are finite, from 0 on, each after the one before.
bool increase(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double t) { return std::isfinite(t) && t >= 0; }) &&
         std::ranges::adjacent_find(times, std::greater_equal()) == times.end();
}

/// Throws UserError where the samples are too far apart for a maximum over them to be one over
/// [0, T]: further than the steps of the first level, and than T/500. Of an error that
/// swings with the circular frequency ω they miss up to a part (ω gap)²/8.
void require_dense(const Request& r, const std::vector<double>& time) {
  constexpr double fewest = 500.0;
  const double least = std::min(fewest, static_cast<double>(r.first_steps));
  const double allowed = r.run.time.final_time / least * (1 + 1e-9);
  double gap = 0.0;
  for (std::size_t i = 1; i < time.size(); ++i) {
    gap = std::max(gap, time[i] - time[i - 1]);
  }
  if (gap > allowed) {
    refuse(r,
           fmt::format("has {} samples up to {} apart: errors between them are not seen; give one "
                       "with at least {} samples at equal distances (steps and sample-every)",
                       time.size(), base::to_text(gap), least + 1));
  }
}

/// What the root reads, with the sizes agreeing.
Columns read_columns(const Request& r, const io::ResultReader& file, FieldRows& field) {
  Columns read{.time = file.column("/series/t"),
               .x = file.column("/series/x"),
               .y = file.column("/series/y"),
               .field_time = {}};
  field = r.is_slab() ? slab_rows(r, file) : state_rows(r, file);
  read.field_time = field.time;
  const auto shape = file.shape(field.dataset);
  const bool fits = read.x.size() == read.time.size() && read.y.size() == read.time.size() &&
                    shape.size() == 2 && shape[1] >= 1 &&
                    shape[0] == static_cast<std::int64_t>(field.total);
  if (!fits || read.time.empty()) {
    refuse(r, "is damaged: its columns differ in length");
  }
  for (const auto& times : {read.time, field.time}) {
    if (!increase(times)) {
      refuse(r, "is damaged: its times do not increase");
    }
  }
  if (!r.is_slab() && shape[1] != engine::field_size(r.run)) {
    refuse(r, fmt::format("holds a state of {} columns, {} has {}; give a file of the same model",
                          shape[1], std::get<rheology::ModelSpec>(r.run.model).model->info.name,
                          engine::field_size(r.run)));
  }
  require_dense(r, read.time);
  const double final_time = r.run.time.final_time;
  if (read.time.front() > 0 || read.time.back() < final_time * (1 - 1e-12)) {
    refuse(r, fmt::format("holds the samples from t = {} to {} of [0, {}] alone; give one made "
                          "without from and to",
                          base::to_text(read.time.front()), base::to_text(read.time.back()),
                          base::to_text(final_time)));
  }
  const double latest = std::max(read.time.back(), field.time.empty() ? 0.0 : field.time.back());
  if (latest > r.run.time.final_time * (1 + 1e-12)) {
    refuse(r, "reaches t = " + base::to_text(read.time.back()) + ", beyond final-time = " +
                  base::to_text(r.run.time.final_time) + "; give the same final time");
  }
  read.cells = shape[1];
  return read;
}

}  // namespace

FileReference::FileReference(const parallel::Communicator& comm, const StudySpec& spec)
    : comm_(comm), path_(*spec.reference.file) {
  const Request request{path_, spec.run, spec.field_samples, spec.levels.front().steps};
  Columns read;
  parallel::on_root(comm, [&] {
    FieldRows field;
    read = io::reading(path_, [&] {
      file_ = std::make_unique<io::ResultReader>(path_);
      return read_columns(request, *file_, field);
    });
    dataset_ = field.dataset;
    rows_ = field.rows;
  });
  for (auto* column : {&read.time, &read.x, &read.y, &read.field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&read.cells, 1));
  times_ = SampleTimes(std::make_shared<const std::vector<double>>(std::move(read.time)));
  field_times_ =
      SampleTimes(std::make_shared<const std::vector<double>>(std::move(read.field_time)));
  x_ = std::move(read.x);
  y_ = std::move(read.y);
  u_.emplace(comm, read.cells);
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
