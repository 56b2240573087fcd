#include <mpi.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "library/masing/run.hpp"

// The module masing._masing, of analysis/masing/native.py and material.py.

namespace {

namespace py = pybind11;

/// Raises masing.MasingError with an exit code of the program.
void raise(const std::exception& fault, int code) {
  const py::object line = py::bytes(fault.what()).attr("decode")("utf-8", "backslashreplace");
  const py::object error = py::module_::import("masing.errors").attr("MasingError")(line, code);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

void translate(std::exception_ptr fault) {
  try {
    std::rethrow_exception(std::move(fault));
  } catch (const masing::Mistake& mistake) {
    raise(mistake, 2);
  } catch (const masing::Stopped& stopped) {
    raise(stopped, 75);
  } catch (const masing::Failure& failure) {
    raise(failure, 1);
  }
}

std::unique_ptr<masing::Session> session;

/// "" before MPI is started in this process, by whomever; "running"; "ended".
std::string mpi() {
  int has_started = 0;
  int has_ended = 0;
  MPI_Initialized(&has_started);
  MPI_Finalized(&has_ended);
  return has_ended != 0 ? "ended" : has_started != 0 ? "running" : "";
}

/// Makes the session, of this process alone.
void start() {
  session = std::make_unique<masing::Session>();
}

/// Ends the session. Where another has ended MPI, PETSc cannot end.
void end() {
  if (mpi() == "ended") {
    static_cast<void>(session.release());
  }
  session.reset();
}

volatile std::sig_atomic_t interrupted = 0;

/// masing::result_of. What `say` raises ends the run and is raised, as is Ctrl-C where it is
/// `interruptible`: then no handler of Python's sees it.
py::bytes result_of(const std::string& command, const masing::Options& options,
                    const py::object& say, bool interruptible) {
  std::exception_ptr raised;
  const masing::Say told = [&](const std::string& text) {
    const py::gil_scoped_acquire held;
    try {
      if (!raised) {
        say(py::bytes(text));
      }
    } catch (const py::error_already_set&) {
      raised = std::current_exception();
      masing::request_stop();
    }
  };
  interrupted = 0;
  struct sigaction before {};
  if (interruptible) {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      interrupted = 1;
      masing::request_stop(signal);
    };
    sigaction(SIGINT, &action, &before);
  }
  std::string bytes;
  std::string line;
  try {
    const py::gil_scoped_release released;
    bytes = masing::result_of(*session, command, options, say.is_none() ? masing::Say() : told);
  } catch (const masing::Stopped& stopped) {
    line = stopped.what();
    raised = raised ? raised : std::current_exception();
  } catch (...) {
    raised = std::current_exception();
  }
  if (interruptible) {
    sigaction(SIGINT, &before, nullptr);
  }
  if (interrupted != 0) {
    PyErr_SetString(PyExc_KeyboardInterrupt, line.c_str());
    throw py::error_already_set();
  }
  if (raised) {
    std::rethrow_exception(raised);
  }
  return bytes;
}

/// [(name, kind, value, help, default)].
std::vector<py::tuple> options(const std::string& command) {
  std::vector<py::tuple> all;
  for (const masing::OptionInfo& each : masing::options_of(command)) {
    all.push_back(py::make_tuple(each.name, each.kind, each.value, each.help, each.default_value));
  }
  return all;
}

}  // namespace

PYBIND11_MODULE(_masing, module) {
  py::register_exception_translator(translate);
  module.attr("__version__") = masing::version();
  module.def("options", options).def("mpi", mpi).def("start", start).def("result_of", result_of);
  module.def("request_stop", [] { masing::request_stop(); });
  module.def("end", end, py::call_guard<py::gil_scoped_release>());
}
