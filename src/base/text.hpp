#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace masing::base {

/// Returns the shortest decimal text that is read back as exactly `value`. Local.
std::string to_text(double value);
/// Returns `value` in decimal digits. Local.
std::string to_text(std::int64_t value);

/// Returns the finite number that `text` represents. Returns nothing if `text` is not a finite
/// number, or if the number is too large or too small for a double. Blanks at the ends and a plus
/// sign are allowed. Local.
std::optional<double> to_number(std::string_view text);

/// Returns the integer that `text` represents, such as "1000000" or "1e6", or nothing if `text` is
/// not an integer of 64 bits. The absolute value of a number with a point or an exponent may be at
/// most 2⁵³. Blanks at the ends and a plus sign are allowed. Local.
std::optional<std::int64_t> to_integer(std::string_view text);

/// Returns `text` without blanks at its ends. Local.
std::string_view trimmed(std::string_view text);

/// Divides `text` at every `separator` and returns the trimmed parts, some of which may be empty. A
/// text that is empty or consists of blanks has no parts. Local.
std::vector<std::string> split(std::string_view text, char separator);

/// Returns the parts joined into one text, with `separator` between them. Local.
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// Returns the longest beginning of `text` that has at most `most` bytes and does not end inside a
/// character of UTF-8. Local.
std::string shortened(std::string_view text, std::size_t most);

/// Returns "; did you mean NAME?" with the one of `names` that is most similar to the mistyped
/// `word`, or an empty text if none is similar. The most similar name is the one into which the
/// fewest edits turn the word. An edit removes, adds or replaces a letter, or swaps two
/// neighbouring letters. Upper and lower case count as equal, and so do - and _. At most 1 edit is
/// allowed for a word of 3 or 4 letters, 2 for 5 to 8 letters, 3 for a longer word, and none for a
/// shorter one. If every name needs more edits, the name that has the longest beginning in common
/// with the word is taken, if this has at least 3 letters. Of equally good names the first is
/// taken. Local.
std::string meant(std::string_view word, const std::vector<std::string>& names);

/// Returns the present date and time in UTC as ISO 8601 writes them, "2026-11-29T11:51:02Z". Local.
std::string utc_now();

}  // namespace masing::base
