#include "fuzz/fuzz.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "corpus/chance.hpp"
#include "fuzz/random_formula.hpp"

namespace masing::fuzz {

std::string RandomText::expression() {
  std::string text = once_in(4) ? "t" : RandomFormula(*this).formula().text();
  if (once_in(4)) {
    text += one_of({"+n", "*_pi^i", "-\"s\"", "=t", "+foo(s)", "?1:2", "^--2", "!"});
  }
  return once_in(8) ? damaged(text) : text;
}

std::string RandomText::damaged(std::string text) {
  static const std::string bytes =
      "=,:;#[]()\"'\\ \t\n\r+-*/^<>?!&|.0159eEinfstPN\xEF\xBB\xBF\xFF\x01\x7F";
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(8));
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, 1, once_in(50) ? '\0' : bytes[below(bytes.size())]);
        break;
      default:
        if (at < text.size()) {
          text[at] = once_in(8) ? static_cast<char>(below(256)) : bytes[below(bytes.size())];
        }
        break;
    }
  }
  return text;
}

namespace {

constexpr unsigned longest_try = 20;  // seconds, with sanitizers on a busy machine
constexpr std::size_t longest_message = 2000;

std::string this_try;  // for the handler of a signal

/// Says which try crashed or hung: only what POSIX allows in a handler.
void report(int signal) {
  const std::string_view what = signal == SIGALRM ? "hangs: " : "crashes: ";
  (void)!write(STDERR_FILENO, what.data(), what.size());
  (void)!write(STDERR_FILENO, this_try.data(), this_try.size());
  _exit(1);
}

}  // namespace

void require_message(const base::UserError& mistake) {
  const std::string text = mistake.what();
  if (text.empty() || text.size() > longest_message) {
    throw std::logic_error("a message of " + std::to_string(text.size()) + " characters: " + text);
  }
}

int run(int count, char** values, const Try& one_try) {
  const std::uint64_t tries = std::stoull(corpus::option(count, values, "tries", "20000"));
  const std::uint64_t first_seed = std::stoull(corpus::option(count, values, "seed", "1"));
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(signal, report);
  }
  std::array<std::uint64_t, 3> outcomes{};
  for (std::uint64_t i = 0; i < tries; ++i) {
    RandomText random(first_seed + i);
    this_try = fmt::format("--tries 1 --seed {}\n", first_seed + i);
    std::string description;
    alarm(longest_try);
    try {
      ++outcomes.at(static_cast<std::size_t>(one_try(random, description)));
    } catch (const std::exception& failure) {
      fmt::print(stderr, "fails: {}{}\n{}\n", this_try, failure.what(), description);
      return EXIT_FAILURE;
    }
  }
  alarm(0);
  fmt::print("{} tries from seed {}: {} taken, {} refused, {} skipped\n", tries, first_seed,
             outcomes[0], outcomes[1], outcomes[2]);
  // A generator of nothing but mistakes, or of none, would test half of what it says.
  return tries < 100 || (outcomes[0] > 0 && outcomes[1] > 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace masing::fuzz
