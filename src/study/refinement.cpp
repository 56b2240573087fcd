#include "study/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "study/finest.hpp"
#include "study/reference.hpp"

namespace study {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Errors all_undefined{undefined, undefined, undefined, undefined};

double width(std::int64_t cells) {
  return cells == options::infinitely_many ? 0.0 : 1.0 / static_cast<double>(cells);
}

/// Runs the levels and measures each against its reference.
class Ladder {
 public:
  Ladder(const parallel::Communicator& comm, const options::Configuration& configuration)
      : comm_(comm),
        configuration_(configuration),
        field_samples_(samples()),
        references_(comm, configuration, field_samples_) {}

  [[nodiscard]] std::optional<options::Level> single_reference() const {
    return references_.single();
  }

  std::vector<Case> run_all(engine::Observer& on_last_level) {
    const auto& levels = configuration_.levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string title =
          "level " + std::to_string(i + 1) + " of " + std::to_string(levels.size());
      run_level(levels[i], {.field_samples = field_samples_,
                            .title = title,
                            .observer = i + 1 == levels.size() ? &on_last_level : nullptr});
    }
    return std::move(cases_);
  }

  /// How far the reference is from itself with other tolerances.
  [[nodiscard]] double self_check() const { return references_.self_check(); }

  /// The largest |x| of the levels: what round-off is measured by.
  [[nodiscard]] double scale() const { return scale_; }

 private:
  [[nodiscard]] std::int64_t samples() const {
    std::vector<std::int64_t> steps;
    for (const auto& level : configuration_.levels) {
      steps.push_back(level.steps);
    }
    return common_samples(configuration_.field_samples, steps);
  }

  void run_level(const options::Level& level, const Watch& watch) {
    const options::Configuration c = at_level(configuration_, level);
    Run now = run(comm_, c, watch);
    const auto last = now.recording->at(level.steps, level.steps);
    cases_.push_back({.level = level,
                      .ds = width(level.cells),
                      .dt = configuration_.final_time / static_cast<double>(level.steps),
                      .errors = all_undefined,
                      .orders = all_undefined,
                      .final_x = last.x,
                      .final_y = last.y,
                      .seconds = now.seconds});
    for (std::int64_t p = 0; p <= level.steps; ++p) {
      scale_ = std::max(scale_, std::abs(now.recording->at(p, level.steps).x));
    }
    if (const Recording* reference = references_.of(level)) {
      cases_.back().errors = errors(comm_, masing::make_problem(c), *now.recording, *reference);
    } else if (before_.recording) {
      Case& coarse = cases_[cases_.size() - 2];
      const auto problem = masing::make_problem(at_level(configuration_, coarse.level));
      coarse.errors = errors(comm_, problem, *before_.recording, *now.recording);
    }
    before_ = std::move(now);
  }

  const parallel::Communicator& comm_;
  const options::Configuration& configuration_;
  std::int64_t field_samples_;
  ReferenceRuns references_;
  std::vector<Case> cases_;
  Run before_;  // the level before, which `successive` compares with the next
  double scale_ = 1.0;
};

/// Finds what the errors of one quantity say.
class Finder {
 public:
  Finder(const options::Configuration& configuration, Study& study, const Quantity& quantity)
      : configuration_(configuration), study_(study), quantity_(quantity) {
    for (const Case& at : study.cases) {
      ds_.push_back(at.ds);
      dt_.push_back(at.dt);
      errors_.push_back(at.errors.*quantity.value);
    }
  }

  void find() {
    Finding finding;
    finding.joint = configuration_.refine == options::Refine::both
                        ? fit_jointly(ds_, dt_, errors_)
                        : JointFit{undefined, undefined, undefined, undefined};
    set_steps(finding.joint);
    find_orders();
    const ErrorModel model = successive() ? ErrorModel::successive : ErrorModel::reference;
    finding.fit = fit_order(steps_, errors_, model, reference_step_, study_.floor,
                            configuration_.order_tolerance);
    finding.last_pair = last_order();
    finding.observed = std::isnan(finding.fit.order) ? finding.last_pair : finding.fit.order;
    for (const auto& expected : configuration_.expected_orders) {
      if (expected.quantity == quantity_.name) {
        finding.expected = expected;
        finding.verdict = judge(expected, finding.observed, configuration_.order_tolerance);
      }
    }
    study_.findings.push_back(std::move(finding));
  }

  [[nodiscard]] const std::vector<double>& steps() const { return steps_; }

 private:
  [[nodiscard]] bool successive() const {
    return configuration_.reference == options::Reference::successive;
  }

  void set_steps(const JointFit& joint) {
    double space = configuration_.refine == options::Refine::steps ? 0.0 : 1.0;
    double time = configuration_.refine == options::Refine::cells ? 0.0 : 1.0;
    // Errors in space and in time may have opposite signs: what must be positive is their sum.
    bool together = !std::isnan(joint.space);
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      together = together && joint.space * ds_[l] + joint.time * dt_[l] > 0;
    }
    if (together) {
      space = joint.space;
      time = joint.time;
    }
    for (std::size_t l = 0; l < errors_.size(); ++l) {
      steps_.push_back(space * ds_[l] + time * dt_[l]);
    }
    if (study_.reference) {
      reference_step_ =
          space * width(study_.reference->cells) +
          time * configuration_.final_time / static_cast<double>(study_.reference->steps);
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

  const options::Configuration& configuration_;
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

bool is_exact(options::Reference reference) {
  return reference != options::Reference::finest && reference != options::Reference::successive;
}

Study refine(const parallel::Communicator& comm, const options::Configuration& configuration,
             engine::Observer& on_last_level) {
  const auto begin = std::chrono::steady_clock::now();
  Ladder ladder(comm, configuration);
  Study study{.cases = ladder.run_all(on_last_level), .reference = ladder.single_reference()};
  // The exact solution is good to 1e-10, engines agree to 1e-11 of the largest |x|.
  study.self_check = ladder.self_check();
  study.floor = std::max(1e-10 * ladder.scale(), 10 * study.self_check);
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
  return study;
}

}  // namespace study
