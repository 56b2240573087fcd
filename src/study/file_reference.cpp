#include "study/file_reference.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/result_reader.hpp"

namespace study {

namespace {

using options::Configuration;

/// Where a file keeps u: a dataset, its rows that are compared, and their times.
struct FieldRows {
  std::string dataset;
  std::vector<std::int64_t> rows;
  std::vector<double> time;  ///< one a row
  std::size_t total = 0;     ///< rows of the dataset
};

[[noreturn]] void refuse(const Configuration& c, const std::string& why) {
  throw base::UserError("--reference: " + c.reference_file + " " + why);
}

FieldRows slab_rows(const Configuration& c, const io::ResultReader& file) {
  FieldRows found{.dataset = "/field/u", .rows = {}, .time = file.column("/field/t")};
  found.total = found.time.size();
  if (file.has_attribute("/field", "thinned_from")) {
    refuse(c, "holds a thinned field; give a file made without --field-points");
  }
  for (std::size_t row = 0; row < found.time.size(); ++row) {
    found.rows.push_back(static_cast<std::int64_t>(row));
  }
  return found;
}

/// Of the states, about as many as the study compares otherwise, the last among them.
FieldRows state_rows(const Configuration& c, const io::ResultReader& file) {
  FieldRows found{.dataset = "/state/values", .rows = {}, .time = {}};
  const std::vector<double> time = file.column("/state/t");
  found.total = time.size();
  const auto rows = static_cast<std::int64_t>(time.size());
  const std::int64_t wanted = std::min(c.field_samples, rows);
  for (std::int64_t j = 1; j <= wanted; ++j) {
    found.rows.push_back(j * rows / wanted - 1);
    found.time.push_back(time[static_cast<std::size_t>(found.rows.back())]);
  }
  return found;
}

/// What the root reads, with the sizes agreeing.
FileReference read_columns(const Configuration& c, const io::ResultReader& file, FieldRows& field) {
  const bool finite = options::family_of(c.model) == options::Family::finite;
  FileReference read{.time = file.column("/series/t"),
                     .x = file.column("/series/x"),
                     .y = file.column("/series/y"),
                     .field_time = {}};
  field = finite ? state_rows(c, file) : slab_rows(c, file);
  read.field_time = field.time;
  const auto shape = file.shape(field.dataset);
  const bool fits = read.x.size() == read.time.size() && read.y.size() == read.time.size() &&
                    shape.size() == 2 && shape[1] >= 1 &&
                    shape[0] == static_cast<std::int64_t>(field.total);
  if (!fits || read.time.empty()) {
    refuse(c, "is damaged: its columns differ in length");
  }
  if (finite && shape[1] != c.cells) {
    refuse(c, "holds a state of " + base::to_text(shape[1]) + " columns, " + c.model + " has " +
                  base::to_text(c.cells) + "; give a file of the same model");
  }
  const double latest = std::max(read.time.back(), field.time.empty() ? 0.0 : field.time.back());
  if (latest > c.final_time * (1 + 1e-12)) {
    refuse(c, "reaches t = " + base::to_text(read.time.back()) + ", beyond --final-time " +
                  base::to_text(c.final_time) + "; give the same final time");
  }
  read.cells = shape[1];
  return read;
}

}  // namespace

FileReference read_reference(const parallel::Communicator& comm, const Configuration& c) {
  std::optional<io::ResultReader> file;
  FileReference read;
  FieldRows field;
  parallel::from_root(comm, [&] {
    file.emplace(c.reference_file);
    read = read_columns(c, *file, field);
    return std::string();
  });
  for (auto* column : {&read.time, &read.x, &read.y, &read.field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&read.cells, 1));
  for (std::size_t j = 0; j < read.field_time.size(); ++j) {
    const std::vector<double> u =
        comm.is_root() ? file->row(field.dataset, field.rows[j]) : std::vector<double>();
    parallel::fill_from_ranges(read.fields.emplace_back(comm, read.cells), 0, u);
  }
  return read;
}

}  // namespace study
