#include "cli/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/model.hpp"

namespace masing::cli {

using base::UserError;

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
      refuse_axis(over, in_quotes(over.text) + " is no range");
    }
    const double first = Number(pieces[0], {}).value({});
    const double last = Number(pieces[1], {}).value({});
    const std::int64_t count = Number(pieces[2], {}).whole({});
    if (count < 2 || static_cast<double>(count) > most_points) {
      refuse_axis(over, in_quotes(over.text) + " needs from 2 to 10^6 values");
    }
    if (is_log && !(first * last > 0.0)) {
      refuse_axis(over, in_quotes(over.text) + " crosses 0, where log has no value");
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
  } else {
    require_name(over);
  }
  return axis;
}

/// The amplitudes of "X=0.01:2:200:log".
Axis amplitudes_of(const std::string& text) {
  const auto sign = text.find('=');
  const std::string name{base::trimmed(text.substr(0, sign))};
  if (sign == std::string::npos || name.empty() || find_option(name) != nullptr) {
    throw UserError("--backbone: " + in_quotes(text) +
                    " is no axis of amplitudes; give \"X=0.01:2:200:log\"");
  }
  const Setting given{name, std::string(base::trimmed(text.substr(sign + 1))), "--backbone"};
  return {.values = {name, values_of(given)}, .is_amplitude = true};
}

}  // namespace

std::vector<Axis> scan_axes(const std::vector<Setting>& over, const std::string& backbone,
                            const std::string& model) {
  std::vector<Axis> axes(over.size());
  std::ranges::transform(over, axes.begin(),
                         [&](const Setting& one) { return axis_of(one, model); });
  if (!backbone.empty()) {
    axes.push_back(amplitudes_of(backbone));
  }
  double points = 1.0;
  for (const Axis& axis : axes) {
    if (scan::is_point_column(axis.values.name)) {
      throw UserError(fmt::format(
          "--{0}: the file of a scan has a column {1} of its own; give another name",
          axis.is_amplitude ? "backbone" : "over " + axis.values.name, axis.values.name));
    }
    points *= static_cast<double>(axis.values.values.size());
  }
  if (points > most_points) {
    throw UserError(fmt::format("--over: {:g} points; at most {:g}", points, most_points));
  }
  return axes;
}

}  // namespace masing::cli
