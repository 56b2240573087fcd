#pragma once

#include <optional>
#include <string>

#include "base/enclosure.hpp"
#include "fuzz/arb_series.hpp"
#include "fuzz/random_text.hpp"

namespace masing::fuzz {

/// Whether a number is in an enclosure, as far as its ball tells.
enum class Place { inside, outside, open };

/// Of the number in `ball`, finite; an end that is NaN does not limit. Local.
Place place(const Ball& ball, const base::Enclosure& enclosure);

/// An operation on enclosures made by chance, with ends anywhere among the doubles, against Arb's
/// result for numbers within. Returns what is wrong. Local.
std::optional<std::string> try_enclosure(RandomText& random);

}  // namespace masing::fuzz
