#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "benchmark/report.hpp"
#include "commands/commands.hpp"
#include "io/result_file.hpp"

namespace masing::commands {

namespace {

namespace po = boost::program_options;

struct Options {
  std::string output = "benchmark.h5";
  std::int64_t largest = 0;  ///< 0: as memory allows
  std::int64_t cells = 1500;
  std::int64_t steps = 1000000;
  benchmark::Effort effort;
  bool quick = false;
  bool help = false;
};

po::options_description declared() {
  po::options_description description("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = description.add_options();
  add("output", text("FILE.h5"), "result file (benchmark.h5)");
  add("largest", text("P"), "the most cells (what a third of the free memory holds, at most 1e8)");
  add("seconds", text("s"), "of one measurement, its repeats together (0.3)");
  add("repeat", text("n"), "runs of each measurement, whose median counts (5)");
  add("cells", text("P"), "cells of the run that is predicted and measured (1500)");
  add("steps", text("N"), "steps of that run (1000000)");
  add("quick", "a look: seconds 0.02, repeat 3, largest 1e5, steps 20000, small arrays");
  add("help", "this text");
  return description;
}

po::variables_map read(const std::vector<std::string>& words) {
  const po::options_description options = declared();
  const po::positional_options_description no_positions;
  po::variables_map values;
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(options)
                  .positional(no_positions)
                  .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                  .run(),
              values);
  } catch (const po::error& error) {
    throw base::UserError(
        fmt::format("{}; masing benchmark --help lists the options", error.what()));
  }
  return values;
}

/// A whole number from 1 on under `name`, where it was given.
void take(const po::variables_map& values, const char* name, std::int64_t& number) {
  if (values.contains(name)) {
    const auto& text = values[name].as<std::string>();
    number = base::to_integer(text).value_or(0);
    if (number < 1) {
      throw base::UserError(fmt::format("--{}: '{}' is not a whole number from 1 on", name, text));
    }
  }
}

Options parse(const std::vector<std::string>& words) {
  const po::variables_map values = read(words);
  Options options;
  options.help = values.contains("help");
  options.quick = values.contains("quick");
  if (options.quick) {
    options.largest = 100000;
    options.steps = 20000;
    options.effort = {.seconds = 0.02, .repeat = 3};
  }
  take(values, "largest", options.largest);
  take(values, "cells", options.cells);
  take(values, "steps", options.steps);
  take(values, "repeat", options.effort.repeat);
  if (values.contains("seconds")) {
    const auto& text = values["seconds"].as<std::string>();
    options.effort.seconds = base::to_number(text).value_or(0.0);
    if (!(options.effort.seconds > 0)) {
      throw base::UserError(fmt::format("--seconds: '{}' is not a number > 0", text));
    }
  }
  if (values.contains("output")) {
    options.output = values["output"].as<std::string>();
  }
  return options;
}

/// Settles --largest, and refuses what memory does not hold. Collective.
void fit_into_memory(const parallel::Communicator& comm, Options& options) {
  constexpr std::int64_t most = 100000000;
  const std::int64_t free = benchmark::free_memory_of_host(comm);
  constexpr std::int64_t bytes_per_cell = benchmark::bytes_per_cell;
  const std::int64_t room = free / bytes_per_cell;
  if (options.largest == 0) {
    options.largest = std::clamp<std::int64_t>(room / 3, 1, most);
  }
  const auto require = [&](const char* option, std::int64_t cells) {
    if (cells > room) {
      throw base::UserError(
          fmt::format("--{}: {} cells need {:.3g} GiB, available are {:.3g}; give at most {}",
                      option, cells, static_cast<double>(cells) * bytes_per_cell / (1 << 30),
                      static_cast<double>(free) / (1 << 30), room));
    }
  };
  require("largest", options.largest);
  require("cells", options.cells);
}

benchmark::Report measured(const parallel::Communicator& comm, const Options& options) {
  constexpr std::int64_t small_array = std::int64_t{4} << 20;
  benchmark::Report report;
  report.machine =
      benchmark::measure_machine(comm, options.effort, options.quick ? small_array : 0);
  report.kernels =
      benchmark::measure_kernels(comm, options.effort, benchmark::ladder(options.largest));
  report.engines = benchmark::measure_engines(comm, options.effort, options.largest, options.quick);
  report.prediction = benchmark::predict_run(report, options.cells, options.steps);
  report.prediction.measured =
      benchmark::measure_run(comm, options.effort, options.cells, options.steps);
  return report;
}

}  // namespace

int benchmark(const cli::Invocation& call) {
  Options options = parse(call.words);
  if (options.help) {
    if (call.prints) {
      std::ostringstream text;
      text << "masing benchmark: what this machine's memory gives, what each engine and variant of "
              "the kernel\nmakes of it, and the time of one run predicted from the parts\n\n"
           << declared();
      std::fputs(text.str().c_str(), stdout);
    }
    return base::exit_done;
  }
  return call.on_all_ranks([&](const parallel::Communicator& comm) -> int {
    fit_into_memory(comm, options);
    { const io::OutputLock writable(comm, options.output); }
    const benchmark::Report report = measured(comm, options);
    const io::OutputLock lock(comm, options.output);
    io::write_file(comm, {options.output, "benchmark", "", call.command_line},
                   [&](const io::Handle& file) { benchmark::write(comm, file, report); });
    if (comm.is_root()) {
      std::fputs(fmt::format("masing benchmark: {}benchmark in {}\n", benchmark::table(report),
                             options.output)
                     .c_str(),
                 stdout);
    }
    return base::exit_done;
  });
}

}  // namespace masing::commands
