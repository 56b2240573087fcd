#include "cli/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "engine/slab.hpp"
#include "io/recorders.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;
using engine::Method;
using rheology::element_count;
using rheology::Parameter;
using study::Refine;

namespace {

/// The section of an .ini with the parameters of the model.
const std::string section = "model.";

/// Returns the values of a parameter. Its text is a list of numbers and expressions, or one
/// expression of i and n for all elements. In a list, n is `count`.
rheology::Sequence sequence_of(const Values& values, const std::string& name, double count) {
  const std::vector<std::string> pieces = split_list(values.text(section + name));
  std::vector<double> numbers;
  numbers.reserve(pieces.size());
  for (const std::string& piece : pieces) {
    if (const auto literal = base::to_number(piece)) {
      numbers.push_back(*literal);
      continue;
    }
    const base::Function function =
        values.parsed(piece, Kind::pair).bound(values.constants(), {}, {element_count});
    if (pieces.size() == 1) {
      return std::make_shared<const base::Function>(function);
    }
    numbers.push_back(
        function.bound({{element_count, count}})(static_cast<double>(numbers.size() + 1)));
  }
  if (numbers.size() == 1) {
    return numbers.front();
  }
  return numbers;
}

/// Returns, as text, the length of the first list that has one value for each element. Returns an
/// empty text if no parameter has such a list.
std::string counted_elements(const Values& values, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const std::size_t count = split_list(values.text(section + parameter.name)).size();
    if (parameter.values == rheology::per_element && count > 1) {
      return std::to_string(count);
    }
  }
  return {};
}

/// Sets the defaults of the parameters of a model. The default of n is the length of the first list
/// that has one value for each element. Throws UserError if a parameter of the model is missing.
void resolve_parameters(Values& values) {
  const rheology::ModelInfo& info = rheology::catalogue_entry(values.call().model).info;
  const std::string& levels = values.text("levels");
  const std::string of_elements = section + element_count;
  if (!levels.empty() && values.text("refine") == "elements" && !values.given(of_elements)) {
    // that of the first level
    values.set(of_elements, levels.substr(0, levels.find(':')), values.place("levels"));
  }
  const std::vector<Parameter> parameters = all_parameters(info);
  for (const Parameter& parameter : parameters) {
    const std::string key = section + parameter.name;
    if (!values.has(key)) {
      values.derive(key, parameter.preset                  ? base::to_text(*parameter.preset)
                         : parameter.name == element_count ? counted_elements(values, parameters)
                                                           : "");
    }
    if (!values.has(key)) {
      throw UserError(fmt::format("{}: missing; {} needs it: {}; give --set {}=VALUE",
                                  values.place(parameter.name), info.name, parameter.meaning,
                                  parameter.name));
    }
  }
}

/// The force of the papers, which is the default of their problem alone.
constexpr const char* papers_force = "0.45*cos(0.5*t)";

/// Returns whether the problem is that of the papers as far as the user gives it: no option,
/// parameter, axis or column names a quantity of the problem. The final time does not count.
bool is_of_papers(const Values& values) {
  return values.family() == Family::slab &&
         std::ranges::none_of(options(), [&](const Option& each) {
           const std::string key = each.name;
           return each.role == Role::problem && key != "model" && key != "final-time" &&
                  values.given(key);
         });
}

/// Sets the text of an option unless the user gave one.
void set_default(Values& values, const char* key, const std::string& text) {
  if (!values.given(key)) {
    values.derive(key, text);
  }
}

/// Returns the default of field-every: of a model of finitely many elements a state for each
/// sample, but only the first and the last if all would have more than 10^7 numbers.
std::int64_t default_field_every(const Values& values) {
  constexpr double most_numbers = 1e7;
  if (values.family() != Family::finite) {
    return 0;
  }
  const io::Sampling sampling = sampling_of(values);
  const auto samples = static_cast<double>(io::SampledSteps(sampling).count());
  const auto& groups = rheology::catalogue_entry(values.call().model).info.state;
  const auto size = static_cast<double>(rheology::StateLayout{groups, elements_of(values)}.size());
  return samples * size > most_numbers ? 0 : sampling.every;
}

/// Throws UserError if options contradict each other. For example, the engine sweep cannot compute
/// P = ∞, models other than slabs have no cells to refine, and the exact solution has no time step
/// to refine.
void check_options(const Values& values) {
  const Family family = values.family();
  const std::string& model = values.call().model;
  const bool is_continuum = values.text("cells") == "inf" && family != Family::finite;
  require(!is_continuum || family == Family::chain || values.count("field-points") > 0,
          "field-points", "0; must be a whole number from 1 to 2^53");
  const auto [time, every, from, to] = sampling_of(values);
  require(
      from >= 0 && from <= to, "from",
      fmt::format("{}; must lie in [0, {}], up to --to", base::to_text(from), base::to_text(to)));
  require(
      to <= time.final_time, "to",
      fmt::format("{}; must be at most T = {}", base::to_text(to), base::to_text(time.final_time)));
  require(values.has("output"), "output", "empty; give a file name");
  const auto refine = values.choice<Refine>("refine");
  const std::optional<Method> method = method_of(values);
  using Words = std::vector<std::string>;
  const auto is_one_of = [&](const char* key, const Words& words) {
    return std::ranges::count(words, values.text(key)) > 0;
  };
  const Words refinements = family == Family::finite  ? Words{"steps"}
                            : family == Family::chain ? Words{"steps", "cells", "elements"}
                                                      : Words{"steps", "cells", "both"};
  require(is_one_of("refine", refinements), "refine",
          fmt::format("{} is not there for {}; give {}", values.text("refine"), model,
                      base::joined(refinements, "|")));
  const Words engines = family == Family::finite  ? Words{"exact"}
                        : family == Family::chain ? Words{"memory"}
                        : is_continuum            ? Words{"memory", "exact"}
                                                  : Words{"sweep", "memory", "exact"};
  require(!method || is_one_of("engine", engines), "engine",
          fmt::format("{} is no engine of {}{}; give {}", values.text("engine"), model,
                      is_continuum ? " with --cells inf" : "", base::joined(engines, "|")));
  const bool refines_time = values.command() == Command::converge && refine != Refine::cells;
  require(!refines_time || method != Method::exact, "engine",
          "exact has no time step to refine; leave it out, and give --reference exact");
}

/// Returns the run of a slab: its model, its driving function and its time grid.
engine::RunSpec slab_run(const Values& values) {
  slab::Slab slab = shape_of(values);
  if (values.has("threshold-down")) {
    slab.set_threshold_down(values.function("threshold-down"));
  }
  if (values.family() == Family::quasistatic) {
    const bool is_prescribed = values.has("position");
    const slab::Oscillator spring{.mass = 0.0, .k0 = values.real("k0"), .x0 = values.real("x0")};
    return {engine::make_model(engine::Masing{.slab = std::move(slab), .oscillator = spring}),
            {is_prescribed ? engine::Drive{values.function("position"), {"position", "x(t)"}}
                           : engine::Drive{values.function("force")}},
            time_of(values),
            *method_of(values),
            is_prescribed};
  }
  const slab::Oscillator oscillator{.mass = values.real("mass"),
                                    .damping = values.real("damping"),
                                    .k0 = values.real("k0"),
                                    .x0 = values.real("x0"),
                                    .y0 = values.real("y0")};
  engine::Drive drive{values.function("force")};
  const base::Function base = values.function("base-acceleration");
  const bool base_moves = is_not_zero(base);
  if (base_moves) {
    drive = {drive.of_t.plus(-oscillator.mass, base), {"base-acceleration", "F(t) - m a_g(t)"}};
  }
  return {engine::make_model(engine::Masing{.slab = std::move(slab),
                                            .oscillator = oscillator,
                                            .scheme = values.choice<slab::Scheme>("scheme"),
                                            .base_moves = base_moves}),
          {std::move(drive)},
          time_of(values),
          *method_of(values)};
}

/// Returns the run of a model of finitely many elements. Builds the elements in blocks, one block
/// after another, so that the check of a large model does not need the memory for all of them.
/// Throws UserError for the first parameter value that is not allowed.
engine::RunSpec finite_run(const Values& values) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  rheology::ModelSpec spec = model_spec(values);
  for (std::int64_t first = 0; first < spec.parameters.elements; first += most) {
    (void)rheology::build(spec, {first, std::min(most, spec.parameters.elements - first)});
  }
  return {engine::make_model(std::move(spec)),
          {{values.function("force")}},
          time_of(values),
          method_of(values).value_or(Method::sweep)};
}

}  // namespace

std::int64_t elements_of(const Values& values) {
  const std::string& text = values.text(section + element_count);
  if (text.empty()) {
    return 1;
  }
  return values.at(element_count, [&] {
    constexpr std::int64_t most = 100000000;
    const std::int64_t count = values.whole(text, values.constants());
    if (count < 1 || count > most) {
      throw UserError(fmt::format("{}; must be a whole number from 1 to {}", count, most));
    }
    return count;
  });
}

rheology::ModelSpec model_spec(const Values& values) {
  rheology::ModelSpec spec{.model = &rheology::catalogue_entry(values.call().model),
                           .parameters = {}};
  const std::int64_t elements = spec.parameters.elements = elements_of(values);
  for (const Parameter& parameter : all_parameters(spec.model->info)) {
    if (parameter.name != element_count) {
      // as rheology::ParameterValues inserts it in expressions
      const auto n = static_cast<double>(std::max(parameter.count(elements), elements));
      spec.parameters.sequences.emplace(parameter.name, values.at(parameter.name, [&] {
        return sequence_of(values, parameter.name, n);
      }));
    }
  }
  return spec;
}

slab::Space space_of(const Values& values) {
  if (values.text("cells") != "inf") {
    return slab::Cells{values.count("cells")};
  }
  const bool has_fields = values.family() != Family::chain;
  return has_fields ? slab::Continuum{values.count("field-points")} : slab::Continuum{};
}

slab::Slab shape_of(const Values& values) {
  return {{.stiffness = values.function("stiffness"),
           .threshold = values.function("threshold"),
           .initial_u = values.function("initial-u")},
          space_of(values),
          values.choice<slab::Rule>("rule")};
}

slab::TimeGrid time_of(const Values& values) {
  return {values.real("final-time"), values.count("steps")};
}

io::Sampling sampling_of(const Values& values) {
  return {.time = time_of(values),
          .every = values.count("sample-every"),
          .from = values.real("from"),
          .to = values.real("to")};
}

std::optional<Method> method_of(const Values& values) {
  return values.has("engine") ? std::optional(values.choice<Method>("engine")) : std::nullopt;
}

void resolve_samples(Values& values, std::int64_t steps) {
  set_default(values, "sample-every", base::to_text(std::max<std::int64_t>(1, steps / 10000)));
}

void resolve(Values& values) {
  const Family family = values.family();
  (void)values.constants();  // so that a fault of a constant is not said of what uses it
  if (has_parameters(family)) {
    resolve_parameters(values);
  }
  const bool has_base = family == Family::chain || values.given("base-acceleration");
  const bool is_papers =
      !values.given("force") && (values.call().is_of_result || is_of_papers(values));
  set_default(values, "scheme", has_base ? "leapfrog" : "euler");
  // derived, so that --config of a result file does not count it as given
  set_default(values, "base-acceleration", "0");
  set_default(values, "force",
              values.has("position") ? ""
              : has_base             ? "0"
              : is_papers            ? papers_force
                                     : "");
  const bool is_infinite = values.text("cells") == "inf";
  if (family != Family::finite) {
    set_default(values, "engine",
                values.flag("steady")                   ? "exact"
                : is_infinite || family != Family::slab ? "memory"
                                                        : "sweep");
  }
  resolve_samples(values, values.count("steps"));
  set_default(values, "from", "0");
  set_default(values, "to", base::to_text(values.real("final-time")));
  set_default(values, "field-every", base::to_text(default_field_every(values)));
  set_default(
      values, "field-points",
      base::to_text(is_infinite && !has_parameters(family) ? slab::Continuum().field_points : 0));
}

engine::RunSpec run_of(const Values& values) {
  check_options(values);
  engine::RunSpec run = values.family() == Family::chain    ? chain_run(values)
                        : values.family() == Family::finite ? finite_run(values)
                                                            : slab_run(values);
  const bool is_prescribed = values.has("position");
  require(!is_prescribed || !values.has("force"), "position",
          "the position cannot be prescribed beside --force; give one of the two");
  require(is_prescribed || values.has("force"), "force",
          "missing; give --force, 0 for a free vibration");
  return run;
}

void warn_of_tables(const Values& values, std::vector<std::string>& warnings) {
  constexpr double same_time = 1e-9;  // relative tolerance within which the end of a table is T
  const double final_time = values.real("final-time");
  for (const char* key : {"base-acceleration", "force", "incoming-velocity", "position"}) {
    const std::vector<double> times = values.function(key).kinks();
    if (times.size() < 2) {
      continue;
    }
    const double begin = times.front();
    const double end = times.back();
    const double from = std::max(0.0, begin);
    const bool is_long = !values.flag("steady") && final_time - from < 0.1 * (end - from);
    if (is_long || std::abs(begin) > same_time * final_time ||
        end < final_time * (1.0 - same_time)) {
      warnings.push_back(
          fmt::format("{}: the table goes from t = {} to {}, and the run from 0 to {}{}",
                      values.place(key), base::to_text(begin), base::to_text(end),
                      base::to_text(final_time), is_long ? "; are its times in other units?" : ""));
    }
  }
}

std::vector<double> breaks_of(const Values& values, double final_time) {
  return base::breaks({{"force", values.function("force")},
                       {"base-acceleration", values.function("base-acceleration")}},
                      final_time, values.list("breaks"));
}

std::optional<double> period_of(const Values& values, const engine::RunSpec& run) {
  if (!values.has("force") || values.family() == Family::chain) {
    return std::nullopt;
  }
  const double final_time =
      values.flag("steady") ? std::numeric_limits<double>::infinity() : run.time.final_time;
  if (!values.has("period")) {
    return base::period_of(run.drives.front().of_t, final_time);
  }
  const double period = values.real("period");
  require(period > 0.0 && base::has_period(run.drives.front().of_t, period, final_time), "period",
          fmt::format("F(t + {}) is not F(t){}", base::to_text(period), of_known_period));
  return period;
}

}  // namespace masing::cli
