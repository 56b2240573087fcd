#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_spec.hpp"
#include "io/specs.hpp"
#include "statistics/verdict.hpp"

namespace masing::study {

using statistics::ExpectedOrder;
using statistics::Verdict;

/// What a study refines.
enum class Refine { steps, cells, both };

/// Its name in options and files.
constexpr const char* name_of(Refine refine) {
  return refine == Refine::steps ? "steps" : refine == Refine::cells ? "cells" : "both";
}

/// One level of a study. Models that are no slab are refined in the steps alone.
struct Level {
  slab::Space space;
  std::int64_t steps = 0;
};

/// What the levels of a study are measured against. Data: the kinds are told apart in
/// make_reference and nowhere else.
struct Reference {
  std::string name;         ///< the word for it in options and files; of a file its name
  std::string heading;      ///< above the table
  std::string description;  ///< what errors are measured against, for a sentence
  std::string explanation;  ///< how it is found, in sentences; empty where `description` says all
  std::string second_solution;    ///< the method that checks it; empty where there is none
  bool is_continuum = false;      ///< P = ∞ at every level
  bool is_exact_in_time = false;  ///< no error in time
  bool is_successive = false;     ///< each level is measured against the next
  /// The one run of all levels, where there is one and it is a run of the levels' own scheme.
  std::optional<Level> finest;
  std::optional<std::string> file;  ///< of the trajectory that all levels are measured against
  /// How much finer than the last level it is; ∞ where it is made to suit the levels.
  double refinement = std::numeric_limits<double>::infinity();

  /// Whether errors against it are true errors of what is refined.
  [[nodiscard]] bool is_exact() const { return is_continuum || is_exact_in_time; }
};

/// A refinement study.
struct StudySpec {
  engine::RunSpec run;  ///< what is held fixed; the levels replace space and steps
  Refine refine = Refine::steps;
  std::vector<Level> levels;  ///< coarse to fine
  Reference reference;
  std::vector<ExpectedOrder> expected_orders;
  double order_tolerance = 0.1;
  std::string unmet_hypotheses;      ///< study::unmet_hypotheses of the run
  std::int64_t field_samples = 200;  ///< times at which u is compared, at most
  io::Sampling series;               ///< the samples of the last level that go to the file
  io::FileSpec files;
};

/// The numbers of steps of some levels. Local.
std::vector<std::int64_t> step_counts(const std::vector<Level>& levels);

/// The numbers of cells of some levels, none of which is P = ∞. Local.
std::vector<std::int64_t> cell_counts(const std::vector<Level>& levels);

/// P as people write it: "400" or "inf". Local.
std::string cells_text(const slab::Space& space);

/// `run` at another level. Local.
engine::RunSpec at_level(engine::RunSpec run, const Level& level);

/// δs of a run, 0 for P = ∞ and for models that are no slab. Local.
double width_of(const engine::RunSpec& run);

/// A kind of reference that has a word.
struct ReferenceKind {
  const char* name;
  const char* description;
};

/// The kinds that have a word, in the order of the help.
inline constexpr ReferenceKind reference_kinds[] = {
    {"finest", "one run at least 16 times finer than the last level"},
    {"successive", "each level against the next"},
    {"exact", "the exact solution (P = N = inf)"},
    {"exact-time", "the exact solution at the same P"},
    {"cells-inf", "P = inf, the same N"}};

/// The reference of a word of reference_kinds, or of a file's name; `levels` refine `refine`.
/// Throws UserError where it cannot serve a study of `model`. Local.
Reference make_reference(const std::string& name, Refine refine, const std::vector<Level>& levels,
                         const engine::Model& model);

/// The reference that is the trajectory in a file, of the run `made`, for a study that refines
/// `refine` and ends with the run `last`: with the steps of `made` where its scheme and rule are
/// those of the study, as the fit then knows its error; `has_last_field_only`: no u before t = T.
/// Its explanation says in what else `made` differs from the levels, and what errors against it
/// hold besides. Local.
Reference make_file_reference(const std::string& path, const engine::RunSpec& made, Refine refine,
                              const engine::RunSpec& last, bool has_last_field_only);

/// The run that a level is measured against; none for files and successive levels. Local.
std::optional<engine::RunSpec> run_for(const Reference& reference, const engine::RunSpec& level);

/// What stands above the table, with what came of the reference's `self_check`. Local.
std::string heading(const Reference& reference, double self_check);

/// How the reference is found and how well it is known, with what came of its `self_check` (0:
/// none). Local.
std::string explanation(const Reference& reference, double self_check);

/// How much finer `made` is than the run `last` in what is refined, the lesser of both for `both`;
/// ∞ where it has no error of that kind. Local.
double refinement_factor(const engine::RunSpec& made, Refine refine, const engine::RunSpec& last);

/// How much finer than the last level the `finest` reference is at least: order-one data against a
/// reference r times finer look like order log₂((2 - 1/r)/(1 - 1/r)), 1.05 for r = 16.
inline constexpr std::int64_t finest_factor = 16;

/// The count (steps or cells) of the `finest` reference of a ladder: the least common multiple of
/// the levels' counts times a factor, at least 16 times the last; so every level's times or cell
/// limits are also the reference's. Where that multiple would be needlessly large, 16 times the
/// last. `counts` increases. Local.
std::int64_t finest_count(const std::vector<std::int64_t>& counts);

/// Whether u is the same for all s at any time: of 1000 samples and both ends, η, η - η⁻ and u0 are
/// alike. Local.
bool is_uniform(const slab::Slab& slab);

/// The order that the scheme and the rule promise for an error of `quantity` against `reference` as
/// `refine` refines, in the maximum norm:
///     δt                                                     that of the scheme
///     δs, rule midpoint                                      2
///     δs, rule right, k, η and u0 alike at s = 0 and s = 1   2 (it is the trapezoidal rule)
///     δs, rule right, else                                   1, of δs/2 (k u(1) - k u(0)) + O(δs²)
///     δs, u over all s, which is piecewise constant          1
///     both, of which the reference shares one                that of the other
///     both                                                   the lesser
/// It is a lower bound where the values at the ends are close, where u is uniform, where both are
/// refined and differ; and where nothing may yield, or not the cells at the ends, and this would
/// make it 2, as u differs from u0 by the same for all s until a cell yields: not where u0 and k
/// are uniform (then nothing errs until a cell yields) and, for the rule right, η is least at an
/// end. Local. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity);

/// Why the orders that scheme and rule promise do not follow for a run of the continuous model, in
/// one line "eta' is unbounded near s = 0"; empty where the hypotheses hold or none are stated.
/// Where δs is refined: k, η, u0 and c Lipschitz, k > 0 and η ≥ γ > 0 on [0, 1]; where δt is
/// refined by a scheme of second order: F Lipschitz on [0, T]. Of many places where a function is
/// not smooth the first are looked at. Local. Source: Propositions 2.1, 3.1 and 4.1,
/// continuous-masing-2001.
std::string unmet_hypotheses(const engine::RunSpec& run, Refine refine);

}  // namespace masing::study
