#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>

#include "study/refinement.hpp"

namespace masing::study {

namespace {

std::vector<std::size_t> measured_quantities(const StudySpec& spec, const Study& study) {
  std::vector<std::size_t> measured;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const bool has_error = std::ranges::any_of(
        study.cases, [q](const LevelResult& at) { return !std::isnan(at.errors[q]); });
    const bool is_same_as_u = q == Errors::u_cells && spec.run.facts().chain == nullptr;
    if (engine::slab_of(spec.run) != nullptr || (!is_same_as_u && has_error)) {
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
  const bool errs_in_time = spec.refine == Refine::cells && !spec.run.facts().is_exact;
  return errs_in_time && reference.is_exact_in_time ? "time" : "";
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study) {
  if (spec.refine == Refine::elements || spec.reference.is_successive) {
    return "";
  }
  constexpr double wide = 64.0;  // preferred ratio of the first level's step to the last one's
  constexpr double most_levels = 1000.0;
  std::size_t first = study.cases.size();
  std::int64_t finer = 1;
  double count = 0.0;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const QuantityResult& result = study.results[q];
    if (result.verdict != Verdict::undecided || result.fit.levels == 0) {
      continue;
    }
    // Of fewer than three errors the order and the scatter are NaN, and the least ladder is named.
    const statistics::Fit& fit = result.fit;
    const auto begin = static_cast<std::size_t>(
        std::ranges::find(fit.marks, statistics::Mark::fitted) - fit.marks.begin());
    const double range = result.steps[begin] / result.steps.back();
    // The change of the order that the next term of the error expansion causes is proportional to
    // h.
    const bool is_curved = fit.structural > fit.statistical;
    const double wanted =
        std::max(wide / range, is_curved ? 4 * fit.structural / spec.order_tolerance : 1.0);
    // from e ∝ hᵖ, how many times finer the last level may become
    const double above_floor = study.cases.back().errors[q] / (10 * study.floors[q]);
    const double most = std::min(16.0, std::pow(above_floor, 1 / fit.order));
    std::int64_t factor = 1;
    while (static_cast<double>(factor) < wanted && static_cast<double>(2 * factor) <= most) {
      factor *= 2;
    }
    const double freedom = std::max(1.0, static_cast<double>(fit.levels) - 2);
    const boost::math::chi_squared distribution(freedom);
    const double scatter = fit.scatter * std::sqrt(freedom / quantile(distribution, 0.2));
    // Two standard errors are the usual half-width.
    const double root = 4 * scatter * 2 * std::numbers::sqrt3 /
                        (std::log(range * static_cast<double>(factor)) * spec.order_tolerance);
    first = std::min(first, begin);
    finer = std::max(finer, factor);
    count = std::max(count, root * root);
  }
  // If P and N are refined in turn, two successive levels have the same error in space or the same
  // error in time. Therefore, four times as many levels are needed.
  count *= spec.refine == Refine::both ? 4 : 1;
  count = std::max(
      {std::ceil(count), 24.0, finer > 1 ? 0.0 : 2.0 * static_cast<double>(study.cases.size())});
  if (first == study.cases.size() || count > most_levels) {
    return "";
  }
  std::vector<std::int64_t> words;
  for (const auto& [level, factor] :
       {std::pair(spec.levels[first], std::int64_t{1}), {spec.levels.back(), finer}}) {
    if (refines_cells(spec.refine)) {
      words.push_back(factor * std::get<slab::Cells>(level.space).count);
    }
    if (refines_steps(spec.refine)) {
      words.push_back(factor * level.steps);
    }
  }
  words.push_back(std::llround(count));
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
