// The language of functions against muParser 2.3.3, whose answers on 2,000 texts are kept in
// muparser_answers.txt, with how they were made.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/expression.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "support/given.hpp"

namespace masing::test_language {

using base::Function;

struct Answer {
  std::string text;
  bool is_refused = false;
  int position = 0;                              // of the fault, from 1; 0: not said
  std::vector<std::array<double, 3>> at_points;  // argument, value, largest term
};

/// The text that the file has with its escapes, \\ and \xHH.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\';
    i += is_escape ? 1 : 0;
    if (is_escape && text[i] == 'x') {
      plain += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

Answer answer_of(const std::string& line) {
  const std::size_t tab = line.find('\t');
  Answer answer{.text = unescaped(line.substr(0, tab))};
  const std::string given = line.substr(tab + 1);
  if (given.starts_with("refused")) {
    answer.is_refused = true;
    answer.position = std::atoi(given.substr(std::string("refused").size()).c_str());
    return answer;
  }
  for (const std::string& point : base::split(given, '|')) {
    const std::vector<std::string> words = base::split(point, ' ');
    std::array<double, 3> numbers{};
    std::ranges::transform(words, numbers.begin(), [](const std::string& word) {
      return std::strtod(word.c_str(), nullptr);
    });
    answer.at_points.push_back(numbers);
  }
  return answer;
}

/// Those in the file, whose heading ends with an empty line.
const std::vector<Answer>& answers() {
  static const std::vector<Answer> all = [] {
    std::ifstream file(MASING_MUPARSER_ANSWERS);
    std::vector<Answer> read;
    std::string line;
    while (std::getline(file, line) && !line.empty()) {
    }
    while (std::getline(file, line)) {
      read.push_back(answer_of(line));
    }
    return read;
  }();
  return all;
}

Function function_of_t(const std::string& text) {
  const base::Constants constants{{"a", 1.5}, {"F", 0.45}, {"w", 0.5}};
  return Function(text, 't', {"a", "F", "w"}).bound(constants);
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { function_of_t(text); });
}

/// The position that a message names; 0 where it names none.
int position_in(const std::string& message) {
  constexpr std::string_view words = "at position ";
  const std::size_t found = message.rfind(words);
  return found == std::string::npos ? 0 : std::atoi(message.c_str() + found + words.size());
}

/// Euler's number is e here; muParser has it as _e alone.
bool uses_e(const std::string& text) {
  const auto is_of_name = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                               text[i] == '_' || text[i] == '.');
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'e' && (i == 0 || !is_of_name(i - 1)) && !is_of_name(i + 1)) {
      return true;
    }
  }
  return false;
}

/// Values agree within 4 units in the last place of the largest term by which a rounding enters. A
/// parser may join constants or not (2*pi*t/5) and multiply or raise to a power (t^3): roundings of
/// 0.5 units each, of which few texts have more than eight.
void expect_values(const Answer& answer) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  const Function f = function_of_t(answer.text);
  for (const auto& [argument, value, term] : answer.at_points) {
    const double got = f(argument);
    const double allowed =
        term > 0 ? 4 * std::max(unit * term, std::numeric_limits<double>::denorm_min()) : 0.0;
    EXPECT_TRUE(std::isfinite(value) ? std::abs(got - value) <= allowed
                                     : got == value || (std::isnan(got) && std::isnan(value)))
        << answer.text << fmt::format("\nat {}: {}, not {}", argument, got, value);
  }
}

/// muParser says of a sign after a sign where it ends; one character more or less is as good. A
/// sign = was looked for before anything else, and several values were seen last.
void expect_position(const Answer& answer, const std::string& message) {
  const int position = position_in(message);
  const auto is_at = [&](int place, const char* sign) {
    return place > 0 && answer.text.substr(place - 1, 1) == sign;
  };
  const bool is_first =
      position < answer.position && (is_at(answer.position, "=") || is_at(position, ","));
  EXPECT_TRUE(std::abs(position - answer.position) <= 1 || is_first)
      << answer.text << '\n'
      << answer.position << ", not: " << message;
}

TEST(Language, has_the_texts_values_and_faults_of_muparser) {
  ASSERT_EQ(answers().size(), 2000U);
  for (const Answer& answer : answers()) {
    const std::string message = refusal(answer.text);
    if (!uses_e(answer.text)) {
      EXPECT_EQ(!message.empty(), answer.is_refused) << answer.text << '\n' << message;
      if (answer.position > 0) {
        expect_position(answer, message);
      }
    }
    if (message.empty() && !answer.is_refused) {
      expect_values(answer);
    }
  }
}

TEST(Language, has_texts_of_at_most_10000_characters) {
  std::string text = "t";
  while (text.size() < 9999) {
    text += "+t";
  }
  EXPECT_EQ(refusal(text + " ").size(), 0U);  // a blank at an end does not count
  EXPECT_EQ(function_of_t(text)(2.0), 10000.0);
  EXPECT_EQ(refusal("-" + text), "");
  EXPECT_NE(refusal("1+" + text).find("10001 characters; at most 10000"), std::string::npos);
}

}  // namespace masing::test_language
