#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/printed.hpp"
#include "cli/request.hpp"
#include "cli/spec.hpp"
#include "support/given.hpp"

/// What the tests of the options share: files that exist only in memory, and messages of mistakes.
namespace masing::given {

using Words = std::vector<std::string>;

/// The request that words and files describe.
inline cli::Validated validated(cli::Command command, const Words& words, const Files& files = {}) {
  return cli::validated(cli::parse(command, words, {.text = reader(files)}));
}

/// Its configuration.
inline cli::Configuration configuration(cli::Command command, const Words& words,
                                        const Files& files = {}) {
  return validated(command, words, files).configuration;
}

/// It printed.
inline std::string printed(cli::Command command, const Words& words, const Files& files = {}) {
  return cli::printed(validated(command, words, files));
}

/// The message that words and files are refused with; empty if they are taken.
inline std::string refusal(cli::Command command, const Words& words, const Files& files = {}) {
  return mistake([&] { validated(command, words, files); });
}

}  // namespace masing::given
