#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace masing::cli {

/// The times in (0, T), increasing, where a force F(t) may not be smooth: those `given` by the
/// user, the points of a table, and the corners and jumps of triangle(), square() and sawtooth()
/// of an affine argument a·t + b. `text` is Function::text(). Throws UserError if the expression
/// uses what is not smooth everywhere (abs, min, max, sign, rint, comparisons, ?:, a periodic
/// function of any other argument) and no breaks are given; the message begins with `key`. Local.
std::vector<double> force_breaks(const std::string& text, double final_time,
                                 std::span<const double> given, const std::string& key = "--force");

/// a·t + b.
struct Affine {
  double slope;
  double offset;
};

/// The affine function that an expression is, to rounding, on [0, T]. Local.
std::optional<Affine> affine(const std::string& text, double final_time);

/// The text between the bracket at `open` and its partner. Local.
std::string argument_of(const std::string& text, std::size_t open);

}  // namespace masing::cli
