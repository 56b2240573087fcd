#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "support/options.hpp"

namespace masing::corpus {

/// Random numbers that are the same on every machine, unlike those of std's distributions.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  /// In [low, high[.
  double between(double low, double high);
  /// 0, …, count-1.
  int below(int count);

 private:
  std::mt19937_64 engine_;
};

/// Whether F is smooth, or jumps too.
enum class Force { smooth, jumping };

/// A study's problem: m, k0, k(s), η(s) (monotone, wavy, in part flat or all), u0(s), F(t), x0, y0
/// and T by chance; quiet, by turning points.
given::Options random_problem(Chance& chance, Force force);

}  // namespace masing::corpus
