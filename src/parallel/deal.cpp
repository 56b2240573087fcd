#include "parallel/deal.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/poll.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

namespace {

constexpr int report_tag = 0;
constexpr int share_tag = 1;

/// The tasks first..first+count-1.
using Share = std::array<std::int64_t, 2>;

/// Makes tasks and stops where that is requested.
class Maker {
 public:
  explicit Maker(const Tasks& tasks) : tasks_(tasks) {}

  /// Makes a task; false where it was stopped.
  template <class Take>
  bool make(std::size_t task, const Take& take) const {
    try {
      base::poll();
      const std::vector<double> numbers = tasks_.make(task);
      take(task, numbers);
      return true;
    } catch (const base::Stopped&) {
      return false;
    }
  }

 private:
  const Tasks& tasks_;
};

/// Throws Stopped where a stop is requested.
void look_for_stop() {
  if (stop_requested()) {
    throw base::Stopped("stopped");
  }
}

/// The root: makes tasks, and deals others out.
class Dealer {
 public:
  Dealer(const Communicator& comm, const Tasks& tasks)
      : comm_(comm), tasks_(tasks), working_(comm.size() - 1) {}

  bool run() {
    const base::Polling polling([this] {
      serve();
      look_for_stop();
    });
    const Maker maker(tasks_);
    while (next_ < tasks_.count && !is_stopped_) {
      if (!maker.make(next_++, tasks_.take)) {
        is_stopped_ = true;
      }
      serve();
      tasks_.between();
    }
    while (working_ > 0) {
      check_mpi(MPI_Probe(MPI_ANY_SOURCE, report_tag, comm_.handle(), MPI_STATUS_IGNORE));
      serve();
      tasks_.between();
    }
    return !is_stopped_;
  }

 private:
  /// Receives the reports that are there, and gives each rank that sent one its next share.
  void serve() {
    while (working_ > 0) {
      int arrived = 0;
      MPI_Status status;
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, report_tag, comm_.handle(), &arrived, &status));
      if (arrived == 0) {
        return;
      }
      int size = 0;
      check_mpi(MPI_Get_count(&status, MPI_DOUBLE, &size));
      std::vector<double> report(static_cast<std::size_t>(size));
      check_mpi(MPI_Recv(report.data(), size, MPI_DOUBLE, status.MPI_SOURCE, report_tag,
                         comm_.handle(), MPI_STATUS_IGNORE));
      take(report);
      give(status.MPI_SOURCE, report[0]);
    }
  }

  /// A report: how many tasks the rank wants, 0 where it was stopped; then, of each task made, its
  /// index, the count of its numbers, and these.
  void take(std::span<const double> report) const {
    for (std::size_t at = 1; at < report.size();) {
      const auto size = static_cast<std::size_t>(report[at + 1]);
      tasks_.take(static_cast<std::size_t>(report[at]), report.subspan(at + 2, size));
      at += 2 + size;
    }
  }

  /// No more than half of a fair part of what is left, so that all ranks end at about the same
  /// time.
  void give(int rank, double wanted) {
    is_stopped_ = is_stopped_ || wanted == 0.0;
    const std::size_t left = is_stopped_ ? 0 : tasks_.count - next_;
    const std::size_t part =
        std::max<std::size_t>(1, left / (2 * static_cast<std::size_t>(comm_.size())));
    const std::size_t count = std::min({static_cast<std::size_t>(wanted), part, left});
    const Share share{static_cast<std::int64_t>(next_), static_cast<std::int64_t>(count)};
    check_mpi(MPI_Send(share.data(), 2, MPI_INT64_T, rank, share_tag, comm_.handle()));
    next_ += count;
    working_ -= count == 0 ? 1 : 0;
  }

  const Communicator& comm_;
  const Tasks& tasks_;
  std::size_t next_ = 0;  // the first task that is not dealt out
  int working_;           // ranks that will report
  bool is_stopped_ = false;
};

/// Any other rank: asks for tasks and reports what it made of them.
void work(const Communicator& comm, const Tasks& tasks) {
  using Clock = std::chrono::steady_clock;
  constexpr double seconds = 0.02;  // of a share of short tasks
  constexpr double most = 1e6;      // tasks
  const base::Polling polling(look_for_stop);
  const Maker maker(tasks);
  std::vector<double> report{1.0};
  for (;;) {
    check_mpi(MPI_Send(report.data(), static_cast<int>(report.size()), MPI_DOUBLE, 0, report_tag,
                       comm.handle()));
    Share share{};
    check_mpi(
        MPI_Recv(share.data(), 2, MPI_INT64_T, 0, share_tag, comm.handle(), MPI_STATUS_IGNORE));
    const auto [first, count] = share;
    if (count == 0) {
      return;
    }
    report.assign(1, 0.0);
    const auto begin = Clock::now();
    bool goes_on = true;
    for (std::int64_t task = first; goes_on && task < first + count; ++task) {
      goes_on = maker.make(static_cast<std::size_t>(task),
                           [&](std::size_t made, const std::vector<double>& numbers) {
                             report.push_back(static_cast<double>(made));
                             report.push_back(static_cast<double>(numbers.size()));
                             report.insert(report.end(), numbers.begin(), numbers.end());
                           });
    }
    const double each =
        std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(count);
    report[0] = goes_on ? std::clamp(seconds / each, 1.0, most) : 0.0;
  }
}

}  // namespace

bool deal(const Communicator& comm, const Tasks& tasks) {
  if (comm.size() == 1) {
    return Dealer(comm, tasks).run();
  }
  const Communicator own(comm.handle());  // a duplicate: no other message can match
  bool is_done = true;
  if (own.is_root()) {
    is_done = Dealer(own, tasks).run();
  } else {
    work(own, tasks);
  }
  return min_over_ranks(own, is_done ? 1 : 0) == 1;
}

}  // namespace masing::parallel
