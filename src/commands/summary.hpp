#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/call.hpp"
#include "io/specs.hpp"

// The machine-readable summary of a command: --summary FILE.json, described in jobs/README.md.

namespace masing::commands {

/// Progress and outcome of a command, for its summary. Complete on the root only.
struct Report {
  io::Done done;
  std::string message;  ///< the line on stderr of a command that fails without an exception
  /// Keys of this command alone: the verdicts of a study, the failed points of a scan.
  nlohmann::ordered_json results = nlohmann::ordered_json::object();
};

/// Calls `work`, which runs the command of a job, and returns its exit code. With --summary, first
/// removes the summary of an earlier call, and writes a new one after `work` has returned or thrown
/// on all ranks; exceptions of `work` are rethrown. Throws UserError if the file exists and is not
/// a summary or its folder does not exist, SystemError if it cannot be written. Collective.
int with_summary(cli::Job& job, const cli::Invocation& call,
                 const std::function<int(Report&)>& work);

}  // namespace masing::commands
