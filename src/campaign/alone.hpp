#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "campaign/campaign.hpp"
#include "campaign/due.hpp"
#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::campaign {

/// The serialized state of a work on one rank: the length of a head, the head (its step and its
/// units), and the numbers that the work serializes.
using State = std::vector<double>;

/// The units of a state. Local.
Batch units_of(const State& state);
/// The step of a state, of the run with the most steps. Local.
std::int64_t steps_of(const State& state);

/// Computes batches on single ranks with dynamic load balancing; the root is manager and worker. It
/// replies to a request for work with the next batches, enough for about 20 ms, or with the saved
/// state of a work to resume. A rank sends the results of completed units with each message, and
/// the state of its work when a checkpoint is due or when it stops. The root writes checkpoints
/// without the other ranks. It receives messages between the windows of its own work and in
/// base::poll(). The ranks synchronise only in the constructor and at the end of make().
class Alone {
 public:
  /// Called on the root between windows with its work, or null if it has none, and with the states
  /// of all works in progress if a checkpoint has to be written now, else null. Local.
  using Between = std::function<void(const Work* work, const std::vector<State>* due)>;

  /// `saved`: the states of works to be resumed, alike on all ranks. `source`, `due` and `packing`
  /// must outlive the object. Collective.
  Alone(const parallel::Communicator& comm, Source& source, Due& due, const Packing& packing,
        const std::vector<State>& saved, Between between);

  /// Computes the batches. Returns true if all are completed, and false if a stop was requested;
  /// states() then returns what has to be saved. If any rank met a UserError, throws that of the
  /// lowest such rank on all ranks. Collective.
  bool make();
  /// The present state of the root's work, the last state received from each other rank, and the
  /// saved states that are not yet assigned. On the root. Local.
  [[nodiscard]] std::vector<State> states() const;

 private:
  /// Why a rank sends a message: it requests work; its state is due by the clock; a checkpoint is
  /// due by its steps, so that the root has to write one; it stops.
  enum class Report : int { asks, goes_on, is_due, is_stopped };
  /// The root's reply: the index of the first batch, the number of batches, and the state of a work
  /// to resume instead of batches. If it contains neither, no work is left for this rank.
  using Share = std::vector<double>;

  bool next();
  void make_work();
  void look();
  void report(Report what);
  Share exchange(Report what);
  [[nodiscard]] double wanted() const;
  [[nodiscard]] bool is_to_stop();
  [[nodiscard]] State own_state() const;
  Share take_share(double wanted);
  void serve();

  parallel::Communicator comm_;       // a duplicate: no other message can match
  parallel::Communicator own_;        // this rank alone
  parallel::Vector petsc_duplicate_;  // keeps PETSc's inner communicator of own_ alive
  Source& source_;
  const Packing& packing_;
  Between between_;
  Due& due_;
  parallel::StopNotice notice_;             // tells all ranks that one has met a UserError
  std::optional<base::UserError> mistake_;  // the UserError that this rank met
  std::unique_ptr<Work> work_;
  Share share_;         // the last reply of the root to this rank
  State state_ = {};    // a received state, until the work is restored from it
  double begun_ = 0.0;  // when the share was received, s
  Records records_;     // results that are not yet sent to the root
  bool is_stopped_ = false;
  bool takes_part_;         // false on ranks beyond the number of batches
  bool may_throw_ = false;  // base::poll() may throw Stopped: a work of this rank is computing
  // Of the root:
  std::deque<State> saved_;
  std::int64_t next_ = 0;      // the first batch that is not yet assigned
  std::vector<State> states_;  // the last state received from each rank
  int working_;                // number of other ranks that still expect work
  bool is_due_ = false;        // a checkpoint is due by the steps of another rank
};

}  // namespace masing::campaign
