#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "io/result_file.hpp"

namespace masing::commands {

scan::Scan make(const parallel::Communicator& comm, const scan::ScanSpec& spec) {
  const io::RunLocks locks(comm, spec.result.path, spec.checkpoint);
  scan::Scan scan = scan::make_points(comm, spec);
  io::write_file(comm, spec.result,
                 [&](const io::Handle& file) { scan::write(comm, file, spec, scan); });
  io::remove_checkpoint(comm, spec.checkpoint.path);
  return scan;
}

int run(const parallel::Communicator& comm, const scan::ScanSpec& spec) {
  const scan::Scan scan = make(comm, spec);
  const std::size_t failed = scan.failed();
  if (comm.is_root()) {
    std::fputs(fmt::format("masing scan: {} points, {} failed, {} rank{}, {:.3g} s\n{}scan in {}\n",
                           scan.points.size(), failed, comm.size(), comm.size() == 1 ? "" : "s",
                           scan.seconds, scan::table(spec, scan), spec.result.path)
                   .c_str(),
               stdout);
  }
  if (comm.is_root() && failed > 0) {
    const auto first = std::ranges::find(scan.points, false, &scan::ScanPoint::is_done);
    std::fputs(fmt::format("masing: {} of {} points failed; the first: {}\n", failed,
                           scan.points.size(), first->message)
                   .c_str(),
               stderr);
  }
  return failed == 0 ? base::exit_done : base::exit_failure;
}

}  // namespace masing::commands
