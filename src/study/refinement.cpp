#include "study/refinement.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "statistics/least_squares.hpp"
#include "study/lockstep.hpp"

namespace masing::study {

namespace {

constexpr Errors all_undefined{
    {base::undefined, base::undefined, base::undefined, base::undefined}};

/// Returns the step that is refined: δt, δs or δs + δt. If the steps alone are refined, δs may be
/// NaN.
double refined_step(Refine refine, double ds, double dt) {
  return (refines_cells(refine) ? ds : 0.0) + (refines_steps(refine) ? dt : 0.0);
}

}  // namespace

Study study_of(const StudyPlan& plan, const std::vector<std::vector<double>>& records) {
  const StudySpec& spec = *plan.spec;
  Study study;
  Point scale;  // largest |x| and |y| of all levels, to which the floors are relative
  double scale_u = 0.0;
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    auto [errors, level_run, self_check, series] = campaign::unpacked<Outcome>(records[i]);
    if (!plan.comparisons[i].reference) {
      errors = all_undefined;
    }
    if (!measures_field(spec.run)) {
      errors[Errors::u] = errors[Errors::u_cells] = base::undefined;
    }
    const engine::RunSpec& run = plan.runs[i].run;
    const double ds = engine::space_of(run) == nullptr ? base::undefined : width_of(run);
    const double dt = run.time.step();
    study.cases.push_back({.level = spec.levels[i],
                           .ds = ds,
                           .dt = dt,
                           .step = refined_step(spec.refine, ds, dt),
                           .errors = errors,
                           .orders = all_undefined,
                           .final_x = level_run.end.x,
                           .final_y = level_run.end.y,
                           .seconds = level_run.seconds});
    scale = {std::max(scale.x, level_run.largest.x), std::max(scale.y, level_run.largest.y)};
    scale_u = std::max(scale_u, level_run.largest_u);
    study.self_check = std::max(study.self_check, self_check);
    study.series = std::move(series);  // after the loop, this is the series of the last level
  }
  // The exact solution is accurate to about 1e-10 of the largest |x|, |y| or |u|, and different
  // engines agree to 1e-11. Errors below 1e-10 of these are therefore not significant.
  const auto floor = [&](double largest) {
    return std::max(1e-10 * largest, 10 * study.self_check);
  };
  // u changes by the change of x and therefore has at least the round-off of x.
  const double floor_u = floor(std::max(scale.x, scale_u));
  study.floors = {{floor(scale.x), floor(scale.y), floor_u, floor_u}};
  if (plan.comparisons.size() > spec.levels.size()) {
    const Errors round_off = campaign::unpacked<Outcome>(records.back()).errors;
    std::ranges::transform(round_off.all, study.floors.all.begin(),
                           [](double error) { return 10 * error; });
  }
  return study;
}

namespace {

/// Returns the promised order of the error of `quantity` in a study that refines `refine`. Returns
/// 1 for models without a scheme.
double promised_power(const StudySpec& spec, Refine refine, const Quantity& quantity) {
  const engine::Model& model = *spec.run.model;
  return model.scheme() == nullptr ? 1.0
                                   : promised_order(model, refine, spec.reference, quantity).order;
}

/// Returns r in the law e ≈ C (δs - r) for the error of a level against a reference. In general r
/// is the cell width δs_ref of the reference.
///
/// For the error of u over all s, `piecewise` is the slab, and r is another number; for all other
/// errors, `piecewise` is null. In each cell, u has the value at the cell's point. If a cell of the
/// level and a cell of the reference overlap, their points have a distance; e is proportional to
/// the largest of these distances. The overlap is at least d = 1/lcm(P, P_ref). For the rule right,
/// whose points are the right ends, the largest distance is δs - d, so r = d. For the rule
/// midpoint, the largest distance is (δs + δs_ref)/2 - d, so r = 2d - δs_ref, which may be
/// negative.
double width_against(const slab::Space& reference, const Level& level,
                     const slab::Slab* piecewise) {
  const auto* there = std::get_if<slab::Cells>(&reference);
  const auto* here = std::get_if<slab::Cells>(&level.space);
  const double width = slab::cell_width(reference);
  if (piecewise == nullptr || there == nullptr || here == nullptr) {
    return width;
  }
  const auto shared = static_cast<double>(std::gcd(here->count, there->count));
  const double overlap = width * shared / static_cast<double>(here->count);
  return piecewise->rule == slab::Rule::right ? overlap : 2 * overlap - width;
}

/// Returns the refined step of every level and of the reference of every level. `refine` selects
/// this step. `piecewise` is the slab if the errors are those of u over all s, and null otherwise,
/// see width_against().
statistics::StepLadder ladder_of(const StudySpec& spec, const Study& study, Refine refine,
                                 const slab::Slab* piecewise) {
  statistics::StepLadder ladder;
  ladder.levels =
      study.column([&](const LevelResult& at) { return refined_step(refine, at.ds, at.dt); });
  if (spec.reference.is_successive) {
    return statistics::against_next(std::move(ladder.levels));
  }
  const auto finest = spec.reference.finest;
  ladder.references = study.column([&](const LevelResult& at) {
    return finest ? refined_step(refine, width_against(finest->space, at.level, piecewise),
                                 slab::TimeGrid{spec.run.time.final_time, finest->steps}.step())
                  : 0.0;
  });
  return ladder;
}

/// Returns whether δs and δt are both refined and the ratio δs/δt differs between levels. The
/// errors caused by δs and by δt can then be separated.
bool has_two_steps(const StudySpec& spec, const Study& study) {
  return spec.refine == Refine::both &&
         !statistics::on_one_ray(study.column(&LevelResult::ds), study.column(&LevelResult::dt));
}

/// Returns the order of the errors in the refined step. If δs and δt are both refined, the law of
/// the errors has one constant for δs and another one for δt. If the levels do not determine both
/// constants, the order is that in δs + δt.
statistics::Order order_of(const StudySpec& spec, const Study& study,
                           const std::vector<double>& errors, double floor,
                           const slab::Slab* piecewise) {
  statistics::ErrorLadder ladder{.errors = errors, .are_differences = spec.reference.is_successive};
  if (has_two_steps(spec, study)) {
    ladder.steps = {ladder_of(spec, study, Refine::cells, piecewise),
                    ladder_of(spec, study, Refine::steps, piecewise)};
    statistics::Order found = statistics::find_order(ladder, floor);
    if (!std::isnan(found.order)) {
      return found;
    }
  }
  ladder.steps = {ladder_of(spec, study, spec.refine, piecewise)};
  return statistics::find_order(ladder, floor);
}

/// Sets QuantityResult::steps to the steps to which the orders between levels refer, and
/// QuantityResult::step to the word for them: "joint", "time", "space" or "sum".
void set_steps(QuantityResult& result, Refine refine, const Study& study) {
  const statistics::JointFit& joint = result.joint;
  const std::vector<double> sums = study.column([&](const LevelResult& at) {
    return joint.space * std::pow(at.ds, joint.power) + joint.time * std::pow(at.dt, joint.power);
  });
  result.steps = study.column(&LevelResult::step);
  // The errors in space and in time may have opposite signs. The joint step exists only if their
  // sum is positive at every level.
  if (std::ranges::all_of(sums, [](double sum) { return sum > 0; })) {
    result.step = "joint";
    std::ranges::transform(sums, result.steps.begin(),
                           [&](double sum) { return std::pow(sum, 1.0 / joint.power); });
    return;
  }
  result.step = !refines_cells(refine) ? "time" : refine == Refine::cells ? "space" : "sum";
}

/// Returns whether the levels are too few or too close to each other for a verdict on an order.
/// They are if fewer than three in succession have an error above the floor, or if the δs or the δt
/// of those that have one differ, but by a factor of less than 4. If each level is compared with
/// the next, the next of the last one counts, too.
bool is_too_little(const StudySpec& spec, const Study& study, const statistics::Order& fit) {
  constexpr std::size_t fewest = 3;
  constexpr double least_factor = 4.0 - 1e-9;  // less the rounding of the steps
  const std::size_t next = spec.reference.is_successive ? 1 : 0;
  const auto is_near = [&](double LevelResult::*step) {
    double wide = 0.0;
    double narrow = std::numeric_limits<double>::infinity();  // stays if the steps are NaN
    for (std::size_t l = 0; l < study.cases.size(); ++l) {
      if (fit.marks[l] <= statistics::Mark::before) {
        wide = std::max(wide, study.cases[l].*step);
        narrow = std::min(narrow, study.cases[l + next].*step);
      }
    }
    return narrow < wide && wide < least_factor * narrow;
  };
  return fit.levels < fewest || is_near(&LevelResult::ds) || is_near(&LevelResult::dt);
}

/// Returns the results for the quantity with index `q`, computed from the errors of this quantity.
/// Also sets LevelResult::orders of this quantity in `study`.
QuantityResult result_of(const StudySpec& spec, Study& study, std::size_t q) {
  const std::vector<double> e = study.column([q](const LevelResult& at) { return at.errors[q]; });
  const double floor = study.floors[q];
  const bool is_successive = spec.reference.is_successive;
  QuantityResult result;
  const Quantity& quantity = spec.run.model->quantities()[q];
  for (const auto& expected : spec.expected_orders) {
    if (expected.quantity == quantity.name) {
      result.expected = expected;
    }
  }
  result.joint.power = promised_power(spec, Refine::both, quantity);
  if (spec.refine == Refine::both) {
    result.joint = statistics::fit_jointly(study.column(&LevelResult::ds),
                                           study.column(&LevelResult::dt), e, result.joint.power);
  }
  set_steps(result, spec.refine, study);
  const std::vector<double>& h = result.steps;
  const statistics::ErrorLadder pairs{
      .steps = {is_successive ? statistics::against_next(h)
                              : statistics::StepLadder{h, std::vector(h.size(), 0.0)}},
      .errors = e};
  for (std::size_t l = 1; l < e.size(); ++l) {
    double& order = study.cases[l].orders[q];
    order = statistics::pair_order(pairs, l - 1);
    if (e[l] > floor && !std::isnan(order)) {
      result.last_pair = order;
    }
  }
  const slab::Slab* slab = engine::slab_of(spec.run);
  const bool is_piecewise =
      quantity.part == Quantity::Part::everywhere && slab != nullptr && !is_uniform(*slab);
  result.fit = order_of(spec, study, e, floor, is_piecewise ? slab : nullptr);
  if (result.expected) {
    const auto measured = std::span(e).first(e.size() - (is_successive ? 1 : 0));
    const bool has_only_rounding =
        std::ranges::all_of(measured, [&](double error) { return error <= floor; });
    result.too_little = !has_only_rounding && is_too_little(spec, study, result.fit);
    result.verdict = has_only_rounding ? Verdict::exact
                     : result.too_little
                         ? Verdict::undecided
                         : statistics::judge(*result.expected, result.fit.order,
                                             result.fit.uncertainty, spec.order_tolerance);
  }
  return result;
}

void find_extrapolations(const StudySpec& spec, Study& study) {
  std::vector<std::vector<double>> steps{study.column(&LevelResult::step)};
  if (has_two_steps(spec, study)) {
    steps = {study.column(&LevelResult::ds), study.column(&LevelResult::dt)};
  }
  for (const auto& [q, value] :
       {std::pair(Errors::x, &LevelResult::final_x), {Errors::y, &LevelResult::final_y}}) {
    study.results[q].extrapolated =
        statistics::extrapolate(steps, study.column(value),
                                promised_power(spec, spec.refine, spec.run.model->quantities()[q]));
  }
}

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

std::vector<double> Study::column(const std::function<double(const LevelResult&)>& value) const {
  std::vector<double> values;
  std::ranges::transform(cases, std::back_inserter(values), value);
  return values;
}

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

void find_results(const StudySpec& spec, Study& study) {
  std::vector<Verdict> verdicts;
  for (std::size_t q = 0; q < spec.run.model->quantities().size(); ++q) {
    verdicts.push_back(study.results.emplace_back(result_of(spec, study, q)).verdict);
  }
  if (!spec.reference.is_exact()) {
    find_extrapolations(spec, study);
  }
  study.verdict = statistics::worst(verdicts);
  study.conclusions = conclude(spec, study);
}

}  // namespace masing::study
