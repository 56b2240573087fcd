/* The material from C99 with an installed library. Prints "name value" lines, which
   tests/jobs/test_install.py checks. tests/library/test_material.cpp sees every function. */

#include <stdio.h>

#include "masing/material.h"

int main(void) {
  printf("header %s %d.%d.%d\n", MASING_VERSION, MASING_VERSION_MAJOR, MASING_VERSION_MINOR,
         MASING_VERSION_PATCH);
  printf("version %s\nfirst_error \"%s\"\n", masing_version(), masing_last_error());
  masing_material* slab = masing_material_continuum(NULL, NULL, NULL, NULL, 0.0);
  masing_point* point = masing_point_new(slab, 0.0);
  double force = 0.0;
  double stiffness = 0.0;
  masing_point_set_trial(point, 0.8, &force, &stiffness);
  masing_point_commit(point);
  printf("backbone %.17g\nbackbone_slope %.17g\n", force, stiffness);
  printf("stored %.17g\n", masing_point_stored_energy(point));
  const double before = masing_point_dissipated_energy(point);
  for (int i = 0; i < 2; ++i) {
    masing_point_set_trial(point, i == 0 ? -0.8 : 0.8, NULL, NULL);
    masing_point_commit(point);
  }
  printf("loss %.17g\n", masing_point_dissipated_energy(point) - before);
  printf("refused %d\n", masing_point_new(slab, 1e151) == NULL && masing_last_error()[0] != '\0');
  masing_point_free(point);
  masing_material_free(slab);
  return 0;
}
