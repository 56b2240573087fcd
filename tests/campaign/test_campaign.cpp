// A campaign of works that count: each unit is made once, on whatever ranks, by all together or by
// single ranks; where it is stopped or fails it goes on with the same numbers, and no step that a
// checkpoint holds is made again.

#include "campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "campaign/alone.hpp"
#include "io/checkpoint.hpp"
#include "parallel/session.hpp"
#include "parallel/stop.hpp"
#include "support/given.hpp"
#include "support/result_file.hpp"

namespace masing::test_campaign {

using campaign::Batch;
using campaign::Unit;
using engine::Pause;
using support::world;

/// A unit, and a number of its steps after which a test lets something happen.
using Event = std::pair<Unit, std::int64_t>;
constexpr Event nothing{-1, 0};

struct Plan {
  std::int64_t units = 0;
  std::int64_t steps = 1;  ///< of a unit
  bool is_together = false;
  Event stop = nothing;
  Event fault = nothing;
  std::int64_t batch = 1;               ///< units of a batch
  std::chrono::microseconds each{100};  ///< that a step takes
  bool stops_restoring = false;         ///< as a stop while the run of a state is set up
  /// Of this rank the first step has a mistake; the first steps of the others end only by a stop,
  /// which base::poll() throws.
  int mistaken = -1;
  std::string unit = "units";
};

/// Each unit counts its steps and adds up a sum that depends on their order.
class CountingWork final : public campaign::Work {
 public:
  CountingWork(const parallel::Communicator& comm, const Plan& plan, Batch units,
               std::int64_t& steps)
      : comm_(comm), plan_(plan), units_(std::move(units)), all_steps_(steps) {}

  Pause advance(std::int64_t last, Pause wish, campaign::Records& records) override {
    if (plan_.is_together) {  // the root decides
      auto of_root = static_cast<std::int64_t>(wish);
      parallel::broadcast(comm_, std::span(&of_root, 1));
      wish = static_cast<Pause>(of_root);
    }
    const Event now{units_[next_], step_};
    if (plan_.fault == now) {
      throw base::UserError("fault", "of unit " + std::to_string(now.first));
    }
    if (plan_.stop == now && !plan_.is_together) {
      throw base::Stopped("here");
    }
    if (plan_.stop == now || wish != Pause::none) {
      return wish == Pause::none ? Pause::stop : wish;
    }
    if (plan_.mistaken == world().rank()) {
      throw base::UserError("mistake", "of a rank");
    }
    for (int i = 0; plan_.mistaken >= 0 && i < 60'000; ++i) {
      base::poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(last > step_ || !comm_.is_root());
    std::this_thread::sleep_for(plan_.each);
    sum_ = 3 * sum_ + static_cast<double>(now.first + ++step_);
    ++all_steps_;
    if (step_ == plan_.steps) {
      records.add(units_[next_++], std::vector<double>{sum_});
      step_ = 0;
      sum_ = 0.0;
    }
    return Pause::none;
  }
  [[nodiscard]] bool is_done() const override { return next_ == std::ssize(units_); }
  [[nodiscard]] Batch units() const override { return step_ == 0 ? Batch() : Batch{units_[next_]}; }
  [[nodiscard]] campaign::Count steps() const override { return {step_, plan_.steps}; }
  void serialize(engine::Archive& archive) override {
    if (archive.restores() && plan_.stops_restoring) {
      throw base::Stopped("here");
    }
    archive.scalars("work", step_, sum_);
  }

 private:
  const parallel::Communicator& comm_;
  const Plan& plan_;
  Batch units_;
  std::int64_t& all_steps_;
  std::int64_t next_ = 0;
  std::int64_t step_ = 0;
  double sum_ = 0.0;
};

class CountingSource final : public campaign::Source {
 public:
  explicit CountingSource(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] std::string unit_name() const override { return plan_.unit; }
  [[nodiscard]] campaign::Count count() const override {
    return {std::ssize(results), plan_.units};
  }
  campaign::Packing pack(const Batch& under_way) override {
    campaign::Packing packing;
    std::vector<Batch>& batches = plan_.is_together ? packing.together : packing.alone;
    for (Unit unit = 0; unit < plan_.units; ++unit) {
      if (!results.contains(unit) && std::ranges::count(under_way, unit) == 0) {
        if (batches.empty() || std::ssize(batches.back()) == plan_.batch) {
          batches.emplace_back();
        }
        batches.back().push_back(unit);
      }
    }
    return packing;
  }
  std::unique_ptr<campaign::Work> begin(const parallel::Communicator& ranks,
                                        const Batch& units) override {
    return std::make_unique<CountingWork>(ranks, plan_, units, steps_);
  }
  void take(Unit unit, std::span<const double> numbers) override {
    EXPECT_TRUE(results.emplace(unit, numbers[0]).second || !world().is_root()) << unit << " again";
  }
  [[nodiscard]] campaign::Records records(Use use) const override {
    campaign::Records all;
    for (const auto& [unit, number] : results) {
      all.add(unit, std::span(&number, 1));
    }
    saved = use == Use::in_checkpoint ? std::ssize(results) : saved;
    return all;
  }

  /// Steps that were made here, of all ranks.
  [[nodiscard]] std::int64_t steps() const {
    std::int64_t all = plan_.is_together && !world().is_root() ? 0 : steps_;
    parallel::sum_over_ranks(world(), std::span(&all, 1));
    return all;
  }

  std::map<Unit, double> results;
  mutable std::int64_t saved = 0;  ///< how many the last checkpoint has

 private:
  const Plan& plan_;
  std::int64_t steps_ = 0;
};

std::map<Unit, double> expected(const Plan& plan) {
  std::map<Unit, double> all;
  for (Unit unit = 0; unit < plan.units; ++unit) {
    for (std::int64_t step = 1; step <= plan.steps; ++step) {
      all[unit] = 3 * all[unit] + static_cast<double>(unit + step);
    }
  }
  return all;
}

TEST(Due, counts_what_its_source_counts) {
  const Plan plan{20, 9};
  const io::CheckpointSpec spec{.scheduled = true, .every = 4};
  CountingSource source(plan);
  campaign::Due due(spec, source, world());
  due.schedule();
  const auto is_due_with = [&](std::size_t units) {
    while (source.results.size() < units) {
      source.take(std::ssize(source.results), std::vector{0.0});
    }
    return due.is_now();
  };
  EXPECT_FALSE(is_due_with(3));
  EXPECT_TRUE(is_due_with(5));
  due.schedule();
  EXPECT_FALSE(is_due_with(8)) << "4 after the last one, which had 5";
  EXPECT_EQ(due.next_step(), engine::never);

  const Plan of_steps{.units = 1, .unit = "steps"};
  const CountingSource steps(of_steps);
  campaign::Due by_steps(spec, steps, world());
  by_steps.schedule();
  EXPECT_EQ(by_steps.next_step(), 4);
}

TEST(Due, is_again_only_at_the_next_multiple_of_the_distance_after_a_checkpoint) {
  const Plan plan;
  const CountingSource source(plan);
  const io::CheckpointSpec spec{.scheduled = true, .every = 0, .distance = std::chrono::seconds(1)};
  const auto begin = std::chrono::steady_clock::now();
  campaign::Due due(spec, source, world());
  const auto is_before = [&](int seconds) {
    return due.by_clock() &&
           std::chrono::steady_clock::now() < begin + std::chrono::seconds(seconds);
  };
  EXPECT_FALSE(is_before(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  EXPECT_TRUE(due.by_clock());
  due.schedule();
  EXPECT_FALSE(is_before(3));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(due.by_clock());
}

class Campaign : public support::ResultFile {
 protected:
  Campaign() { result_.path.clear(); }

  void run(campaign::Source& source, const campaign::Write& write = {}) const {
    campaign::run(world(), source, {result_, spec_, true}, write);
  }

  /// What a campaign says that is stopped, by all ranks or by the root alone.
  std::string stopped(campaign::Source& source, bool by_root = false) const {
    std::string said = "stopped";
    if (!by_root) {
      said = given::mistake<base::Stopped>([&] { run(source); });
    } else if (world().is_root()) {
      const parallel::RootAlone root;
      said = given::mistake<base::Stopped>([&] {
        campaign::run(root.comm(), source, {result_, spec_, true});
      });
    }
    MPI_Barrier(world().handle());
    return said;
  }

  /// Goes on from the checkpoint to all results; the steps that this takes.
  std::int64_t go_on(Plan plan, bool by_root = false) {
    plan.stop = plan.fault = nothing;
    plan.stops_restoring = false;
    spec_.restart = spec_.path;
    CountingSource source(plan);
    EXPECT_EQ(stopped(source, by_root), by_root && !world().is_root() ? "stopped" : "");
    spec_.restart.reset();
    EXPECT_TRUE(source.results == expected(plan) || (by_root && !world().is_root()));
    return source.steps();
  }

  io::CheckpointSpec spec_{.path = checkpoint_};
  const std::string goes_on_ = "; the same with restart = " + checkpoint_ + " goes on";
};

TEST_F(Campaign, makes_each_unit_once) {
  for (const bool is_together : {false, true}) {
    for (const std::int64_t units : {0, 1, 2, is_together ? 9 : 5000}) {
      Plan plan{units, 2, is_together};
      plan.each = {};
      CountingSource source(plan);
      run(source);
      EXPECT_EQ(source.results, expected(plan)) << units;
      EXPECT_EQ(source.steps(), 2 * units);
    }
  }
}

TEST_F(Campaign, goes_on_where_it_was_stopped) {
  for (const bool is_together : {false, true}) {
    const Plan plan{70, 10, is_together, Event{40, 4}};
    CountingSource source(plan);
    const std::string said = stopped(source);
    EXPECT_NE(said.find(" of 70 units and "), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with(" steps" + goes_on_)) << said;
    EXPECT_EQ(source.steps() + go_on(plan), 700) << "what was saved is not made again";
  }
  // Works of single ranks, all by the root.
  const Plan plan{8, 200, false, Event{0, 60}, nothing, 2};
  CountingSource source(plan);
  stopped(source);
  EXPECT_EQ(source.steps() + go_on(plan, true), 1600);
}

/// The others learn of it in long steps, before these end.
TEST_F(Campaign, ends_at_a_mistake_of_one_rank) {
  for (int rank = 0; rank < world().size(); ++rank) {
    const Plan plan{.units = world().size(), .mistaken = rank};
    CountingSource source(plan);
    EXPECT_EQ(given::mistake([&] { run(source); }), "mistake: of a rank");
    EXPECT_EQ(source.steps(), 0);
  }
}

/// Whether that rank computes or waits for others.
TEST_F(Campaign, is_stopped_by_a_signal_to_one_rank) {
  for (const bool is_together : {false, true}) {
    for (const std::int64_t units : {1, 100}) {
      for (int rank = 0; rank < world().size(); ++rank) {
        SCOPED_TRACE(testing::Message() << is_together << units << ": " << rank);
        Plan plan{units, 100'000, is_together};
        plan.each = std::chrono::milliseconds(1);
        CountingSource source(plan);
        std::jthread signal([rank] {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          world().rank() == rank ? parallel::request_stop(SIGUSR2) : void();
        });
        const std::string said = stopped(source);
        EXPECT_TRUE(said.starts_with("stopped by SIGUSR2 ") && said.ends_with(goes_on_)) << said;
        EXPECT_TRUE(!source.results.contains(units - 1));
        signal.join();
        parallel::clear_stop();
        support::session().begin_call();
      }
    }
  }
}

TEST_F(Campaign, saves_nothing_before_its_first_step) {
  const Plan plan{1, 10, false, Event{0, 0}};
  CountingSource source(plan);
  const std::string said = stopped(source);
  EXPECT_NE(said.find("nothing is lost"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(checkpoint_));
}

/// Also where the root goes on alone, and does not come to the states of the other ranks.
TEST_F(Campaign, keeps_a_state_that_a_stop_leaves_unrestored) {
  for (const auto& [is_together, by_root] :
       {std::pair(false, false), {false, true}, {true, false}}) {
    SCOPED_TRACE(testing::Message() << is_together << by_root);
    Plan plan{3, 10, is_together, Event{0, 6}};
    CountingSource first(plan);
    EXPECT_NE(stopped(first), "");
    spec_.restart = checkpoint_;
    plan.stop = nothing;
    plan.stops_restoring = true;
    CountingSource second(plan);
    EXPECT_NE(stopped(second, by_root), "");
    EXPECT_EQ(first.steps() + second.steps() + go_on(plan), 30) << "no step is made again";
  }
}

TEST_F(Campaign, saves_by_the_count_and_by_the_clock) {
  for (const auto& [is_together, every] :
       {std::pair(false, 2),
        {false, 0},
        {true, 2}}) {  // by the clock, it would be due again at once together
    SCOPED_TRACE(testing::Message() << is_together << every);
    const Plan plan{12, 6, is_together, nothing, Event{11, 5}};
    spec_.scheduled = true;
    spec_.every = every;
    spec_.distance = std::chrono::seconds(0);
    CountingSource source(plan);
    EXPECT_EQ(given::mistake([&] { run(source); }), "fault: of unit 11");
    EXPECT_TRUE(std::filesystem::exists(checkpoint_));
    // By the clock, how much is saved is the machine's affair.
    EXPECT_TRUE(source.saved >= (every == 0 ? 1 : 5) || !world().is_root());
    EXPECT_LT(go_on(plan), every == 0 ? 12 * 6 : 12 * 6 / 2);
    spec_.scheduled = false;
    io::remove_checkpoint(world(), checkpoint_);
  }
}

TEST_F(Campaign, saves_what_was_computed_where_the_result_cannot_be_written) {
  const Plan plan{5};
  result_.path = path_;
  const auto fail = [](const parallel::Communicator& /*root*/, const io::Handle& /*file*/) {
    throw base::SystemError("no room");
  };
  CountingSource source(plan);
  EXPECT_EQ(given::mistake<base::SystemError>([&] { run(source, fail); }),
            "no room; what was computed is saved" + goes_on_);
  MPI_Barrier(world().handle());  // the root has given the lock back
  for (const std::string& file : io::files_of_result(path_)) {
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
  result_.path.clear();
  EXPECT_EQ(go_on(plan), 0);
  EXPECT_FALSE(std::filesystem::exists(checkpoint_));
}

}  // namespace masing::test_campaign
