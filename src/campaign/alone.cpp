#include "campaign/alone.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "parallel/phase.hpp"
#include "parallel/stop.hpp"

namespace masing::campaign {

namespace {

// The tags of the MPI messages to the root and of the root's replies.
constexpr int to_root = 0;
constexpr int of_share = 1;

/// The reason why a rank sends a message to the root. `is_due`: a checkpoint is due by the clock;
/// the root, whose clock shows this a little later, will store the state of the rank's work in it.
/// `requests`: the rank requests a share. `stops`: the rank stops, and with it the campaign.
enum class Reason : int { is_due, requests, stops };

/// A message to the root. The root replies to a request with a share: a State of the work that the
/// rank has to compute. The share has no units if nothing is left or the campaign stops.
///
/// Each rank but the root gets exactly one empty share. When the campaign stops, the root sends it
/// to all ranks that have not got it, and answers no request afterwards. A rank that has requested
/// a share takes it as the reply. A rank that computes finds it between two windows or in
/// base::poll(), reports that it stops, and ends. A rank that stops by itself reports it first and
/// then waits for the empty share. Thus no message is left at the end.
struct Message {
  Reason reason = Reason::requests;
  std::vector<double> records = {};  ///< the numbers of its Records
  State state = {};                  ///< of its work

  void fields(engine::Archive& archive) {
    archive.scalars("reason", reason);
    archive.numbers("records", records);
    state.fields(archive);
  }
};

/// The implementation of compute_alone().
class Alone {
 public:
  Alone(const parallel::Communicator& comm, Source& source, Due& due, const Packing& packing,
        std::vector<State>& saved, const Between& between)
      : comm_(comm.handle()),
        source_(source),
        due_(due),
        left_(saved.begin(), saved.end()),
        saved_(saved),
        between_(between) {
    for (const Batch& batch : packing.alone) {
      left_.push_back({.units = batch});
    }
    saved_.clear();
    for (int rank = 1; comm_.is_root() && rank < comm_.size(); ++rank) {
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
    } else if (is_stopped_) {
      report(Reason::stops);
      if (!has_ended_) {
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
  /// that are not yet assigned. On other ranks the result is incomplete and is not used. A State
  /// without numbers is that of a work which has not begun and is left out. Local.
  [[nodiscard]] std::vector<State> states() const {
    std::vector<State> all = states_;
    all.push_back(own_state());
    all.insert(all.end(), left_.begin(), left_.end());
    std::erase_if(all, [](const State& state) { return state.numbers.empty(); });
    return all;
  }

  /// Gets the next share and stores it in state_: the root takes it, another rank requests it from
  /// the root. Returns false if nothing is left to compute or a stop was requested.
  bool next() {
    if (comm_.is_root()) {
      between_windows();
    }
    if (is_to_stop()) {
      return false;
    }
    if (comm_.is_root()) {
      state_ = take_share();
    } else {
      report(Reason::requests);
      state_ = receive_share();
    }
    return !state_.units.empty();
  }

  /// Waits for a share from the root and returns it.
  State receive_share() {
    int root = 0;
    parallel::sleep_until([&] { return parallel::has_arrived(comm_, root, of_share); });
    auto share = unpacked<State>(parallel::receive(comm_, root, of_share));
    has_ended_ = share.units.empty();
    return share;
  }

  /// Computes the work of the share in state_. Throws Stopped if a stop is requested before the
  /// work is completed; own_state() then returns the state of the work.
  void compute_work() {
    may_throw_ = true;
    work_ = source_.begin(own_, state_.units);
    may_throw_ = false;
    if (!state_.numbers.empty()) {
      // The archive restores from a copy of state_. A stop may be requested meanwhile, so state_
      // itself is kept until the work is restored.
      NumbersArchive archive(state_.numbers);
      work_->serialize(archive);
    }
    state_ = {};
    while (!work_->is_done()) {
      between_windows();
      if (is_to_stop()) {
        throw base::Stopped("stopped");
      }
      may_throw_ = true;
      work_->advance(engine::never, engine::Pause::none, records_);
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
    const bool is_due = !is_to_stop() && due_.is_now();
    if (comm_.is_root()) {
      saved_ = is_due ? states() : std::vector<State>();
      between_(work_.get(), is_due);
      saved_.clear();
    } else if (is_due) {
      report(Reason::is_due);
    }
    if (is_due) {
      due_.schedule();
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

  /// Returns the state of this rank's work. If the work is not yet restored, this is the share from
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

  /// Sends one message to the root.
  void report(Reason reason) {
    const Message message{reason, std::exchange(records_.numbers(), {}), own_state()};
    parallel::send(comm_, packed(message), 0, to_root);
  }

  /// Removes the next share from left_ and returns it. Returns an empty share if nothing is left.
  State take_share() {
    if (left_.empty()) {
      return {};
    }
    State share = std::move(left_.front());
    left_.pop_front();
    return share;
  }

  /// Marks this rank as stopped. The root also sends an empty share to each rank that may still
  /// compute.
  void stop() {
    if (std::exchange(is_stopped_, true)) {
      return;
    }
    for (const int rank : working_) {
      static const std::vector<double> empty_share = packed(State());
      MPI_Request request = MPI_REQUEST_NULL;
      // MPI_Send might wait for the rank, and the rank for the root to receive a long message.
      parallel::check_mpi(MPI_Isend(empty_share.data(), static_cast<int>(empty_share.size()),
                                    MPI_DOUBLE, rank, of_share, comm_.handle(), &request));
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
      if (message.reason == Reason::stops) {
        stop();
      }
      if (message.reason == Reason::requests && !is_stopped_) {
        state = take_share();
        parallel::send(comm_, packed(state), rank, of_share);
      }
      if (message.reason != Reason::is_due && (is_stopped_ || state.units.empty())) {
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
  // On the root, the shares that are not yet assigned: first the saved states, then the batches.
  std::deque<State> left_;
  std::vector<State>& saved_;
  const Between& between_;
  std::unique_ptr<Work> work_;
  State state_;             // the share of this rank, until its work has begun and is restored
  Records records_;         // results not yet sent to the root; on the root, results not yet stored
  bool has_ended_ = false;  // whether the empty share of this rank has arrived
  bool is_stopped_ = false;
  bool may_throw_ = false;  // Whether base::poll() may throw Stopped, because a work is computing.
  // The following members are used on the root only.
  // For each rank, the latest state that the root has received from it or assigned to it. Empty if
  // the rank has no state.
  std::vector<State> states_ = std::vector<State>(comm_.size());
  // The other ranks that may still send messages: all, until the root has answered a request with
  // an empty share or, after a stop, has received one more request or their report.
  std::set<int> working_;
};

}  // namespace

bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between) {
  return Alone(comm, source, due, packing, saved, between).compute();
}

}  // namespace masing::campaign
