#pragma once

#include <string>

#include "engine/run_spec.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

// Whether disks and memory have room for what is going to be written.

namespace masing::io {

/// What a result file and a checkpoint take on disks, and what takes less: "fewer cells".
struct DiskNeed {
  double result = 0.0;      ///< bytes
  double checkpoint = 0.0;  ///< bytes of one
  std::string less_result;
  std::string less_checkpoint;
};

/// Throws UserError alike on all ranks where the disks have no room for the result file `path` and,
/// if they are scheduled, for two checkpoints, as a checkpoint stays until the next one is whole;
/// what is there already counts. Collective.
void require_disk(const parallel::Communicator& comm, const std::string& path,
                  const CheckpointSpec& checkpoint, const DiskNeed& need);

/// The same of a run; without a path, that its image fits into memory. Collective.
void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint);

}  // namespace masing::io
