#include "benchmark/benchmark.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "io/locks.hpp"
#include "io/output_file.hpp"

namespace masing::commands {

namespace {

/// Returns what has to be measured according to the options in `values`. Throws UserError if
/// --largest is not a positive whole number, or if the memory is too small for the largest number
/// of cells. Collective.
benchmark::Effort effort_of(const parallel::Communicator& comm, const cli::Values& values) {
  const double bytes = std::min(parallel::available_memory(comm) * comm.size(), 0x1p62);
  const std::int64_t room = static_cast<std::int64_t>(bytes) / benchmark::bytes_per_cell;
  const bool quick = values.flag("quick");
  std::int64_t largest = quick ? 100000 : std::clamp<std::int64_t>(room / 3, 1, 100000000);
  if (values.given("largest")) {
    largest = values.count("largest");
  }
  if (largest > room) {
    constexpr double cells_per_gib = static_cast<double>(1 << 30) / benchmark::bytes_per_cell;
    throw base::UserError(
        fmt::format("--largest: {} cells need {:.3g} GiB, available are {:.3g}; give at most {}",
                    largest, static_cast<double>(largest) / cells_per_gib,
                    static_cast<double>(room) / cells_per_gib, room));
  }
  return {largest, quick};
}

}  // namespace

int benchmark(const cli::Invocation& call) {
  const parallel::Communicator& comm = call.comm;
  const cli::Values values(cli::read(cli::Command::benchmark, call.words, {}));
  const benchmark::Effort effort = effort_of(comm, values);
  const std::string& output = values.text("output");
  // Creating this lock checks, before the measurements, that the output can be written. The lock is
  // released at once: if a signal ended the program during the measurements, its file would be left
  // behind.
  { const io::OutputLock writable(comm, output); }
  const benchmark::Report report = benchmark::measured(comm, effort);
  const io::OutputLock lock(comm, output);
  io::write_file(comm, {output, "benchmark", "", call.command_line},
                 [&](const parallel::Communicator& root, const io::Handle& file) {
                   benchmark::write(root, file, report);
                 });
  cli::print(comm, fmt::format("masing benchmark: {}benchmark in {}\n", report.table, output));
  return base::exit_done;
}

}  // namespace masing::commands
