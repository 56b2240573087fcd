#ifndef SLIDERS_H
#define SLIDERS_H

/* n springs with sliders, one after the other, as most codes have the Iwan model; for comparison
   with the Masing element. Those of the continuum k = E (1 - b), η = first + (last - first) s at
   the middles of n equal parts of [0, 1], beside a spring b E. */

#include <stdlib.h>

struct sliders {
  size_t n;
  double k, k0;        /* of each, and of the spring that does not yield */
  double *eta, *u;     /* [n] thresholds and committed elongations */
  double x, trial;     /* committed and tried position */
  double force, slope; /* of the trial */
};

static inline void sliders_set_trial(struct sliders* all, double x) {
  const double d = x - all->x;
  double sum = 0.0;
  double stuck = 0.0;
  all->trial = x;
#pragma omp simd reduction(+ : sum, stuck)
  for (size_t i = 0; i < all->n; ++i) {
    const double eta = all->eta[i];
    const double u = all->u[i] + d;
    const double clamped = u > eta ? eta : (u < -eta ? -eta : u);
    sum += clamped;
    stuck += clamped == u ? 1.0 : 0.0;
  }
  all->force = all->k0 * x + all->k * sum;
  all->slope = all->k0 + all->k * stuck;
}

static inline void sliders_commit(struct sliders* all) {
  const double d = all->trial - all->x;
#pragma omp simd
  for (size_t i = 0; i < all->n; ++i) {
    const double eta = all->eta[i];
    const double u = all->u[i] + d;
    all->u[i] = u > eta ? eta : (u < -eta ? -eta : u);
  }
  all->x = all->trial;
}

static inline void sliders_revert_to_start(struct sliders* all) {
  for (size_t i = 0; i < all->n; ++i) {
    all->u[i] = 0.0;
  }
  all->x = 0.0;
  sliders_set_trial(all, 0.0);
}

static inline struct sliders sliders_make(size_t n, double e, double first, double last, double b) {
  struct sliders all;
  all.n = n;
  all.k = e * (1 - b) / (double)n;
  all.k0 = e * b;
  all.eta = (double*)malloc(n * sizeof(double));
  all.u = (double*)malloc(n * sizeof(double));
  for (size_t i = 0; i < n; ++i) {
    all.eta[i] = first + (last - first) * ((double)i + 0.5) / (double)n;
  }
  sliders_revert_to_start(&all);
  return all;
}

static inline void sliders_free(struct sliders* all) {
  free(all->eta);
  free(all->u);
}

#endif
