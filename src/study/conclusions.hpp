#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "study/study_spec.hpp"

namespace masing::study {

struct Study;

/// Conclusions of a study as written to /fit.
struct Conclusions {
  /// Indices of the quantities that are measured: u at the cells' points where there are cells, u
  /// where the state has columns beside x and y.
  std::vector<std::size_t> quantities;
  /// What is tested of continuous-masing-2001: "3.1" (cells alone refined, rule right), "4.1" (both
  /// refined, euler and right) or "25" (steps alone, euler); "model" of another model, "mixed"
  /// where errors are left over, "beyond" the papers' scheme and rule, "outside" their hypotheses.
  std::string statement;
  /// The error that the errors hold and the levels do not refine: "space", "time" or empty.
  std::string left_over;
  /// What that means, and what leaves it out, as a clause; empty likewise.
  std::string left_over_clause;
  /// What is refined by other means than the papers': of "leapfrog midpoint".
  std::string beyond;
  /// The smallest C with e ≤ C h for x, y and u at every level, h being LevelResult::step; NaN
  /// where errors are not against what the statement compares with.
  double bound = 0.0;
  /// Why the levels of a study of both steps do not determine C₁ and C₂; empty where they do.
  std::string joint_missing;
  /// The levels that would probably decide what is undecided, as --levels takes them, or empty.
  std::string deciding_levels;
  /// What would decide it, as a clause; empty where all is decided.
  std::string advice;
  /// Sentences on the verdict.
  std::vector<std::string> remarks;
};

/// The conclusions of a study whose results and verdict are known. Local.
Conclusions conclude(const StudySpec& spec, const Study& study);

}  // namespace masing::study
