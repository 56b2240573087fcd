#include "cli/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"
#include "cli/ini.hpp"
#include "cli/model.hpp"
#include "cli/scan.hpp"
#include "cli/study.hpp"
#include "study/hypotheses.hpp"
#include "study/reference.hpp"

namespace masing::cli {

using base::UserError;
using engine::Method;
using study::Refine;

namespace {

// Every integer up to it is a double, so p·T/N and i/P are formed from exact operands.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;
// A table that ends this much before T, relatively, ends at T.
constexpr double same_time = 1e-9;

void require(bool holds, const Configuration& c, const std::string& key, const std::string& wrong,
             const std::string& right) {
  if (!holds) {
    throw UserError(where(c, key) + wrong + "; " + right);
  }
}

/// Whether two names, of files that may not be there yet, are of one file.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  const auto name = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  return name(one) == name(other);
}

void check_count(const Configuration& c, const std::string& key, std::int64_t value,
                 std::int64_t least) {
  require(value >= least && value <= largest_count, c, key, base::to_text(value),
          "must be a whole number from " + base::to_text(least) + " to 2^53");
}

/// Keys that the model does not take, given all the same.
void check_keys(const Configuration& c) {
  const ModelKind kind = kind_of(c.model);
  for (const Option& option : option_table()) {
    require(takes(kind, option) || !c.origin.contains(option.name), c, option.name,
            "not a key of --model " + c.model, "masing models " + c.model + " lists what it takes");
  }
  require(c.position.empty() || !c.origin.contains("force") || c.force.empty(), c, "position",
          "the position cannot be prescribed beside --force", "give one of the two");
}

void check_numbers(const Configuration& c) {
  require(c.mass > 0, c, "mass", base::to_text(c.mass), "must be > 0");
  require(c.damping >= 0, c, "damping", base::to_text(c.damping), "must be >= 0");
  require(c.k0 >= 0, c, "k0", base::to_text(c.k0), "must be >= 0");
  require(c.final_time > 0, c, "final-time", base::to_text(c.final_time), "must be > 0");
  check_count(c, "steps", c.steps, 1);
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  check_count(c, "cells", cells == nullptr ? 1 : cells->count, 1);
  check_count(c, "field-points", *c.field_points, cells == nullptr ? 1 : 0);
  check_count(c, "field-every", c.output_spec.field_every, 0);
  check_count(c, "checkpoint-every", c.checkpoint_every, 0);
  check_count(c, "sample-every", *c.sample_every, 1);
  check_count(c, "field-samples", c.field_samples, 1);
  require(c.order_tolerance > 0, c, "order-tolerance", base::to_text(c.order_tolerance),
          "must be > 0");
  const std::string within = "must lie in [0, T] = [0, " + base::to_text(c.final_time) + "]";
  require(*c.from >= 0 && *c.from <= c.final_time, c, "from", base::to_text(*c.from), within);
  require(*c.to >= 0 && *c.to <= c.final_time, c, "to", base::to_text(*c.to), within);
  require(*c.from <= *c.to, c, "from",
          base::to_text(*c.from) + " is after --to " + base::to_text(*c.to),
          "give a window from < to");
  for (const double s : c.output_spec.probe) {
    require(s >= 0 && s <= 1, c, "probe", base::to_text(s), "every s must lie in [0, 1]");
  }
  require(!c.output.empty(), c, "output", "empty", "give a file name");
  for (const std::string& file : io::files_of_result(c.output)) {
    require(c.checkpoint.empty() || !is_same_file(c.checkpoint, file), c, "checkpoint",
            c.checkpoint, "the run writes this file itself; give another");
  }
}

/// A function of the configuration, whose text becomes one that needs no file.
base::Function parsed(const Configuration& c, const std::string& key, std::string& text,
                      char variable, const base::FileReader& read) {
  base::Function function =
      placed(where(c, key), [&] { return base::Function(text, variable, read, c.constants); });
  text = function.text();
  return function;
}

/// P = ∞ has no cells to sweep, other models than slabs none to refine, and the exact solution no
/// steps to refine.
void check_engine(const Configuration& c) {
  if (kind_of(c.model) == ModelKind::finite) {
    require(!c.method || c.method == Method::exact, c, "engine", "not an engine of " + c.model,
            "give exact, or nothing for the scheme");
    require(c.command != Command::converge || !c.method, c, "engine",
            "exact has no time step to refine", "leave it out, and give --reference exact");
    require(c.refine == Refine::steps, c, "refine", c.model + " has no cells", "give steps");
    return;
  }
  require(std::holds_alternative<slab::Cells>(c.space) || c.method != Method::sweep, c, "engine",
          "sweep goes cell by cell and cannot have --cells inf",
          "give --engine memory or exact, or a number of cells");
  require(c.command != Command::converge || c.method != Method::exact || c.refine == Refine::cells,
          c, "engine", "exact has no time step to refine",
          "give sweep or memory, and --reference exact");
}

/// "1,2.5" as increasing times.
std::vector<double> break_times(const Configuration& c) {
  std::vector<double> times;
  for (const auto& piece : base::split(c.break_text, ',')) {
    try {
      times.push_back(number(piece, c.constants));
    } catch (const UserError&) {
      require(false, c, "breaks", "'" + piece + "' is not a time", "give \"1,2.5\"");
    }
  }
  std::ranges::sort(times);
  return times;
}

/// With more numbers than this, /state/values has not a row for every sample by default, and
/// /field/u not every cell but so many.
constexpr double most_state_values = 1e7;
constexpr std::int64_t thinned_field_points = 10000;

/// Whether the fields of a trajectory, all cells of them, are more than a default may write.
bool has_huge_fields(const Configuration& c) {
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  const std::int64_t every = c.output_spec.field_every;
  const std::int64_t more_rows = every > 0 ? c.steps / every : 0;
  const double rows = 1.0 + static_cast<double>(more_rows);
  return c.command == Command::simulate && cells != nullptr &&
         kind_of(c.model) != ModelKind::finite && cells->count > thinned_field_points &&
         rows * static_cast<double>(cells->count) > most_state_values;
}

void resolve_defaults(Configuration& c) {
  const bool is_continuum = std::holds_alternative<slab::Continuum>(c.space);
  if (!c.method && kind_of(c.model) != ModelKind::finite) {
    const bool is_quasistatic = kind_of(c.model) == ModelKind::quasistatic_slab;
    c.method = c.steady || !c.backbone.empty()  ? Method::exact
               : is_quasistatic || is_continuum ? Method::turning_points
                                                : Method::sweep;
  }
  if (!c.field_points) {
    c.field_points = is_continuum         ? slab::Continuum().field_points
                     : has_huge_fields(c) ? thinned_field_points
                                          : 0;
  }
  c.breaks = break_times(c);
  if (c.calculated.contains("breaks")) {
    std::vector<std::string> times;
    std::ranges::transform(c.breaks, std::back_inserter(times),
                           [](double t) { return base::to_text(t); });
    c.break_text = base::joined(times, ",");
  }
  if (!c.sample_every) {
    c.sample_every = std::max<std::int64_t>(1, c.steps / 10000);
  }
  c.from = c.from.value_or(0.0);
  c.to = c.to.value_or(c.final_time);
}

rheology::ModelSpec resolve_finite(const rheology::ModelInfo& info, Configuration& c) {
  c.settings = completed_settings(info, c.settings);
  rheology::ModelSpec spec = model_spec(c.model, c.settings, c.constants);
  check_model(spec, c.settings);
  c.sample_every = c.sample_every.value_or(std::max<std::int64_t>(1, c.steps / 10000));
  if (!c.origin.contains("field-every")) {
    const double window = c.to.value_or(c.final_time) - c.from.value_or(0.0);
    const double samples = window / c.final_time * static_cast<double>(c.steps) /
                           static_cast<double>(std::max<std::int64_t>(1, *c.sample_every));
    const bool huge = samples * static_cast<double>(spec.layout().size()) > most_state_values;
    c.output_spec.field_every = huge ? 0 : *c.sample_every;
  }
  resolve_study_of(info, spec.layout(), c);
  return spec;
}

/// Puts the points of the last field of another run in the place of that file's name.
void resolve_initial_file(Configuration& c, const base::FileReader& last_field) {
  constexpr std::string_view prefix = "file:";
  const std::string given{base::trimmed(c.initial_u)};
  if (given.starts_with(prefix)) {
    require(last_field != nullptr, c, "initial-u", given, "no file can be read here");
    c.initial_u = placed(where(c, "initial-u"), [&] {
      return last_field(std::string(base::trimmed(given.substr(prefix.size()))));
    });
  }
}

/// Whether two functions on [0, 1] differ by rounding alone.
bool are_alike(const base::Function& one, const base::Function& other) {
  constexpr int samples = 1000;
  constexpr double rounding = 1e-14;  // relative
  for (int i = 0; i <= samples; ++i) {
    const double s = static_cast<double>(i) / samples;
    if (!(std::abs(one(s) - other(s)) <= rounding * std::abs(one(s)))) {
      return false;
    }
  }
  return true;
}

/// Another threshold downwards: the slab in the variable v = u - c. Source: slab::Slab.
void shift(slab::Slab& slab, const base::Function& down) {
  const base::Function up = slab.threshold;
  if (are_alike(up, down)) {
    return;
  }
  slab.threshold = base::Function().plus(0.5, up).plus(0.5, down);
  slab.shift = base::Function().plus(0.5, up).plus(-0.5, down);
  slab.initial_u = slab.initial_u.plus(-1.0, slab.shift);
}

/// The model of a slab, and what drives it.
engine::RunSpec slab_run(Configuration& c, const base::FileReader& read) {
  slab::Slab slab{{.stiffness = parsed(c, "stiffness", c.stiffness, 's', read),
                   .threshold = parsed(c, "threshold", c.threshold, 's', read),
                   .initial_u = parsed(c, "initial-u", c.initial_u, 's', read)},
                  c.space,
                  c.rule};
  if (!c.threshold_down.empty()) {
    shift(slab, parsed(c, "threshold-down", c.threshold_down, 's', read));
  }
  if (auto* continuum = std::get_if<slab::Continuum>(&slab.space)) {
    continuum->field_points = *c.field_points;
  }
  const bool has_position = !c.position.empty();
  base::Function drive = has_position ? parsed(c, "position", c.position, 't', read)
                                      : parsed(c, "force", c.force, 't', read);
  if (has_position) {
    c.force.clear();
  }
  engine::Model model;
  if (kind_of(c.model) == ModelKind::slab) {
    const base::Function base = parsed(c, "base-acceleration", c.base_acceleration, 't', read);
    const bool base_moves = !base.is_constant() || base(0.0) != 0.0;
    if (base_moves) {
      drive = drive.plus(-c.mass, base);
    }
    model = engine::Masing{
        .slab = std::move(slab),
        .oscillator = {.mass = c.mass, .damping = c.damping, .k0 = c.k0, .x0 = c.x0, .y0 = c.y0},
        .scheme = c.scheme,
        .method = *c.method,
        .base_moves = base_moves};
  } else {
    model = engine::QuasistaticMasing{
        .slab = std::move(slab),
        .k0 = c.k0,
        .x0 = c.x0,
        .driving = has_position ? engine::Driving::position : engine::Driving::force};
  }
  return {std::move(model), std::move(drive), {c.final_time, c.steps}};
}

}  // namespace

Validated validated(Configuration configuration, const Files& files) {
  Configuration& c = configuration;
  const auto origin = c.origin.find("model");
  const auto& [info, make] =
      known_model(c.model, origin == c.origin.end() ? "--model" : origin->second);
  check_keys(c);
  std::optional<rheology::ModelSpec> finite;
  if (make != nullptr) {
    finite = resolve_finite(info, c);
  } else if (!c.settings.empty()) {
    throw UserError(
        fmt::format("{0}: {1} has options in place of parameters; masing models {1} "
                    "lists them",
                    c.settings.front().origin, c.model));
  } else if (kind_of(c.model) == ModelKind::quasistatic_slab) {
    if (c.expected_order_text.empty() && !c.position.empty()) {
      c.expected_order_text = "u" + info.order;  // x is given and has no error
    }
    resolve_study_of(info, {{{"x"}, {"u"}}}, c);
  }
  const bool thins = !c.field_points && has_huge_fields(c);
  resolve_defaults(c);
  check_numbers(c);
  check_engine(c);
  Validated result;
  if (thins) {
    result.warnings.push_back(fmt::format(
        "--field-points: of {} cells the file keeps {}, as all of them would be more than {:g} "
        "numbers; give --field-points 0 for all",
        std::get<slab::Cells>(c.space).count, *c.field_points, most_state_values));
  }
  if (finite) {
    finite->solver = c.method ? rheology::Solver::events : rheology::Solver::steps;
    result.run = {
        std::move(*finite), parsed(c, "force", c.force, 't', files.text), {c.final_time, c.steps}};
  } else {
    resolve_initial_file(c, files.last_field);
    result.run = slab_run(c, files.text);
  }
  const std::span<const double> points = result.run.drive.kinks();
  if (points.size() > 1 && points.back() < c.final_time * (1.0 - same_time)) {
    const bool is_force = c.force.starts_with("table:") || c.force.starts_with("points:");
    const char* const drive = is_force ? "force" : "base-acceleration";
    result.warnings.push_back(
        fmt::format("{}the table ends at t = {}, before T = {}, and is constant from there on",
                    where(c, c.position.empty() ? drive : "position"), base::to_text(points.back()),
                    base::to_text(c.final_time)));
  }
  if (c.command == Command::converge) {
    result.unmet_hypotheses = study::unmet_hypotheses(result.run, c.refine);
    result.reference = resolve_study(result.run.model, result.unmet_hypotheses, c);
    if (files.request && result.reference->file()) {
      const Validated file = files.request(c.reference);
      result.reference = file_reference(c, result.run, file.configuration, file.run);
      if (const std::string other = result.reference->explanation(0.0); !other.empty()) {
        result.warnings.push_back(fmt::format("--reference: {}: {}", c.reference, other));
      }
    }
  }
  if (c.command == Command::scan) {
    resolve_scan(c, result.run);
  }
  result.configuration = std::move(configuration);
  return result;
}

namespace {

/// Throws UserError where the exact solution, which looks at every element at every event, would
/// take too long.
void check_elements(const Configuration& c, const engine::RunSpec& run) {
  constexpr std::int64_t most = 2000;
  const auto* model = std::get_if<rheology::ModelSpec>(&run.model);
  const std::int64_t elements = model == nullptr ? 0 : model->parameters.elements;
  require(elements <= most, c, c.command == Command::simulate ? "engine" : "reference",
          fmt::format("the exact solution takes at most {} elements, not {}", most, elements),
          c.command == Command::simulate ? "leave it out" : "give finest");
}

/// The run of a request; where it, or what it is measured against, is the exact solution, with the
/// times where F is not smooth.
engine::RunSpec run_of(const Validated& request) {
  engine::RunSpec run = request.run;
  const auto reference = request.reference ? request.reference->run_for(run) : std::nullopt;
  if (engine::is_exact(run) || (reference && engine::is_exact(*reference))) {
    const Configuration& c = request.configuration;
    check_elements(c, run);
    engine::set_force_breaks(run, force_breaks(run.drive, c.final_time, c.breaks));
  }
  return run;
}

}  // namespace

io::Sampling sampling_of(const Configuration& c) {
  return {.time = {c.final_time, c.steps}, .every = *c.sample_every, .from = *c.from, .to = *c.to};
}

io::ResultSpec result_of(const Configuration& c, const engine::RunSpec& run,
                         const std::string& command_line) {
  const std::string problem = problem_text(c);
  return {.path = c.output,
          .kind = name_of(c.command),
          .configuration = printed_result_keys(c),
          .command_line = command_line,
          .title = engine::figure_title(run),
          .has_cells = engine::slab_of(run) != nullptr,
          .problem = problem,
          .papers_problem = problem == problem_text({})};
}

io::CheckpointSpec checkpoint_of(const Configuration& c) {
  const bool scheduled = !c.checkpoint.empty();
  return {.path = scheduled ? c.checkpoint : c.output + ".checkpoint",
          .scheduled = scheduled,
          .every = c.checkpoint_every,
          .restart = c.restart.empty() ? std::nullopt : std::optional(c.restart)};
}

Simulation simulation(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  Simulation simulation{.run = run_of(request),
                        .output = c.output_spec,
                        .result = result_of(c, request.run, command_line),
                        .checkpoint = checkpoint_of(c),
                        .quiet = c.quiet};
  simulation.output.sampling = sampling_of(c);
  simulation.output.field_points = *c.field_points;
  return simulation;
}

study::StudySpec study_spec(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  io::Sampling series = sampling_of(c);
  series.time.steps = c.levels.back().steps;
  return {.run = run_of(request),
          .refine = c.refine,
          .levels = c.levels,
          .reference = request.reference,
          .expected_orders = c.expected_orders,
          .order_tolerance = c.order_tolerance,
          .unmet_hypotheses = request.unmet_hypotheses,
          .field_samples = c.field_samples,
          .series = series,
          .result = result_of(c, study::at_level(request.run, c.levels.back()), command_line),
          .checkpoint = checkpoint_of(c),
          .quiet = c.quiet};
}

Spec spec_of(const Validated& request, const std::string& command_line) {
  switch (request.configuration.command) {
    case Command::simulate:
      return simulation(request, command_line);
    case Command::converge:
      return study_spec(request, command_line);
    default:
      return scan_spec(request, command_line);
  }
}

}  // namespace masing::cli
