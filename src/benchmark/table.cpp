#include <fmt/format.h>

#include "base/partition.hpp"
#include "benchmark/report.hpp"
#include "cli/configuration.hpp"

namespace masing::benchmark {

namespace {

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string bandwidth_line(const char* who, const Bandwidth& bandwidth) {
  return fmt::format("{:24} copy {:7.2f}   triad {:7.2f}   update in place {:7.2f}   GB/s\n", who,
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
  const bool sweep = ranks == Ranks::all && variants()[variant].sum == Sum::reproducible;
  std::string text = fmt::format(
      "{:11} {:5} {:5}  {:13} {:9.3e}  [{:9.3e}, {:9.3e}]  {:5.1f} {:9.3f} {:9.2f}",
      report.kernels.cells[level], ranks == Ranks::one ? 1 : report.machine.ranks,
      sweep ? "sweep" : "loop", variants()[variant].name, row.updates, cells / row.step.most,
      cells / row.step.least, row.bytes, row.fraction, row.ratio);
  text += ranks == Ranks::one ? "         -" : fmt::format(" {:9.2f}", row.speed_up);
  return text + fmt::format(" {:13.2f}\n", 1e9 * row.step.median);
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
        100 * sum_overhead(report, "general", level), 100 * sum_overhead(report, "both", level));
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
    text += engine_line(cells == cli::infinitely_many ? "engine memory, P = inf"
                                                      : fmt::format("engine memory, P = {}", cells),
                        engines.memory[i]);
  }
  text += engine_line("engine sweep, P = 3, one rank", engines.three_cells);
  text += engine_line("the forcing's evaluation", engines.forcing);
  text += engine_line(fmt::format("engine exact, P = inf, N = {}, T = {:g}", engines.exact_steps,
                                  engines.exact_time),
                      engines.exact);
  return text + fmt::format("engine exact: {:.3e} steps/s\n", 1.0 / engines.exact.median);
}

std::string case_text(const Case& example, int ranks) {
  return fmt::format(
      "P = {}, N = {} on {}: predicted {:.4g} s, measured {:.4g} s [{:.4g}, {:.4g}]\n"
      "  (cells {:.4g}, allreduces {:.4g}, forcing {:.4g}, the rest of a step {:.4g})\n",
      example.cells, example.steps, counted(ranks, "rank"), example.predicted(),
      example.measured.median, example.measured.least, example.measured.most, example.cell_work,
      example.waiting, example.forcing, example.overhead);
}

}  // namespace

KernelRow kernel_row(const Report& report, Ranks ranks, std::size_t variant, std::size_t level) {
  const KernelRates& kernels = report.kernels;
  const auto& columns = ranks == Ranks::one ? kernels.one : kernels.all;
  const Machine& machine = report.machine;
  const double best = ranks == Ranks::one ? machine.one.best() : machine.all.best();
  KernelRow row;
  row.step = columns[variant][level];
  row.updates = static_cast<double>(kernels.cells[level]) / row.step.median;
  row.bytes = variants()[variant].bytes_per_update();
  row.fraction = row.updates * row.bytes / best;
  row.ratio = columns[place_of("baseline")][level].median / row.step.median;
  row.speed_up = kernels.one[variant][level].median / row.step.median;
  return row;
}

double sum_overhead(const Report& report, const std::string& variant, std::size_t level) {
  const KernelRates& kernels = report.kernels;
  const std::int64_t blocks = (kernels.cells[level] - 1) / base::block_cells + 1;
  const double sums = static_cast<double>(blocks) * kernels.exact_sum.median;
  return sums / (kernels.one[place_of(variant)][level].median - sums);
}

std::string table(const Report& report) {
  return machine_text(report.machine) + "\n" + kernel_text(report) + "\n" +
         engine_text(report.engines) + "\n" + case_text(report.example, report.machine.ranks);
}

}  // namespace masing::benchmark
