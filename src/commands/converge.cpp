#include "commands/commands.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "study/plan.hpp"
#include "study/refinement.hpp"

namespace masing::commands {

namespace {

/// Returns the heading and the table of a study.
std::string text_of(const parallel::Communicator& comm, const study::StudySpec& spec,
                    const study::Study& study) {
  return fmt::format("masing converge: T = {:g}, {} rank{}, {:.3g} s, {}\n{}",
                     spec.run.time.final_time, comm.size(), comm.size() == 1 ? "" : "s",
                     study.seconds, study::heading(spec.reference, study.self_check),
                     study::table(spec, study));
}

/// Returns the levels of the look after the study `spec` with the results `study`. Returns an empty
/// text if this was the last look. Local.
std::string next_levels(const study::StudySpec& spec, const study::Study& study) {
  return spec.next_look && study.conclusions.unrefined_error.empty()
             ? study::deciding_levels(spec, study, false)
             : "";
}

/// Returns the look after the study `spec`, which has these levels. If it is not valid or needs too
/// much memory, prints a warning and returns nothing. Collective.
std::optional<study::StudySpec> look_after(const parallel::Communicator& comm,
                                           const study::StudySpec& spec,
                                           const std::string& levels) {
  try {
    study::StudySpec next = spec.next_look(levels);
    next.files.quiet = true;
    try {
      study::check_runs(comm, next);
    } catch (const base::Stopped&) {
      // the next look saves what is needed to go on before it stops
    }
    next.files.quiet = spec.files.quiet;
    next.files.checkpoint = spec.files.checkpoint;
    next.files.checkpoint.restart.reset();
    next.files.result.path = spec.files.result.path;
    next.files.result.image = spec.files.result.image;
    return next;
  } catch (const base::UserError& refusal) {
    cli::print(comm,
               fmt::format("masing warning: the next look, of levels = {}, is left out: {}\n",
                           levels, refusal.what()),
               stderr);
    return std::nullopt;
  }
}

}  // namespace

study::Study make(
    const parallel::Communicator& comm, const study::StudySpec& spec,
    const std::function<void(const study::StudySpec& spec, const study::Study& study)>& announce) {
  std::optional<study::StudySpec> look = spec;
  for (;;) {
    const study::StudySpec present = std::exchange(look, std::nullopt).value();
    const auto tell = [&](const study::Study& study) {
      const std::string levels = next_levels(present, study);
      look = levels.empty() ? std::nullopt : look_after(comm, present, levels);
      if (look && !present.files.quiet) {
        cli::print(comm,
                   fmt::format("{}masing converge: next look: levels = {}\n",
                               text_of(comm, present, study), levels),
                   stderr);
      } else if (!look && announce) {
        announce(present, study);
      }
    };
    study::Study study = study::make_study(comm, present, tell);
    if (!look) {
      return study;
    }
  }
}

int run(const parallel::Communicator& comm, const study::StudySpec& spec) {
  // The table is printed before the file is written, so that the user gets the table even if
  // writing fails.
  const auto announce = [&](const study::StudySpec& last, const study::Study& study) {
    cli::print(comm, text_of(comm, last, study));
  };
  const study::Study study = make(comm, spec, announce);
  cli::print(comm, fmt::format("study in {}\n", spec.files.result.path));
  const bool is_good = study.verdict == study::Verdict::as_expected ||
                       study.verdict == study::Verdict::exact ||
                       study.verdict == study::Verdict::not_judged;
  return is_good ? base::exit_done : base::exit_unexpected_order;
}

}  // namespace masing::commands
