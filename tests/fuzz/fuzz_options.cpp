// Texts made by chance for everything a user can write: words, .ini files, expressions, tables,
// lists, levels, orders. Each must end as a UserError or as a valid configuration whose printed
// text is read back as the same, in bounded time. `--tries n --seed s`; a failure says how to make
// it again.

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "cli/model.hpp"
#include "cli/options.hpp"
#include "cli/printed.hpp"
#include "cli/request.hpp"
#include "cli/spec.hpp"
#include "fuzz/fuzz.hpp"
#include "rheology/catalogue.hpp"
#include "support/given.hpp"

using namespace masing;

namespace {

using fuzz::Outcome;
using fuzz::RandomText;

/// What a user might type: a command, its words, and the files that they may name.
struct OptionsCase {
  cli::Command command = cli::Command::simulate;
  std::vector<std::string> words;
  std::map<std::string, std::string> files;
};

using cli::Option;

constexpr const char* ini = "case.ini";
constexpr const char* table = "f.csv";

struct Setting {
  std::string key;
  std::string value;
};

std::string function_text(RandomText& random, char variable) {
  if (random.once_in(10)) {
    return random.number() + "*r(" + variable + ")";
  }
  return random.once_in(4) ? random.table({table, "none.csv", ""}) : random.expression(variable);
}

std::string levels(RandomText& random) {
  std::size_t last = 1 + random.below(50);
  const bool pairs = random.once_in(3);
  return random.list(6, ",", [&] {
    last = random.once_in(8) ? random.below(1000) : 2 * last;
    const std::string n = random.once_in(12) ? random.whole_number() : std::to_string(last);
    return pairs ? std::to_string(last) + ":" + n : n;
  });
}

std::string orders(RandomText& random) {
  return random.list(4, ",", [&] {
    return random.one_of({"x", "y", "u", "u_cells", "z", ""}) +
           random.one_of({"=", ">=", "=>=", "", "=="}) + random.number();
  });
}

/// A value as `option` takes it, often one that it does not.
std::string value_of(RandomText& random, const Option& option) {
  const std::string& kind = option.argument;
  if (kind.find('|') != std::string::npos && !random.once_in(6)) {
    const auto begin = random.once_in(2) ? 0 : kind.find('|') + 1;
    const std::string choice = kind.substr(begin, kind.find('|', begin) - begin);
    return choice == "P" ? random.whole_number() : choice;
  }
  if (kind.ends_with("(s)") || kind.ends_with("(t)")) {
    return function_text(random, kind[kind.size() - 2]);
  }
  if (option.name == "levels") {
    return levels(random);
  }
  if (option.name == "expect-order") {
    return orders(random);
  }
  if (kind.starts_with('"')) {
    return random.list(4, ",", [&] { return random.number(); });
  }
  if (kind.empty()) {
    return random.one_of({"true", "false", "", "1"});
  }
  if (kind == "FILE.h5") {
    return random.one_of({"a.h5", "b c.h5", "ü.h5", "[a]", "\"q\"", ""});
  }
  return kind == "n" || kind == "N" || kind == "m" ? random.whole_number() : random.number();
}

std::string parameter_value(RandomText& random, const rheology::Parameter& parameter) {
  if (parameter.name == rheology::element_count) {
    return std::to_string(random.below(40));
  }
  const std::size_t kind = random.below(4);
  return kind == 0   ? random.list(5, ",", [&] { return random.number(); })
         : kind == 1 ? random.expression('i')
                     : random.number();
}

/// Keys of a model, mostly those it takes, mostly once each.
std::vector<Setting> lines(RandomText& random, cli::Command command) {
  const auto& entry = rheology::catalogue()[random.below(rheology::catalogue().size())];
  const bool masing = random.once_in(2);
  const cli::ModelKind kind = cli::kind_of(masing ? "masing" : entry.info.name);
  std::vector<Setting> chosen;
  if (!masing) {
    chosen.push_back({"model", random.once_in(40) ? "mass" : entry.info.name});
    for (const auto& parameter : rheology::all_parameters(entry.info)) {
      if (entry.make != nullptr && (parameter.preset ? random.once_in(4) : !random.once_in(30))) {
        chosen.push_back({"set", parameter.name + "=" + parameter_value(random, parameter)});
      }
    }
  }
  if (random.once_in(3)) {
    chosen.push_back({"table", "r=" + std::string(random.once_in(4) ? "points:0 1; 1 2" : table)});
  }
  std::set<std::string> used;
  for (std::size_t i = random.below(5); i > 0; --i) {
    const auto& all = cli::option_table();
    const Option& option = all[random.below(all.size())];
    const bool apt = option.is_of(kind) && option.is_of(command) && option.role != cli::Role::call;
    if ((apt && used.insert(option.name).second && option.name != "model") || random.once_in(40)) {
      chosen.push_back({option.name, value_of(random, option)});
    }
  }
  return chosen;
}

std::string ini_text(const Setting& setting) {
  return setting.key == "set"     ? "model." + setting.value + "\n"
         : setting.key == "table" ? "table." + setting.value + "\n"
                                  : setting.key + " = " + setting.value + "\n";
}

/// Keys of any command and model with values of their kind, given by words and by an .ini, some of
/// it damaged.
OptionsCase options_case(RandomText& random) {
  OptionsCase one{.command = random.once_in(2) ? cli::Command::simulate : cli::Command::converge,
                  .words = {},
                  .files = {}};
  std::string text;
  for (const Setting& setting : lines(random, one.command)) {
    if (random.once_in(2)) {
      text += ini_text(setting);
    } else if (random.once_in(2)) {
      one.words.push_back("--" + setting.key + "=" + setting.value);
    } else {
      one.words.insert(one.words.end(), {"--" + setting.key, setting.value});
    }
  }
  if (!text.empty() || random.once_in(10)) {
    one.words.push_back(std::string("--config=") + ini);
    one.files[ini] = random.once_in(4) ? random.damaged(text) : text;
  }
  if (!one.words.empty() && random.once_in(5)) {
    std::string& word = one.words[random.below(one.words.size())];
    word = random.damaged(word);
  }
  const std::string content = "s,k\n0,1\n0.5," + random.number() + "\n1,2\n";
  one.files[table] = random.once_in(4) ? random.damaged(content) : content;
  return one;
}

std::string described(const OptionsCase& one) {
  std::string text = one.command == cli::Command::simulate ? "simulate" : "converge";
  for (const std::string& word : one.words) {
    text.append(" '").append(word).append("'");
  }
  for (const auto& [name, content] : one.files) {
    text.append("\n--- ").append(name).append("\n").append(content);
  }
  return text;
}

// A model may have more elements than a try has time for.
constexpr std::int64_t most_elements = 100000;

cli::Request parsed(const OptionsCase& one) {
  return cli::parse(one.command, one.words, {.text = given::reader(one.files)});
}

bool is_too_long(const cli::Request& request) {
  const auto is_long = [](const auto& setting) {
    const auto& [parameter, text, origin] = setting;
    return parameter == rheology::element_count &&
           base::to_integer(text).value_or(0) > most_elements;
  };
  return request.parameters && std::ranges::any_of(request.parameters->settings, is_long);
}

/// What a request says when it is printed and read again, with no file but itself.
std::string read_back(const cli::BoundRequest& request) {
  return cli::printed(cli::bind(parsed({.command = request.request->command,
                                        .words = {"--config=printed.ini"},
                                        .files = {{"printed.ini", cli::printed(request)}}})));
}

/// What the program does with an accepted request before its first step, short of cells.
void use(const cli::BoundRequest& request) {
  if (const auto* spec = std::get_if<rheology::ModelSpec>(&request.run.model)) {
    rheology::build(*spec, spec->all());
  }
  for (const double share : {0.0, 0.3, 1.0}) {
    (void)request.run.drive(share * request.run.time.final_time);
  }
  if (std::holds_alternative<engine::Masing>(request.run.model)) {
    const cli::Configuration& c = request.configuration;
    base::breaks({{"force", request.run.drive}}, c.final_time, c.breaks);
  }
}

/// Whether a case is taken or refused; throws std::logic_error where it is neither.
Outcome try_case(const OptionsCase& one) {
  std::string before;
  cli::BoundRequest valid;
  try {
    cli::Request request = parsed(one);
    if (is_too_long(request)) {
      return Outcome::skipped;
    }
    valid = cli::bind(std::move(request));
    before = cli::printed(valid);
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
    return Outcome::refused;
  }
  // What is refused now is a failure, too.
  const std::string after = read_back(valid);
  if (after != before) {
    throw std::logic_error("printed\n" + before + "read again as\n" + after);
  }
  try {
    use(valid);
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
  }
  return Outcome::taken;
}

}  // namespace

int main(int count, char** values) {
  return fuzz::run(count, values, [](RandomText& random, std::string& description) {
    const OptionsCase one = options_case(random);
    description = described(one);
    return try_case(one);
  });
}
