#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/limits.hpp"
#include "cli/call.hpp"
#include "io/specs.hpp"

// The machine-readable summary of a command: --summary FILE.json, described in jobs/README.md.

namespace masing::commands {

/// The verdict and the orders of one quantity of a study.
struct QuantityVerdict {
  std::string verdict;
  double order = base::undefined;
  double uncertainty = base::undefined;
  std::string expected;  ///< "1", ">=0.5"; empty where nothing is expected
};

/// Progress and outcome of a command, for its summary. Complete on the root only.
struct Report {
  io::Done done;
  std::string message;  ///< the line on stderr of a command that fails without an exception
  std::string verdict;  ///< of a study, once there is one
  std::map<std::string, QuantityVerdict> verdicts = {};
  std::optional<std::int64_t> failed_points;  ///< of a scan
};

/// Calls `work`, which runs the command of a job, and returns its exit code. With --summary, first
/// removes the summary of an earlier call, and writes a new one after `work` has returned or thrown
/// on all ranks; exceptions of `work` are rethrown. Throws UserError if the file exists and is not
/// a summary or its folder does not exist, SystemError if it cannot be written. Collective.
int with_summary(cli::Command command, cli::Job& job, const cli::Invocation& call,
                 const std::function<int(Report&)>& work);

}  // namespace masing::commands
