#include "campaign/alone.hpp"

#include <algorithm>
#include <utility>

#include "base/poll.hpp"
#include "parallel/phase.hpp"

namespace masing::campaign {

namespace {

// Tags of messages.
constexpr int to_root = 0;
constexpr int of_share = 1;

/// Serializes the state of a work of one rank into one array of doubles that can be sent.
class NumbersArchive final : public engine::Archive {
 public:
  /// For saving; the state is empty at first.
  NumbersArchive() = default;
  /// For restoring from `saved`.
  explicit NumbersArchive(std::vector<double> saved) : restores_(true), state_(std::move(saved)) {}

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

}  // namespace

Batch units_of(const State& state) {
  return {state.begin() + 2, state.begin() + 1 + static_cast<std::ptrdiff_t>(state.at(0))};
}

std::int64_t steps_of(const State& state) {
  return static_cast<std::int64_t>(state.at(1));
}

Alone::Alone(const parallel::Communicator& comm, Source& source, Due& due, const Packing& packing,
             const std::vector<State>& saved, Between between)
    : comm_(comm.handle()),
      own_(comm, comm.rank(), 1),
      petsc_duplicate_(own_, 1),
      source_(source),
      packing_(packing),
      between_(std::move(between)),
      due_(due),
      notice_(comm),
      saved_(saved.begin(), saved.end()),
      states_(static_cast<std::size_t>(comm.size())) {
  const auto batches = static_cast<std::int64_t>(packing.alone.size() + saved.size());
  takes_part_ = comm.rank() < batches;
  working_ = static_cast<int>(std::min<std::int64_t>(comm.size(), batches)) - 1;
}

bool Alone::make() {
  const base::Polling polling([this] {
    if (comm_.is_root()) {
      serve();
    }
    // Interrupt a computation only if it has no state to save: it is computed again later.
    if (may_throw_ && (work_ == nullptr || work_->units().empty()) && is_to_stop()) {
      throw base::Stopped("stopped");
    }
  });
  try {
    while (next()) {
      make_work();
    }
  } catch (const base::Stopped&) {
    is_stopped_ = true;
  } catch (const base::UserError& error) {
    mistake_ = error;
    is_stopped_ = true;
    notice_.send(1);
  }
  may_throw_ = false;
  if (comm_.is_root()) {
    source_.take_all(records_);
  } else if (takes_part_ && is_stopped_) {
    exchange(Report::is_stopped);
  }
  while (comm_.is_root() && working_ > 0) {
    parallel::sleep_until([this] {
      int any = MPI_ANY_SOURCE;
      return parallel::has_arrived(comm_, any, to_root) || (!is_stopped_ && due_.by_clock());
    });
    look();
  }
  notice_.drain();
  parallel::throw_first(comm_, mistake_);
  return parallel::min_over_ranks(comm_, is_stopped_ ? 0 : 1) == 1;
}

/// Gets the next share. Returns false if there is none or a stop was requested.
bool Alone::next() {
  if (comm_.is_root()) {
    look();
  }
  if (!takes_part_ || is_to_stop()) {
    return false;
  }
  share_ = comm_.is_root() ? take_share(wanted()) : exchange(Report::asks);
  state_.assign(share_.begin() + 2, share_.end());
  begun_ = MPI_Wtime();
  return share_[1] > 0 || !state_.empty();
}

/// Computes the work of the share. If it is stopped, its state is in work_ or, before the work was
/// restored from it, in state_.
void Alone::make_work() {
  Batch units;
  for (auto i = static_cast<std::size_t>(share_[0]);
       i < static_cast<std::size_t>(share_[0] + share_[1]); ++i) {
    const Batch& batch = packing_.alone[i];
    units.insert(units.end(), batch.begin(), batch.end());
  }
  may_throw_ = true;
  work_ = source_.begin(own_, state_.empty() ? units : units_of(state_));
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
void Alone::look() {
  if (comm_.is_root()) {
    source_.take_all(records_);
    serve();
  }
  const bool is_due = !is_to_stop() && (is_due_ || due_.is_now(work_.get()));
  if (comm_.is_root()) {
    const std::vector<State> due = is_due ? states() : std::vector<State>();
    between_(work_.get(), is_due ? &due : nullptr);
    is_due_ = is_due_ && !is_due;
  } else if (is_due) {
    report(due_.by_clock() ? Report::goes_on : Report::is_due);
  }
  if (is_due) {
    due_.saved(work_.get());
  }
}

bool Alone::is_to_stop() {
  is_stopped_ = is_stopped_ || parallel::stop_requested() || notice_.cause() != 0;
  return is_stopped_;
}

/// The state of this rank's work; empty where it has none.
State Alone::own_state() const {
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
double Alone::wanted() const {
  const double seconds = std::max(0.02, 2e-4 * comm_.size());
  constexpr double most = 1e6;
  return share_.empty() ? 1.0 : std::clamp(seconds * share_[1] / (MPI_Wtime() - begun_), 1.0, most);
}

/// Sends one message to the root: the kind of report, the number of batches that this rank wants,
/// the size of its results, its results, and the state of its work.
void Alone::report(Report what) {
  const std::vector<double> records = std::exchange(records_.numbers(), {});
  const State state = own_state();
  std::vector<double> message{static_cast<double>(what), wanted(),
                              static_cast<double>(records.size())};
  message.insert(message.end(), records.begin(), records.end());
  message.insert(message.end(), state.begin(), state.end());
  parallel::send(comm_, message, 0, to_root);
}

/// Reports to the root and returns the share that it gives.
Alone::Share Alone::exchange(Report what) {
  report(what);
  int root = 0;
  parallel::sleep_until([&] { return parallel::has_arrived(comm_, root, of_share); });
  return parallel::receive(comm_, root, of_share);
}

/// Returns a saved state; or, if none is left, the next batches, at most half of an equal share of
/// the rest, so that all ranks end at about the same time. Returns the end if no batch is left or
/// after a stop.
Alone::Share Alone::take_share(double wanted) {
  Share share{0.0, 0.0};
  if (is_stopped_) {
    return share;
  }
  if (!saved_.empty()) {
    share.insert(share.end(), saved_.front().begin(), saved_.front().end());
    saved_.pop_front();
    return share;
  }
  const std::int64_t left = std::ssize(packing_.alone) - next_;
  const std::int64_t part = std::max<std::int64_t>(1, left / 2 / comm_.size());
  const std::int64_t count =
      std::min({static_cast<std::int64_t>(wanted), part, left, packing_.most_in_share});
  share = {static_cast<double>(next_), static_cast<double>(count)};
  next_ += count;
  return share;
}

/// Receives the reports that have arrived, and replies to each request with the next share.
void Alone::serve() {
  for (int rank = MPI_ANY_SOURCE; working_ > 0 && parallel::has_arrived(comm_, rank, to_root);
       rank = MPI_ANY_SOURCE) {
    const std::vector<double> message = parallel::receive(comm_, rank, to_root);
    const auto what = static_cast<Report>(static_cast<int>(message[0]));
    const auto end = message.begin() + 3 + static_cast<std::ptrdiff_t>(message[2]);
    Records records({message.begin() + 3, end});
    source_.take_all(records);
    State& state = states_[static_cast<std::size_t>(rank)];
    state.assign(end, message.end());
    is_due_ = is_due_ || what == Report::is_due;
    is_stopped_ = is_stopped_ || what == Report::is_stopped;
    if (what == Report::asks || what == Report::is_stopped) {
      const Share share = what == Report::asks ? take_share(message[1]) : Share{0.0, 0.0};
      parallel::send(comm_, share, rank, of_share);
      if (what == Report::asks) {
        state.assign(share.begin() + 2, share.end());
      }
      working_ -= share[1] == 0.0 && share.size() == 2 ? 1 : 0;
    }
  }
}

std::vector<State> Alone::states() const {
  std::vector<State> all = states_;
  all.push_back(own_state());
  all.insert(all.end(), saved_.begin(), saved_.end());
  std::erase_if(all, [](const State& state) { return state.empty(); });
  return all;
}

}  // namespace masing::campaign
