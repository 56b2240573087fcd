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
/// (`ranks` = 1). This happens if the launcher belongs to another MPI than the program; each
/// process then is a separate copy of the program. The message is empty in all copies except the
/// first, so that it is printed once. The function reads the environment variables of Open MPI,
/// MPICH (hydra), MVAPICH and Slurm. Local.
void require_connected(int ranks);

/// Returns whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

/// Returns whether there are more ranks than cores on this host. The cores are those that mpirun
/// may use or, if mpirun has bound the ranks to cores, all cores of the host. Only Open MPI's
/// mpirun states the number of ranks; under any other launcher the result is false. Local.
bool ranks_outnumber_cores();

/// Returns the available memory in bytes. `meminfo` is the text of a file /proc/meminfo, which
/// states this memory in kB after "MemAvailable:". Returns infinity if the text does not state it.
/// Local.
double available_of_meminfo(std::string_view meminfo);

/// Returns how many bytes a process may still allocate within the memory limits of its control
/// groups (version 2). This is the least value of limit - use, but at least 0, over the group of
/// the process and all groups above it. Inactive file caches do not count as use. Returns infinity
/// if no group has a limit. `mount` is the folder where the groups are mounted; `groups` is the
/// text of the file /proc/self/cgroup of the process. Local.
double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups);

/// Returns how many bytes each rank of `comm` may still allocate. The ranks on a node share nine
/// tenths of its available memory equally, within the limits of their control groups. The last
/// tenth is left to MPI, HDF5 and the system. Every rank returns the result of the node with the
/// least memory per rank. Returns infinity if the systems state neither the available memory nor a
/// limit. Collective.
double available_memory(const Communicator& comm);

/// Returns `message` as one line: every control character, such as a line break, is replaced by a
/// blank. Local.
std::string one_line(std::string message);

/// The signals by which a user or a scheduler requests the program to stop, with their names.
inline constexpr std::pair<int, const char*> stop_signals[] = {
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}};

/// Requests that all ranks stop as soon as they can. The request may be made to any rank. `signal`
/// is the number of the signal that caused the request; 0 or a negative number means that the
/// program itself requests the stop. Async-signal-safe. Local.
void request_stop(int signal);

/// Withdraws the request that request_stop() has made on this rank. This function may be called
/// only between two calls of Session::begin_call(). Local.
void clear_stop();

/// Requests a stop after `seconds`, counted from the start of the process or, in the Python module,
/// from the latest Session::begin_call(). Local.
void limit_wall_time(double seconds);

/// Returns whether this rank knows that a stop was requested. The root knows of requests to any
/// rank: a rank that was requested to stop tells the root in this function, which is also called
/// while a rank waits in sleep_until(). Other ranks know only of requests to themselves. Local, and
/// fast.
bool stop_requested();

/// While the returned object exists, base::poll() throws Stopped if a stop was requested. In the
/// first second poll() does not throw, so that short computations are completed. Local.
[[nodiscard]] base::Polling stop_polling();

/// Returns the cause of the stop as a text, such as "by SIGUSR1" or "by the wall limit". Every rank
/// returns the cause that the lowest rank with a known cause knows. The text is empty if no rank
/// knows a cause. Collective.
std::string stop_reason(const Communicator& comm);

/// Returns whether this rank works without other ranks. This is so before the first session, in a
/// session of one rank, and while a RootAlone exists. Local.
bool is_alone();

/// While an object of this class exists, the root works without the other ranks: these wait in
/// on_root(), or compute works of their own. Files are then opened without MPI-IO, and are closed
/// even after a failure. Only the root may construct an object.
class RootAlone {
 public:
  RootAlone();
  ~RootAlone();
  RootAlone(const RootAlone&) = delete;
  RootAlone& operator=(const RootAlone&) = delete;

  /// Returns a communicator that contains only the root. Local.
  [[nodiscard]] const Communicator& comm() const { return comm_; }

 private:
  Communicator comm_;
  int ranks_before_;
};

/// Initializes MPI and PETSc, unless they are running already; only one session may exist at a
/// time. What was running before the session is not finalized by it. Under a launcher MPI and PETSc
/// are finalized at the end of the session. In a process without a launcher PETSc is finalized at
/// the end of the session, but MPI at the end of the process, so that more sessions may follow.
/// While a session exists, the root is told of a stop request to any rank.
class Session {
 public:
  /// `petsc_options` are the words for PETSc's own parser, such as "-log_view"; they are ignored if
  /// PETSc is already running. When the session finalizes PETSc, the root warns of the options that
  /// PETSc has not used. In a process without a launcher, Open MPI is configured for a single
  /// process while MPI is initialized, and changes no signal handlers. For this purpose the
  /// variables OMPI_MCA_… for `ess_singleton_isolated`, `orte_create_session_dirs`, `pml`, `btl`
  /// and `opal_signal` are set, unless the environment contains them. `comm` is the communicator of
  /// the session, by default that of all ranks of the program. For any other `comm`, MPI must be
  /// running already. Throws UserError if another session exists or `comm` is MPI_COMM_NULL,
  /// SystemError if MPI or PETSc cannot be initialized. Collective.
  explicit Session(const std::vector<std::string>& petsc_options, MPI_Comm comm = MPI_COMM_WORLD);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns the communicator of all ranks of the session.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Begins a call of the Python module and returns the communicator of the session. An earlier
  /// time limit is removed; a limit that the call sets (limit_wall_time()) counts from here.
  /// Earlier stop requests are forgotten, except those that a rank has not withdrawn by
  /// clear_stop(). Throws SystemError if MPI or PETSc has been finalized. Collective.
  const Communicator& begin_call();

  /// Calls `work` and returns its exit code. An exception is converted to an exit code: UserError
  /// to 2, Stopped to 75, any other to 1. If every rank throws, the root prints its message on
  /// stderr, and the processes end at once if the code is 1. If only some ranks throw, these ranks
  /// print their messages and abort all ranks. Collective.
  int run(const std::function<int(const Communicator&)>& work) noexcept;

 private:
  int fail(int code, const std::string& text) noexcept;

  bool ends_mpi_ = false;
  bool ends_petsc_ = false;
  std::optional<Communicator> world_;
  // A duplicate of the communicator, for fail() only, so that no other operation can be pending on
  // it.
  std::optional<Communicator> failures_;
};

}  // namespace masing::parallel
