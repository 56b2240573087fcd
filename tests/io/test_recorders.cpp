// What recorders write of a slab: energies in closed form, and the same rows where a run goes on
// from a checkpoint.

#include "io/recorders.hpp"

#include <gtest/gtest.h>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/checkpoint.hpp"
#include "support/problem.hpp"
#include "support/result_file.hpp"

namespace masing::test_recorders {

using support::world;

class Recorders : public support::ResultFile {
 protected:
  /// From the step of the checkpoint on, if asked for, to step `end`, where it is saved; the file
  /// is finished with the run.
  void make(const support::Problem& problem, const io::OutputSpec& asked, std::int64_t end,
            bool goes_on = false) const {
    engine::RunSpec run{
        engine::Masing{
            .slab = problem, .oscillator = problem.oscillator, .method = engine::Method::sweep},
        problem.force, problem.time};
    run.split_from = 1;
    const engine::Setup setup = engine::make_setup(world(), run);
    std::optional<io::RowSource> rows;
    if (goes_on) {
      rows = io::find_rows(world(), checkpoint_, result_.path);
    }
    io::OutputFile output(world(), result_, std::move(rows));
    const auto recorders =
        io::make_recorders({world(), output.file(), run, setup.profile.get(), asked});
    std::vector<engine::Observer*> observers;
    observers.reserve(recorders.size());
    for (const auto& recorder : recorders) {
      observers.push_back(recorder.get());
    }
    output.start_rows();
    engine::TimeLoop loop(world(), *setup.engine, run, observers);
    const auto serialize = [&](engine::Archive& archive) { loop.serialize(archive); };
    if (goes_on) {
      io::CheckpointFile(world(), checkpoint_).restore(serialize);
    }
    while (loop.step() < end) {
      loop.advance(end, engine::Pause::none);
    }
    if (loop.is_done()) {
      loop.finish();
      output.finish();
    } else {
      io::write_checkpoint(world(), checkpoint_, result_, serialize,
                           [&](const io::Handle& file) { output.save_rows(file, checkpoint_); });
      output.close();
    }
  }
};

TEST_F(Recorders, have_the_elastic_energy_of_cells_that_yield_at_much_more_upwards) {
  // All are at η = 2 in the end: ½ k η² = 1.9, four times that of (2 + 0.01)/2.
  support::Problem problem = support::problem({.stiffness = "0.95", .threshold = "2"});
  problem.set_threshold_down(support::function("0.01", 's'));
  problem.force = support::function("10", 't');
  problem.time = {3.0, 30};
  make(problem, {.sampling = {.time = problem.time, .every = 30, .to = 3.0}, .energy = true}, 30);
  EXPECT_EQ(read("/energy/elastic").front(), 0.0);
  EXPECT_DOUBLE_EQ(read("/energy/elastic").back(), 1.9);
}

TEST_F(Recorders, go_on_with_the_same_rows_from_a_checkpoint) {
  const support::Problem problem =
      support::problem({.force = "0.5*cos(t)",
                        .oscillator = {.damping = 0.1, .k0 = 0.2, .x0 = 0.4, .y0 = -0.3},
                        .final_time = 20.0,
                        .steps = 80,
                        .space = slab::Cells{2500}});
  // The first row, whose energies the residual begins with, is of t = 5.
  const io::OutputSpec asked{
      .sampling = {.time = problem.time, .every = 3, .from = 5.0, .to = 20.0},
      .field_every = 10,
      .energy = true};
  const auto all = [this] {
    std::vector<std::vector<double>> found;
    for (const char* name :
         {"/series/x", "/series/restoring", "/field/u", "/energy/elastic", "/energy/dissipated",
          "/energy/viscous", "/energy/input", "/energy/residual"}) {
      found.push_back(read(name));
    }
    return found;
  };
  make(problem, asked, 80);
  const auto whole = all();
  EXPECT_GT(std::abs(read("/energy/input").front()), 0.01);
  for (const std::int64_t step : {10, 41}) {  // before the first row, and between two
    remove_all();
    make(problem, asked, step);
    make(problem, asked, 80, true);
    EXPECT_TRUE(all() == whole) << step;
  }
}

}  // namespace masing::test_recorders
