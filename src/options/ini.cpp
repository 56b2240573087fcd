#include "options/ini.hpp"

#include <boost/program_options.hpp>
#include <cassert>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace options {

namespace po = boost::program_options;

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The numbers of the lines that assign something: Boost keeps their order but not their numbers.
std::vector<std::int64_t> assigning_lines(const std::string& content) {
  std::vector<std::int64_t> numbers;
  std::int64_t number = 0;
  for (const auto& line : base::split(content, '\n')) {
    ++number;
    const std::string_view text = base::trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty() && !(text.starts_with('[') && text.ends_with(']'))) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

std::vector<Assignment> ini_assignments(const std::string& path, const std::string& content) {
  const std::string text =
      content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content;
  std::istringstream stream(text);
  std::vector<Assignment> assignments;
  try {
    const std::vector<std::int64_t> lines = assigning_lines(text);
    for (const auto& option : po::parse_config_file(stream, {}, true).options) {
      assert(assignments.size() < lines.size());
      assignments.push_back({option.string_key, option.value.empty() ? "" : option.value.front(),
                             lines[assignments.size()]});
    }
  } catch (const po::error& error) {
    throw base::UserError(path + ": " + error.what() + "; lines are 'key = value'");
  }
  return assignments;
}

}  // namespace options
