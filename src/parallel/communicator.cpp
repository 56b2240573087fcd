#include "parallel/communicator.hpp"

#include <fmt/core.h>
#include <petscsys.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "parallel/phase.hpp"
#include "parallel/stop.hpp"

namespace masing::parallel {

void check_petsc(int code) {
  if (code == 0) {
    return;
  }
  const char* text = nullptr;
  PetscErrorMessage(static_cast<PetscErrorCode>(code), &text, nullptr);
  throw base::SystemError("PETSc: " + (text != nullptr ? text : fmt::format("error {}", code)));
}

void check_mpi(int code) {
  if (code == MPI_SUCCESS) {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw base::SystemError(std::string("MPI: ") + text);
}

std::string mpi_state() {
  int has_begun = 0;
  int has_ended = 0;
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  return has_ended != 0 ? "ended" : has_begun != 0 ? "running" : "";
}

bool mpi_runs() {
  return mpi_state() == "running";
}

Communicator::Communicator(MPI_Comm original) {
  check_mpi(MPI_Comm_dup(original, &handle_));
  check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
  check_mpi(MPI_Comm_rank(handle_, &rank_));
  check_mpi(MPI_Comm_size(handle_, &size_));
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && mpi_runs()) {
    MPI_Comm_free(&handle_);
  }
}

void sleep_until(const std::function<bool()>& is_done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds polled(50);
  constexpr Clock::duration longest_nap = std::chrono::milliseconds(1);
  const auto begin = Clock::now();
  while (!is_done()) {
    const auto waited = Clock::now() - begin;
    if (waited > polled) {
      stop_requested();
      std::this_thread::sleep_for(std::min(waited / 10, longest_nap));
    }
  }
}

namespace {

void wait_for(MPI_Request& request) {
  sleep_until([&request] {
    int is_done = 0;
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
    return is_done != 0;
  });
}

template <typename Value>
void reduce(const Communicator& comm, std::span<Value> values, MPI_Datatype type,
            MPI_Op operation) {
  // One rank needs no reduction. MPI_Allreduce is not called then, because even over one rank it
  // would slow short steps down.
  if (comm.size() == 1) {
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type,
                           operation, comm.handle(), &request));
  wait_for(request);
}

template <typename Value>
void broadcast_values(const Communicator& comm, std::span<Value> values, MPI_Datatype type,
                      int root) {
  if (comm.size() > 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibcast(values.data(), static_cast<int>(values.size()), type, root, comm.handle(),
                         &request));
    wait_for(request);
  }
}

}  // namespace

int ranks_of_node(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node));
  int ranks = 0;
  check_mpi(MPI_Comm_size(node, &ranks));
  check_mpi(MPI_Comm_free(&node));
  return ranks;
}

namespace {

/// Returns the number that follows `key` in the first line of the file that begins with `key`.
/// Returns `unknown` if there is no such file, line or number.
double number_in(const std::filesystem::path& path, const std::string& key, double unknown) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      double value = 0.0;
      return std::istringstream(line.substr(key.size())) >> value ? value : unknown;
    }
  }
  return unknown;
}

/// Returns how many bytes may still be allocated in one control group, or infinity if the group has
/// no limit; the file with the limit then contains "max".
double allowance(const std::filesystem::path& group) {
  const double limit = number_in(group / "memory.max", "", base::infinity);
  const double used = number_in(group / "memory.current", "", 0.0);
  return std::max(0.0, limit - used + number_in(group / "memory.stat", "inactive_file ", 0.0));
}

}  // namespace

double memory_of_host(const std::filesystem::path& root) {
  double least = 1024 * number_in(root / "proc/meminfo", "MemAvailable:", base::infinity);
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) {  // lines of control groups of version 1 begin differently
      for (auto group = mount / line.substr(4); group != mount; group = group.parent_path()) {
        least = std::min(least, allowance(group));
      }
      least = std::min(least, allowance(mount));
    }
  }
  return least;
}

double available_memory(const Communicator& comm) {
  double least = -0.9 * memory_of_host() / ranks_of_node(comm);
  max_over_ranks(comm, std::span(&least, 1));
  return -least;
}

void sum_over_ranks(const Communicator& comm, std::span<std::int64_t> values) {
  reduce(comm, values, MPI_INT64_T, MPI_SUM);
}

void sum_over_ranks(const Communicator& comm, std::span<std::uint64_t> values) {
  reduce(comm, values, MPI_UINT64_T, MPI_SUM);
}

void max_over_ranks(const Communicator& comm, std::span<double> values) {
  reduce(comm, values, MPI_DOUBLE, MPI_MAX);
}

std::int64_t min_over_ranks(const Communicator& comm, std::int64_t value) {
  reduce(comm, std::span(&value, 1), MPI_INT64_T, MPI_MIN);
  return value;
}

void broadcast(const Communicator& comm, std::span<double> values, int root) {
  broadcast_values(comm, values, MPI_DOUBLE, root);
}

void broadcast(const Communicator& comm, std::span<std::int64_t> values, int root) {
  broadcast_values(comm, values, MPI_INT64_T, root);
}

void broadcast(const Communicator& comm, std::string& text, int root) {
  auto length = static_cast<std::int64_t>(text.size());
  broadcast(comm, std::span(&length, 1), root);
  text.resize(static_cast<std::size_t>(length));
  broadcast_values(comm, std::span(text), MPI_CHAR, root);
}

namespace {

constexpr char end_of_quantity = '\0';

/// Calls `make` and encodes its result, a text or an exception, as one text that can be broadcast;
/// unpacked() decodes it. The first letter says what the result is: r a text, u a UserError, f a
/// SystemError, s Stopped.
std::string packed(const std::function<std::string()>& make) {
  try {
    return "r" + make();
  } catch (const base::UserError& mistake) {
    const bool has_quantity = !mistake.quantity().empty();
    return "u" + mistake.quantity() + end_of_quantity +
           (has_quantity ? mistake.fault() : mistake.what());
  } catch (const base::SystemError& failure) {
    return std::string("f") + failure.what();
  } catch (const base::Stopped& stop) {
    return std::string("s") + stop.what();
  }
}

/// Decodes a result of packed(): returns the text, or throws the exception, that is encoded in
/// `text`.
std::string unpacked(const std::string& text) {
  std::string rest = text.substr(1);
  switch (text.front()) {
    case 'u': {
      const auto end = rest.find(end_of_quantity);
      throw end == 0 ? base::UserError(rest.substr(1))
                     : base::UserError(rest.substr(0, end), rest.substr(end + 1));
    }
    case 'f':
      throw base::SystemError(rest);
    case 's':
      throw base::Stopped(rest);
    default:
      return rest;
  }
}

}  // namespace

std::string from_root(const Communicator& comm, const std::function<std::string()>& make) {
  std::string text = comm.is_root() ? packed(make) : "";
  broadcast(comm, text);
  return unpacked(text);
}

void on_root(const Communicator& comm, const std::function<void()>& work) {
  from_root(comm, [&] {
    work();
    return std::string();
  });
}

std::string first_text(const Communicator& comm, const std::string& text) {
  const std::int64_t first = min_over_ranks(comm, text.empty() ? comm.size() : comm.rank());
  if (first == comm.size()) {
    return {};
  }
  std::string result = text;
  broadcast(comm, result, static_cast<int>(first));
  return result;
}

void on_each(const Communicator& comm, const std::function<void()>& work) {
  const std::string text = packed([&] {
    work();
    return std::string();
  });
  if (const std::string first = first_text(comm, text == "r" ? "" : text); !first.empty()) {
    unpacked(first);
  }
}

bool has_arrived(const Communicator& comm, int& rank, int tag) {
  int arrived = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(rank, tag, comm.handle(), &arrived, &status));
  rank = arrived != 0 ? status.MPI_SOURCE : rank;
  return arrived != 0;
}

std::vector<double> receive(const Communicator& comm, int rank, int tag) {
  MPI_Status status;
  int size = 0;
  check_mpi(MPI_Probe(rank, tag, comm.handle(), &status));
  check_mpi(MPI_Get_count(&status, MPI_DOUBLE, &size));
  std::vector<double> numbers(static_cast<std::size_t>(size));
  check_mpi(
      MPI_Recv(numbers.data(), size, MPI_DOUBLE, rank, tag, comm.handle(), MPI_STATUS_IGNORE));
  return numbers;
}

void send(const Communicator& comm, const std::vector<double>& numbers, int rank, int tag) {
  check_mpi(MPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, rank, tag,
                     comm.handle()));
}

std::pair<double, double> Neighbours::exchange(double to_before, double to_after) const {
  std::pair from_neighbours(0.0, 0.0);
  if (comm_->size() == 1) {
    return from_neighbours;
  }
  const MessageTimer timer;
  const auto shift = [&](double value, int target, double& received, int source) {
    check_mpi(MPI_Sendrecv(&value, 1, MPI_DOUBLE, target, 0, &received, 1, MPI_DOUBLE, source, 0,
                           comm_->handle(), MPI_STATUS_IGNORE));
  };
  shift(to_after, after_, from_neighbours.first, before_);
  shift(to_before, before_, from_neighbours.second, after_);
  return from_neighbours;
}

}  // namespace masing::parallel
