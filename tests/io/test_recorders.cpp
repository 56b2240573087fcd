// What recorders write: which steps are samples, energies in closed form, and the same datasets
// where a run goes on from a checkpoint on other ranks; progress.

#include "io/recorders.hpp"

#include <gtest/gtest.h>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/result_reader.hpp"
#include "parallel/session.hpp"
#include "support/given.hpp"
#include "support/options.hpp"
#include "support/result_file.hpp"
#include "support/saved_state.hpp"

namespace masing::test_recorders {

using engine::never;
using io::SampledSteps;
using io::Sampling;
using support::Saved;
using support::world;

class Recorders : public support::ResultFile {
 protected:
  /// A run whose steps are split over the ranks if they can be.
  static cli::Simulation run_of(const std::string& options) {
    cli::Simulation of =
        cli::simulation(given::requested(cli::Command::simulate, given::options(options)), "");
    of.run.split_from = 1;
    return of;
  }

  /// From the step of the checkpoint on, if there is one, to step `end`, where it is saved; the
  /// file is finished with the run. By all ranks, if they split the run, or by the root.
  void make(const cli::Simulation& of, std::int64_t end, bool by_root = false) const {
    if (by_root || !engine::is_split(of.run, world().size())) {
      support::on_root([&] {
        const parallel::RootAlone root;
        make(root.comm(), of, end);
      });
    } else {
      make(world(), of, end);
      MPI_Barrier(world().handle());
    }
  }

  /// All numbers of the file.
  [[nodiscard]] Saved datasets() const {
    Saved all;
    for (const auto& [path, type] : io::objects_in(opened())) {
      if (type == H5O_TYPE_DATASET && path != "configuration") {
        all[path] = read(path);
      }
    }
    return all;
  }

 private:
  void make(const parallel::Communicator& comm, const cli::Simulation& of, std::int64_t end) const {
    const engine::Setup setup = engine::make_setup(comm, of.run);
    const bool goes_on = std::filesystem::exists(checkpoint_);
    std::optional<io::RowSource> rows;
    if (goes_on) {
      rows = io::find_rows(comm, checkpoint_, result_);
    }
    io::OutputFile output(comm, result_, std::move(rows));
    const auto recorders =
        io::make_recorders({comm, of.run, of.output, setup.profile.get()}, output.file());
    std::vector<engine::Observer*> observers;
    observers.reserve(recorders.size());
    for (const auto& recorder : recorders) {
      observers.push_back(recorder.get());
    }
    output.start_rows();
    engine::TimeLoop loop(comm, *setup.engine, of.run, observers);
    const auto serialize = [&](engine::Archive& archive) { loop.serialize(archive); };
    if (goes_on) {
      io::restore_checkpoint(comm, checkpoint_, serialize);
    }
    while (loop.step() < end) {
      loop.advance(end, engine::Pause::none);
    }
    if (loop.is_done()) {
      loop.finish();
      output.finish();
    } else {
      io::write_checkpoint(comm, checkpoint_, result_, serialize,
                           [&](const io::Handle& file) { output.save_rows(file); });
      output.close();
    }
  }
};

/// All are at |u| = 2 in the end: ½ k η² = 1.9, four times that of (2 + 0.01)/2.
TEST_F(Recorders, have_the_elastic_energy_of_cells_that_yield_at_much_more_in_one_direction) {
  for (const std::string way : {"threshold=2; threshold-down=0.01; force=10",
                                "threshold=0.01; threshold-down=2; force=-10"}) {
    make(run_of(way + "; stiffness=0.95; final-time=3; steps=30; cells=1; engine=sweep; energy"),
         30);
    EXPECT_EQ(read("/energy/elastic").front(), 0.0);
    EXPECT_DOUBLE_EQ(read("/energy/elastic").back(), 1.9);
  }
}

TEST_F(Recorders, go_on_with_the_same_datasets_on_other_ranks) {
  for (const std::string options :
       {"cells=2500; engine=sweep; damping=0.1; k0=0.2; x0=0.4; y0=-0.3; force=0.5*cos(t); energy",
        "cells=20; engine=exact; damping=0.1; k0=0.2; x0=0.4; y0=-0.3; force=0.5*cos(t); energy",
        "model=masing-chain; set n=1100; set m=1; set k=1; set eta=0.1+i/n; set c=0.1; "
        "set c_ground=0.1; set k0=0.2; base-acceleration=0.5*cos(t); force=sin(t); cells=inf; "
        "watch=0,1,1025; energy",
        "model=s-chain; set n=3; set m=1; set k=1; set eta=0.1; force=sin(t)"}) {
    SCOPED_TRACE(options);
    // The first row, whose energies the residual begins with, is of t = 5.
    const cli::Simulation of = run_of(
        options + "; final-time=20; steps=80; sample-every=3; field-every=10; from=5; to=20");
    remove_all();
    make(of, 80, true);
    const Saved whole = datasets();
    if (of.output.energy) {
      EXPECT_GT(std::abs(whole.at("energy/input").front()), 0.01);
    }
    for (const auto& [step, by_root] : {std::pair(10, false), {41, true}}) {
      // before the first row, and between two
      remove_all();
      make(of, step, by_root);
      make(of, 80);
      support::expect_same_bits(datasets(), whole);
    }
  }
}

TEST(Sampling, has_the_first_and_the_last_step_of_its_window) {
  using Steps = std::vector<std::int64_t>;
  for (const auto& [sampling, expected] : {
           std::pair(Sampling{{1.0, 10}, 4, 0.0, 1.0}, Steps{0, 4, 8, 10}),
           {{{1.0, 10}, 5, 0.0, 1.0}, {0, 5, 10}},
           {{{1.0, 3}, 100, 0.0, 1.0}, {0, 3}},
           {{{1.0, 1}, 1, 0.0, 1.0}, {0, 1}},
           {{{10.0, 10}, 2, 3.0, 8.0}, {4, 6, 8}},
           {{{0.7, 7}, 1, 0.3, 0.6}, {3, 4, 5, 6}},  // 3·0.7/7 is rounded to less than 0.3
           {{{10.0, 10}, 3, 9.5, 10.0}, {10}},
           {{{10.0, 10}, 3, 0.0, 0.0}, {0}},
           {{{10.0, 10}, 4, 1.0, 3.0}, {}},
       }) {
    const SampledSteps sampled(sampling);
    Steps steps;
    for (std::int64_t step = 0; step <= sampling.time.steps; ++step) {
      if (sampled.takes(step)) {
        steps.push_back(step);
      }
    }
    EXPECT_EQ(steps, expected);
  }
}

/// next() and count() against takes() of every step. N·T/N is rounded and may lie above T; step N
/// is a sample all the same.
TEST(Sampling, finds_the_next_sample_and_counts_without_a_walk) {
  for (const double time : {0.1, 0.7, 1.1, 12.3, 1e-9, 500.0}) {
    for (std::int64_t steps = 1; steps < 150; ++steps) {
      for (const std::int64_t every : {1, 7, 50, 5000}) {
        for (const auto& [from, to] :
             {std::pair(0.0, 1.0), {0.3, 0.6}, {0.999, 1.0}, {0.5, 0.5}, {0.0, 0.0}}) {
          const SampledSteps sampled({{time, steps}, every, from * time, to * time});
          ASSERT_EQ(sampled.takes(steps), to == 1.0);
          std::int64_t next = never;
          std::int64_t count = sampled.count();
          for (std::int64_t step = steps; step >= 0; --step) {
            ASSERT_EQ(sampled.next(step), next) << "after step " << step;
            ASSERT_EQ(sampled.count(step), count) << "to step " << step;
            next = sampled.takes(step) ? step : next;
            count -= sampled.takes(step) ? 1 : 0;
          }
          ASSERT_EQ(count, 0);
        }
      }
    }
  }
}

TEST(Progress, counts_the_steps_made_now) {
  const auto says = [](const io::StepsDone& steps, double seconds, const std::string& end) {
    std::string line = io::progress_line("t", steps, seconds);
    EXPECT_TRUE(line.ends_with(end)) << line;
    return line;
  };
  EXPECT_TRUE(says({0, 400, 1000}, 2.0, " 40 %  t  200 steps/s  3 s left")
                  .starts_with("[############..................]"));
  // After a restart at step 900: 50 steps in 10 s, not 950.
  says({900, 950, 1000}, 10.0, " 95 %  t  5 steps/s  10 s left");
  says({0, 1, 3601}, 1.0, " 0 %  t  1 steps/s  60 min left");
  says({5, 6, 7206, "points"}, 1.0, " 0 %  t  1 points/s  2.0 h left");
}

}  // namespace masing::test_recorders
