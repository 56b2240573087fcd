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

class Measure;  // slab/turning_points/measure.hpp

/// A formula that gives one of k, η, v0 and c (see Slab) in every cell: first + slope·i, where i is
/// the global index of the cell, from 0.
struct AffineFormula {
  double first = 0.0;
  double slope = 0.0;
  /// Returns the value in a cell. The bits are those that the code in slab/kernel/ computes: the
  /// value in the first cell of the block (see base::block_cells), plus slope·(index within the
  /// block). Local.
  [[nodiscard]] double at(std::int64_t cell) const {
    if (slope == 0.0) {
      return first;  // an addition would change a value -0 to 0
    }
    const std::int64_t in_block = cell % base::block_cells;
    return first + slope * static_cast<double>(cell - in_block) +
           slope * static_cast<double>(in_block);
  }
};

/// The form of a profile. For each of k, η, v0 and c it contains a formula that holds in ALL cells
/// of the slab, or no formula. Without a formula the values are stored in an array. All ranks use
/// the same form: if each rank chose formulas for its own cells, the bits of the results would
/// depend on the number of ranks. Only the formula of η may have a slope other than 0.
using ProfileForm = Coefficients<std::optional<AffineFormula>>;

/// Returns how many of k, η, v0 and c have no formula in the form and need an array. Local.
int kept_arrays(const ProfileForm& form);

/// The values of k, η, v0 and c in a range of cells. If `form` has a formula for one of them, the
/// formula gives the values, and the array may be empty. Otherwise the values are read from the
/// array, [range.size]; an empty array then means that all values are 0. Source: (18),
/// continuous-masing-2001.
struct Profile : Coefficients<base::AlignedVector> {
  base::CellRange range;
  ProfileForm form;
  /// If this is not null, element() evaluates the functions of this slab and uses neither `form`
  /// nor the arrays.
  std::shared_ptr<const Slab> functions = {};

  /// Returns k, η, v0 and c of local cell i, counted from 0. A v0 that `functions` gives is clamped
  /// to [-η, η]. Local.
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

/// Returns the formulas that may hold in all cells of a slab. For η this is the line through the
/// values in the first and the last cell; for k, v0 and c it is the value in the first cell. The
/// function confirmed_form() removes the formulas that other cells contradict. Local.
ProfileForm candidate_form(const Slab& slab);

/// Returns the formulas of `candidate` that agree with the arrays of a profile; an empty array
/// contradicts no formula. For k, v0 and c, formula and array must give the same bits. For η they
/// may differ by rounding: by at most 4 ε times the larger of the value in the array and the
/// formula's `first`, where ε is the machine precision. Local.
ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile);

/// Checks the cells of a range by check_element(), and returns the formulas of `candidate` that
/// agree with all these cells in the sense of confirmed_form(). If k, η, u0 and c are constants,
/// only the first cell is checked. The values of a few thousand cells at a time are computed,
/// checked and discarded. Points of tables in u0 or c are checked before the cells. Throws
/// UserError for the first point or cell that check_element() rejects. Local.
ProfileForm check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate);

/// Returns the profile of a range of cells. It contains arrays only for those of k, η, v0 and c
/// that have no formula in `form`; the formulas must hold in all cells. If u0 contains a table, its
/// linear interpolation may exceed a curved η between the points. Therefore a |v0| that exceeds η
/// by at most 1 % is replaced by η, and the sign of v0 is kept. If u0 contains no table but c ≠ 0,
/// this is done only where the excess is of the order of rounding. A larger |v0| remains as it is.
/// Local.
Profile sample_profile(const Slab& slab, base::CellRange range, const ProfileForm& form = {});

/// Returns K = δs Σ k_i over the cells of a slab. For P = ∞ or more than 1024 cells, K is ∫₀¹ k ds
/// by the midpoint rule with 1024 points. The value of the last slab is kept, so that runs that
/// differ in other data evaluate k only once. Local.
double elastic_stiffness(const Slab& slab);

/// Checks the values of an element. Throws UserError unless k, η⁺ and η⁻ are finite and ≥ 0, k η ≤
/// 1e200, and -η⁻ ≤ u0 ≤ η⁺. The last condition is tested as |v0| ≤ (1 + excess) η, where v0 = u0 -
/// c. If c ≠ 0, all conditions on η⁺, η⁻ and v0 allow for rounding errors. `place` returns a text
/// that tells the user where the element is, such as "s = 0.5". Local.
void check_element(const Element& element, const std::function<std::string()>& place,
                   double excess = 0.0);

/// Calls check_element() at all points of tables in u0 or c, and at all sample_places() of the
/// slab. Throws UserError in three cases: check_element() rejects the values at one of these s,
/// smooth_spans() cannot resolve the functions, or the largest k η is less than 1e-200. Local.
void check_functions(const Slab& slab);

/// What is computed of a slab before its motion. Several elements with the same functions of s have
/// it in common.
struct BuiltSlab {
  std::shared_ptr<const Measure> measure;
  double preload = 0.0;     ///< ∫ k c ds, see Oscillator::preload; δs Σ k_i c_i if P is finite
  bool is_shifted = false;  ///< see Slab::is_shifted()
  Profile profile;
};

}  // namespace masing::slab
