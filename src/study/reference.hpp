#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/study_spec.hpp"

namespace masing::study {

/// What the levels of a study are measured against. One small class for each kind; the kinds and
/// their words are listed in `reference_kinds`.
class Reference {
 public:
  Reference() = default;
  virtual ~Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// The word for it in options and files; of a file its name.
  [[nodiscard]] virtual std::string name() const = 0;
  /// What it is, in words, with what came of its `self_check` (0: none).
  [[nodiscard]] virtual std::string text(double self_check) const = 0;
  /// What errors against it are measured against, for a sentence.
  [[nodiscard]] virtual std::string description() const = 0;
  /// How it is found and how well it is known, in sentences, with what came of its `self_check`
  /// (0: none); empty where `description` says all.
  [[nodiscard]] virtual std::string explanation(double /*self_check*/) const { return {}; }
  /// Whether it has P = ∞ at every level.
  [[nodiscard]] virtual bool is_continuum() const { return false; }
  /// Whether it has no error in time.
  [[nodiscard]] virtual bool is_exact_in_time() const { return false; }
  /// Whether errors against it are true errors of what is refined.
  [[nodiscard]] bool is_exact() const { return is_continuum() || is_exact_in_time(); }
  /// The run that a level is measured against; none for files and successive levels.
  [[nodiscard]] virtual std::optional<engine::RunSpec> run_for(
      const engine::RunSpec& /*level*/) const {
    return std::nullopt;
  }
  /// The one run of all levels, where there is one and it is a run of the levels' own scheme.
  [[nodiscard]] virtual std::optional<Level> finest() const { return std::nullopt; }
  /// The file of a trajectory that all levels are measured against.
  [[nodiscard]] virtual std::optional<std::string> file() const { return std::nullopt; }
  /// How much finer than the last level it is; ∞ where it is made to suit the levels.
  [[nodiscard]] virtual double refinement() const {
    return std::numeric_limits<double>::infinity();
  }
  /// Whether each level is measured against the next.
  [[nodiscard]] virtual bool is_successive() const { return false; }
  /// Why it cannot serve a study of `model` that refines `refine`, "what; what would be right";
  /// empty if it can.
  [[nodiscard]] virtual std::string fault(const engine::Model& /*model*/, Refine /*refine*/) const {
    return {};
  }
};

/// A kind of reference that has a word.
struct ReferenceKind {
  std::string name;
  std::string description;
};

/// The kinds that have a word, in the order of the help.
const std::vector<ReferenceKind>& reference_kinds();

/// The reference of a word, or of a file's name; `levels` refine `refine`. Null for a word that is
/// unknown. Local.
std::shared_ptr<const Reference> make_reference(const std::string& name, Refine refine,
                                                const std::vector<Level>& levels,
                                                const engine::Model& model);

/// The reference that is the trajectory in a file, of the run `made`, for a study that refines
/// `refine` and ends with the run `last`: with the steps of `made` where its scheme and rule are
/// those of the study, as the fit then knows its error; `has_last_field_only`: no u before t = T.
/// Its explanation() says in what else `made` differs from the levels, and what errors against it
/// hold besides. Local.
std::shared_ptr<const Reference> make_file_reference(const std::string& path,
                                                     const engine::RunSpec& made, Refine refine,
                                                     const engine::RunSpec& last,
                                                     bool has_last_field_only);

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
