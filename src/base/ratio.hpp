#pragma once

#include <cstdint>

namespace base {

/// Products of two counts of cells need more than 64 bits.
__extension__ using Wide = __int128;

/// ⌊a b / c⌋ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t floor_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product / c;
  }
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// ⌈a b / c⌉ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t ceil_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product / c + static_cast<std::int64_t>(product % c != 0);
  }
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b + (c - 1)) / c);
}

}  // namespace base
