#pragma once

#include <string>

#include "engine/run_spec.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

// Checks that disk space and memory suffice for the files of a run.

namespace masing::io {

/// The disk space that a result file and a checkpoint need, and advice for the user how to reduce
/// each, such as "fewer cells".
struct DiskNeed {
  double result = 0.0;      ///< bytes of the result file
  double checkpoint = 0.0;  ///< bytes of one checkpoint file
  std::string less_result;
  std::string less_checkpoint;
};

/// Throws UserError on all ranks alike if the disk space does not suffice for the result file
/// `path` and, if checkpoints are scheduled, for two checkpoints, because a checkpoint is kept
/// until the next checkpoint is complete. The space of old checkpoints and temporary files that the
/// run will replace is counted as free. Collective.
void require_disk(const parallel::Communicator& comm, const std::string& path,
                  const CheckpointSpec& checkpoint, const DiskNeed& need);

/// Throws UserError on all ranks alike if the disk space does not suffice for the files of a run
/// (see require_disk) or, if `path` is empty, if the memory does not suffice for the result file in
/// memory. Collective.
void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint);

}  // namespace masing::io
