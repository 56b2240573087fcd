#include "cli/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"
#include "cli/ini.hpp"
#include "cli/scan.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"

namespace masing::cli {

namespace po = boost::program_options;
using base::UserError;

namespace {

/// Keys with their texts and where they stood.
struct Given {
  std::string key;
  std::string text;
  std::string origin;
};

/// An option that may be repeated, NAME=VALUE, and the section whose lines say the same in an .ini;
/// the section stands before NAME in Given::key, however given.
struct Repeated {
  std::string_view key;
  std::string_view section;
  const char* argument;
  const char* help;
  std::vector<Setting> Configuration::*member;
  bool of_scans_only = false;

  [[nodiscard]] bool is_of(Command command) const {
    return command == Command::scan || !of_scans_only;
  }
};
const std::array repeated{
    Repeated{"set", "model.", "PARAMETER=VALUE",
             "a parameter of another model than masing, as a number, a list \"0.5,0.9\" or an "
             "expression in i and n; once for each",
             &Configuration::settings},
    Repeated{"let", "let.", "NAME=VALUE",
             "a constant for every expression and every number, itself a number or an expression; "
             "once for each",
             &Configuration::lets},
    Repeated{"over", "over.", "NAME=VALUES",
             "what to scan, a constant or a numeric key: \"w=0.3:1.75:30\", with :log behind it in "
             "a geometric sequence, or \"w=0.4,0.7,1\"; once for each, the last varies fastest",
             &Configuration::over, true}};
constexpr std::string_view model_section = "model.";

/// What a key is one of, null for other keys.
const Repeated* repeated_of(const std::string& key) {
  const auto found =
      std::ranges::find_if(repeated, [&](const Repeated& r) { return key.starts_with(r.section); });
  return found == repeated.end() ? nullptr : &*found;
}

bool is_repeated(Command command, const std::string& key) {
  const Repeated* one = repeated_of(key);
  return one != nullptr && one->is_of(command);
}

po::options_description declared(Command command) {
  po::options_description description("Options", 100, 50);
  const Configuration defaults{.command = command};
  for (const Option* option : options_of(command)) {
    const std::string preset = option->get(defaults);
    const std::string help =
        option->help + (preset.empty() || option->argument.empty() ? "" : " [" + preset + "]");
    const auto type = option->argument.empty()
                          ? po::value<std::string>()->implicit_value("true")->zero_tokens()
                          : po::value<std::string>()->value_name(option->argument);
    description.add_options()(option->name.c_str(), type, help.c_str());
    if (option->name == "model") {
      for (const Repeated& one : repeated) {
        if (one.is_of(command)) {
          description.add_options()(one.key.data(),
                                    po::value<std::string>()->value_name(one.argument), one.help);
        }
      }
    }
  }
  return description;
}

po::options_description declared_requests() {
  po::options_description description("About the run", 100, 50);
  auto add = description.add_options();
  add("config", po::value<std::string>()->value_name("FILE.ini"),
      "the same keys, one 'key = value' a line; the command line wins");
  add("print-config", "print the resolved configuration as an .ini and stop");
  add("validate-only", "check the configuration, every cell of it, and stop");
  add("petsc", "all words after it go to PETSc (-log_view, ...)");
  add("help", "this text");
  return description;
}

/// The key that a misspelt one has the most first letters in common with, three at least.
std::string nearest(Command command, const std::string& key) {
  const auto common = [&](const Option* option) {
    return std::ranges::mismatch(option->name, key).in1 - option->name.begin();
  };
  const auto options = options_of(command);
  const auto best = std::ranges::max_element(options, {}, common);
  return common(*best) >= 3 ? "; did you mean " + (*best)->name + "?"
                            : "; masing " + name_of(command) + " --help lists the keys";
}

bool takes(Command command, const std::string& key) {
  const auto taken = options_of(command);
  return std::ranges::find(taken, key, &Option::name) != taken.end();
}

std::string unknown(Command command, const std::string& key) {
  for (const auto& option : option_table()) {
    if (option.name == key) {
      return "is a key of masing " + name_of(option.commands.front()) + " only";
    }
  }
  return "is not a key" + nearest(command, key);
}

/// "--set k=2" as the line "k = 2" below [model] would be.
void unfold(const Repeated& one, Given& given) {
  const auto sign = given.text.find('=');
  const std::string name{base::trimmed(given.text.substr(0, sign))};
  const std::string option = "--" + std::string(one.key);
  if (sign == std::string::npos || name.empty()) {
    throw UserError(option + ": '" + given.text + "' sets nothing; give " + option + " " +
                    one.argument);
  }
  given = {std::string(one.section) + name, given.text.substr(sign + 1), option + " " + name};
}

std::vector<Given> from_words(Command command, const std::vector<std::string>& words) {
  po::options_description all;
  all.add(declared(command)).add(declared_requests());
  namespace style = po::command_line_style;
  const auto parsed =
      po::command_line_parser(words)
          .options(all)
          .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
          .run();
  std::vector<Given> given;
  for (const auto& option : parsed.options) {
    if (option.string_key.empty() || option.position_key >= 0) {
      const std::string word = option.value.empty() ? "" : option.value.front();
      throw UserError("unexpected word '" + word + "'" +
                      (word.ends_with(".ini") ? "; give --config " + word
                                              : "; options start with --, values follow them"));
    }
    // Boost would take the next option for the value: a result file called "--quiet".
    const bool next_word = option.original_tokens.size() > 1;
    if (next_word && !option.value.empty() && option.value.front().starts_with("--")) {
      throw UserError("--" + option.string_key + ": no value before " + option.value.front() +
                      "; give --" + option.string_key + "=VALUE");
    }
    given.push_back({option.string_key, option.value.empty() ? "true" : option.value.front(),
                     "--" + option.string_key});
    const auto one = std::ranges::find(repeated, given.back().key, &Repeated::key);
    if (one != repeated.end()) {
      unfold(*one, given.back());
    }
  }
  return given;
}

std::vector<Given> from_ini(Command command, const std::string& path, const std::string& content) {
  std::vector<Given> given;
  for (const Assignment& one : ini_assignments(path, content)) {
    given.push_back({one.key, one.text, path});
    given.back().origin.append(" line ").append(std::to_string(one.line)).append(", " + one.key);
    if (!takes(command, one.key) && !is_repeated(command, one.key)) {
      throw UserError(given.back().origin + ": " + one.key + " " + unknown(command, one.key));
    }
    if (one.key == "model.name") {
      given.back().key = "model";  // the name of the model may stand with its parameters
    }
  }
  return given;
}

/// Whether one of the words decides what is computed.
bool changes_result(const std::vector<Given>& words) {
  return std::ranges::any_of(words, [](const Given& one) {
    const auto option = std::ranges::find(option_table(), one.key, &Option::name);
    return option == option_table().end() ? one.key.starts_with(model_section)
                                          : option->role == Role::result;
  });
}

/// The one key of what may be given in several ways: parameters of a model of `kind`.
void normalise(ModelKind kind, std::vector<Given>& all) {
  for (Given& given : all) {
    if (kind != ModelKind::finite) {
      continue;
    }
    for (const Option& option : option_table()) {
      if (!option.parameter.empty() &&
          (given.key == option.name || given.key == model_section.data() + option.name)) {
        given.key = model_section.data() + option.parameter;
      }
    }
  }
}

/// Sets the constants of a scan's first point, which its numbers need.
void begin_scan(const std::vector<Given>& file, const std::vector<Given>& line,
                Configuration& configuration) {
  for (const auto* source : {&file, &line}) {
    for (const Given& given : *source) {
      if (given.key == "model" || given.key == "backbone") {
        (given.key == "model" ? configuration.model : configuration.backbone) =
            base::trimmed(given.text);
      }
    }
  }
  configuration.axes = scan_axes(configuration);
  set_constants(configuration, configuration.axes, first_values(configuration.axes));
}

void refuse_repeats(const std::vector<Given>& given) {
  for (auto i = given.begin(); i != given.end(); ++i) {
    const auto first =
        std::find_if(given.begin(), i, [&](const Given& g) { return g.key == i->key; });
    if (first != i) {
      throw UserError(i->origin + ": given twice" +
                      (first->origin == i->origin ? "" : ", first by " + first->origin) +
                      "; give it once");
    }
  }
}

void set_repeated(const Repeated& one, const Given& given, Configuration& configuration) {
  put({given.key.substr(one.section.size()), std::string(base::trimmed(given.text)), given.origin},
      configuration.*one.member);
}

/// Sets what may be repeated: before all keys, whose numbers may need the constants.
void set_repeated(const std::vector<Given>& given, Configuration& configuration) {
  for (const Given& one : given) {
    // An .ini could not say it again: # begins a comment there, and a line is a value.
    if (one.key != "config" && one.text.find_first_of("#\n\r") != std::string::npos) {
      throw UserError(one.origin + ": a value must be one line without #");
    }
    if (const Repeated* kind = repeated_of(one.key)) {
      set_repeated(*kind, one, configuration);
    }
  }
}

void set_all(const std::vector<Given>& given, Configuration& configuration) {
  for (const Given& one : given) {
    const auto& [key, text, origin] = one;
    const auto option = std::ranges::find(option_table(), key, &Option::name);
    if (option == option_table().end()) {
      continue;  // what may be repeated, or a request such as --config
    }
    set(*option, std::string(base::trimmed(text)), origin, configuration);
  }
}

const Given* find(const std::vector<Given>& given, const std::string& key) {
  const auto found = std::ranges::find(given, key, &Given::key);
  return found == given.end() ? nullptr : &*found;
}

/// from_words, with Boost's exceptions as UserError.
std::vector<Given> words_or_mistake(Command command, const std::vector<std::string>& words) {
  try {
    return from_words(command, words);
  } catch (const po::unknown_option& error) {
    std::string key = error.get_option_name();
    key.erase(0, key.find_first_not_of('-'));
    throw UserError("--" + key + ": " + key + " " + unknown(command, key));
  } catch (const po::error& error) {
    throw UserError(std::string(error.what()) + "; masing " + name_of(command) +
                    " --help lists the options");
  }
}

}  // namespace

Parsed parse(Command command, const std::vector<std::string>& words, const base::FileReader& read) {
  Parsed request{.configuration = {.command = command}};
  std::vector<Given> line = words_or_mistake(command, words);
  request.help = find(line, "help") != nullptr;
  request.print_config = find(line, "print-config") != nullptr;
  request.validate_only = find(line, "validate-only") != nullptr;
  if (request.help) {
    return request;
  }
  std::vector<Given> file;
  if (const Given* config = find(line, "config")) {
    const std::string content = read(config->text);
    file = from_ini(command, config->text, content);
    request.configuration.comment = changes_result(line) ? "" : leading_comment(content);
  }
  const Given* model = find(line, "model");
  model = model == nullptr ? find(file, "model") : model;
  const ModelKind kind = kind_of(model == nullptr ? request.configuration.model
                                                  : std::string(base::trimmed(model->text)));
  for (auto* source : {&file, &line}) {
    normalise(kind, *source);
    refuse_repeats(*source);
    set_repeated(*source, request.configuration);
  }
  Configuration& configuration = request.configuration;
  if (command == Command::scan) {
    begin_scan(file, line, configuration);
  } else {
    configuration.constants = resolved(configuration.lets);
  }
  set_all(file, configuration);
  set_all(line, configuration);
  set_keys(configuration, configuration.axes, first_values(configuration.axes));
  return request;
}

std::string help(Command command) {
  std::ostringstream text;
  text << "masing " << name_of(command) << ": "
       << (command == Command::simulate ? "one trajectory of a model, written to HDF5"
           : command == Command::converge
               ? "a refinement study: errors, observed orders and a verdict"
               : "one run, or one limit cycle, for each point of a grid")
       << "\n\n"
       << declared(command) << '\n'
       << declared_requests();
  return text.str();
}

namespace {

/// The run of a request with the largest step.
engine::RunSpec coarsest(const Validated& request) {
  engine::RunSpec run = request.run;
  const auto& levels = request.configuration.levels;
  if (!levels.empty()) {
    run.time.steps = std::ranges::min_element(levels, {}, &study::Level::steps)->steps;
  }
  return run;
}

/// The configuration as one that goes on with its checkpoint.
Configuration continued(const Invocation& call, const Configuration& configuration) {
  const std::string& file = configuration.restart;
  return cli::continued(configuration, call.on_root([&] {
    io::require_seal(file, "restart");  // before HDF5 looks at it
    const io::Recipe recipe = io::read_recipe(file);
    const std::string command = name_of(configuration.command);
    if (recipe.kind != command) {
      throw UserError(fmt::format("--restart: {} is of masing {}; give a checkpoint of masing {}",
                                  file, recipe.kind, command));
    }
    return recipe.configuration;
  }));
}

/// What `read` makes of a result file, a text; warns where nothing tells whether it is sound.
std::string read_of_sound_file(const std::string& file, const std::function<std::string()>& read) {
  if (!io::require_sound(file)) {
    std::fputs(fmt::format("masing warning: {} has no seal: an older masing or another program "
                           "wrote or changed it, and damage may go unnoticed\n",
                           file)
                   .c_str(),
               stderr);
  }
  return io::reading(file, read);
}

/// Throws UserError where a file that the run writes is one that it reads, by whatever name. A
/// checkpoint may replace the one that the run goes on with.
void require_outputs_are_no_inputs(const Configuration& c, std::vector<std::string> inputs) {
  const auto refuse_if_read = [&](const char* option, const std::string& output) {
    for (const std::string& input : inputs) {
      std::error_code none_there;
      if (std::filesystem::equivalent(output, input, none_there)) {
        throw UserError(fmt::format("{}: {} is a file that the run reads{}; give another name",
                                    option, output, output == input ? "" : " as " + input));
      }
    }
  };
  const io::CheckpointSpec checkpoint = checkpoint_of(c);
  for (const std::string& file : io::files_of_checkpoint(checkpoint.path)) {
    refuse_if_read(checkpoint.scheduled ? "--checkpoint" : "--output", file);
  }
  if (!c.restart.empty()) {
    inputs.push_back(c.restart);
  }
  for (const std::string& file : io::files_of_result(c.output)) {
    refuse_if_read("--output", file);
  }
}

/// The request in a file that --reference names.
Validated reference_request(const Invocation& call, const std::string& file) {
  Validated made = request_in(call, file);
  const Command command = made.configuration.command;
  if (command != Command::simulate) {
    throw UserError(fmt::format("--reference: {} is of masing {}; give a file of masing simulate",
                                file, name_of(command)));
  }
  return made;
}

void print(const Invocation& call, const std::string& text, std::FILE* stream = stdout) {
  if (call.prints) {
    std::fputs(text.c_str(), stream);
  }
}

}  // namespace

Validated request_in(const Invocation& call, const std::string& file,
                     const std::function<void(const std::string&)>& look) {
  const std::string all = call.on_root([&] {
    return read_of_sound_file(file, [&] {
      const io::Recipe read = io::read_recipe(file);
      if (look) {
        look(file);
      }
      return read.kind + "\n" + read.configuration;
    });
  });
  const std::string kind = all.substr(0, all.find('\n'));
  for (const Command command : {Command::simulate, Command::converge, Command::scan}) {
    if (kind == name_of(command)) {
      const base::FileReader read = [&](const std::string&) { return all.substr(kind.size() + 1); };
      return validated(
          parse(command, {"--config", "/configuration of " + file}, read).configuration,
          {.text = read,
           .request = [&](const std::string& path) { return reference_request(call, path); }});
    }
  }
  throw UserError(file + " is of kind '" + kind +
                  "'; only a file of simulate, converge or scan can be made again");
}

std::optional<Request> requested(Command command, const Invocation& call) {
  std::vector<std::string> inputs;
  const Files files{.text =
                        [&](const std::string& path) {
                          inputs.push_back(path);
                          return call.on_root([&] { return io::text_of(path); });
                        },
                    .last_field =
                        [&](const std::string& path) {
                          inputs.push_back(path);
                          return call.on_root([&] {
                            return read_of_sound_file(path, [&] { return io::last_field(path); });
                          });
                        },
                    .request =
                        [&](const std::string& path) {
                          inputs.push_back(path);
                          return reference_request(call, path);
                        }};
  Parsed parsed = parse(command, call.words, files.text);
  if (parsed.help) {
    print(call, help(command));
    return std::nullopt;
  }
  Validated request = validated(std::move(parsed.configuration), files);
  Configuration& configuration = request.configuration;
  const std::string advice = call.on_root([&] {
    require_outputs_are_no_inputs(configuration, inputs);
    return engine::step_advice(coarsest(request));
  });
  const bool only_prints = parsed.print_config && !parsed.validate_only;
  request.warnings.push_back(advice);
  for (const std::string& text : request.warnings) {
    // A failure has its one line "masing: ...", which these are not.
    if (!text.empty() && !parsed.print_config && !parsed.validate_only) {
      print(call, fmt::format("masing warning: {}\n", text), stderr);
    }
  }
  if (!configuration.restart.empty()) {
    configuration = continued(call, configuration);
  }
  if (only_prints && configuration.restart.empty()) {
    print(call, printed(configuration));
    return std::nullopt;
  }
  Request made{.spec = spec_of(request, call.command_line),
               .wall_limit = configuration.wall_limit,
               .only_validated = std::nullopt};
  if (parsed.validate_only) {
    made.only_validated = parsed.print_config ? printed(configuration) : "valid\n";
  } else if (only_prints) {
    print(call, printed(configuration));
    return std::nullopt;
  }
  return made;
}

}  // namespace masing::cli
