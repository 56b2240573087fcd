#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace masing::io {

/// The sum mod 2^64 of hashes of a table's numbers from the one of index `first` on (row by row):
/// in any order and on any ranks the same. Each is a bijection of the number's bits, so that no
/// change of a single one goes unseen, keyed by its index, so that it cannot change places.
/// Source: splitmix64, Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
inline std::uint64_t sum_of_hashes(std::span<const double> numbers, std::int64_t first) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  std::uint64_t key = (static_cast<std::uint64_t>(first) + 1) * golden;
  std::uint64_t sum = 0;
  for (const double number : numbers) {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(number) ^ key;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    sum += hash ^ (hash >> 31);
    key += golden;
  }
  return sum;
}

/// How many rows of a table a checkpoint counts, and what the hashes of their numbers add up to.
/// A longer run does not have the sample at the end of the one before: the last row is apart.
struct CountedRows {
  std::int64_t rows = 0;
  std::uint64_t before = 0;  ///< of all rows but the last
  std::uint64_t last = 0;    ///< of the last one

  /// As numbers of a checkpoint, which are doubles: sums in halves. Local.
  [[nodiscard]] std::vector<double> packed() const {
    const auto low = [](std::uint64_t sum) { return static_cast<double>(sum & 0xffffffffU); };
    return {static_cast<double>(rows), low(before), low(before >> 32), low(last), low(last >> 32)};
  }
  /// Of five such numbers. Local.
  static CountedRows unpacked(std::span<const double> numbers) {
    const auto sum = [&](std::size_t i) {
      return static_cast<std::uint64_t>(numbers[i]) | static_cast<std::uint64_t>(numbers[i + 1])
                                                          << 32U;
    };
    return {static_cast<std::int64_t>(numbers[0]), sum(1), sum(3)};
  }
};

}  // namespace masing::io
