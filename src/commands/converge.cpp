#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "cli/continuation.hpp"
#include "commands/commands.hpp"
#include "commands/request.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "study/output.hpp"
#include "study/refinement.hpp"
#include "study/run_checkpoint.hpp"

namespace masing::commands {

namespace {

/// study::refine, saved where it is stopped.
study::Study refined(const parallel::Communicator& comm, const cli::Configuration& configuration) {
  study::adopt_study_checkpoint(comm, configuration);
  if (!configuration.checkpoint.empty()) {
    study::write_study_checkpoint(comm, configuration);
  }
  try {
    return study::refine(comm, configuration);
  } catch (const base::Stopped& stopped) {
    study::write_study_checkpoint(comm, configuration);
    throw base::Stopped(stopped.what() + cli::how_to_go_on(configuration));
  }
}

}  // namespace

study::Study make_study(const parallel::Communicator& comm, const cli::Configuration& configuration,
                        const std::string& command_line, const Announce& announce) {
  const io::OutputLock lock(comm, configuration.output);
  std::optional<io::OutputLock> checkpoint_lock;
  if (!configuration.checkpoint.empty()) {
    checkpoint_lock.emplace(comm, configuration.checkpoint, "--checkpoint");
  }
  study::Study study = refined(comm, configuration);
  if (announce) {
    announce(study);
  }
  io::OutputFile output(comm, configuration, command_line);
  io::naming(configuration.output, [&] {
    study::write(comm, output.file(), configuration, study);
    output.finish();
  });
  study::remove_study_checkpoint(comm, configuration);
  return study;
}

int converge(const parallel::Communicator& comm, const Arguments& arguments) {
  const auto configuration = requested(comm, cli::Command::converge, arguments);
  if (!configuration) {
    return base::exit_done;
  }
  // The table is said first: of a study that cannot be written it is all that is left.
  const Announce announce = [&](const study::Study& study) {
    if (comm.is_root()) {
      std::printf("masing converge: T = %g, %d rank%s, %.3g s, %s\n%s", configuration->final_time,
                  comm.size(), comm.size() == 1 ? "" : "s", study.seconds,
                  study::reference_text(*configuration, study).c_str(),
                  study::table(*configuration, study).c_str());
    }
  };
  const study::Study study = make_study(comm, *configuration, arguments.command_line, announce);
  if (comm.is_root()) {
    std::printf("study in %s\n", configuration->output.c_str());
  }
  return study.verdict == study::Verdict::as_expected ? base::exit_done
                                                      : base::exit_unexpected_order;
}

}  // namespace masing::commands
