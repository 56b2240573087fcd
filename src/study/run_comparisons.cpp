#include "study/run_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/result_file.hpp"
#include "io/sealed_file.hpp"
#include "parallel/session.hpp"
#include "study/lockstep.hpp"
#include "study/schedule.hpp"

namespace masing::study {

namespace {

using Clock = std::chrono::steady_clock;

/// A state as one sequence of numbers, of what one rank has alone.
class FlatArchive final : public engine::Archive {
 public:
  /// To be filled.
  FlatArchive() = default;
  /// With what was saved.
  explicit FlatArchive(std::vector<double> saved) : restores_(true), state_(std::move(saved)) {}

  [[nodiscard]] bool restores() const override { return restores_; }
  void numbers(const std::string& /*name*/, std::vector<double>& values) override {
    if (!restores_) {
      state_.push_back(static_cast<double>(values.size()));
      state_.insert(state_.end(), values.begin(), values.end());
    } else {
      values.resize(static_cast<std::size_t>(state_.at(place_++)));
      take(values);
    }
  }
  void split(const std::string& name, parallel::Vector& values) override {
    const parallel::WriteAccess access(values);
    part(name, access.values(), 0, values.size());
  }
  void part(const std::string& /*name*/, std::span<double> mine, std::int64_t /*first*/,
            std::int64_t /*total*/) override {
    if (!restores_) {
      state_.insert(state_.end(), mine.begin(), mine.end());
    } else {
      take(mine);
    }
  }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  [[nodiscard]] bool is_at_end() const { return place_ == state_.size(); }

 private:
  void take(std::span<double> values) {
    for (double& value : values) {
      value = state_.at(place_++);
    }
  }

  bool restores_ = false;
  std::vector<double> state_;
  std::size_t place_ = 0;
};

/// Saves indices, or gets them back. Collective.
Batch indices_in(engine::Archive& archive, const std::string& name, const Batch& indices) {
  std::vector<double> numbers(indices.begin(), indices.end());
  archive.numbers(name, numbers);
  return {numbers.begin(), numbers.end()};
}

/// In place of errors that nobody has found, and less than any.
constexpr double unknown = -std::numeric_limits<double>::infinity();

/// The numbers that `values` are made of.
template <class Value>
std::span<double> numbers_of(std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(double) == 0);
  return {reinterpret_cast<double*>(values.data()), values.size() * sizeof(Value) / sizeof(double)};
}

/// Save or restore them. Collective.
template <class Value>
void exchange_numbers(engine::Archive& archive, const std::string& name,
                      std::vector<Value>& values) {
  const std::span<double> numbers = numbers_of(values);
  std::vector<double> found(numbers.begin(), numbers.end());
  archive.numbers(name, found);
  std::ranges::copy(found, numbers.begin());
}

/// Why ranks pause; the largest reason counts.
enum class Reason { none, checkpoint, stop };

/// The comparisons of a study as its ranks make them: first those that they share, then each rank
/// its own. Those that share one pause together after a window; those that do not meet where one
/// has a checkpoint due or is asked to stop, and one that is done waits there for the others.
class ComparisonRunner {
 public:
  ComparisonRunner(const parallel::Communicator& comm, const StudyPlan& plan)
      : comm_(comm), own_(comm, comm.rank(), 1), plan_(plan), spec_(*plan.spec) {
    outcomes_.errors.assign(plan.comparisons.size(), Errors{.x = unknown});
    outcomes_.runs.assign(plan.runs.size(), RunSummary{.end = {unknown, unknown}});
  }

  Outcomes made() {
    if (spec_.checkpoint.restart) {
      restore(*spec_.checkpoint.restart);
    }
    const Schedule schedule = make_schedule(plan_, pending());
    if (comm_.is_root() && !spec_.quiet && schedule.seconds > long_time) {
      const std::string advice = parallel::stop_advice();
      std::fputs(plan_text(plan_, schedule).c_str(), stderr);
      std::fputs(advice.empty() ? "" : ("  " + advice + "\n").c_str(), stderr);
    }
    if (spec_.checkpoint.scheduled) {
      write();
    }
    if (going_ != nullptr) {
      finish(comm_);
    }
    for (const Batch& batch : schedule.shared) {
      begin(comm_, batch);
      finish(comm_);
    }
    make_own(schedule.own[static_cast<std::size_t>(comm_.rank())]);
    share_outcomes();
    return std::move(outcomes_);
  }

 private:
  /// Comparisons that nobody has begun.
  [[nodiscard]] Batch pending() const {
    Batch found;
    for (std::size_t i = 0; i < outcomes_.errors.size(); ++i) {
      if (outcomes_.errors[i].x == unknown && std::ranges::count(under_way_, i) == 0) {
        found.push_back(i);
      }
    }
    return found;
  }

  /// This rank's reason to pause. Local.
  [[nodiscard]] Reason reason() const {
    const io::CheckpointSpec& checkpoint = spec_.checkpoint;
    const auto is_due = [&] {
      return checkpoint.every == 0 ? Clock::now() >= saved_at_ + io::checkpoint_distance
                                   : going_ != nullptr && going_->step() != saved_step_ &&
                                         going_->step() % checkpoint.every == 0;
    };
    return parallel::stop_requested()         ? Reason::stop
           : checkpoint.scheduled && is_due() ? Reason::checkpoint
                                              : Reason::none;
  }

  /// What these ranks do next: pause (Reason::none: no), or go on by one window, up to that step of
  /// the finest run at the latest. The root's clock counts, and any rank's request to stop.
  /// Collective on `ranks`.
  [[nodiscard]] std::pair<Reason, std::int64_t> agreed(const parallel::Communicator& ranks) const {
    const std::int64_t step = going_->step();
    const std::int64_t every = spec_.checkpoint.scheduled ? spec_.checkpoint.every : 0;
    const std::int64_t due = every > 0 ? (step / every + 1) * every : engine::never;
    const Reason mine = reason();
    const std::int64_t wish = mine == Reason::stop         ? -1
                              : !ranks.is_root()           ? engine::never
                              : mine == Reason::checkpoint ? 0
                                                           : std::min(due, step + pace_.steps());
    const std::int64_t least = parallel::min_over_ranks(ranks, wish);
    return {least < 0 ? Reason::stop : least == 0 ? Reason::checkpoint : Reason::none, least};
  }

  /// Collective on `ranks`: all, or this one alone.
  void begin(const parallel::Communicator& ranks, const Batch& batch) {
    try {
      going_ = std::make_unique<Lockstep>(ranks, plan_, batch);
    } catch (const base::Stopped&) {
      meet(Reason::stop, false);
    }
    saved_step_ = 0;
  }

  /// Collective on `ranks`.
  void finish(const parallel::Communicator& ranks) {
    std::optional<io::Progress> progress;
    if (comm_.is_root() && !spec_.quiet) {
      const Batch& batch = going_->comparisons();
      progress.emplace(own_,
                       batch.size() == 1
                           ? plan_.runs[plan_.comparisons[batch.front()].level].form.title
                           : fmt::format("{} of {} levels", batch.size(), spec_.levels.size()),
                       going_->step(), going_->steps());
    }
    pace_ = {};
    while (!going_->is_done()) {
      const auto [why, last] = agreed(ranks);
      if (why != Reason::none) {
        meet(why, false);
        continue;
      }
      const auto start = Clock::now();
      const std::int64_t step = going_->step();
      going_->advance(last);
      pace_.record(std::max<std::int64_t>(1, going_->step() - step),
                   std::chrono::duration<double>(Clock::now() - start).count());
      if (progress) {
        progress->show(going_->step());
      }
    }
    going_->add_to(outcomes_);
    going_.reset();
  }

  /// What is saved of this rank's own, then `batches`; waits until all ranks are done.
  void make_own(const std::vector<Batch>& batches) {
    std::optional<base::UserError> mistake;
    try {
      while (!saved_.empty()) {
        FlatArchive archive(saved_.back());
        begin(own_, indices_in(archive, "batch", {}));
        going_->exchange(archive);
        saved_.pop_back();
        finish(own_);
      }
      for (const Batch& batch : batches) {
        begin(own_, batch);
        finish(own_);
      }
    } catch (const base::UserError& error) {
      mistake = error;
      going_.reset();
    }
    while (!meet(reason(), true)) {  // others still work
    }
    parallel::throw_first(comm_, mistake);
  }

  /// All ranks, each with its reason to pause: saves, and throws Stopped where one is to stop.
  /// Returns whether all are done. Collective.
  bool meet(Reason mine, bool is_done) {
    double found[] = {static_cast<double>(mine), is_done ? 0.0 : 1.0};
    parallel::max_over_ranks(comm_, found);
    const auto why = static_cast<Reason>(found[0]);
    if (why != Reason::none) {
      write();
    }
    if (why == Reason::stop) {
      const auto left = std::ranges::count(outcomes_.errors, unknown, &Errors::x);
      throw base::Stopped(fmt::format("stopped {} with {} of {} comparisons made{}",
                                      parallel::stop_reason(comm_),
                                      std::ssize(outcomes_.errors) - left, outcomes_.errors.size(),
                                      io::restart_advice(spec_.checkpoint)));
    }
    return found[1] == 0.0;
  }

  /// Lets every rank know what any of them has found. Collective.
  void share_outcomes() {
    parallel::max_over_ranks(comm_, numbers_of(outcomes_.errors));
    parallel::max_over_ranks(comm_, numbers_of(outcomes_.runs));
    const std::int64_t mine = outcomes_.series.empty() ? engine::never : comm_.rank();
    if (const std::int64_t owner = parallel::min_over_ranks(comm_, mine); owner < engine::never) {
      parallel::broadcast_all(comm_, outcomes_.series, static_cast<int>(owner));
    }
  }

  /// Collective.
  void restore(const std::string& path) {
    try {
      io::read_state(comm_, path, [this](engine::Archive& archive) { exchange(archive); });
    } catch (const base::Stopped& stopped) {
      throw base::Stopped(stopped.what() + std::string("; nothing is lost: give the same command"));
    }
  }

  /// Saves the study. Collective.
  void write() {
    share_outcomes();
    io::write_state(comm_, spec_.checkpoint.path,
                    {.kind = spec_.result.kind, .configuration = spec_.result.configuration},
                    [this](engine::Archive& archive) { exchange(archive); });
    saved_at_ = Clock::now();
    saved_step_ = going_ == nullptr ? 0 : going_->step();
  }

  /// Save or restore the study: what is found, what all ranks share, what each makes alone.
  /// Collective.
  void exchange(engine::Archive& archive) {
    exchange_numbers(archive, "errors", outcomes_.errors);
    exchange_numbers(archive, "runs", outcomes_.runs);
    archive.numbers("series", outcomes_.series);
    const bool shares = going_ != nullptr && going_->is_on(comm_);
    under_way_ = indices_in(archive, "shared", shares ? going_->comparisons() : Batch{});
    if (archive.restores() && !under_way_.empty()) {
      going_ = std::make_unique<Lockstep>(comm_, plan_, under_way_);
    }
    if (going_ != nullptr && going_->is_on(comm_)) {
      going_->exchange(archive);
    }
    std::vector<double> states;
    if (!archive.restores()) {
      const base::AlignedVector all = parallel::gather(comm_, own_states());
      states.assign(all.begin(), all.end());
    }
    archive.numbers("states", states);
    if (archive.restores()) {
      deal(FlatArchive(std::move(states)));
    }
  }

  /// What this rank makes alone, and what it has still to go on with, one state after another.
  [[nodiscard]] std::vector<double> own_states() {
    FlatArchive all;
    for (std::vector<double>& state : saved_) {
      all.numbers("state", state);
    }
    if (going_ != nullptr && !going_->is_on(comm_)) {
      FlatArchive going;
      indices_in(going, "batch", going_->comparisons());
      going_->exchange(going);
      std::vector<double> state = going.state();
      all.numbers("state", state);
    }
    return all.state();
  }

  /// The own_states of the ranks that wrote a checkpoint to those of now, in turn.
  void deal(FlatArchive states) {
    for (int turn = 0; !states.is_at_end(); turn = (turn + 1) % comm_.size()) {
      std::vector<double> state;
      states.numbers("state", state);
      FlatArchive source(state);
      const Batch batch = indices_in(source, "batch", {});
      under_way_.insert(under_way_.end(), batch.begin(), batch.end());
      if (turn == comm_.rank()) {
        saved_.push_back(std::move(state));
      }
    }
  }

  const parallel::Communicator& comm_;
  parallel::Communicator own_;
  const StudyPlan& plan_;
  const StudySpec& spec_;
  Outcomes outcomes_;
  std::unique_ptr<Lockstep> going_;
  std::vector<std::vector<double>> saved_;  // states of this rank's own, to go on with
  Batch under_way_;                         // comparisons that a checkpoint had begun
  engine::Pace pace_;
  Clock::time_point saved_at_ = Clock::now();
  std::int64_t saved_step_ = 0;
};

}  // namespace

Outcomes run_comparisons(const parallel::Communicator& comm, const StudyPlan& plan) {
  return ComparisonRunner(comm, plan).made();
}

void check_runs(const parallel::Communicator& comm, const StudySpec& spec) {
  const StudyPlan plan = make_plan(comm, spec);
  Batch all(plan.comparisons.size());
  std::iota(all.begin(), all.end(), 0);
  const Schedule schedule = make_schedule(plan, all);
  for (const PlannedRun& planned : plan.runs) {
    engine::check_run(comm, planned.run);
  }
  if (comm.is_root() && !spec.quiet) {
    std::fputs(plan_text(plan, schedule).c_str(), stderr);
  }
}

}  // namespace masing::study
