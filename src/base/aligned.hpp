#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <vector>

namespace base {

/// Bytes of a cache line, and of the widest vector register: the kernel's arrays begin at a
/// multiple, or half of its loads and stores would touch two lines.
inline constexpr std::size_t line_bytes = 64;

/// A vector of doubles that begins at a cache line.
using AlignedVector = std::vector<double, boost::alignment::aligned_allocator<double, line_bytes>>;

}  // namespace base
