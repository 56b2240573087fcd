#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

// Words of a call and lines of an .ini as keys with their texts.

namespace masing::cli {

/// A key with its text and where it stood.
struct Given {
  std::string key;  ///< "mass"; "section.NAME" of what stands below a [section], or --set NAME=…
  std::string text;
  std::string origin;  ///< for messages: "--mass", "case.ini line 3, mass"
};

/// What stands before NAME in the key of --set, --let and --over NAME=VALUE.
inline constexpr std::string_view model_section = "model.";
inline constexpr std::string_view let_section = "let.";
inline constexpr std::string_view over_section = "over.";

/// The words after `masing COMMAND`. Throws UserError for unknown keys and missing values. Local.
std::vector<Given> from_words(Command command, const std::vector<std::string>& words);

/// The lines "key = value" of an .ini, texts trimmed; `path` names it in messages. # begins a
/// comment, a byte order mark is skipped. Throws UserError where a line is something else. Local.
std::vector<Given> ini_entries(const std::string& path, const std::string& content);

/// The same for a command. Throws UserError for keys that it does not take, too. Local.
std::vector<Given> from_ini(Command command, const std::string& path, const std::string& content);

/// The comment at the start of an .ini, without # and without the line that a printed one begins
/// with. Local.
std::string leading_comment(const std::string& content);

/// The help of a command: its options with their defaults.
std::string help(Command command);

}  // namespace masing::cli
