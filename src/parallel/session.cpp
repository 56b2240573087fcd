#include "parallel/session.hpp"

#include <fmt/core.h>
#include <petscsys.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <thread>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "parallel/phase.hpp"

namespace masing::parallel {

namespace {

using Clock = std::chrono::steady_clock;

// For each launcher, the names of the environment variables that contain the number of processes
// and the index of this process. If mpirun runs within Slurm, the variables of both are set; those
// of mpirun are correct, so they come first.
constexpr const char* launchers[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                        {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                        {"PMI_SIZE", "PMI_RANK"},
                                        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<std::int64_t> number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : base::to_integer(text);
}

}  // namespace

void require_connected(int ranks) {
  for (const auto& [count_name, index_name] : launchers) {
    if (const auto count = number(count_name)) {
      if (ranks == 1 && *count > 1) {
        throw base::UserError(
            number(index_name).value_or(0) > 0
                ? ""
                : fmt::format("started as {} copies that do not know of each other: the launcher "
                              "is of another MPI than this program; take the mpirun of the MPI it "
                              "was built with",
                              *count));
      }
      return;
    }
  }
}

// The variables of Slurm below are set in a step of srun, but not in a batch script. A process that
// the script starts directly therefore counts as started without a launcher.
bool started_by_launcher() {
  constexpr std::array signs{
      "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",     "PMI_RANK",    "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
      "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "SLURM_STEPID"};
  return std::ranges::any_of(signs, [](const char* name) { return std::getenv(name) != nullptr; });
}

bool ranks_outnumber_cores() {
  const std::int64_t ranks = number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1);
  // If this variable is set, Open MPI has bound the ranks to cores. All cores of the host are then
  // counted.
  if (ranks == 1 || std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr) {
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
  }
  // The cores that the parent process, mpirun, may use are counted, and not those of this rank:
  // other ranks may be bound to other cores. If the former are unknown, those of this rank are
  // counted.
  std::array<cpu_set_t, 64> cores{};  // room for 65536 cores
  const bool is_known = sched_getaffinity(getppid(), sizeof(cores), cores.data()) == 0 ||
                        sched_getaffinity(0, sizeof(cores), cores.data()) == 0;
  return is_known && ranks > CPU_COUNT_S(sizeof(cores), cores.data());
}

namespace {

using base::infinity;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the number that follows `key` in the first line that begins with `key` and a number.
/// Returns `unknown` if there is no such line.
double number_after(std::string_view text, const std::string& key, double unknown) {
  for (const std::string& line : base::split(text, '\n')) {
    double value = 0.0;
    if (line.starts_with(key) && std::istringstream(line.substr(key.size())) >> value) {
      return value;
    }
  }
  return unknown;
}

/// Returns how many bytes may still be allocated in one control group: the limit minus the use
/// without inactive file caches, but at least 0. Returns infinity if the group has no limit or the
/// file with the limit cannot be read.
double allowance(const std::filesystem::path& group) {
  const double limit =
      // The file contains "max" and no number if there is no limit.
      number_after(content(group / "memory.max"), "", infinity);
  const double used = number_after(content(group / "memory.current"), "", 0.0);
  const double cached = number_after(content(group / "memory.stat"), "inactive_file ", 0.0);
  return std::max(0.0, limit - (used - cached));
}

}  // namespace

double available_of_meminfo(std::string_view meminfo) {
  return 1024 * number_after(meminfo, "MemAvailable:", infinity);
}

double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups) {
  double least = infinity;
  for (const std::string& line : base::split(groups, '\n')) {
    if (line.starts_with("0::/")) {  // lines of control groups of version 1 begin differently
      std::filesystem::path group = line.substr(4);
      least = std::min(least, allowance(mount));
      for (; !group.empty(); group = group.parent_path()) {
        least = std::min(least, allowance(mount / group));
      }
    }
  }
  return least;
}

double available_memory(const Communicator& comm) {
  const double here = std::min(available_of_meminfo(content("/proc/meminfo")),
                               allowance_of_groups("/sys/fs/cgroup", content("/proc/self/cgroup")));
  std::array<double, 1> least{-0.9 * here / nodes_of(comm).ranks_here};
  max_over_ranks(comm, least);
  return -least[0];
}

std::string one_line(std::string message) {
  std::ranges::replace_if(
      message, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return message;
}

namespace {

int ranks_of_session = 1;
Clock::time_point began = Clock::now();
double wall_limit = infinity;  // in seconds
std::atomic<int> requested_by = 0;

// Causes of a stop request that are not signals.
constexpr int by_wall_limit = -1;
constexpr int by_program = -2;

const Communicator* all_ranks = nullptr;  // that of the session, if there is one
constexpr int tag_of_stop = 1;            // no other message on it has this tag
// The cause of the first stop request that this rank knows of, or 0; sent by other ranks to the
// root.
int known_cause = 0;
MPI_Request sending = MPI_REQUEST_NULL;
std::int64_t under_way = 0;  // the messages sent by this rank, minus those received by it

void receive_cause() {
  check_mpi(MPI_Recv(&known_cause, 1, MPI_INT, MPI_ANY_SOURCE, tag_of_stop, all_ranks->handle(),
                     MPI_STATUS_IGNORE));
  --under_way;
}

/// Returns the cause of the stop request that this rank knows of, or 0 if it knows of none. If the
/// request was made to a rank other than the root, this rank sends its cause to the root, once. The
/// root receives one such message, the first that it finds.
int stop_cause() {
  // A check for messages may cost time, because MPI may yield the core in it. Checks are therefore
  // at least this time apart.
  constexpr auto distance = std::chrono::milliseconds(20);
  static Clock::time_point next_check;
  const auto now = Clock::now();
  if (known_cause != 0) {
    return known_cause;
  }
  const bool is_late = std::chrono::duration<double>(now - began).count() >= wall_limit;
  known_cause = requested_by != 0 ? requested_by.load() : is_late ? by_wall_limit : 0;
  if (all_ranks == nullptr || all_ranks->size() == 1) {
    return known_cause;
  }
  if (!all_ranks->is_root() && known_cause != 0) {
    check_mpi(MPI_Isend(&known_cause, 1, MPI_INT, 0, tag_of_stop, all_ranks->handle(), &sending));
    ++under_way;
  } else if (all_ranks->is_root() && known_cause == 0 && now >= next_check) {
    next_check = now + distance;
    int any = MPI_ANY_SOURCE;
    has_arrived(*all_ranks, any, tag_of_stop) ? receive_cause() : void();
  }
  return known_cause;
}

/// Makes all ranks of `comm` forget the stop requests that they know of, and receives the messages
/// that are still on their way. Collective.
void forget_stops(const Communicator& comm) {
  all_ranks = nullptr;  // stop_cause() sends no message meanwhile
  sum_over_ranks(comm, std::span(&under_way, 1));
  all_ranks = &comm;
  while (comm.is_root() && under_way > 0) {
    receive_cause();
  }
  check_mpi(MPI_Wait(&sending, MPI_STATUS_IGNORE));
  under_way = 0;
  known_cause = 0;
}

}  // namespace

void request_stop(int signal) {
  requested_by = signal > 0 ? signal : by_program;
}

void clear_stop() {
  requested_by = 0;
}

bool is_alone() {
  return ranks_of_session == 1;
}

RootAlone::RootAlone() : comm_(MPI_COMM_SELF), ranks_before_(std::exchange(ranks_of_session, 1)) {}

RootAlone::~RootAlone() {
  ranks_of_session = ranks_before_;
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

bool stop_requested() {
  return stop_cause() != 0;
}

base::Polling stop_polling() {
  return base::Polling([begin = Clock::now()] {
    if (Clock::now() - begin > std::chrono::seconds(1) && stop_requested()) {
      throw base::Stopped("");
    }
  });
}

std::string stop_reason(const Communicator& comm) {
  const int cause = stop_cause();
  std::string reason = cause == 0               ? ""
                       : cause == by_wall_limit ? "by the wall limit"
                                                : "by the program";
  for (const auto& [number, name] : stop_signals) {
    if (cause == number) {
      reason = fmt::format("by {}", name);
    }
  }
  return first_text(comm, reason);
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

std::vector<std::string> given_options;  // the options that begin_petsc() has passed to PETSc

/// Warns of the given options that PETSc has not used. PETSc calls this function at the end of
/// PetscFinalize, because PetscFinalize itself uses some options.
PetscErrorCode warn_of_unused_options() {
  PetscInt count = 0;
  char** names = nullptr;
  char** values = nullptr;
  const PetscErrorCode code = PetscOptionsLeftGet(nullptr, &count, &names, &values);
  for (PetscInt i = 0; i < count; ++i) {
    if (std::ranges::find(given_options, std::string("-") + names[i]) != given_options.end()) {
      PetscFPrintf(
          PETSC_COMM_WORLD, stderr,
          "masing warning: PETSc has not used -%s; is it misspelt, or masing's, before --petsc?\n",
          names[i]);
    }
  }
  PetscOptionsLeftRestore(nullptr, &count, &names, &values);
  return code;
}

/// Starts a thread that watches the parent of this process, the launcher, while MPI_Init runs. If
/// the launcher ends, MPI_Init may wait forever; the thread then ends this process after one
/// second. It waits for this second because the parent may be a program that only starts this rank
/// and ends; MPI_Init then returns. The thread notices the end of the launcher by a change of the
/// parent's id. It does not compare the id with 1, because any process may adopt an orphan, and a
/// launcher may be process 1. If the launcher has ended before the thread starts, MPI_Init cannot
/// connect to it and fails.
std::jthread watch_launcher() {
  return std::jthread([parent = getppid()](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    for (int orphaned = 0; orphaned < 5; orphaned += getppid() == parent ? 0 : 1) {
      never.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
      if (stop.stop_requested()) {
        return;
      }
    }
    constexpr std::string_view message = "masing: the launcher has ended before MPI began\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
    _exit(base::exit_failure);
  });
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
    int level = 0;
    // Only mpirun is watched. Slurm needs no watch, because it ends its tasks itself. Under Slurm
    // the parent may also be a script that rightly ends before this program.
    std::jthread watch = std::getenv("OMPI_COMM_WORLD_SIZE") ? watch_launcher() : std::jthread();
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
    watch = {};                // ends and joins the thread
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
  // The option -options_left no turns off PETSc's own warning of unused options, because later
  // versions of PETSc print it on stdout before all options have been used.
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
  given_options = options;
  PetscRegisterFinalize(warn_of_unused_options);
}

bool petsc_runs() {
  PetscBool runs = PETSC_FALSE;
  PetscInitialized(&runs);
  return runs == PETSC_TRUE;
}

}  // namespace

Session::Session(const std::vector<std::string>& petsc_options, MPI_Comm comm) {
  if (all_ranks != nullptr) {
    throw base::UserError("there is a session already; one at a time");
  }
  if (comm == MPI_COMM_NULL) {
    throw base::UserError("a session on MPI_COMM_NULL; give a communicator that has this rank");
  }
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
  register_phases();
  all_ranks = &*world_;
}

Session::~Session() {
  if (!mpi_runs()) {
    all_ranks = nullptr;
    return;  // the caller has finalized MPI too early, so that nothing can be freed
  }
  forget_stops(*world_);
  all_ranks = nullptr;  // from here on stop_cause() sends no message
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
  forget_stops(*world_);
  began = Clock::now();
  wall_limit = infinity;
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
  } catch (...) {
    return fail(base::exit_failure, "unknown failure");
  }
}

namespace {

/// Returns whether every rank calls this function within two seconds. If not, some rank has failed
/// alone. No other operation may be pending on `comm`. Collective, but no rank waits longer.
bool all_arrive(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  int arrived = 0;
  MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  while (arrived == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  }
  return arrived != 0;
}

}  // namespace

int Session::fail(int code, const std::string& text) noexcept {
  const std::string message = one_line(text);
  if (all_arrive(*failures_)) {
    if (failures_->is_root() && !message.empty()) {
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
