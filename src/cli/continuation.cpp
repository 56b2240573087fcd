#include "cli/continuation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/parse.hpp"

namespace masing::cli {

namespace {

using Lines = std::map<std::string, std::string>;

/// The values of a printed configuration by their keys, "[section] key" within a section: of a
/// number given as an expression its value, which stands behind it as a comment.
Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    const auto equals = line.find('=');
    if (line.starts_with('[')) {
      section = line + " ";
    } else if (!line.starts_with('#') && equals != std::string::npos) {
      const auto comment = line.find("# ");
      lines[section + std::string(base::trimmed(line.substr(0, equals)))] =
          base::trimmed(line.substr(comment == std::string::npos ? equals + 1 : comment + 2));
    }
  }
  return lines;
}

double number_of(const Lines& lines, const std::string& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? 0.0 : base::to_number(found->second).value_or(0.0);
}

/// Whether the same trajectory goes on for longer: the step and every time t_p = p·T/N so far are
/// the same to the bit.
bool is_extended(const Configuration& now, const Lines& before) {
  const double final_time = number_of(before, "final-time");
  const double steps = number_of(before, "steps");
  const auto steps_now = static_cast<double>(now.steps);
  if (now.command != Command::simulate || !(now.final_time > final_time) ||
      now.final_time / steps_now != final_time / steps) {
    return false;
  }
  double step = 0.0;
  while (step <= steps && step * now.final_time / steps_now == step * final_time / steps) {
    ++step;
  }
  return step > steps;
}

/// Keys that an extension changes.
std::set<std::string> changed_by_extension(const Configuration& now, const Lines& before) {
  std::set<std::string> keys{"final-time", "steps"};
  if (number_of(before, "to") == number_of(before, "final-time") && *now.to == now.final_time) {
    keys.insert("to");
  }
  return keys;
}

}  // namespace

Configuration continued(Configuration now, const std::string& before) {
  const Lines old = lines_of(before);
  if (!now.origin.contains("sample-every") && old.contains("sample-every")) {
    now.sample_every = base::to_integer(old.at("sample-every"));
  }
  if (!now.origin.contains("field-points") && old.contains("field-points")) {
    now.field_points = base::to_integer(old.at("field-points"));
  }
  Lines mine = lines_of(printed_result_keys(now));
  std::set<std::string> may_differ;
  if (is_extended(now, old)) {
    may_differ = changed_by_extension(now, old);
  }
  std::vector<std::string> differing;
  Lines all = old;
  all.insert(mine.begin(), mine.end());
  for (const auto& [key, value] : all) {
    const auto text = [&key = key](const Lines& lines) {
      const auto found = lines.find(key);
      return found == lines.end() ? std::string("none") : found->second.substr(0, 60);
    };
    if (!may_differ.contains(key) &&
        (!old.contains(key) || !mine.contains(key) || old.at(key) != mine.at(key))) {
      differing.push_back(key + " (was " + text(old) + ", is " + text(mine) + ")");
    }
  }
  if (!differing.empty()) {
    throw base::UserError(
        "--restart: " + now.restart +
        " is of another configuration: " + base::joined(differing, ", ") +
        "; give the same, or a later --final-time with --steps for the same step");
  }
  return now;
}

}  // namespace masing::cli
