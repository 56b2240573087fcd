#pragma once

#include <memory>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// The measure of a slab with P = ∞: what is interpolated is
///     G(r) = ∫ (r - θ)⁺ k ds over η ≤ r,   K = G',   M = r K - G,
/// so that K and M belong together to rounding even where K has the root of an extremum of η. Knots
/// are uniform in sectors that shrink until K is right to some 1e-13 of ∫k. A look-up costs some 10
/// ns, the table some 10 ms. Throws as check_functions, and UserError where the table cannot be
/// resolved, or differs from another quadrature. Local.
std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab);

}  // namespace masing::slab
