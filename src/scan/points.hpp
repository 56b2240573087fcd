#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parallel/deal.hpp"
#include "parallel/vector.hpp"
#include "scan/point.hpp"

namespace masing::scan {

/// Makes the points of a scan, dealt out to single ranks as they finish, or a run that is too large
/// for one by all together:
///     Points points(comm, spec);
///     while (const auto values = points.next()) { points.make(problem at *values) or fail(why); }
///     Scan scan = points.finished();
/// A point that fails is marked, and the scan goes on. The numbers do not depend on the ranks, bit
/// for bit. Points that are done are kept in the checkpoint; those that were under way begin again.
class Points {
 public:
  /// Restores what the checkpoint has. `comm` and `spec` must outlive it. Throws UserError alike on
  /// all ranks. Collective.
  Points(const parallel::Communicator& comm, const ScanSpec& spec);

  /// The values of the axes, but an amplitude, of the next problem that this rank makes, or all
  /// ranks together; nothing where none is left. Every rank asks until it gets nothing.
  std::optional<std::span<const double>> next();
  /// Makes what depends on that problem. Throws UserError. On the ranks that it is for.
  void make(const ScanProblem& problem);
  /// There is no such problem, or it has no solution: the points that depend on it failed. Local.
  void fail(const std::string& message);

  /// All points, on all ranks. Throws Stopped with what is done saved, alike. Collective.
  Scan finished();

 private:
  using Clock = std::chrono::steady_clock;

  void begin(std::size_t task);
  void end();
  void compute(const ScanProblem& problem);
  bool next_task();
  [[nodiscard]] std::span<ScanPoint> points_of(std::size_t task);
  [[nodiscard]] std::vector<double> packed(std::size_t task);
  void unpack(std::span<const double> numbers, std::size_t task);
  std::vector<double> packed_tasks(bool failed_too);
  void unpack_tasks(std::span<const double> all);
  void share();
  void save_if_due();
  void save();
  void restore();
  void report();
  [[nodiscard]] std::int64_t made_points() const;

  const parallel::Communicator& comm_;
  parallel::Communicator own_;  // this rank
  // PETSc duplicates a communicator for the first vector on it and keeps that as long as any is
  // there: at each point anew if there were none in between.
  parallel::Vector held_;
  const ScanSpec& spec_;
  double available_;
  std::vector<ScanPoint> points_;
  // A task is one point; or those of all amplitudes of closed cycles, or of the last axis where
  // each limit cycle begins with the one before.
  std::size_t task_size_ = 1;
  std::vector<char> is_made_;      // of tasks, on the root
  std::vector<std::size_t> left_;  // tasks that the checkpoint does not have
  std::optional<parallel::Deal> deal_;
  bool is_stopped_ = false;

  SteadySolver solver_;
  std::size_t task_ = 0;      // under way
  std::size_t problem_ = 0;   // of the task
  std::size_t problems_ = 0;  // of the task; 0: none is under way
  bool is_for_all_ = false;   // and left for all ranks together
  Clock::time_point task_begun_;

  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_saved_ = begun_;
  Clock::time_point last_report_ = begun_;
  std::int64_t made_since_save_ = 0;
};

}  // namespace masing::scan
