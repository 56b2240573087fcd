#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "io/checkpoint.hpp"
#include "study/run.hpp"

// The checkpoint of a study is FILE, which says what study it is of, and beside it one file for
// each run that has begun, FILE.run0, FILE.run1, …: runs on parts of the ranks cannot write
// together.

namespace masing::study {

/// The checkpoints of a job, the plan's of that index, as it runs on `comm`. Local.
io::Checkpoints run_checkpoints(const parallel::Communicator& comm, const StudySpec& spec,
                                const Job& job, std::size_t index,
                                const io::Participants& participants);

/// Bring the participants of a job to its checkpoint, if the study is to be restarted and the job
/// had begun; returns the step they are at then. Of a job that is done only the observers. Throws
/// UserError alike on all ranks where the checkpoint is damaged. Collective on `comm`.
std::optional<std::int64_t> resume_run(const parallel::Communicator& comm, const StudySpec& spec,
                                       const Job& job, std::size_t index,
                                       const io::Participants& participants);

/// Where a study goes on with one checkpoint and writes another: copy what runs it holds, so that
/// the other lacks none of them. Throws UserError alike on all ranks where one is damaged, and
/// SystemError. Collective.
void adopt_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec);

/// Write FILE of a study's checkpoint. Collective.
void write_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec);

/// Remove what a finished study does not need any more: its own checkpoint, and not another that it
/// went on from. Collective.
void remove_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec);

}  // namespace masing::study
