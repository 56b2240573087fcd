#include "engine/sweep.hpp"

#include <array>

#include "base/error.hpp"
#include "masing/kernel.hpp"

namespace engine {

namespace {

/// A bound of |S| that does not depend on the ranks: max k_i η_i ≥ δs Σ k_i η_i.
double global_force_bound(const parallel::Communicator& comm, const masing::Profile& profile) {
  double bound = masing::force_bound(profile);
  parallel::max_over_ranks(comm, std::span(&bound, 1));
  return bound;
}

/// The slab under increments: the pass over the local cells, then the one allreduce.
class SlabPass {
 public:
  SlabPass(const parallel::Communicator& comm, const masing::Profile& profile, std::span<double> u,
           double scale, const base::FixedPoint& fixed_point)
      : comm_(comm),
        slab_{u, profile.threshold, profile.stiffness},
        scale_(scale),
        fixed_point_(fixed_point) {}

  /// S after each of the increments (1 or 2).
  std::array<double, 2> operator()(std::span<const double> increments) const {
    std::array<std::int64_t, 2> units{};
    const auto used = std::span(units).first(increments.size());
    masing::project_and_sum(slab_, increments, scale_, used);
    parallel::sum_over_ranks(comm_, used);
    return {fixed_point_.value(units[0]), fixed_point_.value(units[1])};
  }

 private:
  const parallel::Communicator& comm_;
  masing::Slab slab_;
  double scale_;
  const base::FixedPoint& fixed_point_;
};

}  // namespace

masing::Profile checked_profile(const parallel::Communicator& comm,
                                const masing::Problem& problem) {
  masing::Profile profile =
      masing::sample_profile(problem, base::slab_of(problem.cells, comm.rank(), comm.size()));
  const std::string fault = parallel::first_text(comm, masing::profile_fault(problem, profile));
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
  return profile;
}

Sweep::Sweep(const parallel::Communicator& comm, const masing::Problem& problem,
             const masing::Profile& profile)
    : comm_(comm),
      profile_(profile),
      oscillator_(problem.oscillator),
      step_(problem.time.step()),
      fixed_point_(global_force_bound(comm, profile)),
      scale_(fixed_point_.units_per_one() / static_cast<double>(problem.cells)),
      u_(comm, problem.cells) {
  const parallel::WriteAccess u(u_);
  std::ranges::copy(profile.initial_u, u.values().begin());
  const std::array<double, 1> nothing{0.0};
  state_ = {oscillator_.x0, oscillator_.y0,
            SlabPass(comm_, profile_, u.values(), scale_, fixed_point_)(nothing)[0]};
}

Sample Sweep::sample() const {
  return {state_.x, state_.y, masing::restoring_force(oscillator_, state_)};
}

void Sweep::advance(const Chunk& chunk) {
  const parallel::WriteAccess u(u_);
  const SlabPass pass(comm_, profile_, u.values(), scale_, fixed_point_);
  const auto record = [&](std::size_t i) {
    chunk.x[i] = state_.x;
    chunk.y[i] = state_.y;
    chunk.restoring[i] = masing::restoring_force(oscillator_, state_);
  };
  const std::size_t steps = chunk.x.size();
  for (std::size_t i = 0; i < steps; i += 2) {
    // y^{p+1} needs only S^p: the increments of two steps are known before the pass.
    const masing::MassState next = masing::euler_step(oscillator_, step_, chunk.force[i], state_);
    const std::array<double, 2> increments{step_ * state_.y, step_ * next.y};
    const bool pair = i + 1 < steps;
    const auto internal_force = pass(std::span(increments).first(pair ? 2 : 1));
    state_ = next;
    state_.internal_force = internal_force[0];
    record(i);
    if (pair) {
      state_ = masing::euler_step(oscillator_, step_, chunk.force[i + 1], state_);
      state_.internal_force = internal_force[1];
      record(i + 1);
    }
  }
}

}  // namespace engine
