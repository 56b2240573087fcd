#pragma once

#include <algorithm>
#include <array>

#include "base/periodicity.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "engine/slab.hpp"
#include "engine/time_loop.hpp"
#include "support/problem.hpp"

namespace masing::support {

/// The model of a problem. Local.
inline engine::Masing masing_of(const Problem& problem) {
  return {.slab = problem, .oscillator = problem.oscillator, .scheme = problem.scheme};
}

/// The run of a problem by a method. Throws UserError where the exact solution would have to know
/// where F is not smooth. Local.
inline engine::RunSpec run_of(const Problem& problem,
                              engine::Method method = engine::Method::sweep) {
  engine::RunSpec run{
      engine::make_model(masing_of(problem)), {{problem.force}}, problem.time, method};
  if (method == engine::Method::exact) {
    run.breaks = base::breaks({{"force", problem.force}}, problem.time.final_time, {});
  }
  return run;
}

/// A whole trajectory: every step of x, y and F - m x'', [N+1], and u at some steps.
struct Trajectory {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> restoring;
  std::vector<std::vector<double>> fields;  ///< u of the local cells at these steps
};

/// The trajectory of any engine at its initial state, with u at the given steps (increasing).
/// Collective.
inline Trajectory trajectory(const parallel::Communicator& comm, engine::Engine& engine,
                             const Problem& problem,
                             const std::vector<std::int64_t>& field_steps = {}) {
  struct Trace final : engine::Observer {
    Trajectory made;
    std::vector<std::int64_t> steps;

    [[nodiscard]] std::int64_t next_state_step(std::int64_t step) const override {
      const auto next = std::ranges::upper_bound(steps, step);
      return next == steps.end() ? engine::never : *next;
    }
    void observe(const engine::Motion& motion, engine::Engine& of) override {
      made.x.insert(made.x.end(), motion.x.begin(), motion.x.end());
      made.y.insert(made.y.end(), motion.y.begin(), motion.y.end());
      made.restoring.insert(made.restoring.end(), motion.restoring.begin(), motion.restoring.end());
      if (std::ranges::binary_search(steps, motion.last_step())) {
        const auto u = of.state().values();
        made.fields.emplace_back(u.begin(), u.end());
      }
    }
  } trace;
  trace.steps = field_steps;
  const std::array<engine::Observer*, 1> observers{&trace};
  const engine::RunSpec run = run_of(problem);
  engine::TimeLoop loop(comm, engine, run, observers);
  while (!loop.is_done()) {
    loop.advance(engine::never, engine::Pause::none);
  }
  loop.finish();
  return std::move(trace.made);
}

/// The trajectory of a method over the ranks of `comm`. Collective.
inline Trajectory trajectory(const parallel::Communicator& comm, const Problem& problem,
                             engine::Method method,
                             const std::vector<std::int64_t>& field_steps = {}) {
  const engine::Setup setup = engine::make_setup(comm, run_of(problem, method));
  return trajectory(comm, *setup.engine, problem, field_steps);
}

/// A forced run with yielding, reversals and hardening, k and η varying over s, η neither monotone
/// nor smooth; 401 steps to t = 20. Local.
inline Problem forced(std::int64_t cells, const std::string& initial_u = "0.05*cos(20*s)") {
  return problem({.stiffness = "1+0.5*sin(3*s)",
                  .threshold = "0.1+abs(s-0.4)",
                  .initial_u = initial_u,
                  .force = "0.45*cos(0.5*t)+0.1*sawtooth(t/3)",
                  .oscillator = {.mass = 0.9, .k0 = 0.03, .x0 = 0.2, .y0 = -0.1},
                  .final_time = 20.0,
                  .steps = 401,
                  .space = space_of(cells)});
}

}  // namespace masing::support
