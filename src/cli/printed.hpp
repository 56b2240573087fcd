#pragma once

#include <string>
#include <vector>

#include "cli/request.hpp"

// Options and requests as text: help, printed as an .ini, and compared.

namespace masing::cli {

/// The help of a command: its options with their defaults. Local.
std::string help(Command command);

/// The options of a command in the order of its help, as JSON: a list of objects with `name`
/// ("final-time"), `kind` ("number", "list", "text", "choice", "flag", "function of s", "function
/// of t", or, of what may come several times, "pair"), `value` (what its value is called, "T",
/// "P|inf", "NAME=VALUE", or the choices), `help` and `default` ("" where there is none). Those
/// that the program alone has are left out. Local.
std::string options_as_json(Command command);

/// Whether libmasing refuses the key: it prints, or would set up PETSc. Local.
bool is_of_program(const std::string& key);

/// The .ini of a request: every key of its command that decides as much as `last`; of all keys it
/// reads back as the same. Local.
std::string printed(const BoundRequest& request, Role last = Role::execution);

/// The keys of the .ini that were not given and follow from others, "force,to". Local.
std::string derived_keys(const BoundRequest& request);

/// Two lines for people: "masing COMMAND: ", the equation and what is given of its data, and
/// "  by default " with what is not. Local.
std::string announcement(const BoundRequest& request);

/// A key and its values in two requests, constants replaced by theirs; "none" where it has none.
struct Difference {
  std::string key;
  std::string one;
  std::string other;
};

/// What differs between two requests in the options that decide as much as `last`. Local.
std::vector<Difference> differences(const BoundRequest& one, const BoundRequest& other, Role last);

/// The data of the problem as "key=value;…", equal of two requests of the same problem. Terms that
/// the papers lack (damping, base acceleration, threshold-down) are left out where they are zero,
/// so that old files compare equal. Local.
std::string problem_text(const BoundRequest& request);

}  // namespace masing::cli
