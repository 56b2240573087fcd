/* Every function of masing/material.h, in C: prints "name value" lines, which
   tests/jobs/test_material.py checks. With the word "start" it only makes a material and ends. */

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masing/material.h"

static void print(const char* name, double value) {
  printf("%s %.17g\n", name, value);
}

/* How many of the faults below are told as such, with a line each. */
static int told = 0;

static void expect_fault(int is_fault) {
  told += is_fault && masing_last_error()[0] != '\0' ? 1 : -1000;
}

static void faults(const masing_material* material) {
  const double one[] = {1.0};
  const double bad[] = {-1.0};
  const double not_finite[] = {0.1, HUGE_VAL};
  const double not_a_number[] = {nan("")};
  double numbers[64];
  masing_point* point = masing_point_new(material, 0.0);
  masing_points* points = masing_points_new(material, 2, 0.0);
  masing_points* none = masing_points_new(material, 0, 0.0);

  /* What is not admissible. */
  expect_fault(masing_material_of_springs(0, one, one, NULL, NULL, 0.0) == NULL);
  expect_fault(masing_material_of_springs(1, bad, one, NULL, NULL, 0.0) == NULL);
  expect_fault(masing_material_of_springs(1, one, bad, NULL, NULL, 0.0) == NULL);
  expect_fault(masing_material_of_springs(1, one, one, not_a_number, NULL, 0.0) == NULL);
  expect_fault(masing_material_continuum("1+", NULL, NULL, NULL, 0.0) == NULL);
  expect_fault(masing_material_continuum(NULL, "t", NULL, NULL, 0.0) == NULL);
  expect_fault(masing_point_new(material, HUGE_VAL) == NULL);
  expect_fault(masing_points_new(material, 3, nan("")) == NULL);
  expect_fault(masing_points_new(material, (size_t)-1, 0.0) == NULL);
  expect_fault(masing_point_set_trial(point, nan(""), numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_set_trial(points, not_finite, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_move(points, not_finite, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_point_state(point, numbers, 1) == MASING_MISTAKE);
  expect_fault(masing_point_restore(point, not_finite, 2) == MASING_MISTAKE);
  expect_fault(masing_points_at(points, 2) == NULL);
  expect_fault(masing_points_state(points, numbers, 15) == MASING_MISTAKE);
  expect_fault(masing_points_restore(points, not_finite, 2) == MASING_MISTAKE);
  print("after_faults",
        masing_point_force(point) + masing_point_force(masing_points_at(points, 0)));

  /* Null pointers. */
  expect_fault(masing_material_of_springs(1, NULL, one, NULL, NULL, 0.0) == NULL);
  expect_fault(masing_material_of_springs(1, one, NULL, NULL, NULL, 0.0) == NULL);
  expect_fault(isnan(masing_material_elastic_stiffness(NULL)));
  expect_fault(masing_material_fingerprint(NULL) == 0);
  expect_fault(masing_point_new(NULL, 0.0) == NULL);
  expect_fault(masing_point_copy(NULL) == NULL);
  expect_fault(isnan(masing_point_position(NULL)));
  expect_fault(isnan(masing_point_force(NULL)));
  expect_fault(masing_point_set_trial(NULL, 0.0, numbers, numbers) == MASING_MISTAKE);
  expect_fault(masing_point_commit(NULL) == MASING_MISTAKE);
  expect_fault(masing_point_revert_to_last(NULL) == MASING_MISTAKE);
  expect_fault(masing_point_revert_to_start(NULL) == MASING_MISTAKE);
  expect_fault(isnan(masing_point_elongation(NULL, 1.0)));
  expect_fault(isnan(masing_point_stored_energy(NULL)));
  expect_fault(isnan(masing_point_dissipated_energy(NULL)));
  expect_fault(masing_point_state_size(NULL) == 0);
  expect_fault(masing_point_state(NULL, numbers, 64) == MASING_MISTAKE);
  expect_fault(masing_point_state(point, NULL, 64) == MASING_MISTAKE);
  expect_fault(masing_point_restore(NULL, numbers, 64) == MASING_MISTAKE);
  expect_fault(masing_point_restore(point, NULL, 64) == MASING_MISTAKE);
  expect_fault(masing_points_new(NULL, 2, 0.0) == NULL);
  expect_fault(masing_points_set_trial(NULL, one, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_set_trial(points, NULL, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_set_trial(points, one, NULL, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_move(NULL, one, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_commit(NULL) == MASING_MISTAKE);
  expect_fault(masing_points_revert_to_last(NULL) == MASING_MISTAKE);
  expect_fault(masing_points_revert_to_start(NULL) == MASING_MISTAKE);
  expect_fault(masing_points_size(NULL) == 0);
  expect_fault(masing_points_energies(NULL, numbers, numbers) == MASING_MISTAKE);
  expect_fault(masing_points_energies(points, NULL, numbers) == MASING_MISTAKE);
  expect_fault(masing_points_energies(points, numbers, NULL) == MASING_MISTAKE);
  expect_fault(masing_points_state_size(NULL) == 0);
  expect_fault(masing_points_state(NULL, numbers, 64) == MASING_MISTAKE);
  expect_fault(masing_points_state(points, NULL, 64) == MASING_MISTAKE);
  expect_fault(masing_points_restore(NULL, numbers, 64) == MASING_MISTAKE);
  expect_fault(masing_points_restore(points, NULL, 64) == MASING_MISTAKE);
  expect_fault(masing_points_at(NULL, 0) == NULL);
  told += masing_points_state(none, NULL, 0) + masing_points_restore(none, NULL, 0); /* no faults */
  printf("null %s\n", masing_last_error());
  masing_material_free(NULL);
  masing_point_free(NULL);
  masing_points_free(NULL);
  masing_points_free(none);
  masing_points_free(points);
  masing_point_free(point);
  print("told", told);
}

/* A fault in another thread leaves the line of this one; threads that share a material walk by
   different lengths, and each feels the same forces as alone. */
struct work {
  const masing_material* material;
  double size;
  double sum;
};
static void* other_thread(void* data) {
  struct work* work = data;
  double force = 0.0;
  masing_point* point = masing_point_new(work->material, 0.0);
  for (int i = 1; i <= 20000; ++i) {
    masing_point_set_trial(point, work->size * sin(0.01 * i), &force, NULL);
    work->sum += force;
    masing_point_commit(point);
  }
  masing_point_free(point);
  masing_material_continuum(NULL, "another(s)", NULL, NULL, 0.0);
  return NULL;
}
static void threads(const masing_material* material, const masing_material* other) {
  struct work all[8];
  pthread_t handles[8];
  int differing = 0;
  masing_material_continuum("this(s)", NULL, NULL, NULL, 0.0);
  for (int i = 0; i < 8; ++i) {
    all[i].material = i % 2 ? material : other;
    all[i].size = 0.2 * (i + 1);
    all[i].sum = 0.0;
    pthread_create(&handles[i], NULL, other_thread, &all[i]);
  }
  for (int i = 0; i < 8; ++i) {
    pthread_join(handles[i], NULL);
  }
  print("own_line", strstr(masing_last_error(), "this") != NULL);
  for (int i = 0; i < 8; ++i) {
    struct work alone = {all[i].material, all[i].size, 0.0};
    other_thread(&alone);
    differing += alone.sum != all[i].sum;
  }
  print("threads_differ", differing);
}

static void states(const masing_material* material, const masing_material* foreign) {
  masing_point* point = masing_point_new(material, 0.0);
  masing_point* restored = masing_point_new(material, 0.0);
  masing_point* other = masing_point_new(foreign, 0.0);
  double force[3];
  const double turns[] = {0.9, -0.7, 0.5, -0.3, 0.1};
  for (int i = 0; i < 5; ++i) {
    masing_point_set_trial(point, turns[i], NULL, NULL);
    masing_point_commit(point);
  }
  const size_t size = masing_point_state_size(point);
  double* state = malloc((size + 3) * sizeof *state);
  print("state", masing_point_state(point, state, size + 3));
  print("restore", masing_point_restore(restored, state, size + 3));
  print("foreign", masing_point_restore(other, state, size) == MASING_MISTAKE &&
                       masing_point_force(other) == 0.0);
  masing_point* copy = masing_point_copy(point);
  masing_point* all[] = {point, restored, copy};
  int differing = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 3; ++j) {
      masing_point_set_trial(all[j], 0.6 * sin(i * i), &force[j], NULL);
      masing_point_commit(all[j]);
    }
    differing += force[0] != force[1] || force[0] != force[2];
  }
  print("states_differ", differing);
  for (int j = 0; j < 3; ++j) {
    masing_point_free(all[j]);
  }
  masing_point_free(other);
  free(state);
}

static void many_points(const masing_material* material) {
  enum { n = 50 };
  masing_points* points = masing_points_new(material, n, 0.0);
  masing_point* alone[n];
  double x[n], force[n], stiffness[n], f, k;
  int differing = 0;
  for (int i = 0; i < n; ++i) {
    alone[i] = masing_point_new(material, 0.0);
  }
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < n; ++i) {
      x[i] = (0.2 + 0.02 * i) * sin(0.4 * step * (1 + 0.1 * i));
    }
    if (step % 2) {
      masing_points_move(points, x, force, stiffness);
    } else {
      masing_points_set_trial(points, x, force, stiffness);
      if (step % 4) {
        masing_points_revert_to_last(points);
      }
      masing_points_commit(points);
    }
    for (int i = 0; i < n; ++i) {
      masing_point_set_trial(alone[i], x[i], &f, &k);
      differing += f != force[i] || k != stiffness[i];
      if (step % 2 || step % 4 == 0) {
        masing_point_commit(alone[i]);
      }
      differing +=
          masing_point_force(masing_points_at(points, (size_t)i)) != masing_point_force(alone[i]);
    }
  }
  masing_points_energies(points, force, stiffness);
  const size_t size = masing_points_state_size(points);
  double* state = malloc(size * sizeof *state);
  masing_points* restored = masing_points_new(material, masing_points_size(points), 0.0);
  differing += masing_points_state(points, state, size) != MASING_DONE;
  differing += masing_points_restore(restored, state, size - 1) != MASING_MISTAKE;
  differing += masing_points_restore(restored, state, size) != MASING_DONE;
  for (int i = 0; i < n; ++i) {
    const masing_point* again = masing_points_at(restored, (size_t)i);
    differing += masing_point_stored_energy(alone[i]) != force[i] || force[i] <= 0.0;
    differing += masing_point_dissipated_energy(again) != stiffness[i] || stiffness[i] <= 0.0;
  }
  free(state);
  masing_points_free(restored);
  masing_points_revert_to_start(points);
  for (int i = 0; i < n; ++i) {
    differing += masing_point_force(masing_points_at(points, (size_t)i)) != 0.0;
    masing_point_free(alone[i]);
  }
  masing_points_free(points);
  print("points_differ", differing);
}

int main(int count, char** words) {
  masing_material* slab = masing_material_continuum(NULL, NULL, NULL, NULL, 0.0);
  if (count > 1 && strcmp(words[1], "start") == 0) {
    return slab == NULL;
  }
  printf("header %s %d.%d.%d\n", MASING_VERSION, MASING_VERSION_MAJOR, MASING_VERSION_MINOR,
         MASING_VERSION_PATCH);
  printf("version %s\nfirst_error \"%s\"\n", masing_version(), masing_last_error());
  const double k[] = {2.0, 1.0, 0.5}, eta[] = {0.1, 0.4, 1.5};
  const double down[] = {0.2, 0.1, 1.0}, u0[] = {0.05, 0.0, -0.5};
  masing_material* three = masing_material_of_springs(3, k, eta, NULL, NULL, 0.25);
  masing_material* uneven = masing_material_of_springs(3, k, eta, down, u0, 0.0);
  masing_material* table =
      masing_material_continuum("points:0 1; 1 1", "points:0 0.1; 1 1.1", "s+0.2", "0.1*s", 0.5);
  print("elastic_slab", masing_material_elastic_stiffness(slab));
  print("elastic_three", masing_material_elastic_stiffness(three));
  print("elastic_table", masing_material_elastic_stiffness(table));
  print("fingerprints",
        masing_material_fingerprint(slab) != masing_material_fingerprint(three) &&
            masing_material_fingerprint(slab) != masing_material_fingerprint(table));

  /* The backbone, one cycle, and what a trial leaves. */
  double force = 0.0;
  double stiffness = 0.0;
  masing_point* point = masing_point_new(slab, 0.0);
  masing_point_set_trial(point, 0.8, &force, &stiffness);
  print("backbone", force);
  print("backbone_slope", stiffness);
  print("tried_only", masing_point_force(point));
  masing_point_revert_to_last(point);
  masing_point_commit(point);
  print("reverted", masing_point_position(point));
  masing_point_set_trial(point, 0.8, NULL, NULL);
  masing_point_commit(point);
  print("position", masing_point_position(point));
  print("elongation", masing_point_elongation(point, 0.3));
  print("stored", masing_point_stored_energy(point));
  const double before = masing_point_dissipated_energy(point);
  for (int i = 0; i < 2; ++i) {
    masing_point_set_trial(point, i == 0 ? -0.8 : 0.8, NULL, NULL);
    masing_point_commit(point);
  }
  print("loss", masing_point_dissipated_energy(point) - before);
  print("closed", masing_point_force(point));
  masing_point_revert_to_start(point);
  print("start", masing_point_position(point) + masing_point_force(point) +
                     masing_point_dissipated_energy(point));
  masing_point_free(point);

  /* Σ k clamp(u0 + x) of springs whose limits differ. */
  point = masing_point_new(uneven, 0.0);
  masing_point_set_trial(point, -0.3, &force, NULL);
  print("uneven", force);
  masing_point_free(point);

  states(slab, three);
  states(three, slab);
  states(uneven, three);
  many_points(slab);
  many_points(three);
  threads(slab, uneven);
  faults(slab);

  /* A point outlives what it was made of. */
  point = masing_point_new(three, 0.0);
  masing_material_free(three);
  masing_point_set_trial(point, 1.0, &force, NULL);
  print("outlives", force);
  masing_point_free(point);
  masing_material_free(slab);
  masing_material_free(uneven);
  masing_material_free(table);
  return 0;
}
