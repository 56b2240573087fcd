#include "cli/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"
#include "slab/scheme.hpp"
#include "study/reference.hpp"

namespace masing::cli {

using base::UserError;

std::string quoted(const std::string& text) {
  return "'" + text.substr(0, 60) + "'";
}

std::string where(const Configuration& c, const std::string& key) {
  const auto found = c.origin.find(key);
  return (found == c.origin.end() ? "--" + key : found->second) + ": ";
}

void set(const Option& option, const std::string& text, const std::string& origin,
         Configuration& configuration) {
  placed(origin + ": ", [&] { option.set(configuration, text); });
  configuration.origin[option.name] = origin;
  configuration.calculated.erase(option.name);
  if (option.is_numeric && is_calculated(text)) {
    configuration.calculated[option.name] = text;
  }
}

void put(Setting setting, std::vector<Setting>& settings) {
  const auto there = std::ranges::find(settings, setting.parameter, &Setting::parameter);
  if (there == settings.end()) {
    settings.push_back(std::move(setting));
  } else {
    *there = std::move(setting);
  }
}

namespace {

using Get = std::function<std::string(const Configuration&)>;
using Set = std::function<void(Configuration&, const std::string&)>;

/// A key with a reading of its own: of every command and of every model, and deciding the data of a
/// result file, unless it is narrowed.
Option key(std::string name, std::string argument, std::string help, Get get, Set set) {
  return {.name = std::move(name),
          .argument = std::move(argument),
          .help = std::move(help),
          .role = Role::result,
          .commands = {Command::simulate, Command::converge, Command::scan},
          .kinds = {ModelKind::slab, ModelKind::quasistatic_slab, ModelKind::finite},
          .parameter = {},
          .get = std::move(get),
          .set = std::move(set)};
}

/// A number, or a list of them, that may be given as expressions.
Option numeric(Option option) {
  option.is_numeric = true;
  return option;
}

/// A text.
Option text(std::string name, std::string argument, std::string help,
            std::string Configuration::*member) {
  return key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return c.*member; },
      [member](Configuration& c, const std::string& value) { c.*member = value; });
}

/// A text of a number, empty where it has no value yet.
template <typename Number>
std::string shown(const Number& value) {
  return base::to_text(value);
}
template <typename Number>
std::string shown(const std::optional<Number>& value) {
  return value ? base::to_text(*value) : "";
}

/// A number that `read` makes of a text and constants.
template <typename Member, typename Read>
Option number_key(std::string name, std::string argument, std::string help,
                  Member Configuration::*member, const Read& read) {
  return numeric(key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return shown(c.*member); },
      [member, read](Configuration& c, const std::string& value) {
        c.*member = read(value, c.constants);
      }));
}

/// A number.
Option real(std::string name, std::string argument, std::string help,
            double Configuration::*member) {
  return number_key(std::move(name), std::move(argument), std::move(help), member, number);
}

/// A whole number; of an optional member one that has a value only once it is given or resolved.
template <typename Member>
Option count(std::string name, std::string argument, std::string help,
             Member Configuration::*member) {
  return number_key(std::move(name), std::move(argument), std::move(help), member, integer);
}

/// A time that has a value only once it is given or resolved.
Option time(std::string name, std::string help, std::optional<double> Configuration::*member) {
  return number_key(std::move(name), "t", std::move(help), member, number);
}

/// A switch: given without a value on the command line, true or false in an .ini.
Option toggle(std::string name, std::string help, bool& (*member)(Configuration&)) {
  return key(
      std::move(name), "", std::move(help),
      [member](const Configuration& c) {
        return member(const_cast<Configuration&>(c)) ? "true" : "false";
      },
      [member](Configuration& c, const std::string& value) {
        if (value != "true" && value != "false") {
          throw UserError(quoted(value) + " is not a switch; give true or false");
        }
        member(c) = value == "true";
      });
}

/// Of this command only.
Option only(Command command, Option option) {
  option.commands = {command};
  return option;
}

/// Of all commands but this one.
Option not_of(Command command, Option option) {
  std::erase(option.commands, command);
  return option;
}

/// Of the models of these kinds only.
Option for_models(std::vector<ModelKind> kinds, Option option) {
  option.kinds = std::move(kinds);
  return option;
}

/// A key of slabs that gives the other models a parameter.
Option also_parameter(std::string parameter, Option option) {
  option.parameter = std::move(parameter);
  return option;
}

/// How a run is handled: no part of what it computes.
Option handling(Option option) {
  option.role = Role::handling;
  return option;
}

/// The word for one of the values of a choice.
template <typename Value>
struct Name {
  Value value;
  const char* text;
};

/// The words of a choice, "a|b|c".
template <typename Value, std::size_t Count>
std::string words_of(const Name<Value> (&names)[Count]) {
  std::vector<std::string> words;
  for (const auto& entry : names) {
    words.emplace_back(entry.text);
  }
  return base::joined(words, "|");
}

/// The value that a word of a choice is for. Throws UserError.
template <typename Value, std::size_t Count>
Value chosen(const Name<Value> (&names)[Count], const std::string& word) {
  const auto* found = std::ranges::find(names, word, &Name<Value>::text);
  if (found == std::end(names)) {
    throw base::UserError(quoted(word) + " is not known here; give " + words_of(names));
  }
  return found->value;
}

/// The word for a value of a choice.
template <typename Value, std::size_t Count>
std::string word_for(const Name<Value> (&names)[Count], Value value) {
  return std::ranges::find(names, value, &Name<Value>::value)->text;
}

/// One of a few words; `names` must outlive the key.
template <typename Value, std::size_t Count>
Option choice(std::string name, std::string help, Value Configuration::*member,
              const Name<Value> (&names)[Count]) {
  return key(
      std::move(name), words_of(names), std::move(help),
      [member, &names](const Configuration& c) { return word_for(names, c.*member); },
      [member, &names](Configuration& c, const std::string& word) {
        c.*member = chosen(names, word);
      });
}

/// The same that has a value only once it is given or resolved.
template <typename Value, std::size_t Count>
Option choice(std::string name, std::string help, std::optional<Value> Configuration::*member,
              const Name<Value> (&names)[Count]) {
  return key(
      std::move(name), words_of(names), std::move(help),
      [member, &names](const Configuration& c) {
        return c.*member ? word_for(names, *(c.*member)) : "";
      },
      [member, &names](Configuration& c, const std::string& word) {
        c.*member = chosen(names, word);
      });
}

const std::vector<ModelKind> any_slab{ModelKind::slab, ModelKind::quasistatic_slab};
const std::vector<ModelKind> moving_slab{ModelKind::slab};
const std::vector<ModelKind> moving_models{ModelKind::slab, ModelKind::finite};
const std::vector<ModelKind> quasistatic_slab{ModelKind::quasistatic_slab};

template <typename T>
constexpr Name<T> named(T value) {
  return {value, name_of(value)};
}
constexpr Name<slab::Rule> rules[] = {named(slab::Rule::right), named(slab::Rule::midpoint)};
constexpr Name<engine::Method> methods[] = {{engine::Method::sweep, "sweep"},
                                            {engine::Method::turning_points, "memory"},
                                            {engine::Method::exact, "exact"}};
constexpr Name<study::Refine> refinements[] = {
    named(study::Refine::steps), named(study::Refine::cells), named(study::Refine::both)};
constexpr Name<scan::Past> pasts[] = {{scan::Past::rest, "rest"}, {scan::Past::point, "point"}};
constexpr Name<bool> kept[] = {{false, "numbers"}, {true, "series"}};
constexpr const char* infinite = "inf";

Option probe() {
  return numeric(key(
      "probe", "\"s,s,...\"", "write u at these s with every sample",
      [](const Configuration& c) {
        std::vector<std::string> places;
        for (const double s : c.output_spec.probe) {
          places.push_back(base::to_text(s));
        }
        return base::joined(places, ",");
      },
      [](Configuration& c, const std::string& value) {
        c.output_spec.probe.clear();
        for (const auto& piece : base::split(value, ',')) {
          c.output_spec.probe.push_back(number(piece, c.constants));
        }
      }));
}

Option cells() {
  return numeric(key(
      "cells", "P|inf",
      "cells of s in [0,1], at least 1; inf: the continuum, by the engines memory and exact",
      [](const Configuration& c) {
        const auto* cells = std::get_if<slab::Cells>(&c.space);
        return cells == nullptr ? infinite : base::to_text(cells->count);
      },
      [](Configuration& c, const std::string& value) {
        if (value == infinite) {
          c.space = slab::Continuum{};
          return;
        }
        c.space = slab::Cells{integer(value, c.constants)};
        if (std::get<slab::Cells>(c.space).count < 1) {
          throw UserError(quoted(value) + " cells; give at least 1, or inf");
        }
      }));
}

/// One of the rows of a table with names and descriptions, which make the words and the help.
template <typename Rows>
std::pair<std::string, std::string> words_and_help(const Rows& rows) {
  std::vector<std::string> words;
  std::vector<std::string> help;
  for (const auto& row : rows) {
    words.emplace_back(row.name);
    help.push_back(fmt::format("{}: {}", row.name, row.description));
  }
  return {base::joined(words, "|"), base::joined(help, "; ")};
}

/// The scheme, a row of slab::schemes.
Option scheme() {
  const auto [words, help] = words_and_help(slab::schemes);
  return key(
      "scheme", words, help, [](const Configuration& c) { return slab::info(c.scheme).name; },
      [words = words](Configuration& c, const std::string& word) {
        const auto* found = std::ranges::find_if(
            slab::schemes, [&](const slab::SchemeInfo& info) { return info.name == word; });
        if (found == std::end(slab::schemes)) {
          throw UserError(quoted(word) + " is not known here; give " + words);
        }
        c.scheme = found->scheme;
      });
}

/// "90", "15:00" or "23:30:00" in seconds.
double seconds_of(const std::string& value) {
  const std::vector<std::string> pieces = base::split(value, ':');
  double seconds = 0.0;
  for (const std::string& piece : pieces) {
    const double part = number(piece, {});
    if (part < 0 || (pieces.size() > 1 && (part >= 60 && &piece != &pieces.front()))) {
      throw UserError(quoted(value) + " is not a time; give seconds, m:s or h:m:s");
    }
    seconds = 60 * seconds + part;
  }
  if (pieces.empty() || pieces.size() > 3) {
    throw UserError(quoted(value) + " is not a time; give seconds, m:s or h:m:s");
  }
  return seconds;
}

Option wall_limit() {
  return key(
      "wall-limit", "h:m:s",
      "after so long, or so many seconds, write a checkpoint and stop with exit code 75; 0: never",
      [](const Configuration& c) { return base::to_text(c.wall_limit.value_or(0.0)); },
      [](Configuration& c, const std::string& value) {
        const double seconds = seconds_of(value);
        c.wall_limit = seconds > 0 ? std::optional(seconds) : std::nullopt;
      });
}

/// The reference, a row of study::reference_kinds or a file.
Option reference() {
  const auto [words, help] = words_and_help(study::reference_kinds());
  return key(
      "reference", words + "|FILE.h5", help + "; or a file of masing simulate",
      [](const Configuration& c) { return c.reference; },
      [words = words](Configuration& c, const std::string& word) {
        const auto& kinds = study::reference_kinds();
        const bool is_kind = std::ranges::any_of(
            kinds, [&](const study::ReferenceKind& kind) { return kind.name == word; });
        if (!word.ends_with(".h5") && !is_kind) {
          throw UserError(quoted(word) + " is not known here; give " + words + "|FILE.h5");
        }
        c.reference = word;
      });
}

std::vector<Option> make_table() {
  using C = Configuration;
  return {
      text("model", "NAME", "the model; masing models lists them", &C::model),
      for_models(any_slab, text("stiffness", "k(s)", "stiffness density, positive", &C::stiffness)),
      for_models(any_slab,
                 text("threshold", "eta(s)", "yield displacement, not negative", &C::threshold)),
      for_models(any_slab,
                 text("threshold-down", "eta(s)",
                      "yield displacement downwards, not negative; as upwards if not given",
                      &C::threshold_down)),
      for_models(
          any_slab,
          text("initial-u", "u0(s)",
               "initial elongation, within the thresholds; file:RUN.h5: the last field of a run",
               &C::initial_u)),
      text("force", "F(t)", "external force", &C::force),
      for_models(moving_slab,
                 text("base-acceleration", "a_g(t)",
                      "acceleration of the base: F - m a_g moves the mass relative to it",
                      &C::base_acceleration)),
      for_models(quasistatic_slab, text("position", "x(t)",
                                        "the position, prescribed in place of F(t)", &C::position)),
      for_models(moving_slab, also_parameter("m", real("mass", "m", "mass, positive", &C::mass))),
      for_models(moving_slab, real("damping", "c", "viscous damping, not negative", &C::damping)),
      for_models(any_slab,
                 also_parameter("k0", real("k0", "k0", "hardening spring, not negative", &C::k0))),
      for_models(any_slab, also_parameter("x0", real("x0", "x0", "initial position", &C::x0))),
      for_models(moving_slab, also_parameter("y0", real("y0", "y0", "initial velocity", &C::y0))),
      real("final-time", "T", "final time, positive", &C::final_time),
      count("steps", "N", "time steps, at least 1", &C::steps),
      for_models(any_slab, cells()),
      for_models(any_slab,
                 choice("rule", "where a cell samples k, eta, u0: its right end or its middle",
                        &C::rule, rules)),
      for_models(moving_slab, scheme()),
      for_models(moving_models,
                 choice("engine",
                        "sweep: cell by cell over all ranks; memory: by turning points, at a cost "
                        "that does not depend on P; exact: event-driven, exact in time; sweep if "
                        "not given, memory for P = inf; of models of finitely many elements exact, "
                        "or their scheme if not given",
                        &C::method, methods)),
      for_models(moving_models, numeric(text("breaks", "\"t,t,...\"",
                                             "times where F is not smooth, for the exact solution",
                                             &C::break_text))),
      handling(text("output", "FILE.h5", "result file; replaced when the run is done", &C::output)),
      count("sample-every", "n",
            "steps from one sample to the next; about 10,000 samples if not given",
            &C::sample_every),
      only(Command::simulate,
           numeric(key(
               "field-every", "n",
               "steps from one field u(.,s), or state, to the next; 0: the last step only; a state "
               "comes with every sample if not given, unless it is huge",
               [](const C& c) { return base::to_text(c.output_spec.field_every); },
               [](C& c, const std::string& value) {
                 c.output_spec.field_every = integer(value, c.constants);
               }))),
      time("from", "first time of the samples (default 0)", &C::from),
      time("to", "last time of the samples (default T)", &C::to),
      for_models(moving_slab, only(Command::simulate,
                                   toggle("energy", "write the energy balance with the samples",
                                          [](C& c) -> bool& { return c.output_spec.energy; }))),
      for_models(any_slab,
                 not_of(Command::scan,
                        count("field-points", "n",
                              "places of the field in the files: of P = inf (1000 if not given); "
                              "of P > n, the n "
                              "cells floor((2j+1)P/(2n)), j = 0..n-1, counted from 0; 0: all P "
                              "cells, as if not "
                              "given, where the fields have at most 10^7 numbers, else 10000",
                              &C::field_points))),
      for_models(any_slab, only(Command::simulate, probe())),
      only(Command::converge, choice("refine",
                                     "what the levels refine; of models without cells "
                                     "steps",
                                     &C::refine, refinements)),
      only(Command::converge,
           numeric(text(
               "levels", "\"n,n,...\"",
               "the levels, coarse to fine; or first:last:count, a geometric ladder; for both: "
               "pairs \"P:N,P:N,...\", or P:N:P:N:count, refined in turn",
               &C::level_text))),
      only(Command::converge, reference()),
      only(Command::converge,
           text("expect-order", "\"x=1,...\"",
                "orders expected of x, y, u, u_cells; a bare number is for x, y, u; >=0.5 is "
                "allowed; none: no verdict; what the scheme and the rule promise if not given, "
                "none where "
                "their hypotheses do not hold",
                &C::expected_order_text)),
      only(Command::converge,
           real("order-tolerance", "d", "how far an order may be from the expected one",
                &C::order_tolerance)),
      only(Command::converge,
           count("field-samples", "m", "times T/m, 2T/m, …, T at which u is compared",
                 &C::field_samples)),
      only(Command::scan,
           for_models(moving_slab,
                      toggle("steady", "the limit cycle of each point itself, by shooting",
                             [](C& c) -> bool& { return c.steady; }))),
      only(Command::scan,
           for_models(moving_slab,
                      choice("past",
                             "what cells that do not yield on a limit cycle keep: what the motion "
                             "from the start left, or the cycle of the point before",
                             &C::past, pasts))),
      only(Command::scan, time("period", "period of the force, where it is not found", &C::period)),
      only(Command::scan,
           for_models(any_slab, text("backbone", "\"X=...\"",
                                     "closed cycles of these amplitudes, as --over gives values, "
                                     "without a run",
                                     &C::backbone))),
      only(Command::scan,
           choice("keep", "what the file keeps of the runs: numbers alone, or their samples, too",
                  &C::keep_series, kept)),
      handling(text("checkpoint", "FILE.h5",
                    "file of the checkpoints; OUTPUT.checkpoint, and only when stopped, if not "
                    "given",
                    &C::checkpoint)),
      handling(count("checkpoint-every", "n",
                     "steps from one checkpoint to the next; 0: every ten minutes",
                     &C::checkpoint_every)),
      handling(
          text("restart", "FILE.h5", "go on with the run that this checkpoint is of", &C::restart)),
      handling(wall_limit()),
      handling(toggle("quiet", "no progress on stderr", [](C& c) -> bool& { return c.quiet; })),
  };
}

}  // namespace

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

std::vector<const Option*> options_of(Command command) {
  std::vector<const Option*> taken;
  for (const auto& option : option_table()) {
    if (std::ranges::find(option.commands, command) != option.commands.end()) {
      taken.push_back(&option);
    }
  }
  return taken;
}

bool takes(ModelKind kind, const Option& option) {
  return std::ranges::find(option.kinds, kind) != option.kinds.end();
}

std::string name_of(Command command) {
  switch (command) {
    case Command::simulate:
      return "simulate";
    case Command::converge:
      return "converge";
    default:
      return "scan";
  }
}

ModelKind kind_of(const std::string& model) {
  if (model == "masing") {
    return ModelKind::slab;
  }
  return model == "masing-quasistatic" ? ModelKind::quasistatic_slab : ModelKind::finite;
}

}  // namespace masing::cli
