#include "engine/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "base/text.hpp"
#include "engine/distributed_measure.hpp"
#include "engine/exact.hpp"
#include "engine/inclusion.hpp"
#include "engine/state_columns.hpp"
#include "engine/sweep.hpp"
#include "engine/turning_points.hpp"
#include "parallel/session.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/continuous_measure.hpp"
#include "slab/turning_points/interval_sets.hpp"

namespace masing::engine {

namespace {

/// Throws UserError alike on all ranks where a run does not fit.
void require_memory(const MemoryNeed& need, double available) {
  if (const auto shortage = memory_shortage(need, available)) {
    throw *shortage;
  }
}

/// Bytes a rank. Collective.
double available_to(const parallel::Communicator& comm, const Holding& holding) {
  return holding.available ? *holding.available : parallel::available_memory(comm);
}

/// `work` on this rank, ended where one of the ranks is asked to stop: throws Stopped then, alike
/// on all. Collective.
template <class Work>
auto stoppable(const parallel::Communicator& comm, const Work& work) {
  std::optional<decltype(work())> result;
  std::exception_ptr failure;
  bool stopped = false;
  const auto begin = std::chrono::steady_clock::now();
  try {
    const base::Polling polling([begin] {
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(1) &&
          parallel::stop_requested()) {
        throw base::Stopped("");
      }
    });
    result.emplace(work());
  } catch (const base::Stopped&) {
    stopped = true;
  } catch (...) {
    failure = std::current_exception();
  }
  if (parallel::min_over_ranks(comm, stopped ? 0 : 1) == 0) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm) + " before the first step");
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return *std::move(result);
}

/// Throws UserError where k, η or u0 of a slab of smooth functions is not admissible.
void require_admissible(const parallel::Communicator& comm, const slab::Slab& slab) {
  if (const auto fault = stoppable(comm, [&] { return slab::continuous_fault(slab); })) {
    throw *fault;
  }
}

/// What formulas give of the profile: a look at every cell, each rank at its own. Throws UserError
/// alike on all ranks, for the first cell at fault.
slab::ProfileForm checked_form(const parallel::Communicator& comm, const slab::Slab& slab) {
  slab::ProfileForm candidate = slab::candidate_form(slab);
  slab::for_each_column(
      [&](std::optional<slab::Line>& line) {  // of the root, on every rank
        std::array numbers{line->first, line->slope};
        parallel::broadcast(comm, numbers);
        line = {numbers[0], numbers[1]};
      },
      candidate);
  const base::CellRange mine = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  slab::ProfileCheck check =
      stoppable(comm, [&] { return slab::check_profile(slab, mine, candidate); });
  parallel::throw_first(comm, check.fault);
  slab::for_each_column(
      [&](std::optional<slab::Line>& line) {  // what no rank's cells contradict
        if (parallel::min_over_ranks(comm, line ? 1 : 0) == 0) {
          line.reset();
        }
      },
      check.form);
  return check.form;
}

}  // namespace

slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              const Holding& holding) {
  const double available = available_to(comm, holding);
  MemoryNeed need = memory_need(slab, comm.size(), holding);
  require_memory(need, available);  // the least need, before a look at every cell
  const base::CellRange range = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  if (comm.size() == 1 && holding.method == Method::turning_points &&
      stoppable(comm, [&] { return slab::has_smooth_cells(slab); })) {
    require_admissible(comm, slab);
    slab::Profile profile;
    profile.range = range;
    profile.functions = std::make_shared<const slab::Slab>(slab);
    return profile;
  }
  const slab::ProfileForm form = checked_form(comm, slab);
  // A sweep shows u in a vector of its own where it computes u - c.
  const bool shows = slab.is_shifted() && holding.method == Method::sweep;
  need.arrays = slab::kept_arrays(form) + (shows ? 1 : 0);
  need.moved = !form.initial_u || form.initial_u->first != 0.0;
  require_memory(need, available);
  return slab::sample_profile(slab, range, form);
}

namespace {

std::shared_ptr<const slab::Measure> measure_of(const parallel::Communicator& comm,
                                                const slab::Slab& slab,
                                                const slab::Profile& profile) {
  if (slab.is_continuum() || profile.functions) {
    return stoppable(comm, [&] {
      return slab.is_continuum() ? slab::make_continuous_measure(slab)
                                 : slab::make_smooth_cell_measure(slab);
    });
  }
  return comm.size() == 1 ? slab::make_cell_measure(profile)
                          : distributed_measure(comm, profile, slab.field_cells());
}

/// The function that drives a run at t = 0: the root's value, on every rank.
double drive_at_start(const parallel::Communicator& comm, const RunSpec& run) {
  double value = run.drive(0.0);
  parallel::broadcast(comm, std::span(&value, 1));
  return value;
}

/// ∫ k c ds, or δs Σ k_i c_i with the same bits on any ranks. Collective.
double preload(const parallel::Communicator& comm, const slab::Slab& slab,
               const slab::Profile& profile) {
  if (!slab.is_shifted()) {
    return 0.0;
  }
  if (slab.is_continuum() || profile.functions) {
    return stoppable(comm, [&] {
      return profile.functions ? slab::smooth_cell_preload(slab) : slab::continuous_preload(slab);
    });
  }
  const auto load = [&](std::int64_t i) {
    const slab::Element cell = profile.element(i);
    return cell.stiffness * cell.shift;
  };
  const RankReduction reduction(comm);
  std::array<double, 1> largest{};
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    largest[0] = std::max(largest[0], std::abs(load(i)));
  }
  reduction.max(largest);
  const double sum = base::sum_within(
      largest[0] * static_cast<double>(slab.field_cells()),
      static_cast<std::size_t>(profile.range.size),
      [&](std::size_t i) { return load(static_cast<std::int64_t>(i)); }, reduction);
  return sum / static_cast<double>(slab.field_cells());
}

std::unique_ptr<Engine> make_engine_of(const parallel::Communicator& comm, const RunSpec& run,
                                       Masing& masing, double load, const slab::Profile& profile) {
  masing.oscillator.preload = load;
  if (masing.method == Method::sweep) {
    return std::make_unique<Sweep>(comm, masing, run.time, profile);
  }
  auto measure = measure_of(comm, masing.slab, profile);
  return masing.method == Method::exact
             ? make_exact(comm, run, masing, profile, std::move(measure))
             : make_by_turning_points(comm, masing, run.time, profile, std::move(measure));
}

std::unique_ptr<Engine> make_engine_of(const parallel::Communicator& comm, const RunSpec& run,
                                       const QuasistaticMasing& model, double load,
                                       const slab::Profile& profile) {
  return make_by_turning_points(comm, model, run.time, profile,
                                measure_of(comm, model.slab, profile), drive_at_start(comm, run),
                                load);
}

/// What an engine steps of a model: its elements on this rank, coupled to those of other ranks
/// where they are split.
template <class Model>
Model coupled(const parallel::Communicator& /*comm*/, Model model, const base::CellRange& /*mine*/,
              std::int64_t /*elements*/) {
  return model;
}

rheology::SChain<RankLine> coupled(const parallel::Communicator& comm, rheology::SChain<> model,
                                   const base::CellRange& mine, std::int64_t elements) {
  return {std::move(model), RankLine(comm, mine, elements)};
}

rheology::PSeries<RankReduction> coupled(const parallel::Communicator& comm,
                                         rheology::PSeries<> model, const base::CellRange& /*mine*/,
                                         std::int64_t /*elements*/) {
  return {std::move(model), RankReduction(comm)};
}

std::unique_ptr<Engine> make_inclusion(const parallel::Communicator& comm, const RunSpec& run,
                                       const rheology::ModelSpec& spec) {
  if (spec.solver == rheology::Solver::events) {
    return make_exact(comm, run, spec);
  }
  const base::CellRange mine =
      base::local_range(spec.parameters.elements, comm.rank(), comm.size());
  rheology::BuiltModel built = rheology::build(spec, mine);
  StateColumns columns(comm, spec.layout(), mine);
  return std::visit(
      [&](auto& model) -> std::unique_ptr<Engine> {
        auto here = coupled(comm, std::move(model), mine, spec.parameters.elements);
        return std::make_unique<InclusionEngine<decltype(here)>>(
            comm, std::move(here), std::move(built.start), std::move(columns), run.time.step(),
            drive_at_start(comm, run));
      },
      built.model);
}

}  // namespace

std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile) {
  if (slab_of(run)->is_continuum()) {
    require_admissible(comm, *slab_of(run));
  }
  return std::visit(
      [&](auto model) -> std::unique_ptr<Engine> {
        if constexpr (requires { model.slab; }) {
          return make_engine_of(comm, run, model, preload(comm, model.slab, profile), profile);
        } else {
          return nullptr;
        }
      },
      run.model);
}

ExactSlab exact_slab(const parallel::Communicator& comm, const slab::Slab& slab) {
  const slab::Profile profile = checked_profile(comm, slab, {.method = Method::exact});
  if (slab.is_continuum()) {
    require_admissible(comm, slab);
  }
  const double load = preload(comm, slab, profile);
  return {measure_of(comm, slab, profile), load};
}

parallel::Communicator makers(const parallel::Communicator& comm, const RunSpec& run,
                              std::optional<double> available) {
  std::int64_t split = 0;
  parallel::on_root(comm, [&] {
    const parallel::Communicator own(comm, 0, 1);
    split = is_split(run, comm.size(), available_to(own, {.available = available})) ? 1 : 0;
  });
  parallel::broadcast(comm, std::span(&split, 1));
  return split == 1 ? parallel::Communicator(comm, 0, comm.size())
                    : parallel::Communicator(comm, comm.rank(), 1);
}

Setup make_setup(const parallel::Communicator& comm, const RunSpec& run, Holding holding) {
  Setup setup;
  const double available = available_to(comm, holding);
  assert(comm.size() == 1 || is_split(run, comm.size(), available));
  if (const slab::Slab* const slab = slab_of(run)) {
    holding.method = method_of(run);
    setup.profile = std::make_unique<slab::Profile>(checked_profile(comm, *slab, holding));
    setup.engine = make_engine(comm, run, *setup.profile);
  } else {
    require_memory(memory_need(run, comm.size(), holding), available);
    setup.engine = make_inclusion(comm, run, *run.facts().elements);
  }
  return setup;
}

void check_run(const parallel::Communicator& comm, const RunSpec& run) {
  const auto check = [&run](const parallel::Communicator& by) {
    const Setup setup = make_setup(by, run);
    constexpr std::int64_t looks = 1000000;
    const std::int64_t stride = run.time.steps / looks + 1;
    for (std::int64_t p = 0; p <= run.time.steps; p += stride) {
      const double value = run.drive(run.time.time(p));
      if (!std::isfinite(value)) {
        const auto [quantity, symbol] = drive_of(run);
        throw base::UserError(quantity,
                              fmt::format("{} = {} at t = {}; it must be finite on [0, T]", symbol,
                                          base::to_text(value), base::to_text(run.time.time(p))));
      }
    }
  };
  const parallel::Communicator by = makers(comm, run);
  if (by.size() == comm.size()) {
    check(by);
  } else {
    parallel::on_root(comm, [&] { check(by); });
  }
}

}  // namespace masing::engine
