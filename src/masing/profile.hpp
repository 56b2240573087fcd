#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/partition.hpp"
#include "masing/problem.hpp"

namespace masing {

/// What of a profile follows from a formula over ALL cells, so that a kernel need not read it: the
/// same on every rank, or one rank's short slab would choose differently and the bits with it.
struct ProfileForm {
  /// η_i = first + slope·i, i the global index from 0.
  struct Affine {
    double first = 0.0;
    double slope = 0.0;
    [[nodiscard]] double at(std::int64_t cell) const {
      return first + slope * static_cast<double>(cell);
    }
  };
  std::optional<Affine> affine_threshold;
  std::optional<double> constant_stiffness;
};

/// k, η, u0 at the points of a range of cells, [size] each. Source: (18), continuous-masing-2001.
struct Profile {
  base::CellRange range;
  std::vector<double> stiffness;
  std::vector<double> threshold;
  std::vector<double> initial_u;
  ProfileForm form;  ///< nothing until adopt_form
};

/// The form that fits the first and the last cell of all, if the cells between keep to it.
ProfileForm candidate_form(const Problem& problem);

/// The candidate without what this rank's cells contradict: a stiffness that differs, a threshold
/// off the line by more than rounding (4 units in the last place of the largest). Local.
ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile);

/// Take the form all ranks confirmed: thresholds on a line become the line's, so that |u| ≤ η holds
/// to the last bit whether η is read or computed. Local.
void adopt_form(Profile& profile, const ProfileForm& form);

/// The profile of a range of cells. Local.
Profile sample_profile(const Problem& problem, base::CellRange range);

/// What is wrong with the first cell that breaks k > 0, η > 0 or |u0| ≤ η, in one line; empty if
/// none does. Local.
std::string profile_fault(const Problem& problem, const Profile& profile);

/// max k_i η_i over the profile, 0 if it has no cell: a bound of |Σ k_i u_i δs|, and associative,
/// so that its maximum over ranks does not depend on them. Local.
double force_bound(const Profile& profile);

}  // namespace masing
