#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// A value of every cell by a formula: first + slope·i, i the global index from 0, rounded as the
/// kernel adds it: the line at the first cell of the block, and from there.
struct AffineFormula {
  double first = 0.0;
  double slope = 0.0;
  [[nodiscard]] double at(std::int64_t cell) const {
    if (slope == 0.0) {
      return first;  // -0, too
    }
    const std::int64_t in_block = cell % base::block_cells;
    return first + slope * static_cast<double>(cell - in_block) +
           slope * static_cast<double>(in_block);
  }
};

/// Formulas that give a coefficient for ALL cells, so that no array is kept. Decided over all
/// ranks: if one rank decided alone, bits would depend on the ranks. Only a threshold's may have a
/// slope.
using ProfileForm = Coefficients<std::optional<AffineFormula>>;

/// How many of k, η, u0, c it does not give. Local.
int kept_arrays(const ProfileForm& form);

/// k, η, u0, c at the points of a range of cells: by the form, else from an array, [size] each; an
/// array that the form makes superfluous may be empty; without a form, an empty one is 0. Source:
/// (18), continuous-masing-2001.
struct Profile : Coefficients<base::AlignedVector> {
  base::CellRange range;
  ProfileForm form;
  std::shared_ptr<const Slab> functions = {};  ///< evaluated at every look, where nothing is kept

  /// k, η, u0, c of local cell i, 0-based. Local.
  [[nodiscard]] Element element(std::int64_t i) const {
    Element cell;
    if (functions) {
      cell = functions->element(functions->point(range.first + i));
      cell.initial_u = std::clamp(cell.initial_u, -cell.threshold, cell.threshold);
      return cell;
    }
    for_each_column(
        [this, i](double& value, const base::AlignedVector& values,
                  const std::optional<AffineFormula>& line) {
          value = line             ? line->at(range.first + i)
                  : values.empty() ? 0.0
                                   : values[static_cast<std::size_t>(i)];
        },
        cell, *this, form);
    return cell;
  }
};

/// The form that fits the first and the last cell of all, if the cells between keep to it.
ProfileForm candidate_form(const Slab& slab);

/// The candidate without what a sampled profile contradicts: a stiffness or an initial u that
/// differs, a threshold off the line by more than rounding (4 units in the last place of the
/// largest). Local.
ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile);

/// The candidate as all cells of a range confirm it, after a look at every one, of which none is
/// kept. Throws as check_element for a point of a table of u0 or the first cell at fault. Local.
ProfileForm check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate);

/// The profile of a range of cells with the arrays that the form, confirmed on all cells, does not
/// give. Thresholds on a line are evaluated from the line on all ranks, and a table of u0 ends at
/// ±η, so that |u| ≤ η holds to the last bit. Local.
Profile sample_profile(const Slab& slab, base::CellRange range, const ProfileForm& form = {});

/// Throws UserError unless k ≥ 0, η⁺ ≥ 0, η⁻ ≥ 0, all finite, k η ≤ 1e200 and -η⁻ ≤ u0 ≤ η⁺, that
/// is |v0| ≤ (1 + excess) η, at one place, which `place` names. Local.
void check_element(const Element& element, const std::function<std::string()>& place,
                   double excess = 0.0);

/// The same at every s: for a point of a table of u0 or the first of the sample_places at fault.
/// Throws also as smooth_spans, and as base::check_bound where the largest k η is too small. Local.
void check_functions(const Slab& slab);

}  // namespace masing::slab
