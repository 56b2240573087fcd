#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/error.hpp"

/// Files that exist only in memory, and messages of mistakes.
namespace masing::given {

using Files = std::map<std::string, std::string>;

inline std::function<std::string(const std::string&)> reader(const Files& files) {
  return [files](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) {
      throw base::UserError("cannot read " + path);
    }
    return found->second;
  };
}

/// The message of the UserError, or of what is named, that `work` throws; empty if it throws none.
template <typename Thrown = base::UserError, typename Work>
std::string mistake(const Work& work) {
  try {
    work();
  } catch (const Thrown& error) {
    return error.what();
  }
  return {};
}

}  // namespace masing::given
