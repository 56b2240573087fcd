/* The Masing element as a user material of Abaqus/Standard, for elements of one stress: trusses
   (T2D2, T3D2, …) and beams in a plane without shear (B23).

       *USER MATERIAL, CONSTANTS=4
       E, eps_first, eps_last, b
       *DEPVAR
       60

   E is the initial modulus, b E that after full yield; the strains at which the material begins to
   yield and has yielded are eps_first and eps_last, between them the backbone is a parabola.
   SDV1 is how many of the SDVs that follow count: the state of the point, some numbers and one for
   each turning point of the strain that still matters. Under a load that grows or repeats these
   are few; one that dies out keeps all of its turns, two a cycle. SSE and SPD are the energies of
   springs and of sliders. There is no initial stress.

       abaqus job=JOB user=umat.c      with -I$PREFIX/include in compile_cpp and
                                       -L$PREFIX/lib -lmasing_material in link_sl of abaqus_v6.env

   Abaqus takes it as C++ (g++); whatever calls a UMAT can call it, and C11 will do as well. Threads
   each have their materials. */

#include <masing/material.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<omi_for_c.h>)
#include <omi_for_c.h>
#endif
#endif
#ifndef FOR_NAME
#define FOR_NAME(lower, upper) lower##_
#endif
#ifdef __cplusplus
#define EXTERN_C extern "C"
#define THREAD_LOCAL thread_local
#else
#define EXTERN_C
#define THREAD_LOCAL _Thread_local
#endif

/* Of Abaqus: a line in the message file; lop = -3 ends the analysis. Fortran's lengths of the two
   texts come last. */
EXTERN_C void FOR_NAME(stdb_abqerr, STDB_ABQERR)(const int* lop, const char* text,
                                                 const int* integers, const double* reals,
                                                 const char* names, size_t text_length,
                                                 size_t names_length);

static void end_analysis(const char* what, const char* cure) {
  const int lop = -3;
  const int none = 0;
  const double nothing = 0.0;
  char text[500];
  snprintf(text, sizeof text, "MASING UMAT: %s; %s", what, cure);
  FOR_NAME(stdb_abqerr, STDB_ABQERR)
  (&lop, text, &none, &nothing, "        ", strlen(text), 8);
}

/* A material takes a millisecond to make, a point microseconds to restore: each thread keeps a
   point of every material that it has met, until the process ends. */
enum { constants = 4 };
struct known {
  double props[constants];
  masing_point* point;
  struct known* next;
};
static THREAD_LOCAL struct known* all_known = NULL;

/* Null where there is none: masing_last_error() has the line. */
static masing_point* point_of(const double* props) {
  for (struct known* one = all_known; one != NULL; one = one->next) {
    if (memcmp(one->props, props, sizeof one->props) == 0) {
      return one->point;
    }
  }
  char stiffness[64];
  char threshold[128];
  snprintf(stiffness, sizeof stiffness, "%.17g", props[0] * (1 - props[3]));
  snprintf(threshold, sizeof threshold, "points:0 %.17g; 1 %.17g", props[1], props[2]);
  masing_material* material =
      masing_material_continuum(stiffness, threshold, NULL, NULL, props[0] * props[3]);
  masing_point* point = material == NULL ? NULL : masing_point_new(material, 0.0);
  masing_material_free(material); /* the point keeps what it needs */
  struct known* made = point == NULL ? NULL : (struct known*)malloc(sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  memcpy(made->props, props, sizeof made->props);
  made->point = point;
  made->next = all_known;
  all_known = made;
  return point;
}

EXTERN_C void FOR_NAME(umat, UMAT)(double* stress, double* statev, double* ddsdde, double* sse,
                                   double* spd, double* scd, double* rpl, double* ddsddt,
                                   double* drplde, double* drpldt, const double* stran,
                                   const double* dstran, const double* time, const double* dtime,
                                   const double* temp, const double* dtemp, const double* predef,
                                   const double* dpred, const char* cmname, const int* ndi,
                                   const int* nshr, const int* ntens, const int* nstatv,
                                   const double* props, const int* nprops, const double* coords,
                                   const double* drot, double* pnewdt, const double* celent,
                                   const double* dfgrd0, const double* dfgrd1, const int* noel,
                                   const int* npt, const int* layer, const int* kspt,
                                   const int* kstep, const int* kinc, size_t cmname_length) {
  (void)scd, (void)rpl, (void)ddsddt, (void)drplde, (void)drpldt, (void)time, (void)dtime;
  (void)temp, (void)dtemp, (void)predef, (void)dpred, (void)cmname, (void)ndi, (void)nshr;
  (void)coords, (void)drot, (void)celent, (void)dfgrd0, (void)dfgrd1, (void)layer;
  (void)kspt, (void)kstep, (void)kinc, (void)cmname_length;

  if (*ntens != 1 || *nprops != constants || *nstatv < 1) {
    end_analysis("it has one stress, four constants and state variables",
                 "use trusses or B23, *USER MATERIAL, CONSTANTS=4, and *DEPVAR");
    return;
  }
  if (statev[0] == 0.0 && stress[0] != 0.0) {
    end_analysis("there is an initial stress, and the material begins without one",
                 "leave out *INITIAL CONDITIONS, TYPE=STRESS; a preload is a step of its own");
    return;
  }
  masing_point* point = point_of(props);
  if (point == NULL) {
    end_analysis(masing_last_error(), "give E > 0, 0 < eps_first <= eps_last, 0 <= b < 1");
    return;
  }

  /* The state at the beginning of the increment, however often that is tried. */
  const int fault = statev[0] == 0.0 ? masing_point_revert_to_start(point)
                                     : masing_point_restore(point, statev + 1, (size_t)*nstatv - 1);
  if (fault) {
    end_analysis(masing_last_error(), "let nothing else write into the state variables");
    return;
  }
  double force = 0.0;
  double slope = 0.0;
  if (masing_point_set_trial(point, stran[0] + dstran[0], &force, &slope) ||
      masing_point_commit(point)) {
    *pnewdt = 0.5; /* a strain that is not finite: the step was too long */
    return;
  }
  const size_t size = masing_point_state_size(point);
  if (masing_point_state(point, statev + 1, (size_t)*nstatv - 1)) {
    char what[128];
    char cure[128];
    snprintf(what, sizeof what, "element %d, point %d: *DEPVAR is %d, and its state takes %zu",
             *noel, *npt, *nstatv, size + 1);
    snprintf(cure, sizeof cure,
             "give that and some more: one for each turn of the strain inside earlier ones");
    end_analysis(what, cure);
    return;
  }
  statev[0] = (double)size;
  stress[0] = force;
  ddsdde[0] = slope;
  *sse = masing_point_stored_energy(point);
  *spd = masing_point_dissipated_energy(point);
}
