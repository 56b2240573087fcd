#include "study/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>

#include "engine/sweep.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "study/finest.hpp"

namespace study {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr Errors all_undefined{
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

std::vector<std::int64_t> counts(const std::vector<options::Level>& levels,
                                 std::int64_t options::Level::*member) {
  std::vector<std::int64_t> values;
  std::ranges::transform(levels, std::back_inserter(values), member);
  return values;
}

/// The finest run: finer in what is refined, alike in what is held fixed.
options::Level finest_level(const options::Configuration& c) {
  const options::Level last = c.levels.back();
  return {
      c.refine == options::Refine::steps ? last.cells
                                         : finest_count(counts(c.levels, &options::Level::cells)),
      c.refine == options::Refine::cells ? last.steps
                                         : finest_count(counts(c.levels, &options::Level::steps))};
}

/// One run of the study: its trajectory and the time it took.
struct Run {
  std::unique_ptr<Recording> recording;
  double seconds = 0.0;
};

Run run(const parallel::Communicator& comm, const options::Configuration& configuration,
        const options::Level& level, std::int64_t stride, const std::string& title,
        engine::Observer* watcher) {
  options::Configuration at_level = configuration;
  at_level.cells = level.cells;
  at_level.steps = level.steps;
  const auto begin = Clock::now();
  const masing::Problem problem = masing::make_problem(at_level);
  const masing::Profile profile = engine::checked_profile(comm, problem);
  engine::Sweep engine(comm, problem, profile);
  auto recording = std::make_unique<Recording>(comm, problem, stride, configuration.field_samples);
  std::vector<engine::Observer*> observers{recording.get()};
  if (watcher != nullptr) {
    observers.push_back(watcher);
  }
  std::unique_ptr<io::Progress> progress;
  if (!configuration.quiet) {
    progress = std::make_unique<io::Progress>(comm, title, level.steps);
    observers.push_back(progress.get());
  }
  engine::integrate(comm, engine, problem.force, problem.time, observers);
  return {std::move(recording), since(begin)};
}

/// What the orders are measured in.
double step_size(options::Refine refine, const Case& at) {
  switch (refine) {
    case options::Refine::steps:
      return at.dt;
    case options::Refine::cells:
      return at.ds;
    default:
      return at.ds + at.dt;
  }
}

Errors orders_against_reference(options::Refine refine, const Case& coarse, const Case& fine) {
  Errors orders;
  for (const auto& quantity : quantities) {
    orders.*quantity.value =
        observed_order(coarse.errors.*quantity.value, fine.errors.*quantity.value,
                       step_size(refine, coarse), step_size(refine, fine));
  }
  return orders;
}

Errors orders_of_differences(options::Refine refine, const Case& coarse, const Case& middle,
                             const Case& fine) {
  Errors orders;
  for (const auto& quantity : quantities) {
    orders.*quantity.value = successive_order(
        coarse.errors.*quantity.value, middle.errors.*quantity.value, step_size(refine, coarse),
        step_size(refine, middle), step_size(refine, fine));
  }
  return orders;
}

void find_orders(const options::Configuration& configuration, std::vector<Case>& cases) {
  const options::Refine refine = configuration.refine;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].orders = all_undefined;
    if (i == 0) {
      continue;
    }
    if (configuration.reference == options::Reference::finest) {
      cases[i].orders = orders_against_reference(refine, cases[i - 1], cases[i]);
    } else if (i + 1 < cases.size()) {
      cases[i].orders = orders_of_differences(refine, cases[i - 1], cases[i], cases[i + 1]);
    }
  }
}

/// The order of the last level that has one.
double last_order(const std::vector<Case>& cases, double Errors::*value) {
  for (auto at = cases.rbegin(); at != cases.rend(); ++at) {
    if (at->orders.*value == at->orders.*value) {  // not NaN
      return at->orders.*value;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void judge_all(const options::Configuration& configuration, Study& study) {
  study.verdict = Verdict::as_expected;
  for (const auto& expected : configuration.expected_orders) {
    const auto* quantity = std::ranges::find(quantities, expected.quantity, &Quantity::name);
    const double observed = last_order(study.cases, quantity->value);
    const Verdict verdict = judge(expected, observed, configuration.order_tolerance);
    study.findings.push_back({expected, observed, verdict});
    if (verdict == Verdict::not_as_expected ||
        (verdict == Verdict::undefined && study.verdict == Verdict::as_expected)) {
      study.verdict = verdict;
    }
  }
}

}  // namespace

Study refine(const parallel::Communicator& comm, const options::Configuration& configuration,
             engine::Observer& on_last_level) {
  const auto begin = Clock::now();
  Study study;
  Run reference;
  if (configuration.reference == options::Reference::finest) {
    study.reference = finest_level(configuration);
    const std::int64_t stride =
        common_stride(study.reference->steps, counts(configuration.levels, &options::Level::steps));
    reference = run(comm, configuration, *study.reference, stride, "reference", nullptr);
  }
  Run before;  // the level before, which `successive` compares with the next
  const std::size_t levels = configuration.levels.size();
  for (std::size_t i = 0; i < levels; ++i) {
    const options::Level& level = configuration.levels[i];
    Run now = run(comm, configuration, level, 1,
                  "level " + std::to_string(i + 1) + " of " + std::to_string(levels),
                  i + 1 == levels ? &on_last_level : nullptr);
    study.cases.push_back({.level = level,
                           .ds = 1.0 / static_cast<double>(level.cells),
                           .dt = configuration.final_time / static_cast<double>(level.steps),
                           .errors = all_undefined,
                           .seconds = now.seconds});
    if (reference.recording) {
      study.cases.back().errors = errors(comm, *now.recording, *reference.recording);
    } else if (before.recording) {
      study.cases[i - 1].errors = errors(comm, *before.recording, *now.recording);
    }
    before = std::move(now);
  }
  find_orders(configuration, study.cases);
  judge_all(configuration, study);
  study.seconds = since(begin);
  return study;
}

}  // namespace study
