#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "slab/scheme.hpp"
#include "study/reference.hpp"

namespace masing::cli {

using base::UserError;

bool Option::is_of(Command command) const {
  return std::ranges::find(commands, command) != commands.end();
}

bool Option::is_of(ModelKind kind) const {
  return std::ranges::find(kinds, kind) != kinds.end();
}

Reading Value::read(const std::string& given, const Names& constants, const Files& files) const {
  if (parse) {
    return parse(given, constants, files);
  }
  const Number number(given, constants);
  return {
      .assign = [take = take, number](Configuration& c, const Constants& k) { take(c, number, k); },
      .shown = number.is_calculated() ? given : "",
      .constants = number.constants()};
}

namespace {

using C = Configuration;

std::string shown(double value) {
  return base::to_text(value);
}
std::string shown(std::int64_t value) {
  return base::to_text(value);
}
std::string shown(const std::string& text) {
  return text;
}
std::string shown(const base::Function& function) {
  return function.text();
}
std::string shown(const std::vector<double>& values) {
  std::vector<std::string> texts;
  std::ranges::transform(values, std::back_inserter(texts), [](double v) { return shown(v); });
  return base::joined(texts, ",");
}
template <typename T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : "";
}

/// The value of a member as text.
template <typename Member>
auto text_of(Member C::*member) {
  return [member](const C& c) { return shown(c.*member); };
}

/// What a number must be, in words, where it is not that.
using Check = std::string (*)(double value);
std::string any(double /*value*/) {
  return {};
}
std::string positive(double value) {
  return value > 0 ? "" : "must be > 0";
}
std::string not_negative(double value) {
  return value >= 0 ? "" : "must be >= 0";
}
std::string in_slab(double value) {
  return value >= 0 && value <= 1 ? "" : "every s must lie in [0, 1]";
}

double checked(double value, Check check) {
  if (const std::string right = check(value); !right.empty()) {
    throw UserError(shown(value) + "; " + right);
  }
  return value;
}

/// A number.
template <typename Member>
Value real(Member C::*member, Check check = any) {
  return {
      .text = text_of(member),
      .take = [member, check](C& c, const Number& number,
                              const Constants& k) { c.*member = checked(number.value(k), check); },
      .is_numeric = true};
}

std::int64_t in_range(std::int64_t value, std::int64_t least) {
  // Every integer up to it is a double, so p·T/N and i/P are formed from exact operands.
  constexpr std::int64_t largest = std::int64_t{1} << 53;
  if (value < least || value > largest) {
    throw UserError(fmt::format("{}; must be a whole number from {} to 2^53", value, least));
  }
  return value;
}

/// A whole number from `least` on.
template <typename Member>
Value count(Member C::*member, std::int64_t least) {
  const auto take = [member, least](C& c, const Number& number, const Constants& k) {
    c.*member = in_range(number.whole(k), least);
  };
  return {.text = text_of(member), .take = take, .is_numeric = true};
}

/// A list of numbers.
Value list(std::vector<double> C::*member, Check check = any) {
  const auto parse = [member, check](const std::string& given, const Names& constants,
                                     const Files& /*files*/) {
    Reading reading{.assign = {}, .shown = given};
    std::vector<Number> all;
    for (const std::string& piece : base::split(given, ',')) {
      reading.constants.merge(all.emplace_back(piece, constants).constants());
    }
    reading.assign = [member, check, all](C& c, const Constants& k) {
      std::ranges::transform(all, std::back_inserter(c.*member),
                             [&](const Number& number) { return checked(number.value(k), check); });
    };
    return reading;
  };
  return {.text = text_of(member), .parse = parse, .is_numeric = true};
}

/// A text; `assignment` is what is made of it, and throws UserError.
template <typename Make>
Value text(const std::function<std::string(const C&)>& shown, const Make& assignment) {
  return {.text = shown,
          .parse = [assignment](const std::string& given, const Names& /*constants*/,
                                const Files& /*files*/) -> Reading { return {assignment(given)}; }};
}
Value text(std::string C::*member) {
  return text(text_of(member), [member](const std::string& given) -> Assignment {
    return [member, given](C& c, const Constants&) { c.*member = given; };
  });
}

/// A function of `variable`: an expression, "points:…", "table:FILE.csv", or "file:RUN.h5", the
/// last field of a run.
base::Function function_of(const std::string& given, char variable, bool may_be_field,
                           const Names& constants, const Files& files) {
  const auto path_after = [&](std::string_view prefix) {
    return std::string(base::trimmed(given.substr(prefix.size())));
  };
  const bool is_table = given.starts_with("table:");
  const bool is_field = may_be_field && given.starts_with("file:");
  if ((is_table && !files.text) || (is_field && !files.last_field)) {
    throw UserError(in_quotes(given) + "; no file can be read here");
  }
  if (is_table) {
    const std::string path = path_after("table:");
    return base::Function::of_table(files.text(path), path);
  }
  return base::Function(is_field ? files.last_field(path_after("file:")) : given, variable,
                        constants);
}

/// A function of s or t.
template <typename Member>
Value function(char variable, Member C::*member, bool may_be_field = false) {
  const auto parse = [=](const std::string& given, const Names& constants,
                         const Files& files) -> Reading {
    if (given.empty() && std::is_same_v<Member, std::optional<base::Function>>) {
      return {[member](C& c, const Constants&) { c.*member = Member(); }};
    }
    const base::Function read =
        with_hint([&] { return function_of(given, variable, may_be_field, constants, files); });
    const Names used = read.constants();
    return {.assign = [member, read](C& c, const Constants& k) { c.*member = read.bound(k); },
            .shown = used.empty() ? "" : read.text(),
            .constants = used};
  };
  return {.text = text_of(member), .parse = parse};
}

/// The words for the values of a choice.
template <typename T>
using Words = std::vector<std::pair<T, std::string>>;

/// One of a few words.
template <typename Member, typename T>
Value choice(Member C::*member, const Words<T>& words) {
  std::vector<std::string> all;
  std::ranges::transform(words, std::back_inserter(all), &Words<T>::value_type::second);
  const std::string allowed = base::joined(all, "|");
  const auto assignment = [member, words, allowed](const std::string& word) -> Assignment {
    const auto found = std::ranges::find(words, word, &Words<T>::value_type::second);
    if (found == words.end()) {
      throw UserError(in_quotes(word) + " is not known here; give " + allowed);
    }
    return [member, value = found->first](C& c, const Constants&) { c.*member = value; };
  };
  const auto shown = [member, words](const C& c) {
    const auto found =
        std::ranges::find_if(words, [&](const auto& entry) { return c.*member == entry.first; });
    return found == words.end() ? "" : found->second;
  };
  Value value = text(shown, assignment);
  value.words = allowed;
  return value;
}

/// A switch: given without a value on the command line, true or false in an .ini.
Value toggle(bool C::*member) {
  Value value = choice(member, Words<bool>{{false, "false"}, {true, "true"}});
  value.words.clear();
  return value;
}

/// A number of cells, or inf.
Value cells() {
  constexpr const char* infinite = "inf";
  Value value{.text =
                  [](const C& c) {
                    const auto* cells = std::get_if<slab::Cells>(&c.space);
                    return cells == nullptr ? infinite : shown(cells->count);
                  },
              .take =
                  [](C& c, const Number& number, const Constants& k) {
                    const slab::Cells cells{number.whole(k)};
                    if (cells.count < 1) {
                      throw UserError(shown(cells.count) + " cells; give at least 1, or inf");
                    }
                    c.space = slab::Cells{in_range(cells.count, 1)};
                  },
              .is_numeric = true};
  value.parse = [finite = value](const std::string& given, const Names& constants,
                                 const Files& files) -> Reading {
    if (given == infinite) {
      return {[](C& c, const Constants&) { c.space = slab::Continuum{}; }};
    }
    return finite.read(given, constants, files);
  };
  return value;
}

/// A row of slab::schemes.
Value scheme() {
  Words<slab::Scheme> words;
  for (const slab::SchemeInfo& row : slab::schemes) {
    words.emplace_back(row.scheme, row.name);
  }
  return choice(&C::scheme, words);
}

/// A row of study::reference_kinds or a file.
Value reference() {
  std::string allowed;
  for (const study::ReferenceKind& kind : study::reference_kinds()) {
    allowed += kind.name + "|";
  }
  allowed += "FILE.h5";
  Value value = text(text_of(&C::reference), [allowed](const std::string& word) -> Assignment {
    if (!word.ends_with(".h5") &&
        std::ranges::count(study::reference_kinds(), word, &study::ReferenceKind::name) == 0) {
      throw UserError(in_quotes(word) + " is not known here; give " + allowed);
    }
    return [word](C& c, const Constants&) { c.reference = word; };
  });
  value.words = allowed;
  return value;
}

/// The levels of a study, "100,200", "100:200:5" or "P:N,P:N", each number perhaps an expression.
Value levels() {
  Value value = text(&C::levels);
  value.is_numeric = true;
  value.parse = [](const std::string& given, const Names& constants, const Files& /*files*/) {
    std::vector<std::vector<Number>> levels;
    bool is_calculated = false;
    for (const std::string& piece : base::split(given, ',')) {
      auto& numbers = levels.emplace_back();
      for (const std::string& each : base::split(piece, ':')) {
        is_calculated = numbers.emplace_back(each, constants).is_calculated() || is_calculated;
      }
    }
    const auto assign = [levels](C& c, const Constants& k) {
      std::vector<std::string> pieces;
      for (const auto& level : levels) {
        std::vector<std::string> values;
        std::ranges::transform(level, std::back_inserter(values),
                               [&](const Number& each) { return shown(each.whole(k)); });
        pieces.push_back(base::joined(values, ":"));
      }
      c.levels = base::joined(pieces, ",");
    };
    return Reading{assign, is_calculated ? given : ""};
  };
  return value;
}

/// "90", "15:00" or "23:30:00" in seconds.
double seconds_of(const std::string& given) {
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
  return seconds;
}

Value wall_limit() {
  return text([](const C& c) { return shown(c.wall_limit.value_or(0.0)); },
              [](const std::string& given) -> Assignment {
                const double seconds = seconds_of(given);
                return [limit = seconds > 0 ? std::optional(seconds) : std::nullopt](
                           C& c, const Constants&) { c.wall_limit = limit; };
              });
}

/// "right: what it is; midpoint: …", of a table with names and descriptions.
template <typename Rows>
std::string described(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", row.name, row.description);
  }
  return text;
}

template <typename T>
std::pair<T, std::string> named(T value) {
  return {value, name_of(value)};
}

std::vector<Option> make_table() {
  using enum Role;
  const std::vector<ModelKind> all{ModelKind::slab, ModelKind::quasistatic_slab, ModelKind::finite};
  const std::vector<ModelKind> slabs{ModelKind::slab, ModelKind::quasistatic_slab};
  const std::vector<ModelKind> moving_slab{ModelKind::slab};
  const std::vector<ModelKind> moving{ModelKind::slab, ModelKind::finite};
  const std::vector<ModelKind> quasistatic{ModelKind::quasistatic_slab};
  const std::vector<Command> each{Command::simulate, Command::converge, Command::scan};
  const std::vector<Command> simulate{Command::simulate};
  const std::vector<Command> converge{Command::converge};
  const std::vector<Command> not_scan{Command::simulate, Command::converge};
  const std::vector<Command> scan{Command::scan};
  const Words<slab::Rule> rules{named(slab::Rule::right), named(slab::Rule::midpoint)};
  const Words<engine::Method> methods{{engine::Method::sweep, "sweep"},
                                      {engine::Method::turning_points, "memory"},
                                      {engine::Method::exact, "exact"}};
  const Words<study::Refine> refinements{named(study::Refine::steps), named(study::Refine::cells),
                                         named(study::Refine::both)};
  const Words<scan::Past> pasts{{scan::Past::rest, "rest"}, {scan::Past::point, "point"}};
  const Words<bool> kept{{false, "numbers"}, {true, "series"}};
  std::vector<Option> table{
      {"model", "NAME", "masing", "the model; masing models lists them", text(&C::model), problem,
       all, each},
      {"stiffness", "k(s)", "1", "stiffness density, positive", function('s', &C::stiffness),
       problem, slabs, each},
      {"threshold", "eta(s)", "s+0.1", "yield displacement, not negative",
       function('s', &C::threshold), problem, slabs, each},
      {"threshold-down", "eta(s)", "",
       "yield displacement downwards, not negative; as upwards if not given",
       function('s', &C::threshold_down), problem, slabs, each},
      {"initial-u", "u0(s)", "0",
       "initial elongation, within the thresholds; file:RUN.h5: the last field of a run",
       function('s', &C::initial_u, true), problem, slabs, each},
      {"force", "F(t)", "0.45*cos(0.5*t)", "external force", function('t', &C::force), problem, all,
       each},
      {"base-acceleration", "a_g(t)", "0",
       "acceleration of the base: F - m a_g moves the mass relative to it",
       function('t', &C::base_acceleration), problem, moving_slab, each},
      {"position", "x(t)", "", "the position, prescribed in place of F(t)",
       function('t', &C::position), problem, quasistatic, each},
      {"mass", "m", "1", "mass, positive", real(&C::mass, positive), problem, moving_slab, each,
       "m"},
      {"damping", "c", "0", "viscous damping, not negative", real(&C::damping, not_negative),
       problem, moving_slab, each},
      {"k0", "k0", "0", "hardening spring, not negative", real(&C::k0, not_negative), problem,
       slabs, each, "k0"},
      {"x0", "x0", "0", "initial position", real(&C::x0), problem, slabs, each, "x0"},
      {"y0", "y0", "0", "initial velocity", real(&C::y0), problem, moving_slab, each, "y0"},
      {"final-time", "T", "500", "final time, positive", real(&C::final_time, positive), problem,
       all, each},
      {"steps", "N", "1000000", "time steps, at least 1", count(&C::steps, 1), result, all, each},
      {"cells", "P|inf", "1500",
       "cells of s in [0,1], at least 1; inf: the continuum, by the engines memory and exact",
       cells(), result, slabs, each},
      {"rule", "", "right", "where a cell samples k, eta, u0: its right end or its middle",
       choice(&C::rule, rules), result, slabs, each},
      {"scheme", "", "euler", described(slab::schemes), scheme(), result, moving_slab, each},
      {"engine", "", "",
       "sweep: cell by cell over all ranks; memory: by turning points, at a cost that does not "
       "depend on P; exact: event-driven, exact in time; sweep if not given, memory for P = inf; "
       "of models of finitely many elements exact, or their scheme if not given",
       choice(&C::method, methods), result, moving, each},
      {"breaks", "\"t,t,...\"", "", "times where F is not smooth, for the exact solution",
       list(&C::breaks), result, moving, each},
      {"output", "FILE.h5", "masing.h5", "result file; replaced when the run is done",
       text(&C::output), handling, all, each},
      {"sample-every", "n", "",
       "steps from one sample to the next; about 10,000 samples if not given",
       count(&C::sample_every, 1), result, all, each},
      {"field-every", "n", "",
       "steps from one field u(.,s), or state, to the next; 0: the last step only, as if not given "
       "of slabs; a state comes with every sample then, unless it is huge",
       count(&C::field_every, 0), result, all, simulate},
      {"from", "t", "", "first time of the samples (default 0)", real(&C::from), result, all, each},
      {"to", "t", "", "last time of the samples (default T)", real(&C::to), result, all, each},
      {"energy", "", "false", "write the energy balance with the samples", toggle(&C::energy),
       result, moving_slab, simulate},
      {"field-points", "n", "",
       "places of the field in the files: of P = inf (1000 if not given); of P > n, the n cells "
       "floor((2j+1)P/(2n)), j = 0..n-1, counted from 0; 0: all P cells, as if not given, where "
       "the fields have at most 10^7 numbers, else 10000",
       count(&C::field_points, 0), result, slabs, not_scan},
      {"probe", "\"s,s,...\"", "", "write u at these s with every sample", list(&C::probe, in_slab),
       result, slabs, simulate},
      {"refine", "", "steps", "what the levels refine; of models without cells steps",
       choice(&C::refine, refinements), result, all, converge},
      {"levels", "\"n,n,...\"", "",
       "the levels, coarse to fine; or first:last:count, a geometric ladder; for both: pairs "
       "\"P:N,P:N,...\", or P:N:P:N:count, refined in turn",
       levels(), result, all, converge},
      {"reference", "", "finest",
       described(study::reference_kinds()) + "; or a file of masing simulate", reference(), result,
       all, converge},
      {"expect-order", "\"x=1,...\"", "",
       "orders expected of x, y, u, u_cells; a bare number is for x, y, u; >=0.5 is allowed; none: "
       "no verdict; what the scheme and the rule promise if not given, none where their hypotheses "
       "do not hold",
       text(&C::expected_orders), result, all, converge},
      {"order-tolerance", "d", "0.1", "how far an order may be from the expected one",
       real(&C::order_tolerance, positive), result, all, converge},
      {"field-samples", "m", "200", "times T/m, 2T/m, …, T at which u is compared",
       count(&C::field_samples, 1), result, all, converge},
      {"steady", "", "false", "the limit cycle of each point itself, by shooting",
       toggle(&C::steady), result, moving_slab, scan},
      {"past", "", "rest",
       "what cells that do not yield on a limit cycle keep: what the motion from the start left, "
       "or the cycle of the point before",
       choice(&C::past, pasts), result, moving_slab, scan},
      {"period", "t", "", "period of the force, where it is not found", real(&C::period), result,
       all, scan},
      {"backbone", "\"X=...\"", "",
       "closed cycles of these amplitudes, as --over gives values, without a run",
       text(&C::backbone), result, slabs, scan},
      {"keep", "", "numbers",
       "what the file keeps of the runs: numbers alone, or their samples, too",
       choice(&C::keep_series, kept), result, all, scan},
      {"checkpoint", "FILE.h5", "",
       "file of the checkpoints; OUTPUT.checkpoint, and only when stopped, if not given",
       text(&C::checkpoint), handling, all, each},
      {"checkpoint-every", "n", "0", "steps from one checkpoint to the next; 0: every ten minutes",
       count(&C::checkpoint_every, 0), handling, all, each},
      {"restart", "FILE.h5", "", "go on with the run that this checkpoint is of", text(&C::restart),
       handling, all, each},
      {"wall-limit", "h:m:s", "0",
       "after so long, or so many seconds, write a checkpoint and stop with exit code 75; 0: never",
       wall_limit(), handling, all, each},
      {"quiet", "", "false", "no progress on stderr", toggle(&C::quiet), handling, all, each},
  };
  for (Option& option : table) {
    option.argument += option.value.words;
  }
  return table;
}
}  // namespace

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

const Option* find_option(const std::string& name) {
  const auto& table = option_table();
  const auto found = std::ranges::find(table, name, &Option::name);
  return found == table.end() ? nullptr : &*found;
}

const Configuration& presets() {
  static const Configuration all = [] {
    Configuration c;
    for (const Option& option : option_table()) {
      if (!option.preset.empty()) {
        option.value.read(option.preset, {}, {}).assign(c, {});
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

ModelKind kind_of(const std::string& model) {
  return model == "masing"               ? ModelKind::slab
         : model == "masing-quasistatic" ? ModelKind::quasistatic_slab
                                         : ModelKind::finite;
}

}  // namespace masing::cli
