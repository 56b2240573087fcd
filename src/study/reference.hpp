#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study_spec.hpp"

namespace masing::study {

/// A kind of reference that has a word.
struct ReferenceKind {
  std::string name;
  std::string description;
};

/// The kinds that have a word, in the order of the help.
const std::vector<ReferenceKind>& reference_kinds();

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

}  // namespace masing::study
