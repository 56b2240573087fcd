#include <cstdio>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/products.hpp"
#include "commands/request.hpp"
#include "io/output_file.hpp"
#include "io/recorder.hpp"
#include "study/output.hpp"
#include "study/refinement.hpp"

namespace commands {

namespace {

/// Run the study into the open file: the last level's samples as they come, then the tables.
study::Study refine_into(const parallel::Communicator& comm,
                         const options::Configuration& configuration, const io::Handle& file) {
  const io::Sampling sampling{
      .time = {.final_time = configuration.final_time, .steps = configuration.levels.back().steps},
      .every = *configuration.sample_every,
      .from = *configuration.from,
      .to = *configuration.to};
  io::SeriesRecorder series(comm, file, sampling);
  study::Study study = study::refine(comm, configuration, series);
  series.flush();
  study::write(comm, file, configuration, study);
  return study;
}

}  // namespace

study::Study make_study(const parallel::Communicator& comm,
                        const options::Configuration& configuration,
                        const std::string& command_line) {
  io::OutputFile output(comm, configuration, command_line);
  study::Study study = refine_into(comm, configuration, output.file());
  output.finish();
  return study;
}

int converge(const parallel::Communicator& comm, const Arguments& arguments) {
  const auto configuration = requested(comm, options::Command::converge, arguments);
  if (!configuration) {
    return base::exit_done;
  }
  const study::Study study = make_study(comm, *configuration, arguments.command_line);
  if (comm.is_root()) {
    std::printf("masing converge: T = %g, %d rank%s, %.3g s, %s\n%sstudy in %s\n",
                configuration->final_time, comm.size(), comm.size() == 1 ? "" : "s", study.seconds,
                study::reference_text(*configuration, study).c_str(),
                study::table(*configuration, study).c_str(), configuration->output.c_str());
  }
  return study.verdict == study::Verdict::as_expected ? base::exit_done
                                                      : base::exit_unexpected_order;
}

}  // namespace commands
