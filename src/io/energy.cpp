#include "io/recorders.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/block_sum.hpp"
#include "base/limits.hpp"
#include "parallel/rank_sum.hpp"

namespace masing::io {

namespace {

/// Returns what the balance of a model with nodes keeps, except for errors of the scheme.
double whole(const Energies& at) {
  return at.input - at.dissipated - at.viscous - at.kinetic - at.elastic;
}

/// Returns an upper bound of ½ δs Σ k u², the elastic energy of all cells. It follows from -η⁻ ≤ u
/// ≤ η⁺. The bound is the same on any number of ranks. For closed forms, where no sum over cells is
/// computed, the result is 1. Collective.
double energy_bound(const parallel::Communicator& comm, const slab::Profile& profile,
                    std::int64_t cells) {
  if (profile.functions) {
    return 1.0;  // arbitrary: no sum over cells is computed
  }
  const auto term = [&](std::size_t i) {
    const slab::Element cell = profile.element(static_cast<std::int64_t>(i));
    const double most = std::max(slab::threshold_up(cell), slab::threshold_down(cell));
    return 0.5 * cell.stiffness * most * most;
  };
  return base::sum_bound(static_cast<std::size_t>(profile.range.size), cells, term,
                         parallel::RankReduction{comm});
}

/// Computes the energies of a slab. Engine::works() returns the integrals ∫ F dx, ∫ S dx and ∫ c y²
/// dt if the engine computes the exact motion. For other engines this class computes them by the
/// trapezoidal rule with one interval per step. Engine::elastic_energy() returns ½ ∫ k u² ds if the
/// engine can compute it without a sum over the cells; if it cannot, this class computes the sum.
/// The results have the same bits on any number of ranks.
class SlabEnergies {
 public:
  /// Throws UserError if the sum over the cells may be too large. Collective.
  explicit SlabEnergies(const RecorderContext& context)
      : comm_(context.comm),
        oscillator_(*context.run.model->oscillator()),
        step_(context.run.time.step()),
        cells_(engine::slab_of(context.run)->field_cells()),
        profile_(*context.profile),
        fixed_point_(energy_bound(comm_, profile_, cells_), "energy k eta^2 / 2 of --energy") {}

  /// Adds to the integrals what the steps of a chunk contribute. Collective.
  void follow(const engine::Motion& motion, engine::Engine& engine) {
    for (std::size_t i = 0; i < motion.x.size(); ++i) {
      const double x = motion.x[i];
      const Point now{x, motion.force[i], motion.restoring[i] - oscillator_.k0 * x, motion.y[i]};
      if (motion.first_step == 0 && i == 0) {
        at_start_ = slab_energy(engine);
        // The first call of works() starts the integrals ∫ F dx, ∫ S dx and ∫ c y² dt at t = 0.
        engine.works();
      } else {
        const double dx = now.x - last_.x;
        works_.slab += 0.5 * (last_.internal_force + now.internal_force) * dx;
        works_.input += 0.5 * (last_.force + now.force) * dx;
        works_.viscous += 0.5 * oscillator_.damping * (last_.y * last_.y + now.y * now.y) * step_;
      }
      last_ = now;
    }
  }

  /// Returns the energies at the last step of the last chunk. Collective.
  [[nodiscard]] Energies at_end(engine::Engine& engine) {
    const double slab = slab_energy(engine);
    works_ = engine.works().value_or(works_);
    return {.kinetic = 0.5 * oscillator_.mass * last_.y * last_.y,
            .elastic = 0.5 * oscillator_.k0 * last_.x * last_.x + slab,
            .dissipated = works_.slab - (slab - at_start_),
            .viscous = works_.viscous,
            .input = works_.input};
  }

  void serialize(engine::Archive& archive) {
    archive.scalars("sums", last_.x, last_.force, last_.internal_force, last_.y, works_.slab,
                    works_.input, works_.viscous, at_start_);
  }

 private:
  struct Point {
    double x;
    double force;
    double internal_force;
    double y;
  };

  /// Returns ½ ∫ k u² ds. Collective.
  [[nodiscard]] double slab_energy(engine::Engine& engine) const {
    if (const auto known = engine.elastic_energy()) {
      return *known;
    }
    const std::span<const double> u = engine.state().values();
    const double half_width = 0.5 / static_cast<double>(cells_);
    std::int64_t units = 0;
    for (std::size_t first = 0; first < u.size(); first += base::block_cells) {
      const std::size_t end = std::min(u.size(), first + base::block_cells);
      double sum = 0.0;
      for (std::size_t i = first; i < end; ++i) {
        sum += profile_.element(static_cast<std::int64_t>(i)).stiffness * u[i] * u[i];
      }
      units += std::llrint(sum * half_width * fixed_point_.units_per_one());
    }
    parallel::sum_over_ranks(comm_, std::span(&units, 1));
    return fixed_point_.value(units);
  }

  const parallel::Communicator& comm_;
  slab::Oscillator oscillator_;
  double step_;  // δt
  std::int64_t cells_;
  const slab::Profile& profile_;
  base::FixedPoint fixed_point_;
  Point last_{};
  slab::Works works_;
  double at_start_ = 0.0;  // ½ ∫ k u² ds at t = 0
};

/// Returns the residual of a slab. It is that of a model with nodes, whole(now) - whole(first), but
/// for rounding errors: the two formulas keep the bits of files that exist.
double residual_of_slab(const Energies& now, const Energies& first) {
  const auto lost = [](const Energies& at) { return at.dissipated + at.viscous; };
  const auto stored = [](const Energies& at) { return at.kinetic + at.elastic; };
  return now.input - first.input - (lost(now) - lost(first)) - (stored(now) - stored(first));
}

/// The columns of /energy and their members of Energies.
using EnergyColumns = std::vector<std::pair<Column, double Energies::*>>;

/// Returns the columns of a model, which may have nodes.
EnergyColumns energy_columns(const engine::Model& model, bool has_nodes) {
  EnergyColumns columns{
      {{"kinetic", {"kinetic energy of all masses", "m y^2/2"}}, &Energies::kinetic},
      {{"elastic", {"elastic energy of all springs", "k0 x^2/2 + int k u^2/2 ds"}},
       &Energies::elastic},
      {{"dissipated", {"energy dissipated by sliding since t = 0", "int S dx - gain of the slab"}},
       &Energies::dissipated},
      {{"input", {"work of the force and of the base since t = 0", "int force dx"}},
       &Energies::input},
      {{"residual",
        {"what the balance lacks: input less dissipated, viscous and the gain of kinetic and "
         "elastic, since the first sample",
         "input - ..."}},
       &Energies::residual}};
  if (has_nodes || model.oscillator()->damping > 0) {
    columns.push_back({{"viscous", {"energy dissipated by dashpots since t = 0", "int c y^2 dt"}},
                       &Energies::viscous});
  }
  if (has_nodes) {
    columns.push_back(
        {{"base", {"work of the base since t = 0", "int F_base dx"}}, &Energies::base});
  }
  return columns;
}

}  // namespace

Group energy_group(const RecorderContext& context) {
  const bool has_nodes = context.run.model->layout().of == engine::Layout::Of::nodes;
  const EnergyColumns columns = energy_columns(*context.run.model, has_nodes);
  Group group{.path = "/energy",
              .time = Attributes{"time of the sample", "t"},
              .sampling = context.output.sampling,
              .needs_state = true};
  for (const auto& [column, member] : columns) {
    group.columns.push_back(column);
  }
  std::shared_ptr<SlabEnergies> slab;
  if (!has_nodes) {
    slab = std::make_shared<SlabEnergies>(context);
    group.follow = [slab](const auto& motion, auto& engine) { slab->follow(motion, engine); };
  }
  // the energies at the first sample; before it, `kinetic` is NaN
  const auto first = std::make_shared<Energies>(Energies{.kinetic = base::undefined});
  group.fill = [=, &comm = context.comm, &run = context.run](const Moment& now,
                                                             std::vector<double>& row) {
    Energies at = slab != nullptr ? slab->at_end(now.engine) : node_energies(comm, run, now.engine);
    *first = std::isnan(first->kinetic) ? at : *first;
    at.residual = slab != nullptr ? residual_of_slab(at, *first) : whole(at) - whole(*first);
    for (const auto& [column, member] : columns) {
      row.push_back(at.*member);
    }
  };
  group.serialize = [=](engine::Archive& archive) {
    archive.scalars("first", first->kinetic, first->elastic, first->dissipated, first->viscous,
                    first->input);
    if (slab != nullptr) {
      slab->serialize(archive);
    }
  };
  return group;
}

}  // namespace masing::io
