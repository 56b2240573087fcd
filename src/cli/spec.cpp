#include "cli/spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ranges>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "cli/problem.hpp"
#include "engine/model.hpp"
#include "io/locks.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// Returns whether a file is one of `files`, even if the two paths are written differently. The
/// files need not exist. Local.
bool is_one_of(const std::string& file, const std::vector<std::string>& files) {
  std::error_code unknown;
  const auto canonical = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  return std::ranges::any_of(files, [&](const std::string& each) {
    return !file.empty() && !each.empty() &&
           (canonical(file) == canonical(each) || std::filesystem::equivalent(file, each, unknown));
  });
}

/// Returns the run of a request. If the run or the reference of its study is the exact solution,
/// sets the times at which F may not be smooth. Throws UserError if these times cannot be
/// determined or the model has more than 2000 elements.
engine::RunSpec run_with_breaks(const Request& request) {
  engine::RunSpec run = request.run;
  const auto reference = study::run_for(request.study.reference, run);
  const bool is_run = run.method == engine::Method::exact;
  if (is_run || (reference && reference->method == engine::Method::exact)) {
    // Every element is checked at every event, so more elements would take too long.
    constexpr std::int64_t most = 2000;
    const std::int64_t elements =
        has_parameters(request.values.family()) ? elements_of(request.values) : 0;
    require(elements <= most, is_run ? "engine" : "reference",
            fmt::format("the exact solution takes at most {} elements, not {}; {}", most, elements,
                        is_run ? "leave it out" : "give finest"));
    run.breaks = breaks_of(request.values, run.time.final_time);
  }
  return run;
}

/// Returns the problem of a point of a scan. Throws UserError if the limit cycle is to be computed
/// but no period of the force is known, or if the times at which F may not be smooth are needed but
/// cannot be determined.
scan::ScanProblem problem_of(const Request& point) {
  const Values& values = point.values;
  const bool is_steady = values.flag("steady");
  scan::ScanProblem problem{.run = is_steady ? point.run : run_with_breaks(point),
                            .series = sampling_of(values),
                            .period = period_of(values, point.run)};
  if (problem.period && !values.given("from")) {
    problem.series.from = std::max(0.0, problem.series.to - *problem.period);
  }
  if (is_steady) {
    require(problem.period.has_value(), "steady",
            std::string("no period of the force is known") + of_known_period);
    problem.force_breaks = breaks_of(values, base::horizon * *problem.period);
  }
  return problem;
}

/// Throws UserError if no function or number uses a constant or an input that a scan varies. The
/// constant `replicate` may be unused: it labels samples that were drawn together.
void require_used(const Request& request) {
  const Names used = request.values.used();
  for (const scan::Column& column : request.axes->points.columns) {
    const bool is_named = column.has_paths || column.key.starts_with("let.");
    require(!is_named || used.contains(column.name) || column.name == "replicate",
            fmt::format("{}: {} is no numeric key, and no function or number uses it", column.place,
                        column.name));
  }
}

/// Throws UserError if a table has the name of a constant or of a column of samples.
void require_names_apart(const Given& given, const Axes& axes) {
  for (const Entry& entry : given.entries) {
    if (entry.key.starts_with("table.")) {
      const std::string name = entry.name();
      const auto& columns = axes.points.columns;
      require(given.find("let." + name) == nullptr &&
                  std::ranges::none_of(columns,
                                       [&](const scan::Column& one) { return one.name == name; }),
              entry.place + ": a constant or a column of samples has this name, too; give another");
    }
  }
  for (const scan::Column& column : axes.points.columns) {
    require(!column.has_paths || given.find("let." + column.name) == nullptr,
            column.place + ": a constant has this name, too; give another");
  }
}

/// Throws UserError if the model of a call is unknown, or does not take one of the keys.
void require_model(const Given& given) {
  const Entry* model = given.find("model");
  const rheology::ModelInfo& info = at_place(model == nullptr ? "--model" : model->place, [&] {
                                      return &rheology::catalogue_entry(given.model);
                                    })->info;
  const Family family = family_of(given.model);
  for (const Entry& entry : given.entries) {
    const Option* option = find_option(entry.key, given.command);
    const bool is_parameter = entry.key.starts_with("model.");
    require(is_parameter ? has_parameters(family) : option == nullptr || option->is_of(family),
            fmt::format("{0}: not a key of --model {1}; masing models {1} lists what it takes",
                        entry.place, given.model));
    if (is_parameter) {
      at_place(entry.place, [&] { rheology::require_parameter(info, entry.name()); });
    }
  }
}

/// Throws UserError if a request of masing scan has options that contradict the kind of scan, or
/// has no axis.
void check_scan(const Request& request) {
  const Values& values = request.values;
  require(!request.axes->points.columns.empty(), "over",
          "nothing to scan; give --over \"NAME=first:last:count\"");
  if (values.flag("steady")) {
    const bool is_exact = !values.given("engine") || request.run.method == engine::Method::exact;
    require(request.run.model->scheme() != nullptr && is_exact, "steady",
            "limit cycles are found by --model masing and --engine exact alone");
    require(values.text("keep") == "numbers", "keep",
            "limit cycles are no runs and have no series (gone in 3.0); leave it out");
  }
}

/// Returns the request with these values; of a scan, with those of one of its points. Sets the
/// options that were not given. Throws UserError if a value is not valid, if options contradict
/// each other, or if the scheme is unstable with the step of the run.
Request request_at(Values values, const std::shared_ptr<const Axes>& axes) {
  Request request{.values = std::move(values), .axes = axes};
  resolve(request.values);
  request.run = run_of(request.values);
  warn_of_tables(request.values, request.warnings);
  if (request.values.command() != Command::converge) {  // a study has levels with their own steps
    if (const std::string advice = engine::step_advice(request.run); !advice.empty()) {
      request.warnings.push_back(advice);
    }
  }
  return request;
}

/// Returns the request of the first point of a scan that has no fault, without warnings, which each
/// point has of its own. The points before it fail when they are computed. If there are more than
/// 1000 points, some 1000 of them are tried, evenly spaced. Throws the fault of the first point if
/// all that are tried have one. Collective if the scan has inputs (Files::input).
Request first_without_fault(const Values& values, const std::shared_ptr<const Axes>& axes) {
  constexpr std::int64_t most = 1000;
  const std::int64_t points = axes->points.count();
  std::optional<UserError> fault;
  for (std::int64_t point = 0; point < points; point += (points - 1) / most + 1) {
    try {
      std::vector<Entry> row;
      axes->input([&] { row = at_place("--samples", [&] { return axes->at(point); }); });
      const Values here = values.with(row);
      const auto places = given_at(here);
      Request request = request_at(here, axes);
      check_scan(request);
      request.problem = problem_of(request);
      request.warnings.clear();
      return request;
    } catch (const UserError& error) {
      fault = fault ? fault : error;
    }
  }
  throw UserError(*fault);
}

/// Returns whether `values` extends the trajectory of `before` to a later T.
/// For this, both must have the same step and the same times t_p = p·T/N up to the end of `before`,
/// to the last bit.
bool is_extended(const Values& values, const Values& before) {
  const slab::TimeGrid now = time_of(values);
  const slab::TimeGrid then = time_of(before);
  const auto is_same = [&](std::int64_t step) { return now.time(step) == then.time(step); };
  return now.final_time > then.final_time && now.step() == then.step() &&
         std::ranges::all_of(std::views::iota(std::int64_t{0}, then.steps + 1), is_same);
}

/// Returns the files of a request. `run` is the run of the trajectory in the result file; for a
/// study, the run of the last level.
io::FileSpec file_spec(const Request& request, const engine::RunSpec& run,
                       const std::string& command_line) {
  Request papers{.values = Values(Given{})};
  resolve(papers.values);
  const std::string problem = problem_text(request);
  return {{.path = request.values.text("output"),
           .kind = name_of(request.values.command()),
           .configuration = printed(request, Role::result),
           .derived = request.derived,
           .command_line = command_line,
           .title = engine::title(run, true),
           .has_cells = engine::slab_of(run) != nullptr,
           .problem = problem,
           .papers_problem = problem == problem_text(papers)},
          checkpoint_of(request.values),
          request.values.flag("quiet")};
}

}  // namespace

void require_files_apart(const Values& values, std::vector<std::string> inputs) {
  const io::CheckpointSpec checkpoint = checkpoint_of(values);
  const std::vector<std::string> result = io::files_of_result(values.text("output"));
  const std::vector<std::string> saved = io::files_of_checkpoint(checkpoint.path);
  const char* const reads = " is a file that the run reads";
  const auto require_apart = [](const char* key, const std::vector<std::string>& outputs,
                                const std::vector<std::string>& others, const char* fault) {
    for (const std::string& each : outputs) {
      require(!is_one_of(each, others), key, each + fault + "; give another name");
    }
  };
  require_apart("checkpoint", saved, result, " is a file that the run writes itself");
  // The new checkpoint may replace the checkpoint from which the run resumes.
  require_apart(checkpoint.scheduled ? "checkpoint" : "output", saved, inputs, reads);
  require_apart("checkpoint", {saved.begin() + 1, saved.end()}, {values.text("restart")}, reads);
  inputs.push_back(values.text("restart"));
  require_apart("output", result, inputs, reads);
}

std::unique_ptr<base::GivenAt> given_at(const Values& values) {
  return std::make_unique<base::GivenAt>(
      [values](const std::string& quantity) { return values.place(quantity); });
}

Request request_of(Given given, const Files& files) {
  require_model(given);
  const bool is_scan = given.command == Command::scan;
  const auto axes = std::make_shared<const Axes>(is_scan ? axes_of(given, files) : Axes());
  require_names_apart(given, *axes);
  return request_of(std::move(given), axes);
}

Request request_of(Given given, const std::shared_ptr<const Axes>& axes) {
  const Values values(std::move(given));
  const auto places = given_at(values);
  Request request = values.command() == Command::scan ? first_without_fault(values, axes)
                                                      : request_at(values, axes);
  request.values.check();
  require_used(request);
  if (values.command() == Command::converge) {
    resolve_study(request);
  }
  request.derived = derived_keys(request);
  return request;
}

Given given_in(Command command, const std::string& file, const std::string& configuration) {
  const auto config = [&](const std::string& path) -> IniText {
    return {"/configuration of " + path, configuration, true};
  };
  return read(command, {"--config", file}, {.config = config});
}

Request continued(const Request& now, const Given& before) {
  const std::string& file = now.values.text("restart");
  Given given = now.values.call();
  for (const char* key : {"sample-every", "field-every", "field-points"}) {
    const Entry* entry = before.find(key);
    if (!now.values.given(key) && entry != nullptr &&
        entry->text != now.values.value(*find_option(key, given.command))) {
      given.entries.push_back(*entry);
    }
  }
  Request request = request_of(std::move(given), now.axes);
  const Values& values = request.values;
  const Values then(before);
  Names may_differ{"samples"};
  // The times of a scan may differ at its points.
  if (values.command() == Command::simulate && is_extended(values, then)) {
    may_differ.insert({"final-time", "steps"});
    if (then.real("to") == then.real("final-time") &&
        values.real("to") == values.real("final-time")) {
      may_differ.insert("to");
    }
  }
  const Given is = given_in(values.command(), file, printed(request, Role::result));
  const std::vector<std::string> differing = changed_keys(before, is, may_differ);
  require(differing.empty(), values.place("restart") + ": " + file +
                                 " is of another configuration: " + base::joined(differing, ", ") +
                                 "; give the same");
  return request;
}

io::CheckpointSpec checkpoint_of(const Values& values) {
  const std::string& path = values.text("checkpoint");
  const std::string& restart = values.text("restart");
  const std::int64_t every = values.count("checkpoint-every");
  return {.path = path.empty() ? values.text("output") + ".checkpoint" : path,
          .scheduled = !path.empty() || every > 0,
          .every = every,
          .restart = restart.empty() ? std::nullopt : std::optional(restart)};
}

io::FileSpec& files_of(Spec& spec) {
  if (Scan* scan = std::get_if<Scan>(&spec)) {
    return scan->spec.files;
  }
  study::StudySpec* study = std::get_if<study::StudySpec>(&spec);
  return study != nullptr ? study->files : std::get<Simulation>(spec).files;
}

Simulation simulation(const Request& request, const std::string& command_line) {
  const Values& values = request.values;
  return {.run = run_with_breaks(request),
          .output = {.sampling = sampling_of(values),
                     .field_every = values.count("field-every"),
                     .field_points = values.count("field-points"),
                     .energy = values.flag("energy")},
          .files = file_spec(request, request.run, command_line)};
}

study::StudySpec study_spec(const Request& request, const std::string& command_line) {
  study::StudySpec spec = request.study;
  const study::Level& last = spec.levels.back();
  spec.run = run_with_breaks(request);
  spec.series = sampling_of(request.values);
  spec.series.time.steps = last.steps;
  spec.files = file_spec(request, study::at_level(request.run, last), command_line);
  return spec;
}

Scan scan_spec(const Request& request, const std::string& command_line) {
  const Values& values = request.values;
  const Axes& axes = *request.axes;
  Scan scan{.spec = {.points = axes.points,
                     .is_steady = values.flag("steady"),
                     .keep_series = values.text("keep") == "series",
                     .files = file_spec(request, request.run, command_line)},
            .axes = request.axes,
            .values = values};
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
  scan.spec.first = request.problem;
  return scan;
}

Spec spec_of(const Request& request, const std::string& command_line) {
  const Command command = request.values.command();
  return command == Command::simulate   ? Spec(simulation(request, command_line))
         : command == Command::converge ? Spec(study_spec(request, command_line))
                                        : Spec(scan_spec(request, command_line));
}

scan::ScanProblem problem_at(const Scan& scan, std::int64_t point) {
  const Request request = request_at(scan.values.with(scan.axes->at(point)), scan.axes);
  scan::ScanProblem problem = problem_of(request);
  problem.warning = base::joined(request.warnings, "; ");
  return problem;
}

}  // namespace masing::cli
