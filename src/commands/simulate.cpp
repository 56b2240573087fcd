#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/seconds.hpp"
#include "campaign/campaign.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/locks.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

/// The least and the largest value of all steps.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(std::span<const double> values) {
    auto [low, high] = *this;
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    *this = {low, high};
  }
};

/// A run to be computed, and its results. As an observer of the run, the object records the ranges
/// of x and of the restoring force over all steps.
struct Run final : engine::Observer {
  explicit Run(const cli::Simulation& asked) : simulation(asked) {}

  void observe(const engine::Motion& motion, engine::Engine& /*engine*/) override {
    x.add(motion.x);
    restoring.add(motion.restoring);
  }
  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.scalars("range", x.least, x.most, restoring.least, restoring.most);
  }

  const cli::Simulation& simulation;
  const engine::RunSpec& spec = simulation.run;
  std::int64_t step = 0;  ///< the latest step that was computed
  bool is_done = false;   ///< whether the run is complete and its result file is sealed
  Range x;
  Range restoring;
  /// the wall time of all steps since the start or a restart, with output, in seconds
  double seconds = 0.0;
  double steps_per_second = 0.0;
  std::string warning;  ///< the result of Engine::warning()
  /// The result of Engine::self_check; 0 if the engine computes no second solution.
  double self_check = 0.0;
};

/// Computes a run on all ranks of `comm`. Writes the result file.
class RunWork final : public campaign::Work {
 public:
  /// Prepares the run; `run` must outlive this object. Throws UserError if the run cannot be set up
  /// or its files cannot be written, and Stopped if a stop is requested meanwhile. Collective.
  RunWork(const parallel::Communicator& comm, Run& run)
      : comm_(comm),
        run_(run),
        // make_setup() may throw, so it is called before any file is created
        setup_(engine::make_setup(comm, run.spec)),
        observers_(make_observers()),
        loop_(comm, *setup_.engine, run.spec, observers_) {}

  engine::Pause advance(std::int64_t last, engine::Pause wish,
                        campaign::Records& /*records*/) override {
    const parallel::PhaseTimer timer(parallel::Phase::steps);
    if (!loop_.is_done()) {
      const engine::Pause pause = loop_.advance(last, wish);
      run_.step = loop_.step();
      return pause;
    }
    // If checkpoints are scheduled, the state at the last step is saved as well, so that a longer
    // run can be resumed from it.
    if (run_.simulation.files.checkpoint.scheduled && !end_is_saved_) {
      return engine::Pause::save;
    }
    finish();
    return engine::Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return run_.is_done; }
  [[nodiscard]] campaign::Batch units() const override { return {0}; }
  [[nodiscard]] campaign::Count steps() const override {
    return {loop_.step(), run_.spec.time.steps};
  }
  void serialize(engine::Archive& archive) override {
    loop_.serialize(archive);
    end_is_saved_ = loop_.is_done();
    if (archive.restores()) {
      first_step_ = run_.step = loop_.step();
      begun_ = base::seconds_now();
    }
  }
  void attach(const io::Handle& checkpoint) const override { output_->save_rows(checkpoint); }

 private:
  /// Creates the result file and its recorders, or goes on with the file of an interrupted run.
  /// Returns the observers of the run: run_ itself and the recorders. Collective.
  std::vector<engine::Observer*> make_observers() {
    std::vector<engine::Observer*> observers{&run_};
    const io::ResultSpec& result = run_.simulation.files.result;
    std::optional<io::RowSource> rows;
    if (const auto& restart = run_.simulation.files.checkpoint.restart) {
      rows = io::find_rows(comm_, *restart, result);
    }
    output_.emplace(comm_, result, std::move(rows));
    recorders_ = io::make_recorders(
        {comm_, run_.spec, run_.simulation.output, setup_.profile.get()}, output_->file());
    output_->start_rows();
    for (const auto& recorder : recorders_) {
      observers.push_back(recorder.get());
    }
    return observers;
  }

  /// Ends a run whose steps are all computed. Finishes the observers, sets the final numbers in
  /// run_, writes the duration and the speeds to the result file, and seals this file. Collective.
  void finish() {
    loop_.finish();
    run_.seconds = base::seconds_now() - begun_;
    // all ranks write this value together, so it must be the same on all ranks
    parallel::broadcast(comm_, std::span(&run_.seconds, 1));
    run_.steps_per_second = static_cast<double>(run_.spec.time.steps - first_step_) / run_.seconds;
    run_.self_check = setup_.engine->self_check();
    run_.warning = setup_.engine->warning();
    io::write_time(output_->file(), "wall_seconds", run_.seconds);
    io::write_time(output_->file(), "steps_per_second", run_.steps_per_second);
    io::write_time(output_->file(), "cell_updates_per_second",
                   run_.steps_per_second * engine::swept_cells(run_.spec));
    recorders_.clear();  // the recorders must be destroyed before their file is closed
    output_->finish();
    run_.is_done = true;
  }

  const parallel::Communicator& comm_;
  Run& run_;
  engine::Setup setup_;
  std::optional<io::OutputFile> output_;
  std::vector<std::unique_ptr<engine::Observer>> recorders_;
  std::vector<engine::Observer*> observers_;
  engine::TimeLoop loop_;
  std::int64_t first_step_ = 0;  // the step from which the run was resumed; 0 if it was not resumed
  double begun_ = base::seconds_now();
  bool end_is_saved_ = false;
};

/// Supplies a campaign with its only unit, a run. count() counts the steps of the run.
class RunSource final : public campaign::Source {
 public:
  explicit RunSource(Run& run) : run_(run) {}

  [[nodiscard]] std::string unit_name() const override { return "steps"; }
  [[nodiscard]] campaign::Count count() const override { return {run_.step, run_.spec.time.steps}; }
  campaign::Packing pack(const campaign::Batch& under_way) override {
    campaign::Packing packing;
    if (under_way.empty() && !run_.is_done) {
      packing.together = {{0}};
    }
    return packing;
  }
  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const campaign::Batch& /*units*/) override {
    return std::make_unique<RunWork>(ranks, run_);
  }

 private:
  Run& run_;
};

/// Computes a run on all ranks of `comm`. Collective.
void compute_on(const parallel::Communicator& comm, Run& run) {
  RunSource source(run);
  const io::FileSpec& files = run.simulation.files;
  io::with_file_name(files.result.path, [&] { campaign::run(comm, source, files); });
}

/// Computes a run on all ranks if it is split over them (engine::is_split), and on the root alone
/// if not. Collective.
void compute(const parallel::Communicator& comm, Run& run) {
  if (comm.size() == 1 || engine::is_split(run.spec, comm.size())) {
    compute_on(comm, run);
    return;
  }
  parallel::on_root(comm, [&] {
    const parallel::RootAlone root;
    compute_on(root.comm(), run);
  });
}

/// Returns what masing simulate prints when the run is complete.
std::string report_text(const Run& run, int ranks) {
  std::string text = fmt::format(
      "masing simulate: {}, T = {:g}, {}{} rank{}\n"
      "  x in [{:.6g}, {:.6g}], restoring force in [{:.6g}, {:.6g}]\n"
      "  {:.3g} s, {:.3g} steps/s",
      engine::title(run.spec), run.spec.time.final_time,
      ranks == 1 || engine::is_split(run.spec, ranks) ? "" : "1 of ", ranks, ranks == 1 ? "" : "s",
      run.x.least, run.x.most, run.restoring.least, run.restoring.most, run.seconds,
      run.steps_per_second);
  if (const double updates = run.steps_per_second * engine::swept_cells(run.spec); updates > 0) {
    text += fmt::format(", {:.3g} cell-updates/s", updates);
  }
  if (run.spec.method == engine::Method::exact) {
    text += fmt::format("\n  two methods agree to {:.1e} in x and y", run.self_check);
  }
  return text + fmt::format("\n  {} samples in {}\n",
                            io::SampledSteps(run.simulation.output.sampling).count(),
                            run.simulation.files.result.path);
}

}  // namespace

void make(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  Run run(simulation);
  compute(comm, run);
}

int run(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  Run run(simulation);
  compute(comm, run);
  cli::print(comm, report_text(run, comm.size()));
  if (!run.warning.empty()) {
    cli::warn(comm, run.warning);
  }
  return base::exit_done;
}

}  // namespace masing::commands
