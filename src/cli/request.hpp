#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/model.hpp"
#include "cli/options.hpp"

// What a call asks for: its words and the .ini that they name, every text in them read once.

namespace masing::cli {

/// The lines "key = value" of an .ini, their names "section.key" below a [section]; `path` names it
/// in messages. # begins a comment, a byte order mark is skipped. Throws UserError where a line is
/// something else. Local.
std::vector<Setting> ini_entries(const std::string& path, const std::string& content);

/// What a scan varies (--over "w=0.3:1.75:30", --backbone): an option, a parameter of the model,
/// the amplitude of closed curves, or else a constant.
struct Axis {
  scan::ScanAxis values;
  const Option* option = nullptr;
  std::string parameter = {};
  bool is_amplitude = false;

  [[nodiscard]] bool is_constant() const {
    return option == nullptr && parameter.empty() && !is_amplitude;
  }
};

/// The words after `masing COMMAND` and the .ini they name.
struct Request {
  Command command = Command::simulate;
  std::string model = "masing";
  /// The lines at the start of the .ini that say what the case is; none where the command line
  /// changes what is computed.
  std::vector<std::string> comment = {};
  std::map<std::string, Given> entries = {};  ///< by the names of the options
  std::vector<Setting> lets = {};             ///< named constants, as given
  std::vector<NamedConstant> constants = {};  ///< the same, but those that a scan varies, in order
  std::vector<Setting> over = {};             ///< what a scan varies, as given
  std::vector<Axis> axes = {};                ///< the same and the amplitudes of --backbone
  std::optional<ModelParameters> parameters = {};  ///< of ModelKind::finite

  /// Whether an option is given, or varied by a scan.
  [[nodiscard]] bool has(const std::string& key) const {
    return entries.contains(key) || varies(key);
  }
  [[nodiscard]] bool varies(const std::string& key) const;
};

/// Reads words; they win over the .ini, the .ini over the defaults. Throws UserError for unknown or
/// repeated keys, missing values, options that the model does not take, and texts that are not of
/// their type. Local if reading `files` is.
Request parse(Command command, const std::vector<std::string>& words, const Files& files);

/// The first values of the axes. Local.
std::vector<double> first_values(const Request& request);

/// The values of a request where its first axes have `values`. Throws UserError for the first value
/// outside its range. Local.
Configuration configuration_of(const Request& request, std::span<const double> values);

/// Where a quantity was given, for messages: "--mass", "case.ini line 3, mass". Local.
std::string origin_of(const Request& request, const std::string& quantity);

/// A request whose constants have their values, with every default resolved (spec.hpp).
struct BoundRequest {
  std::shared_ptr<const Request> request;
  Configuration configuration;
  std::string derived = {};  ///< the keys that were not given and follow from others, "force,to"
  engine::RunSpec run;       ///< of a study without its levels
  std::vector<std::string> warnings;  ///< what the user should know
  study::StudySpec study;             ///< of a study levels, reference, orders and hypotheses
};

}  // namespace masing::cli
