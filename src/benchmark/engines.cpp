#include "benchmark/engines.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>

#include "cli/validate.hpp"
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

cli::Configuration papers_case(std::int64_t cells, std::int64_t steps) {
  cli::Configuration configuration;
  configuration.cells = cells;
  configuration.steps = steps;
  configuration.final_time = papers_step * static_cast<double>(steps);
  configuration.quiet = true;
  return cli::validated(std::move(configuration), {});
}

slab::Profile papers_profile(std::int64_t cells, base::CellRange range) {
  const auto size = static_cast<std::size_t>(range.size);
  const double width = 1.0 / static_cast<double>(cells);
  slab::Profile profile{.range = range,
                        .stiffness = base::AlignedVector(size, 1.0),
                        .threshold = base::AlignedVector(size),
                        .initial_u = base::AlignedVector(size, 0.0),
                        .form = {}};
  profile.form.affine_threshold = {.first = 0.1 + width, .slope = width};
  profile.form.constant_stiffness = 1.0;
  for (std::int64_t i = 0; i < range.size; ++i) {
    profile.threshold[static_cast<std::size_t>(i)] = profile.threshold_of(i);
  }
  return profile;
}

namespace {

/// An engine of a variation of the papers' case, with what it refers to.
struct Run {
  Run(const parallel::Communicator& comm, const cli::Configuration& configuration)
      : problem(slab::make_problem(configuration)),
        profile(papers_profile(problem.field_cells(),
                               base::slab_of(problem.field_cells(), comm.rank(), comm.size()))),
        engine(engine::make_engine(comm, configuration, problem, profile)) {}

  slab::Problem problem;
  slab::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

/// Seconds a step of an engine under a force that is known.
Timing time_steps(const parallel::Communicator& comm, const Effort& effort,
                  const cli::Configuration& configuration) {
  const Run run(comm, configuration);
  Drive drive(*run.engine);
  return measure(comm, effort, Work{1, [&](std::int64_t steps) { drive.steps(steps); }});
}

/// Seconds of whole runs, each of a new engine.
Timing time_runs(const parallel::Communicator& comm, std::int64_t repeat,
                 const cli::Configuration& configuration) {
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < repeat; ++i) {
    const Run run(comm, configuration);
    seconds.push_back(seconds_of(comm, [&] {
      engine::integrate(comm, *run.engine, run.problem.force, run.problem.time, {});
    }));
  }
  return summary(std::move(seconds));
}

Timing time_forcing(const parallel::Communicator& comm, const Effort& effort) {
  const slab::Problem problem = slab::make_problem(papers_case(3, papers_steps));
  double total = 0.0;
  std::int64_t p = 0;
  return measure(comm, effort,
                 repeated(1, [&] { total += problem.force(problem.time.time(p++)); }));
}

}  // namespace

EngineRates measure_engines(const parallel::Communicator& comm, const Effort& effort,
                            std::int64_t largest, bool quick) {
  EngineRates rates;
  constexpr std::int64_t most = 10000000;
  for (std::int64_t cells = 10; cells <= std::min(largest, most); cells *= 10) {
    rates.memory_cells.push_back(cells);
  }
  rates.memory_cells.push_back(cli::infinitely_many);
  for (const std::int64_t cells : rates.memory_cells) {
    cli::Configuration configuration = papers_case(cells, papers_steps);
    configuration.engine = cli::EngineKind::memory;
    rates.memory.push_back(time_steps(comm, effort, configuration));
  }
  const auto alone = on_root_alone(comm, 2, [&] {
    const parallel::Communicator self(MPI_COMM_SELF);
    return std::vector{time_forcing(self, effort),
                       time_steps(self, effort, papers_case(3, papers_steps))};
  });
  rates.forcing = alone[0];
  rates.three_cells = alone[1];
  rates.exact_steps = quick ? 1000 : 100000;
  rates.exact_time = quick ? 20.0 : 500.0;
  cli::Configuration exact = papers_case(cli::infinitely_many, rates.exact_steps);
  exact.engine = cli::EngineKind::exact;
  exact.final_time = rates.exact_time;
  rates.exact = time_runs(comm, std::min<std::int64_t>(effort.repeat, 3), exact) /
                static_cast<double>(rates.exact_steps);
  return rates;
}

Timing measure_run(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                   std::int64_t steps) {
  return time_runs(comm, effort.repeat, papers_case(cells, steps));
}

}  // namespace masing::benchmark
