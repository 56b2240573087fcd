#include "parallel/rank_sum.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace parallel {

namespace {

/// Waits until another rank has written `round`: a moment at full attention, then leaving the core
/// to whoever wants it, as ranks do that outnumber the cores.
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

RankSum::RankSum(const Communicator& comm, bool crowded) : comm_(comm) {
  const int ranks = comm.size();
  if (ranks > 1 && ranks <= most_ranks && !crowded) {
    memory_.emplace(comm, 2 * static_cast<std::size_t>(ranks) * sizeof(Line));
    lines_ = static_cast<Line*>(memory_->data());
  }
}

void RankSum::operator()(std::span<std::int64_t> values) {
  if (lines_ == nullptr || values.size() > most_values) {
    sum_over_ranks(comm_, values);
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

}  // namespace parallel
