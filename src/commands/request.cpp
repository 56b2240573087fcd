#include "commands/request.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/continuation.hpp"
#include "cli/parse.hpp"
#include "cli/scan.hpp"
#include "engine/setup.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/session.hpp"
#include "rheology/elastic_growth.hpp"
#include "study/plan.hpp"
#include "study/schedule.hpp"

namespace masing::commands {

namespace {

std::string content(const std::string& path) {
  constexpr std::streamsize largest = 256 << 20;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode) || info.st_size > largest) {
    throw base::UserError("cannot read " + path + ": not a regular file of at most 256 MiB");
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

/// The run of a request with the largest step.
engine::RunSpec coarsest(const cli::Validated& request) {
  engine::RunSpec run = request.run;
  const auto& levels = request.configuration.levels;
  if (!levels.empty()) {
    run.time.steps = std::ranges::min_element(levels, {}, &study::Level::steps)->steps;
  }
  return run;
}

constexpr double warned_growth = 10.0;  // of an elastic motion, until T
constexpr double tolerable_growth = 1.1;

/// The warning of a model of finitely many elements, empty if there is none.
std::string step_advice(const rheology::ModelSpec& model, const slab::TimeGrid& time) {
  const auto eigenvalues = rheology::elastic_eigenvalues(model);
  const double growth = rheology::log_elastic_growth(eigenvalues, time.step(), time.steps);
  if (!(growth > std::log(warned_growth))) {
    return {};
  }
  const std::int64_t steps = rheology::steps_for_growth(eigenvalues, time.final_time, time.steps,
                                                        std::log(tolerable_growth));
  return fmt::format(
      "--steps: with a step of {:.4g} the scheme lets an elastic motion of {} grow by a factor of "
      "10^{:.3g} until T; with {} steps by at most {:g}",
      time.step(), model.model->info.name, growth / std::log(10.0), base::to_text(steps),
      tolerable_growth);
}

/// Throws UserError where the scheme is unstable; else the warning, empty if there is none.
std::string step_advice(const engine::RunSpec& run) {
  if (engine::is_exact(run)) {
    return {};
  }
  if (const auto* model = std::get_if<rheology::ModelSpec>(&run.model)) {
    return step_advice(*model, run.time);
  }
  const auto* masing = std::get_if<engine::Masing>(&run.model);
  if (masing == nullptr) {
    return {};
  }
  const slab::SchemeInfo& scheme = slab::info(masing->scheme);
  const double frequency = slab::elastic_frequency(masing->slab, masing->oscillator);
  const double decay = masing->oscillator.damping / masing->oscillator.mass;
  const double step = run.time.step();
  if (step * decay > scheme.largest_damped_step) {
    throw base::UserError(
        fmt::format("--steps: {} is unstable beyond a step of {} m/c = {}, and this one is {}; "
                    "give at least {} "
                    "steps",
                    scheme.name, scheme.largest_damped_step,
                    base::to_text(scheme.largest_damped_step / decay), base::to_text(step),
                    slab::least_stable_steps(decay, run.time, scheme.largest_damped_step)));
  }
  if (step * frequency > scheme.largest_step) {
    throw base::UserError(fmt::format(
        "--steps: {} is unstable beyond a step of {}/omega = {}, omega^2 = (k0 + int k ds)/m, and "
        "this one is {}; give at least {} steps",
        scheme.name, scheme.largest_step, base::to_text(scheme.largest_step / frequency),
        base::to_text(step), slab::least_stable_steps(frequency, run.time, scheme.largest_step)));
  }
  const double growth = slab::elastic_growth(frequency, decay, run.time);
  if (!scheme.amplifies || !(growth > warned_growth)) {
    return {};
  }
  return fmt::format(
      "with a step of {:.4g} {} lets an elastic oscillation grow by exp({} T/2) = {:.3g} "
      "until T; with a step of {:.4g} by {:g}",
      step, scheme.name, decay > 0 ? "(dt omega^2 - c/m)" : "dt omega^2", growth,
      slab::step_for_growth(frequency, decay, run.time, tolerable_growth), tolerable_growth);
}

/// Checks what only a look shows: every cell, what the engine needs, and what drives the run at
/// every step, or at a million of them.
void validate_run(const parallel::Communicator& comm, const engine::RunSpec& run) {
  const engine::Setup setup = engine::make_setup(comm, run);
  constexpr std::int64_t looks = 1000000;
  const std::int64_t stride = run.time.steps / looks + 1;
  for (std::int64_t p = 0; p <= run.time.steps; p += stride) {
    const double value = run.drive(run.time.time(p));
    if (!std::isfinite(value)) {
      throw base::UserError(fmt::format("{} = {} at t = {}; it must be finite on [0, T]",
                                        engine::drive_name(run), base::to_text(value),
                                        base::to_text(run.time.time(p))));
    }
  }
}

/// The problem at the first point of a scan. Throws UserError.
study::ScanProblem first_problem(const cli::Validated& request) {
  const study::ScanSpec spec = cli::scan_spec(request, "");
  std::vector<double> values = cli::first_values(spec.axes);
  values.resize(values.size() - (spec.kind == study::ScanKind::closed_curves ? 1 : 0));
  return spec.problem(values);
}

/// The same for every run of a request; of a scan for its first point, as others may fail.
void validate_runs(const parallel::Communicator& comm, const cli::Validated& request) {
  if (request.configuration.command == cli::Command::simulate) {
    validate_run(comm, cli::simulation(request, "").run);
    return;
  }
  if (request.configuration.command == cli::Command::scan) {
    validate_run(comm, first_problem(request).run);
    return;
  }
  const study::StudySpec spec = cli::study_spec(request, "");
  const auto file = study::read_file_reference(comm, spec);
  const study::StudyPlan plan = study::make_plan(spec, file ? &*file : nullptr);
  const study::Forecast forecast =
      study::forecast(plan.jobs, comm.size(), parallel::available_memory(comm));
  for (const std::size_t level : plan.levels) {
    validate_run(comm, plan.jobs[level].run);
  }
  for (const study::Job& job : plan.jobs) {
    if (std::ranges::find(plan.levels, static_cast<std::size_t>(&job - plan.jobs.data())) ==
        plan.levels.end()) {
      validate_run(comm, job.run);
    }
    if (job.reference) {
      validate_run(comm, *job.reference);
    }
  }
  if (comm.is_root() && !spec.quiet) {
    std::fputs(study::plan_text(plan.jobs, *spec.reference, forecast).c_str(), stderr);
  }
}

/// Throws UserError where no specs can be made of a request.
void check_specs(const cli::Validated& request) {
  if (request.configuration.command == cli::Command::simulate) {
    (void)cli::simulation(request, "");
  } else if (request.configuration.command == cli::Command::scan) {
    (void)first_problem(request);
  } else {
    (void)cli::study_spec(request, "");
  }
}

/// The configuration as one that goes on with its checkpoint.
cli::Configuration continued(const parallel::Communicator& comm,
                             const cli::Configuration& configuration) {
  io::require_seal(comm, configuration.restart, "--restart");  // before HDF5 looks at it
  const std::string command = cli::name_of(configuration.command);
  const std::string before = parallel::from_root(comm, [&] {
    const io::Recipe recipe = io::read_recipe(configuration.restart);
    if (recipe.kind != command) {
      throw base::UserError(
          fmt::format("--restart: {} is of masing {}; give a checkpoint of masing {}",
                      configuration.restart, recipe.kind, command));
    }
    return recipe.configuration;
  });
  return cli::continued(configuration, before);
}

/// What `read` makes of a result file, a text; warns where nothing tells whether it is sound.
/// Throws UserError. Local.
std::string read_of_sound_file(const std::string& file, const std::function<std::string()>& read) {
  if (!io::require_sound(file)) {
    std::fputs(fmt::format("masing warning: {} has no seal: an older masing or another program "
                           "wrote or changed it, and damage may go unnoticed\n",
                           file)
                   .c_str(),
               stderr);
  }
  return io::reading(file, read);
}

}  // namespace

Made made_by(const Invocation& call, const std::string& file,
             const std::function<void(const std::string&)>& look) {
  const std::string all = call.on_root([&] {
    return read_of_sound_file(file, [&] {
      const io::Recipe read = io::read_recipe(file);
      if (look) {
        look(file);
      }
      return read.kind + "\n" + read.configuration;
    });
  });
  const std::string kind = all.substr(0, all.find('\n'));
  const std::map<std::string, cli::Command> commands{{"simulate", cli::Command::simulate},
                                                     {"converge", cli::Command::converge},
                                                     {"scan", cli::Command::scan}};
  if (!commands.contains(kind)) {
    throw base::UserError(file + " is of kind '" + kind +
                          "'; only a file of simulate, converge or scan can be made again");
  }
  const cli::Command command = commands.at(kind);
  const base::FileReader read = [&](const std::string&) { return all.substr(kind.size() + 1); };
  const std::string name = "/configuration of " + file;
  return {kind, cli::validated(cli::parse(command, {"--config", name}, read).configuration, read)};
}

std::optional<std::string> look_at_reference(const Invocation& call, cli::Validated& request) {
  if (!request.reference || !request.reference->file()) {
    return std::nullopt;
  }
  const std::string& file = request.configuration.reference;
  const Made made = made_by(call, file);
  if (made.kind != "simulate") {
    throw base::UserError("--reference: " + file + " is of masing " + made.kind +
                          "; give a file of masing simulate");
  }
  cli::take_reference(request, made.request);
  return file;
}

namespace {

/// Throws UserError where a file that the run writes is one that it reads, by whatever name. A
/// checkpoint may replace the one that the run goes on with.
void require_outputs_are_no_inputs(const cli::Configuration& c, std::vector<std::string> inputs) {
  const auto refuse_if_read = [&](const char* option, const std::string& output) {
    for (const std::string& input : inputs) {
      std::error_code none_there;
      if (std::filesystem::equivalent(output, input, none_there)) {
        throw base::UserError(
            fmt::format("{}: {} is a file that the run reads{}; give another name", option, output,
                        output == input ? "" : " as " + input));
      }
    }
  };
  const bool is_scheduled = !c.checkpoint.empty();
  for (const char* end : {"", ".draft"}) {
    refuse_if_read(is_scheduled ? "--checkpoint" : "--output",
                   (is_scheduled ? c.checkpoint : c.output + ".checkpoint") + end);
  }
  if (!c.restart.empty()) {
    inputs.push_back(c.restart);
  }
  for (const char* end : {"", ".partial", ".partial.draft", ".lock"}) {
    refuse_if_read("--output", c.output + end);
  }
}

}  // namespace

std::optional<Request> requested(cli::Command command, const Invocation& call) {
  std::vector<std::string> inputs;
  const base::FileReader read = [&](const std::string& path) {
    inputs.push_back(path);
    return call.on_root([&] { return content(path); });
  };
  const base::FileReader read_field = [&](const std::string& path) {
    inputs.push_back(path);
    return call.on_root(
        [&] { return read_of_sound_file(path, [&] { return io::last_field(path); }); });
  };
  cli::Request parsed = cli::parse(command, call.words, read);
  if (parsed.help) {
    if (call.prints) {
      std::fputs(cli::help(command).c_str(), stdout);
    }
    return std::nullopt;
  }
  Request request{.validated = cli::validated(std::move(parsed.configuration), read, read_field),
                  .print_config = parsed.print_config,
                  .validate_only = parsed.validate_only};
  if (const auto file = look_at_reference(call, request.validated)) {
    inputs.push_back(*file);
  }
  call.on_root([&] {
    require_outputs_are_no_inputs(request.validated.configuration, inputs);
    return std::string();
  });
  const std::string warning =
      call.on_root([&] { return step_advice(coarsest(request.validated)); });
  const bool runs = !request.print_config && !request.validate_only;
  // A failure has its one line "masing: ...", which these are not.
  std::vector<std::string> warnings = request.validated.warnings;
  warnings.push_back(warning);
  for (const std::string& text : warnings) {
    if (call.prints && runs && !text.empty()) {
      std::fputs(fmt::format("masing warning: {}\n", text).c_str(), stderr);
    }
  }
  const cli::Configuration& configuration = request.validated.configuration;
  if (request.print_config && !request.validate_only && configuration.restart.empty()) {
    if (call.prints) {
      std::fputs(cli::printed(configuration).c_str(), stdout);
    }
    return std::nullopt;
  }
  check_specs(request.validated);
  return request;
}

std::optional<cli::Validated> ready(const parallel::Communicator& comm, const Request& request) {
  cli::Validated validated = request.validated;
  if (!validated.configuration.restart.empty()) {
    validated.configuration = continued(comm, validated.configuration);
  }
  if (request.validate_only) {
    validate_runs(comm, validated);
  }
  if (!request.print_config && !request.validate_only) {
    if (validated.configuration.wall_limit) {
      parallel::limit_wall_time(*validated.configuration.wall_limit);
    }
    return validated;
  }
  if (comm.is_root()) {
    std::fputs(request.print_config ? cli::printed(validated.configuration).c_str() : "valid\n",
               stdout);
  }
  return std::nullopt;
}

}  // namespace masing::commands
