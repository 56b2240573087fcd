#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "base/text.hpp"
#include "io/hdf5.hpp"
#include "io/output_file.hpp"
#include "io/recorders.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"

namespace masing::scan {

namespace {

/// The kinds of scans for which a number of the points is known.
enum Known { always, of_runs, of_chains, of_limit_cycles };

/// A dataset of the group /points, with one number for each point.
struct PointColumn {
  const char* name = "";
  const char* description = "";
  const char* symbol = "";
  double PointNumbers::*value = nullptr;
  Known known = always;

  [[nodiscard]] bool is_of(const ScanSpec& spec) const {
    return known == always ||
           (known == of_chains && spec.first.run.model->layout().of == engine::Layout::Of::nodes) ||
           known == (spec.is_steady ? of_limit_cycles : of_runs);
  }
};

constexpr PointColumn point_columns[] = {
    {"most_x", "largest x", "max x", &PointNumbers::most_x},
    {"least_x", "least x", "min x", &PointNumbers::least_x},
    {"last_x", "x at the last step of the window", "x_end", &PointNumbers::last_x, of_runs},
    {"most_speed", "largest |y|", "max |y|", &PointNumbers::most_speed, of_runs},
    {"most_restoring", "largest |restoring force|", "max |f|", &PointNumbers::most_restoring,
     of_runs},
    {"most_elongation", "largest |elongation| of the element below the node", "max |d|",
     &PointNumbers::most_elongation, of_chains},
    {"most_acceleration", "largest absolute acceleration of the node", "max |a|",
     &PointNumbers::most_acceleration, of_chains},
    {"amplitude", "half the difference of both, if x drifts those of x less its drift", "X",
     &PointNumbers::amplitude},
    {"centre", "their mean; NaN where the cycle drifts", "x_m", &PointNumbers::centre},
    {"restoring_amplitude", "half the difference of the restoring force at both", "f_X",
     &PointNumbers::restoring_amplitude},
    {"loss",
     "energy lost to hysteresis over the last period, or the cycle: the area of the loop; of a run "
     "without a period the work of the restoring force over the window",
     "D", &PointNumbers::loss},
    {"secant_stiffness", "restoring_amplitude over amplitude", "K_s",
     &PointNumbers::secant_stiffness},
    {"damping_ratio",
     "loss / (2 pi X^2 K_s), of a cycle of several periods per period; without viscous damping and "
     "without the work of the mean restoring force along a drift",
     "zeta", &PointNumbers::damping_ratio},
    {"phase",
     "by which the fundamental of x lags behind that of F, or F - m a_g, in [0, 2 pi); NaN where "
     "that has none",
     "phi", &PointNumbers::phase},
    {"period", "period of the force", "tau", &PointNumbers::period},
    {"period_multiple", "periods of the force that the cycle takes", "p",
     &PointNumbers::period_multiple, of_limit_cycles},
    {"residual", "by how much the cycle fails to close, over its range", "r",
     &PointNumbers::residual, of_limit_cycles},
    {"drift", "of x over the cycle; not 0 only where nothing holds the mass", "d",
     &PointNumbers::drift, of_limit_cycles},
    {"frozen",
     "share of int k ds whose cells do not yield on the cycle, and keep what the past left",
     "K_f/K", &PointNumbers::frozen, of_limit_cycles},
    {"settled",
     "change of the motion from the start over the last cycle before shooting, over its size; not "
     "small where it hardly loses energy: then the cycle is one beside it",
     "delta", &PointNumbers::settled, of_limit_cycles}};

}  // namespace

bool is_point_column(const std::string& name) {
  constexpr const char* others[] = {"point",      "sample",        "status",       "messages",
                                    "multiplier", "multiplier_re", "multiplier_im"};
  return std::ranges::find(others, name) != std::end(others) ||
         std::ranges::any_of(point_columns,
                             [&](const PointColumn& column) { return column.name == name; });
}

namespace {

/// Returns the column with one number for each point. `value` selects the number: a function of the
/// point or a member function of ScanPoint; in the second overload a member of PointNumbers.
template <class Value>
std::vector<double> column_of(const ScanResult& scan, const Value& value) {
  std::vector<double> values;
  std::ranges::transform(scan.points, std::back_inserter(values), value);
  return values;
}
std::vector<double> column_of(const ScanResult& scan, double PointNumbers::*value) {
  return column_of(scan, [value](const ScanPoint& point) { return point.numbers.*value; });
}

void write_multipliers(const parallel::Communicator& comm, const io::Handle& file,
                       const ScanResult& scan) {
  io::write_column(comm, file, "/points/multiplier",
                   {"number of the multiplier, the larger one first", "j"}, std::array{1.0, 2.0},
                   "multiplier");
  const auto write = [&](const std::string& path, const io::Attributes& attributes,
                         std::array<double, 2> PointNumbers::*part) {
    std::vector<double> pairs;
    for (const ScanPoint& point : scan.points) {
      std::ranges::copy(point.numbers.*part, std::back_inserter(pairs));
    }
    const auto rows = std::ssize(scan.points);
    io::Table(file, path, attributes, rows, 2).append(comm, rows, pairs);
    io::name_axes(file, path, {"point", "multiplier"});
  };
  write("/points/multiplier_re", {"Floquet multipliers, the larger one first; real part", "Re mu"},
        &PointNumbers::multiplier_re);
  write("/points/multiplier_im", {"the same; imaginary part", "Im mu"},
        &PointNumbers::multiplier_im);
}

/// Writes the series of all points, each as the datasets of /series of a run.
void write_runs(const parallel::Communicator& comm, const io::Handle& file, const ScanSpec& spec,
                const ScanResult& scan) {
  const io::Handle runs = io::create_group(file, "/runs");
  std::vector<io::Column> columns = io::series_columns(spec.first.run);
  columns.insert(columns.begin(), {"t", {"time of the sample", "t", "time t"}});
  for (std::size_t i = 0; i < scan.points.size(); ++i) {
    const std::string group = fmt::format("/runs/{:05}", i);
    const io::Handle run = io::create_group(file, group);
    const auto& rows = scan.points[i].series;
    std::vector<double> column(rows.size() / columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t at = 0; at < column.size(); ++at) {
        column[at] = rows[at * columns.size() + c];
      }
      io::write_column(comm, file, group + "/" + columns[c].name, columns[c].attributes, column,
                       "t");
    }
  }
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const ScanSpec& spec,
           const ScanResult& scan) {
  const io::Handle group = io::create_group(file, "/points");
  std::vector<std::string> names;
  std::vector<std::string> sizes;
  const auto write_points = [&](const std::string& name, const io::Attributes& attributes,
                                const std::vector<double>& values) {
    io::write_column(comm, file, "/points/" + name, attributes, values, "point");
  };
  std::vector<double> numbers(scan.points.size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  write_points("point", {"number of the point", "j"}, numbers);
  for (const Column& column : spec.points.columns) {
    if (column.is_axis) {
      names.push_back(column.name);
      sizes.push_back(base::to_text(std::ssize(column.values)));
    }
    std::vector<double> values(scan.points.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = column.at(static_cast<std::int64_t>(i));
    }
    write_points(column.name, {"value of " + column.name, column.name}, values);
  }
  if (const auto& paths = spec.points.paths; !paths.empty()) {
    io::write_text(file, "/samples/records", "path\n\"" + base::joined(paths, "\"\n\"") + "\"\n");
  }
  io::write_attribute(group, "axes", base::joined(names, " "));
  io::write_attribute(group, "sizes", base::joined(sizes, " "));
  io::write_attribute(group, "kind", spec.is_steady ? "steady" : "runs");
  io::write_attribute(group, "failed", scan.failed());
  for (const PointColumn& column : point_columns) {
    if (column.is_of(spec)) {
      write_points(column.name, {column.description, column.symbol}, column_of(scan, column.value));
    }
  }
  if (spec.is_steady) {
    write_multipliers(comm, file, scan);
  }
  write_points("status", {"0 done, 1 failed", "status"}, column_of(scan, &ScanPoint::has_failed));
  std::string messages;
  for (std::size_t i = 0; i < scan.points.size(); ++i) {
    const ScanPoint& point = scan.points[i];
    messages += point.has_failed() ? fmt::format("{}: {}\n", i, point.message) : "";
  }
  io::write_text(file, "/points/messages", messages);
  if (spec.keep_series) {
    write_runs(comm, file, spec, scan);
  }
  io::write_time(file, "wall_seconds", scan.seconds);
  io::write_column(comm, file, "/timing/point", {"number of the point", "j"}, numbers, "point");
  io::write_column(comm, file, "/timing/points", {"wall time of the point, seconds", "s", "", "s"},
                   column_of(scan, &PointNumbers::seconds), "point");
}

std::string table(const ScanSpec& spec, const ScanResult& scan) {
  constexpr std::size_t most_rows = 60;
  constexpr std::pair<const char*, double PointNumbers::*> columns[] = {
      {"amplitude", &PointNumbers::amplitude},
      {"centre", &PointNumbers::centre},
      {"loss", &PointNumbers::loss},
      {"secant", &PointNumbers::secant_stiffness},
      {"damping", &PointNumbers::damping_ratio}};
  std::string text;
  std::vector<Column> axes;
  std::ranges::copy_if(spec.points.columns, std::back_inserter(axes), &Column::is_axis);
  for (const Column& axis : axes) {
    text += fmt::format(" {:>11}", axis.name);
  }
  for (const auto& [name, value] : columns) {
    text += fmt::format(" {:>11}", name);
  }
  text += '\n';
  const std::size_t rows = std::min(most_rows, scan.points.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const ScanPoint& point = scan.points[i];
    for (const Column& axis : axes) {
      text += fmt::format(" {:>11.6g}", axis.at(static_cast<std::int64_t>(i)));
    }
    if (!point.has_failed()) {
      for (const auto& [name, value] : columns) {
        text += fmt::format(" {:>11.6g}", point.numbers.*value);
      }
      text += point.numbers.settled > 1e-3 ? " not settled" : "";
      text += point.numbers.period_multiple > 1.0
                  ? fmt::format(" {} periods", point.numbers.period_multiple)
                  : "";
    } else {
      text += " failed: " + point.message.substr(0, 200);
    }
    text += '\n';
  }
  return text + (rows < scan.points.size()
                     ? fmt::format(" ... {} more points\n", scan.points.size() - rows)
                     : "");
}

}  // namespace masing::scan
