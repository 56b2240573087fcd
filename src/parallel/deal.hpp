#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// What is dealt out, and what becomes of it.
struct Tasks {
  std::size_t count = 0;
  /// Makes a task on this rank alone; the root makes some, too. May throw Stopped. Local.
  std::function<std::vector<double>(std::size_t task)> make;
  /// On the root: the numbers that a rank made of a task, in any order of tasks. May be called
  /// within make(), wherever that polls.
  std::function<void(std::size_t task, std::span<const double> numbers)> take;
  /// On the root, between its tasks.
  std::function<void()> between;
};

/// Deal tasks 0..count-1 out to single ranks as they finish: the root gives each rank that asks for
/// work the next tasks, as many as take it some milliseconds, and receives what was made of the
/// last. The root looks for messages between its tasks and in base::poll(). Once a stop is
/// requested poll() throws Stopped in every task, and no more are dealt out. Returns whether all
/// tasks were made, alike on all ranks. Collective; on one rank without messages.
bool deal(const Communicator& comm, const Tasks& tasks);

}  // namespace masing::parallel
