#pragma once

#include <cstdint>
#include <vector>

#include "base/partition.hpp"
#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"
#include "support/problem.hpp"

namespace masing::support {

/// The run of a problem by a method. Throws UserError where the exact solution would have to know
/// where F is not smooth. Local.
engine::RunSpec run_of(const Problem& problem, engine::Method method = engine::Method::sweep);

/// A whole trajectory: every step of x, y, F and F - m x'', [N+1], and u at some steps.
struct Trajectory {
  /// u of the local cells at one step.
  struct Field {
    std::int64_t step = 0;
    base::CellRange range;
    std::vector<double> u;
  };

  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> force;
  std::vector<double> restoring;
  std::vector<Field> fields;
};

/// The trajectory of the sweep engine over the ranks of `comm`, with u at the given steps
/// (increasing). Collective.
Trajectory trajectory(const parallel::Communicator& comm, const Problem& problem,
                      const std::vector<std::int64_t>& field_steps = {});

/// The trajectory of any engine at its initial state. Collective.
Trajectory trajectory(const parallel::Communicator& comm, engine::Engine& engine,
                      const Problem& problem, const std::vector<std::int64_t>& field_steps = {});

/// Whether two vectors of doubles have the same bits. Local.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace masing::support
