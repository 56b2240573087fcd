#pragma once

#include <string>

#include "engine/run_spec.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

// Checks that disk space and memory suffice for the files of a run.

namespace masing::io {

/// The disk space that a result file and a checkpoint need, and advice on what would need less,
/// such as "fewer cells".
struct DiskNeed {
  double result = 0.0;      ///< bytes
  double checkpoint = 0.0;  ///< bytes of one
  std::string less_result;
  std::string less_checkpoint;
};

/// Throws UserError on all ranks alike if the disk space does not suffice for the result file
/// `path` and, if checkpoints are scheduled, for two of them, as each is kept until the next is
/// complete. Takes existing files into account. Collective.
void require_disk(const parallel::Communicator& comm, const std::string& path,
                  const CheckpointSpec& checkpoint, const DiskNeed& need);

/// The same for a run. If `path` is empty, checks instead that the memory suffices for the result.
/// Collective.
void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint);

}  // namespace masing::io
