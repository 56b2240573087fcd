// Reductions, broadcasts, sums once a step, and vectors split at block limits: each against numbers
// that follow from the rank and the number of ranks; mistakes are thrown on every rank alike.

#include <gtest/gtest.h>
#include <petscsys.h>
#include <petscvec.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <limits>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "parallel/communicator.hpp"
#include "parallel/phase.hpp"
#include "parallel/rank_sum.hpp"
#include "parallel/vector.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_collectives {

using parallel::Phase;
using parallel::PhaseTimer;
using parallel::Vector;
using support::world;

TEST(Reductions, are_those_of_all_ranks) {
  const std::int64_t n = world().size();
  const std::int64_t large = std::int64_t{1} << 60;
  std::array<std::int64_t, 2> sums{large / n + world().rank(), -7};
  parallel::sum_over_ranks(world(), sums);
  EXPECT_EQ(sums, (std::array{large / n * n + n * (n - 1) / 2, -7 * n}));
  std::array<double, 2> most{0.1 * world().rank(), -0.5 - world().rank()};
  parallel::max_over_ranks(world(), most);
  EXPECT_EQ(most, (std::array{0.1 * (world().size() - 1), -0.5}));
  EXPECT_EQ(parallel::min_over_ranks(world(), 10 - world().rank()), 11 - world().size());
}

TEST(Broadcast, gives_the_roots_values) {
  std::array<double, 2> reals{0.1 + world().rank(), 1.0 / (1 + world().rank())};
  parallel::broadcast(world(), reals);
  EXPECT_EQ(reals, (std::array{0.1, 1.0}));
  std::array<std::int64_t, 1> whole{std::numeric_limits<std::int64_t>::max() - world().rank()};
  parallel::broadcast(world(), whole);
  EXPECT_EQ(whole[0], std::numeric_limits<std::int64_t>::max());
}

TEST(Wait, takes_no_core_from_the_rank_that_is_waited_for) {
  std::array<std::int64_t, 1> whole{1};
  std::array<double, 1> real{1.0};
  const std::array<std::function<void()>, 4> collectives{
      [&] { parallel::broadcast(world(), real); },
      [&] { parallel::sum_over_ranks(world(), whole); },
      [&] { parallel::max_over_ranks(world(), real); },
      [&] { parallel::min_over_ranks(world(), 1); }};
  for (const auto& collective : collectives) {
    if (world().is_root()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    const std::clock_t before = std::clock();  // of this process, not of the wall
    collective();
    // Naps of a tenth of the time waited, 1 ms at most: 220 looks in 200 ms.
    EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.05);
  }
}

TEST(FromRoot, shares_the_roots_text_or_what_it_throws) {
  const std::string text = std::string("a\0b", 3) + std::string(100000, 'x');
  const std::string found = parallel::from_root(world(), [&] {
    EXPECT_TRUE(world().is_root()) << "made on the root only";
    return std::string(text);
  });
  EXPECT_EQ(found, text);
  EXPECT_EQ(parallel::from_root(world(), [] { return std::string(); }), "");
  const auto throwing = [](const auto& error) { return [error]() -> std::string { throw error; }; };
  EXPECT_THROW(parallel::from_root(world(), throwing(base::SystemError("disk full"))),
               base::SystemError);
  EXPECT_THROW(parallel::from_root(world(), throwing(base::Stopped("stopped"))), base::Stopped);
  EXPECT_EQ(given::mistake(
                [&] { parallel::from_root(world(), throwing(base::UserError("no such file"))); }),
            "no such file");
}

TEST(First, is_that_of_the_lowest_rank_that_has_one) {
  EXPECT_EQ(parallel::first_text(world(), ""), "");
  int calls = 0;
  parallel::on_each(world(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  for (int first = 0; first < world().size(); ++first) {
    const std::string mine =
        world().rank() >= first ? "rank " + std::to_string(world().rank()) : std::string();
    EXPECT_EQ(parallel::first_text(world(), mine), "rank " + std::to_string(first));
    const auto fail = [&] {
      if (world().rank() == first) {
        throw base::SystemError("no file on " + std::to_string(first));
      }
      if (world().rank() > first) {
        throw base::UserError("steps", mine);
      }
    };
    EXPECT_EQ(given::mistake<base::SystemError>([&] { parallel::on_each(world(), fail); }),
              "no file on " + std::to_string(first));
  }
}

// All ranks of a test run are on one machine.
TEST(Node, has_all_ranks_asked_for) {
  const parallel::Communicator alone = support::alone();
  for (const parallel::Communicator* comm : {&world(), &alone}) {
    EXPECT_EQ(parallel::ranks_of_node(*comm), comm->size());
  }
}

TEST(AvailableMemory, is_shared_by_the_ranks_of_a_node) {
  // What it has may change between two looks.
  const double alone = parallel::available_memory(support::alone());
  const double each = parallel::available_memory(world());
  EXPECT_GT(each, 0.0);
  EXPECT_LT(alone, 0.95 * parallel::memory_of_host()) << "no margin";
  EXPECT_NEAR(each * world().size() / alone, 1.0, 0.2);
  std::array<double, 2> both{each, -each};
  parallel::max_over_ranks(world(), both);
  EXPECT_EQ(both[0], -both[1]);
}

TEST(Check, turns_codes_into_errors) {
  EXPECT_NO_THROW(parallel::check_petsc(0));
  EXPECT_NO_THROW(parallel::check_mpi(MPI_SUCCESS));
  EXPECT_THROW(parallel::check_mpi(MPI_ERR_COUNT), base::SystemError);
  const std::string said =
      given::mistake<base::SystemError>([] { parallel::check_petsc(PETSC_ERR_ARG_SIZ); });
  EXPECT_TRUE(said.starts_with("PETSc: ")) << said;
}

TEST(Neighbours, tell_what_lies_beyond_the_ends) {
  const int holders = std::max(1, world().size() - 1);  // the last rank has none, unless alone
  const int rank = world().rank();
  const bool holds = rank < holders;
  const std::int64_t each = 10;
  const base::CellRange mine{each * std::min(rank, holders), holds ? each : 0};
  const parallel::Neighbours neighbours(world(), mine, each * holders);
  for (int round = 0; round < 3; ++round) {
    const double me = rank + 100 * round;
    const auto received = neighbours.exchange(me + 0.25, me + 0.75);
    EXPECT_EQ(received.first, holds && rank > 0 ? me - 1 + 0.75 : 0.0);
    EXPECT_EQ(received.second, rank + 1 < holders ? me + 1 + 0.25 : 0.0);
  }
}

/// Also where the tests' ranks outnumber the cores.
constexpr bool over_memory = true;

/// Whether the sums of `count` large entries of both signs are right in so many rounds; `work`
/// comes before each.
void expect_right(
    const parallel::Communicator& comm, parallel::RankSum& sum, std::size_t count,
    std::int64_t rounds,
    const std::function<void(std::int64_t)>& work = [](std::int64_t /*round*/) {}) {
  const auto term = [](int rank, std::int64_t round, std::size_t i) {
    const std::int64_t value = (std::int64_t{0x0123456789abcdef} >> (round % 40)) +
                               std::int64_t{7} * rank - static_cast<std::int64_t>(i);
    return round % 2 == 0 ? value : -value;
  };
  std::int64_t wrong = 0;
  std::vector<std::int64_t> values(count);
  for (std::int64_t round = 0; round < rounds; ++round) {
    work(round);
    std::vector<std::int64_t> expected(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = term(comm.rank(), round, i);
      for (int rank = 0; rank < comm.size(); ++rank) {
        expected[i] += term(rank, round, i);
      }
    }
    sum(values);
    wrong += values == expected ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of " << rounds << " sums of " << count << " values";
}

TEST(RankSum, is_exact_whoever_is_late) {
  for (const bool way : {over_memory, !over_memory}) {
    parallel::RankSum sum(world(), way);
    for (const std::size_t count : {0, 1, 2}) {
      expect_right(world(), sum, count, 1000);
    }
    expect_right(world(), sum, 2, 100, [](std::int64_t round) {
      if (round % world().size() == world().rank()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
}

TEST(RankSum, has_memory_of_its_own) {
  parallel::RankSum first(world(), over_memory);
  parallel::RankSum second(world(), over_memory);
  const parallel::Communicator self(MPI_COMM_SELF);
  parallel::RankSum alone(self, over_memory);
  for (int i = 0; i < 100; ++i) {
    expect_right(world(), first, 2, 3);
    expect_right(self, alone, 2, i);
    expect_right(world(), second, 1, 2);
  }
}

double counted(Phase phase) {
  return parallel::phase_seconds()[static_cast<std::size_t>(phase)];
}

/// Every moment of the outermost timer's life counts for one phase, that of the innermost timer.
TEST(Phases, share_the_life_of_the_outermost_timer) {
  const auto work = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  double life = 0.0;
  double life_of_steps = 0.0;
  {
    const PhaseTimer setup(Phase::setup, &life);
    work();
    {
      const PhaseTimer steps(Phase::steps, &life_of_steps);
      work();
      const PhaseTimer output(Phase::output);
      work();
    }
    const PhaseTimer seal(Phase::seal);
    work();
  }
  double sum = 0.0;
  for (const Phase phase : {Phase::setup, Phase::steps, Phase::output, Phase::seal}) {
    EXPECT_GE(counted(phase), 0.001);
    sum += counted(phase);
  }
  constexpr double rounding = 1e-9;  // of sums of some seconds
  EXPECT_NEAR(sum, life, rounding);
  EXPECT_NEAR(counted(Phase::steps) + counted(Phase::output), life_of_steps, rounding);
  const PhaseTimer in_no_other(Phase::steps);
  EXPECT_EQ(counted(Phase::setup), 0.0) << "all begin anew";
}

TEST(Phases, count_sums_over_several_ranks_as_communication) {
  const PhaseTimer steps(Phase::steps);
  parallel::RankSum sum(world());
  // The clock goes in steps of some milliseconds: until every rank has met one.
  const bool has_others = world().size() > 1;
  std::array<std::int64_t, 1> waiting{1};
  for (int round = 0; waiting[0] > 0 && round < (has_others ? 100000000 : 1000); ++round) {
    waiting[0] = counted(Phase::communication) > 0.0 ? 0 : 1;
    sum(waiting);
  }
  EXPECT_EQ(counted(Phase::communication) > 0.0, has_others);
  EXPECT_LE(counted(Phase::communication), counted(Phase::steps) + 0.02);
}

void expect_counting(std::span<const double> values, double first) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], first + static_cast<double>(i));
  }
}

TEST(Vectors, are_split_at_block_limits_and_gathered_from_any_ranges) {
  const std::int64_t rank = world().rank();
  for (const std::int64_t cells : {1, 2, 1023, 1024, 1025, 4096, 5000}) {
    Vector counting(world(), cells);  // whose entry i is i
    const auto expected = base::local_range(cells, world().rank(), world().size());
    EXPECT_EQ(counting.size(), cells);
    EXPECT_EQ(counting.range().first, expected.first);
    EXPECT_EQ(std::ranges::count(counting.values(), 0.0), expected.size);
    std::iota(counting.values().begin(), counting.values().end(), expected.first);
    PetscReal sum = 0.0;  // Σ i = P(P - 1)/2, exact in doubles
    parallel::check_petsc(VecSum(counting.handle(), &sum));
    const auto count = static_cast<double>(cells);
    EXPECT_EQ(sum, count * (count - 1) / 2);
    Vector other(world(), cells);  // whose entry i is i + 0.25
    std::ranges::transform(counting.values(), other.values().begin(),
                           [](double value) { return value + 0.25; });
    for (const auto& range : {base::CellRange{0, cells},
                              {cells / 3, cells / 2},
                              {cells - 1, 1},
                              {0, rank == 0 ? cells : 0}}) {
      parallel::RangeGather gather(counting, range);
      for (const auto& [vector, offset] : {std::pair(&counting, 0.0), {&other, 0.25}}) {
        const auto values = gather(*vector);
        EXPECT_EQ(values.size(), static_cast<std::size_t>(range.size));
        expect_counting(values, static_cast<double>(range.first) + offset);
      }
    }
  }
}

}  // namespace masing::test_collectives
