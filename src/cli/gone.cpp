#include "cli/gone.hpp"

#include <map>

#include "base/error.hpp"

namespace masing::cli {

namespace {

/// The keys of /configuration that the program no longer has, and their last defaults. A file may
/// also leave the value of each key empty.
const std::map<std::string, std::string> gone_keys{
    {"backbone", ""}, {"looks", ""},   {"past", "rest"},
    {"probe", ""},    {"resolve", ""}, {"until", ""},
};

}  // namespace

bool is_gone(const Setting& entry) {
  const auto gone = gone_keys.find(entry.name);
  if (gone != gone_keys.end() && !entry.text.empty() && entry.text != gone->second) {
    throw base::UserError(entry.origin + ": gone in 3.0, so that " + in_quotes(entry.text) +
                          " cannot be computed again");
  }
  return gone != gone_keys.end();
}

}  // namespace masing::cli
