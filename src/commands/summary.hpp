#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/limits.hpp"
#include "cli/call.hpp"
#include "io/specs.hpp"

// The summary of a command for programs: --summary FILE.json, described in jobs/README.md.

namespace masing::commands {

/// What a study says of one quantity.
struct QuantityVerdict {
  std::string verdict;
  double order = base::undefined;
  double uncertainty = base::undefined;
  std::string expected;  ///< "1", ">=0.5"; empty where nothing is expected
};

/// What a command has done so far. The command fills it on the root; on other ranks nobody reads
/// it.
struct Report {
  io::Done done;
  std::string message;  ///< the line on stderr of a command that fails without an exception
  std::string verdict;  ///< of a study, once there is one
  std::map<std::string, QuantityVerdict> verdicts = {};
  std::optional<std::int64_t> failed_points;  ///< of a scan
};

/// Calls `work`, which runs the command of a job and returns its exit code, and returns that. Where
/// the call has --summary, removes the summary of an earlier call first, and writes one when `work`
/// returns or throws on every rank alike; what it throws is thrown on. Throws UserError where the
/// file is no summary, SystemError where it cannot be written. Collective.
int with_summary(cli::Command command, cli::Job& job, const cli::Invocation& call,
                 const std::function<int(Report&)>& work);

}  // namespace masing::commands
