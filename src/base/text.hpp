#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace masing::base {

/// The shortest decimal text that reads back as exactly `value`. Local.
std::string to_text(double value);
/// `value` in decimal digits. Local.
std::string to_text(std::int64_t value);

/// `count` ≥ 0 in full, from 10,000 on in groups of three digits with narrow no-break spaces
/// (U+202F). Local.
std::string grouped(std::int64_t count);

/// `count` ≥ 0 for titles: in full up to 9999; 10⁶ and 2.5·10⁵ where at most two digits are not
/// zeros at the end; else `grouped`. Local.
std::string abbreviated(std::int64_t count);

/// The finite number that the whole of `text` spells, or nothing. Local.
std::optional<double> to_number(std::string_view text);

/// The whole number that the whole of `text` spells ("1000000" or "1e6"), or nothing. Local.
std::optional<std::int64_t> to_integer(std::string_view text);

/// `text` without blanks at its ends. Local.
std::string_view trimmed(std::string_view text);

/// The trimmed pieces of `text` between separators; an empty text has no piece. Local.
std::vector<std::string> split(std::string_view text, char separator);

/// The pieces with `separator` between them. Local.
std::string joined(const std::vector<std::string>& pieces, std::string_view separator);

/// `text`, or of a longer one its beginning of at most `most` bytes, in whole characters of UTF-8.
/// Local.
std::string shortened(std::string_view text, std::size_t most);

/// "; did you mean NAME?" of the first of the `names` that are nearest to a mistyped `word`, in
/// letters left out, added, replaced or swapped with a neighbour, whether large or small, - or _:
/// at most 1 in words of 3 or 4 letters, 2 up to 8, else 3; or else with the longest beginning in
/// common, of at least 3 letters. Empty where there is none. Local.
std::string meant(std::string_view word, const std::vector<std::string>& names);

}  // namespace masing::base
