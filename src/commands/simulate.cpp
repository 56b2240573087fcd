#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "campaign/campaign.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "io/room.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

/// Records the ranges of x and of the restoring force over all steps, and calls
/// `show` with each chunk.
class Watcher final : public engine::Observer {
 public:
  Watcher(RunNumbers& numbers, const Show& show) : numbers_(numbers), show_(show) {}

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      numbers_.least_x = std::min(numbers_.least_x, samples.x[i]);
      numbers_.most_x = std::max(numbers_.most_x, samples.x[i]);
      numbers_.least_restoring = std::min(numbers_.least_restoring, samples.restoring[i]);
      numbers_.most_restoring = std::max(numbers_.most_restoring, samples.restoring[i]);
    }
    if (show_) {
      show_(samples);
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.scalars("range", numbers_.least_x, numbers_.most_x, numbers_.least_restoring,
                    numbers_.most_restoring);
  }

 private:
  RunNumbers& numbers_;
  const Show& show_;
};

constexpr const char* cores_are_short = ", cores are short";

/// A trajectory with its result file, if it has one, as the work of all ranks of `comm`.
class RunWork final : public campaign::Work {
 public:
  /// `show` and `numbers` must outlive it. Throws as engine::make_setup. Collective.
  RunWork(const parallel::Communicator& comm, const cli::Simulation& simulation, const Show& show,
          RunNumbers& numbers)
      : comm_(comm),
        simulation_(simulation),
        numbers_(numbers),
        setup_(engine::make_setup(comm, simulation.run)),  // may throw: before a file is created
        watcher_(numbers, show),
        observers_{&watcher_} {
    if (!simulation.files.result.path.empty() || simulation.files.result.image != nullptr) {
      open_file();
    }
    loop_.emplace(comm, *setup_.engine, simulation.run, observers_);
  }

  engine::Pause advance(std::int64_t last, engine::Pause wish,
                        campaign::Records& /*records*/) override {
    const parallel::PhaseTimer timer(parallel::Phase::steps);
    begun_ = begun_.value_or(Clock::now());
    // Also save the state at the last step, so that a longer run can be resumed from it.
    if (loop_->is_done() && simulation_.files.checkpoint.scheduled && !end_is_saved_) {
      return engine::Pause::save;
    }
    if (!loop_->is_done()) {
      const engine::Pause pause = loop_->advance(last, wish);
      numbers_.step = loop_->step();
      if (pause != engine::Pause::none || !loop_->is_done() ||
          simulation_.files.checkpoint.scheduled) {
        return pause;
      }
    }
    finish();
    return engine::Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return numbers_.is_done; }
  [[nodiscard]] campaign::Batch units() const override { return {0}; }
  [[nodiscard]] campaign::Count steps() const override {
    return {loop_->step(), simulation_.run.time.steps};
  }
  [[nodiscard]] std::string remark() const override {
    return loop_->waits_for_cores() ? cores_are_short : "";
  }
  void serialize(engine::Archive& archive) override {
    loop_->serialize(archive);
    end_is_saved_ = loop_->is_done();
    if (archive.restores()) {
      first_step_ = numbers_.step = loop_->step();
    }
  }
  void attach(const io::Handle& checkpoint) const override {
    if (output_) {
      output_->save_rows(checkpoint, simulation_.files.checkpoint.path);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Creates the result file and its recorders. If the run is resumed, copies the rows that it has
  /// written before.
  void open_file() {
    const io::ResultSpec& result = simulation_.files.result;
    const io::CheckpointSpec& checkpoint = simulation_.files.checkpoint;
    io::require_room(comm_, simulation_.run, simulation_.output, result.path, checkpoint);
    std::optional<io::RowSource> rows;
    if (checkpoint.restart) {
      rows = io::find_rows(comm_, *checkpoint.restart, result.path);
    }
    output_.emplace(comm_, result, std::move(rows));
    recorders_ = io::make_recorders(
        {comm_, output_->file(), simulation_.run, setup_.profile.get(), simulation_.output});
    output_->start_rows();
    for (const auto& recorder : recorders_) {
      observers_.push_back(recorder.get());
    }
  }

  /// Finishes the observers, completes the numbers, and completes and seals the result file.
  void finish() {
    loop_->finish();
    const bool waits = loop_->waits_for_cores();
    numbers_.cores_are_short = parallel::min_over_ranks(comm_, waits ? 0 : 1) == 0;
    const engine::RunSpec& run = simulation_.run;
    const auto steps = static_cast<double>(run.time.steps - first_step_);
    numbers_.seconds = std::chrono::duration<double>(Clock::now() - *begun_).count();
    parallel::broadcast(comm_, std::span(&numbers_.seconds, 1));  // every rank must write the same
    numbers_.samples = io::SampledSteps(simulation_.output.sampling).count();
    numbers_.self_check = setup_.engine->self_check();
    numbers_.steps_per_second = steps / numbers_.seconds;
    numbers_.updates_per_second = numbers_.steps_per_second * engine::swept_cells(run);
    if (output_) {
      io::write_time(output_->file(), "wall_seconds", numbers_.seconds);
      io::write_time(output_->file(), "steps_per_second", numbers_.steps_per_second);
      io::write_time(output_->file(), "cell_updates_per_second", numbers_.updates_per_second);
      recorders_.clear();  // closes their datasets before the file is closed
      output_->finish();
    }
    numbers_.is_done = true;
  }

  const parallel::Communicator& comm_;
  const cli::Simulation& simulation_;
  RunNumbers& numbers_;
  engine::Setup setup_;
  std::optional<io::OutputFile> output_;
  std::vector<std::unique_ptr<engine::Observer>> recorders_;
  Watcher watcher_;
  std::vector<engine::Observer*> observers_;
  std::optional<engine::TimeLoop> loop_;
  std::int64_t first_step_ = 0;  // the step at which the run was resumed
  std::optional<Clock::time_point> begun_;
  bool end_is_saved_ = false;
};

/// A run as a source with a single unit; count() counts its steps.
class RunSource final : public campaign::Source {
 public:
  RunSource(int ranks, const cli::Simulation& simulation, const Show& show, RunNumbers& numbers)
      : ranks_(ranks), simulation_(simulation), show_(show), numbers_(numbers) {}

  [[nodiscard]] std::string unit_name() const override { return "steps"; }
  [[nodiscard]] campaign::Count count() const override {
    return {numbers_.step, simulation_.run.time.steps};
  }
  campaign::Packing pack(const campaign::Batch& under_way) override {
    const engine::RunSpec& run = simulation_.run;
    campaign::Packing packing{.seconds = engine::estimated_seconds(run, ranks_),
                              .advice = engine::idle_advice(run, ranks_)};
    if (under_way.empty() && !numbers_.is_done) {
      packing.together = {{0}};
    }
    return packing;
  }
  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const campaign::Batch& /*units*/) override {
    return std::make_unique<RunWork>(ranks, simulation_, show_, numbers_);
  }
  [[nodiscard]] std::string title(const campaign::Batch& /*units*/) const override {
    return engine::title(simulation_.run);
  }

 private:
  int ranks_;
  const cli::Simulation& simulation_;
  const Show& show_;
  RunNumbers& numbers_;
};

std::string text_of(const RunNumbers& numbers, const cli::Simulation& simulation, int ranks) {
  const engine::RunSpec& run = simulation.run;
  std::string text = fmt::format(
      "masing simulate: {}, T = {:g}, {}{} rank{}\n"
      "  x in [{:.6g}, {:.6g}], restoring force in [{:.6g}, {:.6g}]\n"
      "  {:.3g} s, {:.3g} steps/s",
      engine::title(run), run.time.final_time, numbers.ranks < ranks ? "1 of " : "", ranks,
      ranks == 1 ? "" : "s", numbers.least_x, numbers.most_x, numbers.least_restoring,
      numbers.most_restoring, numbers.seconds, numbers.steps_per_second);
  if (numbers.updates_per_second > 0) {
    text += fmt::format(", {:.3g} cell-updates/s", numbers.updates_per_second);
  }
  if (numbers.cores_are_short) {
    text += cores_are_short;
    text += ": ranks waited for one another at every step; give as many as there are idle cores";
  }
  for (const auto phase : {parallel::Phase::setup, parallel::Phase::seal}) {
    const auto i = static_cast<std::size_t>(phase);
    if (numbers.phases[i] >= std::max(0.1, 0.1 * numbers.seconds)) {
      const char* name = phase == parallel::Phase::setup ? "set-up" : "flush and seal";
      text += fmt::format("; {} {:.3g} s", name, numbers.phases[i]);
    }
  }
  if (engine::is_exact(run)) {
    text += fmt::format("\n  two methods agree to {:.1e} in x and y", numbers.self_check);
  }
  return text +
         fmt::format("\n  {} samples in {}\n", numbers.samples, simulation.files.result.path);
}

/// Computes a run on all ranks of `comm`. Collective.
RunNumbers make_on(const parallel::Communicator& comm, const cli::Simulation& simulation,
                   const Show& show) {
  RunNumbers numbers;
  RunSource source(comm.size(), simulation, show, numbers);
  io::with_file_name(simulation.files.result.path,
                     [&] { campaign::run(comm, source, simulation.files); });
  numbers.ranks = comm.size();
  numbers.phases = parallel::phase_seconds();
  return numbers;
}

/// Receives the chunks that the root broadcasts, and calls `show` with each, until one is empty.
/// Collective.
void show_what_root_sends(const parallel::Communicator& comm, const Show& show) {
  std::vector<double> chunk;
  const auto part = [&chunk](std::size_t i) {
    const std::size_t size = (chunk.size() - 1) / 4;
    return std::span<const double>(chunk).subspan(1 + i * size, size);
  };
  while (parallel::broadcast_all(comm, chunk, 0), !chunk.empty()) {
    show({static_cast<std::int64_t>(chunk[0]), part(0), part(1), part(2), part(3)});
  }
}

}  // namespace

RunNumbers make(const parallel::Communicator& comm, const cli::Simulation& simulation,
                const Show& show) {
  if (comm.size() == 1 || engine::is_split(simulation.run, comm.size())) {
    return make_on(comm, simulation, show);
  }
  std::exception_ptr fault;  // thrown by `show` on this rank
  const Show show_here = [&](const engine::Samples& samples) {
    try {
      if (!fault) {
        show(samples);
      }
    } catch (...) {
      fault = std::current_exception();
    }
  };
  const Show show_everywhere = [&](const engine::Samples& samples) {
    std::vector<double> chunk{static_cast<double>(samples.first_step)};
    for (const auto part : {samples.force, samples.x, samples.y, samples.restoring}) {
      chunk.insert(chunk.end(), part.begin(), part.end());
    }
    parallel::broadcast_all(comm, chunk, 0);
    show_here(samples);
  };
  RunNumbers numbers;
  if (!comm.is_root() && show) {
    show_what_root_sends(comm, show_here);
  }
  parallel::on_root(comm, [&] {
    std::exception_ptr failure;
    try {
      const parallel::RootAlone root(comm);
      numbers = make_on(root.comm(), simulation, show ? show_everywhere : show);
    } catch (...) {
      failure = std::current_exception();
    }
    if (std::vector<double> end; show) {
      parallel::broadcast_all(comm, end, 0);
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  });
  parallel::broadcast(comm, std::span(&numbers.self_check, 1));
  if (fault) {
    std::rethrow_exception(fault);
  }
  return numbers;
}

int run(const parallel::Communicator& comm, const cli::Simulation& simulation, Report& /*report*/) {
  const RunNumbers numbers = make(comm, simulation);
  cli::print(comm, text_of(numbers, simulation, comm.size()));
  return base::exit_done;
}

}  // namespace masing::commands
