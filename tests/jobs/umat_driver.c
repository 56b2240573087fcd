/* Calls umat_ as Abaqus does: strains by increments, each tried with other strains first, some with
   a cut-back, always from the state variables at the beginning of the increment. Prints "NAME
   NUMBER…" lines. */

#include <math.h>
#include <stdio.h>
#include <string.h>

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

int main(void) {
  struct gauss_point point = {0};
  struct gauss_point again = {0};
  struct gauss_point tried;
  double most_statev = 0.0, work = 0.0, worst_slope = 0.0, differing = 0.0;
  for (int i = 1; i <= increments; ++i) {
    struct gauss_point end;
    call(&point, strain_at(i) - point.strain, depvar, &end);
    point = end;
    printf("path %.17g %.17g\n", point.strain, point.stress);

    /* The same with strains that are given up, as Newton's iterations and cut-backs do. */
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
    most_statev = fmax(most_statev, end.statev[0] + 1);
    /* DDSDDE beside the secant of a small further step in the same direction. */
    const double small = copysign(1e-7, d);
    call(&end, small, depvar, &tried);
    worst_slope =
        fmax(worst_slope, fabs((tried.stress - end.stress) / small - end.slope) / props[0]);
    work += 0.5 * (again.stress + end.stress) * d;
    differing = fmax(differing, fabs(end.stress - point.stress));
    again = end;
  }
  printf("differing %.3g\nstatev %g\nslope %.3g\n", differing, most_statev, worst_slope);
  printf("work %.9g %.9g\n", work, again.sse + again.spd);
  printf("pnewdt %g\n", call(&point, nan(""), depvar, &tried));

  struct gauss_point small = {0};
  for (int i = 1; i <= increments && message[0] == '\0'; ++i) {
    struct gauss_point end;
    call(&small, strain_at(i) - small.strain, 14, &end);
    small = end;
  }
  printf("small %s\n", message);

  /* Two hundred materials in a thread, each asked again when all of them are there. */
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const struct gauss_point begin = {0};
    const double constants[] = {200e3 + i % 200, 0.001, 0.005, 0.02};
    message[0] = '\0';
    call_with(constants, &begin, 0.0005, depvar, &tried);
    wrong += message[0] != '\0' || fabs(tried.stress - 0.0005 * constants[0]) > 1e-9;
  }
  printf("wrong %d\n", wrong);
  const struct gauss_point stressed = {.stress = 10.0};
  call(&stressed, 0.001, depvar, &tried);
  printf("stressed %s\n", message);
  return 0;
}
