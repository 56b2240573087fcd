#include "campaign/alone.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "parallel/phase.hpp"
#include "parallel/stop.hpp"

namespace masing::campaign {

namespace {

// The tags of the MPI messages to the root and of the root's replies.
constexpr int to_root = 0;
constexpr int of_share = 1;

/// The reason why a rank sends a message to the root. `is_due_by_clock`: a checkpoint is due by the
/// clock; the root, whose clock shows this too, will store the state of the rank's work in it.
/// `is_due_by_steps`: the work of the rank has reached a step at which the root has to write a
/// checkpoint. `requests`: the rank requests a share. `stops`: the rank stops, and with it the
/// campaign.
enum class Reason : int { is_due_by_clock, is_due_by_steps, requests, stops };

/// A message to the root.
struct Message {
  Reason reason = Reason::requests;
  double wanted = 1.0;               ///< the number of batches that the rank requests
  std::vector<double> records = {};  ///< the numbers of its Records
  State state = {};                  ///< of its work

  void fields(engine::Archive& archive) {
    archive.scalars("reason", reason, wanted);
    archive.numbers("records", records);
    state.fields(archive);
  }
};

/// The root's reply to a request: the rank has to compute the tasks with the indices first, …,
/// first + count - 1. `count` is 0 if no task is left or the campaign stops. A task is a saved
/// state, from which a work is resumed, or a batch. Saved states have the lower indices, batches
/// the higher ones. A share consists either of one saved state or of batches.
///
/// Each rank that computes gets exactly one empty share. When the campaign stops, the root sends it
/// to all ranks that have not got it, and answers no request afterwards. A rank that has requested
/// a share takes it as the reply. A rank that computes finds it between two windows or in
/// base::poll(), reports that it stops, and ends. A rank that stops by itself reports it first and
/// then waits for the empty share. Thus no message is left at the end.
struct Share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The implementation of compute_alone().
class Alone {
 public:
  Alone(const parallel::Communicator& comm, Source& source, Due& due, const Packing& packing,
        std::vector<State>& saved, const Between& between)
      : comm_(comm.handle()),
        source_(source),
        due_(due),
        packing_(packing),
        resumed_(std::exchange(saved, {})),
        saved_(saved),
        between_(between) {
    for (int rank = 1; comm_.is_root() && rank < comm_.size() && rank < tasks(); ++rank) {
      working_.insert(rank);
    }
  }

  bool compute() {
    const base::Polling polling([this] {
      if (comm_.is_root()) {
        serve();
      }
      // A work is interrupted here only if it has no state to save; its units are computed again
      // after a restart. All other works stop between two windows.
      if (may_throw_ && (work_ == nullptr || work_->units().empty()) && is_to_stop()) {
        throw base::Stopped("stopped");
      }
    });
    std::optional<base::UserError> mistake;
    try {
      while (next()) {
        compute_work();
      }
    } catch (const base::Stopped&) {
      stop();
    } catch (const base::UserError& error) {
      mistake = error;
      stop();
    }
    may_throw_ = false;
    if (comm_.is_root()) {
      for (between_windows(); !working_.empty(); between_windows()) {
        parallel::sleep_until([this] {
          int any = MPI_ANY_SOURCE;
          return parallel::has_arrived(comm_, any, to_root) ||
                 (!is_stopped_ && (due_.by_clock() || parallel::stop_requested()));
        });
      }
    } else if (comm_.rank() < tasks() && is_stopped_) {
      report(Reason::stops);
      if (share_.count > 0) {
        receive_share();
      }
    }
    parallel::on_each(comm_, [&] {
      if (mistake) {
        throw base::UserError(*mistake);
      }
    });
    const bool is_done = parallel::min_over_ranks(comm_, is_stopped_ ? 0 : 1) == 1;
    saved_ = is_done ? std::vector<State>() : states();
    return is_done;
  }

 private:
  /// Returns, on the root, the states to be saved in a checkpoint. They are the present state of
  /// the root's work, the latest known state of the work of each other rank, and the saved states
  /// that are not yet assigned. On other ranks the result is incomplete and is not used. Local.
  [[nodiscard]] std::vector<State> states() const {
    std::vector<State> all = states_;
    all.push_back(own_state());
    all.insert(all.end(), resumed_.begin() + std::min(next_, std::ssize(resumed_)), resumed_.end());
    std::erase_if(all, [](const State& state) { return state.units.empty(); });
    return all;
  }

  /// Returns the number of tasks. Only ranks whose index is less than this number compute tasks and
  /// send messages.
  [[nodiscard]] std::int64_t tasks() const {
    return std::ssize(resumed_) + std::ssize(packing_.alone);
  }

  /// Gets the next share: the root takes it, another rank requests it from the root. Stores it in
  /// share_ and, if it is a saved state, in state_. Returns false if no task is left or a stop was
  /// requested.
  bool next() {
    if (comm_.is_root()) {
      between_windows();
    }
    if (comm_.rank() >= tasks() || is_to_stop()) {
      return false;
    }
    if (comm_.is_root()) {
      share_ = take_share(wanted());
    } else {
      report(Reason::requests);
      receive_share();
    }
    state_ = take_state(share_);
    begun_ = MPI_Wtime();
    return share_.count > 0;
  }

  /// Waits for a share from the root and stores it in share_.
  void receive_share() {
    int root = 0;
    parallel::sleep_until([&] { return parallel::has_arrived(comm_, root, of_share); });
    const std::vector<double> share = parallel::receive(comm_, root, of_share);
    share_ = {static_cast<std::int64_t>(share[0]), static_cast<std::int64_t>(share[1])};
  }

  /// Computes the work of share_. Throws Stopped if a stop is requested before the work is
  /// completed; own_state() then returns the state of the work.
  void compute_work() {
    Batch units = state_.units;
    for (auto i = share_.first; state_.units.empty() && i < share_.first + share_.count; ++i) {
      const Batch& batch = packing_.alone[static_cast<std::size_t>(i - std::ssize(resumed_))];
      units.insert(units.end(), batch.begin(), batch.end());
    }
    may_throw_ = true;
    work_ = source_.begin(own_, units);
    may_throw_ = false;
    if (!state_.units.empty()) {
      // The archive restores from a copy of state_. A stop may be requested meanwhile, so state_
      // itself is kept until the work is restored.
      NumbersArchive archive(state_.numbers);
      work_->serialize(archive);
      state_ = {};
    }
    due_.begin(work_.get());
    while (!work_->is_done()) {
      between_windows();
      if (is_to_stop()) {
        throw base::Stopped("stopped");
      }
      may_throw_ = true;
      work_->advance(due_.next_step(), engine::Pause::none, records_);
      may_throw_ = false;
    }
    work_.reset();
  }

  /// Handles messages and checkpoints between two windows. The root passes its results to the
  /// source and answers the messages of other ranks. If a checkpoint is due, the root writes it,
  /// and any other rank sends the state of its work to the root.
  void between_windows() {
    if (comm_.is_root()) {
      source_.take_all(records_);
      serve();
    }
    const bool is_due = !is_to_stop() && (is_due_ || due_.is_now(work_.get()));
    if (is_due && comm_.is_root()) {
      saved_ = states();
      is_due_ = false;
    } else if (is_due) {
      report(due_.by_clock() ? Reason::is_due_by_clock : Reason::is_due_by_steps);
    }
    if (comm_.is_root()) {
      between_(work_.get(), is_due);
      saved_.clear();
    }
    if (is_due) {
      due_.saved(work_.get());
    }
  }

  /// Returns whether this rank has to stop. The reason may be a stop request to this rank or, on
  /// the root, to any rank, a mistake on any rank of which the root knows, or an empty share that
  /// this rank has not requested. Must not be called while a requested share is outstanding.
  bool is_to_stop() {
    int root = 0;
    if (!is_stopped_ && !comm_.is_root() && parallel::has_arrived(comm_, root, of_share)) {
      receive_share();
      stop();
    }
    if (!is_stopped_ && parallel::stop_requested()) {
      stop();
    }
    return is_stopped_;
  }

  /// Returns the state of this rank's work. If the work is not yet restored, this is the state from
  /// which it will be restored. Returns an empty state if there is nothing to save.
  [[nodiscard]] State own_state() const {
    const Batch units = work_ == nullptr ? Batch() : work_->units();
    if (units.empty()) {
      return state_;
    }
    NumbersArchive archive;
    work_->serialize(archive);
    return {work_->steps().done, units, archive.state()};
  }

  /// Returns how many batches this rank requests: 1 at first, then as many as will take about 20
  /// ms, judging by the duration of the share before. For more than 100 ranks this time is 0.2 ms
  /// times the number of ranks, so that the root receives at most about 5000 requests per second.
  [[nodiscard]] double wanted() const {
    const double seconds = std::max(0.02, 2e-4 * comm_.size());
    constexpr double most = 1e6;
    return std::clamp(seconds * static_cast<double>(share_.count) / (MPI_Wtime() - begun_), 1.0,
                      most);
  }

  /// Sends one message to the root.
  void report(Reason reason) {
    const Message message{reason, wanted(), std::exchange(records_.numbers(), {}), own_state()};
    parallel::send(comm_, packed(message), 0, to_root);
  }

  /// If a share consists of a saved state, removes this state from resumed_ and returns it. If it
  /// consists of batches or is empty, returns an empty state.
  State take_state(const Share& share) {
    return share.count > 0 && share.first < std::ssize(resumed_)
               ? std::exchange(resumed_[static_cast<std::size_t>(share.first)], {})
               : State();
  }

  /// Assigns and returns the next share: a saved state or, if none is left, up to `wanted` batches.
  /// There are at most packing.most_in_share of these batches. There are also at most half as many
  /// as each rank would get if all remaining batches were distributed equally, but at least one.
  /// Shares become small towards the end, so that the ranks finish at more nearly the same time.
  /// Returns an empty share if no task is left.
  Share take_share(double wanted) {
    const std::int64_t left = std::ssize(resumed_) + std::ssize(packing_.alone) - next_;
    const std::int64_t part = std::max<std::int64_t>(1, left / 2 / comm_.size());
    const std::int64_t most = next_ < std::ssize(resumed_) ? 1 : packing_.most_in_share;
    const Share share{next_, std::min({static_cast<std::int64_t>(wanted), part, left, most})};
    next_ += share.count;
    return share;
  }

  /// Marks this rank as stopped. The root also sends an empty share to each rank that may still
  /// compute.
  void stop() {
    if (std::exchange(is_stopped_, true)) {
      return;
    }
    for (const int rank : working_) {
      static constexpr std::array<double, 2> empty_share{};
      MPI_Request request = MPI_REQUEST_NULL;
      // MPI_Send might wait for the rank, and the rank for the root to receive a long message.
      parallel::check_mpi(
          MPI_Isend(empty_share.data(), 2, MPI_DOUBLE, rank, of_share, comm_.handle(), &request));
      parallel::check_mpi(MPI_Request_free(&request));
    }
  }

  /// Receives the messages that have arrived, and replies to each request with the next share.
  void serve() {
    for (int rank = MPI_ANY_SOURCE;
         !working_.empty() && parallel::has_arrived(comm_, rank, to_root); rank = MPI_ANY_SOURCE) {
      const auto message = unpacked<Message>(parallel::receive(comm_, rank, to_root));
      Records records(message.records);
      source_.take_all(records);
      State& state = states_[static_cast<std::size_t>(rank)];
      state = message.state;
      is_due_ = is_due_ || message.reason == Reason::is_due_by_steps;
      if (message.reason == Reason::stops) {
        stop();
      }
      Share share;
      if (message.reason == Reason::requests && !is_stopped_) {
        share = take_share(message.wanted);
        state = take_state(share);
        parallel::send(comm_, {static_cast<double>(share.first), static_cast<double>(share.count)},
                       rank, of_share);
      }
      if (message.reason >= Reason::requests && share.count == 0) {
        working_.erase(rank);
      }
    }
  }

  // a duplicate, so that this object receives only its own messages
  parallel::Communicator comm_;
  parallel::Communicator own_{MPI_COMM_SELF};  // A communicator of this rank alone.
  // PETSc derives a communicator from own_. Without this vector PETSc would create and free it
  // again for each work.
  parallel::Vector petsc_duplicate_{own_, 1};
  Source& source_;
  Due& due_;
  const Packing& packing_;
  // The saved states, from which works are to be resumed; initially the same on all ranks. A rank
  // empties a state when it takes it, and the root also when it assigns it.
  std::vector<State> resumed_;
  std::vector<State>& saved_;
  const Between& between_;
  std::unique_ptr<Work> work_;
  Share share_{0, 1};   // the latest share that this rank has got
  State state_;         // the saved state in share_, until the work is restored from it
  double begun_ = 0.0;  // the time at which share_ was received, in seconds
  Records records_;     // results not yet sent to the root; on the root, results not yet stored
  bool is_stopped_ = false;
  bool may_throw_ = false;  // Whether base::poll() may throw Stopped, because a work is computing.
  // The following members are used on the root only.
  std::int64_t next_ = 0;  // The index of the first task that is not yet assigned.
  // For each rank, the latest state that the root has received from it or assigned to it. Empty if
  // the rank has no state.
  std::vector<State> states_ = std::vector<State>(comm_.size());
  // The other ranks that may still send messages: those below tasks(), until the root has answered
  // a request with an empty share or, after a stop, has received one more request or their report.
  std::set<int> working_;
  bool is_due_ = false;  // whether a checkpoint is due by the steps of another rank's work
};

}  // namespace

bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between) {
  return Alone(comm, source, due, packing, saved, between).compute();
}

}  // namespace masing::campaign
