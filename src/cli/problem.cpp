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
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;
using engine::Method;
using study::Refine;

namespace {

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

/// Sets the scheme, the motion of the base and the force; without a default there is no force.
void resolve_drives(Values& values) {
  const bool has_base = values.family() == Family::chain || values.given("base-acceleration");
  const bool is_prescribed = values.has("position");
  if (!values.given("scheme")) {
    values.derive("scheme", has_base ? "leapfrog" : "euler");
  }
  if (!values.given("base-acceleration")) {
    values.derive("base-acceleration", "0");
  }
  if (!values.given("force")) {
    const bool is_papers = values.call().is_of_result || is_of_papers(values);
    values.derive("force", is_prescribed ? "" : has_base ? "0" : is_papers ? papers_force : "");
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
  const double samples = (sampling.to - sampling.from) / sampling.time.final_time *
                         static_cast<double>(sampling.time.steps) /
                         static_cast<double>(sampling.every);
  const auto& groups = rheology::catalogue_entry(values.call().model).info.state;
  const rheology::StateLayout layout{groups, elements_of(values)};
  const bool is_huge = samples * static_cast<double>(layout.size()) > most_numbers;
  return is_huge ? 0 : sampling.every;
}

/// Returns the default of field-points. If a slab has more than 10,000 cells and /field/u of masing
/// simulate would have more than 10^7 numbers, u is written at 10,000 places only, and a warning is
/// added.
std::int64_t default_field_points(const Values& values, std::vector<std::string>& warnings) {
  constexpr double most_numbers = 1e7;
  constexpr std::int64_t fewer_points = 10000;
  const bool is_chain = values.family() == Family::chain;
  const slab::Space space = values.family() == Family::finite ? slab::Cells{} : space_of(values);
  const auto* cells = std::get_if<slab::Cells>(&space);
  const std::int64_t every = values.count("field-every");
  const std::int64_t more_rows = every > 0 ? time_of(values).steps / every : 0;
  const std::int64_t places = is_chain ? elements_of(values) : cells == nullptr ? 0 : cells->count;
  if (values.command() == Command::simulate && values.family() != Family::finite &&
      places > fewer_points &&
      (1.0 + static_cast<double>(more_rows)) * static_cast<double>(places) > most_numbers) {
    warnings.push_back(fmt::format(
        "--field-points: of {} {} the file keeps {}, as all of them would be more than {:g} "
        "numbers; give --field-points 0 for all",
        places, is_chain ? "nodes" : "cells", fewer_points, most_numbers));
    return fewer_points;
  }
  return cells == nullptr && !is_chain ? slab::Continuum().field_points : 0;
}

/// Throws UserError if options contradict each other. For example, the engine sweep cannot compute
/// P = ∞, models other than slabs have no cells to refine, and the exact solution has no time step
/// to refine.
void check_options(const Values& values) {
  const Family family = values.family();
  const bool is_continuum = values.text("cells") == "inf" && family != Family::finite;
  require(!is_continuum || family == Family::chain || values.count("field-points") > 0,
          "field-points", "0; must be a whole number from 1 to 2^53");
  const auto [time, every, from, to] = sampling_of(values);
  const auto require_in_run = [&, end = time.final_time](const char* key, double when) {
    require(
        when >= 0 && when <= end, key,
        fmt::format("{}; must lie in [0, T] = [0, {}]", base::to_text(when), base::to_text(end)));
  };
  require_in_run("from", from);
  require_in_run("to", to);
  require(from <= to, "from",
          fmt::format("{} is after --to {}; give a window from < to", base::to_text(from),
                      base::to_text(to)));
  require(values.has("output"), "output", "empty; give a file name");
  const bool is_study = values.command() == Command::converge;
  const auto refine = values.choice<Refine>("refine");
  const std::optional<Method> method = method_of(values);
  if (family == Family::chain) {
    check_chain(values);
  } else if (family == Family::finite) {
    const std::string& model = values.call().model;
    require(!method || method == Method::exact, "engine",
            "not an engine of " + model + "; give exact, or nothing for the scheme");
    require(!is_study || !method, "engine",
            "exact has no time step to refine; leave it out, and give --reference exact");
    require(refine == Refine::steps, "refine", model + " has no cells; give steps");
  } else {
    require(refine != Refine::elements, "refine",
            "elements is there for masing-chain; give steps, cells or both");
    require(!is_continuum || method != Method::sweep, "engine",
            "sweep goes cell by cell and cannot have --cells inf; give --engine memory or exact, "
            "or a number of cells");
    require(!is_study || refine == Refine::cells || method != Method::exact, "engine",
            "exact has no time step to refine; give sweep or memory, and --reference exact");
  }
}

/// Returns the run of a slab: its model, its driving function and its time grid.
engine::RunSpec slab_run(const Values& values) {
  slab::Slab slab = shape_of(values);
  if (values.has("threshold-down")) {
    slab.set_threshold_down(values.function("threshold-down"));
  }
  if (auto* continuum = std::get_if<slab::Continuum>(&slab.space)) {
    continuum->field_points = values.count("field-points");
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
  const bool base_moves = !base.is_constant() || base(0.0) != 0.0;
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
  try {
    for (std::int64_t first = 0; first < spec.parameters.elements; first += most) {
      (void)rheology::build(spec, {first, std::min(most, spec.parameters.elements - first)});
    }
  } catch (const UserError& error) {
    if (!error.quantity().empty()) {
      throw;
    }
    throw UserError(std::string("--set: ") +
                    error.what());  // no quantity: several parameters together are at fault
  }
  return {engine::make_model(std::move(spec)),
          {{values.function("force")}},
          time_of(values),
          method_of(values).value_or(Method::sweep)};
}

}  // namespace

void require(bool holds, const char* key, const std::string& fault) {
  if (!holds) {
    throw UserError(key, fault);
  }
}

slab::Space space_of(const Values& values) {
  if (values.text("cells") == "inf") {
    return slab::Continuum{};
  }
  return slab::Cells{values.count("cells")};
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

void resolve(Values& values, std::vector<std::string>& warnings) {
  const Family family = values.family();
  if (has_parameters(family)) {
    resolve_parameters(values);
  }
  resolve_drives(values);
  const auto derive = [&](const char* key, const auto& text) {
    if (!values.given(key)) {
      values.derive(key, text());
    }
  };
  if (family != Family::finite) {
    const bool by_turning_points = values.text("cells") == "inf" || family != Family::slab;
    derive("engine", [&] {
      return values.flag("steady") ? "exact" : by_turning_points ? "memory" : "sweep";
    });
  }
  derive("sample-every",
         [&] { return base::to_text(std::max<std::int64_t>(1, values.count("steps") / 10000)); });
  derive("from", [] { return "0"; });
  derive("to", [&] { return base::to_text(values.real("final-time")); });
  derive("field-every", [&] { return base::to_text(default_field_every(values)); });
  derive("field-points", [&] { return base::to_text(default_field_points(values, warnings)); });
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
  for (const char* key : {"base-acceleration", "force", "incoming-velocity", "position"}) {
    const base::Function function = values.function(key);
    for (const base::Operation& operation : function.operations()) {
      const auto& table = operation.table;
      if (const auto said = table && table->arguments.size() > 1 ? misfit_of(*table, values) : "";
          !said.empty()) {
        warnings.push_back(values.place(key) + ": the table " + said);
      }
    }
  }
}

void warn_of_start(const Values& values, std::vector<std::string>& warnings) {
  if (!values.has("position")) {
    return;
  }
  const double x0 = values.real("x0");
  const double start = values.function("position")(0.0);
  if (std::abs(start - x0) > 1e-12 * std::max(1.0, std::abs(x0))) {  // more than rounding errors
    warnings.push_back(fmt::format(
        "{}: x(0) = {} is not x0 = {}, where u = u0; x goes there at once, before the first sample",
        values.place("position"), base::to_text(start), base::to_text(x0)));
  }
}

std::string misfit_of(const base::PointTable& table, const Values& values) {
  constexpr double same_time = 1e-9;  // relative tolerance within which the end of a table is T
  const double final_time = values.real("final-time");
  const double begin = table.arguments.front();
  const double end = table.arguments.back();
  const double from = std::max(0.0, begin);
  std::vector<std::string> said;
  if (std::abs(begin) > same_time * final_time) {
    said.push_back("begins at t = " + base::to_text(begin) +
                   (begin < 0.0 ? ", and what is before t = 0 is left out"
                                : ", and has its first value from t = 0 to there"));
  }
  const bool is_long = !values.flag("steady") && final_time - from < 0.1 * (end - from);
  if (is_long || end < final_time * (1.0 - same_time)) {
    said.push_back(
        fmt::format("ends at t = {}, {} T = {}, and {}", base::to_text(end),
                    is_long ? "far beyond" : "before", base::to_text(final_time),
                    is_long ? "the run takes less than a tenth of it; are its times in other units?"
                            : "is constant from there on"));
  }
  return base::joined(said, "; it ");
}

std::vector<double> breaks_of(const Values& values, double final_time) {
  return base::breaks({{"force", values.function(values.has("position") ? "position" : "force")},
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
