#pragma once

#include <string>
#include <vector>

namespace io {

/// What `masing reproduce` needs of a result file to make it again.
struct Recipe {
  std::string kind;           ///< "simulate" or "converge"
  std::string configuration;  ///< its .ini
};

/// The recipe of a result file. Throws UserError if it is not one. Local, without MPI.
Recipe read_recipe(const std::string& path);

/// What differs, bit by bit, between two result files outside /provenance and /timing: datasets or
/// groups missing on one side, shapes, types, values (how many, and the first), attributes. One
/// line each, in the order of the names. Throws UserError if a file cannot be opened. Local,
/// without MPI.
std::vector<std::string> differences(const std::string& expected, const std::string& found);

}  // namespace io
