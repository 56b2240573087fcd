#pragma once

#include <memory>

#include "slab/exact/oscillator_solution.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

/// What the tests of the exact solution share.
namespace masing::exact_test {

using slab::MassState;
using slab::Oscillator;
using slab::OscillatorSolution;
using slab::SmoothPieces;

inline std::shared_ptr<const slab::Measure> uniform_cells(int cells, double k, double eta,
                                                          double u0 = 0.0) {
  return slab::make_cell_measure(support::cells_of(
      cells, [&](double) { return k; }, [&](double) { return eta; }, [&](double) { return u0; }));
}

inline MassState exact_at(const slab::Measure& measure, const Oscillator& oscillator,
                          const SmoothPieces& force, double t) {
  return OscillatorSolution(measure, oscillator, force).at(t);
}

}  // namespace masing::exact_test
