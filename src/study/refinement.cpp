#include "study/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "cli/model.hpp"
#include "study/plan.hpp"

namespace masing::study {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Errors all_undefined{undefined, undefined, undefined, undefined};

double width(std::int64_t cells) {
  return cells == cli::infinitely_many ? 0.0 : 1.0 / static_cast<double>(cells);
}

/// At how many times the fields of a study are compared.
std::int64_t field_samples(const cli::Configuration& configuration) {
  std::vector<std::int64_t> steps;
  for (const auto& level : configuration.levels) {
    steps.push_back(level.steps);
  }
  return common_samples(configuration.field_samples, steps);
}

/// The reference that is a file, if one is.
std::optional<FileReference> read_file(const parallel::Communicator& comm,
                                       const cli::Configuration& configuration) {
  if (configuration.reference != cli::Reference::file) {
    return std::nullopt;
  }
  return read_reference(comm, configuration);
}

/// The columns of the state, where the model is not one of slabs.
std::optional<rheology::StateLayout> layout_of(const cli::Configuration& configuration) {
  if (cli::family_of(configuration.model) != cli::Family::finite) {
    return std::nullopt;
  }
  return cli::model_spec(configuration.model, configuration.settings).layout();
}

/// Makes all runs and measures each level against its reference, or the level before against it.
class Ladder {
 public:
  Ladder(const parallel::Communicator& comm, const cli::Configuration& configuration)
      : comm_(comm),
        configuration_(configuration),
        layout_(layout_of(configuration)),
        file_(read_file(comm, configuration)),
        plan_(make_plan(configuration, field_samples(configuration),
                        file_ ? file_->field_time : std::vector<double>())),
        runs_(run_all(comm, plan_.jobs)) {}

  /// The cases, the reference, the floor and the series of a study.
  Study measured() {
    Study study{.reference = plan_.finest};
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

  [[nodiscard]] Case measured_case(std::size_t i) const {
    const cli::Level& size = configuration_.levels[i];
    const Recording& mine = *level(i).recording;
    const auto last = mine.at(size.steps, size.steps);
    Case result{.level = size,
                .ds = layout_ ? undefined : width(size.cells),
                .dt = configuration_.final_time / static_cast<double>(size.steps),
                .errors = all_undefined,
                .orders = all_undefined,
                .final_x = last.x,
                .final_y = last.y,
                .seconds = level(i).seconds};
    const Recording* reference = nullptr;
    if (plan_.references[i]) {
      reference = runs_[*plan_.references[i]].recording.get();
    } else if (!file_ && i + 1 < plan_.levels.size()) {
      reference = level(i + 1).recording.get();
    }
    if (file_ || reference != nullptr) {
      result.errors = measured_errors(size, mine, reference);
    }
    return result;
  }

  /// Against the file, if there is one, else against `reference`.
  [[nodiscard]] Errors measured_errors(const cli::Level& size, const Recording& mine,
                                       const Recording* reference) const {
    const auto problem = slab::make_problem(at_level(configuration_, size));
    if (layout_) {
      return file_ ? errors(comm_, *layout_, problem.time, mine, *file_)
                   : errors(comm_, *layout_, mine, *reference);
    }
    return file_ ? errors(comm_, problem, mine, *file_) : errors(comm_, problem, mine, *reference);
  }

  const parallel::Communicator& comm_;
  const cli::Configuration& configuration_;
  std::optional<rheology::StateLayout> layout_;
  std::optional<FileReference> file_;
  StudyPlan plan_;
  std::vector<Run> runs_;
};

/// Finds what the errors of one quantity say.
class Finder {
 public:
  Finder(const cli::Configuration& configuration, Study& study, const Quantity& quantity)
      : configuration_(configuration), study_(study), quantity_(quantity) {
    for (const Case& at : study.cases) {
      ds_.push_back(at.ds);
      dt_.push_back(at.dt);
      errors_.push_back(at.errors.*quantity.value);
    }
  }

  void find() {
    Finding finding;
    for (const auto& expected : configuration_.expected_orders) {
      if (expected.quantity == quantity_.name) {
        finding.expected = expected;
      }
    }
    const double power = promised_order();
    finding.joint = configuration_.refine == cli::Refine::both
                        ? fit_jointly(ds_, dt_, errors_, power)
                        : JointFit{power, undefined, undefined, undefined, undefined};
    set_steps(finding.joint);
    find_orders();
    const ErrorModel model = successive() ? ErrorModel::successive : ErrorModel::reference;
    finding.fit = fit_order(steps_, errors_, model, reference_step_, study_.floor,
                            configuration_.order_tolerance);
    finding.last_pair = last_order();
    finding.observed = std::isnan(finding.fit.order) ? finding.last_pair : finding.fit.order;
    if (finding.expected) {
      finding.verdict = judge(*finding.expected, finding.observed, configuration_.order_tolerance);
    }
    study_.findings.push_back(std::move(finding));
  }

  [[nodiscard]] const std::vector<double>& steps() const { return steps_; }

 private:
  [[nodiscard]] bool successive() const {
    return configuration_.reference == cli::Reference::successive;
  }

  /// What scheme and rule promise in δs and δt together; u over all s is piecewise constant.
  [[nodiscard]] double promised_order() const {
    const bool second = configuration_.scheme == cli::Scheme::leapfrog &&
                        configuration_.rule == cli::Rule::midpoint;
    return second && quantity_.value != &Errors::u ? 2.0 : 1.0;
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
      if (together) {
        return std::pow(joined(ds, dt), 1.0 / joint.power);
      }
      return (configuration_.refine == cli::Refine::steps ? 0.0 : ds) +
             (configuration_.refine == cli::Refine::cells ? 0.0 : dt);
    };
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      steps_.push_back(step(ds_[l], dt_[l]));
    }
    if (study_.reference) {
      const double dt = configuration_.final_time / static_cast<double>(study_.reference->steps);
      const double h = step(width(study_.reference->cells), dt);
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

  [[nodiscard]] double last_order() const {
    for (std::size_t l = errors_.size(); l-- > 0;) {
      if (errors_[l] > study_.floor && !std::isnan(study_.cases[l].orders.*quantity_.value)) {
        return study_.cases[l].orders.*quantity_.value;
      }
    }
    return undefined;
  }

  const cli::Configuration& configuration_;
  Study& study_;
  const Quantity& quantity_;
  std::vector<double> ds_;
  std::vector<double> dt_;
  std::vector<double> errors_;
  std::vector<double> steps_;
  double reference_step_ = 0.0;
};

void find_extrapolations(const std::vector<double>& steps, Study& study) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Case& at : study.cases) {
    x.push_back(at.final_x);
    y.push_back(at.final_y);
  }
  study.extrapolated_x = extrapolate(steps, x);
  study.extrapolated_y = extrapolate(steps, y);
}

Verdict overall(const std::vector<Finding>& findings) {
  Verdict verdict = Verdict::as_expected;
  for (const auto& finding : findings) {
    if (!finding.expected || finding.verdict == Verdict::as_expected) {
      continue;
    }
    if (finding.verdict == Verdict::not_as_expected || verdict == Verdict::as_expected) {
      verdict = finding.verdict;
    }
  }
  return verdict;
}

}  // namespace

bool is_exact(cli::Reference reference) {
  return reference == cli::Reference::exact || reference == cli::Reference::exact_time ||
         reference == cli::Reference::cells_inf;
}

Study refine(const parallel::Communicator& comm, const cli::Configuration& configuration) {
  const auto begin = std::chrono::steady_clock::now();
  Study study = Ladder(comm, configuration).measured();
  std::vector<double> steps;
  for (const auto& quantity : quantities) {
    Finder finder(configuration, study, quantity);
    finder.find();
    if (steps.empty()) {
      steps = finder.steps();
    }
  }
  if (!is_exact(configuration.reference)) {
    find_extrapolations(steps, study);
  }
  study.verdict = overall(study.findings);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&study.seconds, 1));  // every rank must write the same
  return study;
}

}  // namespace masing::study
