// Every engine gives the same bits on any number of ranks, wherever the run is cut into chunks, and
// after it was saved on some ranks and restored on others: all that it computes, tells and saves is
// compared with a run that this rank makes alone and without a stop. Some runs have fewer blocks of
// 1024 cells than ranks, so that some ranks hold none.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "engine/chain.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "support/options.hpp"
#include "support/saved_state.hpp"
#include "support/world.hpp"

namespace masing::test_restart {

using parallel::Communicator;
using support::Saved;

constexpr std::int64_t saved_step = 137;

/// A run by all ranks of a communicator if they split it, else by this rank.
class MadeRun {
 public:
  MadeRun(const Communicator& comm, const engine::RunSpec& spec)
      : spec_(spec),
        ranks_(support::all_or_one(comm, engine::is_split(spec, comm.size()))),
        setup_(engine::make_setup(ranks_, spec)) {}

  /// Adds x, y, F - m x'' and the watched nodes of the steps after `first`, up to `last`, in chunks
  /// of `lengths` in turn.
  void advance(Saved& motion, std::int64_t first, std::int64_t last,
               const std::vector<std::int64_t>& lengths) {
    if (first == 0) {
      (void)setup_.engine->works();
    }
    engine::Stepper stepper(ranks_, *setup_.engine, spec_);
    for (std::size_t turn = 0; first < last; ++turn) {
      const std::int64_t count = std::min(lengths[turn % lengths.size()], last - first);
      stepper.share(first, count, count);
      const engine::Motion computed = stepper.advance(first);
      for (const auto& [name, values] : {std::pair("x of steps", computed.x),
                                         {"y of steps", computed.y},
                                         {"restoring of steps", computed.restoring}}) {
        motion[name].insert(motion[name].end(), values.begin(), values.end());
      }
      for (const engine::WatchedNode& node : setup_.engine->watched()) {
        add(motion["watched of steps"], node);
      }
      first += count;
    }
  }

  void restore(const Saved& saved) {
    support::Restore archive(saved);
    setup_.engine->serialize(archive);
  }

  /// All that the engine tells and saves at a step, and whether this agrees with u of the cells.
  [[nodiscard]] Saved state() {
    engine::Engine& engine = *setup_.engine;
    Saved all;
    support::Save archive(ranks_, all);
    engine.serialize(archive);
    all["field now"] = support::whole(engine.state());
    all["self-check"] = {engine.self_check()};
    const auto energy = engine.elastic_energy();
    all["elastic energy"] = {energy.value_or(-1.0)};
    if (const auto works = engine.works()) {
      all["works"] = {works->input, works->slab, works->viscous};
    }
    const std::string warning = engine.warning();
    all["warning"] = {warning.begin(), warning.end()};
    const auto u = engine.state().values();
    double sum = 0.0;  // ½ ∫ k u² ds
    for (std::size_t i = 0; setup_.profile && i < u.size(); ++i) {
      const slab::Element cell = setup_.profile->element(static_cast<std::int64_t>(i));
      sum += cell.stiffness * u[i] * u[i] / (2 * static_cast<double>(u.size()));
      if (const auto remembered = engine.elongation()) {
        EXPECT_EQ((*remembered)(cell), u[i]) << i;
      }
    }
    if (energy && std::holds_alternative<slab::Cells>(*engine::space_of(spec_))) {
      EXPECT_NEAR(*energy, sum, 1e-13);
    }
    return all;
  }

 private:
  static void add(std::vector<double>& all, const engine::WatchedNode& node) {
    all.insert(all.end(), {node.x, node.y, node.a, node.elongation, node.force, node.restoring});
  }

  const engine::RunSpec& spec_;
  Communicator ranks_;
  engine::Setup setup_;
};

struct Case {
  std::string name;
  std::string options;  ///< beside those of run_of

  friend std::ostream& operator<<(std::ostream& stream, const Case& one) {
    return stream << one.name;
  }
};

engine::RunSpec run_of(const Case& of) {
  given::Options options = given::options(of.options);
  options.insert({{"final-time", "20"}, {"steps", "300"}});
  if (!options.contains("position")) {
    options.insert({"force", "0.9*cos(0.5*t)+0.1*sawtooth(t/3)"});
  }
  if (!options.contains("model") || options.at("model") == "masing-quasistatic") {
    options.insert(
        {{"stiffness", "1+0.5*sin(3*s)"}, {"threshold", "0.1+abs(s-0.4)"}, {"cells", "2500"}});
  }
  engine::RunSpec run = given::requested(cli::Command::simulate, options).run;
  run.split_from = 1;
  return run;
}

class Engines : public testing::TestWithParam<Case> {};

/// Saved in one way, gone on with in another. What is not split one rank makes, wherever it is.
TEST_P(Engines, go_on_with_the_same_bits) {
  const engine::RunSpec spec = run_of(GetParam());
  const std::int64_t steps = spec.time.steps;
  const Communicator alone = support::alone();
  Saved expected;
  MadeRun undisturbed(alone, spec);
  undisturbed.advance(expected, 0, steps, {steps});
  expected.merge(undisturbed.state());
  EXPECT_EQ(expected["warning"].empty(), !GetParam().name.starts_with("warning"));
  const std::vector<double>& x = expected["x of steps"];
  EXPECT_NE(x[saved_step - 1], x.back()) << "nothing happens after the restart";
  using Ways = std::vector<std::pair<const Communicator*, const Communicator*>>;
  const Communicator* all = &support::world();
  Ways ways{{&alone, &alone}};
  if (all->size() > 1) {
    ways = engine::is_split(spec, all->size()) ? Ways{{all, all}, {all, &alone}, {&alone, all}}
                                               : Ways{};
  }
  for (const auto& [before, after] : ways) {
    SCOPED_TRACE(testing::Message() << before->size() << " ranks, then " << after->size());
    Saved motion;
    MadeRun first(*before, spec);
    first.advance(motion, 0, saved_step, {1, 7, 33, 2});
    const Saved saved = first.state();
    MadeRun second(*after, spec);
    second.restore(saved);
    support::expect_same_bits(second.state(), saved);
    second.advance(motion, saved_step, steps, {5, 1, 64, 3});
    motion.merge(second.state());
    support::expect_same_bits(motion, expected);
  }
}

const std::string slabs =
    "model=masing-chain; set m=2-cos(i); set k=1+i/n; set eta=0.05+i/n; set k0=0.1; set c=0.02; "
    "set c_ground=0.1; set y0=sin(7*i); cells=inf; energy; ";

const Case cases[] = {
    {"sweep", "initial-u=0.05*cos(20*s)"},
    {"sweep_leapfrog", "scheme=leapfrog; threshold-down=0.2+s"},
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
    {"exact", "engine=exact; cells=20; initial-u=0.3*abs(s-0.4); damping=0.1"},
    {"exact_inf", "engine=exact; cells=inf"},
    {"exact_model",
     "model=s1-p2-series; engine=exact; set k1=1; set alpha1=0.3; set k2=2; "
     "set alpha2=0.1; force=sin(t)"},
    {"quasistatic_position", "model=masing-quasistatic; position=0.8*sin(t)+0.1*sin(7*t)"},
    {"quasistatic_force_inf",
     "model=masing-quasistatic; force=0.2*sin(t)+0.02*sin(7*t); cells=inf"},
    {"replicated", "model=friction-oscillator; set k=1; set alpha=0.3"},
    {"in_series",
     "model=p-series; set n=3100; set k=n*(1+i/n); set k0=0.7; set alpha=0.3; set y0=1"},
    {"masses_in_series",
     "model=s-chain; set n=3; set m=2-cos(i); set k=1+i/n; set eta=0.1+i/n; set y0=1+sin(7*i); "
     "set u0=0.1*sin(3*i); force=3*sin(t)"},
    // Element 2 reaches its strength, 0.06, in the first 5 of 20 s, before the state is saved.
    {"warning_of_weak_slabs",
     "model=masing-chain; set n=3; set m=1; set c_ground=1; set k=1; set eta=i==2?0.1:1; "
     "cells=inf; force=t<5?0.3:0.02*sin(t)"},
    {"chain_of_slabs_on_a_moving_base",
     slabs + "set n=2100; watch=1,1024,1025,2100; force-node=1500; base-acceleration=cos(3*t)"},
    {"chain_of_slabs_on_a_base_that_absorbs",
     slabs + "set n=1100; watch=0,1,1024,1100; set base_impedance=0.5; set base_mass=1; "
             "incoming-velocity=sin(2*t); stiffness=1+s; threshold-down=0.5"},
    {"chain_of_one_slab", slabs + "set n=1"},
    {"chain_of_unequal_slabs", slabs + "set n=5; threshold=1+s*i/n; base-acceleration=cos(3*t)"}};
INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(cases),
                         [](const auto& of) { return of.param.name; });

}  // namespace masing::test_restart
