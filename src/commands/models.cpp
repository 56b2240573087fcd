#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "cli/model.hpp"
#include "commands/commands.hpp"

namespace masing::commands {

int models(const cli::Invocation& call) {
  const auto& words = call.words;
  const bool help = words.size() == 1 && words.front() == "--help";
  if (words.size() > 1 || (words.size() == 1 && !help && words.front().starts_with("-"))) {
    throw base::UserError("'" + words.back() + "' is one word too many; give masing models or " +
                          "masing models NAME");
  }
  const std::string text = words.empty() || help
                               ? cli::catalogue_text()
                               : cli::model_text(cli::known_model(words.front(), "models").info);
  if (call.prints) {
    std::fputs(text.c_str(), stdout);
  }
  return base::exit_done;
}

}  // namespace masing::commands
