// Every engine gives the same bits on any number of ranks, wherever the run is cut into chunks, and
// after it was saved on some ranks and restored on others: each run is compared with one that this
// rank makes alone and without a stop. Numbers of cells are one, few, and one less and one more
// than blocks of 1024: some ranks have none of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "support/gather.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
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
};

/// An engine at its start, with all that must outlive it.
struct MadeRun {
  std::shared_ptr<const parallel::Communicator> ranks;  ///< that make it together
  std::shared_ptr<void> owner;
  engine::Engine* engine = nullptr;
  std::vector<double> times = std::vector<double>(steps + 1);
  std::vector<double> driving = times;
};

void set_driving(MadeRun& run, const slab::TimeGrid& time,
                 const std::function<double(double)>& drive) {
  for (std::int64_t p = 0; p <= steps; ++p) {
    const auto step = static_cast<std::size_t>(p);
    run.times[step] = time.time(p);
    run.driving[step] = drive(run.times[step]);
  }
}

using MakeRun = std::function<MadeRun(const parallel::Communicator&)>;

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
}

Motion undisturbed(const MakeRun& make, const parallel::Communicator& comm) {
  MadeRun run = make(comm);
  Motion motion;
  advance(run, motion, 0, steps, {steps});
  end(run, motion);
  return motion;
}

/// Saved on some ranks, gone on with by others, or otherwise.
Motion resumed(const MakeRun& make, const parallel::Communicator& before, const MakeRun& make_again,
               const parallel::Communicator& after) {
  Motion motion;
  Saved saved;
  double self_check = 0.0;
  {
    MadeRun run = make(before);
    advance(run, motion, 0, saved_step, {1, 7, 33, 2});
    Save archive(*run.ranks, saved);
    run.engine->serialize(saved_step, archive);
    self_check = run.engine->self_check();
  }
  MadeRun run = make_again(after);
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

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Motion& found, const Motion& expected) {
  EXPECT_TRUE(same_bits(found.x, expected.x));
  EXPECT_TRUE(same_bits(found.y, expected.y));
  EXPECT_TRUE(same_bits(found.restoring, expected.restoring));
  EXPECT_TRUE(same_bits(found.field, expected.field));
}

struct Case {
  const char* name;
  given::Options options;  ///< beside those of run_of
};

engine::RunSpec run_of(const Case& of) {
  given::Options options = of.options;
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

MadeRun made_run(const parallel::Communicator& comm, const engine::RunSpec& spec) {
  auto ranks = std::make_shared<const parallel::Communicator>(
      support::all_or_one(comm, engine::is_split(spec, comm.size())));
  auto setup = std::make_shared<engine::Setup>(engine::make_setup(*ranks, spec));
  MadeRun run{.ranks = ranks, .owner = setup, .engine = setup->engine.get()};
  set_driving(run, spec.time, [&](double t) { return spec.drive(t); });
  return run;
}

class Engines : public testing::TestWithParam<Case> {};

/// Made by each rank alone, or over the ranks for what can be split: saved in one way, gone on with
/// in another.
TEST_P(Engines, go_on_with_the_same_bits) {
  const engine::RunSpec whole = run_of(GetParam());
  engine::RunSpec split = whole;
  split.split_from = 1;
  const parallel::Communicator alone = support::alone();
  struct Way {
    const char* name;
    const engine::RunSpec* run;
    const parallel::Communicator* ranks;
  };
  std::vector<Way> ways{{"by all ranks", &whole, &support::world()}};
  if (support::world().size() > 1) {
    ways.push_back({"by one rank", &whole, &alone});
  }
  if (engine::is_split(split, support::world().size())) {
    ways.push_back({"split over the ranks", &split, &support::world()});
  }
  const auto maker = [](const Way& way) -> MakeRun {
    return [run = way.run](const auto& comm) { return made_run(comm, *run); };
  };
  const Motion expected = undisturbed(maker(ways[0]), alone);
  // Something happens after the restart.
  EXPECT_NE(expected.x[saved_step], expected.x.back());
  for (const Way& before : ways) {
    for (const Way& after : ways) {
      SCOPED_TRACE(std::string("saved ") + before.name + ", restored " + after.name);
      expect_same(resumed(maker(before), *before.ranks, maker(after), *after.ranks), expected);
    }
  }
}

/// One block of elements or four of unequal length: some rank is at an end, between others, or
/// idle.
Case chain(const char* name, const char* elements) {
  return {name,
          {{"model", "s-chain"},
           {"set n", elements},
           {"set m", "2-cos(i)"},
           {"set k", "1+i/n"},
           {"set eta", "0.1+i/n"},
           {"set y0", "1+sin(7*i)"},
           {"set u0", "0.1*sin(3*i)"},
           {"force", "3*sin(t)"}}};
}

/// So small a motion of a slab with u0 ≠ 0 that some cells have yielded to neither side: S depends
/// on both extremes of x.
Case small(const char* name) {
  return {name, {{"engine", "memory"}, {"initial-u", "0.05"}, {"force", "0.2*sin(t)"}}};
}

INSTANTIATE_TEST_SUITE_P(
    All, Engines,
    testing::Values(Case{"sweep", {{"initial-u", "0.05*cos(20*s)"}}},
                    Case{"sweep_leapfrog", {{"scheme", "leapfrog"}}},
                    Case{"sweep_of_one_cell", {{"cells", "1"}}},
                    Case{"sweep_of_three_cells", {{"cells", "3"}, {"rule", "midpoint"}}},
                    Case{"sweep_of_less_than_a_block", {{"cells", "1023"}}},
                    Case{"sweep_of_more_than_a_block", {{"cells", "1025"}, {"rule", "midpoint"}}},
                    Case{"sweep_of_three_blocks", {{"cells", "3072"}}},
                    Case{"sweep_of_ten_blocks", {{"cells", "10007"}, {"rule", "midpoint"}}},
                    Case{"memory", {{"engine", "memory"}}},
                    Case{"memory_moved", {{"engine", "memory"}, {"initial-u", "0.05"}}},
                    small("memory_moved_little"),
                    Case{"memory_leapfrog", {{"engine", "memory"}, {"scheme", "leapfrog"}}},
                    Case{"memory_inf", {{"engine", "memory"}, {"cells", "inf"}}},
                    Case{"exact", {{"engine", "exact"}, {"cells", "20"}}},
                    Case{"exact_inf", {{"engine", "exact"}, {"cells", "inf"}}},
                    Case{
                        "quasistatic_position",
                        {{"model", "masing-quasistatic"}, {"position", "0.8*sin(t)+0.1*sin(7*t)"}}},
                    Case{"quasistatic_force_inf",
                         {{"model", "masing-quasistatic"},
                          {"force", "0.2*sin(t)+0.02*sin(7*t)"},
                          {"cells", "inf"}}},
                    Case{"replicated",
                         {{"model", "friction-oscillator"}, {"set k", "1"}, {"set alpha", "0.3"}}},
                    Case{"in_series",
                         {{"model", "p-series"},
                          {"set n", "3100"},
                          {"set k", "n*(1+i/n)"},
                          {"set k0", "0.7"},
                          {"set alpha", "0.3"},
                          {"set y0", "1"}}},
                    chain("chain_of_one", "1"), chain("chain_of_three", "3"),
                    chain("chain_of_a_block", "1024"), chain("chain_of_four_blocks", "3100")),
    [](const auto& of) { return std::string(of.param.name); });

TEST(DiscreteMasing, with_cell_widths_for_weights_is_the_slab) {
  const auto motion = [](const Case& of) {
    const engine::RunSpec run = run_of(of);
    return undisturbed([&](const auto& comm) { return made_run(comm, run); }, support::alone());
  };
  const Motion slab = motion({"slab",
                              {{"stiffness", "1+s"},
                               {"threshold", "s+0.1"},
                               {"k0", "0.2"},
                               {"cells", "40"},
                               {"final-time", "6"}}});
  const Motion discrete = motion({"discrete",
                                  {{"model", "discrete-masing"},
                                   {"set n", "40"},
                                   {"set k0", "0.2"},
                                   {"set k", "(1+i/n)/n"},
                                   {"set eta", "i/n+0.1"},
                                   {"final-time", "6"}}});
  const auto expect_near = [](const std::vector<double>& a, std::span<const double> b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-12) << i;  // sums in another order
    }
    EXPECT_GT(std::ranges::max(a) - std::ranges::min(a), 0.1);
  };
  expect_near(slab.x, discrete.x);
  expect_near(slab.y, discrete.y);
  expect_near(slab.restoring, discrete.restoring);
  expect_near(slab.field, std::span(discrete.field).subspan(2));  // u beside x, y, u
}

}  // namespace masing::test_restart
