#include "library/masing/material.h"

#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "library/masing/material.hpp"

struct masing_material : masing::Material {};
struct masing_point : masing::MaterialPoint {
  using MaterialPoint::MaterialPoint;
};
struct masing_points : masing::MaterialPoints {
  using MaterialPoints::MaterialPoints;
};

namespace {

thread_local std::string last_error;

/// What `work` returns, else NaN, 0 or null; of nothing the kind of fault. What it throws becomes
/// the last error.
template <class T, class Work>
T answer(const Work& work) noexcept {
  const auto failed = [](int kind, const char* line) {
    try {
      last_error = line;
    } catch (const std::bad_alloc&) {
      last_error = "out of memory";  // short enough to need none
    }
    if constexpr (std::is_same_v<T, int>) {
      return kind;
    } else {
      return std::numeric_limits<T>::quiet_NaN();
    }
  };
  try {
    if constexpr (std::is_same_v<T, int>) {
      work();
      return MASING_DONE;
    } else {
      return work();
    }
  } catch (const masing::Mistake& mistake) {
    return failed(MASING_MISTAKE, mistake.what());
  } catch (const std::bad_alloc&) {
    return failed(MASING_FAILURE, "out of memory");
  } catch (const std::exception& failure) {
    return failed(MASING_FAILURE, failure.what());
  }
}

template <class T>
T* given(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw masing::Mistake(name + std::string(": a null pointer, where none may be"));
  }
  return pointer;
}

const char* given(const char* text, const std::string& otherwise) {
  return text == nullptr ? otherwise.c_str() : text;
}

/// MaterialPoints::set_trial or move.
template <class Move>
void move(masing_points* c, const double* x, double* force, double* stiffness, Move each) {
  const std::size_t n = c->size();
  (c->*each)({given(x, "x"), n}, {given(force, "force"), n},
             {stiffness, stiffness == nullptr ? 0 : n});
}

void set_trial(masing_point* c, double x, double* force, double* stiffness) {
  const masing::Response response = c->set_trial(x);
  double unused = 0.0;
  *(force == nullptr ? &unused : force) = response.force;
  *(stiffness == nullptr ? &unused : stiffness) = response.stiffness;
}

}  // namespace

masing_material* masing_material_of_springs(size_t n, const double* stiffness,
                                            const double* threshold, const double* threshold_down,
                                            const double* initial_u, double k0) {
  return answer<masing_material*>([&] {
    std::vector<masing::SpringSlider> springs(n);
    for (size_t i = 0; i < n; ++i) {
      springs[i] = {given(stiffness, "stiffness")[i], given(threshold, "threshold")[i],
                    threshold_down == nullptr ? springs[i].threshold_down : threshold_down[i],
                    initial_u == nullptr ? 0.0 : initial_u[i]};
    }
    return new masing_material{masing::Material::of_springs(springs, k0)};
  });
}

masing_material* masing_material_continuum(const char* stiffness, const char* threshold,
                                           const char* threshold_down, const char* initial_u,
                                           double k0) {
  return answer<masing_material*>([&] {
    masing::Continuum slab;
    slab = {given(stiffness, slab.stiffness), given(threshold, slab.threshold),
            given(threshold_down, slab.threshold_down), given(initial_u, slab.initial_u)};
    return new masing_material{masing::Material::continuum(slab, k0)};
  });
}

// clang-format off
const char* masing_last_error() { return last_error.c_str(); }
const char* masing_version() { return MASING_VERSION; }
void masing_material_free(masing_material* c) { delete c; }
void masing_point_free(masing_point* c) { delete c; }
void masing_points_free(masing_points* c) { delete c; }

#define DEFINE(type, name, arguments, ...) \
  type name arguments { return answer<type>([&] { given(c, #name); return __VA_ARGS__; }); }
DEFINE(double, masing_material_elastic_stiffness, (const masing_material* c),
       c->elastic_stiffness())
DEFINE(uint64_t, masing_material_fingerprint, (const masing_material* c), c->fingerprint())
DEFINE(masing_point*, masing_point_new, (const masing_material* c, double x),
       new masing_point(*c, x))
DEFINE(masing_point*, masing_point_copy, (const masing_point* c), new masing_point(*c))
DEFINE(double, masing_point_position, (const masing_point* c), c->position())
DEFINE(double, masing_point_force, (const masing_point* c), c->force())
DEFINE(int, masing_point_set_trial, (masing_point* c, double x, double* force, double* stiffness),
       set_trial(c, x, force, stiffness))
DEFINE(int, masing_point_commit, (masing_point* c), c->commit())
DEFINE(int, masing_point_revert_to_last, (masing_point* c), c->revert_to_last())
DEFINE(int, masing_point_revert_to_start, (masing_point* c), c->revert_to_start())
DEFINE(double, masing_point_elongation, (const masing_point* c, double threshold),
       c->elongation(threshold))
DEFINE(double, masing_point_stored_energy, (const masing_point* c), c->stored_energy())
DEFINE(double, masing_point_dissipated_energy, (const masing_point* c), c->dissipated_energy())
DEFINE(size_t, masing_point_state_size, (const masing_point* c), c->state_size())
DEFINE(int, masing_point_state, (const masing_point* c, double* state, size_t n),
       c->state({given(state, "state"), n}))
DEFINE(int, masing_point_restore, (masing_point* c, const double* state, size_t n),
       c->restore({given(state, "state"), n}))
DEFINE(masing_points*, masing_points_new, (const masing_material* c, size_t n, double x),
       new masing_points(*c, n, x))
DEFINE(int, masing_points_set_trial, (masing_points* c, const double* x, double* f, double* k),
       move(c, x, f, k, &masing_points::set_trial))
DEFINE(int, masing_points_move, (masing_points* c, const double* x, double* f, double* k),
       move(c, x, f, k, &masing_points::move))
DEFINE(int, masing_points_commit, (masing_points* c), c->commit())
DEFINE(int, masing_points_revert_to_last, (masing_points* c), c->revert_to_last())
DEFINE(int, masing_points_revert_to_start, (masing_points* c), c->revert_to_start())
DEFINE(masing_point*, masing_points_at, (masing_points* c, size_t i),
       static_cast<masing_point*>(&(*c)[i]))
