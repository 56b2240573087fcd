#include "parallel/session.hpp"

#include <petscsys.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "parallel/stop.hpp"

namespace masing::parallel {

std::string one_line(std::string message) {
  std::ranges::replace_if(
      message, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return message;
}

namespace {

int ranks_of_session = 1;

}  // namespace

// The variables of Slurm below are set in a step of srun, but not in a batch script. A process that
// the script starts directly therefore counts as started without a launcher.
bool started_by_launcher() {
  constexpr std::array signs{
      "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",     "PMI_RANK",    "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
      "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "SLURM_STEPID"};
  return std::ranges::any_of(signs, [](const char* name) { return std::getenv(name) != nullptr; });
}

bool is_alone() {
  return ranks_of_session == 1;
}

RootAlone::RootAlone() : comm_(MPI_COMM_SELF), ranks_before_(std::exchange(ranks_of_session, 1)) {}

RootAlone::~RootAlone() {
  ranks_of_session = ranks_before_;
}

namespace {

/// Sets environment variables for Open MPI in a process without a launcher. Open MPI then starts no
/// daemon, which only MPI_Comm_spawn needs, creates no session folder, and does not search for
/// networks. This saves 0.3 s. Nor does it install signal handlers. Variables that the user has set
/// are kept.
void start_alone() {
  for (const auto& [name, value] : {std::pair{"OMPI_MCA_ess_singleton_isolated", "1"},
                                    {"OMPI_MCA_orte_create_session_dirs", "0"},
                                    {"OMPI_MCA_pml", "ob1"},
                                    {"OMPI_MCA_btl", "self"},
                                    {"OMPI_MCA_opal_signal", ""}}) {
    setenv(name, value, 0);
  }
}

void end_mpi() {
  mpi_runs() ? MPI_Finalize() : 0;
}

/// Initializes MPI if it is not running yet. Returns whether this call has initialized MPI. Throws
/// SystemError if MPI has been finalized or cannot be initialized.
bool begin_mpi() {
  const std::string state = mpi_state();
  if (state == "ended") {
    throw base::SystemError("MPI has ended, and cannot begin again in this process");
  }
  if (state.empty()) {
    char** end = environ;
    while (*end != nullptr) {
      ++end;
    }
    // This copy of the environment becomes `environ` below and is used until the process ends.
    // Therefore it is never freed.
    static auto* const before = new std::vector<char*>(environ, end + 1);
    if (!started_by_launcher()) {
      start_alone();
    }
    // If mpirun ends, MPI_Init may wait forever. Slurm ends its tasks itself.
    const bool is_below_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
    if (is_below_mpirun) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    int level = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
    if (is_below_mpirun) {
      prctl(PR_SET_PDEATHSIG, 0);
    }
    environ = before->data();  // an mpirun that this process starts must not see the variables
    if (!started_by_launcher()) {
      static const pid_t process = getpid();
      // A forked child does not finalize MPI.
      std::atexit([] { getpid() == process ? end_mpi() : void(); });
    }
  }
  return state.empty();
}

void begin_petsc(const std::vector<std::string>& options, MPI_Comm comm) {
  // Later versions of PETSc warn of unused options on stdout, before all options have been used,
  // unless -options_left says whether they do.
  std::vector<std::string> words{"masing", "-no_signal_handler", "-options_left", "no"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> pointers(words.size() + 1, nullptr);
  std::ranges::transform(words, pointers.begin(), [](std::string& word) { return word.data(); });
  int count = static_cast<int>(words.size());
  char** arguments = pointers.data();
  PETSC_COMM_WORLD = comm;
  // PETSc copies the words that it keeps, so that `words` need not outlive this call.
  if (PetscInitialize(&count, &arguments, nullptr, nullptr) != 0) {
    throw base::SystemError("PETSc did not start");
  }
}

bool petsc_runs() {
  PetscBool runs = PETSC_FALSE;
  PetscInitialized(&runs);
  return runs == PETSC_TRUE;
}

}  // namespace

Session::Session(const std::vector<std::string>& petsc_options, MPI_Comm comm) {
  ends_mpi_ = begin_mpi() && started_by_launcher();
  world_.emplace(comm);
  ranks_of_session = world_->size();
  failures_.emplace(world_->handle());
  if (!petsc_runs()) {
    begin_petsc(petsc_options, world_->handle());
    ends_petsc_ = true;
  }
  // With this handler PETSc returns error codes and prints nothing. check_petsc converts the codes
  // to exceptions with messages of one line.
  PetscPushErrorHandler(PetscIgnoreErrorHandler, nullptr);
  watch_stops(&*world_);
}

Session::~Session() {
  if (!mpi_runs()) {
    watch_stops(nullptr);
    return;  // the caller has finalized MPI too early, so that nothing can be freed
  }
  forget_stops();
  watch_stops(nullptr);
  PetscPopErrorHandler();
  if (ends_petsc_ && petsc_runs()) {
    PetscFinalize();
    PETSC_COMM_WORLD = MPI_COMM_NULL;
  }
  failures_.reset();
  world_.reset();
  if (ends_mpi_) {
    end_mpi();
  }
}

const Communicator& Session::begin_call() {
  if (!mpi_runs() || !petsc_runs()) {
    throw base::SystemError(
        "MPI or PETSc was ended while the session lived; end the session first");
  }
  forget_stops();
  return *world_;
}

int Session::run(const std::function<int(const Communicator&)>& work) noexcept {
  try {
    return work(*world_);
  } catch (const base::Stopped& stopped) {
    return fail(base::exit_stopped, stopped.what());
  } catch (const base::UserError& mistake) {
    return fail(base::exit_user_mistake, mistake.what());
  } catch (const std::exception& failure) {
    return fail(base::exit_failure, failure.what());
  }
}

namespace {

/// Returns whether every rank calls this function within two seconds. If not, some rank has failed
/// alone. No other operation may be pending on `comm`. Collective, but no rank waits longer.
bool all_arrive(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (int arrived = 0; std::chrono::steady_clock::now() < deadline;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

int Session::fail(int code, const std::string& text) noexcept {
  const std::string message = one_line(text);
  if (all_arrive(*failures_)) {
    if (failures_->is_root()) {
      std::fprintf(stderr, "masing: %s\n", message.c_str());
    }
    if (code == base::exit_failure) {
      // The process ends without PetscFinalize, which would close files. Closing may repeat the
      // operation that has just failed, and may never return.
      std::fflush(nullptr);
      std::_Exit(code);
    }
    return code;
  }
  std::fprintf(stderr, "masing: rank %d of %d alone: %s\n", failures_->rank(), failures_->size(),
               message.c_str());
  std::fflush(nullptr);
  MPI_Abort(failures_->handle(), code);
  return code;
}

}  // namespace masing::parallel
