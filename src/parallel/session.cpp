#include "parallel/session.hpp"

#include <fmt/format.h>
#include <petscsys.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "parallel/communicator.hpp"
#include "parallel/leftovers.hpp"

namespace masing::parallel {

namespace {

struct Names {
  const char* count;
  const char* index;
};

// The innermost launcher first: mpirun under Slurm is started by srun, too.
constexpr Names launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                               {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                               {"PMI_SIZE", "PMI_RANK"},
                               {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<std::int64_t> number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : base::to_integer(text);
}

}  // namespace

std::optional<ProcessCopy> unconnected_copy(int ranks) {
  for (const Names& names : launchers) {
    const auto count = number(names.count);
    if (count) {
      if (ranks > 1 || *count <= 1) {
        return std::nullopt;
      }
      return ProcessCopy{static_cast<int>(number(names.index).value_or(0)),
                         static_cast<int>(*count)};
    }
  }
  return std::nullopt;
}

bool ranks_outnumber_cores() {
  // Not the cores this rank may use: it may be bound to one, and the others to others. Asked once:
  // the answer comes out of a file.
  static const std::int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
  return number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1) > cores;
}

namespace {

constexpr auto grace_period = std::chrono::seconds(2);

/// Whether every rank has failed within the grace period. Never blocks longer.
bool everyone_failed(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  const auto deadline = std::chrono::steady_clock::now() + grace_period;
  for (;;) {
    int arrived = 0;
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) {
      return true;
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Ranks that outnumber the cores of their host must yield while they wait, or a reduction takes
/// milliseconds; others must not, or it takes twice as long. Open MPI knows only where its own
/// slots are exceeded. What the user has set stays.
void choose_how_to_wait() {
  if (std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE") != nullptr) {
    setenv("OMPI_MCA_mpi_yield_when_idle", ranks_outnumber_cores() ? "1" : "0", 0);
  }
}

}  // namespace

// A batch script of Slurm is no step of srun: what it starts by itself is alone.
bool started_by_launcher() {
  constexpr std::array signs{
      "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",     "PMI_RANK",    "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
      "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "SLURM_STEPID"};
  return std::ranges::any_of(signs, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::string one_line(std::string message) {
  std::ranges::replace_if(
      message, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return message;
}

void StopNotice::send(int cause) {
  if (own_ != 0) {
    return;
  }
  own_ = cause;
  first_ = first_ == 0 ? cause : first_;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) {
      check_mpi(MPI_Isend(&own_, 1, MPI_INT, rank, 0, comm_.handle(),
                          &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
}

int StopNotice::received() {
  int arrived = 0;
  if (first_ == 0) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_.handle(), &arrived, MPI_STATUS_IGNORE));
  }
  if (arrived != 0) {
    check_mpi(MPI_Recv(&first_, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm_.handle(), MPI_STATUS_IGNORE));
    ++arrived_;
  }
  return first_;
}

void StopNotice::drain() {
  const std::int64_t mine = own_ != 0 ? 1 : 0;
  std::int64_t senders = mine;
  sum_over_ranks(comm_, std::span(&senders, 1));
  for (; arrived_ < senders - mine; ++arrived_) {
    int cause = 0;
    check_mpi(MPI_Recv(&cause, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm_.handle(), MPI_STATUS_IGNORE));
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  requests_.clear();
}

namespace {

// SIGCONT counts where mpirun sends it, as its first step of ending the ranks.
constexpr std::array<std::pair<int, const char*>, 5> handled_signals{{{SIGUSR1, "SIGUSR1"},
                                                                      {SIGUSR2, "SIGUSR2"},
                                                                      {SIGTERM, "SIGTERM"},
                                                                      {SIGINT, "SIGINT"},
                                                                      {SIGCONT, "mpirun"}}};

volatile std::sig_atomic_t first_signal = 0;
volatile std::sig_atomic_t first_arrival = 0;  // tenths of a second of a monotonic clock

/// Only what POSIX allows in a signal handler.
std::sig_atomic_t tenths_of_a_second() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>((now.tv_sec % 10'000'000) * 10 + now.tv_nsec / 100'000'000);
}

std::atomic<bool> ends_at_signals = false;
std::atomic<bool> is_over = false;  // the work: what ends the ranks then is in order

/// Seconds from each of mpirun's signals to the next as it ends its ranks; 0: there is no mpirun.
double launcher_grace() {
  constexpr double by_default = 1.0;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) {
    return 0.0;
  }
  const auto given = number("OMPI_MCA_odls_base_sigkill_timeout");
  return given ? static_cast<double>(*given) : by_default;
}
double grace = 0.0;  // read before handlers are installed

/// Fixed buffers: async-signal-safe.
struct LastWordsKept {
  std::array<char, 4096> checkpoint{};
  std::array<char, 8192> with{};
  std::array<char, 8192> without{};
  std::atomic<bool> valid = false;
} last_words;

void print(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = write(STDERR_FILENO, text, left);
    if (written <= 0) {
      return;
    }
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

/// Only what POSIX allows in a signal handler. To remove a file may have to wait for those who
/// write.
[[noreturn]] void end_at_once(int code) {
  if (last_words.valid) {
    const bool is_there = access(last_words.checkpoint.data(), F_OK) == 0;
    print(is_there ? last_words.with.data() : last_words.without.data());
  }
  remove_leftovers();
  _exit(code);
}

/// Ends the process shortly before mpirun kills it. A thread: the write of a large checkpoint takes
/// no signal until it is done.
class Deadline {
 public:
  /// Starts the thread, which no signal goes to.
  void start() {
    sem_init(&set_, 0, 0);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { watch(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    started_ = true;
  }
  [[nodiscard]] bool started() const { return started_; }

  /// Only what POSIX allows in a signal handler; `left`: seconds until the process is killed.
  void set(double left) {
    constexpr double margin = 0.3;
    if (started_) {
      left_ = std::max(0.0, left - margin);
      sem_post(&set_);
    }
  }

 private:
  void watch() {
    while (sem_wait(&set_) != 0) {
    }
    // A later signal replaces the deadline.
    timespec until{};
    do {
      clock_gettime(CLOCK_REALTIME, &until);
      const double left = left_;
      const auto whole = static_cast<time_t>(left);
      until.tv_sec += whole;
      until.tv_nsec += static_cast<long>(1e9 * (left - static_cast<double>(whole)));
      until.tv_sec += until.tv_nsec / 1'000'000'000;
      until.tv_nsec %= 1'000'000'000;
    } while (sem_timedwait(&set_, &until) == 0);
    if (!is_over) {
      end_at_once(base::exit_failure);
    }
  }

  sem_t set_{};
  std::atomic<double> left_ = 0.0;  // seconds, by the last signal
  std::atomic<bool> started_ = false;
} deadline;

void handle_signal(int signal, siginfo_t* info, void* /*context*/) {
  if (is_over) {
    return;
  }
  const bool by_launcher = grace > 0 && (signal == SIGCONT || signal == SIGTERM) &&
                           info->si_code == SI_USER && info->si_pid == getppid();
  if (signal == SIGCONT && !by_launcher) {
    return;
  }
  if (ends_at_signals) {
    end_at_once(128 + signal);
  }
  if (by_launcher) {
    deadline.set(signal == SIGCONT ? 2 * grace : grace);
  }
  // A scheduler and mpirun may both deliver the same request.
  constexpr std::sig_atomic_t same_request = 5;
  if (first_signal == 0) {
    first_arrival = tenths_of_a_second();
    first_signal = signal;
  } else if (!by_launcher && tenths_of_a_second() - first_arrival > same_request) {
    end_at_once(128 + signal);
  }
}

using Clock = std::chrono::steady_clock;
const Clock::time_point started = Clock::now();
double wall_limit = std::numeric_limits<double>::infinity();

StopNotice* shared_notice = nullptr;

bool out_of_time() {
  return std::chrono::duration<double>(Clock::now() - started).count() >= wall_limit;
}

constexpr int wall_limit_cause = -1;

/// Of a request to this rank: a signal or the wall limit, where that counts; 0: none.
int own_cause(bool counts_time) {
  return first_signal != 0 ? first_signal : counts_time && out_of_time() ? wall_limit_cause : 0;
}

}  // namespace

void install_signal_handlers() {
  grace = launcher_grace();
  for (const auto& [signal, name] : handled_signals) {
    struct sigaction action {};
    action.sa_sigaction = handle_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal, &action, nullptr);
  }
}

void set_last_words(const LastWords& words) {
  last_words.valid = false;
  const auto keep = [](const std::string& text, auto& buffer) {
    buffer[text.copy(buffer.data(), buffer.size() - 1)] = '\0';
  };
  keep(words.checkpoint, last_words.checkpoint);
  keep("masing: " + one_line(words.with) + "\n", last_words.with);
  keep("masing: " + one_line(words.without) + "\n", last_words.without);
  last_words.valid = true;
}

void end_before_launcher_kills() {
  if (grace > 0 && !deadline.started()) {
    deadline.start();
  }
}

void end_at_signals(bool prints) {
  if (prints) {
    set_last_words({"", "", "stopped by a signal"});
  }
  ends_at_signals = true;
}

std::string stop_advice() {
  if (grace <= 0) {
    return {};
  }
  std::ifstream file(fmt::format("/proc/{}/comm", getppid()));
  std::string parent;
  std::getline(file, parent);
  const bool is_mpirun = parent == "mpirun" || parent == "mpiexec" || parent == "orterun";
  return fmt::format(
      "Ctrl-C leaves {:g} s for a checkpoint (OMPI_MCA_odls_base_sigkill_timeout: {:g}); kill "
      "-USR1 "
      "{} takes the time it needs",
      2 * grace, grace, is_mpirun ? base::to_text(std::int64_t{getppid()}) : "to mpirun");
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

namespace {

/// The cause of a request here or, by a notice, elsewhere; what is requested here is sent.
int requested(int here) {
  if (shared_notice == nullptr) {
    return here;
  }
  // MPI may give the core away at every look.
  constexpr auto distance = std::chrono::milliseconds(20);
  static Clock::time_point next_look;
  static int found = 0;
  if (here != 0) {
    shared_notice->send(here);
  }
  if (const auto now = Clock::now(); here != 0 || now >= next_look) {
    next_look = now + distance;
    found = shared_notice->received();
  }
  return found;
}

}  // namespace

bool stop_requested() {
  return requested(own_cause(true)) != 0;
}

bool stop_signalled() {
  return requested(own_cause(false)) != 0;
}

std::string stop_reason(const Communicator& comm) {
  const int cause = requested(own_cause(true));
  const auto* const signal =
      std::ranges::find(handled_signals, cause, &std::pair<int, const char*>::first);
  return first_text(comm, signal != handled_signals.end() ? std::string("by ") + signal->second
                          : cause == wall_limit_cause     ? "by the wall limit"
                                                          : "");
}

namespace {

/// An empty folder of this process, or "" where none can be made.
std::string private_folder() {
  std::error_code failure;
  std::string name = (std::filesystem::temp_directory_path(failure) / "masing-XXXXXX").string();
  return !failure && ::mkdtemp(name.data()) != nullptr ? name : "";
}

/// Open MPI in a process that is alone starts a daemon, for MPI_Comm_spawn, and looks for networks:
/// 0.3 s for nothing. Returns the folder made for its session, "" if none. What the user has set
/// stays.
std::string start_alone() {
  const char* const wanted = std::getenv("MASING_SINGLETON");
  if (started_by_launcher() || (wanted != nullptr && std::string_view(wanted) == "0")) {
    return "";
  }
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  // Without the daemon all such processes have one session's name: the first that ends would take
  // the folder away from the others.
  const bool chosen = std::getenv("OMPI_MCA_ess_singleton_isolated") != nullptr ||
                      std::getenv("OMPI_MCA_orte_tmpdir_base") != nullptr;
  std::string folder = chosen ? "" : private_folder();
  if (!folder.empty()) {
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_orte_tmpdir_base", folder.c_str(), 0);
  }
  return folder;
}

void remove_folder(const std::string& folder) {
  if (!folder.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
}

}  // namespace

Session::Session(const std::vector<std::string>& petsc_options) : folder_(start_alone()) {
  install_signal_handlers();
  choose_how_to_wait();
  std::vector<std::string> words{"masing"};
  words.insert(words.end(), petsc_options.begin(), petsc_options.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  char** arguments = pointers.data();
  // PETSc reads the words while it initialises and copies what it keeps.
  if (PetscInitialize(&count, &arguments, nullptr, nullptr) != 0) {
    std::fputs("masing: PETSc and MPI did not start\n", stderr);
    remove_folder(folder_);
    std::exit(base::exit_failure);
  }
  PetscPopSignalHandler();
  // Errors come back as codes, which check_petsc turns into exceptions with one line each.
  PetscPushErrorHandler(PetscIgnoreErrorHandler, nullptr);
  install_signal_handlers();  // again: MPI may have installed its own
  world_.emplace(PETSC_COMM_WORLD);
  failures_.emplace(PETSC_COMM_WORLD);
  stop_notice_.emplace(*world_);
  shared_notice = &*stop_notice_;
}

Session::~Session() {
  shared_notice = nullptr;
  stop_notice_->drain();
  stop_notice_.reset();
  failures_.reset();
  world_.reset();
  PetscFinalize();
  remove_folder(folder_);
}

int Session::run(const std::function<int(const Communicator&)>& work) noexcept {
  try {
    const int code = work(*world_);
    is_over = true;
    return code;
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

int Session::fail(int code, const std::string& text) noexcept {
  is_over = true;
  const std::string message = one_line(text);
  if (everyone_failed(*failures_)) {
    if (failures_->is_root()) {
      std::fputs(fmt::format("masing: {}\n", message).c_str(), stderr);
    }
    if (code == base::exit_failure) {
      // Not PetscFinalize: closing files would use again what has just failed, and wait for it.
      std::fflush(nullptr);
      remove_folder(folder_);
      std::_Exit(code);
    }
    return code;
  }
  std::fputs(fmt::format("masing: rank {} of {} alone: {}\n", failures_->rank(), failures_->size(),
                         message)
                 .c_str(),
             stderr);
  std::fflush(nullptr);
  MPI_Abort(failures_->handle(), code);
  return code;
}

}  // namespace masing::parallel
