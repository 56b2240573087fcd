// Reductions and broadcasts: sums of integers exact in the number of ranks, mistakes of the root
// thrown on every rank alike.

#include "parallel/communicator.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "parallel/session.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_communicator {

using support::world;

TEST(Communicator, is_a_duplicate_that_may_be_moved) {
  parallel::Communicator first(PETSC_COMM_WORLD);
  int relation = 0;
  MPI_Comm_compare(first.handle(), PETSC_COMM_WORLD, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  const MPI_Comm handle = first.handle();
  const parallel::Communicator second(std::move(first));
  EXPECT_EQ(second.handle(), handle);
  EXPECT_EQ(second.size(), world().size());
}

TEST(Sum, is_exact_up_to_the_limits_of_64_bits) {
  const std::int64_t n = world().size();
  const std::int64_t large = std::int64_t{1} << 60;
  std::array<std::int64_t, 2> values{large / n + world().rank(), -7};
  parallel::sum_over_ranks(world(), values);
  EXPECT_EQ(values, (std::array{large / n * n + n * (n - 1) / 2, -7 * n}));
}

TEST(Extremes, are_those_of_all_ranks) {
  std::array<double, 2> values{0.1 * world().rank(), -0.5 - world().rank()};
  parallel::max_over_ranks(world(), values);
  EXPECT_EQ(values, (std::array{0.1 * (world().size() - 1), -0.5}));
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
  const auto cpu_seconds = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
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
    const double before = cpu_seconds();
    collective();
    // Naps of a tenth of the time waited, 1 ms at most: 220 looks in 200 ms.
    EXPECT_LT(cpu_seconds() - before, 0.05);
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
  const int half = world().size() / 2;
  const std::string mine =
      world().rank() >= half ? "rank " + std::to_string(world().rank()) : std::string();
  EXPECT_EQ(parallel::first_text(world(), ""), "");
  EXPECT_EQ(parallel::first_text(world(), mine), "rank " + std::to_string(half));
  const auto fail = [&] { mine.empty() ? void() : throw base::UserError("steps", mine); };
  EXPECT_EQ(given::mistake([&] { parallel::on_each(world(), fail); }),
            "steps: rank " + std::to_string(half));
}

TEST(OnEach, shares_the_failure_of_the_first_rank_that_has_one) {
  int calls = 0;
  parallel::on_each(world(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  for (int first = 0; first < world().size(); ++first) {
    const auto fail = [&] {
      if (world().rank() == first) {
        throw base::SystemError("no file on " + std::to_string(first));
      }
      if (world().rank() > first) {
        throw base::UserError("a later rank's");
      }
    };
    EXPECT_EQ(given::mistake<base::SystemError>([&] { parallel::on_each(world(), fail); }),
              "no file on " + std::to_string(first));
  }
}

// All ranks of a test run are on one machine.
TEST(Nodes, are_those_of_the_ranks_asked_for) {
  const auto expect_one = [](const parallel::Communicator& comm) {
    const parallel::Nodes nodes = parallel::nodes_of(comm);
    EXPECT_EQ(nodes.count, 1);
    EXPECT_EQ(nodes.ranks_here, comm.size());
  };
  expect_one(world());
  expect_one(support::alone());
  expect_one(parallel::Communicator(world().handle()));
}

TEST(AvailableMemory, is_shared_by_the_ranks_of_a_node) {
  // What it has may change between two looks.
  const double alone = parallel::available_memory(support::alone());
  const double each = parallel::available_memory(world());
  EXPECT_GT(each, 0.0);
  const std::string meminfo{std::istreambuf_iterator<char>(std::ifstream("/proc/meminfo").rdbuf()),
                            {}};
  EXPECT_LT(alone, 0.95 * parallel::available_of_meminfo(meminfo)) << "no margin";
  EXPECT_NEAR(each * world().size() / alone, 1.0, 0.2);
  std::array<double, 2> both{each, -each};
  parallel::max_over_ranks(world(), both);
  EXPECT_EQ(both[0], -both[1]);
}

TEST(Check, turns_codes_into_errors_with_their_place) {
  EXPECT_NO_THROW(parallel::check_petsc(0));
  EXPECT_NO_THROW(parallel::check_mpi(MPI_SUCCESS));
  EXPECT_THROW(parallel::check_mpi(MPI_ERR_COUNT), base::SystemError);
  const std::string said =
      given::mistake<base::SystemError>([] { parallel::check_petsc(PETSC_ERR_ARG_SIZ); });
  EXPECT_NE(said.find("test_communicator.cpp:"), std::string::npos) << said;
}

TEST(Neighbours, tell_what_lies_beyond_the_ends) {
  const parallel::Communicator& world = support::world();
  const int holders = std::max(1, world.size() - 1);  // the last rank has none, unless alone
  const bool holds = world.rank() < holders;
  const std::int64_t each = 10;
  const base::CellRange mine{holds ? each * world.rank() : each * holders, holds ? each : 0};
  const parallel::Neighbours neighbours(world, mine, each * holders);
  for (int round = 0; round < 3; ++round) {
    const double me = world.rank() + 100 * round;
    const auto received = neighbours.exchange(me + 0.25, me + 0.75);
    EXPECT_EQ(received.from_before, holds && world.rank() > 0 ? me - 1 + 0.75 : 0.0);
    EXPECT_EQ(received.from_after, world.rank() + 1 < holders ? me + 1 + 0.25 : 0.0);
  }
}

}  // namespace masing::test_communicator
