// Every engine gives the same bits on any number of ranks, wherever the run is cut into chunks, and
// after it was saved on some ranks and restored on others: each run is compared with one that this
// rank makes alone and without a stop. Some runs have fewer blocks of 1024 cells than ranks, so
// that some ranks hold none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "support/gather.hpp"
#include "support/options.hpp"
#include "support/saved_state.hpp"
#include "support/world.hpp"

namespace masing::test_restart {

using support::Restore;
using support::Save;
using support::Saved;

constexpr std::int64_t steps = 300;
constexpr std::int64_t saved_step = 137;

/// x, y and F - m x'' at every step, the first entries being the start, and the last states.
struct Motion {
  std::vector<double> x = std::vector<double>(steps + 1);
  std::vector<double> y = x;
  std::vector<double> restoring = x;
  std::vector<double> field;
  std::string warning;
};

struct MadeRun {
  std::shared_ptr<const parallel::Communicator> ranks;  ///< that make it together
  std::shared_ptr<void> owner;
  engine::Engine* engine = nullptr;
  std::vector<double> times = std::vector<double>(steps + 1);
  std::vector<double> driving = times;
};

MadeRun made_run(const parallel::Communicator& comm, const engine::RunSpec& spec) {
  auto ranks = std::make_shared<const parallel::Communicator>(
      support::all_or_one(comm, engine::is_split(spec, comm.size())));
  auto setup = std::make_shared<engine::Setup>(engine::make_setup(*ranks, spec));
  MadeRun run{.ranks = ranks, .owner = setup, .engine = setup->engine.get()};
  for (std::size_t p = 0; p < run.times.size(); ++p) {
    run.times[p] = spec.time.time(static_cast<std::int64_t>(p));
    run.driving[p] = spec.drive(run.times[p]);
  }
  return run;
}

/// From step `first` to `last`, in chunks of `lengths` in turn.
void advance(MadeRun& run, Motion& motion, std::int64_t first, std::int64_t last,
             const std::vector<std::int64_t>& lengths) {
  for (std::size_t turn = 0; first < last; ++turn) {
    const std::int64_t count = std::min(lengths[turn % lengths.size()], last - first);
    const auto from = static_cast<std::size_t>(first);
    const auto size = static_cast<std::size_t>(count);
    run.engine->advance({.first = first,
                         .times = std::span(run.times).subspan(from + 1, size),
                         .force = std::span(run.driving).subspan(from, size + 1),
                         .x = std::span(motion.x).subspan(from + 1, size),
                         .y = std::span(motion.y).subspan(from + 1, size),
                         .restoring = std::span(motion.restoring).subspan(from + 1, size)});
    first += count;
  }
}

void end(const MadeRun& run, Motion& motion) {
  const base::AlignedVector all = support::gather(*run.ranks, run.engine->field().values());
  motion.field = {all.begin(), all.end()};
  motion.warning = run.engine->warning();
}

Motion undisturbed(const engine::RunSpec& spec) {
  MadeRun run = made_run(support::alone(), spec);
  Motion motion;
  advance(run, motion, 0, steps, {steps});
  end(run, motion);
  return motion;
}

struct Way {
  const char* name;
  const engine::RunSpec* run;
  const parallel::Communicator* ranks;
};

Motion resumed(const Way& before, const Way& after) {
  Motion motion;
  Saved saved;
  double self_check = 0.0;
  {
    MadeRun run = made_run(*before.ranks, *before.run);
    advance(run, motion, 0, saved_step, {1, 7, 33, 2});
    Save archive(*run.ranks, saved);
    run.engine->serialize(saved_step, archive);
    self_check = run.engine->self_check();
  }
  MadeRun run = made_run(*after.ranks, *after.run);
  Restore archive(saved);
  run.engine->serialize(saved_step, archive);
  const engine::Sample sample = run.engine->sample();
  EXPECT_EQ(sample.x, motion.x[saved_step]);
  EXPECT_EQ(sample.y, motion.y[saved_step]);
  EXPECT_EQ(sample.restoring, motion.restoring[saved_step]);
  EXPECT_EQ(run.engine->self_check(), self_check);
  advance(run, motion, saved_step, steps, {5, 1, 64, 3});
  end(run, motion);
  return motion;
}

void expect_same_bits(const Motion& found, const Motion& expected) {
  EXPECT_EQ(found.warning, expected.warning);
  for (const auto numbers : {&Motion::x, &Motion::y, &Motion::restoring, &Motion::field}) {
    const std::vector<double>& a = found.*numbers;
    const std::vector<double>& b = expected.*numbers;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  }
}

struct Case {
  std::string name;
  std::string options;  ///< beside those of run_of
};

engine::RunSpec run_of(const Case& of) {
  given::Options options = given::options(of.options);
  options.insert({{"final-time", "20"}, {"steps", std::to_string(steps)}});
  if (!options.contains("position")) {
    options.insert({"force", "0.9*cos(0.5*t)+0.1*sawtooth(t/3)"});
  }
  if (!options.contains("model") || options.at("model") == "masing-quasistatic") {
    options.insert(
        {{"stiffness", "1+0.5*sin(3*s)"}, {"threshold", "0.1+abs(s-0.4)"}, {"cells", "2500"}});
  }
  return given::requested(cli::Command::simulate, options).run;
}

class Engines : public testing::TestWithParam<Case> {};

/// Made by each rank alone, or over the ranks for what can be split: saved in one way, gone on with
/// in another.
TEST_P(Engines, go_on_with_the_same_bits) {
  const engine::RunSpec whole = run_of(GetParam());
  engine::RunSpec split = whole;
  split.split_from = 1;
  const parallel::Communicator alone = support::alone();
  std::vector<Way> ways{{"by all ranks", &whole, &support::world()}};
  if (support::world().size() > 1) {
    ways.push_back({"by one rank", &whole, &alone});
  }
  if (engine::is_split(split, support::world().size())) {
    ways.push_back({"split over the ranks", &split, &support::world()});
  }
  const Motion expected = undisturbed(whole);
  // Something happens after the restart.
  EXPECT_NE(expected.x[saved_step], expected.x.back());
  EXPECT_EQ(expected.warning.empty(), GetParam().name != "chain_of_slabs");
  for (const Way& before : ways) {
    for (const Way& after : ways) {
      SCOPED_TRACE(std::string("saved ") + before.name + ", restored " + after.name);
      expect_same_bits(resumed(before, after), expected);
    }
  }
}

/// Of one block of elements or four of unequal length: some rank is at an end, between others, or
/// idle.
const std::string chain =
    "model=s-chain; set m=2-cos(i); set k=1+i/n; set eta=0.1+i/n; set y0=1+sin(7*i); "
    "set u0=0.1*sin(3*i); force=3*sin(t); set n=";

const Case cases[] = {
    {"sweep", "initial-u=0.05*cos(20*s)"},
    {"sweep_leapfrog", "scheme=leapfrog"},
    {"sweep_of_one_cell", "cells=1"},
    {"sweep_of_more_than_a_block", "cells=1025; rule=midpoint"},
    {"sweep_of_three_blocks", "cells=3072"},
    {"sweep_of_ten_blocks", "cells=10007; rule=midpoint"},
    {"memory", "engine=memory"},
    {"memory_moved", "engine=memory; initial-u=0.05"},
    // So small a motion that some cells have yielded to neither side: S depends on both extremes.
    {"memory_moved_little", "engine=memory; initial-u=0.05; force=0.2*sin(t)"},
    {"memory_leapfrog", "engine=memory; scheme=leapfrog"},
    {"memory_inf", "engine=memory; cells=inf"},
    {"exact", "engine=exact; cells=20"},
    {"exact_inf", "engine=exact; cells=inf"},
    {"quasistatic_position", "model=masing-quasistatic; position=0.8*sin(t)+0.1*sin(7*t)"},
    {"quasistatic_force_inf",
     "model=masing-quasistatic; force=0.2*sin(t)+0.02*sin(7*t); cells=inf"},
    {"replicated", "model=friction-oscillator; set k=1; set alpha=0.3"},
    {"in_series",
     "model=p-series; set n=3100; set k=n*(1+i/n); set k0=0.7; set alpha=0.3; set y0=1"},
    {"chain_of_one", chain + "1"},
    {"chain_of_three", chain + "3"},
    {"chain_of_a_block", chain + "1024"},
    {"chain_of_four_blocks", chain + "3100"},
    // Element 2 reaches its strength, 0.06, in the first 5 of 20 s, before the state is saved.
    {"chain_of_slabs",
     "model=masing-chain; set n=3; set m=1; set c_ground=1; set k=1; set eta=i==2?0.1:1; "
     "cells=inf; force=t<5?0.3:0.02*sin(t)"}};
INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(cases),
                         [](const auto& of) { return of.param.name; });

}  // namespace masing::test_restart
