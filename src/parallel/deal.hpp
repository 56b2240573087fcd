#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/poll.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Tasks 0..count-1 dealt out to single ranks as they finish: the root gives each rank that asks
/// for work the next tasks, as many as take it some milliseconds, and receives what was made of the
/// last. It makes some, too, and looks for messages between them and in base::poll(). Once a stop
/// is requested poll() throws Stopped, and no more tasks are dealt out.
class Deal {
 public:
  /// On the root: the numbers that a rank made of a task, in any order of tasks; may be called
  /// wherever the root polls.
  using Take = std::function<void(std::size_t task, std::span<const double> numbers)>;
  /// `between`, on the root: called between its tasks, and while it waits for other ranks.
  /// Collective.
  Deal(const Communicator& comm, std::size_t count, Take take, std::function<void()> between);

  /// The next task of this rank; nothing where none is left. Local in its results; every rank asks
  /// until it gets nothing.
  std::optional<std::size_t> next();
  /// What this rank made of the last task. Local.
  void made(const std::vector<double>& numbers);
  /// The last task was stopped: no more are dealt out. Local.
  void stop() { is_stopped_ = true; }
  /// Whether all tasks were made, alike on all ranks, when none has a task left. Collective.
  [[nodiscard]] bool is_done() const;

 private:
  void wait_for(int rank, int tag) const;
  void serve();
  void take_report(std::span<const double> report) const;
  void give(int rank, double wanted);
  void ask();
  void poll();

  Communicator comm_;  // a duplicate: no other message can match
  Take take_;
  std::function<void()> between_;
  std::size_t task_ = 0;  // the last of this rank
  std::size_t next_ = 0;  // of the root the first that is not dealt out, else of this rank's share
  std::size_t end_;       // of all tasks on the root, else of this rank's share
  std::size_t shared_ = 0;  // tasks of that share
  bool is_stopped_ = false;
  int working_ = 0;             // of the root: ranks that will report
  std::vector<double> report_;  // to the root: what the next share is asked with
  double begun_ = 0.0;          // when this rank's share began
  base::Polling polling_;
};

}  // namespace masing::parallel
