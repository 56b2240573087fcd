#include <cstdio>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/request.hpp"
#include "io/output_file.hpp"
#include "io/recorder.hpp"
#include "study/output.hpp"
#include "study/refinement.hpp"

namespace commands {

namespace {

/// Run the study into the open file: the last level's samples as they come, then the tables.
study::Study run(const parallel::Communicator& comm, const options::Configuration& configuration,
                 const io::Handle& file) {
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

int converge(const parallel::Communicator& comm, const Arguments& arguments) {
  const auto configuration = requested(comm, options::Command::converge, arguments);
  if (!configuration) {
    return base::exit_done;
  }
  io::OutputFile output(comm, *configuration, arguments.command_line);
  const study::Study study = run(comm, *configuration, output.file());
  output.finish();
  if (comm.is_root()) {
    std::printf("masing converge: T = %g, reference ", configuration->final_time);
    if (study.reference) {
      std::printf("P = %lld, N = %lld", static_cast<long long>(study.reference->cells),
                  static_cast<long long>(study.reference->steps));
    } else {
      std::printf("the next level");
    }
    std::printf(", %d rank%s, %.3g s\n%sstudy in %s\n", comm.size(), comm.size() == 1 ? "" : "s",
                study.seconds, study::table(*configuration, study).c_str(), output.path().c_str());
  }
  return study.verdict == study::Verdict::as_expected ? base::exit_done
                                                      : base::exit_unexpected_order;
}

}  // namespace commands
