#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expression.hpp"
#include "cli/options.hpp"
#include "io/specs.hpp"

// These functions read the words of a call and the .ini that the words name. Their result is a text
// for each key that the user gave. Values (values.hpp) reads these texts.

namespace masing::cli {

/// The text of one key, and the place where the user wrote it.
struct Entry {
  std::string key;    ///< "mass", or in a section "model.k", "let.w", "table.r", "over.w"
  std::string text;   ///< without blanks at its ends
  std::string place;  ///< for messages: "--mass", "--let w", "case.ini line 3, mass"
  /// the points of a table that the text names; `text` is then "points:…", or at a point of a scan
  /// the path of an input
  std::shared_ptr<const base::PointTable> points = {};

  /// Returns the part of a key in a section behind the point: "w" of "let.w".
  [[nodiscard]] std::string name() const { return key.substr(key.find('.') + 1); }
};

/// Returns the entry of a key, or null if there is none. Local.
const Entry* find(const std::vector<Entry>& entries, const std::string& key);

/// A function that reads a file and returns what an option takes from it, the same on every rank.
/// Throws UserError if the file cannot be read.
template <typename Content>
using FileReader = std::function<Content(const std::string& path)>;

/// The text of the .ini that --config names. The text may come from an .ini file or from the
/// dataset /configuration of a result file.
struct IniText {
  /// where the text comes from, for messages: "case.ini", "/configuration of run.h5"
  std::string place;
  std::string text;
  bool is_of_result = false;  ///< whether the text is the configuration in a result file
  /// the keys of the text that are ignored, so that their values are derived again
  std::vector<std::string> derived = {};
  /// the samples in the result file from which the text comes
  std::optional<io::Samples> samples = {};
};

/// The functions that read the files that options name. Options must not name files for which there
/// is no function.
struct Files {
  FileReader<std::string> last_field = {};  ///< reads the last u of a result file, as "points:…"
  FileReader<std::shared_ptr<const base::PointTable>> table = {};  ///< reads the points of a table
  FileReader<io::Samples> samples = {};                            ///< reads the table of --samples
  /// calls a function that reads an input; throws its UserError on all ranks alike
  std::function<void(const std::function<void()>& read)> input = [](const auto& read) { read(); };
  FileReader<IniText> config = {};  ///< reads the .ini of --config
};

/// What a call gives: a text for each key, from its words and from the .ini that they name.
struct Given {
  Command command = Command::simulate;
  std::string model = "masing";
  /// the entries of the .ini, then those of the words; a word replaces the entry of the same key
  std::vector<Entry> entries = {};
  std::vector<std::string> positions = {};  ///< the words without --: the file of reproduce
  /// the comment at the start of the .ini, which describes the case; empty if the words change what
  /// is computed
  std::vector<std::string> comment = {};
  bool is_of_result = false;  ///< whether the .ini is the configuration in a file of masing
  /// the samples in the result file that --config names; null if --samples names others
  std::shared_ptr<const io::Samples> samples = {};

  /// Returns the entry of a key, or null if there is none. Local.
  [[nodiscard]] const Entry* find(const std::string& key) const { return cli::find(entries, key); }
};

/// Returns the entries of an .ini that `command` takes. Of a configuration in a result file, leaves
/// out keys that the program no longer has and that had no effect on the file. Throws UserError for
/// a line that is neither "key = value" nor a section, a comment or blank, for keys that the
/// command does not take, and for keys that are gone and had an effect. Local.
std::vector<Entry> ini_entries(Command command, const IniText& ini);

/// Reads the words of a command and the .ini that they name. Tables and fields of result files that
/// a text names are read, too, and replaced by their points. Throws UserError for unknown or
/// repeated keys, missing values, and names that no constant or table may have. Other texts are
/// checked when Values reads them. Local if reading `files` is local.
Given read(Command command, const std::vector<std::string>& words, const Files& files);

/// Throws UserError with this message if `holds` is false. Local.
void require(bool holds, const std::string& message);
/// Throws UserError about the option `key`, with the text `fault`, if `holds` is false. Local.
void require(bool holds, const char* key, const std::string& fault);

/// Throws UserError, whose message begins with the place, if a name that the user chose is no
/// identifier or has a meaning in expressions (sin, pi, t). Local.
void require_name(const std::string& place, const std::string& name);

/// Throws UserError that `name` is no key of `command`. The message begins with `place`, which says
/// the name, and proposes a similar name. Local.
[[noreturn]] void refuse_key(Command command, const std::string& place, const std::string& name);

/// Returns a text, shortened to at most 60 bytes, in quotes for a message. Local.
std::string in_quotes(const std::string& text);

/// Returns the message of an error. If an expression has an unknown name, advice on how to define a
/// constant is added. Local.
std::string message_of(const base::UserError& error);

/// Calls `work` and returns its result. If `work` throws a UserError, throws a UserError whose
/// message is `place` followed by the message of that error (message_of). If the message of that
/// error begins with the place of a quantity, `place` replaces this place. Local if `work` is
/// local.
template <typename Work>
auto at_place(const std::string& place, const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw base::UserError(place + ": " +
                          (error.quantity().empty() ? message_of(error) : error.fault()));
  }
}

}  // namespace masing::cli
