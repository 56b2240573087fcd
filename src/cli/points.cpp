#include "cli/points.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "base/text_table.hpp"
#include "cli/values.hpp"
#include "io/result_reader.hpp"
#include "rheology/catalogue.hpp"
#include "scan/scan.hpp"

namespace masing::cli {

using base::UserError;

namespace {

constexpr std::string_view array_prefix = "array:";

constexpr double most_points = 1e6;

/// Returns the values of an axis: "0.3:1.75:30", "1:100:5:log" or "0.4,0.7,1". Throws UserError if
/// the text has none of these forms, if a range does not have from 2 to 10^6 values, or if a
/// logarithmic range contains 0.
std::vector<double> axis_values(const Entry& over) {
  const Values plain{Given{}};  // the numbers of an axis use no constants
  return at_place(over.place, [&] {
    const bool is_range = over.text.find(':') != std::string::npos;
    const std::vector<std::string> pieces = base::split(over.text, is_range ? ':' : ',');
    const bool is_log = pieces.size() == 4 && pieces[3] == "log";
    const std::size_t numbers = is_range ? 2 : pieces.size();
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(numbers, pieces.size()); ++i) {
      values.push_back(plain.number(pieces[i], {}));
    }
    const std::int64_t count = pieces.size() > 2 && is_range ? plain.whole(pieces[2], {}) : 0;
    const bool is_valid = !values.empty() && (!is_log || values[0] * values[1] > 0.0) &&
                          (!is_range || ((pieces.size() == 3 || is_log) && count >= 2 &&
                                         static_cast<double>(count) <= most_points));
    require(is_valid, in_quotes(over.text) +
                          " is no axis; give \"NAME=first:last:count\" with from 2 to 10^6 values, "
                          "\"NAME=first:last:count:log\" without 0 in it, or \"NAME=v1,v2,...\"");
    if (!is_range) {
      return values;
    }
    const double first = values[0];
    const double last = values[1];
    values.clear();
    for (std::int64_t i = 0; i < count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count - 1);
      values.push_back(is_log ? first * std::pow(last / first, part)
                              : first + part * (last - first));
    }
    values.back() = last;
    return values;
  });
}

/// Returns the key that an axis or a column of the table of samples gives. It is what its name
/// stands for: a parameter of the model, else a numeric option of simulate and scan, else a
/// constant. Throws UserError, whose message begins with `place`, if no result depends on the
/// option, or if the name cannot be that of a constant.
std::string key_of(const std::string& name, const std::string& place, const std::string& model) {
  const Option* option = find_option(name, Command::scan);
  const Family family = family_of(model);
  if (has_parameters(family)) {
    const std::string wanted =
        option != nullptr && *option->parameter != 0 ? option->parameter : name;
    const auto parameters = all_parameters(rheology::catalogue_entry(model).info);
    if (std::ranges::count(parameters, wanted, &rheology::Parameter::name) > 0) {
      return "model." + wanted;
    }
  }
  if (option != nullptr && option->is_number() && option->is_of(family) &&
      option->is_of(Command::simulate) && option->is_of(Command::scan)) {
    require(option->role <= Role::result,
            place + ": no result depends on it; give another key or a constant");
    return name;
  }
  require_name(place, name);
  return "let." + name;
}

/// Adds to `axes` the numbers of the rows of the table of --samples, as the first axis, and the
/// columns of the table. A column whose name is that of no option and no parameter consists of the
/// paths of inputs if its first cell is not a number. Throws UserError if a row or a cell is not
/// valid.
void add_samples(Axes& axes, const Entry& given, io::Samples source, const std::string& model) {
  const bool is_csv = source.beside.empty();
  at_place(given.place + (is_csv ? ": " + given.text : ""), [&] {
    const std::string& text = axes.inputs.emplace(std::move(source)).source()->table;
    base::require_text(text, "the table");
    const base::TextTable cells = base::text_table(text, "the table", 0);
    const std::size_t rows = cells.lines.size();
    require(rows > 0,
            "no rows; give a heading with the names of the columns, and a row for a sample");
    std::vector<double> numbers(rows);
    std::iota(numbers.begin(), numbers.end(), 0.0);
    axes.points.columns.push_back({.name = "sample", .values = std::move(numbers)});
    std::map<std::string, std::size_t> indices;  // of the paths
    for (std::size_t c = 0; c < cells.columns; ++c) {
      const std::string name(cells.heading[c]);
      scan::Column column{.name = name,
                          .key = key_of(name, "column " + name, model),
                          .place = given.place + " " + name,
                          .values = cells.numbers(c),
                          .is_axis = false};
      if (column.key.starts_with("let.") && std::isnan(column.values.front())) {
        column.has_paths = true;
        column.key = "table." + name;
      }
      for (std::size_t r = 0; r < rows; ++r) {
        const std::string cell(cells.cell(r, c));
        if (column.has_paths ? cell.empty() : std::isnan(column.values[r])) {
          throw UserError(fmt::format("line {}: {} of column {} is no number", cells.lines[r],
                                      in_quotes(cell), name));
        }
        if (column.has_paths) {
          const auto [index, is_new] = indices.try_emplace(cell, axes.points.paths.size());
          if (is_new) {
            axes.points.paths.push_back(cell);
          }
          column.values[r] = static_cast<double>(index->second);
        }
      }
      axes.points.columns.push_back(std::move(column));
    }
  });
}

/// Throws UserError if two columns vary the same, if a column has the name of a dataset that a scan
/// writes itself, or if there are more than 10^6 points.
void check(const Axes& axes) {
  const std::vector<scan::Column>& columns = axes.points.columns;
  double points = 1.0;
  for (const scan::Column& column : columns) {
    require(column.key.empty() || !scan::is_point_column(column.name),
            fmt::format("{}: the file of a scan has a column {} of its own; give another name",
                        column.place, column.name));
    const auto is_same = [&](const scan::Column& other) {
      return other.name == column.name || other.key == column.key;
    };
    require(std::ranges::count_if(columns, is_same) == 1,
            column.place + ": another axis varies the same; give one");
    points *= column.is_axis ? static_cast<double>(column.values.size()) : 1.0;
  }
  require(points <= most_points,
          fmt::format("{}: {:.0f} points; at most {:.0f}", axes.inputs ? "--samples" : "--over",
                      points, most_points));
}

}  // namespace

Inputs::Inputs(io::Samples source)
    : source_(std::make_shared<const io::Samples>(std::move(source))) {}

Inputs::Points Inputs::array(const std::string& name) const {
  const auto& [sizes, arguments, values] =
      std::tie(source_->sizes, source_->arguments, source_->values);
  const auto number = base::to_integer(name.substr(array_prefix.size()));
  require(number && *number >= 0 && std::cmp_less(*number, sizes.size()),
          name + " is not in the file; arrays of more than 64 MB are not kept");
  const double begin = std::accumulate(sizes.begin(), sizes.begin() + *number, 0.0);
  const double end = begin + sizes[static_cast<std::size_t>(*number)];
  require(begin >= 0 && begin < end && end <= static_cast<double>(values.size()) &&
              values.size() == arguments.size(),
          "the arrays are damaged; give a file that masing wrote");
  const auto part = [&](const std::vector<double>& all) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                       all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  return base::points_of(part(arguments), part(values), name);
}

std::string Inputs::text(const std::string& name) const {
  std::filesystem::path path = std::filesystem::path(source_->beside) / name;
  std::error_code unknown;
  if (source_->beside.empty() || !std::filesystem::exists(path, unknown)) {
    path = std::filesystem::path(source_->folder) / name;
  }
  return io::read_text(path);
}

Inputs::Points Inputs::read(const std::string& column, const std::string& name) const {
  auto& [last, points] = last_[column];
  if (points == nullptr || last != name) {
    points = name.starts_with(array_prefix) ? array(name) : base::points_of(text(name), name);
    last = name;
  }
  return points;
}

std::string Inputs::checksum(const std::vector<std::string>& names) const {
  XXH64_hash_t sum = 0;
  for (const auto* array : {&source_->sizes, &source_->arguments, &source_->values}) {
    sum = XXH3_64bits_withSeed(array->data(), array->size() * sizeof(double), sum);
  }
  for (const std::string& name : names) {
    try {
      const std::string content = name.starts_with(array_prefix) ? "" : text(name);
      sum = XXH3_64bits_withSeed(content.data(), content.size(), sum);
    } catch (const UserError&) {
      continue;  // its points fail
    }
  }
  return fmt::format("{:016x}", sum);
}

std::vector<Entry> Axes::at(std::int64_t point) const {
  std::vector<Entry> row;
  for (const scan::Column& column : points.columns) {
    const double value = column.at(point);
    if (column.has_paths) {
      const std::string& path = points.paths[static_cast<std::size_t>(value)];
      row.push_back({column.key, path, column.place, inputs->read(column.name, path)});
    } else if (!column.key.empty()) {
      row.push_back({column.key, base::to_text(value), column.place});
    }
  }
  return row;
}

void Axes::require_unchanged(const std::string& before) const {
  require(before.empty() || before == inputs->checksum(points.paths), "samples",
          "the records have changed; give those that were read before, or make the scan anew");
}

Axes axes_of(const Given& given, const Files& files) {
  Axes axes{.input = files.input};
  if (const Entry* samples = given.find("samples"); samples != nullptr && !samples->text.empty()) {
    io::Samples source = at_place(samples->place, [&] {
      require(given.samples != nullptr || files.samples,
              "the file has no /samples; give one that masing wrote");
      return given.samples != nullptr ? *given.samples : files.samples(samples->text);
    });
    add_samples(axes, *samples, std::move(source), given.model);
  }
  for (const Entry& one : given.entries) {
    if (one.key.starts_with("over.")) {
      axes.points.columns.push_back({.name = one.name(),
                                     .key = key_of(one.name(), one.place, given.model),
                                     .place = one.place,
                                     .values = axis_values(one)});
    }
  }
  check(axes);
  axes.points.arrange();
  return axes;
}

}  // namespace masing::cli
