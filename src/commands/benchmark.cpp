#include "benchmark/benchmark.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <boost/program_options.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "io/result_file.hpp"

namespace masing::commands {

namespace {

namespace po = boost::program_options;

/// Returns the options of masing benchmark.
po::options_description declared() {
  po::options_description description("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = description.add_options();
  add("output", text("FILE.h5")->default_value("benchmark.h5"), "result file");
  add("largest", text("P"), "the most cells (what a third of the free memory holds, at most 1e8)");
  add("quick", "a look: short runs, largest 1e5, small arrays");
  add("help", "this text");
  return description;
}

/// Returns what has to be measured according to the options in `values`. Throws UserError if
/// --largest is not a positive integer, or if the memory is too small for the largest number of
/// cells. Collective.
benchmark::Effort effort_of(const parallel::Communicator& comm, const po::variables_map& values) {
  const std::int64_t room = benchmark::free_memory_of_host(comm) / benchmark::bytes_per_cell;
  const bool quick = values.contains("quick");
  std::int64_t largest = quick ? 100000 : std::clamp<std::int64_t>(room / 3, 1, 100000000);
  if (values.contains("largest")) {
    const auto& text = values["largest"].as<std::string>();
    const auto given = base::to_integer(text);
    if (!given || *given < 1) {
      throw base::UserError("--largest: '" + text + "' is not a whole number from 1 on");
    }
    largest = *given;
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

std::string benchmark_help() {
  return "masing benchmark: what this machine's memory gives, and what each engine and the "
         "obvious loop make of it\n\n" +
         boost::lexical_cast<std::string>(declared());
}

int benchmark(const cli::Invocation& call) {
  const parallel::Communicator& comm = call.comm;
  const po::variables_map values = read_words("benchmark", call.words, declared());
  const benchmark::Effort effort = effort_of(comm, values);
  const auto output = values["output"].as<std::string>();
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
