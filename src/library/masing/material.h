#ifndef MASING_MATERIAL_H
#define MASING_MATERIAL_H

/* masing/material.hpp for C, Fortran (iso_c_binding), ctypes and cffi. No fault leaves a function:
   those that return int give MASING_DONE or the kind of fault, those that make something give null,
   and those that ask for a number NaN, or 0 where it is whole; masing_last_error() has the line.
   Null pointers are such faults where nothing else is said. What a function makes belongs to the
   caller. Many threads may use one material, and each its own points. What is admissible, what
   calls take and what stays after a fault stands in material.hpp. */

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum { MASING_DONE = 0, MASING_FAILURE = 1, MASING_MISTAKE = 2 };

typedef struct masing_material masing_material;
typedef struct masing_point masing_point;
typedef struct masing_points masing_points;

/** The line of the last fault in this thread, until the next one there; "" before the first. */
const char* masing_last_error(void);
/** The version of the library that is loaded; MASING_VERSION, such as "1.0.0", and the numbers
    MASING_VERSION_MAJOR, _MINOR and _PATCH are those of this header. */
const char* masing_version(void);

/** n springs with sliders: arrays [n] of k ≥ 0 and η ≥ 0, and of η⁻ ≥ 0 and u0, which may be null:
    as η, and 0. A NaN in one of them is a mistake. */
masing_material* masing_material_of_springs(size_t n, const double* stiffness,
                                            const double* threshold, const double* threshold_down,
                                            const double* initial_u, double k0);
/** The continuum by texts in s or "points:s value; …"; null: 1, s+0.1, as threshold, 0. */
masing_material* masing_material_continuum(const char* stiffness, const char* threshold,
                                           const char* threshold_down, const char* initial_u,
                                           double k0);
/** Points that were made from it may live on. Null is no fault, here and in the other ..._free. */
void masing_material_free(masing_material* material);
/** k0 + ∫ k ds. */
double masing_material_elastic_stiffness(const masing_material* material);
/** A number that materials of other data do not have, by all that can be told. */
uint64_t masing_material_fingerprint(const masing_material* material);

/** One point, at x; every spring at its initial elongation. */
masing_point* masing_point_new(const masing_material* material, double x);
masing_point* masing_point_copy(const masing_point* point);
void masing_point_free(masing_point* point);
/** The committed x, and k0 x + S there. */
double masing_point_position(const masing_point* point);
double masing_point_force(const masing_point* point);
/** Force and stiffness, either may be null, after a monotone move from the committed position to x,
    |x| <= 1e150, which is kept for masing_point_commit. A fault forgets an earlier trial. */
int masing_point_set_trial(masing_point* point, double x, double* force, double* stiffness);
/** Moves to the trial's position; forgets the trial; goes back to how the point was made. */
int masing_point_commit(masing_point* point);
int masing_point_revert_to_last(masing_point* point);
int masing_point_revert_to_start(masing_point* point);
/** The committed u of a spring with this threshold in both directions and u0 = 0. */
double masing_point_elongation(const masing_point* point, double threshold);
/** ½ k0 x² + ½ ∫ k u² ds at the committed position, and what the sliders took since the start. */
double masing_point_stored_energy(const masing_point* point);
double masing_point_dissipated_energy(const masing_point* point);
/** How many numbers the state has now: some, and one for each turning point that still matters. */
size_t masing_point_state_size(const masing_point* point);
/** Writes state_size numbers into `state`; where this has room for fewer, n, that is a mistake. */
int masing_point_state(const masing_point* point, double* state, size_t n);
/** From such numbers, of a point of an equal material; what stands behind them is not looked at. */
int masing_point_restore(masing_point* point, const double* state, size_t n);

/** n points that are moved together; arrays [n], stiffness may be null. */
masing_points* masing_points_new(const masing_material* material, size_t n, double x);
void masing_points_free(masing_points* points);
/** As masing_point_set_trial, of every point; where an x is not finite every trial is forgotten. */
int masing_points_set_trial(masing_points* points, const double* x, double* force,
                            double* stiffness);
/** The same, and commits it. */
int masing_points_move(masing_points* points, const double* x, double* force, double* stiffness);
int masing_points_commit(masing_points* points);
int masing_points_revert_to_last(masing_points* points);
int masing_points_revert_to_start(masing_points* points);
/** n. */
size_t masing_points_size(const masing_points* points);
/** Those of every point, arrays [n]. */
int masing_points_energies(const masing_points* points, double* stored, double* dissipated);
/** As those of a point, the states of all one after another; nothing may stand behind them. */
size_t masing_points_state_size(const masing_points* points);
int masing_points_state(const masing_points* points, double* state, size_t n);
int masing_points_restore(masing_points* points, const double* state, size_t n);
/** Point i = 0, …, n - 1 of them, to whom it belongs: not to be freed. */
masing_point* masing_points_at(masing_points* points, size_t i);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
