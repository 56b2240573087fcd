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

/// The state of a work that one rank has alone: its step, its units, and what it serializes.
using State = std::vector<double>;

/// The units of a state. Local.
Batch units_of(const State& state);
/// The step of its finest run. Local.
std::int64_t steps_of(const State& state);

/// Makes batches by single ranks, which never meet. The root gives each rank that asks for work the
/// next batches, as many as take it some 20 ms, or the state of a work to be resumed. Each rank
/// sends the records of the units that are done and, where a checkpoint is due or it is to stop,
/// the state of its work to the root, which writes without the others. The root makes works, too,
/// and looks for messages between their windows and in base::poll().
class Alone {
 public:
  /// Called on the root between windows, with its work, if it has one, and whether a checkpoint is
  /// due. Local.
  using Between = std::function<void(const Work* work, bool is_due)>;

  /// `saved`: the states of works to be resumed, alike on all ranks. `source` and `packing` must
  /// outlive the object. Collective.
  Alone(const parallel::Communicator& comm, Source& source, const io::CheckpointSpec& checkpoint,
        const Packing& packing, const std::vector<State>& saved, Between between);

  /// Returns true when all batches are made, and false where a stop was requested; then states()
  /// has what is to be saved. Throws the UserError of the lowest rank that has one, alike on all
  /// ranks. Collective.
  bool make();
  /// The states of the works in progress of all ranks, and of those that are not resumed yet. On
  /// the root. Local.
  [[nodiscard]] std::vector<State> states() const;

 private:
  enum class Report : int { asks, goes_on, is_due, is_stopped };
  /// The first of some batches and their number, then a state to be resumed instead of them; the
  /// end of the work where there is neither.
  using Share = std::vector<double>;

  bool next();
  void make_work();
  void look();
  void report(Report what);
  Share exchange(Report what);
  [[nodiscard]] double wanted() const;
  [[nodiscard]] bool is_to_stop();
  [[nodiscard]] State own_state() const;
  [[nodiscard]] std::int64_t count() const;
  Share take_share(double wanted);
  void serve();
  void take(Records& records);

  parallel::Communicator comm_;       // a duplicate: no other message can match
  parallel::Communicator own_;        // this rank
  parallel::Vector petsc_duplicate_;  // keeps PETSc's duplicate of own_ from one work to the next
  Source& source_;
  const Packing& packing_;
  Between between_;
  Due due_;
  parallel::StopNotice notice_;             // that a rank has met a mistake
  std::optional<base::UserError> mistake_;  // that this rank met
  std::unique_ptr<Work> work_;
  Share share_;         // of this rank
  State state_ = {};    // that it is resumed from, until it is
  double begun_ = 0.0;  // when the share began
  Records records_;     // that the root has not got
  bool is_stopped_ = false;
  bool takes_part_;         // there are enough batches
  bool may_throw_ = false;  // base::poll(): this rank computes, and writes no checkpoint
  // Of the root:
  std::deque<State> saved_;
  std::int64_t next_ = 0;      // the first batch that is not dealt out
  std::vector<State> states_;  // the last of each rank
  int working_;                // others that take part and have not got the end
  bool is_due_ = false;        // a checkpoint, by the steps of another rank
};

}  // namespace masing::campaign
