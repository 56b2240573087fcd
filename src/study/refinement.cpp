#include "study/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/limits.hpp"
#include "statistics/fit.hpp"
#include "study/file_reference.hpp"
#include "study/plan.hpp"
#include "study/promised_order.hpp"
#include "study/run_comparisons.hpp"

namespace masing::study {

namespace {

constexpr Errors all_undefined{base::undefined, base::undefined, base::undefined, base::undefined};

/// The step that is refined; δs is not looked at where the steps alone are.
double refined_step(Refine refine, double ds, double dt) {
  return (refine == Refine::steps ? 0.0 : ds) + (refine == Refine::cells ? 0.0 : dt);
}

/// The errors of a comparison, undefined where there is nothing to measure them against.
Errors errors_of(const StudyPlan& plan, const Outcomes& found, std::size_t i) {
  const StudySpec& spec = *plan.spec;
  const auto& [level, reference] = plan.comparisons[i];
  if (!reference && !spec.reference.file) {
    return all_undefined;
  }
  Errors errors = found.errors[i];
  // A file knows u on its cells and at its times only.
  if (!measures_field(spec.run) || plan.first_field >= plan.field_times.count() ||
      (spec.reference.file && plan.runs[level].form.has_function_field)) {
    errors.u = errors.u_cells = base::undefined;
  }
  return errors;
}

/// The cases, the floor and the series of a study.
Study measured(const StudyPlan& plan, Outcomes found) {
  const StudySpec& spec = *plan.spec;
  Study study;
  PhasePoint scale;  // what round-off is measured by
  double scale_u = 0.0;
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    const engine::RunSpec& run = plan.runs[i].run;
    const RunSummary& made = found.runs[i];
    const slab::Slab* slab = engine::slab_of(run);
    const double ds = slab == nullptr ? base::undefined : slab::cell_width(slab->space);
    const double dt = run.time.step();
    study.cases.push_back({.level = spec.levels[i],
                           .ds = ds,
                           .dt = dt,
                           .step = refined_step(spec.refine, ds, dt),
                           .errors = errors_of(plan, found, i),
                           .orders = all_undefined,
                           .final_x = made.end.x,
                           .final_y = made.end.y,
                           .seconds = made.seconds});
    scale = {std::max(scale.x, made.largest.x), std::max(scale.y, made.largest.y)};
    scale_u = std::max(scale_u, made.largest_u);
    if (const auto reference = plan.comparisons[i].reference; reference >= spec.levels.size()) {
      study.self_check = std::max(study.self_check, found.runs[*reference].self_check);
    }
  }
  // The exact solution is good to 1e-10 of the largest |x|, |y|, |u|, engines agree to 1e-11.
  const auto floor = [&](double largest) {
    return std::max(1e-10 * largest, 10 * study.self_check);
  };
  // What goes along with x has its round-off.
  const double floor_u = floor(std::max(scale.x, scale_u));
  study.floors = {floor(scale.x), floor(scale.y), floor_u, floor_u};
  if (plan.comparisons.size() > spec.levels.size()) {
    const Errors least = found.errors.back();
    study.floors = {10 * least.x, 10 * least.y, 10 * least.u, 10 * least.u_cells};
  }
  study.series = std::move(found.series);
  return study;
}

/// The order of the leading terms that an error of `quantity` has where `refine` refines; 1 of
/// other models than the continuous one.
double promised_power(const StudySpec& spec, Refine refine, const char* quantity) {
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  return masing == nullptr ? 1.0 : promised_order(*masing, refine, spec.reference, quantity).order;
}

/// Finds the orders of one quantity's errors.
class OrderFinder {
 public:
  OrderFinder(const StudySpec& spec, Study& study, const Quantity& quantity)
      : spec_(spec), study_(study), quantity_(quantity) {
    for (const LevelResult& at : study.cases) {
      ds_.push_back(at.ds);
      dt_.push_back(at.dt);
      errors_.push_back(at.errors.*quantity.value);
    }
    const slab::Slab* slab = engine::slab_of(spec.run);
    is_piecewise_ = quantity.value == &Errors::u && slab != nullptr && !is_uniform(*slab);
  }

  void find() {
    QuantityResult finding;
    for (const auto& expected : spec_.expected_orders) {
      if (expected.quantity == quantity_.name) {
        finding.expected = expected;
      }
    }
    const double power = promised_power(spec_, Refine::both, quantity_.name);
    finding.joint = spec_.refine == Refine::both ? statistics::fit_jointly(ds_, dt_, errors_, power)
                                                 : statistics::JointFit{.power = power};
    set_steps(finding.joint);
    finding.steps = steps_;
    finding.step = kind_;
    find_orders();
    finding.fit = fitted(finding.ladders);
    finding.last_pair = last_order();
    const bool is_fitted = !std::isnan(finding.fit.order);
    finding.observed = is_fitted ? finding.fit.order : finding.last_pair;
    finding.uncertainty = is_fitted ? finding.fit.uncertainty : 0.0;
    finding.observed_from = is_fitted                        ? ObservedFrom::fit
                            : !std::isnan(finding.last_pair) ? ObservedFrom::last_pair
                                                             : ObservedFrom::none;
    if (finding.expected) {
      finding.verdict = has_only_rounding()
                            ? Verdict::exact
                            : statistics::judge(*finding.expected, finding.observed,
                                                finding.uncertainty, spec_.order_tolerance);
    }
    study_.results.push_back(std::move(finding));
  }

 private:
  [[nodiscard]] bool successive() const { return spec_.reference.is_successive; }

  /// The step h that orders refer to: δs or δt; for `both` that of the joint fit,
  /// hᵖ = C₁δsᵖ + C₂δtᵖ, or δs + δt where the levels cannot tell C₁ and C₂ apart.
  void set_steps(const statistics::JointFit& joint) {
    // Errors in space and in time may have opposite signs: what must be positive is their sum.
    const auto joined = [&joint](double ds, double dt) {
      return joint.space * std::pow(ds, joint.power) + joint.time * std::pow(dt, joint.power);
    };
    bool together = !std::isnan(joint.space);
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      together = together && joined(ds_[l], dt_[l]) > 0;
    }
    const auto step = [&](double ds, double dt) {
      return together ? std::pow(joined(ds, dt), 1.0 / joint.power)
                      : refined_step(spec_.refine, ds, dt);
    };
    kind_ = together                        ? StepKind::joint
            : spec_.refine == Refine::steps ? StepKind::time
            : spec_.refine == Refine::cells ? StepKind::space
                                            : StepKind::sum;
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      steps_.push_back(step(ds_[l], dt_[l]));
    }
  }

  /// The width r in e ≈ C (δs - r) of level l against a reference: its cell width. Of u at all s,
  /// which is that of a cell's point, e is the largest distance of the points of cells that
  /// overlap, by d = 1/lcm(P, P_ref) at least: δs - d of their ends, (δs + δs_ref)/2 - d of their
  /// middles. So r = d for the rule right and 2d - δs_ref, which may be negative, for midpoint.
  [[nodiscard]] double width_against(const slab::Space& reference, std::size_t l) const {
    const auto* there = std::get_if<slab::Cells>(&reference);
    const auto* here = std::get_if<slab::Cells>(&spec_.levels[l].space);
    if (!is_piecewise_ || there == nullptr || here == nullptr) {
      return slab::cell_width(reference);
    }
    const auto shared = static_cast<double>(std::gcd(here->count, there->count));
    const double width = slab::cell_width(reference);
    const double overlap = width * shared / static_cast<double>(here->count);
    const slab::Rule rule = engine::slab_of(spec_.run)->rule;
    return rule == slab::Rule::right ? overlap : 2 * overlap - width;
  }

  /// The step `step` of every level that has an error with that of what it is measured against.
  [[nodiscard]] statistics::StepLadder ladder_of(
      const std::function<double(double ds, double dt)>& step) const {
    statistics::StepLadder found;
    const auto finest = spec_.reference.finest;
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      found.levels.push_back(step(ds_[l], dt_[l]));
      double reference = 0.0;
      if (finest) {
        reference = step(width_against(finest->space, l),
                         slab::TimeGrid{spec_.run.time.final_time, finest->steps}.step());
      } else if (successive()) {
        reference = l + 1 < errors_.size() ? step(ds_[l + 1], dt_[l + 1]) : base::undefined;
      }
      found.references.push_back(reference);
    }
    return found;
  }

  /// The fit of the order: in the refined step; for `both` in δs and δt with a constant each, or in
  /// δs + δt where the levels cannot tell them apart. Adds the ladders it is tried on to `tried`.
  [[nodiscard]] statistics::Fit fitted(std::vector<statistics::ErrorLadder>& tried) const {
    statistics::ErrorLadder ladder{.errors = errors_, .are_differences = successive()};
    const double floor = study_.floors.*quantity_.value;
    if (spec_.refine == Refine::both && !statistics::on_one_ray(ds_, dt_)) {
      ladder.steps = {ladder_of([](double ds, double) { return ds; }),
                      ladder_of([](double, double dt) { return dt; })};
      tried.push_back(ladder);
      statistics::Fit fit = statistics::fit_order(ladder, floor);
      if (!std::isnan(fit.order)) {
        return fit;
      }
    }
    ladder.steps = {
        ladder_of([this](double ds, double dt) { return refined_step(spec_.refine, ds, dt); })};
    tried.push_back(ladder);
    return statistics::fit_order(ladder, floor);
  }

  void find_orders() {
    for (std::size_t l = 1; l < errors_.size(); ++l) {
      double& order = study_.cases[l].orders.*quantity_.value;
      if (!successive()) {
        order = statistics::observed_order(errors_[l - 1], errors_[l], steps_[l - 1], steps_[l]);
      } else if (l + 1 < errors_.size()) {
        order = statistics::successive_order(errors_[l - 1], errors_[l], steps_[l - 1], steps_[l],
                                             steps_[l + 1]);
      }
    }
  }

  /// Whether no error is above the round-off floor.
  [[nodiscard]] bool has_only_rounding() const {
    const double floor = study_.floors.*quantity_.value;
    return std::ranges::all_of(std::span(errors_).first(errors_.size() - (successive() ? 1 : 0)),
                               [floor](double error) { return error <= floor; });
  }

  [[nodiscard]] double last_order() const {
    for (std::size_t l = errors_.size(); l-- > 0;) {
      if (errors_[l] > study_.floors.*quantity_.value &&
          !std::isnan(study_.cases[l].orders.*quantity_.value)) {
        return study_.cases[l].orders.*quantity_.value;
      }
    }
    return base::undefined;
  }

  const StudySpec& spec_;
  Study& study_;
  const Quantity& quantity_;
  std::vector<double> ds_;
  std::vector<double> dt_;
  std::vector<double> errors_;
  std::vector<double> steps_;
  StepKind kind_ = StepKind::time;
  bool is_piecewise_ = false;  // u over all s, which cells make piecewise constant
};

void find_extrapolations(const StudySpec& spec, Study& study) {
  std::vector<double> ds;
  std::vector<double> dt;
  std::vector<double> steps;
  std::vector<double> x;
  std::vector<double> y;
  for (const LevelResult& at : study.cases) {
    ds.push_back(at.ds);
    dt.push_back(at.dt);
    steps.push_back(at.step);
    x.push_back(at.final_x);
    y.push_back(at.final_y);
  }
  const bool has_two = spec.refine == Refine::both && !statistics::on_one_ray(ds, dt);
  const std::vector<std::vector<double>> refined =
      has_two ? std::vector<std::vector<double>>{ds, dt} : std::vector<std::vector<double>>{steps};
  study.extrapolated_x =
      statistics::extrapolate(refined, x, promised_power(spec, spec.refine, "x"));
  study.extrapolated_y =
      statistics::extrapolate(refined, y, promised_power(spec, spec.refine, "y"));
}

}  // namespace

void find_results(const StudySpec& spec, Study& study) {
  for (const auto& quantity : quantities) {
    OrderFinder(spec, study, quantity).find();
  }
  if (!spec.reference.is_exact()) {
    find_extrapolations(spec, study);
  }
  std::vector<Verdict> verdicts;
  std::ranges::transform(study.results, std::back_inserter(verdicts), &QuantityResult::verdict);
  study.verdict = statistics::worst(verdicts);
  study.conclusions = conclude(spec, study);
}

Study refine(const parallel::Communicator& comm, const StudySpec& spec) {
  const auto begin = std::chrono::steady_clock::now();
  const StudyPlan plan = make_plan(comm, spec);
  Study study = measured(plan, run_comparisons(comm, plan));
  find_results(spec, study);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&study.seconds, 1));  // every rank must write the same
  return study;
}

}  // namespace masing::study
