#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model.hpp"
#include "io/specs.hpp"
#include "statistics/order.hpp"

namespace masing::study {

using engine::Quantity;
using statistics::ExpectedOrder;
using statistics::Verdict;

/// What a study refines from level to level: the time steps, the cells of the slab, both, or the
/// elements of a model together with the time steps, at one ratio.
enum class Refine { steps, cells, both, elements };

/// Returns the name of `refine` in options and files.
constexpr const char* name_of(Refine refine) {
  return refine == Refine::steps   ? "steps"
         : refine == Refine::cells ? "cells"
         : refine == Refine::both  ? "both"
                                   : "elements";
}

/// Returns whether the levels differ in their cells.
constexpr bool refines_cells(Refine refine) {
  return refine == Refine::cells || refine == Refine::both;
}
/// Returns whether the levels differ in their time steps.
constexpr bool refines_steps(Refine refine) {
  return refine != Refine::cells;
}

/// One level of a study: the cells of the slab (or P = ∞, the continuum) and the number N of time
/// steps. A model of finitely many elements is refined in the steps alone and ignores `space`.
struct Level {
  slab::Space space;
  std::int64_t steps = 0;
  std::int64_t elements = 0;  ///< n; 0 stands for that of the run
};

/// What the levels of a study are compared with: a finer run, an exact solution, or for each level
/// the next finer one. Only make_reference distinguishes these kinds by
/// name; all other functions use the members below.
struct Reference {
  std::string name;     ///< the word that selects the reference
  std::string heading;  ///< the heading of the table of errors, without the self-check
  /// Whether the reference is `cells-inf` or an exact solution with P = ∞, which have no error in
  /// space.
  bool is_continuum = false;
  bool is_exact_in_time = false;  ///< whether the reference has no error in time
  bool is_successive = false;     ///< whether each level is compared with the next finer one

  /// the cells and steps of the `finest` run, which is one run for all levels; else empty
  std::optional<Level> finest;

  /// Returns whether the reference has no error in space or no error in time. The difference of a
  /// level from such a reference is the true error of the level in space or in time.
  [[nodiscard]] bool is_exact() const { return is_continuum || is_exact_in_time; }
};

/// The description of a refinement study.
struct StudySpec {
  /// the run of every level, except for its cells and steps, which are those of the level
  engine::RunSpec run;
  Refine refine = Refine::steps;
  std::vector<Level> levels;  ///< the levels, from coarse to fine
  Reference reference;
  std::vector<ExpectedOrder> expected_orders;
  double order_tolerance = 0.1;
  std::string unmet_hypotheses;  ///< the text that unmet_hypotheses() returns for the run

  std::int64_t field_samples = 200;  ///< maximum number of times at which u is compared
  io::Sampling series;               ///< which samples of the last level the file contains
  io::FileSpec files;
};

/// Returns the number of steps of each level. Local.
std::vector<std::int64_t> step_counts(const std::vector<Level>& levels);

/// Returns `run` with the cells, the steps and the elements of `level`. Local.
engine::RunSpec at_level(engine::RunSpec run, const Level& level);

/// Returns the cell width δs of a run: 0 for P = ∞ and for models without cells. Local.
double width_of(const engine::RunSpec& run);

/// Returns the reference that `name` selects: finest, successive, exact, exact-time or cells-inf.
/// The study has the levels `levels` and the model `model` and refines `refine`. Throws UserError
/// if such a study cannot use this reference. Local.
Reference make_reference(const std::string& name, Refine refine, const std::vector<Level>& levels,
                         const engine::Model& model);

/// Returns the run that the run `level` is compared with. Returns nothing if the reference is
/// the next finer level. Local.
std::optional<engine::RunSpec> run_for(const Reference& reference, const engine::RunSpec& level);

/// Returns the heading of the table of errors. For an exact solution, which is checked by a second
/// one, the heading states `self_check`, the largest difference between the two. Local.
std::string heading(const Reference& reference, double self_check);

/// The `finest` reference is at least this many times finer than the last level. Let the last level
/// have half the step of the level before it, and the reference be r times finer than the last
/// level. Errors of first order then appear to have the order log₂((2 - 1/r)/(1 - 1/r)) between
/// these two levels, which is 1.05 for r = 16.
inline constexpr std::int64_t finest_factor = 16;

/// Returns the number of steps or cells of the `finest` reference of levels with the increasing
/// numbers `counts`. It is the smallest multiple of the least common multiple of `counts` that is
/// at least 16 times the last count. Every step of a level is then also a step of the reference,
/// and every boundary between cells of a level is also a boundary between cells of the reference.
/// If the least common multiple exceeds about 64 times the last count, this is given up, and 16
/// times the last count is returned. Local.
std::int64_t finest_count(const std::vector<std::int64_t>& counts);

/// Returns whether u is the same for all s at every time. This is the case if Slab::threshold,
/// Slab::shift and u0 are constant functions of s. They count as constant if their values at 2001
/// equidistant places s differ by at most 1e-12 of the largest threshold. Local.
bool is_uniform(const slab::Slab& slab);

/// Returns the order that the scheme and the rule promise for the error of `quantity` in a study
/// that refines `refine` and compares with `reference`:
///     what is refined                                         promised order
///     δt                                                      the order of the scheme
///     δs, rule midpoint                                       2
///     δs, rule right, k, η and u0 equal at s = 0 and s = 1    2, as this is the trapezoidal rule
///     δs, rule right, otherwise                               1
///     δs, the error of u over all s                           1, as u is constant on each cell
///     δs and δt, the reference has the P of each level        the order of the scheme
///     δs and δt, the reference has the N of each level        the order if δs is refined
///     δs and δt, otherwise                                    the smaller of the two orders
/// The rule right has in general the order 1 because its error is δs/2 (k u(1) - k u(0)) + O(δs²).
///
/// Here k, η and u0 are equal at s = 0 and s = 1 only if the shift c (see Slab) is, too. If u is
/// the same for all s (is_uniform), the line for the error of u over all s does not apply; the
/// lines above it do. An order in δs is marked as a lower bound (ExpectedOrder::at_least) in three
/// cases. First, for the sums of the rule right, k, η, u0 or c differ between s = 0 and s = 1, but
/// all by less than 10 %. Second, the order is 2 and u is the same for all s. Third, the order is 1
/// only if a cell yields during the motion (for the sums of the rule right, a cell at an end of the
/// slab). If none yields, the order is 2, because u - u0 is then the same for all s. The third case
/// does not occur if k and u0 are constant, because there is then no error in space until a cell
/// yields. For the sums of the rule right, η must also be least at an end of the slab and c be
/// constant, so that a cell at an end yields first. In the last line of the table, the smaller of
/// the two orders is marked as a lower bound if and only if they differ. Local. Source:
/// Propositions 3.1 and 4.1, continuous-masing-2001.
ExpectedOrder promised_order(const engine::Model& model, Refine refine, const Reference& reference,
                             const Quantity& quantity);

/// Returns the hypotheses of the promised orders that a run does not meet, in one line such as
/// "eta' is unbounded near s = 0". Returns an empty string if no hypothesis is found to be
/// violated. Also returns an empty string if the model has no scheme, because the hypotheses are
/// stated only for slabs with masses. If δs is refined, the hypotheses are
/// that k, η, u0 and the shift c (see Slab) are Lipschitz continuous, and that k > 0 and η ≥ γ > 0
/// on [0, 1] with a constant γ. If δt is refined by a scheme of second order, F (F - m a_g if the
/// base moves) must be Lipschitz continuous on [0, T]. At most 4000 subintervals of each function
/// are examined, beginning with those in which the function varies most. Local. Source:
/// Propositions 2.1, 3.1 and 4.1, continuous-masing-2001.
std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine);

}  // namespace masing::study
