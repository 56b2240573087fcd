#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/time_loop.hpp"
#include "io/hdf5.hpp"
#include "io/result_file.hpp"
#include "io/specs.hpp"

namespace masing::io {

/// What has a state to save: an engine and the observers of its run, always in the same order.
struct Participants {
  engine::Engine* engine = nullptr;  ///< null where the run is done and will not step again
  std::vector<engine::Observer*> observers;
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

/// What a run that was stopped says of its checkpoint: "; the same with restart = FILE goes on", or
/// that there is none. Local.
std::string restart_advice(const CheckpointSpec& spec);

/// Write a checkpoint of a study or a scan, with the state that `serialize` hands to an archive.
/// Throws SystemError, also where there is no room. Collective.
void write_state(const parallel::Communicator& comm, const std::string& path,
                 const ResultSpec& result, const std::function<void(engine::Archive&)>& serialize);

/// Hand what write_state wrote to `serialize`. Throws UserError alike on all ranks where the file
/// is damaged or another's. Collective.
void read_state(const parallel::Communicator& comm, const std::string& path,
                const std::function<void(engine::Archive&)>& serialize);

/// The files that a checkpoint in `path` is written as: FILE and its temporary file. Local.
std::vector<std::string> files_of_checkpoint(const std::string& path);

/// Remove FILE and its temporary file, where they are there. Collective.
void remove_checkpoint(const parallel::Communicator& comm, const std::string& path);

/// Throws UserError alike on all ranks where the disks have no room for the result file of a run in
/// `path` and for its checkpoints; or, without a path, the memory none for its image. Collective.
void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint);

/// The checkpoints of a run, each to the same FILE: written as FILE.draft, sealed (io/sealed_file),
/// on the disk, then renamed, so that FILE is always a whole one. A checkpoint is an HDF5 file with
/// what the run is (/configuration), and a group /checkpoint: its attributes `format` and `step`,
/// which says how many rows count, of a trajectory the path of the file that has them and the id of
/// its run, the numbers of engine and observers, and the arrays split over the ranks.
struct Saving {
  CheckpointSpec spec;
  ResultSpec result;
  Participants participants;
  /// Puts into an open checkpoint what is said of the rows, when the participants have written what
  /// they had to. Collective.
  std::function<void(const Handle&)> add = {};
};

/// The first step after `step`, of a run of `steps`, at which a checkpoint is due. Local.
std::int64_t next_checkpoint(const CheckpointSpec& spec, std::int64_t steps, std::int64_t step);

/// Save the run as it is after step `step`. Throws SystemError, also where there is no room.
/// Collective.
void save(const parallel::Communicator& comm, const Saving& saving, std::int64_t step);

/// Advance a run of `steps` to its end, saved where that is due, by steps or by the root's clock,
/// and where it is stopped. Throws Stopped alike on all ranks, as engine::integrate. Collective.
void integrate(const parallel::Communicator& comm, const Saving& saving, std::int64_t steps,
               engine::TimeLoop& loop);

/// Bring the participants to the state in a checkpoint of a run of `steps`, and return its step.
/// Throws UserError, naming `path`, where it is another run's, or of another format. Collective.
std::int64_t resume(const parallel::Communicator& comm, const std::string& path, std::int64_t steps,
                    const Participants& participants);

}  // namespace masing::io
