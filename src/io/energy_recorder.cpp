#include "io/recorders.hpp"

#include <algorithm>
#include <cmath>

#include "base/block_sum.hpp"
#include "parallel/rank_sum.hpp"

namespace masing::io {

namespace {

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

/// Writes the balance of energy, one row per sample, into the datasets of /energy:
///     kinetic      ½ m y²
///     elastic      ½ k0 x² + ½ ∫ k u² ds
///     input        ∫ F dx since t = 0
///     dissipated   ∫ S dx minus the increase of ½ ∫ k u² ds since t = 0: the energy that the
///                  sliding elements dissipate
///     viscous      ∫ c y² dt since t = 0; this dataset exists only if there is damping
///     residual     input - dissipated - viscous minus the increase of kinetic + elastic, all since
///                  the first sample
/// For the exact motion, kinetic + elastic + dissipated + viscous - input is constant in time; the
/// residual is the decrease of this sum since the first sample, and thus an error of the scheme. If
/// the base moves, F stands for F - m a_g. Engine::works() returns the integrals ∫ F dx, ∫ S dx and
/// ∫ c y² dt if the engine computes the exact motion. For other engines this class computes them by
/// the trapezoidal rule with one interval per step. Engine::elastic_energy() returns ½ ∫ k u² ds if
/// the engine can compute it without a sum over the cells; if it cannot, this class computes the
/// sum. The results have the same bits on any number of ranks.
class EnergyRecorder final : public RowRecorder {
 public:
  /// Creates the datasets. Collective.
  EnergyRecorder(const RecorderContext& context, const slab::Slab& slab)
      : RowRecorder(context, context.output.sampling),
        oscillator_(*context.run.model->oscillator()),
        step_(context.run.time.step()),
        cells_(slab.field_cells()),
        profile_(*context.profile),
        fixed_point_(energy_bound(comm_, profile_, cells_), "energy k eta^2 / 2 of --energy") {
    rows_.add("/energy/t", {"time of the sample", "t"});
    rows_.add("/energy/kinetic", {"kinetic energy of the mass", "m y^2/2"});
    rows_.add("/energy/elastic", {"elastic energy of all springs", "k0 x^2/2 + int k u^2/2 ds"});
    rows_.add("/energy/dissipated",
              {"energy dissipated by sliding since t = 0", "int S dx - gain of the slab"});
    const bool base_moves = context.run.model->layout().force != "F";
    const std::string work = base_moves ? "int (F - m a_g) dx" : "int F dx";
    rows_.add("/energy/input",
              {std::string("work of the external force ") +
                   (base_moves ? "less m a_g, relative to the base, " : "") + "since t = 0",
               work});
    const std::string lost = oscillator_.damping > 0 ? "dissipated less viscous less the gain"
                                                     : "dissipated less the gain";
    rows_.add("/energy/residual", {"what the balance lacks: input less " + lost +
                                       " of kinetic and elastic, since the first sample",
                                   work + " - ..."});
    if (oscillator_.damping > 0) {
      rows_.add("/energy/viscous",
                {"energy dissipated by viscous damping since t = 0", "int c y^2 dt"});
    }
  }

  void observe(const engine::Samples& samples, engine::Engine& engine) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      const double x = samples.x[i];
      const Point now{x, samples.force[i], samples.restoring[i] - oscillator_.k0 * x, samples.y[i]};
      if (samples.first_step == 0 && i == 0) {
        slab_energy_at_start_ = slab_energy(engine);
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
    RowRecorder::observe(samples, engine);
  }

  void serialize(std::int64_t step, engine::Archive& archive) override {
    archive.scalars("sums", last_.x, last_.force, last_.internal_force, last_.y, works_.slab,
                    works_.input, works_.viscous, slab_energy_at_start_, first_.stored,
                    first_.dissipated, first_.input);
    RowRecorder::serialize(step, archive);
  }

 private:
  struct Point {
    double x;
    double force;
    double internal_force;
    double y;
  };

  /// The energies at one sample.
  struct Balance {
    double stored = 0.0;
    double dissipated = 0.0;  ///< the energy dissipated by sliding and by damping
    double input = 0.0;
  };

  void record(const engine::Samples& samples, engine::Engine& engine) override {
    const double slab = slab_energy(engine);
    works_ = engine.works().value_or(works_);
    const double kinetic = 0.5 * oscillator_.mass * last_.y * last_.y;
    const double elastic = 0.5 * oscillator_.k0 * last_.x * last_.x + slab;
    const double slid = works_.slab - (slab - slab_energy_at_start_);
    const Balance now{kinetic + elastic, slid + works_.viscous, works_.input};
    if (rows_.rows() == 0) {
      first_ = now;
    }
    const std::array row{steps_.time(samples.last_step()),
                         kinetic,
                         elastic,
                         slid,
                         works_.input,
                         works_.input - first_.input - (now.dissipated - first_.dissipated) -
                             (now.stored - first_.stored),
                         works_.viscous};
    rows_.push(std::span(row).first(oscillator_.damping > 0 ? row.size() : row.size() - 1));
  }

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

  slab::Oscillator oscillator_;
  double step_;  // δt
  std::int64_t cells_;
  const slab::Profile& profile_;
  base::FixedPoint fixed_point_;
  Point last_{};
  slab::Works works_;
  double slab_energy_at_start_ = 0.0;
  Balance first_;  // the energies at the first sample
};

}  // namespace

std::unique_ptr<engine::Observer> make_energy_recorder(const RecorderContext& context) {
  const slab::Slab* slab = engine::slab_of(context.run);
  return context.output.energy && slab != nullptr && context.run.model->scheme() != nullptr
             ? std::make_unique<EnergyRecorder>(context, *slab)
             : nullptr;
}

}  // namespace masing::io
