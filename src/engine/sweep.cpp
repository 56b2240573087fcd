#include <algorithm>
#include <array>
#include <optional>

#include "base/block_sum.hpp"
#include "engine/engines.hpp"
#include "parallel/rank_sum.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::engine {

namespace {

/// Returns an upper bound of |δs Σ k_i v_i|, computed from k_i η_i, that is the same on any number
/// of ranks. Collective.
double global_force_bound(const parallel::Communicator& comm, const slab::Profile& profile,
                          std::int64_t cells) {
  const auto term = [&](std::size_t i) {
    const slab::Element cell = profile.element(static_cast<std::int64_t>(i));
    return cell.stiffness * cell.threshold;
  };
  return base::sum_bound(static_cast<std::size_t>(profile.range.size), cells, term,
                         parallel::RankReduction{comm});
}

/// The slab as the time stepping schemes use it: after(d) moves all cells by the increment d and
/// returns the internal force δs Σ k_i v_i, where v = u - c (see slab::Slab). Each rank moves its
/// cells and sums their forces in one pass; these sums are then added over the ranks.
class MovedSlab {
 public:
  MovedSlab(parallel::RankSum& sum, const slab::Profile& profile, std::span<double> u, double scale,
            const base::FixedPoint& fixed_point)
      : sum_(sum),
        kernel_({.u = u,
                 .threshold = profile.threshold,
                 .stiffness = profile.stiffness,
                 .first_cell = profile.range.first,
                 .form = profile.form},
                scale),
        fixed_point_(fixed_point) {}

  [[nodiscard]] double after(double d) const { return sums(std::array{d})[0]; }
  [[nodiscard]] std::array<double, 2> after(double d1, double d2) const {
    return sums(std::array{d1, d2});
  }

 private:
  template <std::size_t count>
  [[nodiscard]] std::array<double, count> sums(const std::array<double, count>& increments) const {
    std::array<std::int64_t, count> units{};
    kernel_.project_and_sum(increments, units);
    sum_(units);
    std::array<double, count> values{};
    std::ranges::transform(units, values.begin(),
                           [this](std::int64_t sum) { return fixed_point_.value(sum); });
    return values;
  }

  parallel::RankSum& sum_;
  slab::SlabKernel kernel_;
  const base::FixedPoint& fixed_point_;
};

class Sweep final : public Engine {
 public:
  Sweep(const parallel::Communicator& comm, const Masing& masing, const slab::TimeGrid& time,
        const slab::Profile& profile)
      : profile_(profile),
        scheme_(masing.scheme),
        oscillator_(masing.oscillator),
        step_(time.step()),
        fixed_point_(global_force_bound(comm, profile, masing.slab.field_cells())),
        scale_(fixed_point_.units_per_one() / static_cast<double>(masing.slab.field_cells())),
        u_(comm, masing.slab.field_cells()),
        sum_(comm) {
    if (masing.slab.is_shifted()) {
      field_.emplace(comm, masing.slab.field_cells());
    }
    const std::span<double> u = u_.values();
    for (std::int64_t i = 0; i < profile.range.size; ++i) {
      u[static_cast<std::size_t>(i)] = profile.element(i).initial_u;
    }
    const MovedSlab slab(sum_, profile_, u, scale_, fixed_point_);
    state_ = {oscillator_.x0, oscillator_.y0, slab.after(0.0)};
  }

  [[nodiscard]] Sample start() const override { return sample_of(oscillator_, state_); }

  const parallel::Vector& state() override {
    if (!field_) {
      return u_;
    }
    const std::span<const double> v = u_.values();
    const std::span<double> u = field_->values();
    for (std::int64_t i = 0; i < profile_.range.size; ++i) {
      const auto cell = static_cast<std::size_t>(i);
      u[cell] = v[cell] + profile_.element(i).shift;
    }
    return *field_;
  }

  void serialize(Archive& archive) override {
    archive.scalars("mass", state_.x, state_.y, state_.internal_force);
    archive.split("u", u_);
  }

  void advance(const slab::Chunk& chunk) override {
    const MovedSlab slab(sum_, profile_, u_.values(), scale_, fixed_point_);
    slab::advance(scheme_, oscillator_, step_, chunk, state_, slab);
  }

 private:
  const slab::Profile& profile_;
  slab::Scheme scheme_;
  slab::Oscillator oscillator_;
  double step_;  // δt
  base::FixedPoint fixed_point_;
  double scale_;                           // δs divided by the unit of the fixed-point sum
  parallel::Vector u_;                     // the computed variable v = u - c
  std::optional<parallel::Vector> field_;  // u, allocated if c is not 0
  slab::MassState state_;
  parallel::RankSum sum_;
};

}  // namespace

std::unique_ptr<Engine> make_sweep(const parallel::Communicator& comm, const Masing& masing,
                                   const slab::TimeGrid& time, const slab::Profile& profile) {
  return std::make_unique<Sweep>(comm, masing, time, profile);
}

}  // namespace masing::engine
