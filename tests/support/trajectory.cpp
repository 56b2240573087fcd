#include "support/trajectory.hpp"

#include <algorithm>
#include <array>

#include "base/periodicity.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"

namespace masing::support {

namespace {

class Trace final : public engine::Observer {
 public:
  Trace(Trajectory& trajectory, const std::vector<std::int64_t>& field_steps)
      : trajectory_(trajectory), field_steps_(field_steps) {}

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override {
    const auto next = std::ranges::upper_bound(field_steps_, step);
    return next == field_steps_.end() ? engine::never : *next;
  }

  void observe(const engine::Samples& samples, engine::Engine& engine) override {
    const auto add = [](std::vector<double>& all, std::span<const double> chunk) {
      all.insert(all.end(), chunk.begin(), chunk.end());
    };
    add(trajectory_.x, samples.x);
    add(trajectory_.y, samples.y);
    add(trajectory_.restoring, samples.restoring);
    if (std::ranges::binary_search(field_steps_, samples.last_step())) {
      const auto u = engine.field().values();
      trajectory_.fields.emplace_back(u.begin(), u.end());
    }
  }

 private:
  Trajectory& trajectory_;
  const std::vector<std::int64_t>& field_steps_;
};

}  // namespace

engine::RunSpec run_of(const Problem& problem, engine::Method method) {
  engine::Masing model{.slab = problem,
                       .oscillator = problem.oscillator,
                       .scheme = problem.scheme,
                       .method = method};
  if (method == engine::Method::exact) {
    model.force_breaks = base::breaks({{"force", problem.force}}, problem.time.final_time, {});
  }
  return {std::move(model), problem.force, problem.time};
}

Trajectory trajectory(const parallel::Communicator& comm, engine::Engine& engine,
                      const Problem& problem, const std::vector<std::int64_t>& field_steps) {
  Trajectory result;
  Trace trace(result, field_steps);
  const std::array<engine::Observer*, 1> observers{&trace};
  const engine::RunSpec run = run_of(problem);
  engine::TimeLoop loop(comm, engine, run, observers);
  while (!loop.is_done()) {
    loop.advance(engine::never, engine::Pause::none);
  }
  loop.finish();
  return result;
}

Trajectory trajectory(const parallel::Communicator& comm, const Problem& problem,
                      engine::Method method, const std::vector<std::int64_t>& field_steps) {
  const slab::Profile profile = engine::checked_profile(comm, problem);
  const auto engine = engine::make_engine(comm, run_of(problem, method), profile);
  return trajectory(comm, *engine, problem, field_steps);
}

Problem forced(std::int64_t cells, const std::string& initial_u) {
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
