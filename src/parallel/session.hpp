#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Returns `message` as one line: every control character, such as a line break, is replaced by a
/// blank. Local.
std::string one_line(std::string message);

/// Returns whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

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
  /// PETSc is already running. In a process without a launcher, Open MPI is configured for a single
  /// process while MPI is initialized, and changes no signal handlers. For this purpose the
  /// variables OMPI_MCA_… for `ess_singleton_isolated`, `orte_create_session_dirs`, `pml`, `btl`
  /// and `opal_signal` are set, unless the environment contains them. `comm` is the communicator of
  /// the session, by default that of all ranks of the program. For any other `comm`, MPI must be
  /// running already. Throws SystemError if MPI or PETSc cannot be initialized. Collective.
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
