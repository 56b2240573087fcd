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

/// A formula that gives one coefficient (k, η, u0 or c) in every cell: first + slope·i, where i is
/// the global index of the cell, from 0.
struct AffineFormula {
  double first = 0.0;
  double slope = 0.0;
  /// Returns the value in a cell. The terms are added in the order in which the code in
  /// slab/kernel/ adds them, first + slope·(first cell of the block of base::block_cells cells) and
  /// then slope·(index within the block), so that both results have the same bits. Local.
  [[nodiscard]] double at(std::int64_t cell) const {
    if (slope == 0.0) {
      return first;  // an addition would change a value -0 to 0
    }
    const std::int64_t in_block = cell % base::block_cells;
    return first + slope * static_cast<double>(cell - in_block) +
           slope * static_cast<double>(in_block);
  }
};

/// The form of a profile: for each of k, η, u0 and c the formula that gives its value in ALL cells
/// of the slab, or no formula if its values have to be stored in an array. All ranks use the same
/// form, because if each rank chose formulas for its own cells, the bits of results would depend on
/// the number of ranks. Only the formula of η may have a slope other than 0.
using ProfileForm = Coefficients<std::optional<AffineFormula>>;

/// Returns how many of k, η, u0 and c have no formula in the form and need an array. Local.
int kept_arrays(const ProfileForm& form);

/// The values of k, η, u0 and c in a range of cells. If `form` has a formula for one of these
/// functions, the formula gives the values, and the array may be empty. Otherwise the values are
/// read from the array, [size]; an empty array then means that all values are 0.
/// Source: (18), continuous-masing-2001.
struct Profile : Coefficients<base::AlignedVector> {
  base::CellRange range;
  ProfileForm form;
  /// The slab whose functions element() evaluates at each call, or null if element() uses `form`
  /// and the arrays.
  std::shared_ptr<const Slab> functions = {};

  /// Returns k, η, u0 and c of local cell i, counted from 0. Local.
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

/// Returns the formulas that may hold in all cells of a slab: for η the line through its values in
/// the first and the last cell, for k, u0 and c the constant value in the first cell.
/// confirmed_form() removes the formulas that other cells contradict. Local.
ProfileForm candidate_form(const Slab& slab);

/// Returns the formulas of `candidate` that agree with the arrays of a profile. For k, u0 and c,
/// formula and array must give the same bits. For η they may differ by rounding: by at most 4 units
/// in the last place of the value in the array or, if that is larger, of the formula's `first`.
/// Local.
ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile);

/// Checks every cell of a range by check_element(), and returns the formulas of `candidate` that
/// agree with all these cells in the sense of confirmed_form(). The values of a few thousand cells
/// at a time are computed, checked and discarded. Throws UserError for the first point of a table
/// of u0 or, if all these points are valid, for the first cell whose values check_element()
/// rejects. Local.
ProfileForm check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate);

/// Returns the profile of a range of cells. It contains arrays only for those of k, η, u0 and c
/// that have no formula in `form`; the formulas must hold in all cells. If u0 is a table of values,
/// its linear interpolation may exceed η between the points of the table. In cells where |u0|
/// exceeds η by at most 1 %, u0 is set to ±η, so that |u0| ≤ η holds exactly. Local.
Profile sample_profile(const Slab& slab, base::CellRange range, const ProfileForm& form = {});

/// Checks the values of an element: throws UserError unless k, η⁺ and η⁻ are finite and ≥ 0, k η ≤
/// 1e200, and -η⁻ ≤ u0 ≤ η⁺. The last condition is tested as |v0| ≤ (1 + excess) η, where v0 = u0 -
/// c; if c ≠ 0, a rounding error of v0 and η is also allowed. `place` returns the text that tells
/// the user where the element is, such as "s = 0.5". Local.
void check_element(const Element& element, const std::function<std::string()>& place,
                   double excess = 0.0);

/// Calls check_element() at all points of a table of u0 and at all sample_places() of the slab.
/// Throws UserError at the first s where the values are invalid, if smooth_spans() cannot resolve
/// the functions, or if the largest k η is less than 1e-200. Local.
void check_functions(const Slab& slab);

}  // namespace masing::slab
