#include "slab/closed_curves.hpp"

#include <cstdint>
#include <numbers>

#include "slab/profile.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/continuous_measure.hpp"
#include "slab/turning_points/smooth_cells.hpp"

namespace masing::slab {

namespace {

/// Of a slab as if u0 were 0.
std::shared_ptr<const Measure> measure_of(Slab slab) {
  slab.initial_u = {};
  if (slab.is_continuum()) {
    return make_continuous_measure(slab);
  }
  return has_smooth_cells(slab) ? make_smooth_cell_measure(slab)
                                : make_cell_measure(sample_profile(slab, {0, slab.field_cells()}));
}

}  // namespace

ClosedCurves::ClosedCurves(const Slab& slab, double k0) : measure_(measure_of(slab)), k0_(k0) {}

ClosedCycle ClosedCurves::cycle(double amplitude) const {
  const auto [stiffness, force] = measure_->below(amplitude);
  ClosedCycle cycle;
  cycle.restoring = k0_ * amplitude + amplitude * (measure_->total().stiffness - stiffness) + force;
  cycle.loss = 4 * (amplitude * force - measure_->second_moment(amplitude));
  cycle.secant_stiffness = cycle.restoring / amplitude;
  cycle.damping_ratio = cycle.loss / (2 * std::numbers::pi * amplitude * cycle.restoring);
  return cycle;
}

}  // namespace masing::slab
