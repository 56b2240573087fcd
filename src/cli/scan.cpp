#include "cli/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"
#include "cli/model.hpp"
#include "slab/steady/periodic_force.hpp"

namespace masing::cli {

using base::UserError;
using scan::ScanAxis;
using scan::ScanKind;

namespace {

constexpr double most_points = 1e6;

[[noreturn]] void refuse_axis(const Setting& over, const std::string& mistake) {
  throw UserError(
      fmt::format("{}: {}; give \"{}=first:last:count\", \"first:last:count:log\" or \"v1,v2,...\"",
                  over.origin, mistake, over.parameter));
}

/// "0.3:1.75:30", "1:100:5:log" or "0.4,0.7,1".
std::vector<double> values_of(const Setting& over) {
  const bool is_range = over.text.find(':') != std::string::npos;
  const std::vector<std::string> pieces = base::split(over.text, is_range ? ':' : ',');
  try {
    std::vector<double> values;
    if (!is_range) {
      for (const std::string& piece : pieces) {
        values.push_back(number(piece, {}));
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
    const double first = number(pieces[0], {});
    const double last = number(pieces[1], {});
    const std::int64_t count = integer(pieces[2], {});
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

/// The key that an axis varies, null for another name.
const Option* key_of(const std::string& name, ModelKind kind) {
  const auto& table = option_table();
  const auto found = std::ranges::find(table, name, &Option::name);
  const bool is_one_number = found != table.end() && found->is_numeric && name != "breaks";
  const bool is_of_runs =
      is_one_number &&
      std::ranges::find(found->commands, Command::simulate) != found->commands.end() &&
      std::ranges::find(found->commands, Command::scan) != found->commands.end();
  return is_of_runs && takes(kind, *found) ? &*found : nullptr;
}

/// The parameter of a model of finitely many elements that an axis varies, empty for another name.
std::string parameter_of(const std::string& name, const std::string& model) {
  if (kind_of(model) != ModelKind::finite) {
    return {};
  }
  const auto& table = option_table();
  const auto key = std::ranges::find(table, name, &Option::name);
  std::string wanted = key != table.end() && !key->parameter.empty() ? key->parameter : name;
  for (const auto& parameter : all_parameters(known_model(model, "--model").info)) {
    if (parameter.name == wanted) {
      return wanted;
    }
  }
  return {};
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

std::vector<ScanAxis> scan_axes(const Configuration& c) {
  std::vector<Setting> given = c.over;
  if (!c.backbone.empty()) {
    given.push_back(backbone_of(c.backbone));
  }
  std::vector<ScanAxis> axes;
  axes.reserve(given.size());
  double points = 1.0;
  for (const Setting& over : given) {
    if (scan::is_point_column(over.parameter)) {
      throw UserError(
          fmt::format("{}: the file of a scan has a column {} of its own; give another name",
                      over.origin, over.parameter));
    }
    axes.push_back({over.parameter, values_of(over)});
    points *= static_cast<double>(axes.back().values.size());
  }
  if (points > most_points) {
    throw UserError(fmt::format("--over: {:g} points; at most {:g}", points, most_points));
  }
  return axes;
}

std::vector<double> first_values(const std::vector<ScanAxis>& axes) {
  std::vector<double> values(axes.size());
  std::ranges::transform(axes, values.begin(),
                         [](const ScanAxis& axis) { return axis.values.front(); });
  return values;
}

void set_constants(Configuration& c, const std::vector<ScanAxis>& axes,
                   std::span<const double> values) {
  const ModelKind kind = kind_of(c.model);
  std::vector<Setting> lets = c.lets;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const std::string& name = axes[a].name;
    const std::string parameter = parameter_of(name, c.model);
    if (!parameter.empty()) {
      put({parameter, base::to_text(values[a]), "--over " + parameter}, c.settings);
    } else if (key_of(name, kind) == nullptr) {
      put({name, base::to_text(values[a]), "--over " + name}, lets);
    }
  }
  c.constants = resolved(lets);
}

void set_keys(Configuration& c, const std::vector<ScanAxis>& axes, std::span<const double> values) {
  for (std::size_t a = 0; a < values.size(); ++a) {
    const Option* key = key_of(axes[a].name, kind_of(c.model));
    if (key != nullptr) {
      set(*key, base::to_text(values[a]), "--over " + axes[a].name, c);
    }
  }
}

Configuration at_point(const Configuration& scan, std::span<const double> values) {
  Configuration c{.command = Command::simulate};
  c.model = scan.model;
  c.settings = scan.settings;
  c.lets = scan.lets;
  set_constants(c, scan.axes, values);
  for (const Option* option : options_of(Command::simulate)) {
    const auto origin = scan.origin.find(option->name);
    if (origin != scan.origin.end()) {
      const auto given = scan.calculated.find(option->name);
      option->set(c, given == scan.calculated.end() ? option->get(scan) : given->second);
      c.origin[option->name] = origin->second;
    }
  }
  set_keys(c, scan.axes, values);
  return c;
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
std::optional<double> period_of(const Configuration& scan, const Validated& point) {
  const Configuration& c = point.configuration;
  if (c.force.empty()) {
    return std::nullopt;
  }
  const double final_time =
      scan.steady ? std::numeric_limits<double>::infinity() : point.run.time.final_time;
  if (!scan.period) {
    return force_period(point.run.drive.terms(), final_time);
  }
  const auto given = scan.calculated.find("period");
  const double period =
      given == scan.calculated.end() ? *scan.period : number(given->second, c.constants);
  if (!(period > 0.0) || !has_period(point.run.drive.terms(), period, final_time)) {
    throw UserError(
        fmt::format("--period: F(t + {}) is not F(t){}", base::to_text(period), of_known_period));
  }
  return period;
}

std::string no_files(const std::string& path) {
  throw UserError("cannot read " + path + " again");
}

/// The text of a slab, equal for equal ones.
std::string slab_text(const Configuration& c) {
  std::string text;
  for (const std::string* function :
       {&c.stiffness, &c.threshold, &c.threshold_down, &c.initial_u}) {
    text += without_constants(*function, c.constants) + "|";
  }
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  return text + (cells == nullptr ? "inf" : base::to_text(cells->count)) +
         (c.rule == slab::Rule::right ? "r" : "m");
}

scan::ScanProblem problem_at(const Configuration& scan, std::span<const double> values) {
  const Validated request = validated(at_point(scan, values), {.text = no_files});
  const Configuration& c = request.configuration;
  const bool is_run = kind_of_scan(scan) == ScanKind::runs;
  scan::ScanProblem problem{.run = is_run ? simulation(request, "").run : request.run,
                            .series = sampling_of(c),
                            .period = period_of(scan, request),
                            .slab = slab_text(c)};
  if (problem.period && !c.origin.contains("from")) {
    problem.series.from = std::max(0.0, problem.series.to - *problem.period);
  }
  if (scan.steady) {
    if (!problem.period) {
      throw UserError(std::string("--steady: no period of the force is known") + of_known_period);
    }
    problem.force_breaks =
        force_breaks(request.run.drive, slab::PeriodicForce::horizon * *problem.period, c.breaks);
  }
  return problem;
}

/// Throws UserError where an axis is a constant that nothing uses.
void require_used(const Configuration& c) {
  std::string texts;
  for (const std::string* text : {&c.stiffness, &c.threshold, &c.threshold_down, &c.initial_u,
                                  &c.force, &c.position, &c.base_acceleration}) {
    texts += *text + " ; ";
  }
  for (const auto& [key, text] : c.calculated) {
    texts += text + " ; ";
  }
  for (const auto* settings : {&c.settings, &c.lets}) {
    for (const Setting& setting : *settings) {
      texts += setting.text + " ; ";
    }
  }
  const std::vector<base::Word> used = base::words(texts);
  for (const Setting& over : c.over) {
    const std::string& name = over.parameter;
    if (key_of(name, kind_of(c.model)) == nullptr && parameter_of(name, c.model).empty() &&
        std::ranges::find(used, name, &base::Word::name) == used.end()) {
      throw UserError(
          fmt::format("{}: {} is no numeric key, and no function or number uses it as a constant",
                      over.origin, name));
    }
  }
}

}  // namespace

void resolve_scan(Configuration& c, const engine::RunSpec& run) {
  if (c.axes.empty()) {
    throw UserError("--over: nothing to scan; give --over \"NAME=first:last:count\"");
  }
  require_used(c);
  const auto* masing = std::get_if<engine::Masing>(&run.model);
  if (c.steady && !c.backbone.empty()) {
    throw UserError("--backbone: closed curves need no --steady; give one of the two");
  }
  if (c.steady && (masing == nullptr || (c.origin.contains("engine") && !engine::is_exact(run)))) {
    throw UserError("--steady: limit cycles are found by --model masing and --engine exact alone");
  }
  if (!c.backbone.empty() && engine::slab_of(run) == nullptr) {
    throw UserError("--backbone: closed curves are known of slabs; give --model masing");
  }
  if (!c.backbone.empty() && std::ranges::min(c.axes.back().values) <= 0.0) {
    throw UserError(fmt::format("--backbone: '{}' has amplitudes that are not > 0", c.backbone));
  }
  if (!c.backbone.empty() && c.keep_series) {
    throw UserError("--keep: closed curves are no runs and have no series");
  }
  // What each point resolves for itself.
  for (auto* time : {&c.from, &c.to}) {
    if (!c.origin.contains(time == &c.from ? "from" : "to")) {
      time->reset();
    }
  }
  if (!c.origin.contains("sample-every")) {
    c.sample_every.reset();
  }
}

scan::ScanSpec scan_spec(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  scan::ScanSpec spec{
      .axes = c.axes,
      .kind = kind_of_scan(c),
      .past = c.past,
      .keep_series = c.keep_series,
      .problem = [c](std::span<const double> values) { return problem_at(c, values); },
      .result = result_of(c, request.run, command_line),
      .checkpoint = checkpoint_of(c),
      .quiet = c.quiet};
  std::vector<std::string> names;
  for (const ScanAxis& axis : spec.axes) {
    names.push_back(axis.name);
  }
  spec.result.title = "scan over " + base::joined(names, ", ");
  (void)scan::first_problem(spec);  // what is wrong with every point is found before the scan
  return spec;
}

}  // namespace masing::cli
