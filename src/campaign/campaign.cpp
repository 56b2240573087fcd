#include "campaign/campaign.hpp"

#include <fmt/core.h>

#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/say.hpp"
#include "campaign/alone.hpp"
#include "engine/run_spec.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/result_file.hpp"
#include "parallel/phase.hpp"

namespace masing::campaign {

namespace {

using engine::Pause;

/// A campaign while it runs.
class Campaign {
 public:
  Campaign(const parallel::Communicator& comm, Source& source, const Spec& spec)
      : comm_(comm), source_(source), spec_(spec), due_(spec.checkpoint, 0) {}

  /// Makes all units. Throws Stopped when the state is saved. Collective.
  void make() {
    restore();
    tell();
    do {
      for (;;) {
        const Packing packing = source_.pack(under_way_, comm_.size());
        if (packing.together.empty() && packing.alone.empty() && under_way_.empty()) {
          break;
        }
        announce(packing);
        make_together(packing.together);
        make_alone(packing);
        under_way_.clear();
        source_.share(comm_);
      }
    } while (source_.refine(comm_));
  }

  /// Writes the result file; where that is not possible the checkpoint, in the room that the result
  /// has left. Collective.
  void finish(const Write& write) {
    std::string fault;
    try {
      if (write) {
        io::write_file(comm_, spec_.result, write);
      }
      tell(true);
      return;
    } catch (const base::SystemError& error) {
      if (spec_.checkpoint.path.empty()) {
        throw;
      }
      fault = error.what();
    }
    try {
      parallel::on_root(comm_, [this] { save_on_root({}); });
    } catch (const base::SystemError& error) {
      throw base::SystemError(fault + "; nor could what was computed be saved: " + error.what());
    }
    throw base::SystemError(fault + "; what was computed is saved" + advice());
  }

 private:
  /// Reads the checkpoint that the campaign goes on with.
  void restore() {
    if (!spec_.checkpoint.restart) {
      return;
    }
    try {
      const io::CheckpointFile file(comm_, *spec_.checkpoint.restart);
      std::vector<double> together;
      Records alone;
      file.restore([&](engine::Archive& archive) { serialize(archive, alone, together); });
      alone.take_all([this](Unit /*index*/, auto state) {
        const Batch units = units_of(saved_.emplace_back(state.begin(), state.end()));
        under_way_.insert(under_way_.end(), units.begin(), units.end());
      });
      under_way_.insert(under_way_.end(), together.begin(), together.end());
      if (!together.empty()) {
        begin({together.begin(), together.end()});
        file.restore([this](engine::Archive& archive) { serialize_work(archive); });
      }
    } catch (const base::Stopped&) {
      throw_stopped(false);
    }
  }

  /// Says what a long campaign is going to do, and how it may be stopped.
  void announce(const Packing& packing) const {
    if (!comm_.is_root() || spec_.quiet) {
      return;
    }
    const bool is_long = packing.seconds > engine::long_time;
    std::string text = is_long ? packing.text : "";
    for (const std::string& line : {packing.advice, is_long ? parallel::stop_advice() : ""}) {
      text += line.empty() ? "" : fmt::format("masing {}: {}\n", spec_.result.kind, line);
    }
    if (!text.empty()) {
      base::say(text);
    }
  }

  /// Begins a work of all ranks. Collective.
  void begin(const Batch& units) {
    const base::Polling polling =
        io::saying_seconds(comm_.is_root() && !spec_.quiet, "setting up " + source_.title(units));
    const parallel::PhaseTimer timer(parallel::Phase::setup);
    work_ = source_.begin(comm_, units);
  }

  /// The work that was restored, then `batches`, each by all ranks, who meet at each window.
  void make_together(const std::vector<Batch>& batches) {
    if (work_ != nullptr) {
      advance_to_end();
    }
    for (const Batch& units : batches) {
      try {
        begin(units);
      } catch (const base::Stopped&) {
        stop();
      }
      advance_to_end();
    }
  }

  void advance_to_end() {
    const bool by_units = source_.schedules_by_units();
    const auto count = [&] { return by_units ? source_.count().done : work_->steps().done; };
    if (!by_units) {
      due_.count_from(count());
    }
    while (!work_->is_done()) {
      const Pause wish = parallel::stop_requested() ? Pause::stop
                         : due_.is_now(count())     ? Pause::save
                                                    : Pause::none;
      Records records;
      const Pause pause =
          work_->advance(by_units ? engine::never : due_.next_count(), wish, records);
      if (comm_.is_root()) {
        records.take_all([this](Unit unit, auto numbers) { source_.take(unit, numbers); });
      }
      if (pause != Pause::none) {
        save(comm_, saved_);
        due_.saved(count());
      }
      if (pause == Pause::stop) {
        throw_stopped(true);
      }
      show(work_.get());
    }
    work_.reset();
  }

  /// Batches that single ranks make. Collective.
  void make_alone(const Packing& packing) {
    if (packing.alone.empty() && saved_.empty()) {
      return;
    }
    const std::vector<State> saved = std::exchange(saved_, {});
    std::optional<Alone> alone;
    alone.emplace(comm_, source_, spec_.checkpoint, packing, saved,
                  [&](const Work* work, bool is_due) {
                    if (is_due) {
                      save_on_root(alone->states());
                    }
                    show(work);
                  });
    if (!alone->make()) {
      saved_ = alone->states();
      stop();
    }
  }

  /// Saves what there is and throws Stopped. Collective.
  [[noreturn]] void stop() {
    work_.reset();
    std::int64_t has_something = saved_.empty() && source_.count().done == 0 ? 0 : 1;
    parallel::broadcast(comm_, std::span(&has_something, 1));
    if (has_something != 0) {
      parallel::on_root(comm_, [this] { save_on_root(saved_); });
    }
    throw_stopped(has_something != 0);
  }

  /// Collective.
  [[noreturn]] void throw_stopped(bool is_saved) {
    const Count count = source_.count();
    tell();
    std::int64_t numbers[] = {count.done, count.all};
    parallel::broadcast(comm_, numbers);
    work_.reset();  // it closes its files
    const std::string how = "stopped " + parallel::stop_reason(comm_);
    throw base::Stopped(is_saved ? fmt::format("{} after {} of {} {}{}", how, numbers[0],
                                               numbers[1], source_.unit_name(), advice())
                                 : how + " before the first step" + io::nothing_lost);
  }

  /// Tells spec.result.done how far the campaign is.
  void tell(bool has_result = false) const {
    if (spec_.result.done == nullptr || !comm_.is_root()) {
      return;
    }
    const Count count = source_.count();
    std::int64_t steps = work_ == nullptr ? 0 : work_->steps().done;
    for (const State& state : saved_) {
      steps += steps_of(state);
    }
    *spec_.result.done = {count.done, count.all, source_.unit_name(), steps, has_result};
  }

  /// How the campaign can be continued.
  [[nodiscard]] std::string advice() const {
    const std::string& path = spec_.checkpoint.path;
    return path.empty() ? "; without a file nothing is saved"
                        : "; the same with restart = " + path + " goes on";
  }

  /// The records, the states of works of single ranks, and the units of the work of all ranks.
  void serialize(engine::Archive& archive, Records& alone, std::vector<double>& together) {
    archive.begin("source");
    source_.serialize(archive);
    archive.begin("works");
    archive.numbers("alone", alone.numbers());
    archive.numbers("together", together);
  }
  void serialize_work(engine::Archive& archive) {
    archive.begin("work");
    work_->serialize(archive);
  }

  /// Writes a checkpoint with the state of the work of all ranks, if there is one, and these states
  /// of works of single ranks. Collective on `ranks`: all, or the root.
  void save(const parallel::Communicator& ranks, const std::vector<State>& states) {
    Records alone;
    for (std::size_t i = 0; i < states.size(); ++i) {
      alone.add(static_cast<Unit>(i), states[i]);
    }
    const Batch units = work_ == nullptr ? Batch() : work_->units();
    std::vector<double> together(units.begin(), units.end());
    const auto all = [&](engine::Archive& archive) {
      serialize(archive, alone, together);
      if (!units.empty()) {
        serialize_work(archive);
      }
    };
    io::write_checkpoint(ranks, spec_.checkpoint.path, spec_.result, all,
                         [this](const io::Handle& file) {
                           if (work_ != nullptr) {
                             work_->attach(file);
                           }
                         });
  }
  void save_on_root(const std::vector<State>& states) {
    const parallel::RootAlone root(comm_);
    save(root.comm(), states);
  }

  /// Shows how far the work of the root is or, where that has no steps, how many units are done.
  void show(const Work* work) {
    if (spec_.quiet || !comm_.is_root()) {
      return;
    }
    const Count steps = work == nullptr ? Count() : work->steps();
    if (steps.all > 0) {
      if (const Batch units = work->units(); !progress_ || units != shown_) {
        shown_ = units;
        progress_.emplace(source_.title(units), steps.done, steps.all);
      }
      progress_->show(steps.done, work->remark());
    }
    const auto now = Due::Clock::now();
    if (source_.schedules_by_units() && now - said_at_ > std::chrono::seconds(2)) {
      said_at_ = now;
      progress_.reset();
      const Count count = source_.count();
      base::say(fmt::format("{} of {} {}\n", count.done, count.all, source_.unit_name()));
    }
  }

  const parallel::Communicator& comm_;
  Source& source_;
  const Spec& spec_;
  Due due_;
  std::unique_ptr<Work> work_;  // of all ranks
  std::vector<State> saved_;    // of works of single ranks that are not under way
  Batch under_way_;             // units of the works that were restored, alike on all ranks
  std::optional<io::Progress> progress_;
  Batch shown_;  // units whose progress that is
  Due::Clock::time_point said_at_ = Due::Clock::now();
};

}  // namespace

void run(const parallel::Communicator& comm, Source& source, const Spec& spec, const Write& write) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  const io::RunLocks locks(comm, spec.result.path, spec.checkpoint);
  Campaign campaign(comm, source, spec);
  campaign.make();
  campaign.finish(write);
  if (write || !spec.checkpoint.scheduled) {
    io::remove_checkpoint(comm, spec.checkpoint.path);
  }
}

}  // namespace masing::campaign
