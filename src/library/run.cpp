#include "library/masing/run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/say.hpp"
#include "cli/call.hpp"
#include "cli/printed.hpp"
#include "commands/commands.hpp"
#include "engine/engine.hpp"
#include "io/result_file.hpp"
#include "parallel/session.hpp"
#include "statistics/extrapolation.hpp"
#include "statistics/table_order.hpp"
#include "statistics/verdict.hpp"
#include "study/refinement.hpp"

namespace masing {

namespace {

/// Calls `work` and returns its result. Translates the exceptions base::UserError, base::Stopped
/// and base::SystemError to the exceptions Mistake, Stopped and Failure of the library.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw Mistake(error.what());
  } catch (const base::Stopped& stopped) {
    throw Stopped(stopped.what());
  } catch (const base::SystemError& error) {
    throw Failure(error.what());
  }
}

}  // namespace

struct Session::World : parallel::Session {
  explicit World(MPI_Comm comm) : parallel::Session({}, comm) {}
};

Session::Session() : Session(MPI_COMM_WORLD) {}
Session::Session(MPI_Comm comm) : world_(checked([&] { return std::make_unique<World>(comm); })) {}
Session::~Session() = default;

int Session::rank() const {
  return world_->world().rank();
}

int Session::size() const {
  return world_->world().size();
}

std::string version() {
  return io::build_facts().front().second;
}

bool started_by_launcher() {
  return parallel::started_by_launcher();
}

void request_stop(int signal) {
  parallel::request_stop(signal);
}

void clear_stop() {
  parallel::clear_stop();
}

namespace {

/// Calls `work`, and calls `say` with each message that `work` passes to base::say(). If `say`
/// throws, the run is asked to stop, and the exception of `say` is rethrown when `work` has ended.
void with_listener(const Say& say, const std::function<void()>& work) {
  std::exception_ptr fault;  // the exception that `say` has thrown
  const auto listen = [&](const std::string& text) {
    try {
      if (!fault) {
        say(text);
      }
    } catch (...) {
      fault = std::current_exception();
      request_stop();
    }
  };
  base::listener = say ? base::Listener(listen) : nullptr;
  try {
    work();
    base::listener = nullptr;
  } catch (...) {
    base::listener = nullptr;
    if (!fault) {
      throw;
    }
  }
  if (fault) {
    clear_stop();
    std::rethrow_exception(fault);
  }
}

/// Returns the command of this name. Throws Mistake if there is no such command.
cli::Command known_command(const std::string& name) {
  if (const auto command = cli::command_of(name)) {
    return *command;
  }
  throw Mistake("'" + name + "' is not a command; give simulate, converge or scan");
}

/// If the options contain `output`, does nothing. If not, changes `spec` so that no file is
/// written; the bytes of the result file are then stored in `image`, unless `image` is null. Throws
/// Mistake in this case if options ask for checkpoints, or if several ranks ask for an image.
void leave_files_out(const cli::Request& request, cli::Spec& spec, std::string* image) {
  if (!request.has("output")) {
    for (const char* key : {"checkpoint", "checkpoint-every", "restart"}) {
      if (request.has(key)) {
        throw Mistake(cli::origin_of(request, key) +
                      ": a run without a file has no checkpoints; give output");
      }
    }
    if (image != nullptr && !parallel::is_alone()) {
      throw Mistake("several ranks make no result in memory; give output");
    }
    io::FileSpec& files = cli::files_of(spec);
    files.result.path.clear();
    files.result.image = image;
    files.checkpoint = {};
  }
}

/// Builds the spec of a command from the options as the program does, calls work(comm, spec) and
/// returns its result. If `is_quiet` is true, adds the option --quiet. Translates exceptions as
/// checked() does.
template <class Work>
auto call(const Session& session, const std::string& command, const Options& options, bool is_quiet,
          std::string* image, const Work& work, const Tables& tables = {}) {
  return checked([&] {
    cli::Invocation invocation{
        .words = {}, .command_line = "libmasing " + command, .comm = session.world().begin_call()};
    for (const auto& [name, table] : tables) {
      if (table.first.size() != table.second.size()) {
        throw Mistake(name + ": give as many values as arguments");
      }
      invocation.tables[name] = base::points_of(table.first, table.second, name);
    }
    for (const auto& [key, value] : options) {
      if (cli::is_of_program(key)) {
        throw Mistake(key + ": an option of the program alone; leave it out");
      }
      is_quiet = is_quiet && key != "quiet";
      invocation.words.push_back("--" + key + (value.empty() ? "" : "=" + value));
      invocation.command_line += " " + invocation.words.back();
    }
    if (is_quiet) {
      invocation.words.emplace_back("--quiet");
    }
    auto job = cli::job_of(known_command(command), invocation);
    leave_files_out(*job->request, job->spec, image);
    return work(invocation.comm, job->spec);
  });
}

}  // namespace

Trajectory simulate(const Session& session, const Options& options, const Observer& observer) {
  const auto make = [&](const parallel::Communicator& comm, const cli::Spec& spec) {
    const auto& simulation = std::get<cli::Simulation>(spec);
    Trajectory end;
    const auto show = [&, times = std::vector<double>()](const engine::Samples& samples) mutable {
      end = {samples.last_step(), samples.x.back(), samples.y.back()};
      if (observer) {
        times.clear();
        for (std::int64_t p = samples.first_step; p <= samples.last_step(); ++p) {
          times.push_back(simulation.run.time.time(p));
        }
        observer(
            {samples.first_step, times, samples.force, samples.x, samples.y, samples.restoring});
      }
    };
    end.self_check = commands::make(comm, simulation, show);
    return end;
  };
  return call(session, "simulate", options, true, nullptr, make);
}

Study converge(const Session& session, const Options& options) {
  const auto make = [&](const parallel::Communicator& comm, const cli::Spec& of_study) {
    const auto& spec = std::get<study::StudySpec>(of_study);
    Study study;
    const auto announce = [&](const study::StudySpec& last, const study::Study& computed) {
      study.table = study::table(last, computed);
    };
    const study::Study computed = commands::make(comm, spec, announce);
    study.verdict = statistics::to_text(computed.verdict);
    for (const study::LevelResult& level : computed.cases) {
      study.levels.push_back({level.ds,
                              level.dt,
                              {level.errors[study::Errors::x], level.errors[study::Errors::y],
                               level.errors[study::Errors::u]}});
    }
    for (std::size_t q = 0; q < computed.results.size(); ++q) {
      const study::QuantityResult& result = computed.results[q];
      study.orders.push_back({study::quantities_of(spec.run)[q].name, result.observed(),
                              result.uncertainty(),
                              result.expected ? study::expected_text(*result.expected) : "",
                              statistics::to_text(result.verdict)});
    }
    return study;
  };
  return call(session, "converge", options, true, nullptr, make);
}

std::string result_of(const Session& session, const std::string& command, const Options& options,
                      const Say& say, const Tables& tables) {
  std::string image;
  const auto make = [&](const parallel::Communicator& comm, const cli::Spec& spec) {
    std::visit([&](const auto& of_command) { commands::make(comm, of_command); }, spec);
  };
  with_listener(say, [&] { call(session, command, options, !say, &image, make, tables); });
  return image;
}

std::string options_of(const std::string& command) {
  return cli::options_as_json(known_command(command));
}

namespace {

/// Returns the steps of the levels and of their references. If there are two steps whose ratio is
/// the same at all levels, returns their sum as the only step.
std::vector<statistics::StepLadder> ladder_of(const ErrorTable& table) {
  std::vector<statistics::StepLadder> ladder;
  for (std::size_t j = 0; j < table.steps.size(); ++j) {
    const std::vector<double>& step = table.steps[j];
    std::vector<double> references(step.size(), table.finest.empty() ? 0.0 : table.finest[j]);
    if (table.is_successive) {
      std::copy(step.begin() + 1, step.end(), references.begin());
      references.back() = base::undefined;
    }
    ladder.push_back({step, references});
  }
  if (ladder.size() == 2 && statistics::on_one_ray(table.steps[0], table.steps[1])) {
    const auto add = [](std::vector<double>& to, const std::vector<double>& more) {
      std::ranges::transform(to, more, to.begin(), std::plus<>());
    };
    add(ladder[0].levels, ladder[1].levels);
    add(ladder[0].references, ladder[1].references);
    ladder.pop_back();
  }
  return ladder;
}

}  // namespace

Judgement judge(const ErrorTable& table, double expected, bool at_least, double tolerance) {
  const statistics::ErrorLadder ladder{
      .steps = ladder_of(table), .errors = table.errors, .are_differences = table.is_successive};
  const auto found = statistics::order_of_table(ladder, table.digits, table.floor);
  Judgement judgement{found.order, found.uncertainty, "", found.why, found.pair_orders};
  auto verdict = statistics::Verdict::not_judged;
  if (!std::isnan(expected)) {
    verdict = statistics::judge({.order = expected, .at_least = at_least}, found.order,
                                found.uncertainty, tolerance);
  }
  if (std::ranges::none_of(table.errors, [&](double error) { return error > table.floor; })) {
    verdict = statistics::Verdict::exact;
    judgement.why = "no error is above the floor";
  }
  judgement.verdict = statistics::to_text(verdict);
  return judgement;
}

Limit extrapolate(const std::vector<std::vector<double>>& steps, const std::vector<double>& values,
                  double promised) {
  const auto found = statistics::extrapolate(steps, values, promised);
  return {found.value, found.order, found.index};
}

}  // namespace masing
