#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"

/// Inputs made by chance, and what must hold of every one.
namespace masing::fuzz {

/// Texts made by chance, the same for the same seed on every machine: only the bits of a
/// std::mt19937_64 are used, none of the library's distributions.
class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : bits_(seed) {}

  /// A whole number in [0, bound), bound >= 1. Local.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(bits_() % bound); }
  bool once_in(std::size_t n) { return below(n) == 0; }
  const std::string& one_of(const std::vector<std::string>& words) {
    return words[below(words.size())];
  }

  /// An expression in t, mostly well formed. Local.
  std::string expression();
  /// `text` with some bytes changed, removed, doubled or put in. Local.
  std::string damaged(std::string text);

 private:
  std::mt19937_64 bits_;
};

enum class Outcome { taken, refused, skipped };

/// Makes an input, describes it, and tries it; throws what is not a UserError where it fails.
using Try = std::function<Outcome(RandomText& random, std::string& description)>;

/// Throws std::logic_error unless the message says something, in a length one can read. Local.
void require_message(const base::UserError& mistake);

/// Makes the tries that `--tries n --seed s` ask for, each with a seed of its own that a failure
/// names; an alarm ends the program where one takes longer than 20 s. Returns the exit code: 1 at
/// the first failure, or where nothing was taken or nothing refused. Local.
int run(int count, char** values, const Try& one_try);

}  // namespace masing::fuzz
