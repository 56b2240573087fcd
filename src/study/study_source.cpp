#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "campaign/campaign.hpp"
#include "parallel/phase.hpp"
#include "study/lockstep.hpp"
#include "study/plan.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

using campaign::Unit;
using engine::Pause;

/// Marks a result that is not yet computed.
constexpr double unknown = -std::numeric_limits<double>::infinity();

bool is_known(const Errors& errors) {
  return errors[Errors::x] != unknown;
}
bool is_known(const RunSummary& run) {
  return run.end.x != unknown;
}

/// Returns the outcomes of a plan with all results marked as unknown.
Outcomes no_outcomes(const StudyPlan& plan) {
  Outcomes outcomes;
  outcomes.errors.assign(plan.comparisons.size(), Errors{{unknown, 0.0, 0.0, 0.0}});
  outcomes.runs.assign(plan.runs.size(), RunSummary{.end = {unknown, unknown}});
  return outcomes;
}

/// Outcomes as one record: the errors, the summaries of the runs, the series.
std::vector<double> record_of(Outcomes outcomes) {
  std::vector<double> numbers;
  for (const std::span<const double> part :
       {numbers_of(outcomes.errors), numbers_of(outcomes.runs), std::span(outcomes.series)}) {
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return numbers;
}

/// The work of a batch of comparisons, whose runs advance in lockstep.
class ComparisonWork final : public campaign::Work {
 public:
  ComparisonWork(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons)
      : comm_(comm), plan_(plan), lockstep_(comm, plan, std::move(comparisons)) {}

  Pause advance(std::int64_t last, Pause wish, campaign::Records& records) override {
    const bool pauses = wish == Pause::stop || (wish == Pause::save && comm_.is_root());
    const std::int64_t step = lockstep_.step();
    // A stop request counts on any rank, a save request on the root; the root sets the last step.
    const std::int64_t agreed =
        parallel::min_over_ranks(comm_, pauses            ? static_cast<std::int64_t>(wish)
                                        : comm_.is_root() ? std::min(last, step + pace_.steps())
                                                          : engine::never);
    if (agreed < 0) {
      return static_cast<Pause>(agreed);
    }
    const auto begin = std::chrono::steady_clock::now();
    lockstep_.advance(agreed);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    pace_.record(std::max<std::int64_t>(1, lockstep_.step() - step), took.count());
    if (lockstep_.is_done()) {
      add_record(records);
    }
    return Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return lockstep_.is_done(); }
  [[nodiscard]] campaign::Batch units() const override {
    return {lockstep_.comparisons().begin(), lockstep_.comparisons().end()};
  }
  [[nodiscard]] campaign::Count steps() const override {
    return {lockstep_.step(), lockstep_.steps()};
  }
  void serialize(engine::Archive& archive) override { lockstep_.serialize(archive); }

 private:
  /// Adds one record for all comparisons of this work: the outcomes of the whole plan, in which
  /// the results of other works are unknown.
  void add_record(campaign::Records& records) {
    Outcomes outcomes = no_outcomes(plan_);
    lockstep_.add_to(outcomes);
    records.add(static_cast<Unit>(lockstep_.comparisons().front()), record_of(outcomes));
  }

  const parallel::Communicator& comm_;
  const StudyPlan& plan_;
  Lockstep lockstep_;
  engine::Pace pace_;
};

/// The comparisons of a study as units of a campaign.
class StudySource final : public campaign::Source {
 public:
  using Announce = std::function<void(const Study& study)>;

  StudySource(const StudyPlan& plan, const Announce& announce)
      : plan_(plan), spec_(*plan.spec), announce_(announce), outcomes_(no_outcomes(plan)) {}

  [[nodiscard]] std::string unit_name() const override { return "comparisons"; }
  [[nodiscard]] campaign::Count count() const override {
    return {std::ranges::count_if(outcomes_.errors, [](const Errors& e) { return is_known(e); }),
            std::ssize(outcomes_.errors)};
  }

  campaign::Packing pack(const campaign::Batch& under_way) override {
    Batch open = plan_.all();
    std::erase_if(open, [&](std::size_t i) {
      return is_known(outcomes_.errors[i]) || std::ranges::count(under_way, Unit(i)) > 0;
    });
    const Schedule schedule = make_schedule(plan_, open);
    campaign::Packing packing{.seconds = schedule.seconds};
    if (schedule.seconds > engine::long_time) {
      packing.text = plan_text(plan_, schedule);
    }
    packing.advice = engine::idle_advice(
        std::ranges::max(
            plan_.runs, {},
            [&](const PlannedRun& planned) { return engine::idle_ranks(planned.run, plan_.ranks); })
            .run,
        plan_.ranks);
    for (const Batch& batch : schedule.shared) {
      packing.together.emplace_back(batch.begin(), batch.end());
    }
    // The first batches of all shares of the schedule, then the second ones, ...
    for (std::size_t i = 0; packing.alone.size() < number_of_batches(schedule); ++i) {
      for (const std::vector<Batch>& batches : schedule.own) {
        if (i < batches.size()) {
          packing.alone.emplace_back(batches[i].begin(), batches[i].end());
        }
      }
    }
    return packing;
  }

  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const campaign::Batch& units) override {
    return std::make_unique<ComparisonWork>(ranks, plan_, Batch(units.begin(), units.end()));
  }

  /// "level 2 of 4", "3 of 4 levels".
  [[nodiscard]] std::string title(const campaign::Batch& units) const override {
    const std::size_t levels = spec_.levels.size();
    const auto first = static_cast<std::size_t>(units.front());
    return units.size() == 1
               ? plan_.runs[plan_.comparisons[first].level].options.title
               : fmt::format("{} of {} levels", std::min(units.size(), levels), levels);
  }

  void take(Unit /*first*/, std::span<const double> numbers) override {
    const auto take_known = [&](auto& own) {
      auto found = own;
      const std::span<double> of_found = numbers_of(found);
      std::ranges::copy(numbers.first(of_found.size()), of_found.begin());
      numbers = numbers.subspan(of_found.size());
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] = is_known(found[i]) ? found[i] : own[i];
      }
    };
    take_known(outcomes_.errors);
    take_known(outcomes_.runs);
    if (!numbers.empty()) {
      outcomes_.series.assign(numbers.begin(), numbers.end());
    }
  }

  [[nodiscard]] campaign::Records records(Use /*use*/) const override {
    campaign::Records records;
    records.add(0, record_of(outcomes_));
    return records;
  }

  /// Evaluates the levels: errors, orders and verdict. Returns false, as no units are added.
  bool refine(const parallel::Communicator& comm) override {
    study_ = study_of(plan_, outcomes_);
    find_results(spec_, study_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    study_.seconds = took.count();
    parallel::broadcast(comm, std::span(&study_.seconds, 1));
    if (announce_) {
      announce_(study_);
    }
    return false;
  }
  [[nodiscard]] const Study& study() const { return study_; }

 private:
  static std::size_t number_of_batches(const Schedule& schedule) {
    std::size_t count = 0;
    for (const auto& batches : schedule.own) {
      count += batches.size();
    }
    return count;
  }

  const StudyPlan& plan_;
  const StudySpec& spec_;
  const Announce& announce_;
  Outcomes outcomes_;
  Study study_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

Study refine(const parallel::Communicator& comm, const StudySpec& spec,
             const std::function<void(const Study& study)>& announce) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  const StudyPlan plan = make_plan(comm, spec);
  StudySource source(plan, announce);
  campaign::run(comm, source, spec.files,
                [&](const parallel::Communicator& root, const io::Handle& file) {
                  write(root, file, spec, source.study());
                });
  return source.study();
}

}  // namespace masing::study
