#include "cli/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;
using scan::ScanKind;

namespace {

constexpr double most_points = 1e6;

[[noreturn]] void refuse_axis(const Setting& over, const std::string& mistake) {
  throw UserError(
      fmt::format("{}: {}; give \"{}=first:last:count\", \"first:last:count:log\" or \"v1,v2,...\"",
                  over.origin, mistake, over.name));
}

/// "0.3:1.75:30", "1:100:5:log" or "0.4,0.7,1".
std::vector<double> values_of(const Setting& over) {
  const bool is_range = over.text.find(':') != std::string::npos;
  const std::vector<std::string> pieces = base::split(over.text, is_range ? ':' : ',');
  try {
    std::vector<double> values;
    if (!is_range) {
      for (const std::string& piece : pieces) {
        values.push_back(Number(piece, {}).value({}));
      }
      if (values.empty()) {
        refuse_axis(over, "no values");
      }
      return values;
    }
    const bool is_log = pieces.size() == 4 && pieces[3] == "log";
    if (pieces.size() != 3 && !is_log) {
      refuse_axis(over, quoted(over.text) + " is no range");
    }
    const double first = Number(pieces[0], {}).value({});
    const double last = Number(pieces[1], {}).value({});
    const std::int64_t count = Number(pieces[2], {}).whole({});
    if (count < 2 || static_cast<double>(count) > most_points) {
      refuse_axis(over, quoted(over.text) + " needs from 2 to 10^6 values");
    }
    if (is_log && !(first * last > 0.0)) {
      refuse_axis(over, quoted(over.text) + " crosses 0, where log has no value");
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count - 1);
      const double value =
          is_log ? first * std::pow(last / first, part) : first + part * (last - first);
      values.push_back(i + 1 == count ? last : value);
    }
    return values;
  } catch (const UserError& mistake) {
    if (std::string(mistake.what()).starts_with(over.origin)) {
      throw;
    }
    throw UserError(over.origin + ": " + mistake.what());
  }
}

/// What an axis varies: a numeric option of every run, a parameter, or else a constant.
Axis axis_of(const Setting& over, const std::string& model) {
  Axis axis{.values = {over.name, values_of(over)}};
  const Option* option = find_option(over.name);
  if (kind_of(model) == ModelKind::finite) {
    const std::string wanted =
        option != nullptr && !option->parameter.empty() ? option->parameter : over.name;
    const auto parameters = all_parameters(known_model(model, "--model").info);
    if (std::ranges::count(parameters, wanted, &rheology::Parameter::name) > 0) {
      axis.parameter = wanted;
      return axis;
    }
  }
  if (option != nullptr && option->value.take && option->is_of(kind_of(model)) &&
      option->is_of(Command::simulate) && option->is_of(Command::scan)) {
    axis.option = option;
  }
  return axis;
}

Setting backbone_of(const std::string& text) {
  const auto sign = text.find('=');
  const std::string name{base::trimmed(text.substr(0, sign))};
  if (sign == std::string::npos || name.empty()) {
    throw UserError("--backbone: " + quoted(text) + " is no axis; give \"X=0.01:2:200:log\"");
  }
  return {name, std::string(base::trimmed(text.substr(sign + 1))), "--backbone"};
}

}  // namespace

std::vector<Axis> scan_axes(const std::vector<Setting>& over, const std::string& backbone,
                            const std::string& model) {
  std::vector<Setting> given = over;
  if (!backbone.empty()) {
    given.push_back(backbone_of(backbone));
  }
  std::vector<Axis> axes;
  double points = 1.0;
  for (const Setting& one : given) {
    if (scan::is_point_column(one.name)) {
      throw UserError(
          fmt::format("{}: the file of a scan has a column {} of its own; give another name",
                      one.origin, one.name));
    }
    axes.push_back(axis_of(one, model));
    points *= static_cast<double>(axes.back().values.values.size());
  }
  if (points > most_points) {
    throw UserError(fmt::format("--over: {:g} points; at most {:g}", points, most_points));
  }
  return axes;
}

namespace {

ScanKind kind_of_scan(const Configuration& c) {
  return c.steady             ? ScanKind::steady
         : c.backbone.empty() ? ScanKind::runs
                              : ScanKind::closed_curves;
}

/// Of what a period is known.
constexpr const char* of_known_period =
    "; give an F(t) whose every t stands inside sin(), cos(), triangle(), square() or sawtooth() "
    "of a*t+b, all with a common period, or a table that repeats itself 8 times, with --period TAU";

/// The period of what drives a point, as given or as found; nothing where it has none.
std::optional<double> period_of(const Validated& point) {
  const Configuration& c = point.configuration;
  if (!c.force) {
    return std::nullopt;
  }
  const double final_time = c.steady ? std::numeric_limits<double>::infinity() : c.final_time;
  const std::vector<base::Function> terms = point.run.drive.terms();
  if (!c.period) {
    return base::period_of(terms, final_time);
  }
  if (!(*c.period > 0.0) || !base::has_period(terms, *c.period, final_time)) {
    throw UserError("period", fmt::format("F(t + {}) is not F(t){}", base::to_text(*c.period),
                                          of_known_period));
  }
  return c.period;
}

/// The text of a slab, equal for equal ones.
std::string slab_text(const Configuration& c) {
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  return fmt::format("{}|{}|{}|{}|{}{}", c.stiffness.text(), c.threshold.text(),
                     c.threshold_down ? c.threshold_down->text() : "", c.initial_u.text(),
                     cells == nullptr ? "inf" : base::to_text(cells->count), name_of(c.rule));
}

scan::ScanProblem problem_of(const Validated& point) {
  const Configuration& c = point.configuration;
  const bool is_run = kind_of_scan(c) == ScanKind::runs;
  scan::ScanProblem problem{.run = is_run ? run_of(point) : point.run,
                            .series = sampling_of(c),
                            .period = period_of(point),
                            .slab = slab_text(c)};
  if (problem.period && !point.request->has("from")) {
    problem.series.from = std::max(0.0, problem.series.to - *problem.period);
  }
  if (c.steady) {
    if (!problem.period) {
      throw UserError(std::string("--steady: no period of the force is known") + of_known_period);
    }
    problem.force_breaks = base::breaks(point.run.drive, base::horizon * *problem.period, c.breaks);
  }
  return problem;
}

/// Throws UserError where an axis is a constant that nothing uses.
void require_used(const Request& request) {
  Names used;
  for (const auto& [key, entry] : request.entries) {
    used.insert(entry.reading.constants.begin(), entry.reading.constants.end());
  }
  for (const Let& let : request.constants) {
    used.merge(let.number.constants());
  }
  if (request.parameters) {
    used.merge(request.parameters->constants());
  }
  for (const Setting& over : request.over) {
    const auto axis = std::ranges::find(request.axes, over.name,
                                        [](const Axis& each) { return each.values.name; });
    if (axis->option == nullptr && axis->parameter.empty() && !used.contains(over.name)) {
      throw UserError(
          fmt::format("{}: {} is no numeric key, and no function or number uses it as a constant",
                      over.origin, over.name));
    }
  }
}

}  // namespace

void check_scan(const Validated& request) {
  const Configuration& c = request.configuration;
  const std::vector<Axis>& axes = request.request->axes;
  if (axes.empty()) {
    throw UserError("--over: nothing to scan; give --over \"NAME=first:last:count\"");
  }
  require_used(*request.request);
  const bool is_exact = !request.request->has("engine") || engine::is_exact(request.run);
  if (c.steady && !c.backbone.empty()) {
    throw UserError("backbone", "closed curves need no --steady; give one of the two");
  }
  if (c.steady && (!std::holds_alternative<engine::Masing>(request.run.model) || !is_exact)) {
    throw UserError("steady", "limit cycles are found by --model masing and --engine exact alone");
  }
  if (!c.backbone.empty() && engine::slab_of(request.run) == nullptr) {
    throw UserError("backbone", "closed curves are known of slabs; give --model masing");
  }
  if (!c.backbone.empty() && std::ranges::min(axes.back().values.values) <= 0.0) {
    throw UserError("backbone", fmt::format("'{}' has amplitudes that are not > 0", c.backbone));
  }
  if (!c.backbone.empty() && c.keep_series) {
    throw UserError("keep", "closed curves are no runs and have no series");
  }
}

Scan scan_spec(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  Scan scan{.spec = {.axes = {},
                     .kind = kind_of_scan(c),
                     .past = c.past,
                     .keep_series = c.keep_series,
                     .result = result_of(request, request.run, command_line),
                     .checkpoint = checkpoint_of(c),
                     .quiet = c.quiet},
            .request = request.request};
  std::vector<std::string> names;
  for (const Axis& axis : request.request->axes) {
    scan.spec.axes.push_back(axis.values);
    names.push_back(axis.values.name);
  }
  scan.spec.result.title = "scan over " + base::joined(names, ", ");
  (void)first_problem(scan);  // what is wrong with every point is found before the scan
  return scan;
}

scan::ScanProblem problem_at(const Scan& scan, std::span<const double> values) {
  return located(*scan.request, [&] {
    return problem_of(resolved(scan.request, configuration_of(*scan.request, values)));
  });
}

scan::ScanProblem first_problem(const Scan& scan) {
  return problem_at(scan, first_values(*scan.request));
}

}  // namespace masing::cli
