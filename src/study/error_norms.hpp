#pragma once

#include "masing/problem.hpp"
#include "parallel/communicator.hpp"
#include "rheology/model_info.hpp"
#include "study/file_reference.hpp"
#include "study/recording.hpp"

namespace study {

/// Errors of one level in the maximum norm; NaN where there is nothing to compare with.
struct Errors {
  double x = 0.0;        ///< max over the level's steps
  double y = 0.0;        ///< max over the level's steps
  double u = 0.0;        ///< max over the field times and all s in [0, 1]
  double u_cells = 0.0;  ///< max over the field times and the cells' own points
};

/// The errors of `level`, a run of `problem`, against `reference`, which is as fine or finer in
/// time and in s. u_h is constant on the cells ](i-1)/P, i/P]; against a reference with cells its
/// maximum over all s is one over pairs of cells that overlap, against the continuum one over both
/// ends of every cell. Where both are continua the places are those of the files' field.
/// Collective. Source: Proposition 4.1, continuous-masing-2001.
Errors errors(const parallel::Communicator& comm, const masing::Problem& problem,
              const Recording& level, const Recording& reference);

/// The same for the state of a model with finitely many columns: `u` and `u_cells` alike are the
/// maximum over the columns other than x and y of the mass that the force acts on, NaN where there
/// are none. Collective.
Errors errors(const parallel::Communicator& comm, const rheology::StateLayout& layout,
              const Recording& level, const Recording& reference);

/// The errors of `level` against a trajectory in a file: at the times of its samples and of its
/// fields, between steps linear in t. Collective.
Errors errors(const parallel::Communicator& comm, const masing::Problem& problem,
              const Recording& level, const FileReference& reference);

/// The same for a state. Collective.
Errors errors(const parallel::Communicator& comm, const rheology::StateLayout& layout,
              const masing::TimeGrid& time, const Recording& level, const FileReference& reference);

}  // namespace study
