#include "cli/points.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
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
  const std::string name = over.key.substr(over.key.find('.') + 1);
  const Values plain{Given{}};  // the numbers of an axis use no constants
  const auto require = [&](bool holds, const std::string& mistake) {
    if (!holds) {
      throw UserError(
          fmt::format("{}; give \"{}=first:last:count\", \"first:last:count:log\" or \"v1,v2,...\"",
                      mistake, name));
    }
  };
  const auto number = [&](const std::string& text) { return plain.number(text); };
  return with_origin(over.place, [&] {
    const bool is_range = over.text.find(':') != std::string::npos;
    const std::vector<std::string> pieces = base::split(over.text, is_range ? ':' : ',');
    std::vector<double> values;
    if (!is_range) {
      std::ranges::transform(pieces, std::back_inserter(values), number);
      require(!values.empty(), "no values");
      return values;
    }
    const std::string text = in_quotes(over.text);
    const bool is_log = pieces.size() == 4 && pieces[3] == "log";
    require(pieces.size() == 3 || is_log, text + " is no range");
    const double first = number(pieces[0]);
    const double last = number(pieces[1]);
    const std::int64_t count = plain.whole(pieces[2]);
    require(count >= 2 && static_cast<double>(count) <= most_points,
            text + " needs from 2 to 10^6 values");
    require(!is_log || std::min(first, last) > 0.0 || std::max(first, last) < 0.0,
            text + " crosses 0, where log has no value");
    // Of a range that is too wide, `last / first` or `last - first` overflows or underflows.
    const bool is_wide = is_log ? !std::isnormal(last / first) : !std::isfinite(last - first);
    for (std::int64_t i = 0; i < count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count - 1);
      const double root = std::pow(std::cbrt(last) / std::cbrt(first), part);
      values.push_back(
          is_log ? (is_wide ? first * root * root * root : first * std::pow(last / first, part))
                 : (is_wide ? (1 - part) * first + part * last : first + part * (last - first)));
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
    if (option->role > Role::result) {
      throw UserError(place + ": no result depends on it; give another key or a constant");
    }
    return name;
  }
  require_name(place, name);
  return "let." + name;
}

/// Returns the first row of the table of samples whose records can all be read. Throws UserError if
/// there is no such row. Local if `input` (Files::input) is local.
std::int64_t first_readable_row(const Axes& axes, const decltype(Files::input)& input) {
  std::optional<UserError> fault;
  const std::vector<double>& numbers = axes.points.columns.front().values;
  const auto row = std::ranges::find_if(numbers, [&](double number) {
    try {
      for (const scan::Column& column : axes.points.columns) {
        if (column.has_paths) {
          input(
              [&] { (void)axes.record(column, column.values[static_cast<std::size_t>(number)]); });
        }
      }
    } catch (const UserError& error) {
      fault = fault ? fault : error;
      return false;
    }
    return true;
  });
  if (row == numbers.end()) {
    throw UserError(
        fmt::format("no row has records that can be read, as which a column counts whose first "
                    "cell is no number; the first: {}",
                    fault->what()));
  }
  return row - numbers.begin();
}

/// Adds to `axes` the numbers of the rows of the table of --samples, as the first axis, and the
/// columns of the table. A column whose name is that of no option and no parameter consists of the
/// paths of records if its first cell is not a number. Sets axes.first to the first
/// row whose records can be read. Throws UserError if a row or a cell is not valid, or if there is
/// no such row. Local if `files.input` is local.
void add_samples(Axes& axes, const Entry& given, io::Samples source, const std::string& model,
                 const Files& files) {
  const bool is_csv = source.beside.empty();
  with_origin(given.place + (is_csv ? ": " + given.text : ""), [&] {
    const std::string& text = axes.inputs.emplace(std::move(source)).source()->table;
    base::require_text(text, "the table");
    const base::TextTable cells = base::text_table(text, "the table", 0);
    const std::size_t rows = cells.lines.size();
    if (rows == 0) {
      throw UserError(
          "no rows; give a heading with the names of the columns, and a row for a sample");
    }
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
          throw UserError(fmt::format("line {}: {} of column {} is no {}", cells.lines[r],
                                      in_quotes(cell), name,
                                      column.has_paths ? "number and no path" : "number"));
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
    axes.first = first_readable_row(axes, files.input);
  });
}

/// Throws UserError if two columns vary the same, if a column has the name of a dataset that a scan
/// writes itself, or if there are more than 10^6 points.
void check(const Axes& axes) {
  const std::vector<scan::Column>& columns = axes.points.columns;
  double points = 1.0;
  for (const scan::Column& column : columns) {
    if (!column.key.empty() && scan::is_point_column(column.name)) {
      throw UserError(
          fmt::format("{}: the file of a scan has a column {} of its own; give another name",
                      column.place, column.name));
    }
    const auto is_same = [&](const scan::Column& other) {
      return other.name == column.name || other.key == column.key;
    };
    if (std::ranges::count_if(columns, is_same) > 1) {
      throw UserError(column.place + ": another axis varies the same; give one");
    }
    points *= column.is_axis ? static_cast<double>(column.values.size()) : 1.0;
  }
  if (points > most_points) {
    throw UserError(fmt::format("{}: {:.0f} points; at most {:.0f}",
                                axes.inputs ? "--samples" : "--over", points, most_points));
  }
}

}  // namespace

Inputs::Inputs(io::Samples source)
    : source_(std::make_shared<const io::Samples>(std::move(source))) {
  for (const double size : source_->sizes) {
    ends_.push_back((ends_.empty() ? 0.0 : ends_.back()) + size);
    if (!(size >= 1 && size == std::floor(size)) ||
        ends_.back() > static_cast<double>(source_->values.size()) ||
        source_->values.size() != source_->arguments.size()) {
      throw UserError("the arrays are damaged; give a file that masing wrote");
    }
  }
}

Inputs::Points Inputs::array(const std::string& name) const {
  const auto number = base::to_integer(name.substr(array_prefix.size()));
  if (!number || *number < 0 || std::cmp_greater_equal(*number, ends_.size())) {
    throw UserError(name + " is not in the file; arrays of more than 64 MB are not kept");
  }
  const auto index = static_cast<std::size_t>(*number);
  const auto size = static_cast<std::ptrdiff_t>(source_->sizes[index]);
  const auto part = [&](const std::vector<double>& all) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(ends_[index]);
    return std::vector(end - size, end);
  };
  return base::points_of(part(source_->arguments), part(source_->values), name);
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

bool Axes::has_sample(const std::string& key) const {
  return std::ranges::any_of(points.columns, [&](const scan::Column& column) {
    return !column.is_axis && column.key == key;
  });
}

Inputs::Points Axes::record(const scan::Column& column, double path) const {
  return inputs->read(column.name, points.paths.at(static_cast<std::size_t>(path)));
}

std::vector<Entry> Axes::at(std::int64_t point) const {
  std::vector<Entry> row;
  for (const scan::Column& column : points.columns) {
    const double value = column.at(point);
    if (column.has_paths) {
      const std::string& path = points.paths[static_cast<std::size_t>(value)];
      row.push_back({column.key, path, column.place, record(column, value)});
    } else if (!column.key.empty()) {
      row.push_back({column.key, base::to_text(value), column.place});
    }
  }
  return row;
}

void Axes::require_unchanged(const std::string& before) const {
  if (!before.empty() && before != inputs->checksum(points.paths)) {
    throw UserError("samples",
                    "the records have changed; give those that were read before, or make "
                    "the scan anew");
  }
}

Axes axes_of(const Given& given, const Files& files) {
  Axes axes;
  if (const Entry* samples = given.find("samples"); samples != nullptr && !samples->text.empty()) {
    io::Samples source = with_origin(samples->place, [&] {
      if (given.samples == nullptr && !files.samples) {
        throw UserError("the file has no /samples; give one that masing wrote");
      }
      return given.samples != nullptr ? *given.samples : files.samples(samples->text);
    });
    add_samples(axes, *samples, std::move(source), given.model, files);
  }
  for (const Entry& one : given.entries) {
    if (one.key.starts_with("over.")) {
      const std::string name = one.key.substr(one.key.find('.') + 1);
      axes.points.columns.push_back({.name = name,
                                     .key = key_of(name, one.place, given.model),
                                     .place = one.place,
                                     .values = axis_values(one)});
    }
  }
  check(axes);
  axes.points.arrange();
  axes.first *= axes.points.columns.empty() ? 1 : axes.points.columns.front().stride;
  return axes;
}

}  // namespace masing::cli
