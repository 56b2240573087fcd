#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/partition.hpp"

/// MPI and PETSc: session, communicators, distributed vectors, reductions, failure on all ranks.
namespace masing::parallel {

/// "file.cpp:12", for messages of failures.
std::string place(const base::Location& where);

/// Throw SystemError with PETSc's message and the place of the call if `code` is an error. Local.
void check_petsc(int code, base::Location where = base::Location::current());

/// Throw SystemError with MPI's message and the place of the call if `code` is an error. Local.
void check_mpi(int code, base::Location where = base::Location::current());

/// Where the ranks of a communicator run.
struct Nodes {
  int count = 1;       ///< the same on every rank
  int ranks_here = 1;  ///< on this rank's node
};

/// Whether MPI has begun and not ended. Local.
bool mpi_runs();

/// Owner of a communicator whose errors come back as codes; move-only, freed with the object.
class Communicator {
 public:
  /// A duplicate of `original`. Collective on `original`.
  explicit Communicator(MPI_Comm original);
  /// The ranks first..first+count-1 of `whole`, in order. Collective on those ranks alone.
  Communicator(const Communicator& whole, int first, int count);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

 private:
  friend Nodes nodes_of(const Communicator& comm);
  void settle();

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  mutable std::optional<Nodes> nodes_;
};

/// The nodes of `comm`, found once. Collective.
Nodes nodes_of(const Communicator& comm);

/// How a rank waits for the others: `sleeping` between looks, so that it takes no core from them;
/// `polling` without a pause, for what all ranks come to at every step.
enum class Wait { sleeping, polling };

/// Calls `is_done` until it says so: for 50 µs without a pause, then with naps of a tenth of the
/// time waited, 1 ms at most. A request to this rank to stop is passed on meanwhile. Local.
void sleep_until(const std::function<bool()>& is_done);

/// Replace each entry of `values` by its sum over the ranks; exact in any order. Collective.
void sum_over_ranks(const Communicator& comm, std::span<std::int64_t> values,
                    Wait wait = Wait::sleeping);
/// Replace each entry of `values` by its sum mod 2^64 over the ranks. Collective.
void sum_over_ranks(const Communicator& comm, std::span<std::uint64_t> values);
/// Replace each entry of `values` by its maximum over the ranks. Collective.
void max_over_ranks(const Communicator& comm, std::span<double> values, Wait wait = Wait::sleeping);
/// The least `value` of all ranks. Collective.
std::int64_t min_over_ranks(const Communicator& comm, std::int64_t value);

/// Set `values` to those of rank `root` on every rank; as many on all. Collective.
void broadcast(const Communicator& comm, std::span<double> values, int root = 0);
/// The same. Collective.
void broadcast(const Communicator& comm, std::span<std::int64_t> values, int root = 0);
/// Set `values`, a vector of doubles, to those of rank `root` on every rank, resized to their
/// number. Collective.
template <typename Vector>
void broadcast_all(const Communicator& comm, Vector& values, int root) {
  auto size = static_cast<std::int64_t>(values.size());
  broadcast(comm, std::span(&size, 1), root);
  values.resize(static_cast<std::size_t>(size));
  broadcast(comm, std::span<double>(values), root);
}

/// Run `make` on the root and return its text on every rank; a UserError, SystemError or Stopped it
/// throws there is thrown on every rank alike. Collective.
std::string from_root(const Communicator& comm, const std::function<std::string()>& make);

/// The same of several texts. Collective.
std::vector<std::string> texts_from_root(const Communicator& comm,
                                         const std::function<std::vector<std::string>()>& make);

/// Calls `work` on the root; what from_root throws is thrown on every rank alike. Collective.
void on_root(const Communicator& comm, const std::function<void()>& work);

/// The first non-empty text in the order of ranks, on every rank; empty if all are. Collective.
std::string first_text(const Communicator& comm, const std::string& text);

/// Calls `work` on every rank; what from_root throws is thrown alike on all ranks if any rank's
/// `work` throws it: that of the first such rank. Collective.
void on_each(const Communicator& comm, const std::function<void()>& work);

/// Throws the mistake of the first rank that has one, alike on all ranks. Collective.
void throw_first(const Communicator& comm, const std::optional<base::UserError>& mistake);

/// Whether a message to this rank has arrived from `rank`, or from any where that is
/// MPI_ANY_SOURCE; then `rank` is set to the one that sent it. Local.
bool has_arrived(const Communicator& comm, int& rank, int tag);
/// Receives the numbers of a message from `rank`; waits until it arrives. Local.
std::vector<double> receive(const Communicator& comm, int rank, int tag);
/// Sends numbers to `rank`. Returns when they are on their way. Local.
void send(const Communicator& comm, const std::vector<double>& numbers, int rank, int tag);

/// Exchange of one number with each neighbour along a line of elements. `comm` must outlive it.
class Neighbours {
 public:
  /// From the ranks that hold the element before this rank's first and after its last.
  struct Received {
    double from_before = 0.0;  ///< 0 if there is none
    double from_after = 0.0;   ///< 0 if there is none
  };

  /// `mine`: the elements of this rank of `elements`, consecutive in the order of ranks; ranks
  /// without elements come last. Local.
  Neighbours(const Communicator& comm, base::CellRange mine, std::int64_t elements)
      : comm_(&comm),
        before_(mine.size > 0 && mine.first > 0 ? comm.rank() - 1 : MPI_PROC_NULL),
        after_(mine.size > 0 && mine.first + mine.size < elements ? comm.rank() + 1
                                                                  : MPI_PROC_NULL) {}

  /// Send `to_before` and `to_after` to the neighbours and receive theirs. Collective.
  [[nodiscard]] Received exchange(double to_before, double to_after) const;

 private:
  const Communicator* comm_;
  int before_;  // ranks
  int after_;
};

}  // namespace masing::parallel
