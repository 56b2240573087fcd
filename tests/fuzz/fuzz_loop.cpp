#include "fuzz/fuzz_loop.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace masing::fuzz {

namespace {

constexpr unsigned longest_try = 20;  // seconds, with sanitizers on a busy machine
constexpr std::size_t longest_message = 2000;

std::uint64_t this_seed = 0;  // for the handler of a signal

/// Says which try crashed or hung: only what POSIX allows in a handler.
void report(int signal) {
  std::array<char, 64> line{};
  std::size_t end = line.size();
  line[--end] = '\n';
  std::uint64_t digits = this_seed;
  do {
    line[--end] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  } while (digits > 0);
  const char* what = signal == SIGALRM ? "hangs: --tries 1 --seed " : "crashes: --tries 1 --seed ";
  (void)!write(STDERR_FILENO, what, std::strlen(what));
  (void)!write(STDERR_FILENO, &line[end], line.size() - end);
  _exit(1);
}

struct Wanted {
  std::uint64_t tries = 20000;
  std::uint64_t seed = 1;
};

Wanted wanted(int count, char** values) {
  Wanted found;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    (name == "--tries" ? found.tries : found.seed) = std::strtoull(values[i + 1], nullptr, 10);
  }
  return found;
}

}  // namespace

void require_message(const base::UserError& mistake) {
  const std::string text = mistake.what();
  if (text.empty() || text.size() > longest_message) {
    throw std::logic_error("a message of " + std::to_string(text.size()) + " characters: " + text);
  }
}

int run(int count, char** values, const Try& one_try) {
  const auto [tries, first_seed] = wanted(count, values);
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(signal, report);
  }
  std::array<std::uint64_t, 3> outcomes{};
  for (std::uint64_t i = 0; i < tries; ++i) {
    this_seed = first_seed + i;
    RandomText random(this_seed);
    std::string description;
    alarm(longest_try);
    try {
      ++outcomes.at(static_cast<std::size_t>(one_try(random, description)));
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "--tries 1 --seed %llu fails: %s\n%s\n",
                   static_cast<unsigned long long>(this_seed), failure.what(), description.c_str());
      return EXIT_FAILURE;
    }
  }
  alarm(0);
  std::printf("%llu tries from seed %llu: %llu taken, %llu refused, %llu skipped\n",
              static_cast<unsigned long long>(tries), static_cast<unsigned long long>(first_seed),
              static_cast<unsigned long long>(outcomes[0]),
              static_cast<unsigned long long>(outcomes[1]),
              static_cast<unsigned long long>(outcomes[2]));
  // A generator of nothing but mistakes, or of none, would test half of what it says.
  return tries < 100 || (outcomes[0] > 0 && outcomes[1] > 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace masing::fuzz
