#include "study/file_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/result_reader.hpp"

namespace masing::study {

namespace {

using cli::Configuration;

constexpr const char* fields = "/field/u";
constexpr const char* states = "/state/values";

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
  FieldRows found{.dataset = fields, .rows = {}, .time = file.column("/field/t")};
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
  FieldRows found{.dataset = states, .rows = {}, .time = {}};
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

/// Whether times are finite, from 0 on, each after the one before.
bool increase(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double t) { return std::isfinite(t) && t >= 0; }) &&
         std::ranges::adjacent_find(times, std::greater_equal()) == times.end();
}

/// Columns of numbers as bytes, each behind its length, and back.
std::string packed(const std::vector<std::vector<double>>& columns) {
  std::string bytes;
  const auto add = [&](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  };
  for (const auto& column : columns) {
    const std::uint64_t length = column.size();
    add(&length, sizeof length);
    add(column.data(), length * sizeof(double));
  }
  return bytes;
}

std::vector<std::vector<double>> unpacked(const std::string& bytes) {
  std::vector<std::vector<double>> columns;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, &bytes[at], sizeof length);
    at += sizeof length;
    columns.emplace_back(length);
    std::memcpy(columns.back().data(), bytes.data() + at, length * sizeof(double));
    at += length * sizeof(double);
  }
  return columns;
}

/// What the root reads, with the sizes agreeing.
FileReference read_columns(const Configuration& c, const io::ResultReader& file, FieldRows& field) {
  const bool finite = cli::family_of(c.model) == cli::Family::finite;
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
  for (const auto& times : {read.time, field.time}) {
    if (!increase(times)) {
      refuse(c, "is damaged: its times do not increase");
    }
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

namespace {

/// Everything but the fields, read in a process of its own.
FileReference isolated_columns(const Configuration& c, FieldRows& field) {
  FileReference read;
  const std::string bytes = io::isolated(c.reference_file, [&] {
    read = read_columns(c, io::ResultReader(c.reference_file), field);
    const std::vector<double> rows(field.rows.begin(), field.rows.end());
    return packed({read.time, read.x, read.y, field.time, rows, {static_cast<double>(read.cells)}});
  });
  const auto columns = unpacked(bytes);
  read.time = columns[0];
  read.x = columns[1];
  read.y = columns[2];
  read.field_time = columns[3];
  field.rows.assign(columns[4].begin(), columns[4].end());
  read.cells = static_cast<std::int64_t>(columns[5].front());
  return read;
}

/// The fields of `rows`, read likewise.
std::vector<std::vector<double>> isolated_rows(const Configuration& c,
                                               std::span<const std::int64_t> rows) {
  const bool finite = cli::family_of(c.model) == cli::Family::finite;
  return unpacked(io::isolated(c.reference_file, [&] {
    const io::ResultReader file(c.reference_file);
    std::vector<std::vector<double>> values;
    for (const std::int64_t row : rows) {
      values.push_back(file.row(finite ? states : fields, row));
    }
    return packed(values);
  }));
}

}  // namespace

FileReference read_reference(const parallel::Communicator& comm, const Configuration& c) {
  FileReference read;
  FieldRows field;
  parallel::from_root(comm, [&] {
    read = isolated_columns(c, field);
    return std::string();
  });
  for (auto* column : {&read.time, &read.x, &read.y, &read.field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&read.cells, 1));
  constexpr std::int64_t most_numbers = std::int64_t{1} << 22;  // that the root holds at once
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(1, most_numbers / read.cells));
  std::vector<std::vector<double>> u;
  for (std::size_t j = 0; j < read.field_time.size(); ++j) {
    if (j % batch == 0) {
      parallel::from_root(comm, [&] {
        u = isolated_rows(c,
                          std::span(field.rows).subspan(j, std::min(batch, field.rows.size() - j)));
        return std::string();
      });
    }
    parallel::fill_from_ranges(read.fields.emplace_back(comm, read.cells), 0,
                               comm.is_root() ? u[j % batch] : std::vector<double>());
  }
  return read;
}

}  // namespace masing::study
