#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/model.hpp"
#include "cli/options.hpp"
#include "cli/points.hpp"

// These functions parse the words of a call and the .ini that the words name. Each expression is
// parsed only once.

namespace masing::cli {

/// Returns the entries "key = value" of an .ini. Below a line [section] their names are
/// "section.key". `path` is the name of the file in messages. # begins a comment. A byte order mark
/// is not skipped. Throws UserError if a line is neither an entry nor a section, a comment or
/// blank. Local.
std::vector<Setting> ini_entries(const std::string& path, const std::string& content);

/// Returns whether `entry`, which stands in the configuration of a result file, is a key that an
/// earlier version of the program had, and whose value is the default of that version. Such an
/// entry changed nothing in the file, so it can be skipped. Throws UserError if the key is gone and
/// has another value, because the file cannot be made again without it. Local.
bool is_gone(const Setting& entry);

/// A table of --table, and where it was given, for messages: "--table record".
struct NamedTable {
  base::Function function;
  std::string origin;
};

/// The parsed words after `masing COMMAND`, merged with the .ini that the words name.
struct Request {
  Command command = Command::simulate;
  std::string model = "masing";
  /// The comment at the start of the .ini, which describes the case; empty if the command line
  /// changes what is computed.
  std::vector<std::string> comment = {};
  std::map<std::string, Given> entries = {};  ///< name → parsed text of each option that was given
  std::vector<Setting> lets = {};             ///< the named constants, as the user wrote them
  bool is_of_result = false;  ///< whether the .ini is the configuration in a file of masing

  /// the parsed constants without those that a scan varies, sorted by in_order()
  std::vector<NamedConstant> constants = {};
  std::vector<Setting> over = {};                 ///< the axes of --over, as the user wrote them
  Axes axes = {};                                 ///< the points of a scan
  std::map<std::string, NamedTable> tables = {};  ///< the tables of --table, by name

  /// the parameters of a model that has some (has_parameters())
  std::optional<ModelParameters> parameters = {};

  /// Returns whether the user gave the option, or a scan varies it.
  [[nodiscard]] bool has(const std::string& key) const {
    return entries.contains(key) || axes.varies(key);
  }
  /// Returns whether the problem is that of the papers as far as the user gives it: no option,
  /// parameter, axis or column names a quantity of the problem. The final time does not count.
  [[nodiscard]] bool is_of_papers() const;
};

/// Parses the words of a command and the .ini that the words name. A key in the words replaces the
/// same key in the .ini, which replaces the default. Throws UserError for unknown or repeated keys,
/// missing values, options that the model does not take, and words and functions that are not
/// valid. An invalid number is reported later, by configuration_of(), unless it is a value of an
/// axis. Local if reading `files` is local.
Request parse(Command command, const std::vector<std::string>& words, const Files& files);

/// Returns the configuration of a request; of a scan, that at the point with the values `row`.
/// Throws UserError for the first option, constant or number of elements that is not valid. Local.
Configuration configuration_of(const Request& request, const Row& row);

/// Returns the place where the user gave a quantity, for messages: "--mass", "case.ini line 3,
/// mass". Returns "--" and the name of the quantity if the user did not give it. Local.
std::string origin_of(const Request& request, const std::string& quantity);

/// The result of bind() in spec.hpp: a request together with the values of all options. Constants
/// are replaced by their values, and options that the user did not give have their default values.
struct BoundRequest {
  std::shared_ptr<const Request> request;
  Configuration configuration;
  /// the keys that the user did not give and whose values follow from other keys: "force,to"
  std::string derived = {};
  /// the run; for a study, the run of every level except for its cells and steps
  engine::RunSpec run;
  std::vector<std::string> warnings;  ///< the warnings to be printed

  Names refined = {};  ///< for a study: which of the options steps and cells its levels replace
  /// for a study: its levels, reference, expected orders and unmet hypotheses
  study::StudySpec study;
};

}  // namespace masing::cli
