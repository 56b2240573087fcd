#include "options/option_table.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace options {

using base::UserError;

namespace {

const std::vector<Command> both_commands{Command::simulate, Command::converge};
const std::vector<Command> converge_only{Command::converge};
const std::vector<Command> simulate_only{Command::simulate};
const std::vector<Family> every_model{Family::slab, Family::quasistatic_slab, Family::finite};
const std::vector<Family> any_slab{Family::slab, Family::quasistatic_slab};
const std::vector<Family> moving_slab{Family::slab};
const std::vector<Family> quasistatic_slab{Family::quasistatic_slab};

std::string quoted(const std::string& text) {
  return "'" + text.substr(0, 60) + "'";
}

double number(const std::string& text) {
  if (const auto value = base::to_number(text)) {
    return *value;
  }
  throw UserError(quoted(text) + " is not a number; give a finite number such as 1.5 or 2e-3");
}

std::int64_t integer(const std::string& text) {
  if (const auto value = base::to_integer(text)) {
    return *value;
  }
  throw UserError(quoted(text) + " is not a whole number; give one such as 1000000 or 1e6");
}

template <typename Value>
struct Name {
  Value value;
  const char* text;
};

constexpr Name<Rule> rules[] = {{Rule::right, "right"}, {Rule::midpoint, "midpoint"}};
constexpr Name<Scheme> schemes[] = {{Scheme::euler, "euler"}, {Scheme::leapfrog, "leapfrog"}};
constexpr Name<EngineKind> engines[] = {
    {EngineKind::sweep, "sweep"}, {EngineKind::memory, "memory"}, {EngineKind::exact, "exact"}};
constexpr Name<Refine> refinements[] = {
    {Refine::steps, "steps"}, {Refine::cells, "cells"}, {Refine::both, "both"}};
constexpr Name<Reference> references[] = {{Reference::finest, "finest"},
                                          {Reference::successive, "successive"},
                                          {Reference::exact, "exact"},
                                          {Reference::exact_time, "exact-time"},
                                          {Reference::cells_inf, "cells-inf"}};
constexpr const char* infinite = "inf";

Option text(std::string name, std::string argument, std::string help,
            std::string Configuration::*member) {
  return {std::move(name),
          std::move(argument),
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member](const Configuration& c) { return c.*member; },
          [member](Configuration& c, const std::string& value) { c.*member = value; }};
}

Option real(std::string name, std::string argument, std::string help,
            double Configuration::*member) {
  return {std::move(name),
          std::move(argument),
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member](const Configuration& c) { return base::to_text(c.*member); },
          [member](Configuration& c, const std::string& value) { c.*member = number(value); }};
}

Option count(std::string name, std::string argument, std::string help,
             std::int64_t Configuration::*member) {
  return {std::move(name),
          std::move(argument),
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member](const Configuration& c) { return base::to_text(c.*member); },
          [member](Configuration& c, const std::string& value) { c.*member = integer(value); }};
}

/// A number that has a value only once it is given or resolved.
Option time(std::string name, std::string help, std::optional<double> Configuration::*member) {
  return {std::move(name),
          "t",
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member](const Configuration& c) { return c.*member ? base::to_text(*(c.*member)) : ""; },
          [member](Configuration& c, const std::string& value) { c.*member = number(value); }};
}

template <typename Value, std::size_t Count>
Option choice(std::string name, std::string help, Value Configuration::*member,
              const Name<Value> (&names)[Count]) {
  std::vector<std::string> words;
  for (const auto& entry : names) {
    words.emplace_back(entry.text);
  }
  const std::string allowed = base::joined(words, "|");
  return {std::move(name),
          allowed,
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member, &names](const Configuration& c) {
            return std::string(std::ranges::find(names, c.*member, &Name<Value>::value)->text);
          },
          [member, &names, allowed](Configuration& c, const std::string& value) {
            const auto* found = std::ranges::find(names, value, &Name<Value>::text);
            if (found == std::end(names)) {
              throw UserError(quoted(value) + " is not known here; give " + allowed);
            }
            c.*member = found->value;
          }};
}

Option only(const std::vector<Command>& commands, Option option) {
  option.commands = commands;
  return option;
}

Option for_models(const std::vector<Family>& families, Option option) {
  option.families = families;
  return option;
}

/// An option of slabs that gives the other models a parameter.
Option also_parameter(std::string parameter, Option option) {
  option.parameter = std::move(parameter);
  return option;
}

Option handling(Option option) {
  option.role = Role::handling;
  return option;
}

Option sample_every() {
  return {
      "sample-every",
      "n",
      "steps from one sample to the next; about 10,000 samples if not given",
      Role::result,
      both_commands,
      every_model,
      {},
      [](const Configuration& c) { return c.sample_every ? base::to_text(*c.sample_every) : ""; },
      [](Configuration& c, const std::string& value) { c.sample_every = integer(value); }};
}

Option field_points() {
  return {
      "field-points",
      "n",
      "places of the field in the files: of P = inf (1000 if not given); of P > n, the n cells "
      "floor((2j+1)P/(2n)), j = 0..n-1, counted from 0; 0: all P cells",
      Role::result,
      both_commands,
      every_model,
      {},
      [](const Configuration& c) { return c.field_points ? base::to_text(*c.field_points) : ""; },
      [](Configuration& c, const std::string& value) { c.field_points = integer(value); }};
}

Option probe() {
  return {"probe",
          "\"s,s,...\"",
          "write u at these s with every sample",
          Role::result,
          simulate_only,
          every_model,
          {},
          [](const Configuration& c) {
            std::vector<std::string> places;
            for (const double s : c.probe) {
              places.push_back(base::to_text(s));
            }
            return base::joined(places, ",");
          },
          [](Configuration& c, const std::string& value) {
            c.probe.clear();
            for (const auto& piece : base::split(value, ',')) {
              c.probe.push_back(number(piece));
            }
          }};
}

/// A switch: given without a value on the command line, true or false in an .ini.
Option toggle(std::string name, std::string help, bool Configuration::*member) {
  return {std::move(name),
          "",
          std::move(help),
          Role::result,
          both_commands,
          every_model,
          {},
          [member](const Configuration& c) { return c.*member ? "true" : "false"; },
          [member](Configuration& c, const std::string& value) {
            if (value != "true" && value != "false") {
              throw UserError(quoted(value) + " is not a switch; give true or false");
            }
            c.*member = value == "true";
          }};
}

Option cells() {
  return {"cells",
          "P|inf",
          "cells of s in [0,1], at least 1; inf: the continuum, by the engines memory and exact",
          Role::result,
          both_commands,
          every_model,
          {},
          [](const Configuration& c) {
            return c.cells == infinitely_many ? infinite : base::to_text(c.cells);
          },
          [](Configuration& c, const std::string& value) {
            c.cells = value == infinite ? infinitely_many : integer(value);
            if (value != infinite && c.cells < 1) {
              throw UserError(quoted(value) + " cells; give at least 1, or inf");
            }
          }};
}

Option engine() {
  return {"engine",
          "sweep|memory|exact",
          "sweep: cell by cell over all ranks; memory: by turning points, at a cost that does not "
          "depend on P; exact: event-driven, exact in time; sweep if not given, memory for P = inf",
          Role::result,
          both_commands,
          every_model,
          {},
          [](const Configuration& c) {
            return c.engine
                       ? std::string(
                             std::ranges::find(engines, *c.engine, &Name<EngineKind>::value)->text)
                       : "";
          },
          [](Configuration& c, const std::string& value) {
            const auto* found = std::ranges::find(engines, value, &Name<EngineKind>::text);
            if (found == std::end(engines)) {
              throw UserError(quoted(value) + " is not known here; give sweep|memory|exact");
            }
            c.engine = found->value;
          }};
}

/// "90", "15:00" or "23:30:00" in seconds.
double seconds_of(const std::string& value) {
  const std::vector<std::string> pieces = base::split(value, ':');
  double seconds = 0.0;
  for (const std::string& piece : pieces) {
    const double part = number(piece);
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
  return {"wall-limit",
          "h:m:s",
          "after so long, or so many seconds, write a checkpoint and stop with exit code 75; 0: "
          "never",
          Role::handling,
          both_commands,
          every_model,
          {},
          [](const Configuration& c) { return base::to_text(c.wall_limit.value_or(0.0)); },
          [](Configuration& c, const std::string& value) {
            const double seconds = seconds_of(value);
            c.wall_limit = seconds > 0 ? std::optional(seconds) : std::nullopt;
          }};
}

Option reference() {
  Option option = choice("reference",
                         "finest: one run at least 16 times finer than the last level; successive: "
                         "each level against the next; exact: the exact solution (P = N = inf); "
                         "exact-time: the exact solution at the same P; cells-inf: P = inf, the "
                         "same N; or a file of masing simulate",
                         &Configuration::reference, references);
  option.argument += "|FILE.h5";
  option.commands = converge_only;
  option.get = [named = option.get](const Configuration& c) {
    return c.reference == Reference::file ? c.reference_file : named(c);
  };
  option.set = [named = option.set](Configuration& c, const std::string& value) {
    c.reference_file.clear();
    if (value.ends_with(".h5")) {
      c.reference = Reference::file;
      c.reference_file = value;
    } else {
      named(c, value);
    }
  };
  return option;
}

std::vector<Option> make_table() {
  using C = Configuration;
  return {
      text("model", "NAME", "the model; masing models lists them", &C::model),
      for_models(any_slab, text("stiffness", "k(s)", "stiffness density, positive", &C::stiffness)),
      for_models(any_slab,
                 text("threshold", "eta(s)", "yield displacement, positive", &C::threshold)),
      for_models(any_slab,
                 text("initial-u", "u0(s)", "initial elongation, |u0| <= eta", &C::initial_u)),
      text("force", "F(t)", "external force", &C::force),
      for_models(quasistatic_slab, text("position", "x(t)",
                                        "the position, prescribed in place of F(t)", &C::position)),
      for_models(moving_slab, also_parameter("m", real("mass", "m", "mass, positive", &C::mass))),
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
      for_models(
          moving_slab,
          choice("scheme", "the papers' scheme of order one, or velocity Verlet of order two",
                 &C::scheme, schemes)),
      for_models(moving_slab, engine()),
      for_models(moving_slab,
                 text("breaks", "\"t,t,...\"",
                      "times where F is not smooth, for the exact solution", &C::break_text)),
      handling(text("output", "FILE.h5", "result file; replaced when the run is done", &C::output)),
      sample_every(),
      only(simulate_only,
           count(
               "field-every", "n",
               "steps from one field u(.,s), or state, to the next; 0: the last step only; a state "
               "comes with every sample if not given, unless it is huge",
               &C::field_every)),
      time("from", "first time of the samples (default 0)", &C::from),
      time("to", "last time of the samples (default T)", &C::to),
      for_models(moving_slab,
                 only(simulate_only,
                      toggle("energy", "write the energy balance with the samples", &C::energy))),
      for_models(any_slab, field_points()),
      for_models(any_slab, probe()),
      for_models(any_slab, only(converge_only, choice("refine", "what the levels refine",
                                                      &C::refine, refinements))),
      only(converge_only,
           text("levels", "\"n,n,...\"",
                "the levels, coarse to fine; for both: pairs \"P:N,P:N,...\"", &C::level_text)),
      reference(),
      only(converge_only,
           text("expect-order", "\"x=1,...\"",
                "orders expected of x, y, u, u_cells; a bare number is for x, y, u; >=0.5 is "
                "allowed; what the scheme and the rule promise if not given",
                &C::expected_order_text)),
      only(converge_only,
           real("order-tolerance", "d", "how far an order may be from the expected one",
                &C::order_tolerance)),
      only(converge_only, count("field-samples", "m",
                                "times T/m, 2T/m, …, T at which u is compared", &C::field_samples)),
      handling(text("checkpoint", "FILE.h5",
                    "file of the checkpoints; OUTPUT.checkpoint, and only when stopped, if not "
                    "given",
                    &C::checkpoint)),
      handling(count("checkpoint-every", "n",
                     "steps from one checkpoint to the next; 0: every ten minutes",
                     &C::checkpoint_every)),
      handling(
          text("restart", "FILE.h5", "go on with the run that this checkpoint is of", &C::restart)),
      wall_limit(),
      handling(toggle("quiet", "no progress on stderr", &C::quiet)),
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

bool takes(Family family, const Option& option) {
  return std::ranges::find(option.families, family) != option.families.end();
}

Family family_of(const std::string& model) {
  if (model == "masing") {
    return Family::slab;
  }
  return model == "masing-quasistatic" ? Family::quasistatic_slab : Family::finite;
}

}  // namespace options
