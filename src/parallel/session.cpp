#include "parallel/session.hpp"

#include <fmt/format.h>
#include <petscsys.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "parallel/communicator.hpp"

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
  // Not the cores this rank may use: it may be bound to one, and the others to others.
  return number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1) > sysconf(_SC_NPROCESSORS_ONLN);
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

void StopNotice::send() {
  if (sent_) {
    return;
  }
  sent_ = received_ = true;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) {
      check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, comm_.handle(),
                          &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
}

bool StopNotice::received() {
  int arrived = received_ ? 1 : 0;
  if (!received_) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_.handle(), &arrived, MPI_STATUS_IGNORE));
  }
  received_ = arrived != 0;
  return received_;
}

void StopNotice::drain() {
  std::int64_t senders = sent_ ? 1 : 0;
  sum_over_ranks(comm_, std::span(&senders, 1));
  for (std::int64_t left = senders - (sent_ ? 1 : 0); left > 0; --left) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, comm_.handle(), MPI_STATUS_IGNORE));
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  requests_.clear();
}

namespace {

constexpr std::array<std::pair<int, const char*>, 4> handled_signals{
    {{SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}}};

volatile std::sig_atomic_t first_signal = 0;
volatile std::sig_atomic_t first_arrival = 0;  // tenths of a second of a monotonic clock

/// Only what POSIX allows in a signal handler.
std::sig_atomic_t tenths_of_a_second() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>((now.tv_sec % 10'000'000) * 10 + now.tv_nsec / 100'000'000);
}

/// Never destroyed: a handler may look at it at any time.
struct AtOnce {
  std::vector<std::string> files;
  bool prints = false;
};
std::atomic<const AtOnce*> at_once = nullptr;

void handle_signal(int signal) {
  if (const AtOnce* const end = at_once) {
    for (const std::string& file : end->files) {
      unlink(file.c_str());
    }
    constexpr std::string_view said = "masing: stopped by a signal\n";
    if (end->prints && write(STDERR_FILENO, said.data(), said.size()) < 0) {
      _exit(base::exit_failure);
    }
    _exit(128 + signal);
  }
  // A scheduler and mpirun may both deliver the same request.
  constexpr std::sig_atomic_t same_request = 5;
  if (first_signal == 0) {
    first_arrival = tenths_of_a_second();
    first_signal = signal;
  } else if (tenths_of_a_second() - first_arrival > same_request) {
    _exit(128 + signal);
  }
}

using Clock = std::chrono::steady_clock;
const Clock::time_point started = Clock::now();
double wall_limit = std::numeric_limits<double>::infinity();

StopNotice* shared_notice = nullptr;

bool out_of_time() {
  return std::chrono::duration<double>(Clock::now() - started).count() >= wall_limit;
}

std::string own_reason() {
  for (const auto& [signal, name] : handled_signals) {
    if (first_signal == signal) {
      return std::string("by ") + name;
    }
  }
  return out_of_time() ? "by the wall limit" : "";
}

}  // namespace

void install_signal_handlers() {
  for (const auto& [signal, name] : handled_signals) {
    struct sigaction action {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

void end_at_signals(std::vector<std::string> files, bool prints) {
  at_once = new AtOnce{std::move(files), prints};
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

bool stop_requested() {
  const bool requested_here = first_signal != 0 || out_of_time();
  if (requested_here && shared_notice != nullptr) {
    shared_notice->send();
  }
  return requested_here || (shared_notice != nullptr && shared_notice->received());
}

std::string stop_reason(const Communicator& comm) {
  return first_text(comm, own_reason());
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

int Session::fail(int code, const std::string& text) noexcept {
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
