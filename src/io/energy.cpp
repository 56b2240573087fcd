#include "io/recorders.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "base/block_sum.hpp"
#include "base/limits.hpp"
#include "engine/chain.hpp"
#include "parallel/rank_sum.hpp"
#include "slab/chain/chain.hpp"

namespace masing::io {

namespace {

using slab::Chain;

/// The energies at one step, see energy_group().
struct Energies {
  double kinetic = 0.0;
  double elastic = 0.0;
  double dissipated = 0.0;
  double viscous = 0.0;
  double input = 0.0;
  double base = 0.0;
  double residual = 0.0;
};

/// Returns what the balance of a chain keeps, except for errors of the scheme.
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
  void follow(const engine::Samples& samples, engine::Engine& engine) {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      const double x = samples.x[i];
      const Point now{x, samples.force[i], samples.restoring[i] - oscillator_.k0 * x, samples.y[i]};
      if (samples.first_step == 0 && i == 0) {
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
    const std::span<const double> u = engine.field().values();
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

/// Returns the energies of a chain of slabs of `elements` elements at the engine's step. The sums
/// over the nodes and elements have the same bits on any number of ranks. Collective.
Energies chain_energies(const parallel::Communicator& comm, const Chain& chain,
                        std::int64_t elements) {
  // The sum of a term of every element and of the node above it; the first element also counts the
  // base.
  const auto sum = [&](const auto& term) {
    std::vector<double> terms(chain.size());
    for (std::size_t j = 0; j < terms.size(); ++j) {
      terms[j] = term(j);
    }
    const parallel::RankReduction reduction{comm};
    const double most = base::largest_term(
        terms.size(), [&](std::size_t j) { return terms[j]; }, reduction);
    const auto within = [&](double bound, const auto& each) {
      return base::sum_within(
          bound, terms.size(), [&](std::size_t j) { return each(terms[j]); }, reduction);
    };
    // The sum of the absolute values is a close bound, with which few digits are lost.
    const double size =
        within(most * static_cast<double>(elements), [](double value) { return std::abs(value); });
    return within(size * (1.0 + 1e-6), std::identity());
  };
  const auto of_nodes = [&](const auto& value) {
    return sum([&](std::size_t j) {
      return value(j + 1) + (j == 0 && chain.holds_base() ? value(std::size_t{0}) : 0.0);
    });
  };
  Energies now;
  now.kinetic =
      of_nodes([&](std::size_t i) { return 0.5 * chain.mass(i) * chain.y()[i] * chain.y()[i]; });
  std::vector<Chain::Energy> energies;
  for (std::size_t j = 0; j < chain.size(); ++j) {
    energies.push_back(chain.energy(j));
  }
  now.elastic = sum([&](std::size_t j) { return energies[j].elastic; });
  now.dissipated = sum([&](std::size_t j) { return energies[j].slid; });
  now.viscous = of_nodes([&](std::size_t i) { return chain.viscous_work()[i]; }) +
                sum([&](std::size_t j) { return chain.dashpot_work(j); });
  now.base = of_nodes([&](std::size_t i) { return chain.base_work()[i]; });
  now.input = of_nodes([&](std::size_t i) { return chain.force_work()[i]; }) + now.base;
  return now;
}

/// Returns the residual of a slab. It is that of a chain, whole(now) - whole(first), but for
/// rounding errors.
double residual_of_slab(const Energies& now, const Energies& first) {
  const auto lost = [](const Energies& at) { return at.dissipated + at.viscous; };
  const auto stored = [](const Energies& at) { return at.kinetic + at.elastic; };
  return now.input - first.input - (lost(now) - lost(first)) - (stored(now) - stored(first));
}

/// The columns of /energy and their members of Energies.
using EnergyColumns = std::vector<std::pair<Column, double Energies::*>>;

/// Returns the columns of a model that may be a chain of slabs.
EnergyColumns energy_columns(const engine::Model& model, const engine::MasingChain* chain) {
  const auto symbol = [&](const char* of_slab, const char* of_chain) {
    return std::string(chain == nullptr ? of_slab : of_chain);
  };
  const std::string input =
      symbol(model.layout().force != "F" ? "int (F - m a_g) dx" : "int F dx", "int F y dt + base");
  const std::string elastic =
      symbol("k0 x^2/2 + int k u^2/2 ds", "sum k0 d^2/2 + sum k int k u^2/2 ds");
  const std::string slid =
      symbol("int S dx - gain of the slab", "sum int S dd - gain of the slabs");
  const std::string damped = symbol("int c y^2 dt", "int sum c y^2 + sum b d'^2 dt");
  const std::string residual =
      "what the balance lacks: input less dissipated, viscous and the gain of kinetic and elastic, "
      "since the first sample";
  EnergyColumns columns{
      {{"kinetic", {"kinetic energy of all masses", symbol("m y^2/2", "sum m y^2/2")}},
       &Energies::kinetic},
      {{"elastic", {"elastic energy of all springs", elastic}}, &Energies::elastic},
      {{"dissipated", {"energy dissipated by sliding since t = 0", slid}}, &Energies::dissipated},
      {{"input", {"work of the force and of the base since t = 0", input}}, &Energies::input},
      {{"residual", {residual, input + " - ..."}}, &Energies::residual}};
  if (chain != nullptr || model.oscillator()->damping > 0) {
    columns.push_back(
        {{"viscous", {"energy dissipated by dashpots since t = 0", damped}}, &Energies::viscous});
  }
  if (chain != nullptr) {
    columns.push_back({{"base",
                        {"work of the base since t = 0",
                         chain->absorbs ? "int 2 c v y_0 - c y_0^2 dt" : "-int sum m a_g y dt"}},
                       &Energies::base});
  }
  return columns;
}

}  // namespace

Group energy_group(const RecorderContext& context) {
  const engine::MasingChain* const chain = engine::chain_of(*context.run.model);
  const EnergyColumns columns = energy_columns(*context.run.model, chain);
  Group group{.path = "/energy",
              .time = Attributes{"time of the sample", "t"},
              .sampling = context.output.sampling,
              .needs_state = true};
  for (const auto& [column, member] : columns) {
    group.columns.push_back(column);
  }
  std::shared_ptr<SlabEnergies> slab;
  if (chain == nullptr) {
    slab = std::make_shared<SlabEnergies>(context);
    group.follow = [slab](const auto& samples, auto& engine) { slab->follow(samples, engine); };
  }
  // the energies at the first sample; before it, `kinetic` is NaN
  const auto first = std::make_shared<Energies>(Energies{.kinetic = base::undefined});
  group.fill = [=, &comm = context.comm](const Moment& now, std::vector<double>& row) {
    Energies at = slab != nullptr
                      ? slab->at_end(now.engine)
                      : chain_energies(comm, engine::chain_in(now.engine), chain->elements());
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
