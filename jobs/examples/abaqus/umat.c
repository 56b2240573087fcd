/* The Masing element as a user material of Abaqus/Standard, for elements of one stress: trusses
   (T2D2, T3D2, …) and beams without shear (B23, B33, …).

       *USER MATERIAL, CONSTANTS=4
       E, eps_first, eps_last, b
       *DEPVAR
       60

   E is the initial modulus, b E that after full yield; the strains at which the material begins to
   yield and has yielded are eps_first and eps_last, between them the backbone is a parabola.
   SDV1 is how many of the SDVs that follow count: the state of the point, some numbers and one for
   each turning point of the strain that still matters. Under a load that grows or repeats these
   are few; one that dies out keeps all of its turns, two a cycle. SSE and SPD are the energies of
   springs and of sliders.

       abaqus job=JOB user=umat.c      with -I$PREFIX/include in compile_cpp and
                                       -L$PREFIX/lib -lmasing_material in link_sl of abaqus_v6.env

   Whatever calls a UMAT can call it; it needs C11 (threads each have their materials). */

#include <masing/material.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<omi_for_c.h>)
#include <omi_for_c.h>
#endif
#endif
#ifndef FOR_NAME
#define FOR_NAME(lower, upper) lower##_
#endif

/* Of Abaqus: a line in the message file; lop = -3 ends the analysis. Fortran's lengths of the two
   texts come last. */
void FOR_NAME(stdb_abqerr, STDB_ABQERR)(const int* lop, const char* text, const int* integers,
                                        const double* reals, const char* names, size_t text_length,
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

/* A material takes 10 ms to make, a point microseconds to restore: each thread keeps both of every
 *MATERIAL that it has met. */
enum { constants = 4, most_materials = 64 };
struct known {
  double props[constants];
  masing_point* point;
};
static _Thread_local struct known all_known[most_materials];
static _Thread_local int known_count = 0;

static masing_point* point_of(const double* props) {
  for (int i = 0; i < known_count; ++i) {
    if (memcmp(all_known[i].props, props, sizeof all_known[i].props) == 0) {
      return all_known[i].point;
    }
  }
  if (known_count == most_materials) {
    return NULL;
  }
  char stiffness[64];
  char threshold[128];
  snprintf(stiffness, sizeof stiffness, "%.17g", props[0] * (1 - props[3]));
  snprintf(threshold, sizeof threshold, "points:0 %.17g; 1 %.17g", props[1], props[2]);
  masing_material* material =
      masing_material_continuum(stiffness, threshold, NULL, NULL, props[0] * props[3]);
  masing_point* point = material == NULL ? NULL : masing_point_new(material, 0.0);
  masing_material_free(material); /* the point keeps what it needs */
  if (point != NULL) {
    memcpy(all_known[known_count].props, props, sizeof all_known[known_count].props);
    all_known[known_count++].point = point;
  }
  return point;
}

void FOR_NAME(umat, UMAT)(double* stress, double* statev, double* ddsdde, double* sse, double* spd,
                          double* scd, double* rpl, double* ddsddt, double* drplde, double* drpldt,
                          const double* stran, const double* dstran, const double* time,
                          const double* dtime, const double* temp, const double* dtemp,
                          const double* predef, const double* dpred, const char* cmname,
                          const int* ndi, const int* nshr, const int* ntens, const int* nstatv,
                          const double* props, const int* nprops, const double* coords,
                          const double* drot, double* pnewdt, const double* celent,
                          const double* dfgrd0, const double* dfgrd1, const int* noel,
                          const int* npt, const int* layer, const int* kspt, const int* kstep,
                          const int* kinc, size_t cmname_length) {
  (void)scd, (void)rpl, (void)ddsddt, (void)drplde, (void)drpldt, (void)time, (void)dtime;
  (void)temp, (void)dtemp, (void)predef, (void)dpred, (void)cmname, (void)ndi, (void)nshr;
  (void)coords, (void)drot, (void)celent, (void)dfgrd0, (void)dfgrd1, (void)noel, (void)npt;
  (void)layer, (void)kspt, (void)kstep, (void)kinc, (void)cmname_length;

  if (*ntens != 1 || *nprops != constants || *nstatv < 1) {
    end_analysis("it has one stress, four constants and state variables",
                 "use trusses, *USER MATERIAL, CONSTANTS=4, and *DEPVAR");
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
    char what[100];
    char cure[80];
    snprintf(what, sizeof what, "*DEPVAR is %d, too few for the turning points of this strain",
             *nstatv);
    snprintf(cure, sizeof cure, "give %zu at least, and some more for those to come", size + 1);
    end_analysis(what, cure);
    return;
  }
  statev[0] = (double)size;
  stress[0] = force;
  ddsdde[0] = slope;
  *sse = masing_point_stored_energy(point);
  *spd = masing_point_dissipated_energy(point);
}
