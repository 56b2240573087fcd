#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "cli/spec.hpp"

/// Runs and studies in the words of the command line.
namespace masing::given {

/// The texts of options by their names without dashes, of switches empty; "set k" is the parameter
/// k of a model.
using Options = std::map<std::string, std::string>;

/// The options of a text such as "refine=steps; quiet; set k=1"; of those given twice the first
/// counts. Local.
inline Options options(const std::string& text) {
  Options all;
  for (const std::string& part : base::split(text, ';')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    all.emplace(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
  }
  all.erase("");
  return all;
}

/// The words that give them: "--mass=2", "--quiet", "--set=k=1". Local.
inline std::vector<std::string> words(const Options& options) {
  std::vector<std::string> all;
  for (const auto& [name, text] : options) {
    std::string& word = all.emplace_back("--" + name);
    if (const auto space = word.find(' '); space != std::string::npos) {
      word[space] = '=';
    }
    word += text.empty() ? "" : "=" + text;
  }
  return all;
}

/// What a command is asked for, without files, as if a file of masing had the options: without a
/// force the papers' one acts on every problem. Steps and cells that the levels of a study replace
/// are left out. Throws UserError. Local.
inline cli::Request requested(cli::Command command, Options options) {
  if (command == cli::Command::converge && options.contains("levels")) {
    const std::string refine = options.contains("refine") ? options["refine"] : "steps";
    options.erase(refine == "cells" ? "" : "steps");
    options.erase(refine == "cells" || refine == "both" ? "cells" : "");
  }
  cli::Given given = cli::read(command, words(options), {});
  given.is_of_result = true;
  return cli::request_of(std::move(given), cli::Files());
}

/// The study that options ask for, without files. Throws UserError. Local.
inline study::StudySpec spec_of(const Options& options) {
  study::StudySpec spec = cli::study_spec(requested(cli::Command::converge, options), "");
  spec.files.result.path.clear();
  spec.files.checkpoint = {};
  return spec;
}

inline study::StudySpec spec_of(const std::string& text) {
  return spec_of(options(text));
}

}  // namespace masing::given
