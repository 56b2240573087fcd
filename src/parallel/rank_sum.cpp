#include "parallel/rank_sum.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>

#include "base/text.hpp"
#include "parallel/phase.hpp"

namespace masing::parallel {

namespace {

/// Waits until another rank has written `round` to `written`. Polls 200 times without giving up the
/// core, and then yields the core to other processes between polls.
void wait_for(std::int64_t& written, std::int64_t round) {
  constexpr int polls = 200;
  const std::atomic_ref<std::int64_t> now(written);
  for (int i = 0; now.load(std::memory_order_acquire) != round; ++i) {
    if (i >= polls) {
      sched_yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
}

}  // namespace

bool ranks_outnumber_cores() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const std::int64_t ranks = text == nullptr ? 1 : base::to_integer(text).value_or(1);
  // If this variable is set, Open MPI has bound the ranks to cores. All cores of the host are then
  // counted.
  if (ranks == 1 || std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr) {
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
  }
  // The cores that the parent process, mpirun, may use are counted, and not those of this rank:
  // other ranks may be bound to other cores.
  std::array<cpu_set_t, 64> cores{};  // room for 65536 cores
  return sched_getaffinity(getppid(), sizeof(cores), cores.data()) == 0 &&
         ranks > CPU_COUNT_S(sizeof(cores), cores.data());
}

RankSum::RankSum(const Communicator& comm, bool shares_memory) : comm_(comm) {
  const int ranks = comm.size();
  if (ranks == 1 || ranks > most_ranks || !shares_memory || ranks_of_node(comm) < ranks) {
    return;
  }
  // The root allocates one segment for the terms of all ranks, with some bytes more for their
  // alignment.
  const std::size_t bytes = 2 * static_cast<std::size_t>(ranks) * sizeof(Terms);
  std::size_t room = bytes + alignof(Terms);
  void* memory = nullptr;
  check_mpi(MPI_Win_allocate_shared(comm.is_root() ? static_cast<MPI_Aint>(room) : 0, 1,
                                    MPI_INFO_NULL, comm.handle(), &memory, &window_));
  MPI_Aint size = 0;
  int unit = 0;
  check_mpi(MPI_Win_shared_query(window_, 0, &size, &unit, &memory));
  terms_ = static_cast<Terms*>(std::align(alignof(Terms), bytes, memory, room));
  if (comm.is_root()) {
    std::ranges::fill(std::span(terms_, 2 * static_cast<std::size_t>(ranks)), Terms());
  }
  MPI_Barrier(comm.handle());
}

RankSum::~RankSum() {
  // MPI_Win_free is collective, and a rank that fails alone would wait in it forever. Therefore it
  // is not called if the object is destroyed because of an exception.
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) {
    MPI_Win_free(&window_);
  }
}

void RankSum::operator()(std::span<std::int64_t> values) {
  if (comm_.size() == 1) {
    return;
  }
  const MessageTimer timer;
  if (terms_ == nullptr) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_INT64_T, MPI_SUM, comm_.handle()));
    return;
  }
  ++round_;
  const std::span all(terms_ + (round_ % 2) * comm_.size(), static_cast<std::size_t>(comm_.size()));
  const auto me = static_cast<std::size_t>(comm_.rank());
  std::ranges::copy(values, all[me].values.begin());
  std::atomic_ref(all[me].round).store(round_, std::memory_order_release);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank != me) {
      wait_for(all[rank].round, round_);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += all[rank].values[i];
      }
    }
  }
}

}  // namespace masing::parallel
