#include "study/study_spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.hpp"
#include "base/partition.hpp"

namespace masing::study {

std::vector<std::int64_t> step_counts(const std::vector<Level>& levels) {
  std::vector<std::int64_t> counts;
  std::ranges::transform(levels, std::back_inserter(counts), &Level::steps);
  return counts;
}

engine::RunSpec at_level(engine::RunSpec run, const Level& level) {
  run.model = run.model->at(level.space, level.elements);
  run.time.steps = level.steps;
  return run;
}

double width_of(const engine::RunSpec& run) {
  const slab::Space* space = engine::space_of(run);
  return space == nullptr ? 0.0 : slab::cell_width(*space);
}

Reference make_reference(const std::string& name, Refine refine, const std::vector<Level>& levels,
                         const engine::Model& model) {
  const bool is_finite = model.slabs().empty();
  const auto require = [](bool serves, const std::string& fault) {
    if (!serves) {
      throw base::UserError("reference", fault);
    }
  };
  const std::string others = fmt::format("give {}finest or successive", is_finite ? "exact, " : "");
  if (name == "successive") {
    return {.name = name, .heading = "differences of successive levels", .is_successive = true};
  }
  if (name == "finest") {
    Level level = levels.back();
    if (refines_cells(refine)) {
      std::vector<std::int64_t> counts;
      for (const Level& each : levels) {
        counts.push_back(std::get<slab::Cells>(each.space).count);
      }
      level.space = slab::Cells{finest_count(counts)};
    }
    if (refines_steps(refine)) {
      level.steps = finest_count(step_counts(levels));
    }
    // The number of elements is refined by the same factor as that of steps.
    level.elements = base::floor_of_ratio(level.elements, level.steps, levels.back().steps);
    return {.name = name,
            .heading = fmt::format(
                "reference {}{}N = {}",
                level.elements > 0 ? fmt::format("n = {}, ", level.elements) : "",
                is_finite ? "" : "P = " + engine::cells_text(level.space) + ", ", level.steps),
            .finest = level};
  }
  if (name == "cells-inf") {
    require(!is_finite, "cells-inf is there for slabs; " + others);
    require(refines_cells(refine),
            "cells-inf has the error in time of the level that a refinement of steps is to "
            "measure; give exact-time, or cells = inf and exact");
    return {.name = name, .heading = "reference: P = inf at the same N", .is_continuum = true};
  }
  const bool has_cells = name == "exact-time";
  const bool has_exact = is_finite || (model.oscillator() != nullptr && model.scheme() != nullptr);
  require(has_exact, model.info().name + " has no exact solution; " + others);
  require(!has_cells || refine != Refine::cells,
          "exact-time has the error in s of the level that a refinement of cells is to measure; "
          "give cells-inf or exact");
  require(!has_cells || !is_finite, "exact-time is there for the model masing; " + others);
  return {
      .name = name,
      .heading = std::string("reference: the exact solution") + (has_cells ? " at the same P" : ""),
      .is_continuum = !has_cells && !is_finite,
      .is_exact_in_time = true};
}

std::optional<engine::RunSpec> run_for(const Reference& reference, const engine::RunSpec& level) {
  if (reference.is_successive) {
    return std::nullopt;
  }
  if (reference.finest) {
    return at_level(level, *reference.finest);
  }
  engine::RunSpec run = level;
  if (const slab::Space* space = engine::space_of(run);
      reference.is_continuum && space != nullptr && std::holds_alternative<slab::Cells>(*space)) {
    run.model = run.model->at(slab::Continuum{}, 0);
  }
  if (reference.is_exact_in_time) {
    run.method = engine::Method::exact;
  } else if (engine::slab_of(run) != nullptr) {
    run.method = engine::Method::memory;
  }
  return run;
}

std::string heading(const Reference& reference, double self_check) {
  return reference.heading +
         (reference.is_exact_in_time ? fmt::format(" (checks itself to {:.0e})", self_check) : "");
}

std::int64_t finest_count(const std::vector<std::int64_t>& counts) {
  const std::int64_t least = finest_factor * counts.back();
  std::int64_t multiple = 1;
  for (const std::int64_t count : counts) {
    const std::int64_t factor = count / std::gcd(multiple, count);
    if (factor > 4 * least / multiple) {
      return least;
    }
    multiple *= factor;
  }
  return (least + multiple - 1) / multiple * multiple;
}

}  // namespace masing::study
