#pragma once

#include "parallel/communicator.hpp"
#include "study/recording.hpp"

namespace study {

/// Errors of one level in the maximum norm; NaN where there is nothing to compare with.
struct Errors {
  double x = 0.0;        ///< max over the level's steps
  double y = 0.0;        ///< max over the level's steps
  double u = 0.0;        ///< max over the field times and all s in [0, 1]
  double u_cells = 0.0;  ///< max over the field times and the cells' own points
};

/// The errors of `level` against `reference`, which is as fine or finer in time and in s. u is
/// constant on the cells ](i-1)/P, i/P] of each, so its maximum over all s is one over pairs of
/// cells that overlap. Collective. Source: Proposition 4.1, continuous-masing-2001.
Errors errors(const parallel::Communicator& comm, const Recording& level,
              const Recording& reference);

}  // namespace study
