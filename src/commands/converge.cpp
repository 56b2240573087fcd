#include "commands/commands.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "study/refinement.hpp"

namespace masing::commands {

study::Study make(const parallel::Communicator& comm, const study::StudySpec& spec) {
  return study::make_study(comm, spec);
}

int run(const parallel::Communicator& comm, const study::StudySpec& spec) {
  // The table is printed before the file is written, so that the user gets the table even if
  // writing fails.
  const study::Study study = study::make_study(comm, spec, [&](const study::Study& made) {
    cli::print(comm, fmt::format("masing converge: T = {:g}, {} rank{}, {:.3g} s, {}\n{}",
                                 spec.run.time.final_time, comm.size(), comm.size() == 1 ? "" : "s",
                                 made.seconds, study::heading(spec.reference, made.self_check),
                                 study::table(spec, made)));
  });
  cli::print(comm, fmt::format("study in {}\n", spec.files.result.path));
  const bool is_good = study.verdict == study::Verdict::as_expected ||
                       study.verdict == study::Verdict::exact ||
                       study.verdict == study::Verdict::not_judged;
  return is_good ? base::exit_done : base::exit_unexpected_order;
}

}  // namespace masing::commands
