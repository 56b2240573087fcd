#include "benchmark/engines.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"

namespace masing::benchmark {

namespace {

constexpr double papers_step = 500.0 / 1e6;
constexpr std::int64_t papers_steps = 1000000;
constexpr std::int64_t longest_chunk = 4096;
const std::int64_t period = std::llround(4 * std::numbers::pi / papers_step);

/// F at steps 0..period + longest_chunk.
std::vector<double> sampled_force() {
  std::vector<double> values(static_cast<std::size_t>(period + longest_chunk + 1));
  for (std::size_t p = 0; p < values.size(); ++p) {
    values[p] = 0.45 * std::cos(0.5 * papers_step * static_cast<double>(p));
  }
  return values;
}

}  // namespace

Drive::Drive(engine::Engine& engine)
    : engine_(engine), x_(longest_chunk), y_(longest_chunk), restoring_(longest_chunk) {}

void Drive::steps(std::int64_t count) {
  static const std::vector<double> force = sampled_force();
  const std::int64_t end = step_ + count;
  while (step_ < end) {
    const std::int64_t chunk = std::min(end - step_, longest_chunk);
    const auto size = static_cast<std::size_t>(chunk);
    const auto first = static_cast<std::size_t>(step_ % period);
    engine_.advance({.first = step_,
                     .force = std::span(force).subspan(first, size + 1),
                     .x = std::span(x_).first(size),
                     .y = std::span(y_).first(size),
                     .restoring = std::span(restoring_).first(size)});
    step_ += chunk;
  }
}

engine::RunSpec papers_case(const slab::Space& space, std::int64_t steps) {
  const auto function = [](const char* text, char variable) {
    return base::Function(text, variable, {});
  };
  engine::Masing model{.slab = {{.stiffness = function("1", 's'),
                                 .threshold = function("s+0.1", 's'),
                                 .initial_u = function("0", 's')},
                                space},
                       .oscillator = {}};
  return {std::move(model),
          function("0.45*cos(0.5*t)", 't'),
          {papers_step * static_cast<double>(steps), steps}};
}

slab::Profile papers_profile(std::int64_t cells, base::CellRange range) {
  const auto size = static_cast<std::size_t>(range.size);
  const double width = 1.0 / static_cast<double>(cells);
  slab::Profile profile;
  profile.range = range;
  profile.form.threshold = slab::Line{0.1 + width, width};
  profile.form.stiffness = slab::Line{1.0};
  profile.stiffness.assign(size, 1.0);
  profile.initial_u.assign(size, 0.0);
  profile.threshold.reserve(size);
  for (std::int64_t i = 0; i < range.size; ++i) {
    profile.threshold.push_back(profile.form.threshold->at(range.first + i));
  }
  return profile;
}

namespace {

/// The papers' case by a method.
engine::RunSpec papers_run(const slab::Space& space, std::int64_t steps, engine::Method method) {
  engine::RunSpec run = papers_case(space, steps);
  std::get<engine::Masing>(run.model).method = method;
  return run;
}

/// An engine of a variation of the papers' case, with what it refers to.
struct Run {
  Run(const parallel::Communicator& comm, engine::RunSpec of)
      : spec(std::move(of)),
        profile(
            papers_profile(engine::field_size(spec),
                           base::local_range(engine::field_size(spec), comm.rank(), comm.size()))),
        engine(engine::make_engine(comm, spec, profile)) {}

  engine::RunSpec spec;
  slab::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

/// Seconds a step of an engine under a force that is known.
Timing time_steps(const parallel::Communicator& comm, const Effort& effort,
                  const engine::RunSpec& spec) {
  const Run run(comm, spec);
  Drive drive(*run.engine);
  return measure(comm, effort, Work{1, [&](std::int64_t steps) { drive.steps(steps); }});
}

/// Seconds of whole runs, each of a new engine.
Timing time_runs(const parallel::Communicator& comm, std::int64_t repeat,
                 const engine::RunSpec& spec) {
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < repeat; ++i) {
    const Run run(comm, spec);
    seconds.push_back(
        seconds_of(comm, [&] { engine::integrate(comm, *run.engine, run.spec, {}); }));
  }
  return summary(std::move(seconds));
}

Timing time_forcing(const parallel::Communicator& comm, const Effort& effort) {
  const engine::RunSpec run = papers_case(slab::Cells{3}, papers_steps);
  double total = 0.0;
  std::int64_t p = 0;
  return measure(comm, effort, repeated(1, [&] { total += run.drive(run.time.time(p++)); }));
}

}  // namespace

EngineRates measure_engines(const parallel::Communicator& comm, const Effort& effort,
                            std::int64_t largest, bool quick) {
  EngineRates rates;
  constexpr std::int64_t most = 10000000;
  for (std::int64_t cells = 10; cells <= std::min(largest, most); cells *= 10) {
    rates.memory_cells.push_back(cells);
  }
  rates.memory_cells.push_back(continuum_cells);
  for (const std::int64_t cells : rates.memory_cells) {
    const slab::Space space =
        cells == continuum_cells ? slab::Space(slab::Continuum{}) : slab::Space(slab::Cells{cells});
    rates.memory.push_back(
        time_steps(comm, effort, papers_run(space, papers_steps, engine::Method::turning_points)));
  }
  const auto alone = on_root_alone(comm, 2, [&] {
    const parallel::Communicator self(MPI_COMM_SELF);
    return std::vector{time_forcing(self, effort),
                       time_steps(self, effort, papers_case(slab::Cells{3}, papers_steps))};
  });
  rates.forcing = alone[0];
  rates.three_cells = alone[1];
  rates.exact_steps = quick ? 1000 : 100000;
  rates.exact_time = quick ? 20.0 : 500.0;
  engine::RunSpec exact = papers_run(slab::Continuum{}, rates.exact_steps, engine::Method::exact);
  exact.time.final_time = rates.exact_time;
  rates.exact = time_runs(comm, std::min<std::int64_t>(effort.repeat, 3), exact) /
                static_cast<double>(rates.exact_steps);
  return rates;
}

Timing measure_run(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                   std::int64_t steps) {
  return time_runs(comm, effort.repeat, papers_case(slab::Cells{cells}, steps));
}

}  // namespace masing::benchmark
