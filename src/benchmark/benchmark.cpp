#include "benchmark/benchmark.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <span>

#include "base/seconds.hpp"
#include "benchmark/native_loops.hpp"
#include "engine/chain.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "parallel/rank_sum.hpp"
#include "rheology/catalogue.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

namespace {

/// The seconds that a step or a call takes. The three numbers are the median, the smallest and the
/// largest result of repeated measurements.
using Timing = std::array<double, 3>;

/// A function that executes `count` steps or calls, and whose duration is measured.
using Work = std::function<void(std::int64_t count)>;

/// Returns a Work that calls the function `once` `count` times.
template <typename Once>
Work repeated(Once once) {
  return [once](std::int64_t count) mutable {
    for (std::int64_t i = 0; i < count; ++i) {
      once();
    }
  };
}

/// Returns the seconds from a barrier until the slowest rank has executed work(count). Collective.
double seconds_of(const parallel::Communicator& comm, const Work& work, std::int64_t count) {
  parallel::check_mpi(MPI_Barrier(comm.handle()));
  const double begin = base::seconds_now();
  work(count);
  double seconds = base::seconds_now() - begin;
  parallel::max_over_ranks(comm, std::span(&seconds, 1));
  return seconds;
}

/// Returns, for each of the `works`, the seconds that a step or a call takes, divided by `parts`. A
/// work executes an even number of steps at a time, because one pass over the cells of a slab may
/// compute two steps. All works are measured once before any is measured again. A change of the
/// machine's speed then affects all of them alike and hardly changes their ratios. Collective.
std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            const std::vector<Work>& works, std::int64_t parts = 1) {
  const std::size_t repeats = effort.quick ? 3 : 5;
  const double least = effort.quick ? 0.007 : 0.06;  // the least duration of one measurement, in s
  std::vector<std::int64_t> counts(works.size(), 2);
  for (std::size_t w = 0; w < works.size(); ++w) {
    while (seconds_of(comm, works[w], counts[w]) < least) {
      counts[w] *= 2;
    }
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (std::size_t turn = 0; turn < repeats; ++turn) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      seconds[w].push_back(seconds_of(comm, works[w], counts[w]) /
                           static_cast<double>(counts[w] * parts));
    }
  }
  std::vector<Timing> timings;
  for (auto& of_one : seconds) {
    std::ranges::sort(of_one);
    timings.push_back({of_one[repeats / 2], of_one.front(), of_one.back()});
  }
  return timings;
}

/// Adds the medians of `timings` to the report as the column `path`; `axis` is the name of the
/// dataset with their abscissas. Local.
void add_column(Report& report, const std::string& path, const std::string& description,
                const std::vector<Timing>& timings, const std::string& axis) {
  std::vector<double> medians;
  std::ranges::transform(timings, std::back_inserter(medians),
                         [](const Timing& timing) { return timing[0]; });
  report.columns.push_back({path, {description, "t", "", "s"}, medians, axis});
}

/// Adds a line with a timing in nanoseconds to the table. Local.
void add_line(Report& report, const std::string& what, const Timing& timing) {
  report.table += fmt::format("{:44} {:12.2f} ns  [{:.2f}, {:.2f}]\n", what, 1e9 * timing[0],
                              1e9 * timing[1], 1e9 * timing[2]);
}

/// Measures the memory bandwidth of an update in place on all ranks, and the time of a sum of two
/// integers over them. For each entry this update reads 8 bytes and writes 8 bytes, as the kernel
/// of engine sweep does for u. Returns the bandwidth in bytes/s. Collective.
double measure_machine(const parallel::Communicator& comm, const Effort& effort, Report& report) {
  // The array has 1 GiB, which is more than any cache has, or a ninth of the free memory.
  const double most = effort.quick ? 0x1p22 : 0x1p30;
  const double free = parallel::available_memory(comm) * comm.size();
  const auto entries = static_cast<std::int64_t>(std::min(most, free / 9)) / 8;
  std::vector<double> array(static_cast<std::size_t>(entries / comm.size() + 1), 1.0);
  parallel::RankSum sum(comm);
  std::array<std::int64_t, 2> units{};
  const auto timings = measure(comm, effort,
                               {repeated([&] { update(array.data(), std::ssize(array), 1.0); }),
                                repeated([&] { sum(units); })});
  const double bandwidth = 16 * static_cast<double>(entries) / timings[0][0];
  report.table = fmt::format("{}, ranks: {}\nbandwidth {:8.2f} GB/s\n",
                             slab::kernel_instruction_set(), comm.size(), 1e-9 * bandwidth);
  add_line(report, fmt::format("allreduce, ranks: {}", comm.size()), timings[1]);
  report.columns = {{"/machine/ranks", {"ranks", "R"}, {static_cast<double>(comm.size())}, "ranks"},
                    {"/machine/bandwidth",
                     {"bytes that an update in place reads and writes a second", "b", "", "s-1"},
                     {bandwidth},
                     "ranks"}};
  add_column(report, "/machine/allreduce_seconds", "seconds of an allreduce of two integers",
             {timings[1]}, "ranks");
  return bandwidth;
}

constexpr double papers_step = 500.0 / 1e6;
constexpr std::int64_t papers_steps = 1000000;

/// Returns the model that the papers compute: k = 1, η = s + 0.1, u0 = 0.
engine::Masing papers_model(const slab::Space& space) {
  return {.slab = {{.stiffness = base::Function("1", 's'),
                    .threshold = base::Function("s+0.1", 's'),
                    .initial_u = base::Function("0", 's')},
                   space},
          .oscillator = {}};
}

/// Returns the run that the papers compute: this model with F = 0.45 cos(t/2), T = 500.
engine::RunSpec papers_case(const slab::Space& space, engine::Method method) {
  return {engine::make_model(papers_model(space)),
          {{base::Function("0.45*cos(0.5*t)", 't')}},
          {papers_step * papers_steps, papers_steps},
          method};
}

/// Returns a Work that advances an engine in chunks under the force A cos(t/2) at the times of
/// papers_case(); A is `force_amplitude`. The force is evaluated here over one period, before the
/// measurement, so that only the engine's time is measured. `engine` must outlive the Work.
Work steps_of(engine::Engine& engine, double force_amplitude = 0.45) {
  const std::int64_t period = std::llround(4 * std::numbers::pi / papers_step);
  std::vector<double> force;
  for (std::int64_t p = 0; p <= period + engine::Pace::longest_chunk; ++p) {
    force.push_back(force_amplitude * std::cos(0.5 * papers_step * static_cast<double>(p)));
  }
  std::array<std::vector<double>, 3> samples;
  samples.fill(std::vector<double>(engine::Pace::longest_chunk));
  const std::vector<double> base(engine::Pace::longest_chunk + 1);  // does not move
  return [&engine, period, force, base, samples,
          step = std::int64_t{0}](std::int64_t count) mutable {
    for (const std::int64_t end = step + count; step < end;) {
      const auto size = static_cast<std::size_t>(std::min(end - step, engine::Pace::longest_chunk));
      const auto first = static_cast<std::size_t>(step % period);
      engine.advance({.first = step,
                      .force = std::span(force).subspan(first, size + 1),
                      .base = std::span(base).first(size + 1),
                      .x = std::span(samples[0]).first(size),
                      .y = std::span(samples[1]).first(size),
                      .restoring = std::span(samples[2]).first(size)});
      step += static_cast<std::int64_t>(size);
    }
  };
}

/// A method that computes a step cell by cell: the baseline loop (native_loops.hpp), or engine
/// sweep with one of its kernels.
struct Variant {
  std::string_view name;
  std::string_view description;
  /// The bytes that must be read and written per step and cell. In one pass over the cells, 16
  /// bytes are moved for u; 16 are read for η and k unless these are computed by formulas. The sum
  /// is divided by the number of steps that one pass computes.
  double bytes;
};

constexpr std::array variants{
    Variant{"baseline", "the obvious fused loop: one step a pass, three arrays, a plain sum", 32},
    Variant{"general", "engine sweep, two steps a pass, any k and eta", 16},
    Variant{"both", "engine sweep, two steps a pass, eta affine and k constant: the papers' case",
            8},
    Variant{"leapfrog", "engine sweep, one step a pass, any k and eta", 32}};

/// Returns the time of a step of every variant, in the order of `variants`. The `cells` cells are
/// split over the ranks.
std::vector<Timing> time_steps(const parallel::Communicator& comm, const Effort& effort,
                               std::int64_t cells) {
  engine::Masing model = papers_model(slab::Cells{cells});
  const slab::TimeGrid time{papers_step * papers_steps, papers_steps};
  const slab::ProfileForm form = slab::candidate_form(model.slab);
  slab::Profile profile =
      slab::sample_profile(model.slab, base::local_range(cells, comm.rank(), comm.size()),
                           {.initial_u = form.initial_u, .shift = form.shift});
  const auto euler = engine::make_sweep(comm, model, time, profile);
  model.scheme = slab::Scheme::leapfrog;
  const auto leapfrog = engine::make_sweep(comm, model, time, profile);
  Work euler_steps = steps_of(*euler);
  Work leapfrog_steps = steps_of(*leapfrog);
  base::AlignedVector u(profile.threshold.size(), 0.0);
  double sum = 0.0;
  // Adding 1e-30 times the sum does not change the increment. But the processor must wait for the
  // sum before the next step, as in a real run.
  const Work baseline = repeated([&, i = 0]() mutable {
    sum = baseline_step(u.data(), profile.threshold.data(), profile.stiffness.data(), std::ssize(u),
                        (i++ % 8 < 4 ? 0.01 : -0.01) + 1e-30 * sum);
    if (comm.size() > 1) {
      parallel::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.handle()));
    }
  });
  // The engine reads profile.form at the beginning of each chunk, and chooses its kernel
  // accordingly.
  const auto with = [&profile](const slab::ProfileForm& known, Work& steps) {
    return [&profile, &steps, known](std::int64_t count) {
      profile.form = known;
      steps(count);
    };
  };
  return measure(
      comm, effort,
      {baseline, with({}, euler_steps), with(form, euler_steps), with({}, leapfrog_steps)});
}

/// Measures the time of a step of all variants for several numbers of cells, which all ranks share.
/// The table gets the number of cell updates per second, the fraction of the memory bandwidth that
/// these use, and the speed relative to the baseline loop. Collective.
void measure_cells(const parallel::Communicator& comm, const Effort& effort, double bandwidth,
                   Report& report) {
  const auto largest = static_cast<double>(effort.largest);
  std::vector<double> cells{1e2, 1e3, 1.5e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  std::erase_if(cells, [&](double p) { return p >= largest; });
  cells.push_back(largest);
  report.columns.push_back({"/kernel/cells", {"cells of every variant", "P"}, cells, "cells"});
  report.table +=
      fmt::format("\n{:8} {:>11} {:>9}  {:22}  {:>5} {:>9} {:>9} {:>13}\n", "variant", "P",
                  "updates/s", "[least, most]", "B/upd", "of bandw.", "/baseline", "ns/step");
  std::array<std::vector<Timing>, variants.size()> steps;  // [variant][P]
  for (const double p : cells) {
    const auto timings = time_steps(comm, effort, static_cast<std::int64_t>(p));
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const auto& [median, least, most] = steps[v].emplace_back(timings[v]);
      const double bytes = variants[v].bytes;
      report.table +=
          fmt::format("{:8} {:11} {:9.3e}  [{:9.3e}, {:9.3e}]  {:5.1f} {:9.3f} {:9.2f} {:13.2f}\n",
                      variants[v].name, p, p / median, p / most, p / least, bytes,
                      p / median * bytes / bandwidth, timings[0][0] / median, 1e9 * median);
    }
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const auto& [name, description, bytes] = variants[v];
    add_column(report, fmt::format("/kernel/{}", name),
               fmt::format("{}: seconds a step", description), steps[v], "cells");
    report.table += fmt::format("{:8}  {}\n", name, description);
  }
}

/// Returns the space of a slab of so many cells, or of P = ∞ if `cells` is 0.
slab::Space space_of(double cells) {
  return cells == 0 ? slab::Space(slab::Continuum{})
                    : slab::Cells{static_cast<std::int64_t>(cells)};
}

/// Measures the time of a step of engine memory for several numbers of cells and for P = ∞, and of
/// engine exact. `root` has one rank. Local.
void measure_others(const parallel::Communicator& root, const Effort& effort, Report& report) {
  const auto largest = static_cast<double>(effort.largest);
  std::vector<double> cells{1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  std::erase_if(cells, [&](double p) { return p > largest; });
  cells.push_back(0);
  report.table += fmt::format("\n{:44} {:>12}     [least, most]\n", "one rank", "median");
  std::vector<Timing> memory;
  for (const double places : cells) {
    const engine::RunSpec run = papers_case(space_of(places), engine::Method::memory);
    const engine::Setup setup = engine::make_setup(root, run);
    memory.push_back(measure(root, effort, {steps_of(*setup.engine)}).front());
    add_line(report, "a step of engine memory, " + run.model->title(false), memory.back());
  }
  engine::RunSpec run = papers_case(slab::Continuum{}, engine::Method::exact);
  run.time = {50.0, 10000};
  const auto exact = measure(root, effort, {repeated([&] {
                               const engine::Setup setup = engine::make_setup(root, run);
                               engine::TimeLoop loop(root, *setup.engine, run, {});
                               while (!loop.is_done()) {
                                 loop.advance(run.time.steps, engine::Pause::none);
                               }
                             })},
                             run.time.steps);
  add_line(report, fmt::format("a step of engine exact, P = inf, N = {}", run.time.steps),
           exact[0]);
  report.columns.push_back({"/memory/cells", {"cells; 0 for P = inf", "P"}, cells, "cells"});
  add_column(report, "/memory/seconds_per_step", "engine memory, seconds a step", memory, "cells");
  report.columns.push_back({"/exact/cells", {"cells; 0 for P = inf", "P"}, {0}, "cells"});
  add_column(report, "/exact/seconds_per_step", "engine exact, seconds a step", exact, "cells");
}

/// Returns a chain of `elements` elements with k = 1, η = s and m = κ = θ = 1, each a slab over
/// `space`. It begins with the velocities of a standing wave.
engine::RunSpec wave(std::int64_t elements, const slab::Space& space) {
  engine::MasingChain chain;
  chain.shape = {{.stiffness = base::Function("1", 's'), .threshold = base::Function("s", 's')},
                 space};
  chain.threshold_down = chain.shape.threshold;
  chain.parameters.model = &rheology::catalogue_entry("masing-chain");
  chain.parameters.parameters.elements = elements;
  auto& values = chain.parameters.parameters.sequences;
  values["m"] = 1.0;
  values["k"] = 1.0;
  // The strength is at a velocity of about 1/2.
  values["y0"] = std::make_shared<const base::Function>("0.3*sin(2*pi/250*i)", 'i');
  chain.force_node = elements;
  constexpr std::int64_t steps = std::int64_t{1} << 40;
  // With this step, a wave of small amplitude passes an element in two steps.
  return {engine::make_model(std::move(chain)),
          {{base::Function()}, {base::Function()}},
          {0.5 * static_cast<double>(steps), steps},
          engine::Method::memory};
}

/// Measures the time of a step of a chain of slabs with P = ∞, 10 and 100. `root` has one rank.
/// Local.
void measure_chain(const parallel::Communicator& root, const Effort& effort, Report& report) {
  const std::int64_t elements = std::min<std::int64_t>(100000, effort.largest);
  std::vector<Timing> timings;
  const std::vector<double> cells{0, 10, 100};
  for (const double each : cells) {
    const engine::RunSpec run = wave(elements, space_of(each));
    const engine::Setup setup = engine::make_setup(root, run);
    timings.push_back(measure(root, effort, {steps_of(*setup.engine, 0.0)}, elements).front());
    add_line(report, "element of " + run.model->title(false), timings.back());
  }
  report.columns.push_back(
      {"/chain/sliders", {"sliders an element; 0 for P = inf", "P"}, cells, "sliders"});
  add_column(report, "/chain/seconds_per_step",
             fmt::format("a chain of {} elements: seconds an element and step", elements), timings,
             "sliders");
}

}  // namespace

Report measured(const parallel::Communicator& comm, const Effort& effort) {
  Report report;
  const double bandwidth = measure_machine(comm, effort, report);
  measure_cells(comm, effort, bandwidth, report);
  parallel::on_root(comm, [&] {
    const parallel::Communicator root(MPI_COMM_SELF);
    measure_others(root, effort, report);
    measure_chain(root, effort, report);
  });
  return report;
}

void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report) {
  for (const auto& [path, attributes, values, axis] : report.columns) {
    io::write_column(comm, file, path, attributes, values, axis);
  }
}

}  // namespace masing::benchmark
