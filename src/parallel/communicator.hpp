#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/partition.hpp"

/// The room that wraps MPI and PETSc: the session, communicators, distributed vectors, reductions
/// over ranks, and the ways in which a failure is raised on all ranks.
namespace masing::parallel {

/// Throws SystemError if `code` is an error of PETSc. The message contains PETSc's text for the
/// code. Local.
void check_petsc(int code);

/// Throws SystemError if `code` is an error of MPI. The message contains MPI's text for the code.
/// Local.
void check_mpi(int code);

/// Returns the state of MPI in this process: "" if it is not initialized, "running", or "ended".
/// Which library has initialized MPI does not matter. Local.
std::string mpi_state();
/// Returns whether MPI has been initialized and not yet finalized. Local.
bool mpi_runs();

/// Owns an MPI communicator, which the destructor frees. MPI functions that are called with this
/// communicator return error codes and do not end the program.
class Communicator {
 public:
  /// Duplicates `original`. Collective on `original`.
  explicit Communicator(MPI_Comm original);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// Returns how many ranks of `comm` run on the node of this rank. Collective.
int ranks_of_node(const Communicator& comm);

/// Returns how many bytes this process may still allocate: the available memory of the host and, at
/// most, what remains within the limits of the control groups (version 2) of the process. Inactive
/// file caches do not count as use of a group. Returns infinity if the system states neither.
/// `root` is the folder that contains the folders `proc` and `sys`. Local.
double memory_of_host(const std::filesystem::path& root = "/");

/// Returns how many bytes each rank of `comm` may still allocate. The ranks on a node share nine
/// tenths of memory_of_host() equally; the last tenth is left to MPI, HDF5 and the system. Every
/// rank returns the result of the node with the least memory per rank. Collective.
double available_memory(const Communicator& comm);

/// Calls `is_done` repeatedly until it returns true. During the first 50 µs there is no pause
/// between the calls. After that each pause takes a tenth of the time waited so far, but at most 1
/// ms. Before each pause the function calls stop_requested(), which tells the root of a stop
/// request to this rank. Local.
void sleep_until(const std::function<bool()>& is_done);

/// Replaces each entry of `values` by the sum of this entry over all ranks. Sums of integers are
/// exact and therefore do not depend on the order of the ranks. In this and all other collective
/// functions of this file a rank waits in sleep_until(), so that other ranks can use its core
/// during a long wait. Collective.
void sum_over_ranks(const Communicator& comm, std::span<std::int64_t> values);
/// Replaces each entry of `values` by the sum mod 2^64 of this entry over all ranks. Collective.
void sum_over_ranks(const Communicator& comm, std::span<std::uint64_t> values);
/// Replaces each entry of `values` by the maximum of this entry over all ranks. Collective.
void max_over_ranks(const Communicator& comm, std::span<double> values);
/// Returns the smallest `value` of all ranks. Collective.
std::int64_t min_over_ranks(const Communicator& comm, std::int64_t value);

/// Broadcasts the `values` of rank `root` to every rank. The number of values must be the same on
/// all ranks. Collective.
void broadcast(const Communicator& comm, std::span<double> values, int root = 0);
/// Broadcasts the integers `values` of rank `root` to every rank. The number of values must be the
/// same on all ranks. Collective.
void broadcast(const Communicator& comm, std::span<std::int64_t> values, int root = 0);
/// Broadcasts the text of rank `root` to every rank. Collective.
void broadcast(const Communicator& comm, std::string& text, int root = 0);
/// Broadcasts `values`, a vector of doubles, from the root to every rank. On the other ranks the
/// vector first gets the size that it has on the root. Collective.
template <typename Vector>
void broadcast_all(const Communicator& comm, Vector& values) {
  auto size = static_cast<std::int64_t>(values.size());
  broadcast(comm, std::span(&size, 1));
  values.resize(static_cast<std::size_t>(size));
  broadcast(comm, std::span<double>(values));
}

/// Calls `make` on the root and returns its text on every rank. If `make` throws a UserError,
/// SystemError or Stopped, every rank throws the same exception. Collective.
std::string from_root(const Communicator& comm, const std::function<std::string()>& make);

/// Calls `work` on the root. If `work` throws a UserError, SystemError or Stopped, every rank
/// throws the same exception. Collective.
void on_root(const Communicator& comm, const std::function<void()>& work);

/// Finds the lowest rank whose `text` is not empty, and returns this text on every rank. Returns an
/// empty text if all texts are empty. Collective.
std::string first_text(const Communicator& comm, const std::string& text);

/// Calls `work` on every rank. If `work` throws a UserError, SystemError or Stopped on some ranks,
/// every rank throws the exception of the lowest of these ranks. Collective.
void on_each(const Communicator& comm, const std::function<void()>& work);

/// Returns whether a message with the tag `tag` from `rank` has arrived at this rank. If `rank` is
/// MPI_ANY_SOURCE, a message from any rank counts; if one has arrived, `rank` is set to its sender.
/// Local.
bool has_arrived(const Communicator& comm, int& rank, int tag);
/// Waits for a message with the tag `tag` from `rank` and returns its numbers. Local.
std::vector<double> receive(const Communicator& comm, int rank, int tag);
/// Sends `numbers` to `rank` in a message with the tag `tag`. If MPI does not buffer the message,
/// the function does not return before `rank` receives it. Local.
void send(const Communicator& comm, const std::vector<double>& numbers, int rank, int tag);

/// Exchanges one number with each neighbour of a rank, for a line of elements that is split over
/// the ranks. A rank has up to two neighbours: the ranks that hold the elements directly before and
/// directly after its own elements. `comm` must outlive the object.
class Neighbours {
 public:
  /// `elements` is the number of elements on all ranks, and `mine` is the range of those on this
  /// rank. The ranges of the ranks must follow one another in the order of ranks; ranks without
  /// elements come last. Local.
  Neighbours(const Communicator& comm, base::CellRange mine, std::int64_t elements)
      : comm_(&comm),
        before_(mine.size > 0 && mine.first > 0 ? comm.rank() - 1 : MPI_PROC_NULL),
        after_(mine.size > 0 && mine.first + mine.size < elements ? comm.rank() + 1
                                                                  : MPI_PROC_NULL) {}

  /// Sends `to_before` to the neighbour before this rank and `to_after` to the neighbour after this
  /// rank. Returns the numbers that the two have sent to this rank, in the same order; 0 where
  /// there is no neighbour. Collective.
  [[nodiscard]] std::pair<double, double> exchange(double to_before, double to_after) const;

 private:
  const Communicator* comm_;
  int before_;  // the neighbour before this rank, or MPI_PROC_NULL
  int after_;
};

}  // namespace masing::parallel
