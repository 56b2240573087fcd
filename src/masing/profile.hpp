#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/partition.hpp"
#include "masing/problem.hpp"

namespace masing {

/// k, η, u0 at the points of a range of cells, [size] each. Source: (18), continuous-masing-2001.
struct Profile {
  base::CellRange range;
  std::vector<double> stiffness;
  std::vector<double> threshold;
  std::vector<double> initial_u;
};

/// The profile of a range of cells. Local.
Profile sample_profile(const Problem& problem, base::CellRange range);

/// What is wrong with the first cell that breaks k > 0, η > 0 or |u0| ≤ η, in one line; empty if
/// none does. Local.
std::string profile_fault(const Problem& problem, const Profile& profile);

/// max k_i η_i over the profile, 0 if it has no cell: a bound of |Σ k_i u_i δs|, and associative,
/// so that its maximum over ranks does not depend on them. Local.
double force_bound(const Profile& profile);

}  // namespace masing
