#pragma once

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/printed.hpp"
#include "cli/request.hpp"
#include "cli/spec.hpp"
#include "support/given.hpp"

/// What the tests of the options share: files that exist only in memory, and messages of mistakes.
namespace masing::given {

using Words = std::vector<std::string>;

inline Words words(const std::string& call) {
  return base::split(call, ' ');
}

inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline cli::BoundRequest bind(cli::Command command, const Words& words, const Files& files = {}) {
  const auto text = reader(files);
  const auto table = [=](const std::string& path) { return base::points_of(text(path), path); };
  const auto config = [=](const std::string& path) { return cli::IniText{path, text(path)}; };
  return cli::bind(cli::parse(command, words, {.table = table, .config = config}));
}

inline cli::Configuration configuration(cli::Command command, const Words& words,
                                        const Files& files = {}) {
  return bind(command, words, files).configuration;
}

inline std::string printed(cli::Command command, const Words& words, const Files& files = {}) {
  return cli::printed(bind(command, words, files));
}

/// The message that words and files are refused with; empty if they are taken.
inline std::string refusal(cli::Command command, const Words& words, const Files& files = {}) {
  return mistake([&] { bind(command, words, files); });
}

/// Expects of a message that it is one line and has all parts.
inline void expect_says(const std::string& message, const Words& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' lacks " << part;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// A mistake, and what the message must contain.
struct Mistake {
  std::string words;  ///< with blanks between them
  Words said;
  Files files = {};
};

inline void expect_refused(cli::Command command, const std::vector<Mistake>& mistakes) {
  for (const auto& [words, said, files] : mistakes) {
    SCOPED_TRACE(words);
    const std::string message = refusal(command, given::words(words), files);
    EXPECT_NE(message, "");
    expect_says(message, said);
  }
}

}  // namespace masing::given
