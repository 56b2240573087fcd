#include "benchmark/rates.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "benchmark/native_loops.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

namespace {

constexpr double papers_step = 500.0 / 1e6;
constexpr std::int64_t papers_steps = 1000000;
constexpr std::int64_t longest_chunk = 4096;
const std::int64_t period = std::llround(4 * std::numbers::pi / papers_step);

/// The papers' case with N steps of the papers' length.
engine::RunSpec papers_case(const slab::Space& space, std::int64_t steps,
                            engine::Method method = engine::Method::sweep) {
  const auto function = [](const char* text, char variable) {
    return base::Function(text, variable, {});
  };
  engine::Masing model{.slab = {{.stiffness = function("1", 's'),
                                 .threshold = function("s+0.1", 's'),
                                 .initial_u = function("0", 's')},
                                space},
                       .oscillator = {},
                       .method = method};
  return {std::move(model),
          function("0.45*cos(0.5*t)", 't'),
          {papers_step * static_cast<double>(steps), steps}};
}

/// F at steps 0..period + longest_chunk.
std::vector<double> sampled_force() {
  const engine::RunSpec run = papers_case(slab::Cells{1}, papers_steps);
  std::vector<double> values;
  for (std::int64_t p = 0; p <= period + longest_chunk; ++p) {
    values.push_back(run.drive(run.time.time(p)));
  }
  return values;
}

/// Drives an engine in chunks under the papers' forcing, sampled beforehand over one period.
/// Nothing else is done, so that the time is the engine's.
class Drive {
 public:
  /// `engine` must outlive it.
  explicit Drive(engine::Engine& engine)
      : engine_(engine), x_(longest_chunk), y_(longest_chunk), restoring_(longest_chunk) {}

  /// Advance by `count` steps. Collective if the engine is.
  void steps(std::int64_t count) {
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

 private:
  engine::Engine& engine_;
  std::int64_t step_ = 0;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// The papers' profile (k = 1, η = s + 0.1) on some of P cells, by its formula: evaluating the
/// expressions would take longer than the kernels.
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

/// The form of the papers' profile without what the variant reads from memory.
slab::ProfileForm form_of(const Variant& variant, slab::ProfileForm form) {
  if (!variant.affine) {
    form.threshold.reset();
  }
  if (!variant.constant) {
    form.stiffness.reset();
  }
  return form;
}

/// Passes over a slab of the papers' profile without an engine, under increments that come and go.
/// Each increment depends on the sum before it, as in a run.
class BareSlab {
 public:
  BareSlab(const parallel::Communicator& comm, const slab::Profile& profile, std::int64_t cells)
      : comm_(comm),
        profile_(profile),
        form_(profile.form),
        u_(profile.threshold.size(), 0.0),
        scale_(base::FixedPoint(1.2).units_per_one() / static_cast<double>(cells)) {}

  Work work(const Variant& variant) {
    if (variant.loop == Loop::baseline) {
      return {1, [this](std::int64_t passes) {
                repeat(passes, [this](double increment) { return baseline_pass(increment); });
              }};
    }
    const slab::SlabKernel kernel({.u = u_,
                                   .threshold = profile_.threshold,
                                   .stiffness = profile_.stiffness,
                                   .first_cell = profile_.range.first,
                                   .form = form_of(variant, form_)},
                                  scale_);
    const auto count = static_cast<std::size_t>(variant.increments);
    return {variant.increments, [this, kernel, count](std::int64_t passes) {
              repeat(passes, [&](double increment) {
                const std::array increments{increment, increment};
                std::array<std::int64_t, 2> units{};
                kernel.project_and_sum(std::span(increments).first(count),
                                       std::span(units).first(count));
                return 1e-18 * static_cast<double>(units[0] + units[1]);
              });
            }};
  }

 private:
  template <typename Pass>
  void repeat(std::int64_t passes, const Pass& pass) {
    for (std::int64_t i = 0; i < passes; ++i) {
      // The last sum is too small to change the increment, but the processor must wait for it.
      last_sum_ = pass((i % 8 < 4 ? 0.01 : -0.01) + 1e-30 * last_sum_);
    }
  }

  double baseline_pass(double increment) {
    double sum = baseline_step(u_.data(), profile_.threshold.data(), profile_.stiffness.data(),
                               std::ssize(u_), increment);
    if (comm_.size() > 1) {
      parallel::check_mpi(
          MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_.handle()));
    }
    return sum;
  }

  const parallel::Communicator& comm_;
  const slab::Profile& profile_;
  slab::ProfileForm form_;
  base::AlignedVector u_;
  double scale_;
  double last_sum_ = 0.0;
};

std::vector<Timing> on_one_rank(const Effort& effort, std::int64_t cells) {
  const parallel::Communicator self(MPI_COMM_SELF);
  const slab::Profile profile = papers_profile(cells, {0, cells});
  BareSlab slab(self, profile, cells);
  std::vector<Work> works;
  for (const Variant& variant : variants()) {
    works.push_back(slab.work(variant));
  }
  return measure(self, effort, works);
}

/// The kernel's variants by the engine of a run, the baseline as a bare loop over the slabs.
std::vector<Timing> on_all_ranks(const parallel::Communicator& comm, const Effort& effort,
                                 std::int64_t cells) {
  slab::Profile profile = papers_profile(cells, base::local_range(cells, comm.rank(), comm.size()));
  const slab::ProfileForm form = profile.form;
  const engine::RunSpec run = papers_case(slab::Cells{cells}, papers_steps);
  engine::Masing model = std::get<engine::Masing>(run.model);
  BareSlab bare(comm, profile, cells);
  const auto euler = engine::make_sweep(comm, model, run.time, profile);
  model.scheme = slab::Scheme::leapfrog;
  const auto leapfrog = engine::make_sweep(comm, model, run.time, profile);
  Drive euler_drive(*euler);
  Drive leapfrog_drive(*leapfrog);
  std::vector<Work> works;
  for (const Variant& variant : variants()) {
    if (variant.loop == Loop::baseline) {
      works.push_back(bare.work(variant));
      continue;
    }
    Drive& drive = variant.increments == 2 ? euler_drive : leapfrog_drive;
    works.push_back({variant.increments, [&](std::int64_t passes) {
                       profile.form = form_of(variant, form);
                       drive.steps(passes * variant.increments);
                     }});
  }
  return measure(comm, effort, works);
}

/// Seconds to make the sum of one block exact. In the kernel the processor may overlap that with
/// the next block's cells, so this is the most that exact sums can cost.
Timing time_exact_sum(const parallel::Communicator& comm, const Effort& effort) {
  constexpr std::int64_t blocks = 64;
  const std::vector<double> lanes(blocks * block_lanes, 0.1);
  std::int64_t total = 0;
  return measure(comm, effort,
                 repeated(blocks, [&] { total += exact_sum(lanes.data(), blocks, 1e6); }));
}

void append(std::vector<std::vector<Timing>>& columns, const std::vector<Timing>& row) {
  columns.resize(row.size());
  for (std::size_t v = 0; v < row.size(); ++v) {
    columns[v].push_back(row[v]);
  }
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

/// A uniform number in [-1, 1] for every cell. (SplitMix64.)
double noise(std::int64_t cell) {
  auto bits = static_cast<std::uint64_t>(cell + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return std::ldexp(static_cast<double>(bits >> 11), -52) - 1.0;
}

/// Engine memory from its start on this rank: seconds to make it, and of a step. `share`: of η,
/// what u0 may be.
std::array<Timing, 2> time_from_start(const parallel::Communicator& self, std::int64_t repeat,
                                      std::int64_t cells, std::int64_t steps, double share) {
  const engine::RunSpec spec =
      papers_case(slab::Cells{cells}, papers_steps, engine::Method::turning_points);
  slab::Profile profile = papers_profile(cells, {0, cells});
  for (std::size_t i = 0; i < profile.initial_u.size(); ++i) {
    profile.initial_u[i] = share * profile.threshold[i] * noise(static_cast<std::int64_t>(i));
  }
  std::vector<double> made;
  std::vector<double> stepped;
  for (std::int64_t i = 0; i < repeat; ++i) {
    std::unique_ptr<engine::Engine> engine;
    made.push_back(seconds_of(self, [&] { engine = engine::make_engine(self, spec, profile); }));
    Drive drive(*engine);
    stepped.push_back(seconds_of(self, [&] { drive.steps(steps); }));
  }
  return {summary(std::move(made)), summary(std::move(stepped)) / static_cast<double>(steps)};
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

double Variant::bytes_per_update() const {
  return (16.0 + (affine ? 0.0 : 8.0) + (constant ? 0.0 : 8.0)) / increments;
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"baseline", "the obvious fused loop: one step a pass, three arrays, a plain sum",
       Loop::baseline, 1, false, false},
      {"general", "the kernel, two steps a pass, any k and eta", Loop::kernel, 2, false, false},
      {"affine", "the kernel, two steps a pass, eta affine", Loop::kernel, 2, true, false},
      {"constant", "the kernel, two steps a pass, k constant", Loop::kernel, 2, false, true},
      {"both", "the kernel, two steps a pass, eta affine and k constant: the papers' case",
       Loop::kernel, 2, true, true},
      {"leapfrog", "the kernel, one step a pass, any k and eta", Loop::kernel, 1, false, false}};
  return all;
}

std::size_t index_of(const std::string& variant) {
  const auto found = std::ranges::find(variants(), variant, &Variant::name);
  assert(found != variants().end());
  return static_cast<std::size_t>(found - variants().begin());
}

double KernelRates::one_rank_step(std::size_t variant, double cells_of_rank) const {
  const auto& steps = one[variant];
  const auto at = [&](std::size_t i) { return static_cast<double>(cells[i]); };
  if (cells_of_rank <= at(0)) {
    return steps.front().median;
  }
  const std::size_t last = cells.size() - 1;
  if (cells_of_rank >= at(last)) {
    return steps.back().median * cells_of_rank / at(last);
  }
  std::size_t above = 1;
  while (at(above) < cells_of_rank) {
    ++above;
  }
  const double part = std::log(cells_of_rank / at(above - 1)) / std::log(at(above) / at(above - 1));
  return steps[above - 1].median * std::pow(steps[above].median / steps[above - 1].median, part);
}

std::vector<std::int64_t> ladder(std::int64_t largest) {
  std::vector<std::int64_t> cells{100, 1000, 1500};
  for (std::int64_t next = 10000; next < largest; next *= 10) {
    cells.push_back(next);
  }
  std::erase_if(cells, [&](std::int64_t p) { return p >= largest; });
  cells.push_back(largest);
  return cells;
}

KernelRates measure_kernels(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const std::int64_t> cells) {
  if (parallel::min_over_ranks(comm, native_loops_run_here() ? 1 : 0) == 0) {
    throw base::UserError(
        "masing benchmark was built on another kind of processor, whose instructions this one "
        "lacks; build it here");
  }
  KernelRates rates;
  rates.exact_sum =
      on_root_alone(comm, [&] {
        return std::vector{time_exact_sum(parallel::Communicator(MPI_COMM_SELF), effort)};
      }).front();
  for (const std::int64_t p : cells) {
    rates.cells.push_back(p);
    append(rates.one, on_root_alone(comm, [&] { return on_one_rank(effort, p); }));
    append(rates.all, on_all_ranks(comm, effort, p));
  }
  return rates;
}

EngineRates measure_engines(const parallel::Communicator& comm, const Effort& effort,
                            std::int64_t largest, bool quick) {
  EngineRates rates;
  constexpr std::int64_t most = 10000000;
  for (std::int64_t cells = 10; cells <= std::min(largest, most); cells *= 10) {
    rates.memory_cells.push_back(cells);
  }
  rates.memory_cells.push_back(continuum_cells);
  constexpr std::int64_t several = 3;
  const std::int64_t repeat = std::min(effort.repeat, several);
  const std::int64_t from_start = quick ? 20'000 : 10'000'000;
  const std::int64_t cells = std::min(largest, most);
  rates.exact_steps = quick ? 1000 : 100000;
  rates.exact_time = quick ? 20.0 : 500.0;
  // One rank makes such runs.
  const auto alone = on_root_alone(comm, [&] {
    const parallel::Communicator self(MPI_COMM_SELF);
    const auto zero = time_from_start(self, repeat, cells, from_start, 0.0);
    const auto moved = time_from_start(self, repeat, cells, from_start, 1.0);
    engine::RunSpec exact =
        papers_case(slab::Continuum{}, rates.exact_steps, engine::Method::exact);
    exact.time.final_time = rates.exact_time;
    std::vector<Timing> timings{
        zero[0],
        zero[1],
        moved[0],
        moved[1],
        time_forcing(self, effort),
        time_steps(self, effort, papers_case(slab::Cells{3}, papers_steps)),
        time_runs(self, repeat, exact) / static_cast<double>(rates.exact_steps)};
    for (const std::int64_t p : rates.memory_cells) {
      const slab::Space space =
          p == continuum_cells ? slab::Space(slab::Continuum{}) : slab::Space(slab::Cells{p});
      timings.push_back(time_steps(
          self, effort, papers_case(space, papers_steps, engine::Method::turning_points)));
    }
    return timings;
  });
  rates.zero = {cells, from_start, alone[0].least, alone[1]};
  rates.moved = {cells, from_start, alone[2].least, alone[3]};
  rates.forcing = alone[4];
  rates.three_cells = alone[5];
  rates.exact = alone[6];
  rates.memory.assign(alone.begin() + 7, alone.end());
  return rates;
}

Timing measure_run(const parallel::Communicator& comm, const Effort& effort, std::int64_t cells,
                   std::int64_t steps) {
  return time_runs(comm, effort.repeat, papers_case(slab::Cells{cells}, steps));
}

}  // namespace masing::benchmark
