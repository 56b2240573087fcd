#include "cli/spec.hpp"

#include <utility>

#include "base/text.hpp"
#include "cli/printed.hpp"

namespace masing::cli {

Validated validated(Request request, const FileRequest& of_file) {
  const auto shared = std::make_shared<const Request>(std::move(request));
  Validated made = resolved(shared, configuration_of(*shared, first_values(*shared)));
  located(*shared, [&] {
    if (shared->command == Command::converge) {
      resolve_study(made, of_file);
    } else if (shared->command == Command::scan) {
      check_scan(made);
    }
  });
  return made;
}

namespace {

/// What a result file says of its making; `run` as the trajectory in the file: of a study the last
/// level.
io::ResultSpec result_of(const Validated& request, const engine::RunSpec& run,
                         const std::string& command_line) {
  const std::string problem = problem_text(request);
  return {.path = request.configuration.output,
          .kind = name_of(request.request->command),
          .configuration = printed_result_keys(request),
          .command_line = command_line,
          .title = engine::figure_title(run),
          .has_cells = engine::slab_of(run) != nullptr,
          .problem = problem,
          .papers_problem = problem == problem_text({.request = std::make_shared<Request>(),
                                                     .configuration = presets()})};
}

}  // namespace

io::CheckpointSpec checkpoint_of(const Configuration& c) {
  const bool scheduled = !c.checkpoint.empty();
  return {.path = scheduled ? c.checkpoint : c.output + ".checkpoint",
          .scheduled = scheduled,
          .every = c.checkpoint_every,
          .restart = c.restart.empty() ? std::nullopt : std::optional(c.restart)};
}

Simulation simulation(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  return {.run = run_of(request),
          .output = {.sampling = sampling_of(c),
                     .field_every = *c.field_every,
                     .field_points = *c.field_points,
                     .energy = c.energy,
                     .probe = c.probe},
          .result = result_of(request, request.run, command_line),
          .checkpoint = checkpoint_of(c),
          .quiet = c.quiet};
}

study::StudySpec study_spec(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  const study::Level& last = request.levels.back();
  io::Sampling series = sampling_of(c);
  series.time.steps = last.steps;
  return {.run = run_of(request),
          .refine = c.refine,
          .levels = request.levels,
          .reference = request.reference,
          .expected_orders = request.expected_orders,
          .order_tolerance = c.order_tolerance,
          .unmet_hypotheses = request.unmet_hypotheses,
          .field_samples = c.field_samples,
          .series = series,
          .result = result_of(request, study::at_level(request.run, last), command_line),
          .checkpoint = checkpoint_of(c),
          .quiet = c.quiet};
}

Scan scan_spec(const Validated& request, const std::string& command_line) {
  const Configuration& c = request.configuration;
  Scan scan{.spec = {.axes = {},
                     .kind = kind_of_scan(c),
                     .past = c.past,
                     .keep_series = c.keep_series,
                     .result = result_of(request, request.run, command_line),
                     .checkpoint = checkpoint_of(c),
                     .quiet = c.quiet},
            .request = request.request};
  std::vector<std::string> names;
  for (const Axis& axis : request.request->axes) {
    scan.spec.axes.push_back(axis.values);
    names.push_back(axis.values.name);
  }
  scan.spec.result.title = "scan over " + base::joined(names, ", ");
  (void)first_problem(scan);  // what is wrong with every point is found before the scan
  return scan;
}

Spec spec_of(const Validated& request, const std::string& command_line) {
  switch (request.request->command) {
    case Command::simulate:
      return simulation(request, command_line);
    case Command::converge:
      return study_spec(request, command_line);
    default:
      return scan_spec(request, command_line);
  }
}

}  // namespace masing::cli
