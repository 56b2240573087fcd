#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace masing::corpus {

/// Random numbers that are the same on every machine, unlike those of std's distributions.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}

  /// In [low, high[.
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  /// 0, …, count-1.
  int below(int count) { return static_cast<int>(between(0, count)); }
  /// `count` numbers in [low, high[.
  std::vector<double> list(std::size_t count, double low, double high) {
    std::vector<double> all(count);
    for (double& one : all) {
      one = between(low, high);
    }
    return all;
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace masing::corpus
