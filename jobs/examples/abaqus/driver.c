/* Calls umat_ as Abaqus does: strains by increments, each tried with another strain first, some
   with a cut-back, always from the state variables at the beginning of the increment. Compares with
   100 sliders, and, as the reference, 100000 or as many as are given.

       cc -O3 -march=native -fopenmp-simd -I$PREFIX/include driver.c umat.c
           -L$PREFIX/lib -lmasing_material -Wl,-rpath,$PREFIX/lib -lm -o driver */

#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../sliders.h"

void umat_(double*, double*, double*, double*, double*, double*, double*, double*, double*, double*,
           const double*, const double*, const double*, const double*, const double*, const double*,
           const double*, const double*, const char*, const int*, const int*, const int*,
           const int*, const double*, const int*, const double*, const double*, double*,
           const double*, const double*, const double*, const int*, const int*, const int*,
           const int*, const int*, const int*, size_t);

static char message[501];

void stdb_abqerr_(const int* lop, const char* text, const int* integers, const double* reals,
                  const char* names, size_t text_length, size_t names_length) {
  (void)lop, (void)integers, (void)reals, (void)names, (void)names_length;
  memcpy(message, text, text_length);
  message[text_length] = '\0';
}

enum { increments = 4000, depvar = 60 };
static const double props[] = {200e3, 0.001, 0.005, 0.02};

struct gauss_point {
  double strain, stress, slope, sse, spd;
  double statev[depvar];
};

/* One call from the state at the beginning of an increment; returns PNEWDT. */
static double call_with(const double* constants, const struct gauss_point* begin, double dstran,
                        int nstatv, struct gauss_point* end) {
  double scd = 0.0, rpl = 0.0, ddsddt = 0.0, drplde = 0.0, drpldt = 0.0, pnewdt = 1.0;
  const double time[2] = {0.0, 0.0};
  const double zero = 0.0;
  const double coords[3] = {0.0, 0.0, 0.0};
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int one = 1, none = 0, nprops = 4, noel = 12, npt = 3;
  const int step[4] = {1, 1, 0, 0};
  *end = *begin;
  end->strain = begin->strain + dstran;
  umat_(&end->stress, end->statev, &end->slope, &end->sse, &end->spd, &scd, &rpl, &ddsddt, &drplde,
        &drpldt, &begin->strain, &dstran, time, &zero, &zero, &zero, &zero, &zero,
        "MASING                                                                          ", &one,
        &none, &one, &nstatv, constants, &nprops, coords, unit, &pnewdt, &zero, unit, unit, &noel,
        &npt, &one, &one, step, &one, 80);
  return pnewdt;
}

static double call(const struct gauss_point* begin, double dstran, int nstatv,
                   struct gauss_point* end) {
  return call_with(props, begin, dstran, nstatv, end);
}

/* Two sines, so that loops close inside others. */
static double strain_at(int increment) {
  const double t = 8 * 3.14159265358979323846 * increment / increments;
  return 0.004 * sin(t) + 0.003 * sin(2.7 * t);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double largest_error(size_t n, const double* reference, double* stress, double* seconds) {
  struct sliders all = sliders_make(n, props[0], props[1], props[2], props[3]);
  double largest = 0.0;
  const double start = now();
  for (int i = 1; i <= increments; ++i) {
    sliders_set_trial(&all, strain_at(i));
    sliders_commit(&all);
    stress[i] = all.force;
  }
  *seconds = now() - start;
  for (int i = 1; reference != NULL && i <= increments; ++i) {
    largest = fmax(largest, fabs(stress[i] - reference[i]));
  }
  sliders_free(&all);
  return largest;
}

int main(int count, char** words) {
  const size_t many = count > 1 ? (size_t)atoi(words[1]) : 100000;
  static double reference[increments + 1], hundred[increments + 1], stress[increments + 1];
  double seconds = 0.0;
  largest_error(many, NULL, reference, &seconds);

  struct gauss_point point = {0};
  struct gauss_point tried;
  int most_statev = 0;
  double work = 0.0;
  double worst_slope = 0.0;
  double differing = 0.0;
  call(&point, 0.0, depvar, &tried); /* the material is made once */
  const double start = now();
  for (int i = 1; i <= increments; ++i) {
    struct gauss_point end;
    const double d = strain_at(i) - point.strain;
    call(&point, d, depvar, &end);
    point = end;
    stress[i] = end.stress;
  }
  const double element_seconds = now() - start;

  /* The same with strains that are given up, as Newton's iterations and cut-backs do. */
  struct gauss_point again = {0};
  for (int i = 1; i <= increments; ++i) {
    struct gauss_point end;
    const double d = strain_at(i) - again.strain;
    call(&again, -3 * d, depvar, &tried);
    call(&again, 1.5 * d, depvar, &tried);
    if (i % 10 == 0) { /* cut back: two halves */
      struct gauss_point middle;
      call(&again, 0.5 * d, depvar, &middle);
      call(&middle, strain_at(i) - middle.strain, depvar, &end);
    } else {
      call(&again, d, depvar, &end);
    }
    if (end.statev[0] + 1 > most_statev) {
      most_statev = (int)end.statev[0] + 1;
    }
    /* DDSDDE beside the secant of a small further step in the same direction. */
    const double small = copysign(1e-7, d);
    call(&end, small, depvar, &tried);
    const double secant = (tried.stress - end.stress) / small;
    worst_slope = fmax(worst_slope, fabs(secant - end.slope) / props[0]);
    work += 0.5 * (again.stress + end.stress) * d;
    differing = fmax(differing, fabs(end.stress - stress[i]));
    again = end;
  }
  double error = 0.0;
  for (int i = 1; i <= increments; ++i) {
    error = fmax(error, fabs(stress[i] - reference[i]));
  }
  double slider_seconds = 0.0;
  const double slider_error = largest_error(100, reference, hundred, &slider_seconds);
  printf("%d increments, strains to 0.7 %%\n", increments);
  printf("%-16s %12s %14s\n", "material", "error, MPa", "us/increment");
  printf("%-16s %12.3g %14.3f\n", "UMAT", error, 1e6 * element_seconds / increments);
  printf("%-16s %12.3g %14.3f\n", "100 sliders", slider_error, 1e6 * slider_seconds / increments);
  char name[32];
  snprintf(name, sizeof name, "%zu sliders", many);
  printf("%-16s %12s %14.3f\n", name, "", 1e6 * seconds / increments);
  printf("cut back: differs by %.3g MPa, most state variables %d\n", differing, most_statev);
  printf("work %.9g, SSE + SPD %.9g N/mm2\n", work, again.sse + again.spd);
  printf("tangent off by %.3g E at most\n", worst_slope);

  printf("PNEWDT at a strain of NaN: %g\n", call(&point, nan(""), depvar, &tried));
  struct gauss_point small = {0};
  for (int i = 1; i <= increments && message[0] == '\0'; ++i) {
    struct gauss_point end;
    call(&small, strain_at(i) - small.strain, 14, &end);
    small = end;
  }
  printf("%s\n", message);

  /* Two hundred materials in a thread, each asked again when all of them are there. */
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const struct gauss_point begin = {0};
    const double constants[] = {200e3 + i % 200, 0.001, 0.005, 0.02};
    message[0] = '\0';
    call_with(constants, &begin, 0.0005, depvar, &tried);
    wrong += message[0] != '\0' || fabs(tried.stress - 0.0005 * constants[0]) > 1e-9;
  }
  printf("wrong of 200 materials: %d\n", wrong);
  const struct gauss_point stressed = {.stress = 10.0};
  call(&stressed, 0.001, depvar, &tried);
  printf("%s\n", message);
  return 0;
}
