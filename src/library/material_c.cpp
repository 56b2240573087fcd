#include "library/masing/material.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "library/masing/material.hpp"

using masing::Material;
using masing::MaterialPoint;
using masing::MaterialPoints;

struct masing_material : Material {};
struct masing_point : MaterialPoint {
  using MaterialPoint::MaterialPoint;
};
struct masing_points : MaterialPoints {
  using MaterialPoints::MaterialPoints;
};

namespace {

thread_local char last_error[4096] = "";

/// Calls `work` and returns its answer, after a fault NaN, 0 or null; where it has none, the kind
/// of fault. What it throws becomes the last error.
template <class Work>
auto answer(const Work& work) noexcept {
  using Answer = decltype(work());
  constexpr bool is_status = std::is_void_v<Answer>;
  const auto failed = [](int kind, const std::exception& fault) {
    std::snprintf(last_error, sizeof(last_error), "%s", fault.what());
    if constexpr (is_status) {
      return kind;
    } else {
      return std::numeric_limits<Answer>::quiet_NaN();
    }
  };
  try {
    if constexpr (is_status) {
      work();
      return static_cast<int>(MASING_DONE);
    } else {
      return work();
    }
  } catch (const masing::Mistake& mistake) {
    return failed(MASING_MISTAKE, mistake);
  } catch (const std::exception& failure) {
    return failed(MASING_FAILURE, failure);
  }
}

template <class T>
T* given(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw masing::Mistake(name + std::string(": a null pointer, where none may be"));
  }
  return pointer;
}

/// The same of a member function, or of another, of what belongs to the caller.
template <class Object, class Use>
auto answer(Object* object, const Use& use, const char* caller = __builtin_FUNCTION()) noexcept {
  return answer([&] { return std::invoke(use, *given(object, caller)); });
}

const char* given(const char* text, const std::string& otherwise) {
  return text == nullptr ? otherwise.c_str() : text;
}

/// MaterialPoints::set_trial or move.
template <auto Move>
void move(MaterialPoints& points, const double* x, double* force, double* stiffness) {
  const std::size_t n = points.size();
  (points.*Move)({given(x, "x"), n}, {given(force, "force"), n},
                 {stiffness, stiffness == nullptr ? 0 : n});
}

void set_trial(MaterialPoint& point, double x, double* force, double* stiffness) {
  const masing::Response response = point.set_trial(x);
  double unused = 0.0;
  *(force == nullptr ? &unused : force) = response.force;
  *(stiffness == nullptr ? &unused : stiffness) = response.stiffness;
}

}  // namespace

masing_material* masing_material_of_springs(size_t n, const double* stiffness,
                                            const double* threshold, const double* threshold_down,
                                            const double* initial_u, double k0) {
  return answer([&] {
    std::vector<masing::SpringSlider> springs(n);
    for (size_t i = 0; i < n; ++i) {
      springs[i] = {given(stiffness, "stiffness")[i], given(threshold, "threshold")[i],
                    threshold_down == nullptr ? springs[i].threshold_down : threshold_down[i],
                    initial_u == nullptr ? 0.0 : initial_u[i]};
    }
    return new masing_material{Material::of_springs(springs, k0)};
  });
}

masing_material* masing_material_continuum(const char* stiffness, const char* threshold,
                                           const char* threshold_down, const char* initial_u,
                                           double k0) {
  return answer([&] {
    masing::Continuum slab;
    slab = {given(stiffness, slab.stiffness), given(threshold, slab.threshold),
            given(threshold_down, slab.threshold_down), given(initial_u, slab.initial_u)};
    return new masing_material{Material::continuum(slab, k0)};
  });
}

// clang-format off
const char* masing_last_error() { return last_error; }
const char* masing_version() { return MASING_VERSION; }
void masing_material_free(masing_material* m) { delete m; }
void masing_point_free(masing_point* p) { delete p; }
void masing_points_free(masing_points* p) { delete p; }

double masing_material_elastic_stiffness(const masing_material* m) { return answer(m, &Material::elastic_stiffness); }
uint64_t masing_material_fingerprint(const masing_material* m) { return answer(m, &Material::fingerprint); }

masing_point* masing_point_new(const masing_material* m, double x) {
  return answer(m, [x](auto& of) { return new masing_point(of, x); });
}
masing_point* masing_point_copy(const masing_point* p) {
  return answer(p, [](auto& of) { return new masing_point(of); });
}
double masing_point_position(const masing_point* p) { return answer(p, &MaterialPoint::position); }
double masing_point_force(const masing_point* p) { return answer(p, &MaterialPoint::force); }
int masing_point_set_trial(masing_point* p, double x, double* force, double* stiffness) {
  return answer(p, [=](auto& point) { set_trial(point, x, force, stiffness); });
}
int masing_point_commit(masing_point* p) { return answer(p, &MaterialPoint::commit); }
int masing_point_revert_to_last(masing_point* p) { return answer(p, &MaterialPoint::revert_to_last); }
int masing_point_revert_to_start(masing_point* p) { return answer(p, &MaterialPoint::revert_to_start); }
double masing_point_elongation(const masing_point* p, double threshold) {
  return answer(p, [=](auto& of) { return of.elongation(threshold); });
}
double masing_point_stored_energy(const masing_point* p) { return answer(p, &MaterialPoint::stored_energy); }
double masing_point_dissipated_energy(const masing_point* p) { return answer(p, &MaterialPoint::dissipated_energy); }
size_t masing_point_state_size(const masing_point* p) { return answer(p, &MaterialPoint::state_size); }
int masing_point_state(const masing_point* p, double* state, size_t n) {
  return answer(p, [=](auto& of) { (void)of.state({given(state, "state"), n}); });
}
int masing_point_restore(masing_point* p, const double* state, size_t n) {
  return answer(p, [=](auto& of) { of.restore({given(state, "state"), n}); });
}

masing_points* masing_points_new(const masing_material* m, size_t n, double x) {
  return answer(m, [=](auto& of) { return new masing_points(of, n, x); });
}
int masing_points_set_trial(masing_points* p, const double* x, double* force, double* stiffness) {
  return answer(p, [=](auto& all) { move<&MaterialPoints::set_trial>(all, x, force, stiffness); });
}
int masing_points_move(masing_points* p, const double* x, double* force, double* stiffness) {
  return answer(p, [=](auto& all) { move<&MaterialPoints::move>(all, x, force, stiffness); });
}
int masing_points_commit(masing_points* p) { return answer(p, &MaterialPoints::commit); }
int masing_points_revert_to_last(masing_points* p) { return answer(p, &MaterialPoints::revert_to_last); }
int masing_points_revert_to_start(masing_points* p) { return answer(p, &MaterialPoints::revert_to_start); }
masing_point* masing_points_at(masing_points* p, size_t i) {
  return answer(p, [i](auto& of) { return static_cast<masing_point*>(&of[i]); });
}
