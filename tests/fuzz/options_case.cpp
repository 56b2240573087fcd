#include "fuzz/options_case.hpp"

#include <set>

#include "rheology/catalogue.hpp"

namespace masing::fuzz {

namespace {

using cli::Option;

constexpr const char* ini = "case.ini";
constexpr const char* table = "f.csv";

struct Line {
  std::string key;
  std::string value;
};

std::string function_text(RandomText& random, char variable) {
  return random.once_in(4) ? random.table({table, "none.csv", ""})
                           : random.expression(variable, static_cast<int>(random.below(5)));
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
  switch (random.below(4)) {
    case 0:
      return random.list(5, ",", [&] { return random.number(); });
    case 1:
      return random.expression('i', static_cast<int>(random.below(3)));
    default:
      return random.number();
  }
}

/// Keys of a model, mostly those it takes, mostly once each.
std::vector<Line> lines(RandomText& random, cli::Command command) {
  const auto& entry = rheology::catalogue()[random.below(rheology::catalogue().size())];
  const bool masing = random.once_in(2);
  const cli::ModelKind kind = cli::kind_of(masing ? "masing" : entry.info.name);
  std::vector<Line> chosen;
  if (!masing) {
    chosen.push_back({"model", random.once_in(40) ? "mass" : entry.info.name});
    for (const auto& parameter : rheology::all_parameters(entry.info)) {
      if (entry.make != nullptr && (parameter.preset ? random.once_in(4) : !random.once_in(30))) {
        chosen.push_back({"set", parameter.name + "=" + parameter_value(random, parameter)});
      }
    }
  }
  std::set<std::string> used;
  for (std::size_t i = random.below(5); i > 0; --i) {
    const auto& all = cli::option_table();
    const Option& option = all[random.below(all.size())];
    const bool apt = option.is_of(kind) && option.is_of(command);
    if ((apt && used.insert(option.name).second && option.name != "model") || random.once_in(40)) {
      chosen.push_back({option.name, value_of(random, option)});
    }
  }
  return chosen;
}

std::string ini_line(const Line& line) {
  return line.key == "set" ? "model." + line.value + "\n" : line.key + " = " + line.value + "\n";
}

}  // namespace

OptionsCase options_case(RandomText& random) {
  OptionsCase one{.command = random.once_in(2) ? cli::Command::simulate : cli::Command::converge,
                  .words = {},
                  .files = {}};
  std::string text;
  for (const Line& line : lines(random, one.command)) {
    if (random.once_in(2)) {
      text += ini_line(line);
    } else if (random.once_in(2)) {
      one.words.push_back("--" + line.key + "=" + line.value);
    } else {
      one.words.insert(one.words.end(), {"--" + line.key, line.value});
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

}  // namespace masing::fuzz
