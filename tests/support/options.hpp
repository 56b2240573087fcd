#pragma once

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/spec.hpp"

/// Runs and studies in the words of the command line.
namespace masing::given {

/// The texts of options by their names without dashes, of switches empty; "set k" is the parameter
/// k of a model.
using Options = std::map<std::string, std::string>;

/// The options of a text such as "refine=steps; quiet; set k=1". Local.
inline Options options(const std::string& text) {
  Options all;
  for (const std::string& part : base::split(text, ';')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    all.emplace(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
  }
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

/// What a command is asked for, without files. Throws UserError. Local.
inline cli::BoundRequest requested(cli::Command command, const Options& options) {
  return cli::bind(cli::parse(command, words(options), {}));
}

/// The study that options ask for, without files. Throws UserError. Local.
inline study::StudySpec spec_of(const Options& options) {
  study::StudySpec spec = cli::study_spec(requested(cli::Command::converge, options), "");
  spec.files.result.path.clear();
  spec.files.checkpoint = {};
  return spec;
}

}  // namespace masing::given
