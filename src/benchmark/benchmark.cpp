#include "benchmark/benchmark.hpp"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "benchmark/native_loops.hpp"
#include "benchmark/timing.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/result_file.hpp"
#include "parallel/rank_sum.hpp"
#include "parallel/session.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

namespace {

// Measurements of the machine.

/// Returns the size of the third-level cache in bytes, or 0 if it is unknown. The size is read from
/// a file of the system. The function sysconf is not used: it takes the size from the CPUID
/// instruction, which on a virtual machine may report the sum of all caches of the chip.
std::int64_t cache_bytes() {
  // The file contains a text such as 32768K.
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::int64_t size = 0;
  file >> size;
  return 1024 * size;
}

/// The ranks for which speeds are measured: one rank alone, or all ranks together.
struct Scope {
  std::string name;
  int ranks = 1;
  double bandwidth = 0.0;  ///< the memory bandwidth, in bytes/s
};

/// Adds facts about the machine to the report. For each scope, measures the memory bandwidth of an
/// update in place. For each entry this update reads 8 bytes and writes 8 bytes, as the kernel of
/// engine sweep does for u.
void measure_machine(const parallel::Communicator& comm, const Effort& effort,
                     std::span<Scope> scopes, Report& report) {
  // The array has 256 MiB or, if this is more, eight times the size of the cache; in quick
  // measurements it has 4 MiB. If that is more than a ninth of the free memory, it has this ninth.
  constexpr std::int64_t small = std::int64_t{4} << 20;
  constexpr std::int64_t least = std::int64_t{256} << 20;
  const std::int64_t cache = of_root(comm, cache_bytes());
  const std::int64_t array =
      std::min(effort.quick ? small : std::max(least, 8 * cache), free_memory_of_host(comm) / 9);
  const std::string processor = parallel::from_root(comm, io::processor_name);
  const std::string set(slab::kernel_instruction_set());
  report.facts["/machine"] = {
      {"processor", processor},
      {"instruction_set", set},
      {"ranks", std::int64_t{comm.size()}},
      {"hosts", std::int64_t{parallel::nodes_of(comm).count}},
      {"cores", of_root(comm, std::max(1U, std::thread::hardware_concurrency()))},
      {"cache_bytes", cache},
      {"array_bytes", array}};
  report.table = fmt::format("{}, {}, ranks: {}\n", processor, set, comm.size());
  const std::int64_t entries = array / 8;
  for (Scope& scope : scopes) {
    const auto timings = on_first(comm, scope.ranks, [&](const parallel::Communicator& group) {
      std::vector<double> u(static_cast<std::size_t>(entries / group.size() + 1), 1.0);
      return measure(group, effort, {repeated([&] { update(u.data(), std::ssize(u), 1.0); })});
    });
    scope.bandwidth = 16 * static_cast<double>(entries) / timings[0][0];
    report.facts["/machine"]["update_bandwidth_" + scope.name] = scope.bandwidth;
    report.table +=
        fmt::format("{:9}  bandwidth {:8.2f} GB/s\n", scope.name, 1e-9 * scope.bandwidth);
  }
}

/// Measures the time of a sum of two integers over the ranks (parallel::RankSum), for 2, 4, 8, …
/// ranks and for all ranks. If there is only one rank, measures the time on this rank.
void measure_allreduces(const parallel::Communicator& comm, const Effort& effort, Report& report) {
  std::vector<double> ranks;
  std::vector<Timing> seconds;
  for (int some = 1; some < comm.size() || ranks.empty();) {
    some = std::min(2 * some, comm.size());
    ranks.push_back(some);
    seconds.push_back(on_first(comm, some, [&](const parallel::Communicator& group) {
                        parallel::RankSum sum(group);
                        std::array<std::int64_t, 2> units{};
                        return measure(group, effort, {repeated([&] { sum(units); })});
                      }).front());
    report.table += fmt::format("allreduce, ranks: {:26} {}\n", some, in_words(seconds.back()));
  }
  report.columns.push_back(
      {"/latency/ranks", {"ranks of an allreduce of two 64-bit integers", "R"}, ranks, "ranks"});
  add_columns(report, "/latency/seconds", {"seconds of that allreduce", "L", "", "s"}, seconds,
              "ranks");
}

// Measurements of the engines.

constexpr double papers_step = 500.0 / 1e6;
constexpr std::int64_t papers_steps = 1000000;

/// Returns the run that the papers compute: k = 1, η = s + 0.1, u0 = 0, F = 0.45 cos(t/2), T = 500.
engine::RunSpec papers_case(const slab::Space& space, engine::Method method) {
  engine::Masing model{.slab = {{.stiffness = base::Function("1", 's'),
                                 .threshold = base::Function("s+0.1", 's'),
                                 .initial_u = base::Function("0", 's')},
                                space},
                       .oscillator = {},
                       .method = method};
  return {std::move(model),
          base::Function("0.45*cos(0.5*t)", 't'),
          {papers_step * papers_steps, papers_steps}};
}

/// Returns a Work that advances an engine in chunks under the force of papers_case(). The force is
/// evaluated here over one period, before the measurement, so that only the engine's time is
/// measured. `engine` must outlive the Work.
Work steps_of(engine::Engine& engine) {
  const std::int64_t period = std::llround(4 * std::numbers::pi / papers_step);
  std::vector<double> force;
  for (std::int64_t p = 0; p <= period + engine::Pace::longest_chunk; ++p) {
    force.push_back(0.45 * std::cos(0.5 * papers_step * static_cast<double>(p)));
  }
  std::array<std::vector<double>, 3> samples;
  samples.fill(std::vector<double>(engine::Pace::longest_chunk));
  return [&engine, period, force, samples, step = std::int64_t{0}](std::int64_t count) mutable {
    for (const std::int64_t end = step + count; step < end;) {
      const auto size = static_cast<std::size_t>(std::min(end - step, engine::Pace::longest_chunk));
      const auto first = static_cast<std::size_t>(step % period);
      engine.advance({.first = step,
                      .force = std::span(force).subspan(first, size + 1),
                      .x = std::span(samples[0]).first(size),
                      .y = std::span(samples[1]).first(size),
                      .restoring = std::span(samples[2]).first(size)});
      step += static_cast<std::int64_t>(size);
    }
  };
}

/// Returns the profile of papers_case() on this rank's part of `cells` cells: k = 1, and η = s +
/// 0.1 at the right end of each cell. The profile is computed by formulas here, because parsing and
/// evaluating the expressions of k and η for each cell would take longer than the measurements.
slab::Profile papers_profile(const parallel::Communicator& comm, std::int64_t cells) {
  const double width = 1.0 / static_cast<double>(cells);
  slab::Profile profile;
  profile.range = base::local_range(cells, comm.rank(), comm.size());
  profile.form.threshold = slab::AffineFormula{0.1 + width, width};
  profile.form.stiffness = slab::AffineFormula{1.0};
  const auto size = static_cast<std::size_t>(profile.range.size);
  profile.stiffness.assign(size, 1.0);
  profile.initial_u.assign(size, 0.0);
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    profile.threshold.push_back(profile.form.threshold->at(profile.range.first + i));
  }
  return profile;
}

/// A method that computes a step cell by cell: the baseline loop (native_loops.hpp), or engine
/// sweep with one of its kernels.
struct Variant {
  std::string_view name;
  std::string_view description;
  int steps = 2;        ///< steps that are computed in one pass over all cells
  bool papers = false;  ///< whether the kernel computes η and k by their formulas and does not read
                        ///< them from memory

  /// Returns how many bytes must be read and written per step and cell. In one pass over the cells,
  /// 8 bytes are read and 8 are written for u; 16 are read for η and k unless these are computed.
  /// The sum is divided by the number of steps that one pass computes.
  [[nodiscard]] double bytes() const { return (16.0 + (papers ? 0.0 : 16.0)) / steps; }
};

constexpr std::array variants{
    Variant{"baseline", "the obvious fused loop: one step a pass, three arrays, a plain sum", 1},
    Variant{"general", "engine sweep, two steps a pass, any k and eta"},
    Variant{"both", "engine sweep, two steps a pass, eta affine and k constant: the papers' case",
            2, true},
    Variant{"leapfrog", "engine sweep, one step a pass, any k and eta", 1}};

/// Returns the time of a step of every variant, in the order of `variants`. The `cells` cells are
/// split over the ranks.
std::vector<Timing> time_steps(const parallel::Communicator& comm, const Effort& effort,
                               std::int64_t cells) {
  slab::Profile profile = papers_profile(comm, cells);
  const slab::ProfileForm form = profile.form;
  const engine::RunSpec run = papers_case(slab::Cells{cells}, engine::Method::sweep);
  engine::Masing model = std::get<engine::Masing>(run.model);
  const auto euler = engine::make_sweep(comm, model, run.time, profile);
  model.scheme = slab::Scheme::leapfrog;
  const auto leapfrog = engine::make_sweep(comm, model, run.time, profile);
  Work euler_steps = steps_of(*euler);
  Work leapfrog_steps = steps_of(*leapfrog);
  base::AlignedVector u(profile.threshold.size(), 0.0);
  double sum = 0.0;
  // Adding 1e-30 times the sum does not change the increment. But the processor must wait for the
  // sum before the next step, as in a real run.
  std::vector<Work> works{[&](std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
      sum = baseline_step(u.data(), profile.threshold.data(), profile.stiffness.data(),
                          std::ssize(u), (i % 8 < 4 ? 0.01 : -0.01) + 1e-30 * sum);
      if (comm.size() > 1) {
        parallel::check_mpi(
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.handle()));
      }
    }
  }};
  for (const Variant& variant : std::span(variants).subspan(1)) {
    works.push_back([&](std::int64_t steps) {
      // The engine reads profile.form at the beginning of each chunk, and chooses its kernel
      // accordingly.
      profile.form = variant.papers ? form : slab::ProfileForm();
      (variant.steps == 2 ? euler_steps : leapfrog_steps)(steps);
    });
  }
  return measure(comm, effort, works);
}

/// Returns the time of a step of an engine for papers_case(), without the evaluation of the force.
Timing time_engine(const parallel::Communicator& comm, const Effort& effort,
                   const slab::Space& space, engine::Method method) {
  const engine::RunSpec run = papers_case(space, method);
  const slab::Profile profile = papers_profile(comm, engine::field_size(run));
  const auto engine = engine::make_engine(comm, run, profile);
  return measure(comm, effort, {steps_of(*engine)}).front();
}

/// Adds the results of a variant to the report, for each P in `cells`. `steps` contains the times
/// of a step of the variant, and `loop` those of the baseline loop. The columns get the time of a
/// step. The table also gets the number of cell updates per second, the fraction of the memory
/// bandwidth that these use, and the speed relative to the baseline loop.
void add_rates(Report& report, const Scope& scope, const Variant& variant,
               const std::vector<double>& cells, const std::vector<Timing>& steps,
               const std::vector<Timing>& loop) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [median, least, most] = steps[i];
    const double updates = cells[i] / median;
    report.table += fmt::format(
        "{:9}  {:8} {:11} {:9.3e}  [{:9.3e}, {:9.3e}]  {:5.1f} {:9.3f} {:9.2f} {:13.2f}\n",
        scope.name, variant.name, cells[i], updates, cells[i] / most, cells[i] / least,
        variant.bytes(), updates * variant.bytes() / scope.bandwidth, loop[i][0] / median,
        1e9 * median);
  }
  const std::string group = fmt::format("/kernel/{}/{}/", scope.name, variant.name);
  const std::string what(variant.description);
  add_columns(report, group + "seconds_per_step", {what + ": seconds a step", "t", "", "s"}, steps,
              "cells");
  report.columns.push_back({group + "bytes_per_update",
                            {what + ": bytes a cell-update must move", "b", "", "byte"},
                            std::vector(cells.size(), variant.bytes()),
                            "cells"});
}

/// Measures the time of a step of all variants for several numbers of cells, on one rank and on all
/// ranks.
void measure_cells(const parallel::Communicator& comm, const Effort& effort,
                   std::span<const Scope> scopes, Report& report) {
  const auto largest = static_cast<double>(effort.largest);
  std::vector<double> cells{1e2, 1e3, 1.5e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  std::erase_if(cells, [&](double p) { return p >= largest; });
  cells.push_back(largest);
  report.columns.push_back(
      {"/kernel/cells", {"cells of the rows of every variant", "P"}, cells, "cells"});
  report.table +=
      fmt::format("\n{:9}  {:8} {:>11} {:>9}  {:22}  {:>5} {:>9} {:>9} {:>13}\n", "by", "variant",
                  "P", "updates/s", "[least, most]", "B/upd", "of bandw.", "/baseline", "ns/step");
  for (const Scope& scope : scopes) {
    std::array<std::vector<Timing>, variants.size()> steps;  // [variant][P]
    for (const double p : cells) {
      const auto of_all = on_first(comm, scope.ranks, [&](const parallel::Communicator& group) {
        return time_steps(group, effort, static_cast<std::int64_t>(p));
      });
      for (std::size_t v = 0; v < variants.size(); ++v) {
        steps[v].push_back(of_all[v]);
      }
    }
    for (std::size_t v = 0; v < variants.size(); ++v) {
      add_rates(report, scope, variants[v], cells, steps[v], steps[0]);
    }
  }
  for (const Variant& variant : variants) {
    report.table += fmt::format("{:8}  {}\n", variant.name, variant.description);
  }
}

/// Measures, on the root alone, how long a step takes with engine memory, with engine exact, and
/// with engine sweep on three cells. Also measures how long one evaluation of the force takes.
void measure_others(const parallel::Communicator& comm, const Effort& effort, Report& report) {
  const auto largest = static_cast<double>(effort.largest);
  std::vector<double> cells{1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  std::erase_if(cells, [&](double p) { return p > largest; });
  cells.push_back(0);
  const std::int64_t steps = effort.quick ? 1000 : 100000;
  const double final_time = effort.quick ? 20.0 : 500.0;
  const auto timings = on_first(comm, 1, [&](const parallel::Communicator& root) {
    engine::RunSpec exact = papers_case(slab::Continuum{}, engine::Method::exact);
    exact.time = {final_time, steps};
    const slab::Profile profile = papers_profile(root, engine::field_size(exact));
    const Work exact_run = repeated([&] {
      const auto engine = engine::make_engine(root, exact, profile);
      for (engine::TimeLoop loop(root, *engine, exact, {}); !loop.is_done();) {
        loop.advance(steps, engine::Pause::none);
      }
    });
    const engine::RunSpec run = papers_case(slab::Cells{3}, engine::Method::sweep);
    double total = 0.0;
    std::int64_t p = 0;
    const Work forcing = repeated([&] { total += run.drive(run.time.time(p++)); });
    auto times = measure(root, effort, {exact_run, forcing});
    for (double& seconds : times[0]) {
      seconds /= static_cast<double>(steps);
    }
    times.push_back(time_engine(root, effort, slab::Cells{3}, engine::Method::sweep));
    for (const double places : cells) {
      const slab::Space space = places == 0 ? slab::Space(slab::Continuum{})
                                            : slab::Cells{static_cast<std::int64_t>(places)};
      times.push_back(time_engine(root, effort, space, engine::Method::turning_points));
    }
    return times;
  });
  const std::vector<Timing> memory(timings.begin() + 3, timings.end());
  report.table += fmt::format("\n{:44} {:>12}     [least, most]\n", "one rank", "median");
  const auto add_line = [&](const std::string& what, const Timing& timing) {
    report.table += fmt::format("{:44} {}\n", what, in_words(timing));
  };
  report.columns.push_back({"/memory/cells", {"cells; 0 for P = inf", "P"}, cells, "cells"});
  add_columns(report, "/memory/seconds_per_step",
              {"engine memory on one rank, seconds a step", "t", "", "s"}, memory, "cells");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string places = cells[i] == 0 ? "inf" : fmt::format("{}", cells[i]);
    add_line("a step of engine memory, P = " + places, memory[i]);
  }
  report.facts["/exact"] = {
      {"steps", steps}, {"final_time", final_time}, {"seconds_per_step", timings[0][0]}};
  report.facts["/step"]["forcing_seconds"] = timings[1][0];
  report.facts["/step"]["three_cells_seconds"] = timings[2][0];
  add_line(fmt::format("a step of engine exact, P = inf, N = {}", steps), timings[0]);
  add_line("a step of engine sweep, P = 3", timings[2]);
  add_line("the forcing's evaluation", timings[1]);
}

}  // namespace

std::int64_t free_memory_of_host(const parallel::Communicator& comm) {
  // available_memory() divides the memory of a node among the ranks of a communicator. For a
  // communicator of one rank it does not divide the memory.
  const double alone = parallel::available_memory(parallel::Communicator(MPI_COMM_SELF));
  return of_root(comm, static_cast<std::int64_t>(std::min(alone, 0x1p62)));
}

Report measured(const parallel::Communicator& comm, const Effort& effort) {
  if (parallel::min_over_ranks(comm, native_loops_run_here() ? 1 : 0) == 0) {
    throw base::UserError(
        "masing benchmark was built on another kind of processor, whose instructions this one "
        "lacks; build it here");
  }
  Report report;
  std::array scopes{Scope{"one_rank", 1}, Scope{"all_ranks", comm.size()}};
  measure_machine(comm, effort, scopes, report);
  measure_allreduces(comm, effort, report);
  measure_cells(comm, effort, scopes, report);
  measure_others(comm, effort, report);
  measure_chains(comm, effort, report);
  return report;
}

void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report) {
  for (const auto& [name, facts] : report.facts) {
    const io::Handle group = io::create_group(file, name);
    for (const auto& [fact, value] : facts) {
      std::visit([&, &to = fact](const auto& known) { io::write_attribute(group, to, known); },
                 value);
    }
  }
  for (const auto& [path, attributes, values, axis] : report.columns) {
    io::write_column(comm, file, path, attributes, values, axis);
  }
}

}  // namespace masing::benchmark
