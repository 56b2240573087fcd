#include "cli/spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "cli/printed.hpp"
#include "engine/finite.hpp"
#include "engine/slab.hpp"
#include "io/checkpoint.hpp"
#include "io/result_file.hpp"

namespace masing::cli {

using base::UserError;
using engine::Method;
using study::Refine;

namespace {

/// Returns the first of `files` that is the same file as `name`, even if the two paths are written
/// differently. Returns null if no file is the same. The files need not exist. Local.
const std::string* same_file(const std::string& name, const std::vector<std::string>& files) {
  std::error_code unknown;
  const auto canonical = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  const auto match = std::ranges::find_if(files, [&](const std::string& file) {
    return !name.empty() && !file.empty() &&
           (canonical(name) == canonical(file) || std::filesystem::equivalent(name, file, unknown));
  });
  return match == files.end() ? nullptr : &*match;
}

/// Throws UserError if options contradict each other. For example, the engine sweep cannot compute
/// P = ∞, models other than slabs have no cells to refine, and the exact solution has no time step
/// to refine.
void check(Command command, const Configuration& c) {
  const bool is_continuum = std::holds_alternative<slab::Continuum>(c.space);
  const bool is_chain = kind_of(c.model) == ModelKind::chain;
  require(!is_continuum || is_chain || *c.field_points > 0, "field-points",
          "0; must be a whole number from 1 to 2^53");
  const auto require_in_run = [&](const char* key, double time) {
    require(time >= 0 && time <= c.final_time, key,
            fmt::format("{}; must lie in [0, T] = [0, {}]", base::to_text(time),
                        base::to_text(c.final_time)));
  };
  require_in_run("from", *c.from);
  require_in_run("to", *c.to);
  require(*c.from <= *c.to, "from",
          fmt::format("{} is after --to {}; give a window from < to", base::to_text(*c.from),
                      base::to_text(*c.to)));
  require(!c.output.empty(), "output", "empty; give a file name");
  const bool is_study = command == Command::converge;
  if (is_chain) {
    check_chain(command, c);
  } else if (c.elements) {
    require(!c.method || c.method == Method::exact, "engine",
            "not an engine of " + c.model + "; give exact, or nothing for the scheme");
    require(!is_study || !c.method, "engine",
            "exact has no time step to refine; leave it out, and give --reference exact");
    require(c.refine == Refine::steps, "refine", c.model + " has no cells; give steps");
  } else {
    require(c.refine != Refine::elements, "refine",
            "elements is there for masing-chain; give steps, cells or both");
    require(!is_continuum || c.method != Method::sweep, "engine",
            "sweep goes cell by cell and cannot have --cells inf; give --engine memory or exact, "
            "or a number of cells");
    require(!is_study || c.refine == Refine::cells || c.method != Method::exact, "engine",
            "exact has no time step to refine; give sweep or memory, and --reference exact");
  }
}

/// Sets the options that the user did not give and that follow from others. These defaults limit
/// the size of files. If /state/values would have more than 10^7 numbers, only the first and the
/// last state are written, not one for each sample. If a slab has more than 10,000 cells and
/// /field/u of masing simulate would have more than 10^7 numbers, u is written at 10,000 places
/// only, and a warning is added.
void resolve_defaults(Command command, Configuration& c, std::vector<std::string>& warnings) {
  constexpr double most_numbers = 1e7;
  constexpr std::int64_t fewer_points = 10000;
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  const ModelKind kind = kind_of(c.model);
  if (!c.method && kind != ModelKind::finite) {
    const bool by_turning_points = cells == nullptr || kind != ModelKind::slab;
    c.method = c.steady ? Method::exact : by_turning_points ? Method::memory : Method::sweep;
  }
  const auto steps = static_cast<double>(c.steps);
  c.sample_every = c.sample_every.value_or(std::max<std::int64_t>(1, c.steps / 10000));
  c.from = c.from.value_or(0.0);
  c.to = c.to.value_or(c.final_time);
  if (!c.field_every && kind == ModelKind::finite) {
    const double samples =
        (*c.to - *c.from) / c.final_time * steps / static_cast<double>(*c.sample_every);
    const bool is_huge = samples * static_cast<double>(c.elements->layout().size()) > most_numbers;
    c.field_every = is_huge ? 0 : *c.sample_every;
  }
  c.field_every = c.field_every.value_or(0);
  if (c.field_points) {
    return;
  }
  const bool is_chain = kind == ModelKind::chain;
  c.field_points = cells == nullptr && !is_chain ? slab::Continuum().field_points : 0;
  const std::int64_t more_rows = *c.field_every > 0 ? c.steps / *c.field_every : 0;
  const std::int64_t places = is_chain           ? c.elements->parameters.elements
                              : cells == nullptr ? 0
                                                 : cells->count;
  if (command == Command::simulate && kind != ModelKind::finite && places > fewer_points &&
      (1.0 + static_cast<double>(more_rows)) * static_cast<double>(places) > most_numbers) {
    c.field_points = fewer_points;
    warnings.push_back(fmt::format(
        "--field-points: of {} {} the file keeps {}, as all of them would be more than {:g} "
        "numbers; give --field-points 0 for all",
        places, is_chain ? "nodes" : "cells", fewer_points, most_numbers));
  }
}

/// Returns the run of a slab: its model, its driving function and its time grid.
engine::RunSpec slab_run(const Configuration& c) {
  slab::Slab slab{{.stiffness = c.stiffness, .threshold = c.threshold, .initial_u = c.initial_u},
                  c.space,
                  c.rule};
  if (c.threshold_down) {
    slab.set_threshold_down(*c.threshold_down);
  }
  if (auto* continuum = std::get_if<slab::Continuum>(&slab.space)) {
    continuum->field_points = *c.field_points;
  }
  engine::Drive drive =
      c.position ? engine::Drive{*c.position, {"position", "x(t)"}} : engine::Drive{*c.force};
  std::shared_ptr<const engine::Model> model;
  if (kind_of(c.model) == ModelKind::slab) {
    const base::Function& base = c.base_acceleration;
    const bool base_moves = !base.is_constant() || base(0.0) != 0.0;
    if (base_moves) {
      drive = {drive.of_t.plus(-c.mass, base), {"base-acceleration", "F(t) - m a_g(t)"}};
    }
    model = engine::make_model(engine::Masing{
        .slab = std::move(slab),
        .oscillator = {.mass = c.mass, .damping = c.damping, .k0 = c.k0, .x0 = c.x0, .y0 = c.y0},
        .scheme = c.scheme,
        .base_moves = base_moves});
  } else {
    model = engine::make_model(
        engine::QuasistaticMasing{.slab = std::move(slab), .k0 = c.k0, .x0 = c.x0});
  }
  return {std::move(model),
          {std::move(drive)},
          {c.final_time, c.steps},
          *c.method,
          c.position.has_value()};
}

/// Returns the run of a configuration whose defaults are resolved.
engine::RunSpec run_of(const Configuration& c, const std::shared_ptr<const Request>& request) {
  if (kind_of(c.model) == ModelKind::chain) {
    return chain_run(c, request);
  }
  if (!c.elements) {
    return slab_run(c);
  }
  return {engine::make_model(*c.elements),
          {{*c.force}},
          {c.final_time, c.steps},
          c.method.value_or(Method::sweep)};
}

// The relative tolerance within which the end of a table counts as T.
constexpr double same_time = 1e-9;

/// Returns what a message says of a table of t whose times are not those of the run: that it begins
/// before or after t = 0, ends before T, or extends so far that the run covers less than a tenth of
/// it, so that its times may be in other units. Returns an empty text for all other tables.
std::string misfit_of(const base::PointTable& table, const Configuration& c) {
  const double begin = table.arguments.front();
  const double end = table.arguments.back();
  const double from = std::max(0.0, begin);
  std::vector<std::string> said;
  if (std::abs(begin) > same_time * c.final_time) {
    said.push_back("begins at t = " + base::to_text(begin) +
                   (begin < 0.0 ? ", and what is before t = 0 is left out"
                                : ", and has its first value from t = 0 to there"));
  }
  const bool is_long = !c.steady && c.final_time - from < 0.1 * (end - from);
  if (is_long || end < c.final_time * (1.0 - same_time)) {
    said.push_back(
        fmt::format("ends at t = {}, {} T = {}, and {}", base::to_text(end),
                    is_long ? "far beyond" : "before", base::to_text(c.final_time),
                    is_long ? "the run takes less than a tenth of it; are its times in other units?"
                            : "is constant from there on"));
  }
  return base::joined(said, "; it ");
}

/// Adds a warning for each table with a misfit among the functions of t that drive the run. Adds
/// none for the inputs of samples, which differ from point to point.
void warn_of_tables(BoundRequest& bound) {
  const Request& request = *bound.request;
  const Configuration& c = bound.configuration;
  const bool is_of_sample = !request.axes.points.paths.empty();
  const std::map<std::string, std::optional<base::Function>> all{
      {"force", c.force},
      {"position", c.position},
      {"base-acceleration", c.base_acceleration},
      {"incoming-velocity", c.incoming_velocity}};
  for (const auto& [key, function] : all) {
    for (std::size_t i = 0; function && !is_of_sample && i < function->operations().size(); ++i) {
      const auto& table = function->operations()[i].table;
      if (const auto said = table && table->arguments.size() > 1 ? misfit_of(*table, c) : "";
          !said.empty()) {
        bound.warnings.push_back(origin_of(request, key) + ": the table " + said);
      }
    }
  }
}

/// Adds a warning if a prescribed position does not begin at x0.
void warn_of_start(BoundRequest& bound) {
  const Configuration& c = bound.configuration;
  const double start = c.position ? (*c.position)(0.0) : c.x0;
  // more than rounding errors
  if (std::abs(start - c.x0) > 1e-12 * std::max(1.0, std::abs(c.x0))) {
    bound.warnings.push_back(fmt::format(
        "{}: x(0) = {} is not x0 = {}, where u = u0; x goes there at once, before the first sample",
        origin_of(*bound.request, "position"), base::to_text(start), base::to_text(c.x0)));
  }
}

/// Returns the bound request; of a scan, that of the point with the values `row`. Options that were
/// not given have their default values. Throws UserError if a value is not valid, if options
/// contradict each other, or if the scheme is unstable with the step of the run.
BoundRequest bound_at(const std::shared_ptr<const Request>& request, const Row& row) {
  BoundRequest bound{.request = request, .configuration = configuration_of(*request, row)};
  Configuration& c = bound.configuration;
  const bool is_chain = kind_of(c.model) == ModelKind::chain;
  if (c.elements && !is_chain) {
    check_model(*c.elements);
  }
  const bool has_base = is_chain || request->has("base-acceleration");
  if (has_base && !request->has("scheme")) {
    c.scheme = slab::Scheme::leapfrog;
  }
  if (c.position) {
    require(!request->has("force") || !c.force, "position",
            "the position cannot be prescribed beside --force; give one of the two");
    c.force.reset();
  } else if (has_base && !request->has("force")) {
    c.force = base::Function();
  } else if (!request->has("force") && !request->is_of_papers() && !request->is_of_result) {
    c.force.reset();
  }
  require(c.position || c.force, "force", "missing; give --force, 0 for a free vibration");
  resolve_defaults(request->command, c, bound.warnings);
  check(request->command, c);
  bound.run = run_of(c, request);
  warn_of_tables(bound);
  warn_of_start(bound);
  if (request->command != Command::converge) {  // a study has levels with steps of their own
    bound.warnings.push_back(engine::step_advice(bound.run));
    std::erase(bound.warnings, "");
  }
  return bound;
}

/// Returns the times in (0, `final_time`) at which the driving function may not be smooth. Throws
/// UserError if these times cannot be determined.
std::vector<double> breaks_of(const Configuration& c, double final_time) {
  return base::breaks(
      {{"force", c.position ? *c.position : *c.force}, {"base-acceleration", c.base_acceleration}},
      final_time, c.breaks);
}

/// Returns the run of a request. If the run or the reference of its study is the exact solution,
/// sets the times at which F may not be smooth. Throws UserError if these times cannot be
/// determined or the model has more than 2000 elements.
engine::RunSpec run_with_breaks(const BoundRequest& request) {
  engine::RunSpec run = request.run;
  const auto reference = study::run_for(request.study.reference, run);
  const bool is_run = run.method == Method::exact;
  if (is_run || (reference && reference->method == Method::exact)) {
    const Configuration& c = request.configuration;
    // Every element is checked at every event, so more elements would take too long.
    constexpr std::int64_t most = 2000;
    const std::int64_t elements = c.elements ? c.elements->parameters.elements : 0;
    require(elements <= most, is_run ? "engine" : "reference",
            fmt::format("the exact solution takes at most {} elements, not {}; {}", most, elements,
                        is_run ? "leave it out" : "give finest"));
    run.breaks = breaks_of(c, c.final_time);
  }
  return run;
}

/// Returns which steps have a row in /series.
io::Sampling sampling_of(const Configuration& c) {
  return {.time = {c.final_time, c.steps}, .every = *c.sample_every, .from = *c.from, .to = *c.to};
}

/// The end of error messages that says for which forces the period is known.
constexpr const char* of_known_period =
    "; give an F(t) whose every t stands inside sin(), cos(), triangle(), square() or sawtooth() "
    "of a*t+b, all with a common period, or a table that repeats itself 8 times, with --period TAU";

/// Returns the period of the force at a point: the period that the user gave or, without it, the
/// one that base::period_of finds. Returns nothing if none is found or the position is prescribed.
/// Throws UserError if the force does not have the period that the user gave.
std::optional<double> period_of(const BoundRequest& point) {
  const Configuration& c = point.configuration;
  if (!c.force || kind_of(c.model) == ModelKind::chain) {
    return std::nullopt;
  }
  const double final_time = c.steady ? std::numeric_limits<double>::infinity() : c.final_time;
  if (!c.period) {
    return base::period_of(point.run.drives.front().of_t, final_time);
  }
  require(*c.period > 0.0 && base::has_period(point.run.drives.front().of_t, *c.period, final_time),
          "period",
          fmt::format("F(t + {}) is not F(t){}", base::to_text(*c.period), of_known_period));
  return c.period;
}

/// Returns the problem of a point of a scan. Throws UserError if the limit cycle is to be computed
/// but no period of the force is known, or if the times at which F may not be smooth are needed but
/// cannot be determined.
scan::ScanProblem problem_of(const BoundRequest& point) {
  const Configuration& c = point.configuration;
  scan::ScanProblem problem{.run = c.steady ? point.run : run_with_breaks(point),
                            .series = sampling_of(c),
                            .period = period_of(point)};
  if (problem.period && !point.request->has("from")) {
    problem.series.from = std::max(0.0, problem.series.to - *problem.period);
  }
  if (c.steady) {
    require(problem.period.has_value(), "steady",
            std::string("no period of the force is known") + of_known_period);
    problem.force_breaks = breaks_of(c, base::horizon * *problem.period);
  }
  return problem;
}

/// Throws UserError if no function uses a table, or if no function or number uses a constant that a
/// scan varies. The constant `replicate` may be unused: it labels samples that were drawn together.
void require_used(const Request& request) {
  Names used;
  Names tables;
  for (const auto& [key, entry] : request.entries) {
    used.merge(entry.constants());
    tables.merge(entry.tables());
  }
  for (const NamedConstant& let : request.constants) {
    used.merge(let.number.constants());
  }
  if (request.parameters) {
    used.merge(request.parameters->constants());
  }
  const auto require_table = [&](const std::string& origin, const std::string& name) {
    if (!tables.contains(name)) {
      throw UserError(
          fmt::format("{0}: no function uses it; write {1}(t) or {1}(s) in one, or "
                      "leave it out",
                      origin, name));
    }
  };
  for (const auto& [name, table] : request.tables) {
    require_table(table.origin, name);
  }
  for (const scan::Column& column : request.axes.points.columns) {
    if (column.has_paths) {
      require_table(column.place, column.name);
    } else if (column.key.starts_with("let.") && !used.contains(column.name) &&
               column.name != "replicate") {
      throw UserError(
          fmt::format("{}: {} is no numeric key, and no function or number uses it as a constant",
                      column.place, column.name));
    }
  }
}

/// Throws UserError if a request of masing scan has options that contradict the kind of scan, or
/// has no axis.
void check_scan(const BoundRequest& request) {
  const Configuration& c = request.configuration;
  require(!request.request->axes.points.columns.empty(), "over",
          "nothing to scan; give --over \"NAME=first:last:count\"");
  if (c.steady) {
    const bool is_exact = !request.request->has("engine") || request.run.method == Method::exact;
    require(request.run.model->scheme() != nullptr && is_exact, "steady",
            "limit cycles are found by --model masing and --engine exact alone");
    require(!c.keep_series, "keep",
            "limit cycles are no runs and have no series (gone in 3.0); leave it out");
  }
}

/// Returns the bound request of the first point of a scan that has no fault, without warnings,
/// which each point has of its own. The points before it fail when they are computed. If there are
/// more than 1000 points, some 1000 of them are tried, evenly spaced; those whose inputs cannot be
/// read are not. Throws the fault of the first point if all that are tried have one.
BoundRequest first_without_fault(const std::shared_ptr<const Request>& request) {
  constexpr std::int64_t most = 1000;
  const std::int64_t points = request->axes.points.count();
  std::optional<UserError> fault;
  for (std::int64_t point = request->axes.first; point < points; point += (points - 1) / most + 1) {
    try {
      BoundRequest bound = bound_at(request, request->axes.at(point));
      check_scan(bound);
      (void)problem_of(bound);
      bound.warnings.clear();
      return bound;
    } catch (const UserError& error) {
      fault = fault ? fault : error;
    }
  }
  throw UserError(*fault);
}

/// Returns whether `request`, of masing simulate, extends the trajectory of `before` to a later T.
/// For this, both must have the same step and the same times t_p = p·T/N up to the end of `before`,
/// to the last bit.
bool is_extended(const BoundRequest& request, const Configuration& before) {
  const slab::TimeGrid now{request.configuration.final_time, request.configuration.steps};
  const slab::TimeGrid then{before.final_time, before.steps};
  if (request.request->command != Command::simulate || !(now.final_time > then.final_time) ||
      now.step() != then.step()) {
    return false;
  }
  std::int64_t step = 0;
  while (step <= then.steps && now.time(step) == then.time(step)) {
    ++step;
  }
  return step > then.steps;
}

}  // namespace

void require(bool holds, const char* key, const std::string& fault) {
  if (!holds) {
    throw UserError(key, fault);
  }
}

void require_files_apart(const Configuration& c, std::vector<std::string> inputs) {
  const io::CheckpointSpec checkpoint = checkpoint_of(c);
  const std::vector<std::string> result = io::files_of_result(c.output);
  const std::vector<std::string> saved = io::files_of_checkpoint(checkpoint.path);
  std::vector<std::string> beside = io::files_of_result(checkpoint.path);
  beside.insert(beside.end(), saved.begin(), saved.end());
  if (!c.checkpoint.empty()) {
    require(same_file(c.checkpoint, result) == nullptr, "checkpoint",
            c.checkpoint + "; the run writes this file itself; give another");
    require(same_file(c.output, beside) == nullptr, "output",
            c.output + "; the run writes this file itself, beside the checkpoint; give another");
  }
  const auto require_unread = [&](const char* option, const std::vector<std::string>& outputs) {
    for (const std::string& output : outputs) {
      if (const std::string* input = same_file(output, inputs)) {
        throw UserError(fmt::format("{}: {} is a file that the run reads{}; give another name",
                                    option, output, output == *input ? "" : " as " + *input));
      }
    }
  };
  // The new checkpoint may replace the checkpoint from which the run resumes.
  require_unread(checkpoint.scheduled ? "--checkpoint" : "--output", saved);
  inputs.push_back(c.restart);
  require_unread("--output", result);
}

std::unique_ptr<base::GivenAt> given_at(const std::shared_ptr<const Request>& request) {
  return std::make_unique<base::GivenAt>(
      [request](const std::string& quantity) { return origin_of(*request, quantity); });
}

BoundRequest bind(Request request) {
  const auto shared = std::make_shared<const Request>(std::move(request));
  const auto origins = given_at(shared);
  BoundRequest bound =
      shared->command == Command::scan ? first_without_fault(shared) : bound_at(shared, {});
  require_used(*shared);
  if (shared->command == Command::converge) {
    resolve_study(bound);
  }
  bound.derived = derived_keys(bound);
  return bound;
}

BoundRequest continued(const BoundRequest& now, const Request& before,
                       const std::vector<std::string>& derived) {
  const BoundRequest old = bind(before);
  const Configuration& was = old.configuration;
  const bool extends = is_extended(now, was);
  Request request = *now.request;
  std::string kept;
  for (const char* key : {"sample-every", "field-every", "field-points"}) {
    const auto entry = before.entries.find(key);
    const auto text = find_option(key)->value.text;
    const bool is_same = text(now.configuration) == text(was);
    if (!request.has(key) && entry != before.entries.end() &&
        !(is_same && std::ranges::count(derived, key) > 0)) {
      request.entries.insert(*entry);
      kept += is_same ? "" : fmt::format("{}{} = {}", kept.empty() ? "" : ", ", key, text(was));
    }
  }
  const bool is_complete = request.entries.size() == now.request->entries.size();
  BoundRequest bound = is_complete ? now : bind(std::move(request));
  bound.warnings = now.warnings;
  if (!kept.empty()) {
    bound.warnings.push_back("--restart: the run keeps " + kept + " of the rows that " +
                             now.configuration.restart + " goes on with");
  }
  std::set<std::string> may_differ;
  if (extends) {
    may_differ = {"final-time", "steps"};
    if (was.to == was.final_time && bound.configuration.to == bound.configuration.final_time) {
      may_differ.insert("to");
    }
  }
  std::vector<std::string> differing;
  for (const auto& [key, then, is] : differences(old, bound)) {
    if (!may_differ.contains(key)) {
      differing.push_back(fmt::format("{} (was {:.60}, is {:.60})", key, then, is));
    }
  }
  if (!differing.empty()) {
    throw UserError(origin_of(*bound.request, "restart") + ": " + bound.configuration.restart +
                    " is of another configuration: " + base::joined(differing, ", ") +
                    "; give the same" +
                    (bound.request->command == Command::simulate
                         ? ", or a later --final-time with --steps for the same step"
                         : ""));
  }
  return bound;
}

io::CheckpointSpec checkpoint_of(const Configuration& c) {
  const bool is_named = !c.checkpoint.empty();
  return {.path = is_named ? c.checkpoint : c.output + ".checkpoint",
          .scheduled = is_named || c.checkpoint_every > 0,
          .every = c.checkpoint_every,
          .restart = c.restart.empty() ? std::nullopt : std::optional(c.restart)};
}

io::FileSpec& files_of(Spec& spec) {
  if (Scan* scan = std::get_if<Scan>(&spec)) {
    return scan->spec.files;
  }
  study::StudySpec* study = std::get_if<study::StudySpec>(&spec);
  return study != nullptr ? study->files : std::get<Simulation>(spec).files;
}

namespace {

/// Returns the files of a request. `run` is the run of the trajectory in the result file; for a
/// study, the run of the last level.
io::FileSpec file_spec(const BoundRequest& request, const engine::RunSpec& run,
                       const std::string& command_line) {
  const Configuration& c = request.configuration;
  const std::string problem = problem_text(request);
  return {{.path = c.output,
           .kind = name_of(request.request->command),
           .configuration = printed(request, Role::result),
           .derived = request.derived,
           .command_line = command_line,
           .title = engine::figure_title(run),
           .has_cells = engine::slab_of(run) != nullptr,
           .problem = problem,
           .papers_problem = problem == problem_text({.request = std::make_shared<Request>(),
                                                      .configuration = presets()})},
          checkpoint_of(c),
          c.quiet};
}

}  // namespace

Simulation simulation(const BoundRequest& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  return {.run = run_with_breaks(request),
          .output = {.sampling = sampling_of(c),
                     .field_every = *c.field_every,
                     .field_points = *c.field_points,
                     .energy = c.energy},
          .files = file_spec(request, request.run, command_line)};
}

study::StudySpec study_spec(const BoundRequest& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  study::StudySpec spec = request.study;
  const study::Level& last = spec.levels.back();
  spec.run = run_with_breaks(request);
  spec.series = sampling_of(c);
  spec.series.time.steps = last.steps;
  spec.files = file_spec(request, study::at_level(request.run, last), command_line);
  return spec;
}

Scan scan_spec(const BoundRequest& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  const Axes& axes = request.request->axes;
  Scan scan{.spec = {.points = axes.points,
                     .is_steady = c.steady,
                     .keep_series = c.keep_series,
                     .is_of_chains = request.run.model->layout().of == engine::Layout::Of::nodes,
                     .files = file_spec(request, request.run, command_line)},
            .request = request.request};
  std::vector<std::string> names;
  for (const scan::Column& column : axes.points.columns) {
    if (column.is_axis) {
      names.push_back(column.name);
    }
  }
  if (axes.inputs) {
    scan.spec.files.result.samples = axes.inputs->source();
  }
  scan.spec.files.result.title = "scan over " + base::joined(names, ", ");
  // throws before the scan starts if the first point, and therefore perhaps every point, has a
  // fault
  scan.first = problem_of(request);
  scan.spec.series = scan.first.series;
  return scan;
}

Spec spec_of(const BoundRequest& request, const std::string& command_line) {
  const Command command = request.request->command;
  return command == Command::simulate   ? Spec(simulation(request, command_line))
         : command == Command::converge ? Spec(study_spec(request, command_line))
                                        : Spec(scan_spec(request, command_line));
}

scan::ScanProblem problem_at(const Scan& scan, std::int64_t point) {
  const Axes& axes = scan.request->axes;
  const Row row = axes.at(point);
  const BoundRequest bound = bound_at(scan.request, row);
  scan::ScanProblem problem = problem_of(bound);
  problem.warning = bound.warnings.empty() ? "" : bound.warnings.front();
  for (const auto& [column, value, record] : row) {
    if (record != nullptr && problem.warning.empty()) {
      const std::string said = misfit_of(*record, bound.configuration);
      const std::string& name = axes.points.paths[static_cast<std::size_t>(value)];
      problem.warning = said.empty() ? "" : "the record " + name + " " + said;
    }
  }
  return problem;
}

}  // namespace masing::cli
