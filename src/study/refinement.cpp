#include "study/refinement.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "study/lockstep.hpp"

namespace masing::study {

namespace {

constexpr Errors all_undefined{
    {base::undefined, base::undefined, base::undefined, base::undefined}};

/// The step that is refined; δs is not looked at where the steps alone are.
double refined_step(Refine refine, double ds, double dt) {
  return (refine == Refine::steps ? 0.0 : ds) + (refine == Refine::cells ? 0.0 : dt);
}

}  // namespace

Study study_of(const StudyPlan& plan, const std::vector<std::vector<double>>& records) {
  const StudySpec& spec = *plan.spec;
  const bool has_u = measures_field(spec.run) && plan.first_field() < plan.field_times.count();
  Study study;
  PhasePoint scale;  // what round-off is measured by
  double scale_u = 0.0;
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    auto [errors, made, self_check, series] = outcome_of(records[i]);
    if (!plan.comparisons[i].reference && plan.file == nullptr) {
      errors = all_undefined;
    }
    // A file knows u on its cells and at its times only.
    if (!has_u || (plan.file != nullptr && plan.runs[i].options.has_function_field)) {
      errors[Errors::u] = errors[Errors::u_cells] = base::undefined;
    }
    const engine::RunSpec& run = plan.runs[i].run;
    const slab::Slab* slab = engine::slab_of(run);
    const double ds = slab == nullptr ? base::undefined : slab::cell_width(slab->space);
    const double dt = run.time.step();
    study.cases.push_back({.level = spec.levels[i],
                           .ds = ds,
                           .dt = dt,
                           .step = refined_step(spec.refine, ds, dt),
                           .errors = errors,
                           .orders = all_undefined,
                           .final_x = made.end.x,
                           .final_y = made.end.y,
                           .seconds = made.seconds});
    scale = {std::max(scale.x, made.largest.x), std::max(scale.y, made.largest.y)};
    scale_u = std::max(scale_u, made.largest_u);
    study.self_check = std::max(study.self_check, self_check);
    study.series = std::move(series);  // of the last
  }
  // The exact solution is good to 1e-10 of the largest |x|, |y|, |u|, engines agree to 1e-11.
  const auto floor = [&](double largest) {
    return std::max(1e-10 * largest, 10 * study.self_check);
  };
  // What goes along with x has its round-off.
  const double floor_u = floor(std::max(scale.x, scale_u));
  study.floors = {{floor(scale.x), floor(scale.y), floor_u, floor_u}};
  if (plan.comparisons.size() > spec.levels.size()) {
    const Errors round_off = outcome_of(records.back()).errors;
    std::ranges::transform(round_off.all, study.floors.all.begin(),
                           [](double error) { return 10 * error; });
    study.round_off = round_off.largest();
  }
  return study;
}

namespace {

/// The order of the leading terms that an error of `quantity` has where `refine` refines; 1 of
/// other models than the continuous one.
double promised_power(const StudySpec& spec, Refine refine, const char* quantity) {
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  return masing == nullptr ? 1.0 : promised_order(*masing, refine, spec.reference, quantity).order;
}

/// The width r in e ≈ C (δs - r) of a level against a reference: its cell width. Of u at all s,
/// which is that of a cell's point, e is the largest distance of the points of cells that overlap,
/// by d = 1/lcm(P, P_ref) at least: δs - d of their ends, (δs + δs_ref)/2 - d of their middles. So
/// r = d for the rule right and 2d - δs_ref, which may be negative, for midpoint.
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

/// The refined step of every level with that of what it is measured against; `piecewise`: the slab
/// whose u over all s the errors are of, which cells make piecewise constant; null for others.
statistics::StepLadder ladder_of(const StudySpec& spec, const Study& study, Refine refine,
                                 const slab::Slab* piecewise) {
  statistics::StepLadder found;
  found.levels =
      study.column([&](const LevelResult& at) { return refined_step(refine, at.ds, at.dt); });
  if (spec.reference.is_successive) {
    found.references.assign(found.levels.begin() + 1, found.levels.end());
    found.references.push_back(base::undefined);
    return found;
  }
  const auto finest = spec.reference.finest;
  found.references = study.column([&](const LevelResult& at) {
    return finest ? refined_step(refine, width_against(finest->space, at.level, piecewise),
                                 slab::TimeGrid{spec.run.time.final_time, finest->steps}.step())
                  : 0.0;
  });
  return found;
}

/// Whether both steps are refined and the levels tell their errors apart.
bool has_two_steps(const StudySpec& spec, const Study& study) {
  return spec.refine == Refine::both &&
         !statistics::on_one_ray(study.column(&LevelResult::ds), study.column(&LevelResult::dt));
}

/// The fit of the order: in the refined step; for `both` in δs and δt with a constant each, or in
/// δs + δt where the levels cannot tell them apart.
statistics::Fit fitted(const StudySpec& spec, const Study& study, const std::vector<double>& errors,
                       double floor, const slab::Slab* piecewise) {
  statistics::ErrorLadder ladder{.errors = errors, .are_differences = spec.reference.is_successive};
  if (has_two_steps(spec, study)) {
    ladder.steps = {ladder_of(spec, study, Refine::cells, piecewise),
                    ladder_of(spec, study, Refine::steps, piecewise)};
    statistics::Fit fit = statistics::fit_order(ladder, floor);
    if (!std::isnan(fit.order)) {
      return fit;
    }
  }
  ladder.steps = {ladder_of(spec, study, spec.refine, piecewise)};
  return statistics::fit_order(ladder, floor);
}

/// Sets the steps h that orders refer to, and says which they are.
void set_steps(QuantityResult& found, Refine refine, const Study& study) {
  const statistics::JointFit& joint = found.joint;
  const std::vector<double> sums = study.column([&](const LevelResult& at) {
    return joint.space * std::pow(at.ds, joint.power) + joint.time * std::pow(at.dt, joint.power);
  });
  found.steps = study.column(&LevelResult::step);
  // Errors in space and in time may have opposite signs: what must be positive is their sum.
  if (std::ranges::all_of(sums, [](double sum) { return sum > 0; })) {
    found.step = "joint";
    std::ranges::transform(sums, found.steps.begin(),
                           [&](double sum) { return std::pow(sum, 1.0 / joint.power); });
    return;
  }
  found.step = refine == Refine::steps ? "time" : refine == Refine::cells ? "space" : "sum";
}

/// What the errors of quantity `q` say; sets its orders between levels.
QuantityResult result_of(const StudySpec& spec, Study& study, std::size_t q) {
  const std::vector<double> e = study.column([q](const LevelResult& at) { return at.errors[q]; });
  const double floor = study.floors[q];
  const bool is_successive = spec.reference.is_successive;
  QuantityResult found;
  for (const auto& expected : spec.expected_orders) {
    if (expected.quantity == quantities[q].name) {
      found.expected = expected;
    }
  }
  found.joint.power = promised_power(spec, Refine::both, quantities[q].name);
  if (spec.refine == Refine::both) {
    found.joint = statistics::fit_jointly(study.column(&LevelResult::ds),
                                          study.column(&LevelResult::dt), e, found.joint.power);
  }
  set_steps(found, spec.refine, study);
  const std::vector<double>& h = found.steps;
  for (std::size_t l = 1; l < e.size(); ++l) {
    double& order = study.cases[l].orders[q];
    if (!is_successive) {
      order = statistics::observed_order(e[l - 1], e[l], h[l - 1], h[l]);
    } else if (l + 1 < e.size()) {
      order = statistics::successive_order(e[l - 1], e[l], h[l - 1], h[l], h[l + 1]);
    }
    if (e[l] > floor && !std::isnan(order)) {
      found.last_pair = order;
    }
  }
  const slab::Slab* slab = engine::slab_of(spec.run);
  const bool is_piecewise = q == Errors::u && slab != nullptr && !is_uniform(*slab);
  found.fit = fitted(spec, study, e, floor, is_piecewise ? slab : nullptr);
  if (found.expected) {
    const auto measured = std::span(e).first(e.size() - (is_successive ? 1 : 0));
    const bool has_only_rounding =
        std::ranges::all_of(measured, [&](double error) { return error <= floor; });
    found.verdict = has_only_rounding
                        ? Verdict::exact
                        : statistics::judge(*found.expected, found.observed(), found.uncertainty(),
                                            spec.order_tolerance);
  }
  return found;
}

void find_extrapolations(const StudySpec& spec, Study& study) {
  std::vector<std::vector<double>> steps{study.column(&LevelResult::step)};
  if (has_two_steps(spec, study)) {
    steps = {study.column(&LevelResult::ds), study.column(&LevelResult::dt)};
  }
  for (const auto& [q, value] :
       {std::pair(Errors::x, &LevelResult::final_x), {Errors::y, &LevelResult::final_y}}) {
    study.results[q].extrapolated = statistics::extrapolate(
        steps, study.column(value), promised_power(spec, spec.refine, quantities[q].name));
  }
}

}  // namespace

std::vector<double> Study::column(const std::function<double(const LevelResult&)>& value) const {
  std::vector<double> values;
  std::ranges::transform(cases, std::back_inserter(values), value);
  return values;
}

void find_results(const StudySpec& spec, Study& study) {
  std::vector<Verdict> verdicts;
  for (std::size_t q = 0; q < std::size(quantities); ++q) {
    verdicts.push_back(study.results.emplace_back(result_of(spec, study, q)).verdict);
  }
  if (!spec.reference.is_exact()) {
    find_extrapolations(spec, study);
  }
  study.verdict = statistics::worst(verdicts);
  study.conclusions = conclude(spec, study);
}

}  // namespace masing::study
