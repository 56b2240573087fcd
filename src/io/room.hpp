#pragma once

#include <string>

#include "engine/model.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"

// Checks that disk space and memory suffice for the files of a run.

namespace masing::io {

/// Throws UserError on all ranks alike if the free disk space does not suffice for the result file
/// `path` of `result_bytes` and, if checkpoints are scheduled, for two checkpoints of
/// `checkpoint_bytes`. Two are needed because a
/// checkpoint is kept until the next one is complete. If the checkpoint exists already, only one
/// more is needed. The space of temporary files that the run will replace is counted as free, and
/// so is that of `path`.partial if `in_place` is true: then a run that resumes goes on in this
/// file. Collective.
void require_disk(const parallel::Communicator& comm, const std::string& path,
                  const CheckpointSpec& checkpoint, double result_bytes, double checkpoint_bytes,
                  bool in_place = false);

/// Checks whether there is room for the files of a run: on the disk (see require_disk) or, if
/// `path` is empty, in memory. Throws UserError on all ranks alike if there is not. Collective.
void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint, bool in_place = false);

}  // namespace masing::io
