#include "campaign/alone.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::campaign {

namespace {

// Tags of messages.
constexpr int to_root = 0;
constexpr int of_share = 1;

/// Why a rank sends a message: it requests work; its state is due by the clock; a checkpoint is due
/// by its steps, so that the root has to write one; it stops, and expects no reply.
enum class Reason : int { requests, is_due_by_clock, is_due_by_steps, stops };

/// The root's reply: consecutive tasks; none if no work is left for this rank. The tasks are the
/// saved states and then the batches; a share has one state or some batches.
struct Share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The state of compute_alone().
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
        between_(between) {}

  bool make() {
    const base::Polling polling([this] {
      if (comm_.is_root()) {
        serve();
      }
      // Interrupt a computation only if it has no state to save: it is computed again later.
      if (may_throw_ && (work_ == nullptr || work_->units().empty()) && is_to_stop()) {
        throw base::Stopped("stopped");
      }
    });
    std::optional<base::UserError> mistake;
    try {
      while (next()) {
        make_work();
      }
    } catch (const base::Stopped&) {
      is_stopped_ = true;
    } catch (const base::UserError& error) {
      mistake = error;
      is_stopped_ = true;
      notice_.send(1);  // the other ranks stop, too
    }
    may_throw_ = false;
    if (!comm_.is_root() && comm_.rank() < tasks() && is_stopped_) {
      report(Reason::stops);
    } else if (comm_.is_root()) {
      for (look(); working_ > 0; look()) {
        parallel::sleep_until([this] {
          int any = MPI_ANY_SOURCE;
          return parallel::has_arrived(comm_, any, to_root) || (!is_stopped_ && due_.by_clock());
        });
      }
    }
    notice_.drain();
    parallel::throw_first(comm_, mistake);
    const bool is_done = parallel::min_over_ranks(comm_, is_stopped_ ? 0 : 1) == 1;
    saved_ = is_done ? std::vector<State>() : states();
    return is_done;
  }

 private:
  /// The present state of the root's work, the last state received from each other rank, and the
  /// states to be resumed that are not yet assigned. On the root. Local.
  [[nodiscard]] std::vector<State> states() const {
    std::vector<State> all = states_;
    all.push_back(own_state());
    all.insert(all.end(), resumed_.begin() + std::min(next_, std::ssize(resumed_)), resumed_.end());
    std::erase_if(all, [](const State& state) { return state.empty(); });
    return all;
  }

  /// The number of tasks; ranks beyond it send no message.
  [[nodiscard]] std::int64_t tasks() const {
    return std::ssize(resumed_) + std::ssize(packing_.alone);
  }

  /// Gets the next share. Returns false if there is none or a stop was requested.
  bool next() {
    if (comm_.is_root()) {
      look();
    }
    if (comm_.rank() >= tasks() || is_to_stop()) {
      return false;
    }
    if (comm_.is_root()) {
      share_ = take_share(wanted());
    } else {
      report(Reason::requests);
      int root = 0;
      parallel::sleep_until([&] { return parallel::has_arrived(comm_, root, of_share); });
      const std::vector<double> reply = parallel::receive(comm_, root, of_share);
      share_ = {static_cast<std::int64_t>(reply[0]), static_cast<std::int64_t>(reply[1])};
    }
    state_ = take_state(share_);
    begun_ = MPI_Wtime();
    return share_.count > 0;
  }

  /// Computes the work of the share. If it is stopped, its state is in work_ or, before the work
  /// was restored from it, in state_.
  void make_work() {
    Batch units = state_.empty() ? Batch() : units_of(state_);
    for (auto i = share_.first; state_.empty() && i < share_.first + share_.count; ++i) {
      const Batch& batch = packing_.alone[static_cast<std::size_t>(i - std::ssize(resumed_))];
      units.insert(units.end(), batch.begin(), batch.end());
    }
    may_throw_ = true;
    work_ = source_.begin(own_, units);
    may_throw_ = false;
    if (!state_.empty()) {
      NumbersArchive archive(state_);  // kept until it is restored: a stop may come before
      std::vector<double> head;
      archive.numbers("head", head);
      work_->serialize(archive);
      state_.clear();
    }
    due_.begin(work_.get());
    while (!work_->is_done()) {
      look();
      if (is_to_stop()) {
        throw base::Stopped("stopped");
      }
      may_throw_ = true;
      work_->advance(due_.next_step(), engine::Pause::none, records_);
      may_throw_ = false;
    }
    work_.reset();
  }

  /// Between two windows: gives results to the source (root) and writes the checkpoint (root) or
  /// sends the state (others) if one is due. The root also answers messages.
  void look() {
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

  bool is_to_stop() {
    is_stopped_ = is_stopped_ || parallel::stop_requested() || notice_.cause() != 0;
    return is_stopped_;
  }

  /// The state of this rank's work; empty where it has none.
  [[nodiscard]] State own_state() const {
    const Batch units = work_ == nullptr ? Batch() : work_->units();
    if (units.empty()) {
      return state_;
    }
    NumbersArchive archive;
    std::vector<double> head{static_cast<double>(work_->steps().done)};
    head.insert(head.end(), units.begin(), units.end());
    archive.numbers("head", head);
    work_->serialize(archive);
    return archive.state();
  }

  /// The number of batches that take this rank 20 ms, or 0.2 ms for each rank if that is more, so
  /// that the root gets at most about 5000 requests per second.
  [[nodiscard]] double wanted() const {
    const double seconds = std::max(0.02, 2e-4 * comm_.size());
    constexpr double most = 1e6;
    return share_.count == 0
               ? 1.0
               : std::clamp(seconds * static_cast<double>(share_.count) / (MPI_Wtime() - begun_),
                            1.0, most);
  }

  /// Sends one message to the root: the reason, the number of batches that this rank wants, the
  /// size of its results, its results, and the state of its work.
  void report(Reason reason) {
    const std::vector<double> records = std::exchange(records_.numbers(), {});
    std::vector<double> message{static_cast<double>(reason), wanted(),
                                static_cast<double>(records.size())};
    for (const auto& part : {records, own_state()}) {
      message.insert(message.end(), part.begin(), part.end());
    }
    parallel::send(comm_, message, 0, to_root);
  }

  /// Moves the state of a share out of resumed_; empty if the share has batches or nothing.
  State take_state(const Share& share) {
    return share.count > 0 && share.first < std::ssize(resumed_)
               ? std::exchange(resumed_[static_cast<std::size_t>(share.first)], {})
               : State();
  }

  /// Returns a state to be resumed; or, if none is left, the next batches, at most half of an equal
  /// share of the rest, so that all ranks end at about the same time. Returns nothing if no batch
  /// is left or after a stop.
  Share take_share(double wanted) {
    const std::int64_t left = std::ssize(resumed_) + std::ssize(packing_.alone) - next_;
    const std::int64_t part = std::max<std::int64_t>(1, left / 2 / comm_.size());
    const std::int64_t most = next_ < std::ssize(resumed_) ? 1 : packing_.most_in_share;
    const Share share{
        next_, is_stopped_ ? 0 : std::min({static_cast<std::int64_t>(wanted), part, left, most})};
    next_ += share.count;
    return share;
  }

  /// Receives the messages that have arrived, and replies to each request with the next share.
  void serve() {
    for (int rank = MPI_ANY_SOURCE; working_ > 0 && parallel::has_arrived(comm_, rank, to_root);
         rank = MPI_ANY_SOURCE) {
      const std::vector<double> message = parallel::receive(comm_, rank, to_root);
      const auto reason = static_cast<Reason>(static_cast<int>(message[0]));
      const auto end = message.begin() + 3 + static_cast<std::ptrdiff_t>(message[2]);
      Records records({message.begin() + 3, end});
      source_.take_all(records);
      State& state = states_[static_cast<std::size_t>(rank)];
      state.assign(end, message.end());
      is_due_ = is_due_ || reason == Reason::is_due_by_steps;
      is_stopped_ = is_stopped_ || reason == Reason::stops;
      working_ -= reason == Reason::stops ? 1 : 0;
      if (reason == Reason::requests) {
        const Share share = take_share(message[1]);
        state = take_state(share);
        parallel::send(comm_, {static_cast<double>(share.first), static_cast<double>(share.count)},
                       rank, of_share);
        working_ -= share.count == 0 ? 1 : 0;
      }
    }
  }

  parallel::Communicator comm_;                         // a duplicate: no other message can match
  parallel::Communicator own_{comm_, comm_.rank(), 1};  // this rank alone
  parallel::Vector petsc_duplicate_{own_, 1};  // keeps PETSc's inner communicator of own_ alive
  Source& source_;
  Due& due_;
  const Packing& packing_;
  std::vector<State> resumed_;  // states to be resumed, alike on all ranks until they are taken
  std::vector<State>& saved_;
  const Between& between_;
  parallel::StopNotice notice_{comm_};  // tells all ranks that one has met a UserError
  std::unique_ptr<Work> work_;
  Share share_;         // the last reply of the root to this rank
  State state_;         // a state to be resumed, until the work is restored from it
  double begun_ = 0.0;  // when the share was received, s
  Records records_;     // results that are not yet sent to the root
  bool is_stopped_ = false;
  bool may_throw_ = false;  // base::poll() may throw Stopped: a work of this rank is computing
  // Of the root:
  std::int64_t next_ = 0;  // the first task that is not yet assigned
  std::vector<State> states_ = std::vector<State>(comm_.size());  // last received, by rank
  // The number of other ranks that still expect work.
  std::int64_t working_ = std::min<std::int64_t>(comm_.size(), tasks()) - 1;
  bool is_due_ = false;  // a checkpoint is due by the steps of another rank
};

}  // namespace

Batch units_of(const State& state) {
  return {state.begin() + 2, state.begin() + 1 + static_cast<std::ptrdiff_t>(state.at(0))};
}

std::int64_t steps_of(const State& state) {
  return static_cast<std::int64_t>(state.at(1));
}

bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between) {
  return Alone(comm, source, due, packing, saved, between).make();
}

}  // namespace masing::campaign
