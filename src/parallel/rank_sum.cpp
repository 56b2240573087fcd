#include "parallel/rank_sum.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace masing::parallel {

namespace {

/// Creates a shared memory object under a new name; -1, and no name, where that fails.
int create_shared(std::size_t bytes, std::string& name) {
  constexpr int tries = 100;
  static int count = 0;
  int file = -1;
  // Processes of two containers may have the same number and share the names.
  for (int i = 0; i < tries && file < 0; ++i) {
    name = fmt::format("/masing-{}-{}", getpid(), count++);
    file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  }
  // Where memory is short this fails; a file that is only lengthened would end the rank later.
  if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0) {
    close(file);
    shm_unlink(name.c_str());
    file = -1;
  }
  name = file < 0 ? "" : name;
  return file;
}

}  // namespace

SharedMemory::SharedMemory(const Communicator& comm, std::size_t bytes) : bytes_(bytes) {
  if (hosts(comm) > 1) {
    return;
  }
  int file = -1;
  const std::string name = from_root(comm, [&] {
    std::string mine;
    file = create_shared(bytes, mine);
    return mine;
  });
  if (!comm.is_root() && !name.empty()) {
    file = shm_open(name.c_str(), O_RDWR, 0);
  }
  if (file >= 0) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    data_ = memory == MAP_FAILED ? nullptr : memory;
    close(file);
  }
  const bool everywhere = min_over_ranks(comm, data_ == nullptr ? 0 : 1) == 1;
  if (comm.is_root() && !name.empty()) {
    shm_unlink(name.c_str());
  }
  if (!everywhere && data_ != nullptr) {
    munmap(std::exchange(data_, nullptr), bytes);
  }
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) {
    munmap(data_, bytes_);
  }
}

namespace {

/// Waits until another rank has written `round`: polls for a moment, then yields the core between
/// polls.
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

Exchange default_exchange() {
  return ranks_outnumber_cores() ? Exchange::mpi : Exchange::shared_memory;
}

RankSum::RankSum(const Communicator& comm, Exchange exchange) : comm_(comm) {
  const int ranks = comm.size();
  if (ranks > 1 && ranks <= most_ranks && exchange == Exchange::shared_memory) {
    memory_.emplace(comm, 2 * static_cast<std::size_t>(ranks) * sizeof(Line));
    lines_ = static_cast<Line*>(memory_->data());
  }
}

void RankSum::operator()(std::span<std::int64_t> values) {
  if (lines_ == nullptr || values.size() > most_values) {
    sum_over_ranks(comm_, values, Wait::polling);
    return;
  }
  ++round_;
  const std::span lines(lines_ + (round_ % 2) * comm_.size(),
                        static_cast<std::size_t>(comm_.size()));
  const auto me = static_cast<std::size_t>(comm_.rank());
  std::ranges::copy(values, lines[me].values.begin());
  std::atomic_ref(lines[me].round).store(round_, std::memory_order_release);
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    if (rank != me) {
      wait_for(lines[rank].round, round_);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += lines[rank].values[i];
      }
    }
  }
}

}  // namespace masing::parallel
