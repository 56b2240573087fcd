#include "study/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "study/file_reference.hpp"
#include "study/plan.hpp"
#include "study/reference.hpp"

namespace masing::study {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Errors all_undefined{undefined, undefined, undefined, undefined};

/// The step that is refined; δs is not looked at where the steps alone are.
double refined_step(Refine refine, double ds, double dt) {
  return (refine == Refine::steps ? 0.0 : ds) + (refine == Refine::cells ? 0.0 : dt);
}

/// At how many times the fields of a study are compared.
std::int64_t field_samples(const StudySpec& spec) {
  return common_samples(spec.field_samples, step_counts(spec.levels));
}

/// The reference that is a file, if one is.
std::optional<FileReference> read_file(const parallel::Communicator& comm, const StudySpec& spec) {
  const auto file = spec.reference->file();
  return file ? std::optional(read_reference(comm, *file, spec.run, spec.field_samples))
              : std::nullopt;
}

/// Makes all runs and measures each level against its reference, or the level before against it.
class Ladder {
 public:
  Ladder(const parallel::Communicator& comm, const StudySpec& spec)
      : comm_(comm),
        spec_(spec),
        file_(read_file(comm, spec)),
        plan_(make_plan(spec, field_samples(spec),
                        file_ ? file_->field_times : std::vector<double>())),
        runs_(run_all(comm, spec, plan_.jobs)) {}

  /// The cases, the floor and the series of a study.
  Study measured() {
    Study study;
    double scale = 1.0;  // the largest |x|: what round-off is measured by
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      study.cases.push_back(measured_case(i));
      scale = std::max(scale, level(i).recording->largest_x());
      if (const auto reference = plan_.references[i]) {
        study.self_check = std::max(study.self_check, runs_[*reference].recording->self_check());
      }
    }
    // The exact solution is good to 1e-10, engines agree to 1e-11 of the largest |x|.
    study.floor = std::max(1e-10 * scale, 10 * study.self_check);
    study.series = std::move(runs_[plan_.levels.back()].series);
    return study;
  }

 private:
  [[nodiscard]] const Run& level(std::size_t i) const { return runs_[plan_.levels[i]]; }

  /// What level i is measured against; null where there is nothing.
  [[nodiscard]] const Recording* reference(std::size_t i) const {
    if (plan_.references[i]) {
      return runs_[*plan_.references[i]].recording.get();
    }
    if (file_) {
      return file_->recording.get();
    }
    return i + 1 < plan_.levels.size() ? level(i + 1).recording.get() : nullptr;
  }

  [[nodiscard]] LevelResult measured_case(std::size_t i) const {
    const engine::RunSpec& run = plan_.jobs[plan_.levels[i]].run;
    const slab::Slab* slab = engine::slab_of(run);
    const Recording& mine = *level(i).recording;
    const auto last = mine.at(run.time.steps, run.time.steps);
    const double ds = slab == nullptr ? undefined : slab::cell_width(slab->space);
    const double dt = run.time.step();
    LevelResult result{.level = spec_.levels[i],
                       .ds = ds,
                       .dt = dt,
                       .step = refined_step(spec_.refine, ds, dt),
                       .errors = all_undefined,
                       .orders = all_undefined,
                       .final_x = last.x,
                       .final_y = last.y,
                       .seconds = level(i).seconds};
    if (const Recording* other = reference(i)) {
      result.errors = errors(comm_, run, mine, *other);
    }
    return result;
  }

  const parallel::Communicator& comm_;
  const StudySpec& spec_;
  std::optional<FileReference> file_;
  StudyPlan plan_;
  std::vector<Run> runs_;
};

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
  }

  void find() {
    QuantityResult finding;
    for (const auto& expected : spec_.expected_orders) {
      if (expected.quantity == quantity_.name) {
        finding.expected = expected;
      }
    }
    const double power = joint_power();
    finding.joint = spec_.refine == Refine::both
                        ? fit_jointly(ds_, dt_, errors_, power)
                        : JointFit{power, undefined, undefined, undefined, undefined};
    set_steps(finding.joint);
    finding.steps = steps_;
    finding.step = kind_;
    find_orders();
    const ErrorModel model = successive() ? ErrorModel::successive : ErrorModel::reference;
    finding.fit =
        fit_order(steps_, errors_, model, reference_step_, study_.floor, spec_.order_tolerance);
    finding.last_pair = last_order();
    finding.fitted_errors = fitted_errors(finding.fit);
    finding.observed = std::isnan(finding.fit.order) ? finding.last_pair : finding.fit.order;
    finding.observed_from = !std::isnan(finding.fit.order)   ? ObservedFrom::fit
                            : !std::isnan(finding.last_pair) ? ObservedFrom::last_pair
                                                             : ObservedFrom::none;
    if (finding.expected) {
      finding.verdict = judge(*finding.expected, finding.observed, spec_.order_tolerance);
    }
    study_.results.push_back(std::move(finding));
  }

 private:
  [[nodiscard]] bool successive() const { return spec_.reference->is_successive(); }

  /// The power of δs and δt in the joint fit.
  [[nodiscard]] double joint_power() const {
    const auto* masing = std::get_if<engine::Masing>(&spec_.run.model);
    return masing == nullptr ? 1.0 : promised_order(*masing, Refine::both, quantity_.name);
  }

  /// The step h that orders refer to: δs or δt; for `both` that of the joint fit,
  /// hᵖ = C₁δsᵖ + C₂δtᵖ, or δs + δt where the levels cannot tell C₁ and C₂ apart.
  void set_steps(const JointFit& joint) {
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
    if (const auto finest = spec_.reference->finest()) {
      const slab::TimeGrid time{spec_.run.time.final_time, finest->steps};
      const double h = step(slab::cell_width(finest->space), time.step());
      reference_step_ = h > 0 ? h : 0.0;  // a joint step of opposite signs may vanish there
    }
  }

  void find_orders() {
    for (std::size_t l = 1; l < errors_.size(); ++l) {
      double& order = study_.cases[l].orders.*quantity_.value;
      if (!successive()) {
        order = observed_order(errors_[l - 1], errors_[l], steps_[l - 1], steps_[l]);
      } else if (l + 1 < errors_.size()) {
        order =
            successive_order(errors_[l - 1], errors_[l], steps_[l - 1], steps_[l], steps_[l + 1]);
      }
    }
  }

  [[nodiscard]] std::vector<double> fitted_errors(const Fit& fit) const {
    std::vector<double> errors(steps_.size(), undefined);
    if (!std::ranges::all_of(steps_, [](double step) { return step > 0; })) {
      return errors;
    }
    const auto power = [&fit](double step) { return std::pow(step, fit.order); };
    for (std::size_t l = 0; l < errors.size(); ++l) {
      if (!successive()) {
        errors[l] = fit.constant * (power(steps_[l]) - power(reference_step_));
      } else if (l + 1 < errors.size()) {
        errors[l] = fit.constant * (power(steps_[l]) - power(steps_[l + 1]));
      }
    }
    return errors;
  }

  [[nodiscard]] double last_order() const {
    for (std::size_t l = errors_.size(); l-- > 0;) {
      if (errors_[l] > study_.floor && !std::isnan(study_.cases[l].orders.*quantity_.value)) {
        return study_.cases[l].orders.*quantity_.value;
      }
    }
    return undefined;
  }

  const StudySpec& spec_;
  Study& study_;
  const Quantity& quantity_;
  std::vector<double> ds_;
  std::vector<double> dt_;
  std::vector<double> errors_;
  std::vector<double> steps_;
  StepKind kind_ = StepKind::time;
  double reference_step_ = 0.0;
};

void find_extrapolations(const std::vector<double>& steps, Study& study) {
  std::vector<double> x;
  std::vector<double> y;
  for (const LevelResult& at : study.cases) {
    x.push_back(at.final_x);
    y.push_back(at.final_y);
  }
  study.extrapolated_x = extrapolate(steps, x);
  study.extrapolated_y = extrapolate(steps, y);
}

/// The worst verdict of a quantity: not as expected, undefined, as expected, not judged.
Verdict overall(const std::vector<QuantityResult>& results) {
  for (const Verdict verdict :
       {Verdict::not_as_expected, Verdict::undefined, Verdict::as_expected}) {
    if (std::ranges::find(results, verdict, &QuantityResult::verdict) != results.end()) {
      return verdict;
    }
  }
  return Verdict::not_judged;
}

}  // namespace

void find_results(const StudySpec& spec, Study& study) {
  for (const auto& quantity : quantities) {
    OrderFinder(spec, study, quantity).find();
  }
  if (!spec.reference->is_exact()) {
    find_extrapolations(study.results.front().steps, study);
  }
  study.verdict = overall(study.results);
  study.conclusions = conclude(spec, study);
}

Study refine(const parallel::Communicator& comm, const StudySpec& spec) {
  const auto begin = std::chrono::steady_clock::now();
  Study study = Ladder(comm, spec).measured();
  find_results(spec, study);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&study.seconds, 1));  // every rank must write the same
  return study;
}

}  // namespace masing::study
