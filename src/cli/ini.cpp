#include "cli/ini.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cassert>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"

namespace masing::cli {

using base::UserError;

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The numbers of the lines that assign something: Boost keeps their order but not their numbers.
std::vector<std::int64_t> assigning_lines(const std::string& content) {
  std::vector<std::int64_t> numbers;
  std::int64_t number = 0;
  for (const auto& line : base::split(content, '\n')) {
    ++number;
    const std::string_view text = base::trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty() && !(text.starts_with('[') && text.ends_with(']'))) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

std::vector<Assignment> ini_assignments(const std::string& path, const std::string& content) {
  const std::string text =
      content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content;
  std::istringstream stream(text);
  std::vector<Assignment> assignments;
  try {
    const std::vector<std::int64_t> lines = assigning_lines(text);
    for (const auto& option : boost::program_options::parse_config_file(stream, {}, true).options) {
      assert(assignments.size() < lines.size());
      assignments.push_back({option.string_key, option.value.empty() ? "" : option.value.front(),
                             lines[assignments.size()]});
    }
  } catch (const boost::program_options::error& error) {
    throw UserError(path + ": " + error.what() + "; lines are 'key = value'");
  }
  return assignments;
}

std::string leading_comment(const std::string& content) {
  std::istringstream stream(
      content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content);
  std::string comment;
  for (std::string line; std::getline(stream, line) && line.starts_with('#');) {
    const std::string words(base::trimmed(line.substr(1)));
    if (!words.starts_with("masing ")) {
      comment += words + "\n";
    }
  }
  return comment;
}

namespace {

/// A number as it was given, and its value as a comment.
std::string with_value(const std::string& given, const std::string& value) {
  return given == value ? given : given + "  # " + value;
}

std::string print(const Configuration& configuration, bool handling_too) {
  std::string text = "# masing " + name_of(configuration.command) + "\n";
  std::istringstream comment(configuration.comment);
  for (std::string line; std::getline(comment, line);) {
    text += "# " + line + "\n";
  }
  const ModelKind kind = kind_of(configuration.model);
  for (const Option* option : options_of(configuration.command)) {
    if (takes(kind, *option) && (handling_too || option->role == Role::result)) {
      const std::string value = option->get(configuration);
      if (option->is_numeric && value.empty() && configuration.command == Command::scan) {
        continue;  // each point has its own
      }
      const auto given = configuration.calculated.find(option->name);
      const std::string shown =
          given == configuration.calculated.end() ? value : with_value(given->second, value);
      // A model of finitely many elements has no engine unless one is given.
      if (kind != ModelKind::finite || option->role != Role::result || !value.empty()) {
        text += option->name + " = " + shown + "\n";
      }
    }
  }
  text += configuration.settings.empty() ? "" : "\n[model]\n";
  for (const Setting& setting : configuration.settings) {
    text.append(setting.parameter).append(" = ").append(setting.text).append("\n");
  }
  text += configuration.over.empty() ? "" : "\n[over]\n";
  for (const Setting& over : configuration.over) {
    text.append(over.parameter).append(" = ").append(over.text).append("\n");
  }
  text += configuration.lets.empty() ? "" : "\n[let]\n";
  for (const Setting& let : configuration.lets) {
    const std::string value = base::to_text(configuration.constants.at(let.parameter));
    text += let.parameter + " = " +
            (is_calculated(let.text) ? with_value(let.text, value) : let.text) + "\n";
  }
  return text;
}

}  // namespace

std::string printed(const Configuration& configuration) {
  return print(configuration, true);
}

std::string printed_result_keys(const Configuration& configuration) {
  return print(configuration, false);
}

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

namespace {

/// A text for comparison: without blanks but those that part a table's numbers, and its checksum in
/// place of one that no attribute would hold.
std::string comparable(std::string text) {
  if (!text.starts_with("points:")) {
    std::erase(text, ' ');
  }
  constexpr std::size_t longest = 1000;
  if (text.size() <= longest) {
    return text;
  }
  const XXH128_hash_t sum = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> problem_data(const Configuration& c) {
  const std::set<std::string> data{"threshold-down",
                                   "model",
                                   "base-acceleration",
                                   "stiffness",
                                   "threshold",
                                   "initial-u",
                                   "force",
                                   "position",
                                   "mass",
                                   "damping",
                                   "k0",
                                   "x0",
                                   "y0",
                                   "final-time"};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Option& option : option_table()) {
    if (data.contains(option.name) && takes(kind_of(c.model), option)) {
      const std::string text = option.get(c);
      pairs.emplace_back(
          option.name,
          comparable(option.name == "model" ? text : without_constants(text, c.constants)));
    }
  }
  for (const Setting& setting : c.settings) {
    pairs.emplace_back("model." + setting.parameter,
                       comparable(without_constants(setting.text, c.constants)));
  }
  return pairs;
}

std::string problem_text(const Configuration& c) {
  const std::set<std::string> silent{"threshold-down=", "damping=0", "base-acceleration=0"};
  std::vector<std::string> texts;
  for (const auto& [key, value] : problem_data(c)) {
    texts.push_back(fmt::format("{}={}", key, value));
  }
  std::erase_if(texts, [&](const std::string& text) { return silent.contains(text); });
  return base::joined(texts, ";");
}

}  // namespace masing::cli
