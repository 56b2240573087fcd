#include "benchmark/engine_rates.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <numbers>

#include "cli/validate.hpp"
#include "engine/setup.hpp"
#include "engine/sweep.hpp"
#include "engine/time_loop.hpp"

namespace masing::benchmark {

namespace {
constexpr double papers_step = 500.0 / 1e6;
}

SampledForce::SampledForce()
    : period_(std::llround(4 * std::numbers::pi / papers_step)),
      values_(static_cast<std::size_t>(period_ + longest + 1)) {
  for (std::size_t p = 0; p < values_.size(); ++p) {
    values_[p] = 0.45 * std::cos(0.5 * papers_step * static_cast<double>(p));
  }
}

std::span<const double> SampledForce::from(std::int64_t first, std::int64_t count) const {
  assert(count <= longest);
  return std::span(values_).subspan(static_cast<std::size_t>(first % period_),
                                    static_cast<std::size_t>(count + 1));
}

Drive::Drive(engine::Engine& engine, const SampledForce& force)
    : engine_(engine),
      force_(force),
      x_(SampledForce::longest),
      y_(SampledForce::longest),
      restoring_(SampledForce::longest) {}

void Drive::steps(std::int64_t count) {
  const std::int64_t end = step_ + count;
  while (step_ < end) {
    const std::int64_t now = std::min(end - step_, SampledForce::longest);
    const auto size = static_cast<std::size_t>(now);
    engine_.advance({.first = step_,
                     .force = force_.from(step_, now),
                     .x = std::span(x_).first(size),
                     .y = std::span(y_).first(size),
                     .restoring = std::span(restoring_).first(size)});
    step_ += now;
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

constexpr std::int64_t papers_steps = 1000000;

/// An engine of the papers' case and what must outlive it.
struct Running {
  slab::Problem problem;
  slab::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

std::unique_ptr<Running> run_of(const parallel::Communicator& comm,
                                const cli::Configuration& configuration) {
  auto running = std::make_unique<Running>(
      Running{slab::make_problem(configuration), slab::Profile{}, nullptr});
  const std::int64_t cells = running->problem.field_cells();
  running->profile = papers_profile(cells, base::slab_of(cells, comm.rank(), comm.size()));
  running->engine = engine::make_engine(comm, configuration, running->problem, running->profile);
  return running;
}

Timing of_steps(const parallel::Communicator& comm, const Effort& effort, engine::Engine& engine) {
  const SampledForce force;
  Drive drive(engine, force);
  const Work work{1, [&](std::int64_t steps) { drive.steps(steps); }};
  return measure(comm, effort, std::span(&work, 1)).front();
}

Timing memory(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells) {
  cli::Configuration configuration = papers_case(cells, papers_steps);
  configuration.engine = cli::EngineKind::memory;
  const auto running = run_of(comm, configuration);
  return of_steps(comm, effort, *running->engine);
}

Timing forcing(const Effort& effort) {
  const parallel::Communicator self(MPI_COMM_SELF);
  const slab::Problem problem = slab::make_problem(papers_case(3, papers_steps));
  double total = 0.0;
  const Work work{1, [&](std::int64_t count) {
                    for (std::int64_t p = 0; p < count; ++p) {
                      total += problem.force(problem.time.time(p));
                    }
                  }};
  return measure(self, effort, std::span(&work, 1)).front();
}

Timing three_cells(const Effort& effort) {
  const parallel::Communicator self(MPI_COMM_SELF);
  const auto running = run_of(self, papers_case(3, papers_steps));
  return of_steps(self, effort, *running->engine);
}

/// The exact solution once from its start to T: it cannot go on beyond.
Timing exact(const parallel::Communicator& comm, const Effort& effort, std::int64_t steps,
             double final_time) {
  cli::Configuration configuration = papers_case(cli::infinitely_many, steps);
  configuration.engine = cli::EngineKind::exact;
  configuration.final_time = final_time;
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(effort.repeat, 3); ++i) {
    const auto running = run_of(comm, configuration);
    seconds.push_back(seconds_of(comm,
                                 [&] {
                                   engine::integrate(comm, *running->engine, running->problem.force,
                                                     running->problem.time, {});
                                 }) /
                      static_cast<double>(steps));
  }
  return summary(std::move(seconds));
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
    rates.memory.push_back(memory(comm, effort, cells));
  }
  const auto alone = on_root_alone(comm, 2, [&] {
    return std::vector{forcing(effort), three_cells(effort)};
  });
  rates.forcing = alone[0];
  rates.three_cells = alone[1];
  rates.exact_steps = quick ? 1000 : 100000;
  rates.exact_time = quick ? 20.0 : 500.0;
  rates.exact = exact(comm, effort, rates.exact_steps, rates.exact_time);
  return rates;
}

Case measure_case(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                  std::int64_t steps, const Machine& machine, const KernelRates& kernels,
                  const EngineRates& engines) {
  const std::int64_t passes = (steps + 1) / 2;
  const auto n = static_cast<double>(steps);
  const auto slab = static_cast<double>(base::slab_of(cells, 0, comm.size()).size);
  const std::size_t papers = place_of("both");
  const double bytes = variants()[papers].bytes_per_update();
  double step = kernels.one_rank_step(papers, slab);
  constexpr std::int64_t usual_cache = std::int64_t{32} << 20;
  if (8 * cells > (machine.cache > 0 ? machine.cache : usual_cache)) {
    // Beyond the caches the ranks share what memory gives them.
    step = std::max(step, bytes * static_cast<double>(cells) / machine.all.best());
  }
  Case result{.cells = cells,
              .steps = steps,
              .cell_work = n * step,
              .waiting = static_cast<double>(passes) * machine.wait(),
              .forcing = n * engines.forcing.median,
              .overhead = n * engines.three_cells.median};
  const cli::Configuration configuration = papers_case(cells, steps);
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < effort.repeat; ++i) {
    const auto running = run_of(comm, configuration);
    seconds.push_back(seconds_of(comm, [&] {
      engine::integrate(comm, *running->engine, running->problem.force, running->problem.time, {});
    }));
  }
  result.measured = summary(std::move(seconds));
  return result;
}

}  // namespace masing::benchmark
