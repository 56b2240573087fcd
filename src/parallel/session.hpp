#pragma once

#include <mpi.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/poll.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Throws UserError if the launcher has started several processes, but MPI reports a single rank
/// (`ranks` = 1). Each process then is a separate copy of the program, because the launcher belongs
/// to another MPI. In all copies except the first, the message is empty. The function reads the
/// environment variables of Open MPI, MPICH (hydra), MVAPICH and Slurm. Local.
void require_connected(int ranks);

/// Returns whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

/// Returns whether the ranks on this host outnumber the cores that their mpirun may use. Only Open
/// MPI's mpirun states the number of ranks; under any other launcher the result is false. Local.
bool ranks_outnumber_cores();

/// Returns the available memory in bytes, which the text of a file /proc/meminfo states in kB after
/// MemAvailable. Returns infinity if the text does not state it. Local.
double available_of_meminfo(std::string_view meminfo);

/// Returns how many bytes a process may still allocate within the limits of its control groups
/// (version 2): the smallest value of limit - use over the group of the process and all groups
/// above this group, where cached files do not count as used. The result is infinite if there is no
/// limit. `mount` is the folder where the groups are mounted; `groups` is the text of the file
/// /proc/self/cgroup of the process. Local.
double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups);

/// Returns how many bytes each rank may still allocate if the ranks of `comm` on a node share nine
/// tenths of the available memory of the node equally; the rest is left to MPI, HDF5 and the
/// system. Every rank returns the result of the node with the least memory per rank; the result is
/// infinite if the system does not state the available memory. Collective.
double available_memory(const Communicator& comm);

/// Returns the largest `value` of all ranks, or nothing if some rank does not call this function
/// within two seconds, for example because a rank has failed alone. No other operation may be
/// pending on `comm`. Collective, but it never waits longer than two seconds.
std::optional<double> try_max_over_ranks(const Communicator& comm, double value);

/// Returns `message` with every control character replaced by a blank, so that it is one line.
/// Local.
std::string one_line(std::string message);

/// Returns the neighbours of `rank` in a tree of `size` ranks, in which the ranks 8r+1..8r+8 are
/// the children of rank r: first the parent and then the children. Local.
std::vector<int> tree_neighbours(int rank, int size);

/// Notifies all ranks of a communicator of a stop and of the cause of the stop. The ranks may work
/// independently, without any collective operation. Every rank sends the notice once to each of its
/// neighbours in a tree (tree_neighbours()), so that R ranks send 2 (R - 1) messages, and no rank
/// sends more than 9. Ranks check for a notice between chunks of time steps, and while they wait in
/// sleep_until().
class StopNotice {
 public:
  /// Duplicates `comm`. Collective.
  explicit StopNotice(const Communicator& comm);
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// Sends a notice with this cause to the neighbours, unless this rank already knows of a notice.
  /// `cause` must not be 0. Local.
  void send(int cause);
  /// If a notice has arrived, receives it and forwards it to the neighbours. Returns the cause of
  /// the notice that this rank has sent or forwarded, or 0 if there is none. Local.
  [[nodiscard]] int received();
  /// Returns the same cause as received(), but does not check whether a notice has arrived;
  /// stop_requested() checks this for all objects of this class. Local.
  [[nodiscard]] int cause() const { return cause_; }
  /// Receives the messages that are still on their way to this rank. No rank may send a notice
  /// afterwards. Collective.
  void drain();
  /// Receives the messages that are still on their way, and then makes all ranks forget the notice.
  /// If some ranks pass a `cause` other than 0, a new notice is sent: afterwards every rank knows
  /// one of these causes. Collective.
  void renew(int cause);

 private:
  void receive_message();

  // A duplicate of the communicator, so that only messages of this object are received.
  Communicator comm_;
  std::vector<int> neighbours_;
  int cause_ = 0;
  std::size_t arrived_ = 0;  // the number of received messages; each neighbour sends one message
  std::vector<MPI_Request> requests_;
};

/// The signals that request the program to stop, with their names.
inline constexpr std::pair<int, const char*> stop_signals[] = {
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}};

/// Requests that all ranks stop at the next possible point. `signal` is the number of the signal
/// that caused the request; 0 or a negative number means that the program itself requests the stop.
/// Async-signal-safe. Local.
void request_stop(int signal);

/// Withdraws the stop requests of this rank. This function may be called only between calls of the
/// library. Local.
void clear_stop();

/// Requests a stop after `seconds`, counted from the start of the process or, in the library, from
/// the last Session::begin_call(). Local.
void limit_wall_time(double seconds);

/// Returns whether any rank of the program has been requested to stop. Local, and fast.
bool stop_requested();

/// Returns an object; during the lifetime of the object, base::poll() throws Stopped if a stop has
/// been requested. In the first second poll() does not throw, so that short computations are
/// completed. Local.
[[nodiscard]] base::Polling stop_polling();

/// Returns the cause of the stop as a text, such as "by SIGUSR1" or "by the wall limit". All ranks
/// return the same text: the cause that is known to the first rank that knows any. Collective.
std::string stop_reason(const Communicator& comm);

/// Returns advice for runs under Open MPI's mpirun: how many seconds Ctrl-C leaves to write a
/// checkpoint, and how to stop the run with enough time for it. The text is empty under any other
/// launcher and without a launcher. Local.
std::string stop_advice();

/// Returns whether this rank works without other ranks: the session has one rank, there is no
/// session, or a RootAlone exists. Local.
bool is_alone();

/// During the lifetime of an object of this class the root works without the other ranks, which
/// wait in on_root(). Files are then opened without MPI-IO, and are closed even after a failure.
/// Only the root may construct an object.
class RootAlone {
 public:
  explicit RootAlone(const Communicator& comm);
  ~RootAlone();
  RootAlone(const RootAlone&) = delete;
  RootAlone& operator=(const RootAlone&) = delete;

  /// Returns a communicator of the root only. Local.
  [[nodiscard]] const Communicator& comm() const { return comm_; }

 private:
  Communicator comm_;
  int ranks_before_;
};

/// Initializes MPI and PETSc, unless they are running already; only one session may exist at a
/// time. MPI or PETSc is not finalized if it was running before the session. Under a launcher both
/// are finalized at the end of the session. In a process without a launcher PETSc is finalized at
/// the end of the session and MPI at the end of the process, so that more sessions may follow.
/// During the lifetime of a session a stop request to one rank stops all ranks.
class Session {
 public:
  /// `petsc_options` are the words for PETSc's own parser, such as {"-log_view"}; at the end of the
  /// session the root warns of the options that PETSc has not used. In a process without a
  /// launcher, Open MPI is configured for a single process: the variables OMPI_MCA_… for
  /// `ess_singleton_isolated`, `orte_create_session_dirs`, `pml` and `btl` are set while MPI is
  /// initialized, unless the environment contains them. Signal handlers are not changed. `comm` is
  /// the communicator of the session, by default that of all ranks of the program. Any other `comm`
  /// requires that MPI is running. Throws UserError if another session exists or `comm` is
  /// MPI_COMM_NULL, SystemError if MPI or PETSc cannot be initialized. Collective.
  explicit Session(const std::vector<std::string>& petsc_options, MPI_Comm comm = MPI_COMM_WORLD);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns the communicator of all ranks of the session.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Begins a call of the library and returns the communicator of the session. The time limit of
  /// the call (limit_wall_time()) counts from here. An earlier stop request is withdrawn if
  /// clear_stop() has withdrawn it on all ranks that received it. Throws SystemError if MPI or
  /// PETSc has been finalized. Collective.
  const Communicator& begin_call();

  /// Calls `work` and returns its exit code. An exception is converted to an exit code (UserError
  /// to 2, Stopped to 75, any other to 1), and its message is printed on stderr. If every rank
  /// fails, the root alone prints its message, and on exit code 1 the processes end at once. A rank
  /// that fails alone prints its message and aborts the other ranks. Collective.
  int run(const std::function<int(const Communicator&)>& work) noexcept;

 private:
  int fail(int code, const std::string& text) noexcept;

  bool ends_mpi_ = false;
  bool ends_petsc_ = false;
  std::optional<Communicator> world_;
  std::optional<StopNotice> stop_notice_;
  // A duplicate of the communicator, on which no other operation can be pending.
  std::optional<Communicator> failures_;
};

}  // namespace masing::parallel
