#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// One of several copies of the program that a launcher started without connecting them.
struct ProcessCopy {
  int index = 0;
  int count = 1;
};

/// This copy, if a launcher started several and MPI has one rank (`ranks`) only: the launcher is of
/// another MPI than the program. Reads the environment variables of Open MPI, MPICH (hydra),
/// MVAPICH and Slurm. Local.
std::optional<ProcessCopy> unconnected_copy(int ranks);

/// Whether the ranks on this host outnumber its cores, as far as Open MPI's mpirun tells; else it
/// is taken that they do not. Local.
bool ranks_outnumber_cores();

/// Whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

/// `message` on one line, whatever the user's text in it holds. Local.
std::string one_line(std::string message);

/// A request to stop for all ranks of a communicator, sent to each with its cause: for ranks that
/// work apart and meet in no collective. Looked for between chunks.
class StopNotice {
 public:
  /// Collective.
  explicit StopNotice(const Communicator& comm) : comm_(comm.handle()) {}

  /// Send the request to all other ranks; later calls do nothing. `cause`: not 0. Local.
  void send(int cause);
  /// The cause of this rank's request, or of the first other one that has arrived here; 0 before.
  /// Local.
  [[nodiscard]] int received();
  /// Receive the messages still under way. No rank may send afterwards. Collective.
  void drain();

 private:
  Communicator comm_;  // a duplicate: no other message can match
  int own_ = 0;        // cause
  int first_ = 0;      // cause, of all that are here
  std::int64_t arrived_ = 0;
  std::vector<MPI_Request> requests_;
};

/// Install handlers by which SIGUSR1, SIGUSR2, SIGTERM and SIGINT request this process to stop
/// where it can; a second signal, half a second later or more, ends it at once. Where Open MPI's
/// mpirun ends its ranks (SIGCONT, after its grace time SIGTERM, after it again SIGKILL) the first
/// of these is the request, and shortly before the last the process ends itself. Local.
void install_signal_handlers();

/// From now on let such a signal end this process at once, with 128 plus its number, after one line
/// on stderr where `prints`. For work that a stop would lose anyway. Local.
void end_at_signals(bool prints);

/// What to print where a signal ends this process at once. Local.
struct LastWords {
  std::string checkpoint;  ///< a file
  std::string with;        ///< where it is there
  std::string without;     ///< where it is not
};
void set_last_words(const LastWords& words);

/// From now on, where mpirun ends its ranks and this process has not stopped, it ends itself
/// shortly before it is killed, with its last words and without leftovers. Local.
void end_before_launcher_kills();

/// How to stop a run under Open MPI's mpirun with all the time that a checkpoint takes, and how
/// much there is after Ctrl-C; empty under other launchers and without one. Local.
std::string stop_advice();

/// Request this process to stop `seconds` after it was started. Local.
void limit_wall_time(double seconds);

/// Whether any rank of the program was requested to stop. Local, and cheap.
bool stop_requested();

/// The same, but for the wall limit of this rank. Local, and cheap.
bool stop_signalled();

/// The cause, "by SIGUSR1" or "by the wall limit", as the first of these ranks knows it that knows
/// one; the same on each. Collective.
std::string stop_reason(const Communicator& comm);

/// MPI and PETSc from start to end: initialised with it, finalised after every object has died.
/// While it lives, a request to one rank to stop is one to all.
class Session {
 public:
  /// `petsc_options`: what PETSc's own parser shall see, e.g. {"-log_view"}. A process that no
  /// launcher started tells Open MPI that it is alone, which starts in a fifth of the time:
  /// OMPI_MCA_pml=ob1, OMPI_MCA_btl=self, OMPI_MCA_ess_singleton_isolated=1, and
  /// OMPI_MCA_orte_tmpdir_base a folder of its own below $TMPDIR, gone at the end. What the
  /// environment sets already wins; MASING_SINGLETON=0 there leaves Open MPI as it is, and with it
  /// what a file of MCA parameters says. Collective.
  explicit Session(const std::vector<std::string>& petsc_options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All ranks of the program.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Run `work` and return its exit code. An exception becomes its exit code (UserError 2, Stopped
  /// 75, any other 1) and one line on stderr: one line in all when every rank failed alike; a rank
  /// that fails alone says so and ends the others. Collective.
  int run(const std::function<int(const Communicator&)>& work) noexcept;

 private:
  int fail(int code, const std::string& text) noexcept;

  std::string folder_;  // of Open MPI's session where it is made here, else empty
  std::optional<Communicator> world_;
  std::optional<StopNotice> stop_notice_;
  std::optional<Communicator> failures_;  // a duplicate: no pending message can match
};

}  // namespace masing::parallel
