#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "fuzz/random_text.hpp"

/// Inputs made by chance, and what must hold of every one.
namespace masing::fuzz {

/// What became of one input.
enum class Outcome { taken, refused, skipped };

/// Makes an input, describes it, and tries it; throws what is not a UserError where it fails.
using Try = std::function<Outcome(RandomText& random, std::string& description)>;

/// Throws std::logic_error unless the message says something, in a length one can read. Local.
void require_message(const base::UserError& mistake);

/// Makes the tries that `--tries n --seed s` ask for, each with a seed of its own that a failure
/// names; an alarm ends the program where one takes longer than 20 s. Returns the exit code: 1 at
/// the first failure, or where nothing was taken or nothing refused. Local.
int run(int count, char** values, const Try& one_try);

}  // namespace masing::fuzz
