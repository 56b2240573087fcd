#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/model.hpp"
#include "cli/options.hpp"

// These functions parse the words of a call and the .ini that the words name. Each expression is
// parsed only once.

namespace masing::cli {

/// Returns the entries "key = value" of an .ini. Below a line [section] their names are
/// "section.key". `path` is the name of the file in messages. # begins a comment. A byte order mark
/// is not skipped. Throws UserError if a line is neither an entry nor a section, a comment or
/// blank. Local.
std::vector<Setting> ini_entries(const std::string& path, const std::string& content);

/// One axis of a scan, from --over "w=0.3:1.75:30" or --backbone. The axis varies one of four
/// things: a numeric option, a parameter of the model, the amplitude of closed curves, or a
/// constant.
struct Axis {
  scan::ScanAxis values;
  const Option* option = nullptr;
  std::string parameter = {};
  bool is_amplitude = false;

  [[nodiscard]] bool is_constant() const {
    return option == nullptr && parameter.empty() && !is_amplitude;
  }
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

  /// the parsed constants without those that a scan varies, sorted by in_order()
  std::vector<NamedConstant> constants = {};
  std::vector<Setting> over = {};  ///< the axes of --over, as the user wrote them
  std::vector<Axis> axes = {};     ///< the parsed axes: those of `over`, then that of --backbone

  /// the parameters of a model of ModelKind::finite
  std::optional<ModelParameters> parameters = {};

  /// Returns whether the user gave the option, or a scan varies it.
  [[nodiscard]] bool has(const std::string& key) const {
    return entries.contains(key) || varies(key);
  }
  /// Returns whether a scan varies the option.
  [[nodiscard]] bool varies(const std::string& key) const;
};

/// Parses the words of a command and the .ini that the words name. A key in the words replaces the
/// same key in the .ini, which replaces the default. Throws UserError for unknown or repeated keys,
/// missing values, options that the model does not take, and words and functions that are not
/// valid. An invalid number is reported later, by configuration_of(), unless it is a value of an
/// axis. Local if reading `files` is local.
Request parse(Command command, const std::vector<std::string>& words, const Files& files);

/// Returns the first value of each axis. Local.
std::vector<double> first_values(const Request& request);

/// Returns the configuration of a request. Axis i of a scan has the value `values`[i]; the value of
/// an axis of amplitudes, which is the last axis, may be left out. Throws UserError for the first
/// option, constant or number of elements that is not valid. Local.
Configuration configuration_of(const Request& request, std::span<const double> values);

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

  /// for a study: its levels, reference, expected orders and unmet hypotheses
  study::StudySpec study;
};

}  // namespace masing::cli
