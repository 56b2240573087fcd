#include "benchmark/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "base/text.hpp"
#include "benchmark/native_loops.hpp"
#include "parallel/communicator.hpp"
#include "parallel/rank_sum.hpp"
#include "parallel/session.hpp"
#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

namespace {

void barrier(const parallel::Communicator& comm) {
  if (comm.size() > 1) {
    parallel::check_mpi(MPI_Barrier(comm.handle()));
  }
}

/// The number of units that take about `seconds`, the same on every rank. Collective.
std::int64_t units_for(const parallel::Communicator& comm, double seconds, const Work& work) {
  std::int64_t units = 1;
  for (;;) {
    const double took = std::max(seconds_of(comm, [&] { work.run(units); }), 1e-9);
    const double fit = static_cast<double>(units) * seconds / took;
    if (took >= seconds / 2) {
      return std::max<std::int64_t>(1, std::llround(fit));
    }
    units = std::clamp<std::int64_t>(std::llround(fit), 2 * units, 10 * units);
  }
}

}  // namespace

Timing summary(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
  return {.median = median, .least = seconds.front(), .most = seconds.back()};
}

double seconds_of(const parallel::Communicator& comm, const std::function<void()>& work) {
  barrier(comm);
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  double seconds = elapsed.count();
  parallel::max_over_ranks(comm, std::span(&seconds, 1));
  return seconds;
}

std::vector<Timing> measure(const parallel::Communicator& comm, const Effort& effort,
                            std::span<const Work> works) {
  std::vector<std::int64_t> units;
  for (const Work& work : works) {
    units.push_back(units_for(comm, effort.seconds / static_cast<double>(effort.repeat), work));
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (std::int64_t turn = 0; turn < effort.repeat; ++turn) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      const double took = seconds_of(comm, [&] { works[w].run(units[w]); });
      seconds[w].push_back(took / static_cast<double>(units[w] * works[w].steps));
    }
  }
  std::vector<Timing> timings;
  timings.reserve(works.size());
  for (auto& of_one : seconds) {
    timings.push_back(summary(std::move(of_one)));
  }
  return timings;
}

Timing measure(const parallel::Communicator& comm, const Effort& effort, const Work& work) {
  return measure(comm, effort, std::span(&work, 1)).front();
}

std::vector<Timing> on_root_alone(const parallel::Communicator& comm,
                                  const std::function<std::vector<Timing>()>& make) {
  std::vector<double> numbers;
  if (comm.is_root()) {
    for (const Timing& timing : make()) {
      numbers.insert(numbers.end(), {timing.median, timing.least, timing.most});
    }
  }
  parallel::broadcast_all(comm, numbers, 0);
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    timings.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return timings;
}

namespace {

/// Bytes of the last-level cache, 0 if unknown. From /sys first: sysconf reports CPUID, which on a
/// virtual machine may count all caches of the chip.
std::int64_t cache_bytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");  // such as 32768K
  std::string size;
  file >> size;
  if (size.ends_with('K')) {
    size.pop_back();
    return 1024 * base::to_integer(size).value_or(0);
  }
  return std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
}

std::int64_t of_root(const parallel::Communicator& comm, std::int64_t value) {
  parallel::broadcast(comm, std::span(&value, 1));
  return value;
}

/// Seconds of copy, triad and update in place on arrays of `size` entries a rank.
std::vector<Timing> time_memory(const parallel::Communicator& comm, const Effort& effort,
                                std::int64_t size) {
  const auto entries = static_cast<std::size_t>(size);
  std::vector<double> a(entries, 1.0);
  std::vector<double> b(entries, 2.0);
  std::vector<double> c(entries, 3.0);
  const std::array works{repeated(1, [&] { copy(a.data(), b.data(), size); }),
                         repeated(1, [&] { triad(a.data(), b.data(), c.data(), size, 0.5); }),
                         repeated(1, [&] { update(c.data(), size, 1.0); })};
  return measure(comm, effort, works);
}

Bandwidth bandwidth(const std::vector<Timing>& timings, std::int64_t entries) {
  const auto size = static_cast<double>(entries);
  return {.copy = 16 * size / timings[0].median,
          .triad = 24 * size / timings[1].median,
          .update = 16 * size / timings[2].median};
}

/// The sum over the first `ranks` ranks; the others sleep.
Latency latency(const parallel::Communicator& comm, const Effort& effort, int ranks) {
  Timing timing;
  if (comm.rank() < ranks) {
    const parallel::Communicator group(comm, 0, ranks);
    parallel::RankSum sum(group);
    std::array<std::int64_t, 2> units{};
    timing = measure(group, effort, repeated(1, [&] { sum(units); }));
  }
  // The root is in every group, so its timing is the group's.
  return {ranks, on_root_alone(comm, [&] { return std::vector{timing}; }).front()};
}

std::vector<Latency> latencies(const parallel::Communicator& comm, const Effort& effort) {
  if (comm.size() == 1) {
    return {latency(comm, effort, 1)};
  }
  std::vector<Latency> found;
  for (int ranks = 2; ranks < comm.size(); ranks *= 2) {
    found.push_back(latency(comm, effort, ranks));
  }
  found.push_back(latency(comm, effort, comm.size()));
  return found;
}

}  // namespace

std::int64_t free_memory_of_host(const parallel::Communicator& comm) {
  // A communicator of one rank does not share its node's memory with others.
  const double alone = parallel::available_memory(parallel::Communicator(MPI_COMM_SELF));
  return of_root(comm, static_cast<std::int64_t>(std::min(alone, 0x1p62)));
}

Machine measure_machine(const parallel::Communicator& comm, const Effort& effort,
                        std::int64_t array) {
  Machine machine;
  machine.processor = parallel::from_root(comm, base::processor_name);
  machine.instruction_set =
      parallel::from_root(comm, [] { return std::string(slab::kernel_instruction_set()); });
  machine.ranks = comm.size();
  machine.hosts = parallel::hosts(comm);
  machine.cores =
      static_cast<int>(of_root(comm, std::max(1U, std::thread::hardware_concurrency())));
  machine.cache = of_root(comm, cache_bytes());
  // Far beyond the caches, but no more than a ninth of memory for each array.
  constexpr std::int64_t least = std::int64_t{256} << 20;
  const std::int64_t wanted = array > 0 ? array : std::max(least, 8 * machine.cache);
  const std::int64_t size = std::min(wanted, free_memory_of_host(comm) / 9) / 8;
  machine.array = 8 * size;
  const parallel::Communicator self(MPI_COMM_SELF);
  machine.one =
      bandwidth(on_root_alone(comm, [&] { return time_memory(self, effort, size); }), size);
  const std::int64_t share = std::max<std::int64_t>(1, size / comm.size());
  machine.all = bandwidth(time_memory(comm, effort, share), share * comm.size());
  machine.latencies = latencies(comm, effort);
  return machine;
}

}  // namespace masing::benchmark
