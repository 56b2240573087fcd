#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <system_error>

namespace masing::base {

namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) {
    return std::nullopt;
  }
  return value;
}

std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

/// Returns a word in the form in which words are compared: at most 100 bytes of it, in lower case,
/// with _ in place of -.
std::string as_compared(std::string_view word) {
  std::string letters = shortened(word, 100);
  for (char& letter : letters) {
    letter =
        letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return letters;
}

/// Returns the smallest number of edits (see meant()) that change a into b, if no part of a is
/// edited twice.
std::size_t edits(std::string_view a, std::string_view b) {
  // d[i][j] is the smallest number of edits that change the first i letters of a into the first j
  // letters of b.
  std::vector d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string to_text(double value) {
  // std::to_chars writes the shortest text, such as 1e+05; fmt's {} would write 100000.
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string to_text(std::int64_t value) {
  return fmt::to_string(value);
}

std::optional<double> to_number(std::string_view text) {
  const auto value = whole<double>(without_plus(trimmed(text)));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  const std::string_view digits = without_plus(trimmed(text));
  if (const auto exact = whole<std::int64_t>(digits)) {
    return exact;
  }
  // Users write large counts like "1e6". Beyond 2^53 a double cannot represent every integer.
  const auto value = to_number(digits);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 9007199254740992.0) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) {
    return parts;
  }
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end));
}

std::string meant(std::string_view word, const std::vector<std::string>& names) {
  const std::string given = as_compared(word);
  const std::size_t size = given.size();
  const std::size_t most = size <= 2 ? 0 : std::min<std::size_t>(3, (size + 3) / 4);
  const std::string* nearest = nullptr;
  std::size_t least = most + 1;
  // The length of the longest common beginning so far; only beginnings of 3 letters or more count.
  std::ptrdiff_t longest = 2;
  for (const std::string& name : names) {
    const std::string other = as_compared(name);
    const std::size_t far = edits(given, other);
    const auto common = std::ranges::mismatch(given, other).in1 - given.begin();
    if (far < least || (least > most && common > longest)) {
      nearest = &name;
      least = std::min(far, least);
      longest = common;
    }
  }
  return nearest == nullptr ? "" : "; did you mean " + *nearest + "?";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace masing::base
