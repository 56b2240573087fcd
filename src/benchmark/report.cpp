#include "benchmark/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/partition.hpp"

namespace masing::benchmark {

namespace {

enum class Ranks { one, all };

/// A variant at one P on one rank or on all, as the table and the file state it.
struct KernelRow {
  Timing step;            ///< seconds a step
  double updates = 0.0;   ///< cell-updates a second
  double bytes = 0.0;     ///< a cell-update
  double fraction = 0.0;  ///< of the best bandwidth measured on as many ranks
  double ratio = 0.0;     ///< of cell-updates to the baseline's on as many ranks
  double speed_up = 0.0;  ///< of all ranks over one
};

KernelRow kernel_row(const Report& report, Ranks ranks, std::size_t variant, std::size_t level) {
  const KernelRates& kernels = report.kernels;
  const auto& steps = ranks == Ranks::one ? kernels.one : kernels.all;
  const Bandwidth& bandwidth = ranks == Ranks::one ? report.machine.one : report.machine.all;
  KernelRow row;
  row.step = steps[variant][level];
  row.updates = static_cast<double>(kernels.cells[level]) / row.step.median;
  row.bytes = variants()[variant].bytes_per_update();
  row.fraction = row.updates * row.bytes / bandwidth.best();
  row.ratio = steps[index_of("baseline")][level].median / row.step.median;
  row.speed_up = kernels.one[variant][level].median / row.step.median;
  return row;
}

/// What reproducible sums add to a step of a variant on one rank, at most, as a fraction of the
/// rest of the step: B c / (t - B c), t seconds a step, B blocks, c seconds to add up a block's
/// lanes, round the sum to an integer and add that.
double sum_overhead(const KernelRates& kernels, const std::string& variant, std::size_t level) {
  const std::int64_t blocks = (kernels.cells[level] - 1) / base::block_cells + 1;
  const double sums = static_cast<double>(blocks) * kernels.exact_sum.median;
  return sums / (kernels.one[index_of(variant)][level].median - sums);
}

}  // namespace

Prediction predict_run(const Report& report, std::int64_t cells, std::int64_t steps) {
  const Machine& machine = report.machine;
  const std::size_t variant = index_of("both");
  const auto slab = static_cast<double>(base::local_range(cells, 0, machine.ranks).size);
  double step = report.kernels.one_rank_step(variant, slab);
  constexpr std::int64_t usual_cache = std::int64_t{32} << 20;
  if (8 * cells > (machine.cache > 0 ? machine.cache : usual_cache)) {
    // Beyond the caches the ranks share the bandwidth of the memory.
    const double bytes = variants()[variant].bytes_per_update() * static_cast<double>(cells);
    step = std::max(step, bytes / machine.all.best());
  }
  const auto n = static_cast<double>(steps);
  const std::int64_t passes = (steps + 1) / 2;
  return {.cells = cells,
          .steps = steps,
          .passes = n * step,
          .allreduces = static_cast<double>(passes) * machine.allreduce(),
          .forcing = n * report.engines.forcing.median,
          .overhead = n * report.engines.three_cells.median,
          .measured = {}};
}

// The table.

namespace {

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string bandwidth_line(const char* ranks, const Bandwidth& bandwidth) {
  return fmt::format("{:24} copy {:7.2f}   triad {:7.2f}   update in place {:7.2f}   GB/s\n", ranks,
                     1e-9 * bandwidth.copy, 1e-9 * bandwidth.triad, 1e-9 * bandwidth.update);
}

std::string machine_text(const Machine& machine) {
  std::string text = fmt::format("{}, {}, {}; {} on {}\n", machine.processor,
                                 counted(machine.cores, "core"), machine.instruction_set,
                                 counted(machine.ranks, "rank"), counted(machine.hosts, "host"));
  text += bandwidth_line("one rank alone", machine.one);
  text += bandwidth_line("all ranks together", machine.all);
  for (const Latency& latency : machine.latencies) {
    text += fmt::format("allreduce, {:6} rank{}  {:8.3f} us  [{:.3f}, {:.3f}]\n", latency.ranks,
                        latency.ranks == 1 ? " " : "s", 1e6 * latency.seconds.median,
                        1e6 * latency.seconds.least, 1e6 * latency.seconds.most);
  }
  return text;
}

std::string kernel_line(const Report& report, Ranks ranks, std::size_t variant, std::size_t level) {
  const KernelRow row = kernel_row(report, ranks, variant, level);
  const auto cells = static_cast<double>(report.kernels.cells[level]);
  const bool sweep = ranks == Ranks::all && variants()[variant].loop == Loop::kernel;
  return fmt::format(
      "{:11} {:5} {:5}  {:13} {:9.3e}  [{:9.3e}, {:9.3e}]  {:5.1f} {:9.3f} {:9.2f} {:>9} "
      "{:13.2f}\n",
      report.kernels.cells[level], ranks == Ranks::one ? 1 : report.machine.ranks,
      sweep ? "sweep" : "loop", variants()[variant].name, row.updates, cells / row.step.most,
      cells / row.step.least, row.bytes, row.fraction, row.ratio,
      ranks == Ranks::one ? "-" : fmt::format("{:.2f}", row.speed_up), 1e9 * row.step.median);
}

std::string kernel_text(const Report& report) {
  std::string text;
  for (std::size_t level = 0; level < report.kernels.cells.size(); ++level) {
    text += fmt::format("{:>11} {:>5} {:5}  {:13} {:>9}  {:22}  {:>5} {:>9} {:>9} {:>9} {:>13}\n",
                        "P", "ranks", "by", "variant", "updates/s", "[least, most]", "B/upd",
                        "of bandw.", "/baseline", "/one rank", "ns/step");
    for (const Ranks ranks : {Ranks::one, Ranks::all}) {
      for (std::size_t variant = 0; variant < variants().size(); ++variant) {
        text += kernel_line(report, ranks, variant, level);
      }
    }
    text += fmt::format(
        "{:24} reproducible sums, one rank: general {:+.1f} %, both {:+.1f} % of time\n\n", "",
        100 * sum_overhead(report.kernels, "general", level),
        100 * sum_overhead(report.kernels, "both", level));
  }
  for (const Variant& variant : variants()) {
    text += fmt::format("{:13}  {}\n", variant.name, variant.description);
  }
  return text +
         "loop: passes over the slab alone, on all ranks with an allreduce each; sweep: the engine "
         "of a run.\nWith one rank at work the others sleep. Of bandw.: bytes that must move, over "
         "the largest bandwidth\nabove of as many ranks; beyond 1 where the cells stay in cache.\n";
}

std::string engine_line(const std::string& what, const Timing& timing) {
  return fmt::format("{:44} {:10.2f} ns  [{:.2f}, {:.2f}]\n", what, 1e9 * timing.median,
                     1e9 * timing.least, 1e9 * timing.most);
}

std::string engine_text(const EngineRates& engines) {
  std::string text = "a step of                                        median     [least, most]\n";
  for (std::size_t i = 0; i < engines.memory.size(); ++i) {
    const std::int64_t cells = engines.memory_cells[i];
    text += engine_line(cells == continuum_cells ? "engine memory, P = inf"
                                                 : fmt::format("engine memory, P = {}", cells),
                        engines.memory[i]);
  }
  for (const auto& [what, run] : {std::pair("u0 = 0", engines.zero), {"any u0", engines.moved}}) {
    text += engine_line(fmt::format("the first {:g} with {}, P = {}",
                                    static_cast<double>(run.steps), what, run.cells),
                        run.step);
    text += fmt::format("{:44} {:10.3g} s\n", "  set-up from a profile", run.setup);
  }
  text += engine_line("engine sweep, P = 3, one rank", engines.three_cells);
  text += engine_line("the forcing's evaluation", engines.forcing);
  text += engine_line(fmt::format("engine exact, P = inf, N = {}, T = {:g}", engines.exact_steps,
                                  engines.exact_time),
                      engines.exact);
  return text + fmt::format("engine exact: {:.3e} steps/s\n", 1.0 / engines.exact.median);
}

std::string prediction_text(const Prediction& run, int ranks) {
  const std::string warning =
      run.misleads()
          ? fmt::format(
                "  PREDICTION AND MEASUREMENT DIFFER BY A FACTOR OF {:.2g}: THE PARTS ARE NOT "
                "TO BE TRUSTED; run it again on a quiet machine\n",
                run.factor_off())
          : "";
  return warning +
         fmt::format(
             "P = {}, N = {} on {}: predicted {:.4g} s, measured {:.4g} s [{:.4g}, {:.4g}]\n"
             "  (cells {:.4g}, allreduces {:.4g}, forcing {:.4g}, the rest of a step {:.4g})\n",
             run.cells, run.steps, counted(ranks, "rank"), run.predicted(), run.measured.median,
             run.measured.least, run.measured.most, run.passes, run.allreduces, run.forcing,
             run.overhead);
}

}  // namespace

std::string table(const Report& report) {
  return machine_text(report.machine) + "\n" + kernel_text(report) + "\n" +
         engine_text(report.engines) + "\n" +
         prediction_text(report.prediction, report.machine.ranks);
}

// The file.

namespace {

/// The numbers of a timing in the file.
struct TimingPart {
  const char* suffix;
  const char* which;
  double Timing::*member;
};
constexpr TimingPart timing_parts[] = {{"", "median", &Timing::median},
                                       {"_least", "least", &Timing::least},
                                       {"_most", "most", &Timing::most}};

template <typename Row>
std::vector<double> column(const std::vector<Row>& rows, double Row::*member) {
  std::vector<double> values;
  std::ranges::transform(rows, std::back_inserter(values), member);
  return values;
}

/// Writes columns that are the same on every rank.
class Columns {
 public:
  Columns(const parallel::Communicator& comm, const io::Handle& file) : comm_(comm), file_(file) {}

  /// Its axis is named `axis`: a dataset of that name in its group or above.
  void write(const std::string& path, const io::Meaning& meaning, const std::vector<double>& values,
             const std::string& axis = "cells") const {
    io::write_column(comm_, file_, path, meaning, values, axis);
  }

  /// Three columns of seconds: the median, _least and _most.
  void write(const std::string& path, const io::Meaning& meaning,
             const std::vector<Timing>& timings, const std::string& axis = "cells") const {
    for (const auto& [suffix, which, member] : timing_parts) {
      write(path + suffix,
            {fmt::format("{}; {} of the repeats", meaning.description, which), meaning.symbol, "",
             "s"},
            column(timings, member), axis);
    }
  }

 private:
  const parallel::Communicator& comm_;
  const io::Handle& file_;
};

void write_bandwidth(const io::Handle& group, const std::string& ranks,
                     const Bandwidth& bandwidth) {
  io::write_attribute(group, "copy_bandwidth_" + ranks, bandwidth.copy);
  io::write_attribute(group, "triad_bandwidth_" + ranks, bandwidth.triad);
  io::write_attribute(group, "update_bandwidth_" + ranks, bandwidth.update);
}

void write_machine(const Columns& columns, const io::Handle& file, const Machine& machine) {
  const io::Handle group = io::create_group(file, "/machine");
  io::write_attribute(group, "processor", machine.processor);
  io::write_attribute(group, "instruction_set", machine.instruction_set);
  io::write_attribute(group, "ranks", std::int64_t{machine.ranks});
  io::write_attribute(group, "hosts", std::int64_t{machine.hosts});
  io::write_attribute(group, "cores", std::int64_t{machine.cores});
  io::write_attribute(group, "cache_bytes", machine.cache);
  io::write_attribute(group, "array_bytes", machine.array);
  write_bandwidth(group, "one_rank", machine.one);
  write_bandwidth(group, "all_ranks", machine.all);
  io::write_attribute(group, "allreduce_seconds", machine.latencies.back().seconds.median);
  std::vector<double> ranks;
  std::vector<Timing> seconds;
  for (const Latency& latency : machine.latencies) {
    ranks.push_back(latency.ranks);
    seconds.push_back(latency.seconds);
  }
  columns.write("/latency/ranks", {"ranks of an allreduce of two 64-bit integers", "R"}, ranks,
                "ranks");
  columns.write("/latency/seconds", {"seconds of that allreduce", "L"}, seconds, "ranks");
}

void write_variant(const Columns& columns, const Report& report, Ranks ranks, std::size_t variant) {
  const std::string group = fmt::format(
      "/kernel/{}/{}/", ranks == Ranks::one ? "one_rank" : "all_ranks", variants()[variant].name);
  const std::string& what = variants()[variant].description;
  std::vector<KernelRow> rows;
  std::vector<Timing> steps;
  for (std::size_t level = 0; level < report.kernels.cells.size(); ++level) {
    rows.push_back(kernel_row(report, ranks, variant, level));
    steps.push_back(rows.back().step);
  }
  const auto write = [&](const char* name, const char* description, const char* symbol,
                         double KernelRow::*member, const char* units = "1") {
    columns.write(group + name, {fmt::format("{}: {}", what, description), symbol, "", units},
                  column(rows, member));
  };
  columns.write(group + "seconds_per_step", {what + ": seconds a step", "t"}, steps);
  write("updates_per_second", "cell-updates a second", "P/t", &KernelRow::updates, "s-1");
  write("bytes_per_update", "bytes a cell-update must move", "b", &KernelRow::bytes, "byte");
  write("bandwidth_fraction", "bytes moved a second over the largest bandwidth measured",
        "b P/(t B)", &KernelRow::fraction);
  write("baseline_ratio", "cell-updates over the baseline's on as many ranks", "t_0/t",
        &KernelRow::ratio);
  if (ranks == Ranks::all) {
    write("speed_up", "cell-updates over those of one rank", "t_1/t", &KernelRow::speed_up);
  }
}

void write_kernels(const Columns& columns, const Report& report) {
  const KernelRates& kernels = report.kernels;
  columns.write("/kernel/cells", {"cells of the rows of every variant", "P"},
                std::vector<double>(kernels.cells.begin(), kernels.cells.end()));
  for (const Ranks ranks : {Ranks::one, Ranks::all}) {
    for (std::size_t variant = 0; variant < variants().size(); ++variant) {
      write_variant(columns, report, ranks, variant);
    }
  }
  for (const std::string variant : {"general", "both"}) {
    std::vector<double> overhead;
    for (std::size_t level = 0; level < kernels.cells.size(); ++level) {
      overhead.push_back(sum_overhead(kernels, variant, level));
    }
    columns.write(
        "/kernel/one_rank/sum_overhead_" + variant,
        {"what reproducible sums add at most to a step of " + variant + ", over the rest of it",
         "B c/(t - B c)"},
        overhead);
  }
}

void write_timing(const io::Handle& group, const std::string& name, const Timing& timing) {
  for (const auto& [suffix, which, member] : timing_parts) {
    io::write_attribute(group, name + suffix, timing.*member);
  }
}

void write_engines(const Columns& columns, const io::Handle& file, const EngineRates& engines) {
  columns.write("/memory/cells", {"cells; 0 for P = inf", "P"},
                std::vector<double>(engines.memory_cells.begin(), engines.memory_cells.end()));
  columns.write("/memory/seconds_per_step", {"engine memory on one rank: seconds a step", "t"},
                engines.memory);
  const io::Handle from_start = io::create_group(file, "/from_start");
  io::write_attribute(from_start, "cells", engines.zero.cells);
  io::write_attribute(from_start, "steps", engines.zero.steps);
  for (const auto& [name, run] : {std::pair("zero_", engines.zero), {"any_", engines.moved}}) {
    io::write_attribute(from_start, name + std::string("setup_seconds"), run.setup);
    write_timing(from_start, name + std::string("seconds_per_step"), run.step);
  }
  const io::Handle step = io::create_group(file, "/step");
  write_timing(step, "three_cells_seconds", engines.three_cells);
  write_timing(step, "forcing_seconds", engines.forcing);
  const io::Handle exact = io::create_group(file, "/exact");
  io::write_attribute(exact, "steps", engines.exact_steps);
  io::write_attribute(exact, "final_time", engines.exact_time);
  io::write_attribute(exact, "steps_per_second", 1.0 / engines.exact.median);
  write_timing(exact, "seconds_per_step", engines.exact);
}

void write_prediction(const io::Handle& file, const Prediction& run) {
  const io::Handle group = io::create_group(file, "/case");
  io::write_attribute(group, "cells", run.cells);
  io::write_attribute(group, "steps", run.steps);
  io::write_attribute(group, "predicted_seconds", run.predicted());
  io::write_attribute(group, "misleads", std::int64_t{run.misleads()});
  io::write_attribute(group, "predicted_cells_seconds", run.passes);
  io::write_attribute(group, "predicted_allreduce_seconds", run.allreduces);
  io::write_attribute(group, "predicted_forcing_seconds", run.forcing);
  io::write_attribute(group, "predicted_overhead_seconds", run.overhead);
  write_timing(group, "measured_seconds", run.measured);
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report) {
  const Columns columns(comm, file);
  write_machine(columns, file, report.machine);
  write_kernels(columns, report);
  write_engines(columns, file, report.engines);
  write_prediction(file, report.prediction);
}

}  // namespace masing::benchmark
