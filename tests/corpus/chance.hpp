#pragma once

#include <cstdint>
#include <random>
#include <string>
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

/// The value of the option "--name value" among the words of a program.
inline std::string option(int count, char** words, const std::string& name,
                          const std::string& preset) {
  for (int i = 1; i + 1 < count; i += 2) {
    if (words[i] == "--" + name) {
      return words[i + 1];
    }
  }
  return preset;
}

}  // namespace masing::corpus
