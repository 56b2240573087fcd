#include "benchmark/kernel_rates.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/error.hpp"
#include "base/fixed_point.hpp"
#include "benchmark/engine_rates.hpp"
#include "benchmark/native_loops.hpp"
#include "engine/sweep.hpp"
#include "parallel/communicator.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

namespace {

slab::ProfileForm form_of(const Variant& variant, const slab::ProfileForm& whole) {
  slab::ProfileForm form = whole;
  if (!variant.affine) {
    form.affine_threshold.reset();
  }
  if (!variant.constant) {
    form.constant_stiffness.reset();
  }
  return form;
}

/// A slab of the papers' profile under increments that come and go, as a bare loop would treat it.
/// Each increment waits for the sum before it, as in a run.
class BareSlab {
 public:
  BareSlab(const parallel::Communicator& comm, const slab::Profile& profile, std::int64_t cells)
      : comm_(comm),
        profile_(profile),
        form_(profile.form),
        u_(profile.threshold.size(), 0.0),
        scale_(base::FixedPoint(1.2).units_per_one() / static_cast<double>(cells)) {}

  Work work(const Variant& variant) {
    const slab::SlabKernel kernel({.u = u_,
                                   .threshold = profile_.threshold,
                                   .stiffness = profile_.stiffness,
                                   .first_cell = profile_.range.first,
                                   .form = form_of(variant, form_)},
                                  scale_);
    return {variant.increments, [this, &variant, kernel](std::int64_t passes) {
              for (std::int64_t pass = 0; pass < passes; ++pass) {
                once(variant, kernel, pass % 8 < 4 ? 0.01 : -0.01);
              }
            }};
  }

 private:
  void once(const Variant& variant, const slab::SlabKernel& kernel, double increment) {
    // Too small to change the increment, but the processor cannot know.
    const double d = increment + 1e-30 * last_sum_;
    switch (variant.sum) {
      case Sum::plain:
        last_sum_ = joined(baseline_step(u_.data(), profile_.threshold.data(),
                                         profile_.stiffness.data(), std::ssize(u_), d));
        return;
      case Sum::reproducible: {
        const std::array increments{d, d};
        std::array<std::int64_t, 2> units{};
        const auto count = static_cast<std::size_t>(variant.increments);
        kernel.project_and_sum(std::span(increments).first(count), std::span(units).first(count));
        last_sum_ = 1e-18 * static_cast<double>(units[0] + units[1]);
        return;
      }
    }
  }

  /// The plain sum over the ranks, of which there is one or which all do the same.
  [[nodiscard]] double joined(double sum) const {
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

/// The kernel's variants through the engine of a run, the others as bare loops over the slabs.
class AllRanks {
 public:
  AllRanks(const parallel::Communicator& comm, std::int64_t cells)
      : profile_(papers_profile(cells, base::slab_of(cells, comm.rank(), comm.size()))),
        form_(profile_.form),
        bare_(comm, profile_, cells),
        euler_(comm, problem(cells, cli::Scheme::euler), profile_),
        leapfrog_(comm, problem(cells, cli::Scheme::leapfrog), profile_),
        drive_euler_(euler_, force_),
        drive_leapfrog_(leapfrog_, force_) {}

  Work work(const Variant& variant) {
    if (variant.sum != Sum::reproducible) {
      return bare_.work(variant);
    }
    Drive& drive = variant.increments == 2 ? drive_euler_ : drive_leapfrog_;
    return {variant.increments, [this, &variant, &drive](std::int64_t passes) {
              profile_.form = form_of(variant, form_);
              drive.steps(passes * variant.increments);
            }};
  }

 private:
  static slab::Problem problem(std::int64_t cells, cli::Scheme scheme) {
    cli::Configuration configuration = papers_case(cells, 1000000);
    configuration.scheme = scheme;
    return slab::make_problem(configuration);
  }

  SampledForce force_;
  slab::Profile profile_;
  slab::ProfileForm form_;
  BareSlab bare_;
  engine::Sweep euler_;
  engine::Sweep leapfrog_;
  Drive drive_euler_;
  Drive drive_leapfrog_;
};

std::vector<Timing> on_all_ranks(const parallel::Communicator& comm, const Effort& effort,
                                 std::int64_t cells) {
  AllRanks ranks(comm, cells);
  std::vector<Work> works;
  for (const Variant& variant : variants()) {
    works.push_back(ranks.work(variant));
  }
  return measure(comm, effort, works);
}

/// What makes the sum of one block exact: in the kernel the processor may overlap it with the next
/// block's cells, so this is the most that exact sums can cost.
Timing of_exact_sum(const Effort& effort) {
  constexpr std::int64_t blocks = 64;
  const std::vector<double> lanes(blocks * block_lanes, 0.1);
  std::int64_t total = 0;
  const Work work{blocks, [&](std::int64_t units) {
                    for (std::int64_t i = 0; i < units; ++i) {
                      total += exact_sum(lanes.data(), blocks, 1e6);
                    }
                  }};
  const parallel::Communicator self(MPI_COMM_SELF);
  return measure(self, effort, std::span(&work, 1)).front();
}

void append(std::vector<std::vector<Timing>>& columns, const std::vector<Timing>& row) {
  columns.resize(row.size());
  for (std::size_t v = 0; v < row.size(); ++v) {
    columns[v].push_back(row[v]);
  }
}

}  // namespace

double Variant::bytes_per_update() const {
  return (16.0 + (affine ? 0.0 : 8.0) + (constant ? 0.0 : 8.0)) / increments;
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"baseline", "the obvious fused loop: one step a pass, three arrays, a plain sum", Sum::plain,
       1, false, false},
      {"general", "the kernel, two steps a pass, any k and eta", Sum::reproducible, 2, false,
       false},
      {"affine", "the kernel, two steps a pass, eta affine", Sum::reproducible, 2, true, false},
      {"constant", "the kernel, two steps a pass, k constant", Sum::reproducible, 2, false, true},
      {"both", "the kernel, two steps a pass, eta affine and k constant: the papers' case",
       Sum::reproducible, 2, true, true},
      {"leapfrog", "the kernel, one step a pass, any k and eta", Sum::reproducible, 1, false,
       false}};
  return all;
}

std::size_t place_of(const std::string& variant) {
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
      on_root_alone(comm, 1, [&] { return std::vector{of_exact_sum(effort)}; }).front();
  for (const std::int64_t p : cells) {
    rates.cells.push_back(p);
    append(rates.one,
           on_root_alone(comm, variants().size(), [&] { return on_one_rank(effort, p); }));
    append(rates.all, on_all_ranks(comm, effort, p));
  }
  return rates;
}

}  // namespace masing::benchmark
