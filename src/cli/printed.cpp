#include "cli/printed.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// A number as it was given, and its value as a comment.
std::string with_value(const std::string& given, const std::string& value) {
  return given == value ? given : given + "  # " + value;
}

std::string section(const std::string& name, const std::vector<Setting>& settings) {
  std::string text = settings.empty() ? "" : "\n[" + name + "]\n";
  for (const Setting& setting : settings) {
    text += setting.name + " = " + setting.text + "\n";
  }
  return text;
}

/// The options that decide as much as `last`, of the request's command and model, but those of a
/// scan that have a value of their own at each point.
std::vector<const Option*> options_of(const Request& request, Role last) {
  const ModelKind kind = kind_of(request.model);
  std::vector<const Option*> options;
  for (const Option& option : option_table()) {
    const bool is_of_points =
        request.command == Command::scan && !request.has(option.name) &&
        (option.name == "from" || option.name == "to" || option.name == "sample-every");
    if (option.is_of(request.command) && option.is_of(kind) && option.role <= last &&
        !is_of_points) {
      options.push_back(&option);
    }
  }
  return options;
}

std::string print(const Validated& made, Role last) {
  const Request& request = *made.request;
  std::string text = "# masing " + name_of(request.command) + "\n";
  std::istringstream comment(request.comment);
  for (std::string line; std::getline(comment, line);) {
    text += "# " + line + "\n";
  }
  for (const Option* option : options_of(request, last)) {
    const std::string value = option->value.text(made.configuration);
    const auto entry = request.entries.find(option->name);
    const std::string given = entry == request.entries.end() ? "" : entry->second.reading.shown;
    // No value: one of each point of a scan, or what a model of finitely many elements is without.
    const bool may_be_none =
        request.parameters || (option->value.is_numeric && request.command == Command::scan);
    if (!value.empty() || !may_be_none || option->role == Role::handling) {
      text += option->name + " = " +
              (given.empty()              ? value
               : option->value.is_numeric ? with_value(given, value)
                                          : given) +
              "\n";
    }
  }
  text += request.parameters ? section("model", request.parameters->settings) : "";
  text += section("over", request.over);
  std::vector<Setting> lets = request.lets;
  for (Setting& let : lets) {
    if (!base::to_number(let.text)) {
      let.text = with_value(let.text, base::to_text(made.configuration.constants.at(let.name)));
    }
  }
  return text + section("let", lets);
}

}  // namespace

std::string printed(const Validated& request) {
  return print(request, Role::handling);
}

std::string printed_result_keys(const Validated& request) {
  return print(request, Role::result);
}

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// The keys of a request up to a role with their values, constants replaced by theirs; of what a
/// scan makes of constants, whose values vary, the texts.
Values values_of(const Validated& made, Role last) {
  const Request& request = *made.request;
  const Configuration& c = made.configuration;
  const bool has_points = request.command == Command::scan && last != Role::problem;
  Values values;
  for (const Option* option : options_of(request, last)) {
    const auto entry = request.entries.find(option->name);
    const bool is_text =
        has_points && entry != request.entries.end() && !entry->second.reading.shown.empty();
    values.emplace_back(option->name,
                        is_text ? entry->second.reading.shown : option->value.text(c));
  }
  for (std::size_t p = 0; request.parameters && p < request.parameters->settings.size(); ++p) {
    const Setting& setting = request.parameters->settings[p];
    values.emplace_back("model." + setting.name,
                        has_points ? setting.text : request.parameters->text(p, c.constants));
  }
  const auto add = [&](const std::string& section, const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
      values.emplace_back(section + setting.name, setting.text);
    }
  };
  if (has_points) {
    add("over.", request.over);
    add("let.", request.lets);
  }
  return values;
}

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

/// Whether the same trajectory goes on for longer: the step and every time t_p = p·T/N so far are
/// the same to the bit.
bool is_extended(const Validated& request, const Configuration& before) {
  const slab::TimeGrid now{request.configuration.final_time, request.configuration.steps};
  const slab::TimeGrid then{before.final_time, before.steps};
  if (request.request->command != Command::simulate || !(now.final_time > then.final_time) ||
      now.step() != then.step()) {
    return false;
  }
  std::int64_t step = 0;
  while (step <= then.steps && now.time(step) == then.time(step)) {
    ++step;
  }
  return step > then.steps;
}

}  // namespace

std::vector<Difference> differences(const Validated& one, const Validated& other, Role last) {
  const Values of_other = values_of(other, last);
  std::map<std::string, std::string> left(of_other.begin(), of_other.end());
  std::vector<Difference> found;
  for (const auto& [key, value] : values_of(one, last)) {
    const auto twin = left.find(key);
    const std::string beside = twin == left.end() ? "none" : twin->second;
    if (comparable(beside) != comparable(value)) {
      found.push_back({key, value, beside});
    }
    left.erase(key);
  }
  for (const auto& [key, value] : left) {
    found.push_back({key, "none", value});
  }
  return found;
}

Validated continued(Validated request, const Validated& old) {
  Configuration& now = request.configuration;
  if (!request.request->has("sample-every")) {
    now.sample_every = old.configuration.sample_every;
  }
  if (!request.request->has("field-points")) {
    now.field_points = old.configuration.field_points;
  }
  std::set<std::string> may_differ;
  if (is_extended(request, old.configuration)) {
    may_differ = {"final-time", "steps"};
    if (old.configuration.to == old.configuration.final_time && now.to == now.final_time) {
      may_differ.insert("to");
    }
  }
  std::vector<std::string> differing;
  for (const auto& [key, was, is] : differences(old, request, Role::result)) {
    if (!may_differ.contains(key)) {
      differing.push_back(fmt::format("{} (was {:.60}, is {:.60})", key, was, is));
    }
  }
  if (!differing.empty()) {
    throw UserError("restart",
                    now.restart + " is of another configuration: " + base::joined(differing, ", ") +
                        "; give the same, or a later --final-time with --steps for the same step");
  }
  return request;
}

std::string problem_text(const Validated& request) {
  const std::set<std::string> silent{"threshold-down=", "damping=0", "base-acceleration=0"};
  std::vector<std::string> texts;
  for (const auto& [key, value] : values_of(request, Role::problem)) {
    texts.push_back(fmt::format("{}={}", key, comparable(value)));
  }
  std::erase_if(texts, [&](const std::string& text) { return silent.contains(text); });
  return base::joined(texts, ";");
}

}  // namespace masing::cli
