#include "commands/commands.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "study/refinement.hpp"

namespace masing::commands {

namespace {

/// Returns the entries of the summary that only a study has. These are the verdict of the study
/// and, for each quantity, its verdict, its observed order with the uncertainty, and its expected
/// order.
nlohmann::ordered_json summary_of(const study::Study& study) {
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::object();
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const study::QuantityResult& result = study.results[q];
    nlohmann::ordered_json& one = verdicts[study::quantities[q].name];
    one = {{"verdict", to_text(result.verdict)},
           {"order", result.observed()},
           {"uncertainty", result.uncertainty()},
           {"expected", nullptr}};
    if (result.expected) {
      one["expected"] = study::expected_text(*result.expected);
    }
  }
  return {{"verdict", to_text(study.verdict)}, {"verdicts", verdicts}};
}

}  // namespace

int run(const parallel::Communicator& comm, const study::StudySpec& spec, Report& report) {
  report.results = {{"verdict", nullptr}, {"verdicts", nlohmann::ordered_json::object()}};
  // The table is printed before the file is written, so that the user gets the table even if
  // writing fails.
  const auto announce = [&](const study::Study& study) {
    report.results = summary_of(study);
    cli::print(comm, fmt::format("masing converge: T = {:g}, {} rank{}, {:.3g} s, {}\n{}",
                                 spec.run.time.final_time, comm.size(), comm.size() == 1 ? "" : "s",
                                 study.seconds, study::heading(spec.reference, study.self_check),
                                 study::table(spec, study)));
  };
  const study::Study study = study::make_study(comm, spec, announce);
  cli::print(comm, fmt::format("study in {}\n", spec.files.result.path));
  const bool is_good = study.verdict == study::Verdict::as_expected ||
                       study.verdict == study::Verdict::exact ||
                       study.verdict == study::Verdict::not_judged;
  return is_good ? base::exit_done : base::exit_unexpected_order;
}

}  // namespace masing::commands
