#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/spec.hpp"
#include "support/given.hpp"

/// What the tests of the options share. A call is a text such as "converge --levels 10,20", of
/// masing simulate where it names no command; ~ stands for a blank within a word. Files exist only
/// in memory.
namespace masing::given {

using Words = std::vector<std::string>;

/// What a call asks for. Throws UserError.
inline cli::Request bind(const std::string& call, const Files& files = {}) {
  Words words = base::split(call, ' ');
  std::erase(words, "");
  for (std::string& word : words) {
    std::ranges::replace(word, '~', ' ');
  }
  const auto command = cli::command_of(words.empty() ? "" : words.front());
  words.erase(words.begin(), words.begin() + (command ? 1 : 0));
  const auto text = reader(files);
  const auto table = [=](const std::string& path) { return base::points_of(text(path), path); };
  const auto config = [=](const std::string& path) { return cli::IniText{path, text(path)}; };
  // Samples have one array, array:0.
  const auto samples = [=](const std::string& path) {
    return io::Samples{
        .table = text(path), .folder = "", .sizes = {2}, .arguments = {0, 1}, .values = {1, 2}};
  };
  const cli::Files all{.table = table,
                       .samples = samples,
                       .input = [](const std::function<void()>& read) { read(); },
                       .config = config};
  return cli::request_of(cli::read(command.value_or(cli::Command::simulate), words, all), all);
}

inline cli::Values values(const std::string& call, const Files& files = {}) {
  return bind(call, files).values;
}

inline std::string printed(const std::string& call, const Files& files = {}) {
  return cli::printed(bind(call, files));
}

/// The message that a call is refused with before a rank begins to compute; empty if it is taken.
/// The run reads the file in.csv.
inline std::string refusal(const std::string& call, const Files& files = {}) {
  return mistake([&] {
    const cli::Request request = bind(call, files);
    const auto places = cli::given_at(request.values);
    cli::require_files_apart(request.values, {"in.csv"});
    (void)cli::spec_of(request, "");
  });
}

/// Expects of a text that it has the parts of another, which .. separates, in their order.
inline void expect_says(const std::string& text, const std::string& parts) {
  std::size_t at = 0;
  for (std::size_t begin = 0; begin <= parts.size();) {
    const std::size_t end = std::min(parts.find("..", begin), parts.size());
    const std::string part = parts.substr(begin, end - begin);
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << "'" << text << "' lacks '" << part << "' of " << parts;
    at += part.size();
    begin = end + 2;
  }
}

}  // namespace masing::given
