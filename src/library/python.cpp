#include <malloc.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "library/masing/material.hpp"
#include "library/python.hpp"

// The Python module masing._masing, and its classes, which analysis/masing/material.py uses.

namespace {

namespace py = pybind11;
using masing::MaterialPoint;
using masing::MaterialPoints;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Raises the Python exception masing.MasingError with the message of `fault` and with `code`, the
/// exit code with which the program would end.
void raise(const std::exception& fault, int code) {
  const py::object line = py::bytes(fault.what()).attr("decode")("utf-8", "backslashreplace");
  const py::object error = py::module_::import("masing.errors").attr("MasingError")(line, code);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

/// Translates exceptions of the material and of runs to Python exceptions.
void translate(std::exception_ptr fault) {
  try {
    std::rethrow_exception(std::move(fault));
  } catch (const masing::Mistake& mistake) {
    raise(mistake, masing::base::exit_user_mistake);
  } catch (const masing::base::UserError& mistake) {
    raise(mistake, masing::base::exit_user_mistake);
  } catch (const masing::base::Stopped& stopped) {
    raise(stopped, masing::base::exit_stopped);
  } catch (const masing::base::SystemError& failure) {
    raise(failure, masing::base::exit_failure);
  }
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
  point.revert_to_last();
  // A copy is moved, so that `point` does not move if a position is not valid.
  MaterialPoint moved = point;
  std::ranges::transform(in(x), out(force).begin(),
                         [&moved](double each) { return moved.move_to(each).force; });
  point = std::move(moved);
}

/// Calls `Move`, a member function of MaterialPoints, with the positions x and with the arrays that
/// it fills. In this and the function above, the arrays have the shape of x (see material.py).
template <auto Move, class... Arrays>
void move_all(MaterialPoints& points, const Numbers& x, Arrays... filled) {
  (points.*Move)(in(x), out(filled)...);
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
  masing::python::add_runs(module);
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
