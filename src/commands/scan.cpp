#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/spec.hpp"
#include "scan/scan.hpp"

namespace masing::commands {

scan::ScanResult make(const parallel::Communicator& comm, cli::Scan scan) {
  const cli::Axes& axes = *scan.axes;
  std::string& checksum = scan.spec.files.result.records_checksum;
  if (axes.inputs) {
    checksum = parallel::from_root(comm, [&] { return axes.inputs->checksum(axes.points.paths); });
  }
  scan::ScanResult result = scan::make_scan(
      comm, scan.spec, [&](std::int64_t point) { return cli::problem_at(scan, point); });
  if (axes.inputs) {
    parallel::on_root(comm, [&] { axes.require_unchanged(checksum); });
  }
  const auto warns = [](const scan::ScanPoint& point) { return !point.warning.empty(); };
  if (const auto count = std::ranges::count_if(result.points, warns); count > 0) {
    cli::warn(comm, fmt::format("{} of {} points have warnings; the first: {}", count,
                                result.points.size(),
                                std::ranges::find_if(result.points, warns)->warning));
  }
  return result;
}

int run(const parallel::Communicator& comm, const cli::Scan& request) {
  const scan::ScanResult scan = make(comm, request);
  const scan::ScanSpec& spec = request.spec;
  const std::int64_t failed = scan.failed();
  cli::print(comm,
             fmt::format("masing scan: {} points, {} failed, {} rank{}, {:.3g} s\n{}scan in {}\n",
                         scan.points.size(), failed, comm.size(), comm.size() == 1 ? "" : "s",
                         scan.seconds, scan::table(spec, scan), spec.files.result.path));
  if (failed > 0) {
    const auto first = std::ranges::find(scan.points, true, &scan::ScanPoint::has_failed);
    cli::print(comm,
               fmt::format("masing: {} of {} points failed; the first: {}\n", failed,
                           scan.points.size(), first->message),
               stderr);
  }
  return failed == 0 ? base::exit_done : base::exit_failure;
}

}  // namespace masing::commands
