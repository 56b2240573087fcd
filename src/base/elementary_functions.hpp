#pragma once

#include <span>
#include <string_view>

#include "base/taylor_series.hpp"

namespace masing::base::taylor {

/// A function of expressions: of one argument, or of two or more, taken one after the other.
struct Named {
  std::string_view name;
  Series (*one)(const Series&) = nullptr;
  Series (*two)(const Series&, const Series&) = nullptr;
};

/// All functions that an expression may use. Where abs(), min(), a wave … is undecided on an
/// interval, the series covers all cases and is not smooth.
std::span<const Named> functions();

/// What is known of a condition; nothing where what it compares may be undefined.
enum class Truth { no, maybe, yes };

/// a ≠ 0.
Truth truth(const Series& a);
/// a < b.
Truth less(const Series& a, const Series& b);
/// a = b.
Truth equal(const Series& a, const Series& b);
Truth negation(Truth a);
/// 1 or 0, anything between where undecided; smooth if `a` and `b`, which were compared, are.
Series logical(Truth value, const Series& a, const Series& b);

}  // namespace masing::base::taylor
