#ifndef MASING_MATERIAL_H
#define MASING_MATERIAL_H

/* The interface of masing/material.hpp for C, Fortran (iso_c_binding), ctypes and cffi.
   material.hpp says which values are admissible, what calls cost, and what an error leaves
   unchanged. No function throws an exception. After an error, masing_last_error() returns the
   message. A function of type int returns the kind of error, or MASING_DONE if there is none.
   After an error, the other functions return null if they return a pointer, NaN if they return a
   double, and 0 if they return an unsigned integer. A null pointer as argument is an error, except
   where the comment of the function allows it. The caller owns the objects that are created.
   Several threads may use one material, if each thread uses its own points. */

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** The results of functions that return int: success, a failure of the system, or a mistake in the
    arguments. */
enum { MASING_DONE = 0, MASING_FAILURE = 1, MASING_MISTAKE = 2 };

/** A Masing material. */
typedef struct masing_material masing_material;
/** One point of a material. */
typedef struct masing_point masing_point;

/** Returns the message of the most recent error in this thread, or "" if there was none. The next
    error in this thread overwrites the message. */
const char* masing_last_error(void);
/** Returns the version of the library that is loaded. MASING_VERSION, such as "1.0.0", and the
    numbers MASING_VERSION_MAJOR, _MINOR and _PATCH are the version of this header. */
const char* masing_version(void);

/** Creates a material of n springs with sliders from arrays [n] of k ≥ 0, η ≥ 0, η⁻ ≥ 0 and u0.
    If threshold_down is null, η⁻ = η; if initial_u is null, u0 = 0. A NaN in an array is an
    error. */
masing_material* masing_material_of_springs(size_t n, const double* stiffness,
                                            const double* threshold, const double* threshold_down,
                                            const double* initial_u, double k0);
/** Creates the continuum from texts of functions of s, or "points:s value; …". A null pointer
    stands for the default: "1" for stiffness, "s+0.1" for threshold, the threshold for
    threshold_down, and "0" for initial_u. */
masing_material* masing_material_continuum(const char* stiffness, const char* threshold,
                                           const char* threshold_down, const char* initial_u,
                                           double k0);
/** Destroys a material. Points of the material can still be used. The argument of this and of the
    other ..._free functions may be null. */
void masing_material_free(masing_material* material);
/** Returns k0 + ∫ k ds. */
double masing_material_elastic_stiffness(const masing_material* material);
/** Returns a hash of the data of the material. Materials with different data practically certainly
    have different hashes. */
uint64_t masing_material_fingerprint(const masing_material* material);

/** Creates a point at x, with every spring at its initial elongation. */
masing_point* masing_point_new(const masing_material* material, double x);
/** Creates a copy of a point. */
masing_point* masing_point_copy(const masing_point* point);
/** Destroys a point that masing_point_new or masing_point_copy created. */
void masing_point_free(masing_point* point);
/** Returns the committed position x. */
double masing_point_position(const masing_point* point);
/** Returns the force k0 x + S at the committed position. */
double masing_point_force(const masing_point* point);
/** Computes the force and the stiffness after a monotone move from the committed position to x,
    |x| <= 1e150, and writes them to *force and *stiffness; either pointer may be null. Stores x
    as the trial for masing_point_commit; the point does not move. After an error no trial is
    stored. */
int masing_point_set_trial(masing_point* point, double x, double* force, double* stiffness);
/** Moves the point to the stored trial, which becomes the committed position. Does nothing if no
    trial is stored. */
int masing_point_commit(masing_point* point);
/** Discards the stored trial. */
int masing_point_revert_to_last(masing_point* point);
/** Returns the point to its start: to the position at which masing_point_new created
    it, with every spring at its initial elongation. A copy, or a point with a restored
    state, returns to the start of the point from which the copy or the state was taken. */
int masing_point_revert_to_start(masing_point* point);
/** Returns the elongation u, at the committed position, of a spring of the material that has this
    threshold in both directions and u0 = 0. */
double masing_point_elongation(const masing_point* point, double threshold);
/** Returns the stored energy ½ k0 x² + ½ ∫ k u² ds at the committed position. */
double masing_point_stored_energy(const masing_point* point);
/** Returns the energy that the sliders have dissipated since the start. */
double masing_point_dissipated_energy(const masing_point* point);
/** Returns the number n of values that masing_point_state writes: a fixed number, plus one for
    each turning point on which the forces still depend. */
size_t masing_point_state_size(const masing_point* point);
/** Writes the state into the array `state` [n]. It is an error if n is less than
    masing_point_state_size. */
int masing_point_state(const masing_point* point, double* state, size_t n);
/** Restores a state that masing_point_state wrote for a point of an equal material, from the
    array `state` [n]. If the array has more numbers than this state, the others are ignored. */
int masing_point_restore(masing_point* point, const double* state, size_t n);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
