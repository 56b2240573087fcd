#include "campaign/campaign.hpp"

#include <fmt/core.h>

#include <optional>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "campaign/alone.hpp"
#include "io/checkpoint.hpp"
#include "io/locks.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"
#include "parallel/stop.hpp"

namespace masing::campaign {

namespace {

using engine::Pause;

/// The implementation of campaign::run().
class Campaign {
 public:
  Campaign(const parallel::Communicator& comm, Source& source, const io::FileSpec& files)
      : comm_(comm), source_(source), files_(files), due_(files.checkpoint, source, comm) {}

  /// Computes all units. If a stop is requested, saves the state if the checkpoint has a path, and
  /// throws Stopped. Collective.
  void compute() {
    restore();
    due_.schedule();
    for (;;) {
      const Packing packing = source_.pack(under_way_);
      if (packing.together.empty() && packing.alone.empty() && under_way_.empty()) {
        break;
      }
      compute_together(packing.together);
      compute_on_single_ranks(packing);
      under_way_.clear();
      progress_.reset();
      share();
    }
    source_.conclude(comm_);
  }

  /// Writes the result file. If that fails, saves the results in a checkpoint, if it has a path,
  /// and throws SystemError, which says whether they are saved. Collective.
  void write_result(const Write& write) {
    try {
      io::write_file(comm_, files_.result, write);
    } catch (const base::SystemError& fault) {
      if (files_.checkpoint.path.empty()) {
        throw;
      }
      std::string rest = "what was computed is saved" + advice();
      try {
        parallel::on_root(comm_, [this] { save_on_root(); });
      } catch (const base::SystemError& error) {
        rest = std::string("nor could what was computed be saved: ") + error.what();
      }
      throw base::SystemError(fmt::format("{}; {}", fault.what(), rest));
    }
  }

 private:
  /// Restores results and states from the checkpoint files.checkpoint.restart, if this path is
  /// given. Collective.
  void restore() {
    if (!files_.checkpoint.restart) {
      return;
    }
    try {
      const std::string& path = *files_.checkpoint.restart;
      Batch together;
      io::restore_checkpoint(comm_, path, [&](auto& archive) { together = serialize(archive); });
      if (!together.empty()) {
        begin(together);
        io::restore_checkpoint(comm_, path, [this](auto& archive) { serialize_work(archive); });
      }
    } catch (const base::Stopped&) {
      throw_stopped(false);
    }
  }

  /// Creates the work that computes `units` on all ranks. Collective.
  void begin(const Batch& units) {
    const parallel::PhaseTimer timer(parallel::Phase::setup);
    work_ = source_.begin(comm_, units);
  }

  /// Broadcasts the records that all ranks need. Collective.
  void share() {
    Records records = comm_.is_root() ? source_.records(Source::Use::on_all_ranks) : Records();
    parallel::broadcast_all(comm_, records.numbers());
    if (!comm_.is_root()) {
      source_.take_all(records);
    }
  }

  /// First completes the restored work of all ranks, if there is one. Then computes the `batches`,
  /// one after another. For each work all ranks compute together and synchronise at every window.
  /// Collective.
  void compute_together(const std::vector<Batch>& batches) {
    for (auto next = batches.begin(); work_ != nullptr || next != batches.end(); work_.reset()) {
      Pause pause = Pause::none;
      try {
        if (work_ == nullptr) {
          begin(*next++);
        }
        while (!work_->is_done() && pause != Pause::stop) {
          pause = advance();
        }
      } catch (const base::Stopped&) {  // thrown in a setup, before there is a state
        stop();
      }
      if (pause == Pause::stop) {
        throw_stopped(true);
      }
    }
  }

  /// Advances the work of all ranks by a window or, if a checkpoint is due or a stop is requested,
  /// saves the state of the work. Returns the pause on which the ranks have agreed. Collective.
  Pause advance() {
    const Pause wish = parallel::stop_requested() ? Pause::stop
                       : due_.is_now()            ? Pause::save
                                                  : Pause::none;
    Records records;
    const Pause pause = work_->advance(due_.next_step(), wish, records);
    if (comm_.is_root()) {
      source_.take_all(records);
    }
    if (pause != Pause::none) {
      save(comm_);
      due_.schedule();
    }
    show(work_.get());
    return pause;
  }

  /// Computes works on single ranks: first the works whose states were restored, then the batches
  /// in packing.alone. Collective.
  void compute_on_single_ranks(const Packing& packing) {
    if (packing.alone.empty() && saved_.empty()) {
      return;
    }
    const auto between = [this](const Work* work, bool is_due) {
      if (is_due) {
        save_on_root();
      }
      show(work);
    };
    if (!compute_alone(comm_, source_, due_, packing, saved_, between)) {
      stop();
    }
  }

  /// If there are completed units or states in saved_, writes a checkpoint, unless it has no path.
  /// Then throws Stopped. Collective.
  [[noreturn]] void stop() {
    work_.reset();
    const bool has_something =
        !saved_.empty() || source_.count().done > 0;  // correct on the root only
    parallel::on_root(comm_, [&] {
      if (has_something) {
        save_on_root();
      }
    });
    throw_stopped(has_something);
  }

  /// Throws Stopped. If `is_saved` is true on the root, the message contains the progress and
  /// says how the campaign can be continued. If it is false, the message says that the campaign
  /// stopped before the first step. Job scripts compare the progress with that of the turn before.
  /// It therefore also counts the steps of the works that are not complete, such as those of a long
  /// point of a scan. Collective.
  [[noreturn]] void throw_stopped(bool is_saved) {
    std::int64_t steps = work_ == nullptr ? 0 : work_->steps().done;
    for (const State& state : saved_) {
      steps += state.steps;
    }
    std::int64_t numbers[] = {source_.count().done, source_.count().all, steps, is_saved ? 1 : 0};
    parallel::broadcast(comm_, numbers);
    work_.reset();  // the destructor of the work closes its files
    const std::string how = "stopped " + parallel::stop_reason(comm_);
    if (numbers[3] == 0) {
      throw base::Stopped(how + " before the first step; nothing is lost: give the same command");
    }
    const std::string unit = source_.unit_name();
    const std::string more =
        numbers[2] > 0 && unit != "steps" ? fmt::format(" and {} steps", numbers[2]) : "";
    throw base::Stopped(
        fmt::format("{} after {} of {} {}{}{}", how, numbers[0], numbers[1], unit, more, advice()));
  }

  /// Returns the end of a message, which says how the campaign can be continued.
  [[nodiscard]] std::string advice() const {
    const std::string& path = files_.checkpoint.path;
    return path.empty() ? "; without a file nothing is saved"
                        : "; the same with restart = " + path + " goes on";
  }

  /// Saves or restores three things: the results of the source, the states in saved_, and the list
  /// of the units of work_, the work of all ranks. Returns this list; it is empty if there is no
  /// such work. Collective on the ranks of the archive.
  Batch serialize(engine::Archive& archive) {
    Records records;
    Records alone;
    std::vector<double> together;
    if (!archive.restores()) {
      records = comm_.is_root() ? source_.records(Source::Use::in_checkpoint) : Records();
      for (const State& state : saved_) {
        alone.add(0, packed(state));
      }
      const Batch units = work_ == nullptr ? Batch() : work_->units();
      together.assign(units.begin(), units.end());
    }
    archive.begin("works");
    archive.numbers("records", records.numbers());
    archive.numbers("alone", alone.numbers());
    archive.numbers("together", together);
    if (archive.restores()) {
      source_.take_all(records);
      under_way_.assign(together.begin(), together.end());
      alone.take_all([this](Unit /*index*/, auto state) {
        const Batch& units =
            saved_.emplace_back(unpacked<State>({state.begin(), state.end()})).units;
        under_way_.insert(under_way_.end(), units.begin(), units.end());
      });
    }
    return {together.begin(), together.end()};
  }
  void serialize_work(engine::Archive& archive) {
    archive.begin("work");
    work_->serialize(archive);
  }

  /// Writes a checkpoint, or nothing if it has no path. `ranks` contains all ranks or only the
  /// root. Collective on `ranks`.
  void save(const parallel::Communicator& ranks) {
    io::write_checkpoint(
        ranks, files_.checkpoint.path, files_.result,
        [this](engine::Archive& archive) {
          if (!serialize(archive).empty()) {
            serialize_work(archive);
          }
        },
        [this](const io::Handle& file) {
          if (work_ != nullptr) {
            work_->attach(file);
          }
        });
  }
  void save_on_root() {
    const parallel::RootAlone root;
    save(root.comm());
  }

  /// Prints the progress on the root: the count of the source if shows_count() is true and at least
  /// one unit is completed, otherwise the number of completed steps of `work`. Prints nothing in
  /// the second case if `work` is null or has no steps. The title has the number of units, so that
  /// each work of a study has a rate of its own.
  void show(const Work* work) {
    if (files_.quiet || !comm_.is_root()) {
      return;
    }
    const Count units = source_.count();
    const bool by_units = source_.shows_count() && units.done > 0;
    const Count count = by_units ? units : work != nullptr ? work->steps() : Count();
    if (count.all == 0) {
      return;
    }
    const std::string name = source_.unit_name();
    const std::string unit = by_units ? name : "steps";
    const std::string title = unit == name
                                  ? fmt::format("{} {}", units.all, name)
                                  : fmt::format("{} of {} {}", units.done, units.all, name);
    if (!progress_ || title != title_) {
      title_ = title;
      progress_.emplace(title, io::StepsDone{count.done, count.done, count.all, unit});
    }
    progress_->show(count.done);
  }

  const parallel::Communicator& comm_;
  Source& source_;
  const io::FileSpec& files_;
  Due due_;
  std::unique_ptr<Work> work_;  // the work of all ranks, if one is in progress
  // The states of works of single ranks that are to be resumed and, on the root, of those that are
  // to be saved.
  std::vector<State> saved_;
  Batch under_way_;  // the units of the restored works; the same on all ranks
  std::optional<io::Progress> progress_;
  std::string title_;  // the title that progress_ shows
};

}  // namespace

void run(const parallel::Communicator& comm, Source& source, const io::FileSpec& files,
         const Write& write) {
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  const io::OutputLock result(comm, files.result.path);
  const io::OutputLock checkpoint(comm, files.checkpoint.path, "checkpoint");
  Campaign campaign(comm, source, files);
  campaign.compute();
  if (write) {
    campaign.write_result(write);
  }
  if (write || !files.checkpoint.scheduled) {
    io::remove_checkpoint(comm, files.checkpoint.path);
  }
}

}  // namespace masing::campaign
