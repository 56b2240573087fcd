#include "study/study_spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"

namespace masing::study {

std::vector<std::int64_t> step_counts(const std::vector<Level>& levels) {
  std::vector<std::int64_t> counts;
  std::ranges::transform(levels, std::back_inserter(counts), &Level::steps);
  return counts;
}

std::vector<std::int64_t> cell_counts(const std::vector<Level>& levels) {
  std::vector<std::int64_t> counts;
  std::ranges::transform(levels, std::back_inserter(counts), [](const Level& level) {
    return std::get<slab::Cells>(level.space).count;
  });
  return counts;
}

std::string cells_text(const slab::Space& space) {
  const auto* cells = std::get_if<slab::Cells>(&space);
  return cells == nullptr ? "inf" : base::to_text(cells->count);
}

engine::RunSpec at_level(engine::RunSpec run, const Level& level) {
  auto* chain = std::get_if<engine::MasingChain>(&run.model);
  if (chain != nullptr && level.elements > 0) {
    const auto with_elements = chain->with_elements;
    *chain = with_elements(level.elements);
    chain->with_elements = with_elements;
  }
  engine::set_space(run, level.space);
  run.time.steps = level.steps;
  return run;
}

double width_of(const engine::RunSpec& run) {
  const slab::Space* space = engine::space_of(run);
  return space == nullptr ? 0.0 : slab::cell_width(*space);
}

std::span<const Quantity, 4> quantities_of(const engine::RunSpec& run) {
  static constexpr Quantity usual[] = {{"x", "x", "x"},
                                       {"y", "y", "y"},
                                       {"u", "u", "u"},
                                       {"u_cells", "u at the cells", "u at the cells’ points"}};
  static constexpr Quantity of_nodes[] = {
      {"x", "x at the nodes", "x"},
      {"y", "y at the nodes", "y"},
      {"x_rms", "x at the nodes, the largest root mean square", "x in the mean square"},
      {"y_rms", "y at the nodes, the largest root mean square", "y in the mean square"}};
  return run.facts().chain != nullptr ? std::span<const Quantity, 4>(of_nodes) : usual;
}

namespace {

/// Returns the time step δt of a run, or 0 for an exact solution, because it has no error in time.
double step_of(const engine::RunSpec& run) {
  return engine::is_exact(run) ? 0.0 : run.time.step();
}

}  // namespace

Reference make_reference(const std::string& name, Refine refine, const std::vector<Level>& levels,
                         const engine::Model& model) {
  const bool is_finite = std::holds_alternative<rheology::ModelSpec>(model);
  const bool is_chain = std::holds_alternative<engine::MasingChain>(model);
  const auto require = [](bool serves, const std::string& fault) {
    if (!serves) {
      throw base::UserError("reference", fault);
    }
  };
  const std::string others =
      fmt::format("give {}finest, successive or FILE.h5", is_finite ? "exact, " : "");
  if (name.ends_with(".h5")) {
    return {.name = name, .heading = "reference: " + name, .description = name, .file = name};
  }
  if (name == "successive") {
    return {.name = name,
            .heading = "differences of successive levels",
            .description = "the next finer level (differences of successive levels)",
            .is_successive = true};
  }
  if (name == "finest") {
    Level level = levels.back();
    if (refines_cells(refine)) {
      level.space = slab::Cells{finest_count(cell_counts(levels))};
    }
    if (refines_steps(refine)) {
      level.steps = finest_count(step_counts(levels));
    }
    // The number of elements is refined by the same factor as that of steps.
    level.elements = base::floor_of_ratio(level.elements, level.steps, levels.back().steps);
    const auto* cells = std::get_if<slab::Cells>(&level.space);
    const std::string count = cells == nullptr ? "∞" : base::grouped(cells->count);
    const std::string cells_of =
        (level.elements > 0 ? fmt::format("n = {}, ", base::grouped(level.elements)) : "") +
        (is_finite ? "" : fmt::format("P = {}, ", count));
    return {
        .name = name,
        .heading =
            fmt::format("reference {}{}N = {}",
                        level.elements > 0 ? fmt::format("n = {}, ", level.elements) : "",
                        is_finite ? "" : "P = " + cells_text(level.space) + ", ", level.steps),
        .description = fmt::format("one run at least {} times finer in what is refined ({}N = {})",
                                   finest_factor, cells_of, base::grouped(level.steps)),
        .finest = level};
  }
  if (name == "cells-inf") {
    require(!is_finite, "cells-inf is there for slabs; " + others);
    require(refines_cells(refine),
            "cells-inf has the error in time of the level that a refinement of steps is to "
            "measure; give exact-time, or cells = inf and exact");
    return {.name = name,
            .heading = "reference: P = inf at the same N",
            .description = "the solution with P = ∞ at the same N",
            .explanation =
                "It is the same scheme with the integrals over s in place of the sums "
                "over cells: only the error in space is left. Its integrals are checked to 1e-10 "
                "of their range, and levels below the study's floor are not fitted.",
            .is_continuum = true};
  }
  require(!is_chain, "masing-chain has no exact solution; " + others);
  const bool has_cells = name == "exact-time";
  require(!has_cells || refine != Refine::cells,
          "exact-time has the error in s of the level that a refinement of cells is to measure; "
          "give cells-inf or exact");
  require(!has_cells || std::holds_alternative<engine::Masing>(model),
          "exact-time is there for the model masing; " + others);
  require(!std::holds_alternative<engine::QuasistaticMasing>(model),
          "masing-quasistatic has no exact solution; " + others);
  Reference exact{.name = name, .is_continuum = !has_cells && !is_finite, .is_exact_in_time = true};
  exact.heading =
      std::string("reference: the exact solution") + (has_cells ? " at the same P" : "");
  exact.description = has_cells   ? "the solution exact in time at the same P"
                      : is_finite ? "the exact solution (N = ∞)"
                                  : "the exact solution (P = ∞, N = ∞)";
  if (is_finite) {
    exact.explanation =
        "The exact solution of (3.8) of Bastien, Schatzman and Lamarque (2000) is found from "
        "event to event: between them every element sticks or slides in one direction, and the "
        "motion is a Taylor polynomial of order 24 to rounding.";
    exact.second_solution = "polynomials of order 18 on shorter steps";
  } else {
    exact.explanation = fmt::format(
        "The exact solution of (7) of Bastien, Lamarque and Schatzman (2001) is found from "
        "event to event: between reversals, closing loops and {} the motion is smooth and "
        "integrated by the Runge-Kutta-Fehlberg method of order eight.",
        has_cells ? "each cell's first yielding" : "the ends of the pieces of k, η and u0");
    exact.second_solution = "Gauss collocation of order ten with steps and tolerances of its own";
  }
  return exact;
}

Reference make_file_reference(const std::string& path, const engine::RunSpec& file_run,
                              Refine refine, const engine::RunSpec& last,
                              bool has_last_field_only) {
  Reference reference = make_reference(path, refine, {}, file_run.model);
  const bool is_exact = engine::is_exact(file_run);
  const slab::Slab* slab = engine::slab_of(file_run);
  reference.is_exact_in_time = is_exact;
  reference.is_continuum = is_exact && slab != nullptr && slab->is_continuum();
  reference.refinement = refinement_factor(file_run, refine, last);
  const slab::SchemeInfo* there = file_run.facts().scheme;
  const slab::SchemeInfo* here = last.facts().scheme;
  const slab::Slab* levels = engine::slab_of(last);
  const bool is_masing = slab != nullptr && there != nullptr && here != nullptr;
  const bool same_scheme = is_exact || there == nullptr || there == here;
  const bool same_rule =
      !is_masing || slab->is_continuum() || levels->is_continuum() || slab->rule == levels->rule;
  if (!is_exact && same_scheme && same_rule) {
    const slab::Space* space = engine::space_of(file_run);
    reference.finest = {space == nullptr ? slab::Space{} : *space, file_run.time.steps};
  }
  const auto differ = [&reference](const std::string& how, const std::string& meaning) {
    std::string& text = reference.explanation;
    text += fmt::format("{}It {}: {}.", text.empty() ? "" : " ", how, meaning);
  };
  if (!same_scheme) {
    differ(fmt::format("is made by the scheme {}, the levels by {}", there->name, here->name),
           "the fit takes it as exact in time");
  }
  if (!same_rule) {
    differ(fmt::format("has cells by the rule {}, the levels by {}", name_of(slab->rule),
                       name_of(levels->rule)),
           refine == Refine::steps
               ? "the errors hold the difference of both rules, which smaller steps do not lessen"
               : "the fit takes it as exact in space");
  }
  if (!refines_cells(refine) && width_of(file_run) != width_of(last)) {
    differ(fmt::format("has P = {}, the levels P = {}", cells_text(*engine::space_of(file_run)),
                       cells_text(*engine::space_of(last))),
           "the errors hold the difference of both in space, which smaller steps do not lessen");
  }
  if (refine == Refine::cells && step_of(file_run) != step_of(last)) {
    differ(fmt::format("has N = {}, the levels N = {}",
                       is_exact ? "∞" : base::grouped(file_run.time.steps),
                       base::grouped(last.time.steps)),
           "the errors hold the difference of both in time, which more cells do not lessen");
  }
  if (file_run.facts().chain != nullptr) {
    differ("has x and y of the node that the force acts on", "errors are those of this node");
  }
  if (has_last_field_only && slab != nullptr) {
    differ("has u at t = T alone", "e(u) is that of u(T, s); one made with field-every has more");
  }
  return reference;
}

std::optional<engine::RunSpec> run_for(const Reference& reference, const engine::RunSpec& level) {
  if (reference.file || reference.is_successive) {
    return std::nullopt;
  }
  if (reference.finest) {
    return at_level(level, *reference.finest);
  }
  engine::RunSpec run = level;
  if (const slab::Space* space = engine::space_of(run);
      reference.is_continuum && space != nullptr && std::holds_alternative<slab::Cells>(*space)) {
    engine::set_space(run, slab::Continuum{});
  }
  if (reference.is_exact_in_time) {
    engine::make_exact(run);
  } else if (auto* masing = std::get_if<engine::Masing>(&run.model)) {
    masing->method = engine::Method::turning_points;
  }
  return run;
}

std::string heading(const Reference& reference, double self_check) {
  return reference.heading + (reference.second_solution.empty()
                                  ? ""
                                  : fmt::format(" (checks itself to {:.0e})", self_check));
}

std::string explanation(const Reference& reference, double self_check) {
  return reference.explanation +
         (self_check > 0 && !reference.second_solution.empty()
              ? fmt::format(" A second solution, by {}, differs from it by at most {:.0e}.",
                            reference.second_solution, self_check)
              : "");
}

double refinement_factor(const engine::RunSpec& file_run, Refine refine,
                         const engine::RunSpec& last) {
  const auto factor = [](double coarse, double fine) {
    return fine > 0.0 ? coarse / fine : std::numeric_limits<double>::infinity();
  };
  const double space = factor(width_of(last), width_of(file_run));
  const double time = factor(step_of(last), step_of(file_run));
  return !refines_cells(refine) ? time : refine == Refine::cells ? space : std::min(space, time);
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
