#include <malloc.h>
#include <mpi.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "library/masing/material.hpp"
#include "library/masing/run.hpp"

// The Python module masing._masing. Its functions and classes are used by analysis/masing/native.py
// and material.py.

namespace {

namespace py = pybind11;
using masing::MaterialPoint;
using masing::MaterialPoints;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A range of points that lie one after another in memory.
using Row = masing::View<const MaterialPoint>;

/// Returns the range in memory of one point or of several points.
template <class Points>
Row row_of(const Points& points) {
  if constexpr (std::is_same_v<Points, MaterialPoint>) {
    return {&points, 1};
  } else {
    return points.size() == 0 ? Row() : Row(&points[0], points.size());
  }
}

/// The points that threads are moving at present without Python's global interpreter lock. The list
/// itself is read and changed only by a thread that holds this lock.
std::vector<Row> moving;

/// Calls `work` without Python's global interpreter lock. Until `work` returns, `moving` contains
/// `points`, so that PointsCaster refuses them to other threads.
template <class Points, class Work>
void alone(const Points& points, const Work& work) {
  const auto forget = [](const Row* row) {
    std::erase_if(moving, [row](const Row& each) { return each.data() == row->data(); });
  };
  const Row row = row_of(points);
  moving.push_back(row);
  const std::unique_ptr<const Row, decltype(forget)> entry(&row, forget);
  const py::gil_scoped_release released;
  work();
}

/// Converts Python objects to points, for every function that Python can call. Throws
/// masing::Mistake if a thread is moving one of these points.
template <class Points>
struct PointsCaster : py::detail::type_caster_base<Points> {
  bool load(py::handle source, bool convert) {
    if (!py::detail::type_caster_base<Points>::load(source, convert) || source.is_none()) {
      return false;
    }
    for (const Row& other : moving) {
      const Row row = row_of(*static_cast<const Points*>(this->value));
      if (row.begin() < other.end() && other.begin() < row.end()) {
        throw masing::Mistake("in use by another thread: of points, each thread needs its own");
      }
    }
    return true;
  }
};

}  // namespace

template <>
struct pybind11::detail::type_caster<MaterialPoint> : PointsCaster<MaterialPoint> {};
template <>
struct pybind11::detail::type_caster<MaterialPoints> : PointsCaster<MaterialPoints> {};

namespace {

/// Raises the Python exception masing.MasingError with the message of `fault` and with `code`, the
/// exit code with which the program would end.
void raise(const std::exception& fault, int code) {
  const py::object line = py::bytes(fault.what()).attr("decode")("utf-8", "backslashreplace");
  const py::object error = py::module_::import("masing.errors").attr("MasingError")(line, code);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

/// Translates exceptions of the library to Python exceptions.
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

// The session, whose only rank is this process; null before start() and after end().
std::unique_ptr<masing::Session> session;

/// Returns the state of MPI in this process: "" if it is not initialized, "running", or "ended".
/// Which library has initialized MPI does not matter.
std::string mpi() {
  int has_started = 0;
  int has_ended = 0;
  MPI_Initialized(&has_started);
  MPI_Finalized(&has_ended);
  return has_ended != 0 ? "ended" : has_started != 0 ? "running" : "";
}

volatile std::sig_atomic_t interrupts = 0;
bool is_of_main = false;     // whether the current run was started by Python's main thread
struct sigaction before {};  // the handler of SIGINT before the current run

/// Calls masing::result_of. An exception that `say` raises stops the run and is raised again at the
/// end. If `interruptible` is true, Ctrl-C also stops the run, and KeyboardInterrupt is raised in
/// Python's main thread. If the main thread has called this function (`is_main`), this function
/// raises it; if not, Python's own handler does.
py::bytes result_of(const std::string& command, const masing::Options& options,
                    const py::function& say, bool interruptible, bool is_main,
                    const std::map<std::string, std::pair<Numbers, Numbers>>& arrays) {
  struct sigaction stop {};
  stop.sa_handler = [](int signal) {
    interrupts = interrupts + 1;
    masing::request_stop(signal);
    is_of_main ? void() : before.sa_handler(signal);
  };
  const std::sig_atomic_t known = interrupts;
  is_of_main = is_main;
  masing::clear_stop();
  if (interruptible) {
    sigaction(SIGINT, nullptr, &before);
    // If another thread has started the run, the flags of Python's handler are kept, so that the
    // signal interrupts system calls in which the main thread waits.
    stop.sa_flags = is_main ? SA_RESTART : before.sa_flags;
    sigaction(SIGINT, &stop, nullptr);
  }
  masing::Tables tables;
  for (const auto& [name, columns] : arrays) {
    const auto& [x, y] = columns;
    tables[name] = {{x.data(), x.data() + x.size()}, {y.data(), y.data() + y.size()}};
  }
  std::string bytes;
  std::exception_ptr fault;
  try {
    const py::gil_scoped_release released;
    const auto listen = [&say](const std::string& text) {
      const py::gil_scoped_acquire held;
      say(py::bytes(text));
    };
    bytes = masing::result_of(*session, command, options, listen, tables);
  } catch (...) {
    fault = std::current_exception();
  }
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

/// Judges the errors of a table, and returns (order, uncertainty, verdict, why, pair orders). Each
/// level is compared with the next one if `is_successive` is true, otherwise with a run of the
/// steps `finest`, or with the exact solution if `finest` is empty.
py::tuple judge(const std::vector<std::vector<double>>& steps, const std::vector<double>& errors,
                const std::vector<double>& digits, const std::vector<double>& finest,
                bool is_successive, double floor, double expected, bool at_least,
                double tolerance) {
  const auto found = masing::judge({steps, errors, digits, finest, is_successive, floor}, expected,
                                   at_least, tolerance);
  return py::make_tuple(found.order, found.uncertainty, found.verdict, found.why,
                        found.pair_orders);
}

/// Extrapolates values, and returns (limit, observed order, grid convergence index).
py::tuple extrapolate(const std::vector<std::vector<double>>& steps,
                      const std::vector<double>& values, double promised) {
  const masing::Limit limit = masing::extrapolate(steps, values, promised);
  return py::make_tuple(limit.value, limit.order, limit.index);
}

/// Returns a view of an array for reading.
masing::View<const double> in(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}
/// Returns a view of an array for writing.
masing::View<double> out(Numbers& numbers) {
  return {numbers.mutable_data(), static_cast<std::size_t>(numbers.size())};
}
/// Creates a material of springs from arrays of equal length.
masing::Material of_springs(const Numbers& k, const Numbers& eta, const Numbers& down,
                            const Numbers& u0, double k0) {
  std::vector<masing::SpringSlider> springs;
  for (py::ssize_t i = 0; i < k.size(); ++i) {
    springs.push_back({k.at(i), eta.at(i), down.at(i), u0.at(i)});
  }
  return masing::Material::of_springs(springs, k0);
}

/// Creates a continuous material from texts of functions of s.
masing::Material continuum(const std::string& stiffness, const std::string& threshold,
                           const std::string& down, const std::string& initial_u, double k0) {
  return masing::Material::continuum({stiffness, threshold, down, initial_u}, k0);
}

/// Calls `Move`, which is MaterialPoint::trial, set_trial or move_to, and returns (force,
/// stiffness).
template <auto Move>
py::tuple move(MaterialPoint& point, double x) {
  const masing::Response response = (point.*Move)(x);
  return py::make_tuple(response.force, response.stiffness);
}

/// Moves a point through the positions x, one after another, and writes the force at each. If a
/// position is not valid, the point does not move.
void move_along(MaterialPoint& point, const Numbers& x, Numbers force) {
  const auto forces = out(force);
  const auto positions = in(x);
  alone(point, [&] {
    point.revert_to_last();
    // A copy is moved, so that `point` does not move if a position is not valid.
    MaterialPoint moved = point;
    std::transform(positions.begin(), positions.end(), forces.begin(),
                   [&moved](double each) { return moved.move_to(each).force; });
    point = std::move(moved);
  });
}

/// Calls `Move`, a member function of MaterialPoints, with the positions x and with the arrays that
/// it fills. In this and the function above, the arrays have the shape of x (see material.py).
template <auto Move, class... Arrays>
void move_all(MaterialPoints& points, const Numbers& x, Arrays... filled) {
  const auto all = std::tuple(&points, in(x), out(filled)...);
  alone(points, [&all] { std::apply(Move, all); });
}

/// Returns the state of one point or of several as an array.
template <class Points>
Numbers state(const Points& points) {
  Numbers numbers(static_cast<py::ssize_t>(points.state_size()));
  points.state(out(numbers));
  return numbers;
}

/// Returns what the member function `Quantity` returns for each point, [n].
template <auto Quantity>
Numbers of_all(const MaterialPoints& points) {
  Numbers numbers(static_cast<py::ssize_t>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    numbers.mutable_at(i) = (points[i].*Quantity)();
  }
  return numbers;
}

/// Defines a Python class with the methods that MaterialPoint and MaterialPoints have in common.
template <class Points>
py::class_<Points> points_class(const py::module_& module, const char* name) {
  return py::class_<Points>(module, name)
      .def("commit", &Points::commit)
      .def("revert_to_last", &Points::revert_to_last)
      .def("revert_to_start", &Points::revert_to_start)
      .def("state", state<Points>)
      .def("restore", [](Points& self, const Numbers& state) { self.restore(in(state)); });
}

}  // namespace

PYBIND11_MODULE(_masing, module) {
  // When SuperLU_DIST of Debian is loaded, it sets malloc options with which no freed memory of the
  // whole process is returned to the system. These calls set values with which it is returned.
  mallopt(M_MMAP_MAX, 65536);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, 1 << 26);
  py::register_exception_translator(translate);
  module.attr("__version__") = masing::version();
  module.def("options", masing::options_of).def("mpi", mpi).def("result_of", result_of);
  module.def("judge", judge).def("extrapolate", extrapolate);
  module.def("started_by_launcher", masing::started_by_launcher);
  module.def("interrupts", [] { return static_cast<int>(interrupts); });
  module.def("request_stop", [] { masing::request_stop(); });
  module.def("start", [] {
    if (!session) {
      session = std::make_unique<masing::Session>(MPI_COMM_SELF);
    }
  });
  module.def("end", [] { session.reset(); });
  // These classes are documented in material.py, which alone constructs them.
  py::class_<masing::Material>(module, "Material")
      .def(py::init(&continuum))
      .def(py::init(&of_springs))
      .def_property_readonly("k0", &masing::Material::k0)
      .def_property_readonly("elastic_stiffness", &masing::Material::elastic_stiffness)
      .def_property_readonly("fingerprint", &masing::Material::fingerprint);
  points_class<MaterialPoint>(module, "MaterialPoint")
      .def(py::init<const masing::Material&, double>())
      .def("trial", move<&MaterialPoint::trial>)
      .def("set_trial", move<&MaterialPoint::set_trial>)
      .def("move_to", move<&MaterialPoint::move_to>)
      .def("move_along", move_along)
      .def("elongation", py::overload_cast<double>(&MaterialPoint::elongation, py::const_))
      .def_property_readonly("position", &MaterialPoint::position)
      .def_property_readonly("force", &MaterialPoint::force)
      .def_property_readonly("stored_energy", &MaterialPoint::stored_energy)
      .def_property_readonly("dissipated_energy", &MaterialPoint::dissipated_energy);
  points_class<MaterialPoints>(module, "MaterialPoints")
      .def(py::init<const masing::Material&, std::size_t, double>())
      .def(py::init([](const std::vector<masing::Material>& materials,
                       const py::array_t<std::size_t, py::array::c_style>& index, double x) {
        return MaterialPoints(materials, {index.data(), static_cast<std::size_t>(index.size())}, x);
      }))
      .def("__len__", &MaterialPoints::size)
      .def("__getitem__", py::overload_cast<std::size_t>(&MaterialPoints::operator[]),
           py::return_value_policy::reference_internal)
      .def("trial", move_all<&MaterialPoints::trial, Numbers, Numbers>)
      .def("set_trial", move_all<&MaterialPoints::set_trial, Numbers, Numbers>)
      .def("move", move_all<&MaterialPoints::move, Numbers, Numbers>)
      .def("move_along", move_all<&MaterialPoints::move_along, Numbers>)
      .def_property_readonly("position", of_all<&MaterialPoint::position>)
      .def_property_readonly("force", of_all<&MaterialPoint::force>)
      .def_property_readonly("stored_energy", of_all<&MaterialPoint::stored_energy>)
      .def_property_readonly("dissipated_energy", of_all<&MaterialPoint::dissipated_energy>);
}
