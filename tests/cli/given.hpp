#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/parse.hpp"
#include "cli/validate.hpp"

/// What the tests of the options share: files that exist only in memory, and messages of mistakes.
namespace masing::given {

using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

/// A reader of the files in memory.
inline base::FileReader reader(const Files& files) {
  return [files](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) {
      throw base::UserError("cannot read " + path);
    }
    return found->second;
  };
}

/// The validated configuration that words and files describe.
inline cli::Configuration configuration(cli::Command command, const Words& words,
                                        const Files& files = {}) {
  return cli::validated(cli::parse(command, words, reader(files)).configuration, reader(files));
}

/// The message of the UserError that `work` throws; empty if it throws none.
template <typename Work>
std::string mistake(const Work& work) {
  try {
    work();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

/// The message that words and files are refused with; empty if they are taken.
inline std::string refusal(cli::Command command, const Words& words, const Files& files = {}) {
  return mistake([&] { configuration(command, words, files); });
}

}  // namespace masing::given
