#include "cli/options.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "slab/scheme.hpp"
#include "study/study_spec.hpp"

namespace masing::cli {

using base::UserError;

namespace {

using C = Configuration;

/// Returns a value as text. The elements of a list are joined by `separator`; a list of lists
/// becomes "1:2,3:4".
template <typename T>
std::string value_as_text(const T& value, const char* separator = ",") {
  if constexpr (std::is_arithmetic_v<T>) {
    return base::to_text(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, base::Function>) {
    return value.text();
  } else if constexpr (requires { value.has_value(); }) {
    return value ? value_as_text(*value) : "";
  } else {
    std::vector<std::string> texts;
    std::ranges::transform(value, std::back_inserter(texts),
                           [](const auto& each) { return value_as_text(each, ":"); });
    return base::joined(texts, separator);
  }
}

/// Returns a function that returns the value of a member of a Configuration as text.
template <typename Member>
auto member_printer(Member C::*member) {
  return [member](const C& c) { return value_as_text(c.*member); };
}

/// The condition that a number must fulfil.
struct Range {
  bool (*contains)(double value);
  const char* right;  ///< what the number must be, for the message of an error
};
constexpr Range any{[](double /*value*/) { return true; }, ""};
constexpr Range positive{[](double value) { return value > 0; }, "must be > 0"};
constexpr Range not_negative{[](double value) { return value >= 0; }, "must be >= 0"};

/// Returns the value of a number. Throws UserError if the value is not in `range`.
double in_range(const Number& number, const Constants& constants, const Range& range) {
  const double value = number.value(constants);
  if (!range.contains(value)) {
    throw UserError(value_as_text(value) + "; " + range.right);
  }
  return value;
}

// Up to this limit every integer is exact as a double. Therefore p·T/N and i/P are computed from
// exact operands.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

/// Returns `value`. Throws UserError if `value` is not from `least` to `largest_count`.
std::int64_t in_range(std::int64_t value, std::int64_t least) {
  if (value < least || value > largest_count) {
    throw UserError(fmt::format("{}; must be a whole number from {} to 2^53", value, least));
  }
  return value;
}

/// Returns the ValueType of an option whose value is one number in `range`.
template <typename Member>
ValueType real(Member C::*member, const Range& range = any) {
  return {Kind::number, member_printer(member), [=](C& c, const Given& given, const Constants& k) {
            c.*member = in_range(given.numbers[0][0], k, range);
          }};
}

/// Returns the ValueType of an option whose value is a whole number of at least `least`.
template <typename Member>
ValueType count(Member C::*member, std::int64_t least) {
  return {Kind::number, member_printer(member), [=](C& c, const Given& given, const Constants& k) {
            c.*member = in_range(given.numbers[0][0].whole(k), least);
          }};
}

/// Returns the ValueType of an option whose value is a number of cells, or "inf" for the continuum.
ValueType cells() {
  const auto text = [](const C& c) {
    const auto* cells = std::get_if<slab::Cells>(&c.space);
    return cells == nullptr ? "inf" : value_as_text(cells->count);
  };
  return {Kind::number, text, [](C& c, const Given& given, const Constants& constants) {
            if (given.text == "inf") {
              c.space = slab::Continuum{};
              return;
            }
            if (strcasecmp(given.text.c_str(), "inf") == 0 ||
                strcasecmp(given.text.c_str(), "infinity") == 0 || given.text == "∞") {
              throw UserError(in_quotes(given.text) + "; give a whole number or inf");
            }
            const std::int64_t cells = given.numbers[0][0].whole(constants);
            if (cells < 1) {
              throw UserError(value_as_text(cells) + " cells; give at least 1, or inf");
            }
            c.space = slab::Cells{in_range(cells, 1)};
          }};
}

/// Returns the ValueType of an option whose value is a list of numbers in `range`.
ValueType list(std::vector<double> C::*member, const Range& range = any) {
  return {Kind::list, member_printer(member), [=](C& c, const Given& given, const Constants& k) {
            for (const auto& numbers : given.numbers) {
              (c.*member).push_back(in_range(numbers[0], k, range));
            }
          }};
}

/// Returns the ValueType of the option for the levels of a study: "100,200", "100:200:5" or
/// "P:N,P:N". Each number may be an expression.
ValueType levels() {
  return {Kind::levels, member_printer(&C::levels),
          [](C& c, const Given& given, const Constants& k) {
            for (const auto& numbers : given.numbers) {
              std::ranges::transform(numbers, std::back_inserter(c.levels.emplace_back()),
                                     [&](const Number& each) { return each.whole(k); });
            }
          }};
}

/// Returns the ValueType of an option whose value is a word. `make` converts the word to the value
/// of the member and throws UserError for a word that is not allowed; `print` converts the value
/// back to the word.
template <typename Member, typename Make>
ValueType text(Member C::*member, std::function<std::string(const C&)> print, const Make& make) {
  return {Kind::word, std::move(print),
          [=](C& c, const Given& given, const Constants& /*k*/) { c.*member = make(given.text); }};
}
ValueType text(std::string C::*member) {
  return text(member, member_printer(member), [](const std::string& given) { return given; });
}

/// Returns whether a text is the name of an existing file or ends with .csv, .txt or .dat.
bool names_file(const std::string& text) {
  const std::set<std::string> endings{".csv", ".txt", ".dat"};
  std::error_code unknown;
  return endings.contains(std::filesystem::path(text).extension()) ||
         std::filesystem::is_regular_file(text, unknown);
}

/// Returns `read`, a function that reads the file in `given`. Throws UserError if it is empty.
template <typename Content>
const FileReader<Content>& checked(const FileReader<Content>& read, const std::string& given) {
  if (!read) {
    throw UserError(in_quotes(given) + "; no file can be read here");
  }
  return read;
}

/// Parses a function: an expression, "points:…" or "table:FILE.csv". An initial field (Kind::field)
/// may also be "file:RUN.h5", which stands for the last field of a run. Throws UserError if the
/// text is none of these or the file cannot be read.
base::Function function_of(const std::string& given, Kind kind, const Names& constants,
                           const Names& tables, const Files& files) {
  const auto path_after = [&](std::string_view prefix) {
    return std::string(base::trimmed(given.substr(prefix.size())));
  };
  if (given.starts_with("table:")) {
    return base::Function(files.points(path_after("table:")));
  }
  if (kind == Kind::field && given.starts_with("file:")) {
    return {checked(files.last_field, given)(path_after("file:")), 's'};
  }
  try {
    return {given, kind == Kind::of_t ? 't' : 's', constants, tables};
  } catch (const UserError&) {
    const bool is_run = kind == Kind::field && given.ends_with(".h5");
    if (is_run || names_file(given)) {
      throw UserError("names a file; give " + std::string(is_run ? "file:" : "table:") + given);
    }
    throw;
  }
}

/// Returns the ValueType of an option whose value is a function of s or t.
template <typename Member>
ValueType function(Kind kind, Member C::*member) {
  const auto assign = [member](C& c, const Given& given, const Constants& k) {
    c.*member = given.function ? Member(given.function->bound(k, c.tables)) : Member();
  };
  return {kind, member_printer(member), assign, "",
          std::is_same_v<Member, std::optional<base::Function>>};
}

/// Throws UserError for a word that is not allowed; the message names the allowed words.
[[noreturn]] void refuse_word(const std::string& word, const std::string& allowed) {
  throw UserError(in_quotes(word) + " is not known here; give " + allowed +
                  base::meant(word, base::split(allowed, '|')));
}

/// The values of a choice, each with the word for it.
template <typename T>
using Words = std::vector<std::pair<T, std::string>>;

/// Returns the ValueType of an option whose value is one of a few words.
template <typename Member, typename T>
ValueType choice(Member C::*member, const Words<T>& words) {
  std::vector<std::string> all;
  std::ranges::transform(words, std::back_inserter(all), &Words<T>::value_type::second);
  const std::string allowed = base::joined(all, "|");
  const auto make = [words, allowed](const std::string& word) {
    const auto match = std::ranges::find(words, word, &Words<T>::value_type::second);
    return match == words.end() ? (refuse_word(word, allowed), T()) : match->first;
  };
  const auto print = [member, words](const C& c) {
    const auto match =
        std::ranges::find_if(words, [&](const auto& entry) { return c.*member == entry.first; });
    return match == words.end() ? "" : match->second;
  };
  ValueType value = text(member, print, make);
  value.words = allowed;
  return value;
}

/// Returns the ValueType of an option whose value is one of `values`. name_of() returns the word
/// for each value.
template <typename T>
ValueType choice(T C::*member, std::initializer_list<T> values) {
  Words<T> words;
  for (const T value : values) {
    words.emplace_back(value, name_of(value));
  }
  return choice(member, words);
}

/// Returns the ValueType of a switch: it has no value on the command line, and the value true or
/// false in an .ini.
ValueType toggle(bool C::*member) {
  ValueType value = choice(member, Words<bool>{{false, "false"}, {true, "true"}});
  value.words.clear();
  return value;
}

/// Returns the ValueType of the option --reference: a word of study::reference_kinds.
ValueType reference() {
  Words<std::string> words;
  for (const study::ReferenceKind& kind : study::reference_kinds) {
    words.emplace_back(kind.name, kind.name);
  }
  return choice(&C::reference, words);
}

/// Converts a time such as "90", "15:00" or "23:30:00" to seconds. Returns nothing for 0. Throws
/// UserError for a text that is not a time.
std::optional<double> seconds_of(const std::string& given) {
  const std::vector<std::string> pieces = base::split(given, ':');
  double seconds = 0.0;
  bool is_time = !pieces.empty() && pieces.size() <= 3;
  for (const std::string& piece : pieces) {
    const std::optional<double> part = base::to_number(piece);
    is_time = is_time && part && *part >= 0 && (&piece == &pieces.front() || *part < 60);
    seconds = 60 * seconds + part.value_or(0.0);
  }
  if (!is_time) {
    throw UserError(in_quotes(given) + " is not a time; give seconds, m:s or h:m:s");
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

/// Returns a line "NAME: DESCRIPTION" for each row of a table.
template <typename Rows>
std::string described(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("\n{:36}{}: {}", "", row.name, row.description);
  }
  return text;
}

/// Builds the table of all options.
std::vector<Option> make_table() {
  using enum Role;
  constexpr Kind of_s = Kind::of_s;
  constexpr Kind of_t = Kind::of_t;
  const std::set<ModelKind> all{ModelKind::slab, ModelKind::quasistatic_slab, ModelKind::chain,
                                ModelKind::finite};
  const std::set<ModelKind> one_slab{ModelKind::slab, ModelKind::quasistatic_slab};
  const std::set<ModelKind> slabs{ModelKind::slab, ModelKind::quasistatic_slab, ModelKind::chain};
  const std::set<ModelKind> moving_slab{ModelKind::slab};
  const std::set<ModelKind> moving_slabs{ModelKind::slab, ModelKind::chain};
  const std::set<ModelKind> chain{ModelKind::chain};
  const std::set<ModelKind> moving{ModelKind::slab, ModelKind::finite};
  const std::set<ModelKind> with_engines{ModelKind::slab, ModelKind::chain, ModelKind::finite};
  const std::set<ModelKind> quasistatic{ModelKind::quasistatic_slab};
  const std::set<Command> each{Command::simulate, Command::converge, Command::scan};
  const std::set<Command> simulate{Command::simulate};
  const std::set<Command> converge{Command::converge};
  const std::set<Command> not_scan{Command::simulate, Command::converge};
  const std::set<Command> scan{Command::scan};
  const ValueType none;
  const Words<engine::Method> methods{{engine::Method::sweep, "sweep"},
                                      {engine::Method::memory, "memory"},
                                      {engine::Method::exact, "exact"}};
  Words<slab::Scheme> schemes;
  std::ranges::transform(slab::schemes, std::back_inserter(schemes), [](const auto& row) {
    return std::pair(row.scheme, std::string(row.name));
  });
  const Words<bool> kept{{false, "numbers"}, {true, "series"}};
  std::vector<Option> table{
      {"model", "NAME", "masing", "the model; masing models lists them", text(&C::model), problem},
      {"stiffness", "k(s)", "1", "stiffness density, >= 0", function(of_s, &C::stiffness), problem,
       slabs},
      {"threshold", "eta(s)", "s+0.1", "yield displacement, >= 0", function(of_s, &C::threshold),
       problem, slabs},
      {"threshold-down", "eta_down(s)", "", "yield displacement downwards; as upwards if not given",
       function(of_s, &C::threshold_down), problem, slabs},
      {"initial-u", "u0(s)", "0", "initial elongation; file:RUN.h5: the last field of a run",
       function(Kind::field, &C::initial_u), problem, slabs},
      {"force", "F(t)", "0.45*cos(0.5*t)", "external force; a default of the papers' problem alone",
       function(of_t, &C::force), problem},
      {"base-acceleration", "a_g(t)", "0", "acceleration of the base: the force is F - m a_g",
       function(of_t, &C::base_acceleration), problem, moving_slabs},
      {"incoming-velocity", "v(t)", "", "velocity of the wave that comes in at a base that absorbs",
       function(of_t, &C::incoming_velocity), problem, chain},
      {"force-node", "i", "", "the node that the force acts on; the last if not given",
       count(&C::force_node, 1), problem, chain},
      {"position", "x(t)", "", "the position, prescribed in place of F(t)",
       function(of_t, &C::position), problem, quasistatic},
      {"mass", "m", "1", "mass, > 0", real(&C::mass, positive), problem, moving_slab, each, "m"},
      {"damping", "c", "0", "viscous damping, >= 0", real(&C::damping, not_negative), problem,
       moving_slab},
      {"k0", "k0", "0", "linear spring, >= 0", real(&C::k0, not_negative), problem, one_slab, each,
       "k0"},
      {"x0", "x0", "0", "initial position", real(&C::x0), problem, one_slab, each, "x0"},
      {"y0", "y0", "0", "initial velocity", real(&C::y0), problem, moving_slab, each, "y0"},
      {"final-time", "T", "500", "final time, > 0", real(&C::final_time, positive), problem},
      {"steps", "N", "1000000", "time steps, >= 1", count(&C::steps, 1), result},
      {"cells", "P|inf", "1500", "cells of s in [0,1], >= 1; inf: the continuum", cells(), result,
       slabs},
      {"rule", "", "right", "where a cell samples k, eta, u0: its right end or its middle",
       choice(&C::rule, {slab::Rule::right, slab::Rule::midpoint}), result, slabs},
      {"scheme", "", "euler",
       "of time; with --base-acceleration and of a chain leapfrog:" + described(slab::schemes),
       choice(&C::scheme, schemes), result, moving_slabs},
      {"engine", "", "", "cell by cell, by turning points, or exact in time; by P if not given",
       choice(&C::method, methods), result, with_engines},
      {"breaks", "\"t,t,...\"", "", "times where F is not smooth, for the exact solution",
       list(&C::breaks), result, moving},
      {"output", "FILE.h5", "masing.h5", "result file; replaced when the run is done",
       text(&C::output), execution},
      {"sample-every", "n", "", "steps between samples; about 10,000 samples if not given",
       count(&C::sample_every, 1), result},
      {"field-every", "n", "", "steps between fields u(.,s), or states; 0: the last step only",
       count(&C::field_every, 0), result, all, simulate},
      {"from", "t", "", "first time of the samples (default 0)", real(&C::from), result},
      {"to", "t", "", "last time of the samples (default T)", real(&C::to), result},
      {"energy", "", "false", "write the energy balance with the samples", toggle(&C::energy),
       result, moving_slabs, simulate},
      {"field-points", "n", "",
       "places of the field in the files: 1000 of P = inf, else 0: all, or 10000 of huge fields",
       count(&C::field_points, 0), result, slabs, not_scan},
      {"watch", "\"i,i,...\"", "", "write the motion of these nodes, and the elements below them",
       list(&C::watch, not_negative), result, chain, simulate},
      {"refine", "", "steps", "what the levels refine; of models without cells steps",
       choice(&C::refine, {study::Refine::steps, study::Refine::cells, study::Refine::both,
                           study::Refine::elements}),
       result, all, converge},
      {"levels", "\"n,n,...\"", "",
       "coarse to fine; P:N for both, n:N for elements; first:last:count is geometric", levels(),
       result, all, converge},
      {"reference", "", "finest",
       "what levels are measured against:" + described(study::reference_kinds), reference(), result,
       all, converge},
      {"expect-order", "\"x=1,...\"", "", "of x, y, u, u_cells, or none; the promised if not given",
       text(&C::expected_orders), result, all, converge},
      {"order-tolerance", "d", "0.1", "how far an order may be from the expected one",
       real(&C::order_tolerance, positive), result, all, converge},
      {"field-samples", "m", "200", "times T/m, 2T/m, …, T at which u is compared",
       count(&C::field_samples, 1), result, all, converge},
      {"steady", "", "false", "the limit cycle of each point itself, by shooting",
       toggle(&C::steady), result, moving_slab, scan},
      {"period", "t", "", "period of the force, where it is not found", real(&C::period), result,
       all, scan},
      {"samples", "TABLE.csv", "",
       "a run for each row: columns of constants, numeric keys, or tables (paths beside TABLE)",
       text(&C::samples), result, all, scan},
      {"keep", "", "numbers", "of the runs, numbers alone, or their samples, too",
       choice(&C::keep_series, kept), result, all, scan},
      {"checkpoint", "FILE.h5", "", "of checkpoints; if not given, when stopped, OUTPUT.checkpoint",
       text(&C::checkpoint), execution},
      {"checkpoint-every", "n", "0", "steps between checkpoints; 0: every ten minutes",
       count(&C::checkpoint_every, 0), execution},
      {"restart", "FILE.h5", "", "go on with the run that this checkpoint is of", text(&C::restart),
       execution},
      {"wall-limit", "h:m:s", "0",
       "after so long write a checkpoint, stop with exit code 75; 0: never",
       text(
           &C::wall_limit, [](const C& c) { return value_as_text(c.wall_limit.value_or(0.0)); },
           seconds_of),
       execution},
      {"quiet", "", "false", "no progress on stderr", toggle(&C::quiet), execution},
      {"set", "PARAMETER=VALUE", "",
       "of another model than masing: a number, a list \"0.5,0.9\" or an expression in i and n",
       none, call, all, each, "", "model."},
      {"let", "NAME=VALUE", "",
       "a constant for every expression and number, itself a number or an expression", none, call,
       all, each, "", "let."},
      {"table", "NAME=FILE.csv", "",
       "two columns of numbers as a function for every expression: NAME(t) or NAME(s)", none, call,
       all, each, "", "table."},
      {"over", "NAME=VALUES", "",
       "scan a constant or a numeric key: \"w=0.3:1.75:30\", \"w=1:9:5:log\", \"w=0.4,0.7,1\"",
       none, call, all, scan, "", "over."},
      {"config", "FILE.ini", "",
       "the same keys, one 'key = value' a line, or a result file with its own; the command line "
       "wins",
       none, call},
      {"print-config", "", "", "print the resolved configuration as an .ini and stop",
       toggle(&C::print_config), call},
      {"validate-only", "", "", "check the configuration, every cell of it, and stop",
       toggle(&C::validate_only), call},
      {"petsc", "", "", "all words after it go to PETSc (-log_view, ...)", none, call},
      {"help", "", "", "this text", none, call},
  };
  for (Option& option : table) {
    option.argument += option.value.words;
    option.kinds = option.kinds.empty() ? all : option.kinds;
    option.commands = option.commands.empty() ? each : option.commands;
  }
  return table;
}

}  // namespace

std::shared_ptr<const base::PointTable> Files::points(const std::string& path) const {
  return checked(table, path)(path);
}

Names Given::constants() const {
  Names names = function ? function->constants() : Names();
  for (const auto& some : numbers) {
    for (const Number& number : some) {
      names.merge(number.constants());
    }
  }
  return names;
}

std::string Given::text_with_constants() const {
  const auto is_calculated = [](const std::vector<Number>& some) {
    return std::ranges::any_of(some, &Number::is_calculated);
  };
  const bool has_constants = function && !function->constants().empty();
  return has_constants ? function->text() : std::ranges::any_of(numbers, is_calculated) ? text : "";
}

Given parse_value(const ValueType& value, const Setting& setting, const Names& constants,
                  const Names& tables, const Files& files) {
  const std::string& text = setting.text;
  Given given{.origin = setting.origin, .text = text};
  if (value.kind == Kind::number) {
    given.numbers.push_back({Number(text, constants)});
  } else if (value.is_numeric()) {
    for (const std::string& piece : split_list(text)) {
      auto& numbers = given.numbers.emplace_back();
      for (const std::string& each :
           value.kind == Kind::levels ? base::split(piece, ':') : std::vector{piece}) {
        if (base::trimmed(each).find(' ') != std::string::npos &&
            each.find_first_not_of("0123456789.e ") == std::string::npos) {
          throw UserError(in_quotes(piece) + " are several numbers; part them with commas");
        }
        numbers.emplace_back(each, constants);
      }
    }
  } else if (value.kind == Kind::word) {
    Configuration unused;
    value.assign(unused, given, {});
  } else if (!text.empty() || !value.may_be_empty) {
    given.function =
        with_hint([&] { return function_of(text, value.kind, constants, tables, files); });
  }
  return given;
}

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

const Option* find_option(const std::string& name) {
  const auto& table = option_table();
  const auto match = std::ranges::find(table, name, &Option::name);
  return match == table.end() ? nullptr : &*match;
}

const Configuration& presets() {
  static const Configuration all = [] {
    Configuration c;
    for (const Option& option : option_table()) {
      if (!option.preset.empty()) {
        const Setting preset{option.name, option.preset, ""};
        option.value.assign(c, parse_value(option.value, preset, {}, {}, {}), {});
      }
    }
    return c;
  }();
  return all;
}

std::string name_of(Command command) {
  return command == Command::simulate   ? "simulate"
         : command == Command::converge ? "converge"
                                        : "scan";
}

std::optional<Command> command_of(const std::string& name) {
  for (const Command command : {Command::simulate, Command::converge, Command::scan}) {
    if (name == name_of(command)) {
      return command;
    }
  }
  return std::nullopt;
}

ModelKind kind_of(const std::string& model) {
  return model == "masing"               ? ModelKind::slab
         : model == "masing-quasistatic" ? ModelKind::quasistatic_slab
         : model == "masing-chain"       ? ModelKind::chain
                                         : ModelKind::finite;
}

}  // namespace masing::cli
