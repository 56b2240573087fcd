#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "statistics/student.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

std::vector<std::size_t> measured_quantities(const StudySpec& spec, const Study& study) {
  std::vector<std::size_t> measured;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const bool has_error = std::ranges::any_of(
        study.cases, [q](const LevelResult& at) { return !std::isnan(at.errors[q]); });
    // Without cells, u_cells repeats u.
    const bool repeats = spec.run.model->quantities()[q].part == Quantity::Part::points;
    if (engine::slab_of(spec.run) != nullptr || (!repeats && has_error)) {
      measured.push_back(q);
    }
  }
  return measured;
}

/// Returns Conclusions::unrefined_error.
std::string unrefined_error(const StudySpec& spec) {
  const Reference& reference = spec.reference;
  const bool has_finite_cells = std::holds_alternative<slab::Cells>(spec.levels.front().space);
  if (!refines_cells(spec.refine) && reference.is_continuum && has_finite_cells) {
    return "space";
  }
  const bool errs_in_time =
      spec.refine == Refine::cells && spec.run.method != engine::Method::exact;
  return errs_in_time && reference.is_exact_in_time ? "time" : "";
}

/// A ladder that would probably decide an order: its first level is the level `first` of the study,
/// its last one is `finer` times as fine as the study's, and it has `count` levels.
struct Ladder {
  std::size_t first = 0;
  std::int64_t finer = 1;
  double count = 0.0;
};

/// Returns the ladder that would probably decide the order of the quantity `q`, as the docstring of
/// deciding_levels() describes for levels that are not refined in turn.
Ladder ladder_for(const StudySpec& spec, const Study& study, std::size_t q) {
  constexpr double wide = 64.0;  // preferred ratio of the first level's step to the last one's
  const QuantityResult& result = study.results[q];
  // Of fewer than three errors the order and the scatter are NaN, and the least ladder is named.
  const statistics::Order& fit = result.fit;
  Ladder ladder{.first = static_cast<std::size_t>(
                    std::ranges::find(fit.marks, statistics::Mark::fitted) - fit.marks.begin())};
  const double range = result.steps[ladder.first] / result.steps.back();
  // The change of the order that the next term of the error expansion causes is proportional to h.
  const bool is_curved = fit.structural > fit.statistical;
  const double wanted =
      std::max(wide / range, is_curved ? 4 * fit.structural / spec.order_tolerance : 1.0);
  // from e ∝ hᵖ, how many times finer the last level may become
  const double above_floor = study.cases.back().errors[q] / (10 * study.floors[q]);
  const double most = std::min(16.0, std::pow(above_floor, 1 / fit.order));
  while (static_cast<double>(ladder.finer) < wanted &&
         static_cast<double>(2 * ladder.finer) <= most) {
    ladder.finer *= 2;
  }
  const double scatter =
      statistics::largest_scatter(fit.scatter, static_cast<double>(fit.levels) - 2);
  // Two standard errors are the usual half-width.
  const double root = 4 * scatter * 2 * std::numbers::sqrt3 /
                      (std::log(range * static_cast<double>(ladder.finer)) * spec.order_tolerance);
  ladder.count = root * root;
  return ladder;
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study) {
  if (spec.refine == Refine::elements || spec.reference.is_successive) {
    return "";
  }
  constexpr double most_levels = 1000.0;
  Ladder all{.first = study.cases.size()};
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const QuantityResult& result = study.results[q];
    if (result.verdict == Verdict::undecided && result.fit.levels > 0) {
      const Ladder own = ladder_for(spec, study, q);
      all = {.first = std::min(all.first, own.first),
             .finer = std::max(all.finer, own.finer),
             .count = std::max(all.count, own.count)};
    }
  }
  // If P and N are refined in turn, two successive levels have the same error in space or the same
  // error in time. Therefore, four times as many levels are needed.
  all.count *= spec.refine == Refine::both ? 4 : 1;
  all.count = std::max({std::ceil(all.count), 24.0,
                        all.finer > 1 ? 0.0 : 2.0 * static_cast<double>(study.cases.size())});
  if (all.first == study.cases.size() || all.count > most_levels) {
    return "";
  }
  std::vector<std::int64_t> words;
  for (const auto& [level, factor] :
       {std::pair(spec.levels[all.first], std::int64_t{1}), {spec.levels.back(), all.finer}}) {
    if (refines_cells(spec.refine)) {
      words.push_back(factor * std::get<slab::Cells>(level.space).count);
    }
    if (refines_steps(spec.refine)) {
      words.push_back(factor * level.steps);
    }
  }
  words.push_back(std::llround(all.count));
  return fmt::format("{}", fmt::join(words, ":"));
}

Conclusions conclude(const StudySpec& spec, const Study& study) {
  Conclusions conclusions{.quantities = measured_quantities(spec, study),
                          .unrefined_error = unrefined_error(spec)};
  if (conclusions.unrefined_error.empty()) {
    conclusions.deciding_levels = deciding_levels(spec, study);
  }
  return conclusions;
}

}  // namespace masing::study
