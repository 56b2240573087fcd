#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/time_loop.hpp"
#include "io/hdf5.hpp"
#include "io/result_file.hpp"

namespace masing::io {

/// What has a state to save: an engine and the observers of its run, always in the same order.
struct Participants {
  engine::Engine* engine = nullptr;  ///< null where the run is done and will not step again
  std::vector<engine::Observer*> observers;
};

/// The checkpoints of a run or a study.
struct CheckpointSpec {
  std::string path;        ///< FILE
  bool scheduled = false;  ///< written while the run goes on, too, not only where it is stopped
  std::int64_t every = 0;  ///< steps from one to the next where scheduled; 0: every ten minutes
  std::optional<std::string> restart;  ///< the checkpoint to go on with
};

/// Keeps other runs from writing the result and the checkpoint of this one, and refuses to replace
/// files that masing did not write, also at the path of an unscheduled checkpoint.
class RunLocks {
 public:
  /// Throws UserError alike on all ranks, as OutputLock does. Collective.
  RunLocks(const parallel::Communicator& comm, const std::string& result,
           const CheckpointSpec& checkpoint);

 private:
  OutputLock result_;
  std::optional<OutputLock> checkpoint_;
};

/// What one that was stopped before its first step says.
inline constexpr const char* nothing_lost = "; nothing is lost: give the same command";

/// What a run that was stopped says of its checkpoint: "; the same with restart = FILE goes on".
/// Local.
std::string restart_advice(const CheckpointSpec& spec);

/// Write FILE of a checkpoint with what it is of and what `add` puts into the open draft; sealed,
/// on the disk, then renamed. Collective.
void write_checkpoint(const parallel::Communicator& comm, const std::string& path,
                      const Recipe& recipe, const std::function<void(const Handle&)>& add = {});

/// Write FILE of a checkpoint with what it is of and the state that `serialize` hands to an
/// archive; sealed, on the disk, then renamed. Throws SystemError, also where there is no room.
/// Collective.
void write_state(const parallel::Communicator& comm, const std::string& path, const Recipe& recipe,
                 const std::function<void(engine::Archive&)>& serialize);

/// Hand what write_state wrote to `serialize`. Throws UserError alike on all ranks where the file
/// is damaged or another's. Collective.
void read_state(const parallel::Communicator& comm, const std::string& path,
                const std::function<void(engine::Archive&)>& serialize);

/// The files that a checkpoint in `path` is written as: itself and its draft. Local.
std::vector<std::string> files_of_checkpoint(const std::string& path);

/// Remove FILE and its draft, where they are there. Collective.
void remove_checkpoint(const parallel::Communicator& comm, const std::string& path);

/// Remove the unscheduled checkpoint that a stopped run has left, once the run is done. Collective.
void remove_unscheduled(const parallel::Communicator& comm, const CheckpointSpec& spec);

/// From one checkpoint to the next, where none is due by steps.
inline constexpr std::chrono::seconds checkpoint_distance{600};

/// Makes the checkpoints of a run, each to the same FILE: written as FILE.draft, sealed
/// (io/sealed_file), on the disk, then renamed, so that FILE is always a whole one. A checkpoint is
/// an HDF5 file with what the run is (/configuration), of a trajectory the mark of the file that
/// has its rows, and a group /checkpoint: its attributes `format` and `step`, which says how many
/// rows count, the numbers of engine and observers, and the arrays split over the ranks.
class Checkpoints {
 public:
  /// Of a run of `steps`, to `path`, due as `spec` says and, where scheduled, at step N. `begin`
  /// makes the HDF5 file of that name without /checkpoint, when the participants have written what
  /// they had to. All but `spec` must outlive the object.
  Checkpoints(const parallel::Communicator& comm, std::string path, const CheckpointSpec& spec,
              std::int64_t steps, Participants participants,
              std::function<void(const std::string& draft)> begin);

  /// The first step after `step` at which one is due. The same on every rank. Local.
  [[nodiscard]] std::int64_t next_step(std::int64_t step) const;
  /// When one is due by the clock of this rank; the root's counts. Local.
  [[nodiscard]] engine::TimeLoop::Clock::time_point next_time() const;
  /// Save the run as it is after step `step`. Collective.
  void write(std::int64_t step);
  /// Advance a run to its end, saved where that is due and where it is stopped. Throws Stopped
  /// alike on all ranks, as engine::integrate. Collective.
  void integrate(engine::TimeLoop& loop);

 private:
  const parallel::Communicator& comm_;
  std::string path_;
  std::int64_t every_;             // steps
  std::chrono::seconds distance_;  // of the clock; 0: none
  std::int64_t last_step_;
  Participants participants_;
  std::function<void(const std::string&)> begin_;
  engine::TimeLoop::Clock::time_point last_;
};

/// Throws SystemError where the disk has no room for a checkpoint of so many bytes beside `path`:
/// where HDF5 finds that out on one rank, others wait in it for ever. Local.
void require_room(const std::string& path, double bytes);

/// The step of the checkpoint in an open file, of a run of `steps`. Throws UserError, naming
/// `path`, where there is none, or one of another format. Local.
std::int64_t checkpoint_step(const Handle& file, const std::string& path, std::int64_t steps);

/// Bring the participants to the state in an open file, a checkpoint of that step. Throws
/// UserError, naming `path`, where it is another run's. Collective on the file's ranks.
void restore(const Handle& file, const std::string& path, std::int64_t step,
             const Participants& participants);

}  // namespace masing::io
