#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/say.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/result_file.hpp"
#include "parallel/session.hpp"
#include "study/lockstep.hpp"
#include "study/plan.hpp"

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
    auto size = static_cast<double>(values.size());
    exchange(std::span(&size, 1));
    values.resize(static_cast<std::size_t>(size));
    exchange(values);
  }
  void split(const std::string& /*name*/, parallel::Vector& values) override {
    exchange(values.values());
  }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  [[nodiscard]] bool is_at_end() const { return place_ == state_.size(); }

 private:
  void exchange(std::span<double> values) {
    if (!restores_) {
      state_.insert(state_.end(), values.begin(), values.end());
      return;
    }
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

/// Placeholder of a missing result; max_over_ranks replaces it.
constexpr double unknown = -std::numeric_limits<double>::infinity();

/// Why ranks pause; the largest reason counts.
enum class Reason { none, checkpoint, stop };

/// The comparisons of a study as its ranks make them: first those that they share, then each rank
/// its own. In a shared batch all ranks pause after the same window. In batches of their own they
/// pause at synchronize(), to which a rank comes where a checkpoint is due, where it is asked to
/// stop, and where it is done.
class ComparisonRunner {
 public:
  ComparisonRunner(const parallel::Communicator& comm, const StudyPlan& plan)
      : comm_(comm), own_(comm, comm.rank(), 1), plan_(plan), spec_(*plan.spec), notice_(comm) {
    outcomes_.errors.assign(plan.comparisons.size(), Errors{{unknown, 0.0, 0.0, 0.0}});
    outcomes_.runs.assign(plan.runs.size(), RunSummary{.end = {unknown, unknown}});
  }

  Outcomes outcomes() {
    if (const auto& path = spec_.checkpoint.restart) {
      try {
        io::read_state(comm_, *path, [this](engine::Archive& archive) { serialize(archive); });
      } catch (const base::Stopped& stopped) {
        throw base::Stopped(std::string(stopped.what()) + io::nothing_lost);
      }
    }
    const Schedule schedule = make_schedule(plan_, pending());
    if (comm_.is_root() && !spec_.quiet && schedule.seconds > engine::long_time) {
      const std::string advice = parallel::stop_advice();
      base::say(plan_text(plan_, schedule) + (advice.empty() ? "" : "  " + advice + "\n"));
    }
    if (spec_.checkpoint.scheduled) {
      write();
    }
    if (current_ != nullptr) {
      finish(comm_);
    }
    for (const Batch& batch : schedule.shared) {
      begin(comm_, batch);
      finish(comm_);
    }
    const auto rank = static_cast<std::size_t>(comm_.rank());
    make_own(rank < schedule.own.size() ? schedule.own[rank] : std::vector<Batch>());
    share_outcomes();
    return std::move(outcomes_);
  }

 private:
  /// Comparisons that nobody has begun.
  [[nodiscard]] Batch pending() const {
    Batch found = plan_.all();
    std::erase_if(found, [&](std::size_t i) {
      return outcomes_.errors[i][Errors::x] != unknown || std::ranges::count(under_way_, i) > 0;
    });
    return found;
  }

  /// This rank's reason to pause. Local.
  [[nodiscard]] Reason reason() const {
    const io::CheckpointSpec& checkpoint = spec_.checkpoint;
    const bool is_due = checkpoint.every == 0
                            ? Clock::now() >= saved_at_ + checkpoint.distance
                            : current_ != nullptr && current_->step() != saved_step_ &&
                                  current_->step() % checkpoint.every == 0;
    // The request is looked for first, and the notice with it.
    return parallel::stop_requested() || notice_.cause() != 0 ? Reason::stop
           : checkpoint.scheduled && is_due                   ? Reason::checkpoint
                                                              : Reason::none;
  }

  /// The step of the finest run at which the next window ends at the latest; nothing where they are
  /// to pause: by the root's clock, or where any rank is to stop. Collective on `ranks`.
  [[nodiscard]] std::optional<std::int64_t> next_window_end(const parallel::Communicator& ranks,
                                                            Reason mine) {
    const std::int64_t step = current_->step();
    const std::int64_t every = spec_.checkpoint.scheduled ? spec_.checkpoint.every : 0;
    const std::int64_t due = every > 0 ? (step / every + 1) * every : engine::never;
    const bool pauses = mine == Reason::stop || (mine == Reason::checkpoint && ranks.is_root());
    const std::int64_t last =
        parallel::min_over_ranks(ranks, pauses            ? 0
                                        : ranks.is_root() ? std::min(due, step + pace_.steps())
                                                          : engine::never);
    return last > 0 ? std::optional(last) : std::nullopt;
  }

  /// "level 2 of 4", "3 of 4 levels".
  [[nodiscard]] std::string title(const Batch& batch) const {
    const std::size_t levels = spec_.levels.size();
    return batch.size() == 1
               ? plan_.runs[plan_.comparisons[batch.front()].level].options.title
               : fmt::format("{} of {} levels", std::min(batch.size(), levels), levels);
  }

  /// Collective on `ranks`: all, or this one alone.
  void begin(const parallel::Communicator& ranks, const Batch& batch) {
    const base::Polling polling =
        io::saying_seconds(comm_.is_root() && !spec_.quiet, "setting up " + title(batch));
    try {
      current_ = std::make_unique<Lockstep>(ranks, plan_, batch);
    } catch (const base::Stopped&) {
      synchronize(Reason::stop, false);
    }
    saved_step_ = 0;
  }

  /// Collective on `ranks`.
  void finish(const parallel::Communicator& ranks) {
    std::optional<io::Progress> progress;
    if (comm_.is_root() && !spec_.quiet) {
      progress.emplace(own_, title(current_->comparisons()), current_->step(), current_->steps());
    }
    pace_ = {};
    while (!current_->is_done()) {
      const Reason mine = reason();
      const auto last = next_window_end(ranks, mine);
      if (!last) {
        synchronize(mine, false);
        continue;
      }
      const auto start = Clock::now();
      const std::int64_t step = current_->step();
      current_->advance(*last);
      pace_.record(std::max<std::int64_t>(1, current_->step() - step),
                   std::chrono::duration<double>(Clock::now() - start).count());
      if (progress) {
        progress->show(current_->step());
      }
    }
    current_->add_to(outcomes_);
    current_.reset();
  }

  /// What is saved of this rank's own, then `batches`; waits until all ranks are done.
  void make_own(const std::vector<Batch>& batches) {
    try {
      while (!saved_.empty()) {
        FlatArchive archive(saved_.back());
        begin(own_, indices_in(archive, "batch", {}));
        current_->serialize(archive);
        saved_.pop_back();
        finish(own_);
      }
      for (const Batch& batch : batches) {
        begin(own_, batch);
        finish(own_);
      }
    } catch (const base::UserError& error) {
      mistake_ = error;
      current_.reset();
      notice_.send(1);
    }
    while (!synchronize(reason(), true)) {  // others still work
    }
    throw_mistake();
  }

  /// Collective.
  void throw_mistake() {
    notice_.drain();
    parallel::throw_first(comm_, mistake_);
  }

  /// All ranks, each with its reason to pause: saves, and throws Stopped where one is to stop.
  /// Returns whether all are done. Collective.
  bool synchronize(Reason mine, bool is_done) {
    const auto made = [&] {
      return std::ssize(outcomes_.errors) -
             std::ranges::count(outcomes_.errors, unknown,
                                [](const Errors& errors) { return errors[Errors::x]; });
    };
    const bool has_begun = made() > 0 || current_ != nullptr || !saved_.empty();
    double found[] = {static_cast<double>(mine), is_done ? 0.0 : 1.0, has_begun ? 1.0 : 0.0};
    parallel::max_over_ranks(comm_, found);
    const auto why = static_cast<Reason>(found[0]);
    if (why == Reason::stop) {
      throw_mistake();
      if (found[2] == 0.0) {
        throw base::Stopped("stopped " + parallel::stop_reason(comm_) + " before the first step" +
                            io::nothing_lost);
      }
    }
    if (why != Reason::none) {
      write();
    }
    if (why == Reason::stop) {
      throw base::Stopped(fmt::format("stopped {} with {} of {} comparisons made{}",
                                      parallel::stop_reason(comm_), made(), outcomes_.errors.size(),
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

  /// Saves the study. Collective.
  void write() {
    share_outcomes();
    io::write_state(comm_, spec_.checkpoint.path, spec_.result,
                    [this](engine::Archive& archive) { serialize(archive); });
    saved_at_ = Clock::now();
    saved_step_ = current_ == nullptr ? 0 : current_->step();
  }

  /// Save or restore the study: what is found, what all ranks share, what each makes alone.
  /// Collective.
  void serialize(engine::Archive& archive) {
    study::serialize(archive, "errors", outcomes_.errors);
    study::serialize(archive, "runs", outcomes_.runs);
    archive.numbers("series", outcomes_.series);
    const bool shares = current_ != nullptr && current_->is_on(comm_);
    const Batch shared = indices_in(archive, "shared", shares ? current_->comparisons() : Batch{});
    if (archive.restores() && !shared.empty()) {
      under_way_ = shared;
      current_ = std::make_unique<Lockstep>(comm_, plan_, shared);
    }
    serialize_own(archive);
    if (!shared.empty()) {
      current_->serialize(archive);
    }
  }

  /// The own_states of the ranks that have some, one after another, on the root; restored, each
  /// goes to one of the ranks of now in turn. Collective.
  void serialize_own(engine::Archive& archive) {
    std::vector<double> all;
    if (!archive.restores()) {
      std::vector<double> mine = own_states();
      const auto next_owner = [&](std::int64_t after) {
        const bool is_later = !mine.empty() && comm_.rank() > after;
        return parallel::min_over_ranks(comm_, is_later ? comm_.rank() : comm_.size());
      };
      for (std::int64_t rank = next_owner(-1); rank < comm_.size(); rank = next_owner(rank)) {
        std::vector<double> part = rank == comm_.rank() ? mine : std::vector<double>();
        parallel::broadcast_all(comm_, part, static_cast<int>(rank));
        all.insert(all.end(), part.begin(), comm_.is_root() ? part.end() : part.begin());
      }
    }
    archive.numbers("own", all);
    if (!archive.restores()) {
      return;
    }
    FlatArchive states(std::move(all));
    for (int i = 0; !states.is_at_end(); ++i) {
      std::vector<double> state;
      states.numbers("state", state);
      FlatArchive source(state);
      std::ranges::copy(indices_in(source, "batch", {}), std::back_inserter(under_way_));
      if (i % comm_.size() == comm_.rank()) {
        saved_.push_back(std::move(state));
      }
    }
  }

  /// What this rank makes alone, and what it has still to go on with, one state after another, each
  /// behind its comparisons.
  [[nodiscard]] std::vector<double> own_states() {
    FlatArchive all;
    for (std::vector<double>& state : saved_) {
      all.numbers("state", state);
    }
    if (current_ != nullptr && !current_->is_on(comm_)) {
      FlatArchive current;
      indices_in(current, "batch", current_->comparisons());
      current_->serialize(current);
      std::vector<double> state = current.state();
      all.numbers("state", state);
    }
    return all.state();
  }

  const parallel::Communicator& comm_;
  parallel::Communicator own_;
  const StudyPlan& plan_;
  const StudySpec& spec_;
  Outcomes outcomes_;
  std::unique_ptr<Lockstep> current_;
  std::optional<base::UserError> mistake_;  // that this rank met alone
  parallel::StopNotice notice_;             // that a rank has met one
  std::vector<std::vector<double>> saved_;  // states of this rank's own, to go on with
  Batch under_way_;                         // comparisons that a checkpoint had begun
  engine::Pace pace_;
  Clock::time_point saved_at_ = Clock::now();
  std::int64_t saved_step_ = 0;
};

}  // namespace

Outcomes run_comparisons(const parallel::Communicator& comm, const StudyPlan& plan) {
  return ComparisonRunner(comm, plan).outcomes();
}

void check_runs(const parallel::Communicator& comm, const StudySpec& spec) {
  const StudyPlan plan = make_plan(comm, spec);
  const Schedule schedule = make_schedule(plan, plan.all());
  std::set<std::pair<double, engine::Method>> slabs;  // by δs
  for (const PlannedRun& planned : plan.runs) {
    const slab::Slab* slab = engine::slab_of(planned.run);
    const bool is_new =
        slab == nullptr ||
        slabs.emplace(slab::cell_width(slab->space), planned.run.facts().method).second;
    const base::Polling polling =
        io::saying_seconds(comm.is_root() && !spec.quiet, "checking " + engine::title(planned.run));
    engine::check_run(comm, planned.run, is_new);
  }
  if (comm.is_root() && !spec.quiet) {
    base::say(plan_text(plan, schedule));
  }
}

}  // namespace masing::study
