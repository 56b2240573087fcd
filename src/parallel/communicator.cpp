#include "parallel/communicator.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

std::string place(const base::Location& where) {
  const std::string_view path = where.file;
  const auto slash = path.rfind('/');
  return fmt::format("{}:{}", slash == std::string_view::npos ? path : path.substr(slash + 1),
                     where.line);
}

void check_petsc(PetscErrorCode code, base::Location where) {
  if (code == 0) {
    return;
  }
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw base::SystemError(fmt::format("PETSc at {}: {}", place(where),
                                      text != nullptr ? text : fmt::format("error {}", code)));
}

void check_mpi(int code, base::Location where) {
  if (code == MPI_SUCCESS) {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw base::SystemError(fmt::format("MPI at {}: {}", place(where), text));
}

Communicator::Communicator(MPI_Comm original) {
  check_mpi(MPI_Comm_dup(original, &handle_));
  settle();
}

Communicator::Communicator(const Communicator& whole, int first, int count) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  int range[1][3] = {{first, first + count - 1, 1}};
  check_mpi(MPI_Comm_group(whole.handle(), &all));
  check_mpi(MPI_Group_range_incl(all, 1, range, &some));
  check_mpi(MPI_Comm_create_group(whole.handle(), some, first, &handle_));
  check_mpi(MPI_Group_free(&some));
  check_mpi(MPI_Group_free(&all));
  settle();
}

void Communicator::settle() {
  check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
  check_mpi(MPI_Comm_rank(handle_, &rank_));
  check_mpi(MPI_Comm_size(handle_, &size_));
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL) {
    MPI_Comm_free(&handle_);
  }
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
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

// MPI counts entries by int: longer messages are split.
constexpr std::size_t longest_message = std::numeric_limits<int>::max();

/// The parts of `values` that one message can carry, in order.
template <typename Value, typename Work>
void for_each_message(std::span<Value> values, const Work& work) {
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), longest_message));
    work(part.data(), static_cast<int>(part.size()));
    values = values.subspan(part.size());
  }
}

void wait_for(MPI_Request& request) {
  sleep_until([&request] {
    int is_done = 0;
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
    return is_done != 0;
  });
}

template <typename Value>
void reduce(const Communicator& comm, std::span<Value> values, MPI_Datatype type, MPI_Op operation,
            Wait wait) {
  // Even a trivial allreduce of one rank would slow short steps down.
  if (comm.size() == 1) {
    return;
  }
  for_each_message(values, [&](Value* part, int count) {
    if (wait == Wait::polling) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, part, count, type, operation, comm.handle()));
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, part, count, type, operation, comm.handle(), &request));
    wait_for(request);
  });
}

template <typename Value>
void broadcast_values(const Communicator& comm, std::span<Value> values, MPI_Datatype type,
                      int root = 0) {
  if (comm.size() > 1) {
    for_each_message(values, [&](Value* part, int count) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Ibcast(part, count, type, root, comm.handle(), &request));
      wait_for(request);
    });
  }
}

void broadcast_text(const Communicator& comm, std::string& text, int root) {
  auto length = static_cast<std::int64_t>(text.size());
  broadcast_values(comm, std::span(&length, 1), MPI_INT64_T, root);
  text.resize(static_cast<std::size_t>(length));
  broadcast_values(comm, std::span(text), MPI_CHAR, root);
}

}  // namespace

Communicator host_of(const Communicator& comm) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &host));
  Communicator owner(host);
  check_mpi(MPI_Comm_free(&host));
  return owner;
}

int hosts(const Communicator& comm) {
  std::int64_t firsts = host_of(comm).is_root() ? 1 : 0;  // of each host
  sum_over_ranks(comm, std::span(&firsts, 1));
  return static_cast<int>(firsts);
}

void sum_over_ranks(const Communicator& comm, std::span<std::int64_t> values, Wait wait) {
  reduce(comm, values, MPI_INT64_T, MPI_SUM, wait);
}

void max_over_ranks(const Communicator& comm, std::span<double> values, Wait wait) {
  reduce(comm, values, MPI_DOUBLE, MPI_MAX, wait);
}

std::int64_t min_over_ranks(const Communicator& comm, std::int64_t value) {
  reduce(comm, std::span(&value, 1), MPI_INT64_T, MPI_MIN, Wait::sleeping);
  return value;
}

void broadcast(const Communicator& comm, std::span<double> values, int root) {
  broadcast_values(comm, values, MPI_DOUBLE, root);
}

void broadcast(const Communicator& comm, std::span<std::int64_t> values, int root) {
  broadcast_values(comm, values, MPI_INT64_T, root);
}

base::AlignedVector gather(const Communicator& comm, std::span<const double> values,
                           std::int64_t longest) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto mine = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> ends(ranks);
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT64_T, ends.data(), 1, MPI_INT64_T, comm.handle()));
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  base::AlignedVector all(static_cast<std::size_t>(ends.back()));
  const auto part_of = [&](std::size_t rank) {
    const std::int64_t first = rank == 0 ? 0 : ends[rank - 1];
    return std::span(all).subspan(static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(ends[rank] - first));
  };
  if (ends.back() <= longest) {
    std::vector<int> counts(ranks);
    std::vector<int> places(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      counts[rank] = static_cast<int>(part_of(rank).size());
      places[rank] = static_cast<int>(ends[rank]) - counts[rank];
    }
    check_mpi(MPI_Allgatherv(values.data(), counts[static_cast<std::size_t>(comm.rank())],
                             MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE,
                             comm.handle()));
    return all;
  }
  std::ranges::copy(values, part_of(static_cast<std::size_t>(comm.rank())).begin());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    broadcast_values(comm, part_of(rank), MPI_DOUBLE, static_cast<int>(rank));
  }
  return all;
}

namespace {

constexpr char end_of_quantity = '\0';

/// A mistake as one text.
std::string packed(const base::UserError& mistake) {
  return mistake.quantity().empty() ? mistake.what()
                                    : mistake.quantity() + end_of_quantity + mistake.fault();
}

[[noreturn]] void throw_mistake(const std::string& text) {
  const auto end = text.find(end_of_quantity);
  throw end == std::string::npos ? base::UserError(text)
                                 : base::UserError(text.substr(0, end), text.substr(end + 1));
}

}  // namespace

std::string from_root(const Communicator& comm, const std::function<std::string()>& make) {
  enum : std::int64_t { made, mistaken, failed, stopped };
  std::string text;
  std::int64_t outcome = made;
  if (comm.is_root()) {
    try {
      text = make();
    } catch (const base::UserError& mistake) {
      outcome = mistaken;
      text = packed(mistake);
    } catch (const base::SystemError& failure) {
      outcome = failed;
      text = failure.what();
    } catch (const base::Stopped& stop) {
      outcome = stopped;
      text = stop.what();
    }
  }
  broadcast(comm, std::span(&outcome, 1));
  broadcast_text(comm, text, 0);
  if (outcome == mistaken) {
    throw_mistake(text);
  }
  if (outcome == failed) {
    throw base::SystemError(text);
  }
  if (outcome == stopped) {
    throw base::Stopped(text);
  }
  return text;
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
  std::string found = text;
  broadcast_text(comm, found, static_cast<int>(first));
  return found;
}

void throw_first(const Communicator& comm, const std::optional<base::UserError>& mistake) {
  const std::string text = first_text(comm, mistake ? packed(*mistake) : "");
  if (!text.empty()) {
    throw_mistake(text);
  }
}

Neighbours::Received Neighbours::exchange(double to_before, double to_after) const {
  Received found;
  const auto shift = [&](double value, int target, double& received, int source) {
    check_mpi(MPI_Sendrecv(&value, 1, MPI_DOUBLE, target, 0, &received, 1, MPI_DOUBLE, source, 0,
                           comm_->handle(), MPI_STATUS_IGNORE));
  };
  shift(to_after, after_, found.from_before, before_);
  shift(to_before, before_, found.from_after, after_);
  return found;
}

}  // namespace masing::parallel
