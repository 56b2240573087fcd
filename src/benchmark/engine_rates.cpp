#include "benchmark/engine_rates.hpp"

#include <algorithm>
#include <memory>

#include "benchmark/drive.hpp"
#include "engine/make_engine.hpp"
#include "engine/sweep.hpp"
#include "engine/time_loop.hpp"

namespace benchmark {

namespace {

constexpr std::int64_t papers_steps = 1000000;

/// An engine of the papers' case and what must outlive it.
struct Running {
  masing::Problem problem;
  masing::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

std::unique_ptr<Running> run_of(const parallel::Communicator& comm,
                                const options::Configuration& configuration) {
  auto running = std::make_unique<Running>(
      Running{masing::make_problem(configuration), masing::Profile{}, nullptr});
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
  options::Configuration configuration = papers_case(cells, papers_steps);
  configuration.engine = options::EngineKind::memory;
  const auto running = run_of(comm, configuration);
  return of_steps(comm, effort, *running->engine);
}

Timing forcing(const Effort& effort) {
  const parallel::Communicator self(MPI_COMM_SELF);
  const masing::Problem problem = masing::make_problem(papers_case(3, papers_steps));
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
  options::Configuration configuration = papers_case(options::infinitely_many, steps);
  configuration.engine = options::EngineKind::exact;
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
  rates.memory_cells.push_back(options::infinitely_many);
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
  const options::Configuration configuration = papers_case(cells, steps);
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

}  // namespace benchmark
