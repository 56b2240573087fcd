#include "engine/slab.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/partition.hpp"
#include "engine/engines.hpp"
#include "engine/setup.hpp"
#include "parallel/phase.hpp"
#include "parallel/rank_sum.hpp"
#include "parallel/stop.hpp"
#include "rheology/catalogue.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

namespace {

/// Returns the memory need of a slab. It does not depend on P if the run uses the engine of turning
/// points and slab::has_smooth_cells() is true. In all other cases a cell needs these bytes:
///     8 for u, and for each of k, η, u0 and c that needs an array
///     8 for u beside v, if a sweep computes v = u - c (see slab::Slab)
///     24 for the table with sums over the cells (slab::make_cell_measure), unless it is a sweep
///     72 for three lists beside the table, if v(0) is not 0 everywhere
/// Without a `form` no arrays of k, η, u0 and c are counted: the least possible need as long as the
/// profile is not known.
MemoryNeed memory_need(const slab::Slab& slab, Method method,
                       const slab::ProfileForm* form = nullptr) {
  if (method == Method::memory && slab::has_smooth_cells(slab)) {
    return {};
  }
  const bool has_table = method != Method::sweep && !slab.is_continuum();
  double bytes = has_table ? 32.0 : 8.0;
  if (form != nullptr) {
    // A sweep that computes v = u - c stores u in an additional vector.
    const bool stores_u = slab.is_shifted() && method == Method::sweep;
    bytes += 8.0 * (slab::kept_arrays(*form) + (stores_u ? 1 : 0));
    const bool has_lists = has_table && (!form->initial_u || form->initial_u->first != 0.0);
    bytes += has_lists ? 72.0 : 0.0;
  }
  return {slab.field_cells(), "cells", bytes};
}

/// Returns the memory need of a slab, with the arrays that its values in three cells indicate.
MemoryNeed expected_need(const slab::Slab& slab, Method method) {
  const base::CellRange some{slab.field_cells() / 3, 1};
  const slab::ProfileForm form =
      slab::confirmed_form(slab::candidate_form(slab), slab::sample_profile(slab, some));
  return memory_need(slab, method, &form);
}

/// Calls `work` on every rank and returns its result. If `work` throws an exception on some ranks,
/// or if a stop is requested and base::poll() in `work` throws Stopped, all ranks throw alike.
/// Collective.
template <class Work>
auto on_each_until_stopped(const parallel::Communicator& comm, const Work& work) {
  std::optional<decltype(work())> result;
  parallel::on_each(comm, [&] {
    const base::Polling polling = parallel::stop_polling();
    result.emplace(work());
  });
  return *std::move(result);
}

/// Checks the values of k, η, v0 and c (see slab::Slab) in all cells. For each of these four whose
/// values follow one formula in all cells, the result contains this formula. Each rank checks its
/// own cells. Throws UserError on all ranks alike for the first cell of all ranks that has invalid
/// values, and Stopped if a stop is requested. Collective.
slab::ProfileForm checked_form(const parallel::Communicator& comm, const slab::Slab& slab) {
  const base::CellRange mine = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  slab::ProfileForm form = on_each_until_stopped(
      comm, [&] { return slab::check_profile(slab, mine, slab::candidate_form(slab)); });
  slab::for_each_column(
      // Removes the formula if the cells of any rank contradict it.
      [&](std::optional<slab::AffineFormula>& line) {
        if (parallel::min_over_ranks(comm, line ? 1 : 0) == 0) {
          line.reset();
        }
      },
      form);
  return form;
}

/// Returns the measure of a slab with P = ∞. The eight measures that were built last are stored for
/// later runs with the same slab. Throws UserError if slab::make_continuous_measure() does. Local.
std::shared_ptr<const slab::Measure> continuous_measure(const slab::Slab& slab) {
  using Kept = std::pair<slab::Slab, std::shared_ptr<const slab::Measure>>;
  constexpr std::size_t most = 8;
  static std::vector<Kept> kept;
  if (const auto entry = std::ranges::find(kept, slab, &Kept::first); entry != kept.end()) {
    return entry->second;
  }
  auto measure = slab::make_continuous_measure(slab);
  kept.emplace(kept.begin(), slab, measure);
  kept.resize(std::min(kept.size(), most));
  return measure;
}

std::shared_ptr<const slab::Measure> measure_of(const parallel::Communicator& comm,
                                                const slab::Slab& slab,
                                                const slab::Profile& profile) {
  if (slab.is_continuum()) {
    return on_each_until_stopped(comm, [&] { return continuous_measure(slab); });
  }
  return profile.functions
             ? on_each_until_stopped(comm, [&] { return slab::make_smooth_cell_measure(slab); })
             : slab::make_cell_measure(profile);
}

/// Returns ∫ k c ds for P = ∞, or δs Σ k_i c_i with the same bits on any number of ranks. `measure`
/// is null for a sweep. Collective.
double preload(const parallel::Communicator& comm, const slab::Slab& slab,
               const slab::Profile& profile, const slab::Measure* measure) {
  if (!slab.is_shifted()) {
    return 0.0;
  }
  if (const auto known = measure != nullptr ? measure->preload() : std::nullopt) {
    return *known;
  }
  const auto load = [&](std::size_t i) {
    const slab::Element cell = profile.element(static_cast<std::int64_t>(i));
    return cell.stiffness * cell.shift;
  };
  const parallel::RankReduction reduction{comm};
  const auto size = static_cast<std::size_t>(profile.range.size);
  const auto cells = static_cast<double>(slab.field_cells());
  const double largest = base::largest_term(size, load, reduction);
  return base::sum_within(largest * cells, size, load, reduction) / cells;
}

/// The model of a slab with or without a mass.
class SlabModel final : public Model {
 public:
  explicit SlabModel(Masing masing)
      : Model(rheology::catalogue_entry(masing.has_mass() ? "masing" : "masing-quasistatic").info),
        masing_(std::move(masing)) {}

  [[nodiscard]] std::string title(bool of_figure) const override {
    return (masing_.has_mass() ? "P = " : info().name + ", P = ") +
           cells_text(masing_.slab.space, of_figure);
  }
  [[nodiscard]] Layout layout() const override {
    const bool is_all =
        masing_.has_mass() && !masing_.base_moves && !(masing_.oscillator.damping > 0);
    return {.of = Layout::Of::cells,
            .size = masing_.slab.field_cells(),
            .state = {.groups = masing_.has_mass() ? std::vector<rheology::StateGroup>()
                                                   : std::vector<rheology::StateGroup>{{"x"}}},
            .force = masing_.base_moves ? "F − m a_g" : "F",
            .restoring = is_all ? "F − m x″" : "k₀ x + S"};
  }
  [[nodiscard]] Parts parts(Method method) const override {
    const bool visits_all = method != Method::memory && !masing_.slab.is_continuum();
    return {.count = masing_.slab.field_cells(),
            .cells_each = visits_all ? 1.0 : 0.0,
            .can_be_split = method == Method::sweep};
  }
  [[nodiscard]] MemoryNeed memory(Method method) const override {
    return expected_need(masing_.slab, method);
  }
  [[nodiscard]] std::shared_ptr<const Model> at(const slab::Space& space,
                                                std::int64_t /*elements*/) const override {
    Masing other = masing_;
    other.slab.space = space;
    return std::make_shared<SlabModel>(std::move(other));
  }
  [[nodiscard]] std::span<const slab::Slab> slabs() const override { return {&masing_.slab, 1}; }
  [[nodiscard]] const slab::SchemeInfo* scheme() const override {
    return masing_.has_mass() ? &slab::info(masing_.scheme) : nullptr;
  }
  [[nodiscard]] const slab::Oscillator* oscillator() const override { return &masing_.oscillator; }
  [[nodiscard]] std::string advice(const slab::TimeGrid& time) const override {
    return masing_.has_mass() ? slab::step_advice(masing_.slab, masing_.oscillator,
                                                  slab::info(masing_.scheme), time)
                              : "";
  }

  [[nodiscard]] Setup set_up(const parallel::Communicator& comm, const RunSpec& run,
                             double available) const override {
    Setup setup;
    setup.profile =
        std::make_unique<slab::Profile>(checked_profile(comm, masing_.slab, run.method, available));
    const slab::Profile& profile = *setup.profile;
    auto measure = run.method == Method::sweep ? nullptr : measure_of(comm, masing_.slab, profile);
    Masing masing = masing_;
    masing.oscillator.preload = preload(comm, masing.slab, profile, measure.get());
    setup.engine = run.method == Method::sweep ? make_sweep(comm, masing, run.time, profile)
                   : run.method == Method::exact
                       ? make_exact(comm, run, masing, profile, std::move(measure))
                       : make_memory(comm, run, masing, profile, std::move(measure));
    return setup;
  }

 private:
  Masing masing_;
};

}  // namespace

slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method, double available) {
  // a first test, before the cells are checked
  require_memory(memory_need(slab, method), comm.size(), available);
  const base::CellRange range = base::local_range(slab.field_cells(), comm.rank(), comm.size());
  const auto has_checked_functions = [&] {
    const bool is_smooth = slab::has_smooth_cells(slab);
    if (is_smooth) {
      slab::check_functions(slab);
    }
    return is_smooth;
  };
  if (comm.size() == 1 && method == Method::memory &&
      on_each_until_stopped(comm, has_checked_functions)) {
    slab::Profile profile;
    profile.range = range;
    profile.functions = std::make_shared<const slab::Slab>(slab);
    return profile;
  }
  const slab::ProfileForm form = checked_form(comm, slab);
  require_memory(memory_need(slab, method, &form), comm.size(), available);
  return slab::sample_profile(slab, range, form);
}

slab::BuiltSlab built_slab(const parallel::Communicator& comm, const slab::Slab& slab,
                           Method method) {
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  slab::Profile profile = checked_profile(comm, slab, method, parallel::available_memory(comm));
  auto measure = measure_of(comm, slab, profile);
  const double load = preload(comm, slab, profile, measure.get());
  return {std::move(measure), load, slab.is_shifted(), std::move(profile)};
}

double bytes_of_built(const slab::Slab& slab) {
  return bytes_a_rank(memory_need(slab, Method::memory), 1);
}

std::shared_ptr<const Model> make_model(Masing masing) {
  return std::make_shared<SlabModel>(std::move(masing));
}

}  // namespace masing::engine
