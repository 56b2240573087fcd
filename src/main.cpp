#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "cli/call.hpp"
#include "cli/options.hpp"
#include "cli/spec.hpp"
#include "commands/commands.hpp"
#include "engine/setup.hpp"
#include "io/output_file.hpp"
#include "parallel/session.hpp"
#include "parallel/stop.hpp"
#include "study/plan.hpp"

namespace masing {

namespace {

/// Returns in one line what a command does.
const char* about(cli::Command command) {
  constexpr std::array texts{"one trajectory of a model, written to HDF5",
                             "a refinement study: errors, observed orders and a verdict",
                             "one run, or one limit cycle, for each point of a grid of parameters",
                             "a result file made again and compared, bit by bit",
                             "what the engines reach beside the machine's own limits"};
  return texts.at(static_cast<std::size_t>(command));
}

/// Returns what masing --help prints.
std::string usage() {
  using enum cli::Command;
  std::string text =
      "masing: the continuous Masing model and its relatives, solved in parallel, with measured "
      "accuracy\n\n";
  for (const cli::Command command : {simulate, converge, scan, reproduce, benchmark}) {
    text += fmt::format("  masing {:<10} {}\n", cli::name_of(command), about(command));
  }
  return text +
         "  masing models     the models: equation, parameters, state, expected order\n\n"
         "  masing COMMAND --help   its options      masing --version\n"
         "Exit codes: 0 done, 1 failure, 2 mistake in the request, 3 order not as expected,\n"
         "75 stopped early with a checkpoint, for --restart\n";
}

/// Returns what masing --version prints: "masing 1.0.0" and, on further lines, the facts about the
/// build.
std::string version_text() {
  std::string text;
  for (const auto& [name, value] : io::build_facts()) {
    text += text.empty() ? "masing " + value + "\n" : fmt::format("  {:<13} {}\n", name, value);
  }
  return text;
}

/// Performs the checks of --validate-only, for which no step is computed: whether the profile and
/// the engine can be created, whether the driving function is finite, and whether the memory is
/// large enough. For a study all runs are checked, for a scan only the run of the first point.
/// Throws UserError on all ranks alike if a check fails. Collective.
void check(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  engine::check_run(comm, simulation.run);
}
void check(const parallel::Communicator& comm, const study::StudySpec& spec) {
  study::check_runs(comm, spec);
}
void check(const parallel::Communicator& comm, const cli::Scan& scan) {
  engine::check_run(comm, scan.spec.first.run);  // the other points may fail during the scan
}

/// Runs a command that has options, and returns the exit code.
int run_command(cli::Command command, const cli::Invocation& call) {
  if (!cli::has_configuration(command)) {
    return command == cli::Command::reproduce ? commands::reproduce(call)
                                              : commands::benchmark(call);
  }
  auto job = cli::job_of(command, call);
  if (!job) {
    return base::exit_done;
  }
  const parallel::Communicator& comm = call.comm;
  if (job->only_validates) {
    std::visit([&](const auto& spec) { check(comm, spec); }, job->spec);
    cli::print(comm, "valid\n");
    return base::exit_done;
  }
  return std::visit([&](const auto& spec) { return commands::run(comm, spec); }, job->spec);
}

/// Returns the help of a command, or an empty text if there is no command of this name. Local.
std::string help_of(const std::string& command) {
  const auto known = cli::command_of(command);
  if (!known) {
    return command == "models" ? commands::models({}) : "";
  }
  std::string text = fmt::format("masing {}: {}\n", command, about(*known));
  if (cli::has_configuration(*known)) {
    text += "Each option, but the last of Execution, is also a key of an .ini.\n";
  } else if (*known == cli::Command::reproduce) {
    text +=
        "masing reproduce FILE.h5 runs the configuration in the file again. The exit code\n"
        "is 0 if every dataset and attribute of numbers in the file is the same, and 1 if\n"
        "not. Other texts and what is new are noted and do not count; /provenance and\n"
        "/timing are not compared.\n";
  }
  return text + cli::help(*known);
}

/// If a call only has to print a text, such as a help or the version, returns this text. Returns an
/// empty text for all other calls. Throws UserError if there are words after `masing models` that
/// are not the name of one model. Local; needs no MPI.
std::string asked_text(const std::string& command, const std::vector<std::string>& words) {
  const auto is_help = [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "help";
  };
  if (is_help(command)) {
    const std::string help = words.empty() ? "" : help_of(words.front());
    return help.empty() ? usage() : help;
  }
  if (command == "--version") {
    return version_text();
  }
  if (std::ranges::count(words, "--help") > 0 || (words.size() == 1 && is_help(words.front()))) {
    return help_of(command);
  }
  return command == "models" ? commands::models(words) : "";
}

/// Executes a call and returns its exit code. Throws UserError if there is no such command, or if
/// the command cannot be executed as requested.
int run(const std::string& command, const cli::Invocation& call) {
  if (const std::string text = asked_text(command, call.words); !text.empty()) {
    cli::print(call.comm, text);
    return base::exit_done;
  }
  if (const auto known = cli::command_of(command)) {
    return run_command(*known, call);
  }
  if (command.ends_with(".ini")) {
    throw base::UserError(command + " comes after a command: masing simulate --config " + command);
  }
  throw base::UserError(
      (command.empty() ? "no command" : "'" + command + "' is not a command") +
      "; give simulate, converge, scan, reproduce, models or benchmark (masing --help)" +
      base::meant(command, {"simulate", "converge", "scan", "reproduce", "models", "benchmark",
                            "--version", "cycles.py", "identify.py", "report.py", "response.py"}));
}

/// Flushes stdout. Returns `code`, or the exit code for a failure if stdout could not be written
/// completely.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return code;
  }
  std::fputs("masing: cannot write to the standard output\n", stderr);
  return base::exit_failure;
}

// True during MPI_Init under a launcher. If another rank has ended, MPI_Init may never return, so
// signals then end this process at once.
std::atomic<bool> may_hang = false;
// True after this rank has executed the call; a second signal then ends it without a message. If
// another rank has ended earlier, mpirun may send such signals.
std::atomic<bool> has_ended = false;

/// Handles the signals that ask the program to stop. The first signal requests that all ranks stop
/// as soon as they can save their state. A later signal ends this process at once, with two
/// exceptions. A signal within half a second of the first one counts as the same request, because a
/// scheduler and mpirun may both deliver a request. SIGXCPU never ends the process, because the
/// system sends it every second. During MPI_Init under a launcher, SIGTERM, SIGINT and SIGHUP end
/// the process at once.
void handle_signal(int signal) {
  if (may_hang && (signal == SIGTERM || signal == SIGINT || signal == SIGHUP)) {
    _exit(128 + signal);
  }
  // a signal within this time after the first one, in seconds, counts as the same request
  constexpr double same_request = 0.5;
  static std::atomic<double> first = std::numeric_limits<double>::infinity();
  const double now = base::seconds_now();
  if (now > first + same_request && signal != SIGXCPU) {
    constexpr std::string_view message = "masing: ended at once by a second signal\n";
    [[maybe_unused]] const auto written =
        has_ended ? 0 : write(STDERR_FILENO, message.data(), message.size());
    _exit(128 + signal);
  }
  first = std::min(first.load(), now);
  parallel::request_stop(signal);
}

}  // namespace

}  // namespace masing

int main(int count, char** values) {
  using namespace masing;
  const std::vector<std::string> words(values, values + count);
  const auto petsc = std::find(words.begin(), words.end(), "--petsc");
  const std::vector<std::string> petsc_options(petsc == words.end() ? petsc : petsc + 1,
                                               words.end());
  const std::string command = petsc - words.begin() > 1 ? words[1] : "";
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` then fails with an error message
  if (command != "benchmark") {   // a benchmark has no result to save, so signals end it at once
    for (const auto& [signal, name] : parallel::stop_signals) {
      if (std::signal(signal, handle_signal) == SIG_IGN && signal == SIGHUP) {
        // nohup has made the process ignore SIGHUP, and this must stay so
        std::signal(signal, SIG_IGN);
      }
    }
  }
  const std::vector<std::string> rest{
      words.begin() + std::min<std::ptrdiff_t>(2, petsc - words.begin()), petsc};
  // printed without MPI, which may not work on a login node
  if (!parallel::started_by_launcher()) {
    try {
      if (const std::string text = asked_text(command, rest); !text.empty()) {
        std::fputs(text.c_str(), stdout);
        return flushed(base::exit_done);
      }
      // the call is executed again below, where this error is reported
    } catch (const base::UserError&) {
    }
  }
  try {
    may_hang = parallel::started_by_launcher();
    parallel::Session session(petsc_options);
    may_hang = false;
    const int code = session.run([&](const parallel::Communicator& comm) -> int {
      const base::GivenAt options([](const std::string& quantity) { return "--" + quantity; });
      return run(command, {rest, base::joined(words, " "), comm});
    });
    has_ended = true;
    return flushed(code);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "masing: %s\n", failure.what());
    return base::exit_failure;
  }
}
