#pragma once

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"
#include "support/problem.hpp"

namespace masing::support {

/// The run of a problem by a method. Throws UserError where the exact solution would have to know
/// where F is not smooth. Local.
engine::RunSpec run_of(const Problem& problem, engine::Method method = engine::Method::sweep);

/// A whole trajectory: every step of x, y and F - m x'', [N+1], and u at some steps.
struct Trajectory {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> restoring;
  std::vector<std::vector<double>> fields;  ///< u of the local cells at these steps
};

/// The trajectory of any engine at its initial state, with u at the given steps (increasing).
/// Collective.
Trajectory trajectory(const parallel::Communicator& comm, engine::Engine& engine,
                      const Problem& problem, const std::vector<std::int64_t>& field_steps = {});

/// The trajectory of a method over the ranks of `comm`. Collective.
Trajectory trajectory(const parallel::Communicator& comm, const Problem& problem,
                      engine::Method method, const std::vector<std::int64_t>& field_steps = {});

/// A forced run with yielding, reversals and hardening, k and η varying over s, η neither monotone
/// nor smooth; 401 steps to t = 20. Local.
Problem forced(std::int64_t cells, const std::string& initial_u = "0.05*cos(20*s)");

}  // namespace masing::support
