#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "fuzz/random_text.hpp"

namespace masing::fuzz {

/// What a user might type: a command, its words, and the files that they may name.
struct OptionsCase {
  cli::Command command = cli::Command::simulate;
  std::vector<std::string> words;
  std::map<std::string, std::string> files;
};

/// A case made by chance: keys of any command and model with values of their kind, given by words
/// and by an .ini, some of it damaged. Local.
OptionsCase options_case(RandomText& random);

/// The case as text, for a report. Local.
std::string described(const OptionsCase& one);

}  // namespace masing::fuzz
