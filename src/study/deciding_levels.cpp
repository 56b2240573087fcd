#include "study/deciding_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace masing::study {

namespace {

/// A geometric ladder: by which factors its first and last level are finer than those there are.
struct Wanted {
  double first = 1.0;
  double last = 1.0;
  double count = 0.0;

  void include(const Wanted& other) {
    first = std::max(first, other.first);
    last = std::max(last, other.last);
    count = std::max(count, other.count);
  }
};

Wanted wanted_for(const Study& study, std::size_t q, double tolerance) {
  constexpr double wide = 64.0;       // from the first level to the last
  constexpr double finer = 8.0;       // where the order still changes
  constexpr double above_floor = 10;  // the least error, in floors
  constexpr double fewest = 8.0;
  constexpr double most = 400.0;
  const QuantityResult& found = study.results[q];
  const double factor = study.cases.front().step / study.cases.back().step;
  const bool is_curved = found.fit.structural > found.fit.statistical;
  Wanted wanted;
  wanted.last = is_curved ? finer : std::max(1.0, wide / factor);
  // e ∝ hᵖ comes down to some floors.
  const double floor = above_floor * study.floors.*quantities[q].value;
  for (std::size_t l = study.cases.size(); l-- > 0;) {
    const double error = study.cases[l].errors.*quantities[q].value;
    if (found.fit.marks[l] == Mark::fitted && floor > 0 && found.observed > 0) {
      const double coarser = study.cases[l].step / study.cases.back().step;
      const double reach = std::pow(error / floor, 1 / found.observed) / coarser;
      wanted.last = std::clamp(reach, std::min(1.0, 1 / coarser), wanted.last);
      break;
    }
  }
  // Levels that are further from the finest than this tell of terms that vanish before.
  wanted.first = is_curved ? std::max(1.0, factor * wanted.last / wide) : 1.0;
  // Of n levels evenly spread over log h, L wide: 2 σ √12/(L √n) is half the tolerance.
  const double width = std::log(factor * wanted.last / wanted.first);
  const double root = 4 * found.fit.scatter * 2 * std::numbers::sqrt3 / (width * tolerance);
  wanted.count = std::clamp(std::ceil(root * root),
                            std::max(fewest, 1.0 + static_cast<double>(study.cases.size())), most);
  return wanted;
}

}  // namespace

std::string deciding_levels(const StudySpec& spec, const Study& study) {
  Wanted wanted;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    if (study.results[q].verdict == Verdict::undecided) {
      wanted.include(wanted_for(study, q, spec.order_tolerance));
    }
  }
  if (wanted.count == 0) {
    return {};
  }
  const auto scaled = [](double count, double factor) { return std::llround(count * factor); };
  const auto cells = [](const Level& level) {
    return static_cast<double>(std::get<slab::Cells>(level.space).count);
  };
  const auto steps = [](const Level& level) { return static_cast<double>(level.steps); };
  const auto both = [&](const Level& level, double factor) {
    const std::string p =
        spec.refine == Refine::steps ? "" : fmt::to_string(scaled(cells(level), factor));
    const std::string n =
        spec.refine == Refine::cells ? "" : fmt::to_string(scaled(steps(level), factor));
    return p + (spec.refine == Refine::both ? ":" : "") + n;
  };
  return fmt::format("{}:{}:{:g}", both(spec.levels.front(), wanted.first),
                     both(spec.levels.back(), wanted.last), wanted.count);
}

}  // namespace masing::study
