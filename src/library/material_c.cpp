#include "library/masing/material.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "library/masing/material.hpp"

using masing::Material;
using Point = masing::MaterialPoint;

struct masing_material : Material {};
struct masing_point : Point {
  using MaterialPoint::MaterialPoint;
};

namespace {

thread_local char last_error[4096] = "";

/// Calls `work` and returns MASING_DONE. If `work` throws, stores the message as the last error and
/// returns the kind of error.
template <class Work>
int status(const Work& work) noexcept {
  const auto failed = [](int kind, const std::exception& fault) {
    std::snprintf(last_error, sizeof(last_error), "%s", fault.what());
    return kind;
  };
  try {
    work();
    return MASING_DONE;
  } catch (const masing::Mistake& mistake) {
    return failed(MASING_MISTAKE, mistake);
  } catch (const std::exception& failure) {
    return failed(MASING_FAILURE, failure);
  }
}

/// Returns `pointer`. Throws Mistake if it is null; the message begins with `name`, the name of the
/// argument or of the function.
template <class T>
T* given(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw masing::Mistake(name + std::string(": a null pointer, where none may be"));
  }
  return pointer;
}

/// Calls `use`, a member function or any other function, with `object`, and returns its result. If
/// `use` returns void, returns the status() of the call. An exception is stored as the last error;
/// the result is then NaN, 0 or null, depending on its type. `caller` is the name of the calling
/// function, for the message if `object` is null.
template <class T, class Use>
auto answer(T* object, const Use& use, const char* caller = __builtin_FUNCTION()) noexcept {
  using Answer = std::invoke_result_t<Use, T&>;
  if constexpr (std::is_void_v<Answer>) {
    return status([&] { std::invoke(use, *given(object, caller)); });
  } else {
    Answer result = std::numeric_limits<Answer>::quiet_NaN();
    status([&] { result = std::invoke(use, *given(object, caller)); });
    return result;
  }
}

/// Returns `text`, or `otherwise` if `text` is null.
const char* given(const char* text, const std::string& otherwise) {
  return text == nullptr ? otherwise.c_str() : text;
}

/// Calls Point::set_trial. Writes the force and the stiffness to *force and *stiffness, except to a
/// null pointer.
void set_trial(Point& point, double x, double* force, double* stiffness) {
  const masing::Response response = point.set_trial(x);
  double unused = 0.0;
  *(force == nullptr ? &unused : force) = response.force;
  *(stiffness == nullptr ? &unused : stiffness) = response.stiffness;
}

}  // namespace

masing_material* masing_material_of_springs(size_t n, const double* stiffness,
                                            const double* threshold, const double* threshold_down,
                                            const double* initial_u, double k0) {
  masing_material* material = nullptr;
  status([&] {
    std::vector<masing::SpringSlider> springs(n);
    for (size_t i = 0; i < n; ++i) {
      if (threshold_down != nullptr && std::isnan(threshold_down[i])) {
        throw masing::Mistake("threshold-down: nan; give a null array where all are as threshold");
      }
      springs[i] = {given(stiffness, "stiffness")[i], given(threshold, "threshold")[i],
                    threshold_down == nullptr ? springs[i].threshold_down : threshold_down[i],
                    initial_u == nullptr ? 0.0 : initial_u[i]};
    }
    material = new masing_material{Material::of_springs(springs, k0)};
  });
  return material;
}

masing_material* masing_material_continuum(const char* stiffness, const char* threshold,
                                           const char* threshold_down, const char* initial_u,
                                           double k0) {
  masing_material* material = nullptr;
  status([&] {
    masing::Continuum slab;
    slab = {given(stiffness, slab.stiffness), given(threshold, slab.threshold),
            given(threshold_down, slab.threshold_down), given(initial_u, slab.initial_u)};
    material = new masing_material{Material::continuum(slab, k0)};
  });
  return material;
}

// clang-format off
const char* masing_last_error() { return last_error; }
const char* masing_version() { return MASING_VERSION; }
void masing_material_free(masing_material* m) { delete m; }
void masing_point_free(masing_point* p) { delete p; }

double masing_material_elastic_stiffness(const masing_material* m) {
  return answer(m, &Material::elastic_stiffness);
}
uint64_t masing_material_fingerprint(const masing_material* m) {
  return answer(m, &Material::fingerprint);
}

masing_point* masing_point_new(const masing_material* m, double x) {
  return answer(m, [x](auto& of) { return new masing_point(of, x); });
}
masing_point* masing_point_copy(const masing_point* p) {
  return answer(p, [](auto& of) { return new masing_point(of); });
}
double masing_point_position(const masing_point* p) { return answer(p, &Point::position); }
double masing_point_force(const masing_point* p) { return answer(p, &Point::force); }
int masing_point_set_trial(masing_point* p, double x, double* force, double* stiffness) {
  return answer(p, [=](auto& point) { set_trial(point, x, force, stiffness); });
}
int masing_point_commit(masing_point* p) { return answer(p, &Point::commit); }
int masing_point_revert_to_last(masing_point* p) { return answer(p, &Point::revert_to_last); }
int masing_point_revert_to_start(masing_point* p) { return answer(p, &Point::revert_to_start); }
double masing_point_elongation(const masing_point* p, double threshold) {
  return answer(p, [=](auto& of) { return of.elongation(threshold); });
}
double masing_point_stored_energy(const masing_point* p) {
  return answer(p, &Point::stored_energy);
}
double masing_point_dissipated_energy(const masing_point* p) {
  return answer(p, &Point::dissipated_energy);
}
size_t masing_point_state_size(const masing_point* p) { return answer(p, &Point::state_size); }
int masing_point_state(const masing_point* p, double* state, size_t n) {
  return answer(p, [=](auto& of) { (void)of.state({given(state, "state"), n}); });
}
int masing_point_restore(masing_point* p, const double* state, size_t n) {
  return answer(p, [=](auto& of) { of.restore({given(state, "state"), n}); });
}
