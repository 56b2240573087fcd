#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "slab/profile.hpp"
#include "support/problem.hpp"

/// Slabs of finitely many cells, and the closed forms of the papers' slab.
namespace masing::support {

/// k(s), η(s), u0(s) in P cells at s = i/P.
template <class Stiffness, class Threshold, class Initial>
slab::Profile cells_of(int cells, Stiffness k, Threshold eta, Initial u0) {
  slab::Profile profile{{}, {0, cells}, {}};
  for (int i = 1; i <= cells; ++i) {
    const double s = static_cast<double>(i) / cells;
    profile.stiffness.push_back(k(s));
    profile.threshold.push_back(eta(s));
    profile.initial_u.push_back(u0(s));
  }
  return profile;
}

/// The cells of a problem.
inline slab::Profile cells_of(const Problem& problem) {
  return slab::sample_profile(problem, {0, problem.field_cells()});
}

/// The papers' case, k = 1, η = s + 0.1 and u0 = 0, with P cells at s = i/P.
inline slab::Profile papers_cells(int cells) {
  return cells_of(problem({.space = space_of(cells)}));
}

/// The integral of the backbone of the papers' case with P = ∞, -x²/2 + 1.1 x - 0.005 between 0.1
/// and 1.1, from 0 to x ≥ 0.
inline double papers_backbone_integral(double x) {
  const auto middle = [](double z) { return -z * z * z / 6 + 0.55 * z * z - 0.005 * z; };
  const double elastic = 0.5 * std::min(x, 0.1) * std::min(x, 0.1);
  if (x <= 0.1) {
    return elastic;
  }
  return elastic + middle(std::min(x, 1.1)) - middle(0.1) + 0.6 * std::max(0.0, x - 1.1);
}

}  // namespace masing::support
