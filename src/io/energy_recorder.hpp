#pragma once

#include "base/block_sum.hpp"
#include "engine/engine.hpp"
#include "io/hdf5.hpp"
#include "io/recorders.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::io {

/// /energy/kinetic, elastic, dissipated, input, residual, and viscous where there is damping: the
/// balance of energy, one row a sample,
///     kinetic ½ m y²;   elastic ½ k0 x² + ½ ∫ k u² ds;   input ∫ F dx from t = 0;
///     dissipated ∫ S dx - (the slab's elastic energy gained), what its sliding elements took.
///     viscous ∫ c y² dt from t = 0.
/// kinetic + elastic + dissipated + viscous - input stays what it was at t = 0, up to the order of
/// the scheme; residual is what it has lost since the first sample. Integrals are those of the
/// exact motion where the engine knows it (Engine::works), else by the trapezoidal rule from step
/// to step; ∫ k u² ds over the cells, and for P = ∞ from the turning points. The same bits on any
/// number of ranks.
class EnergyRecorder final : public engine::Observer {
 public:
  /// Collective.
  EnergyRecorder(const RecorderContext& context, const engine::Masing& masing);

  [[nodiscard]] std::int64_t next_field_step(std::int64_t step) const override;
  void observe(const engine::Samples& samples, engine::Engine& engine) override;
  void exchange(std::int64_t step, engine::Archive& archive) override;
  void finish() override { columns_.flush(); }

 private:
  struct Point {
    double x;
    double force;
    double internal_force;
    double y;
  };

  /// Energies of a sample.
  struct Balance {
    double stored = 0.0;
    double dissipated = 0.0;  ///< by sliding and by damping
    double input = 0.0;
  };

  void move_to(const Point& point);
  [[nodiscard]] double slab_energy(engine::Engine& engine) const;
  [[nodiscard]] double energy_of_cells(engine::Engine& engine) const;

  const parallel::Communicator& comm_;
  Sampling sampling_;
  slab::Oscillator oscillator_;
  double step_;  // δt
  std::int64_t cells_;
  const slab::Profile& profile_;
  base::FixedPoint fixed_point_;
  SampleColumns columns_;
  Point last_{};
  double slab_work_ = 0.0;
  double input_ = 0.0;
  double viscous_ = 0.0;
  double slab_energy_at_start_ = 0.0;
  Balance first_;  // of the first sample
};

/// The recorder, where the output asks for it; else null. Collective.
std::unique_ptr<engine::Observer> make_energy_recorder(const RecorderContext& context);

}  // namespace masing::io
