#include "commands/commands.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "study/refinement.hpp"

namespace masing::commands {

study::Study make(const parallel::Communicator& comm, const study::StudySpec& spec,
                  const std::function<void(const study::Study& study)>& announce) {
  return study::make_study(comm, spec, announce);
}

namespace {

/// What a study has found, for its summary.
void report_on(const study::Study& study, Report& report) {
  report.verdict = to_text(study.verdict);
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const study::QuantityResult& found = study.results[q];
    report.verdicts[study::quantities[q].name] = {
        .verdict = to_text(found.verdict),
        .order = found.observed(),
        .uncertainty = found.uncertainty(),
        .expected = found.expected ? study::expected_text(*found.expected) : ""};
  }
}

}  // namespace

int run(const parallel::Communicator& comm, const study::StudySpec& spec, Report& report) {
  // The table is printed first: of a study that cannot be written it is all that is left.
  const auto announce = [&](const study::Study& study) {
    report_on(study, report);
    cli::print(comm, fmt::format("masing converge: T = {:g}, {} rank{}, {:.3g} s, {}\n{}",
                                 spec.run.time.final_time, comm.size(), comm.size() == 1 ? "" : "s",
                                 study.seconds, study::heading(spec.reference, study.self_check),
                                 study::table(spec, study)));
  };
  const study::Study study = make(comm, spec, announce);
  cli::print(comm, fmt::format("study in {}\n", spec.files.result.path));
  const bool is_good = study.verdict == study::Verdict::as_expected ||
                       study.verdict == study::Verdict::exact ||
                       study.verdict == study::Verdict::not_judged;
  return is_good ? base::exit_done : base::exit_unexpected_order;
}

}  // namespace masing::commands
