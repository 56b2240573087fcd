// Tasks dealt out to ranks: each is made once, whatever the time that it takes, and the root has
// all.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "parallel/deal.hpp"

namespace masing::test_deal {

/// What the root has of each task: how often, and the last number.
struct Taken {
  std::vector<int> times;
  std::vector<double> last;
  int between = 0;
  bool is_done = false;
};

using Make = std::function<std::vector<double>(std::size_t, const parallel::Communicator&)>;

Taken dealt(std::size_t count, const Make& make) {
  const parallel::Communicator comm(MPI_COMM_WORLD);
  Taken taken{.times = std::vector<int>(count), .last = std::vector<double>(count)};
  const auto take = [&](std::size_t task, std::span<const double> numbers) {
    EXPECT_TRUE(comm.is_root());
    ++taken.times.at(task);
    taken.last.at(task) = numbers.empty() ? -1.0 : numbers.back();
  };
  parallel::Deal deal(comm, count, take, [&] { ++taken.between; });
  while (const auto task = deal.next()) {
    try {
      deal.made(make(*task, comm));
    } catch (const base::Stopped&) {
      deal.stop();
    }
  }
  taken.is_done = deal.is_done();
  if (!comm.is_root()) {
    EXPECT_EQ(taken.times, std::vector<int>(count));
    taken.times.assign(count, 1);  // the root's, for the caller
  }
  return taken;
}

TEST(Deal, makes_each_task_once) {
  for (const std::size_t count : {0U, 1U, 2U, 5000U}) {
    const Taken taken = dealt(count, [](std::size_t task, const auto& /*comm*/) {
      return std::vector<double>(task % 7, static_cast<double>(task));
    });
    EXPECT_TRUE(taken.is_done);
    EXPECT_EQ(taken.times, std::vector<int>(count, 1));
    if (parallel::Communicator(MPI_COMM_WORLD).is_root()) {
      for (std::size_t task = 0; task < count; ++task) {
        EXPECT_EQ(taken.last[task], task % 7 == 0 ? -1.0 : static_cast<double>(task));
      }
    }
  }
}

TEST(Deal, gives_others_work_while_the_root_is_busy) {
  const parallel::Communicator comm(MPI_COMM_WORLD);
  int others = 0;
  int while_busy = 0;
  bool is_busy = false;
  const auto take = [&](std::size_t /*task*/, std::span<const double> numbers) {
    others += numbers[0] != 0.0 ? 1 : 0;
    while_busy += is_busy ? 1 : 0;
  };
  parallel::Deal deal(comm, 100, take, [] {});
  while (const auto task = deal.next()) {
    is_busy = true;
    for (int look = 0; *task == 0 && others < 50 && look < 4000 && comm.size() > 1; ++look) {
      base::poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    is_busy = false;
    deal.made({static_cast<double>(comm.rank())});
  }
  EXPECT_TRUE(deal.is_done());
  if (comm.size() > 1 && comm.is_root()) {
    EXPECT_GE(while_busy, 50);
  }
}

TEST(Deal, ends_on_all_ranks_where_one_is_stopped) {
  for (const int stopped : {0, 1}) {
    // The others would take seconds for all.
    const Taken taken = dealt(20000, [&](std::size_t /*task*/, const parallel::Communicator& comm) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (comm.rank() == std::min(stopped, comm.size() - 1)) {
        throw base::Stopped("here");
      }
      return std::vector<double>{1.0};
    });
    EXPECT_FALSE(taken.is_done);
    if (parallel::Communicator(MPI_COMM_WORLD).is_root()) {
      EXPECT_LT(std::ranges::count(taken.times, 1), 10000) << "stopped, not dealt to the others";
    }
  }
}

}  // namespace masing::test_deal
