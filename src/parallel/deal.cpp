#include "parallel/deal.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

namespace {

constexpr int report_tag = 0;
constexpr int share_tag = 1;

/// The tasks first..first+count-1.
using Share = std::array<std::int64_t, 2>;

}  // namespace

Deal::Deal(const Communicator& comm, std::size_t count, Take take, std::function<void()> between)
    : comm_(comm.handle()),
      take_(std::move(take)),
      between_(std::move(between)),
      end_(comm.is_root() ? count : 0),
      working_(comm.size() - 1),
      report_{1.0},
      polling_([this] { poll(); }) {}

void Deal::poll() {
  if (comm_.is_root()) {
    serve();
  }
  if (stop_requested()) {
    throw base::Stopped("stopped");
  }
}

std::optional<std::size_t> Deal::next() {
  is_stopped_ = is_stopped_ || (next_ < end_ && stop_requested());
  if (!comm_.is_root()) {
    if (is_stopped_ || next_ == end_) {
      ask();
    }
    return next_ < end_ ? std::optional(task_ = next_++) : std::nullopt;
  }
  if (next_ < end_ && !is_stopped_) {
    task_ = next_++;
    serve();
    between_();
    return task_;
  }
  while (working_ > 0) {
    wait_for(MPI_ANY_SOURCE, report_tag);
    serve();
    between_();
  }
  return std::nullopt;
}

/// Sleeps until such a message is there.
void Deal::wait_for(int rank, int tag) const {
  sleep_until([&] {
    int arrived = 0;
    check_mpi(MPI_Iprobe(rank, tag, comm_.handle(), &arrived, MPI_STATUS_IGNORE));
    return arrived != 0;
  });
}

void Deal::made(const std::vector<double>& numbers) {
  if (comm_.is_root()) {
    take_(task_, numbers);
    return;
  }
  report_.push_back(static_cast<double>(task_));
  report_.push_back(static_cast<double>(numbers.size()));
  report_.insert(report_.end(), numbers.begin(), numbers.end());
}

bool Deal::is_done() const {
  return min_over_ranks(comm_, is_stopped_ ? 0 : 1) == 1;
}

/// Receives the reports that are there, and gives each rank that sent one its next share.
void Deal::serve() {
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
    take_report(report);
    give(status.MPI_SOURCE, report[0]);
  }
}

/// A report: how many tasks the rank wants, 0 where it was stopped; then, of each task made, its
/// index, the count of its numbers, and these.
void Deal::take_report(std::span<const double> report) const {
  for (std::size_t at = 1; at < report.size();) {
    const auto size = static_cast<std::size_t>(report[at + 1]);
    take_(static_cast<std::size_t>(report[at]), report.subspan(at + 2, size));
    at += 2 + size;
  }
}

/// No more than half of a fair part of what is left, so that all ranks end at about the same time.
void Deal::give(int rank, double wanted) {
  is_stopped_ = is_stopped_ || wanted == 0.0;
  const std::size_t left = is_stopped_ ? 0 : end_ - next_;
  const std::size_t part =
      std::max<std::size_t>(1, left / (2 * static_cast<std::size_t>(comm_.size())));
  const std::size_t count = std::min({static_cast<std::size_t>(wanted), part, left});
  const Share share{static_cast<std::int64_t>(next_), static_cast<std::int64_t>(count)};
  check_mpi(MPI_Send(share.data(), 2, MPI_INT64_T, rank, share_tag, comm_.handle()));
  next_ += count;
  working_ -= count == 0 ? 1 : 0;
}

/// Reports to the root what this rank made, and receives its next share.
void Deal::ask() {
  // Of a share of short tasks: the root is not asked more than 5000 times a second.
  const double seconds = std::max(0.02, 2e-4 * comm_.size());
  constexpr double most = 1e6;  // tasks
  const double each =
      (MPI_Wtime() - begun_) / static_cast<double>(std::max<std::size_t>(1, shared_));
  report_[0] = is_stopped_ ? 0.0 : shared_ == 0 ? 1.0 : std::clamp(seconds / each, 1.0, most);
  check_mpi(MPI_Send(report_.data(), static_cast<int>(report_.size()), MPI_DOUBLE, 0, report_tag,
                     comm_.handle()));
  Share share{};
  wait_for(0, share_tag);
  check_mpi(
      MPI_Recv(share.data(), 2, MPI_INT64_T, 0, share_tag, comm_.handle(), MPI_STATUS_IGNORE));
  next_ = static_cast<std::size_t>(share[0]);
  shared_ = static_cast<std::size_t>(share[1]);
  end_ = next_ + shared_;
  report_.assign(1, 0.0);
  begun_ = MPI_Wtime();
}

}  // namespace masing::parallel
