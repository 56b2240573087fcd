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

/// Throws UserError where this is one of several copies of the program, of one rank each, that a
/// launcher of another MPI started; without a message in all but the first. Reads the environment
/// variables of Open MPI, MPICH (hydra), MVAPICH and Slurm. Local.
void require_connected(int ranks);

/// Whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

/// Whether the ranks on this host outnumber the cores that their mpirun may use, as far as Open
/// MPI's tells; else it is taken that they do not. Local.
bool ranks_outnumber_cores();

/// MemAvailable of a /proc/meminfo, in bytes; infinite where it has none. Local.
double available_of_meminfo(std::string_view meminfo);

/// Bytes that a process's control groups, of version 2, leave it: the least of limit - use over its
/// group and the groups above, cached files not counted as used; infinite where there is no limit.
/// `mount`: where the groups are mounted; `groups`: a /proc/self/cgroup. Local.
double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups);

/// Bytes that each rank may still allocate if the ranks of `comm` on its node share alike nine
/// tenths of what is available there, for what MPI, HDF5 and the system take meanwhile: the least
/// of all nodes, on every rank; infinite where the system does not say. Collective.
double available_memory(const Communicator& comm);

/// Returns the largest `value` of all ranks; nothing where they do not all call it within two
/// seconds, as where one of them fails alone. Nothing else may be under way on `comm`. Collective,
/// but never blocks longer.
std::optional<double> max_of_all_who_come(const Communicator& comm, double value);

/// `message` on one line, whatever the user's text in it holds. Local.
std::string one_line(std::string message);

/// The ranks joined to `rank` in a tree of `size` ranks: rank 0 has 1..8 below it, rank r the ranks
/// 8r+1..8r+8. The one above, then those below. Local.
std::vector<int> tree_neighbours(int rank, int size);

/// A notice to all ranks of a communicator with its cause, for ranks that work apart and meet in no
/// collective: who has one tells its neighbours of a tree, once, so that 2 (R - 1) messages tell R
/// ranks, at most 9 of them sent by one. Looked for between chunks, and where a rank sleeps.
class StopNotice {
 public:
  /// Collective.
  explicit StopNotice(const Communicator& comm);
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// Send the notice; nothing is done where this rank knows of one. `cause`: not 0. Local.
  void send(int cause);
  /// The cause of the notice that this rank sent or passed on, what has arrived included; 0 before.
  /// Local.
  [[nodiscard]] int received();
  /// The same without a look for what has arrived: stop_requested() looks for all notices. Local.
  [[nodiscard]] int cause() const { return cause_; }
  /// Receive the messages still under way. No rank may send afterwards. Collective.
  void drain();
  /// The same, and begin anew: all know the `cause` of a rank that has one, not 0. Collective.
  void renew(int cause);

 private:
  void take();

  Communicator comm_;  // a duplicate: no other message can match
  std::vector<int> neighbours_;
  int cause_ = 0;
  std::size_t arrived_ = 0;  // of the message from each neighbour
  std::vector<MPI_Request> requests_;
};

/// The signals that ask the program to stop.
inline constexpr std::pair<int, const char*> stop_signals[] = {
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}};

/// Ask all ranks to stop where they can, because of the signal of that number; 0 or less: at the
/// program's own wish. Async-signal-safe. Local.
void request_stop(int signal);

/// Forgets what this rank was asked for. Between calls. Local.
void clear_stop();

/// The same, `seconds` after this process or the call of the library began. Local.
void limit_wall_time(double seconds);

/// Whether any rank of the program was asked to stop. Local, and cheap.
bool stop_requested();

/// While it lives, base::poll() throws Stopped once a stop is requested; not in the first second,
/// in which short work ends by itself. Local.
[[nodiscard]] base::Polling stop_polling();

/// The cause, "by SIGUSR1" or "by the wall limit", as the first of these ranks knows it that knows
/// one; the same on each. Collective.
std::string stop_reason(const Communicator& comm);

/// What Ctrl-C on Open MPI's mpirun leaves of a run, and how to stop it with all the time that a
/// checkpoint takes; empty under other launchers and without one. Local.
std::string stop_advice();

/// Whether no rank takes part in what this one does: the session has one, or there is none, or a
/// RootAlone lives. Local.
bool is_alone();

/// While it lives, the root works without the other ranks, which wait for the end of an on_root:
/// files are opened without MPI-IO, and closed where something fails. On the root.
class RootAlone {
 public:
  explicit RootAlone(const Communicator& comm);
  ~RootAlone();
  RootAlone(const RootAlone&) = delete;
  RootAlone& operator=(const RootAlone&) = delete;

  /// The root. Local.
  [[nodiscard]] const Communicator& comm() const { return comm_; }

 private:
  Communicator comm_;
  int ranks_before_;
};

/// MPI and PETSc from start to end, one session at a time. Whichever was running before stays as it
/// was; else PETSc ends with the session, and so does MPI under a launcher. In a process that no
/// launcher started MPI ends with the process, so that sessions may follow each other. While it
/// lives, a request to one rank to stop is one to all.
class Session {
 public:
  /// `petsc_options`: what PETSc's own parser shall see, e.g. {"-log_view"}; the root warns of
  /// those that PETSc has not asked for until its end. A process that no launcher started tells
  /// Open MPI that it is alone, by OMPI_MCA_... of `ess_singleton_isolated`,
  /// `orte_create_session_dirs`, `pml` and `btl` while MPI starts; what the environment sets
  /// already wins. Handlers of signals stay as they are. `comm`: of an MPI that runs; by default
  /// all ranks of the program. Throws UserError where another session lives, SystemError where MPI
  /// or PETSc cannot begin. Collective.
  explicit Session(const std::vector<std::string>& petsc_options, MPI_Comm comm = MPI_COMM_WORLD);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All ranks of the session.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Begins a call of the library: limits of its time count from here, and all forget what no rank
  /// is asked for any more. Returns the ranks of the session. Throws SystemError where MPI or PETSc
  /// has ended. Collective.
  const Communicator& begin_call();

  /// Run `work` and return its exit code. An exception becomes its exit code (UserError 2, Stopped
  /// 75, any other 1) and one line on stderr: one line in all when every rank failed alike; a rank
  /// that fails alone says so and ends the others. Collective.
  int run(const std::function<int(const Communicator&)>& work) noexcept;

 private:
  int fail(int code, const std::string& text) noexcept;

  bool ends_mpi_ = false;
  bool ends_petsc_ = false;
  std::optional<Communicator> world_;
  std::optional<StopNotice> stop_notice_;
  std::optional<Communicator> failures_;  // a duplicate: no pending message can match
};

}  // namespace masing::parallel
