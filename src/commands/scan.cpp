#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/spec.hpp"
#include "io/checkpoint.hpp"
#include "io/result_file.hpp"
#include "scan/points.hpp"

namespace masing::commands {

scan::Scan make(const parallel::Communicator& comm, const cli::Scan& scan) {
  const scan::ScanSpec& spec = scan.spec;
  const parallel::PhaseTimer timer(parallel::Phase::rest);
  const io::RunLocks locks(comm, spec.result.path, spec.checkpoint);
  scan::Scan made = scan::make_points(comm, spec, [&](const auto values, const auto& make) {
    cli::with_place_of_quantity(*scan.request, [&] { make(cli::problem_at(scan, values)); });
  });
  io::write_file(comm, spec.result,
                 [&](const io::Handle& file) { scan::write(comm, file, spec, made); });
  io::remove_checkpoint(comm, spec.checkpoint.path);
  return made;
}

int run(const parallel::Communicator& comm, const cli::Scan& request) {
  const scan::Scan scan = make(comm, request);
  const scan::ScanSpec& spec = request.spec;
  const std::int64_t failed = scan.failed();
  cli::print(comm,
             fmt::format("masing scan: {} points, {} failed, {} rank{}, {:.3g} s\n{}scan in {}\n",
                         scan.points.size(), failed, comm.size(), comm.size() == 1 ? "" : "s",
                         scan.seconds, scan::table(spec, scan), spec.result.path));
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
