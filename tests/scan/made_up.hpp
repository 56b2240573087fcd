#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstdint>

#include "scan/scan.hpp"
#include "support/options.hpp"

namespace masing::made_up {

/// The continuum of k = 1 and η = 0.1 + s with k0 = 0.2, m = 1 and c = 0.3.
inline constexpr const char* continuum = "cells=inf; engine=exact; k0=0.2; damping=0.3";

/// A scan without files; `more` are options that the others replace. Local.
inline cli::Scan scan(const std::string& options, const std::string& more = continuum) {
  cli::Scan made = cli::scan_spec(
      given::requested(cli::Command::scan, given::options(options + "; " + more)), "");
  made.spec.files = {.quiet = true};
  return made;
}

/// What comes of it. Collective.
inline scan::ScanResult points(const parallel::Communicator& comm, const cli::Scan& made) {
  return scan::make_scan(comm, made.spec,
                         [&](std::int64_t point) { return problem_at(made, point); });
}

/// The value of an axis at a point: of the first axis, without more. Local.
inline double value_at(const cli::Scan& made, std::int64_t point, std::size_t axis = 0) {
  return made.spec.points.columns.at(axis).at(point);
}

/// The same bits but for the seconds. Local.
inline void expect_same(const scan::ScanPoint& found, const scan::ScanPoint& expected) {
  scan::PointNumbers numbers = found.numbers;
  numbers.seconds = expected.numbers.seconds;
  EXPECT_EQ(found.message, expected.message);
  using Bits = std::array<std::uint64_t, sizeof(numbers) / sizeof(std::uint64_t)>;
  EXPECT_EQ(std::bit_cast<Bits>(numbers), std::bit_cast<Bits>(expected.numbers));
}

/// (K - mω² + iωc)/1, K = k0 + ∫k: F over x of the motion far below yielding.
inline std::complex<double> stiffness(double frequency) {
  return {1.2 - frequency * frequency, frequency * 0.3};
}

}  // namespace masing::made_up
