#include <mpi.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/hooks.hpp"
#include "cli/call.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"
#include "library/python.hpp"
#include "parallel/session.hpp"
#include "parallel/stop.hpp"
#include "statistics/extrapolation.hpp"
#include "statistics/order.hpp"

namespace masing::python {

namespace {

namespace py = pybind11;
using base::UserError;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Options of a command, as pairs of a name without dashes and a value. A flag has the value "".
using Options = std::vector<std::pair<std::string, std::string>>;

// The session, whose only rank is this process; null before start() and after end().
std::unique_ptr<parallel::Session> session;

/// Returns whether only the program accepts an option: --print-config, --validate-only, --petsc or
/// --help.
bool is_of_program(const cli::Option& option) {
  return option.role == cli::Role::call && option.kind != cli::Kind::pair &&
         option.name != std::string("config");
}

/// Returns what the values of an option are, as a word for Python.
std::string kind_of(const cli::Option& option) {
  using enum cli::Kind;
  return option.kind == pair     ? "pair"
         : option.kind == flag   ? "flag"
         : option.kind == choice ? "choice"
         : option.is_number()    ? "number"
         : option.is_list()      ? "list"
         : option.kind == of_t   ? "function of t"
         : option.is_function()  ? "function of s"
                                 : "text";
}

/// Returns the options of a command as a list of (name, kind, value, help, default), in the order
/// of the help of the command.
py::list options_of(const std::string& command) {
  py::list all;
  for (const cli::Option& option : cli::options()) {
    if (option.is_of(cli::command_of(command).value()) && !is_of_program(option)) {
      all.append(py::make_tuple(option.name, kind_of(option), option.argument, option.help,
                                option.preset));
    }
  }
  return all;
}

/// If the options contain `output`, does nothing. If not, changes `spec` so that no file is
/// written; the bytes of the result file are then stored in `image`. Throws UserError in this case
/// if options ask for checkpoints.
void leave_files_out(const cli::Values& values, cli::Spec& spec, std::string& image) {
  if (values.given("output")) {
    return;
  }
  for (const char* key : {"checkpoint", "checkpoint-every", "restart"}) {
    if (values.given(key)) {
      throw UserError(values.place(key) + ": a run without a file has no checkpoints; give output");
    }
  }
  io::FileSpec& files = cli::files_of(spec);
  files.result.path.clear();
  files.result.image = &image;
  files.checkpoint = {};
}

/// Computes what a command of the program computes, with the same bits. Returns the bytes of the
/// result file, or "" if the options contain `output`; the file is then written there. If points of
/// a scan fail, this function does not throw; the file says which points failed.
std::string compute(const std::string& command, const Options& options, base::Tables tables) {
  cli::Invocation call{.words = {},
                       .command_line = "masing._masing " + command,
                       .comm = session->begin_call(),
                       .tables = std::move(tables)};
  for (const auto& [key, value] : options) {
    const cli::Option* const option = cli::find_option(key);
    if (option != nullptr && is_of_program(*option)) {
      throw UserError(key + ": an option of the program alone; leave it out");
    }
    call.words.push_back("--" + key + (value.empty() ? "" : "=" + value));
    call.command_line += " " + call.words.back();
  }
  auto job = cli::job_of(cli::command_of(command).value(), call);
  std::string image;
  leave_files_out(job->values, job->spec, image);
  std::visit([&](const auto& spec) { commands::make(call.comm, spec); }, job->spec);
  return image;
}

volatile std::sig_atomic_t interrupts = 0;
bool is_of_main = false;     // whether the current run was started by Python's main thread
struct sigaction before {};  // the handler of SIGINT before the current run

/// Calls compute(), and `say` with each message that the program would write to stderr if stderr
/// were a terminal. The progress line is passed again whenever it changes; it begins with a
/// carriage return. An exception that `say` raises stops the run and is raised again at the end. If
/// `interruptible` is true, Ctrl-C also stops the run, and KeyboardInterrupt is raised in Python's
/// main thread. If the main thread has called this function (`is_main`), this function raises it;
/// if not, Python's own handler does. An option that may name a file with a table may also name one
/// of `arrays`, its arguments and values, as "table:NAME".
py::bytes result_of(const std::string& command, const Options& options, const py::function& say,
                    bool interruptible, bool is_main,
                    const std::map<std::string, std::pair<Numbers, Numbers>>& arrays) {
  struct sigaction stop {};
  stop.sa_handler = [](int signal) {
    interrupts = interrupts + 1;
    parallel::request_stop(signal);
    is_of_main ? void() : before.sa_handler(signal);
  };
  const std::sig_atomic_t known = interrupts;
  is_of_main = is_main;
  parallel::clear_stop();
  base::Tables tables;
  for (const auto& [name, columns] : arrays) {
    const auto& [x, y] = columns;
    tables[name] =
        base::points_of({x.data(), x.data() + x.size()}, {y.data(), y.data() + y.size()}, name);
  }
  if (interruptible) {
    sigaction(SIGINT, nullptr, &before);
    // If another thread has started the run, the flags of Python's handler are kept, so that the
    // signal interrupts system calls in which the main thread waits.
    stop.sa_flags = is_main ? SA_RESTART : before.sa_flags;
    sigaction(SIGINT, &stop, nullptr);
  }
  std::string bytes;
  std::exception_ptr fault;  // the first exception, of `say` or of the run
  base::listener = [&](const std::string& text) {
    try {
      if (!fault) {
        const py::gil_scoped_acquire held;
        say(py::bytes(text));
      }
    } catch (...) {
      fault = std::current_exception();
      parallel::request_stop(0);
    }
  };
  try {
    const py::gil_scoped_release released;
    bytes = compute(command, options, std::move(tables));
  } catch (...) {
    fault = fault ? fault : std::current_exception();
  }
  base::listener = nullptr;
  if (interruptible) {
    sigaction(SIGINT, &before, nullptr);
  }
  if (is_main && interrupts != known) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (fault) {
    std::rethrow_exception(fault);
  }
  return bytes;
}

/// Judges the errors of a table whose levels are ordered from coarse to fine, and returns (order,
/// uncertainty, verdict, why, orders between each level and the next). `steps` are one step or two,
/// such as δs and δt, [1 or 2][levels]. `digits` and `step_digits` are ErrorLadder::noise and
/// ErrorLadder::step_noise. Each level is compared with the next one if `is_successive` is
/// true, otherwise with a run of the steps `finest`, or with the exact solution if `finest` is
/// empty. Errors that are not above `floor` are regarded as round-off. The order may differ from
/// `expected` by at most `tolerance`; if `at_least` is true, it may also be larger. No order is
/// expected if `expected` is NaN.
py::tuple judge(const std::vector<std::vector<double>>& steps, const std::vector<double>& errors,
                const std::vector<double>& digits, const std::vector<double>& step_digits,
                const std::vector<double>& finest, bool is_successive, double floor,
                double expected, bool at_least, double tolerance) {
  auto ladder = statistics::make_ladder(steps, errors, finest, is_successive);
  ladder.noise = digits;
  ladder.step_noise = step_digits;
  auto found = statistics::find_order(ladder, floor);
  auto verdict = statistics::Verdict::not_judged;
  if (!std::isnan(expected)) {
    verdict = statistics::judge({.order = expected, .at_least = at_least}, found.order,
                                found.uncertainty, tolerance);
  }
  if (std::ranges::none_of(errors, [&](double error) { return error > floor; })) {
    verdict = statistics::Verdict::exact;
    found.why = "no error is above the floor";
  }
  return py::make_tuple(found.order, found.uncertainty, statistics::to_text(verdict), found.why,
                        found.pair_orders);
}

/// Extrapolates the `values` of a scalar at all levels, from coarse to fine, whose errors are
/// expected to have the order `promised`, and returns (limit, observed order, grid convergence
/// index), as statistics::extrapolate() describes.
py::tuple extrapolate(const std::vector<std::vector<double>>& steps,
                      const std::vector<double>& values, double promised) {
  const auto found = statistics::extrapolate(steps, values, promised);
  return py::make_tuple(found.value, found.order, found.index);
}

}  // namespace

void add_runs(py::module_& module) {
  module.attr("__version__") = io::build_facts().front().second;
  module.def("options", options_of).def("mpi", parallel::mpi_state).def("result_of", result_of);
  module.def("judge", judge).def("extrapolate", extrapolate);
  module.def("started_by_launcher", parallel::started_by_launcher);
  module.def("interrupts", [] { return static_cast<int>(interrupts); });
  module.def("request_stop", [] { parallel::request_stop(0); });
  module.def("start", [] {
    if (!session) {
      session = std::make_unique<parallel::Session>(std::vector<std::string>(), MPI_COMM_SELF);
    }
  });
  module.def("end", [] { session.reset(); });
}

}  // namespace masing::python
