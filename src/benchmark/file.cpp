#include <functional>
#include <vector>

#include "benchmark/report.hpp"

namespace masing::benchmark {

namespace {

/// Writes columns that are the same on every rank.
class Columns {
 public:
  Columns(const parallel::Communicator& comm, const io::Handle& file) : comm_(comm), file_(file) {}

  void write(const std::string& path, const io::Meaning& meaning, std::size_t rows,
             const std::function<double(std::size_t)>& value) const {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) {
      values.push_back(value(row));
    }
    const auto of_root = comm_.is_root() ? std::span<const double>(values) : std::span<double>();
    io::write_distributed(file_, path, meaning, of_root, 0, static_cast<std::int64_t>(rows));
  }

  /// The three columns of a timing: the median, _least and _most.
  void write_timing(const std::string& path, const io::Meaning& meaning, std::size_t rows,
                    const std::function<Timing(std::size_t)>& timing) const {
    write(path, {meaning.description + "; median of the repeats", meaning.symbol}, rows,
          [&](std::size_t row) { return timing(row).median; });
    write(path + "_least", {meaning.description + "; least of the repeats", meaning.symbol}, rows,
          [&](std::size_t row) { return timing(row).least; });
    write(path + "_most", {meaning.description + "; most of the repeats", meaning.symbol}, rows,
          [&](std::size_t row) { return timing(row).most; });
  }

 private:
  const parallel::Communicator& comm_;
  const io::Handle& file_;
};

void write_bandwidth(const io::Handle& group, const std::string& who, const Bandwidth& bandwidth) {
  io::write_attribute(group, "copy_bandwidth_" + who, bandwidth.copy);
  io::write_attribute(group, "triad_bandwidth_" + who, bandwidth.triad);
  io::write_attribute(group, "update_bandwidth_" + who, bandwidth.update);
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
  const auto& latencies = machine.latencies;
  columns.write("/latency/ranks", {"ranks of an allreduce of two 64-bit integers", "R"},
                latencies.size(),
                [&](std::size_t i) { return static_cast<double>(latencies[i].ranks); });
  columns.write_timing("/latency/seconds", {"seconds of that allreduce", "L"}, latencies.size(),
                       [&](std::size_t i) { return latencies[i].seconds; });
}

void write_variant(const Columns& columns, const Report& report, Ranks ranks, std::size_t variant) {
  const std::string place =
      std::string(ranks == Ranks::one ? "/kernel/one_rank/" : "/kernel/all_ranks/") +
      variants()[variant].name;
  const std::string& what = variants()[variant].description;
  const std::size_t rows = report.kernels.cells.size();
  const auto row = [&](std::size_t level) { return kernel_row(report, ranks, variant, level); };
  columns.write_timing(place + "/seconds_per_step", {what + ": seconds a step", "t"}, rows,
                       [&](std::size_t level) { return row(level).step; });
  columns.write(place + "/updates_per_second", {what + ": cell-updates a second", "P/t"}, rows,
                [&](std::size_t level) { return row(level).updates; });
  columns.write(place + "/bytes_per_update", {what + ": bytes a cell-update must move", "b"}, rows,
                [&](std::size_t level) { return row(level).bytes; });
  columns.write(place + "/bandwidth_fraction",
                {what + ": bytes moved a second over the largest bandwidth measured", "b P/(t B)"},
                rows, [&](std::size_t level) { return row(level).fraction; });
  columns.write(place + "/baseline_ratio",
                {what + ": cell-updates over the baseline's on as many ranks", "t_0/t"}, rows,
                [&](std::size_t level) { return row(level).ratio; });
  if (ranks == Ranks::all) {
    columns.write(place + "/speed_up", {what + ": cell-updates over those of one rank", "t_1/t"},
                  rows, [&](std::size_t level) { return row(level).speed_up; });
  }
}

void write_timing(const io::Handle& group, const std::string& name, const Timing& timing) {
  io::write_attribute(group, name, timing.median);
  io::write_attribute(group, name + "_least", timing.least);
  io::write_attribute(group, name + "_most", timing.most);
}

void write_engines(const Columns& columns, const io::Handle& file, const EngineRates& engines) {
  columns.write("/memory/cells", {"cells; 0 for P = inf", "P"}, engines.memory.size(),
                [&](std::size_t i) { return static_cast<double>(engines.memory_cells[i]); });
  columns.write_timing("/memory/seconds_per_step",
                       {"engine memory on all ranks: seconds a step", "t"}, engines.memory.size(),
                       [&](std::size_t i) { return engines.memory[i]; });
  const io::Handle step = io::create_group(file, "/step");
  write_timing(step, "three_cells_seconds", engines.three_cells);
  write_timing(step, "forcing_seconds", engines.forcing);
  const io::Handle exact = io::create_group(file, "/exact");
  io::write_attribute(exact, "steps", engines.exact_steps);
  io::write_attribute(exact, "final_time", engines.exact_time);
  io::write_attribute(exact, "steps_per_second", 1.0 / engines.exact.median);
  write_timing(exact, "seconds_per_step", engines.exact);
}

void write_case(const io::Handle& file, const Case& example) {
  const io::Handle group = io::create_group(file, "/case");
  io::write_attribute(group, "cells", example.cells);
  io::write_attribute(group, "steps", example.steps);
  io::write_attribute(group, "predicted_seconds", example.predicted());
  io::write_attribute(group, "predicted_cells_seconds", example.cell_work);
  io::write_attribute(group, "predicted_allreduce_seconds", example.waiting);
  io::write_attribute(group, "predicted_forcing_seconds", example.forcing);
  io::write_attribute(group, "predicted_overhead_seconds", example.overhead);
  write_timing(group, "measured_seconds", example.measured);
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const Report& report) {
  const Columns columns(comm, file);
  write_machine(columns, file, report.machine);
  columns.write(
      "/kernel/cells", {"cells of the rows of every variant", "P"}, report.kernels.cells.size(),
      [&](std::size_t level) { return static_cast<double>(report.kernels.cells[level]); });
  for (const Ranks ranks : {Ranks::one, Ranks::all}) {
    for (std::size_t variant = 0; variant < variants().size(); ++variant) {
      write_variant(columns, report, ranks, variant);
    }
  }
  for (const std::string variant : {"general", "both"}) {
    columns.write(
        "/kernel/one_rank/sum_overhead_" + variant,
        {"what reproducible sums add at most to a step of " + variant + ", over the rest of it",
         "B c/(t - B c)"},
        report.kernels.cells.size(),
        [&](std::size_t level) { return sum_overhead(report, variant, level); });
  }
  write_engines(columns, file, report.engines);
  write_case(file, report.example);
}

}  // namespace masing::benchmark
