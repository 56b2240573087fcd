#pragma once

#include <string>
#include <vector>

#include "cli/request.hpp"

// These functions return options and requests as text: the help, the printed .ini, and texts by
// which requests are compared.

namespace masing::cli {

/// Returns the help of a command: its options with their defaults. Local.
std::string help(Command command);

/// Returns the options of a command as JSON, in the order of the help: a list of objects with
/// `name` ("final-time"), `kind` ("number", "list", "text", "choice", "flag", "function of s",
/// "function of t", or "pair" for an option that may be given several times as NAME=VALUE), `value`
/// (what the help calls the value: "T", "P|inf", "NAME=VALUE", or the choices), `help` and
/// `default` ("" if there is none). Options that only the program accepts, and libmasing refuses,
/// are left out. Local.
std::string options_as_json(Command command);

/// Returns whether libmasing refuses the option because it prints something or passes words to
/// PETSc. Local.
bool is_of_program(const std::string& key);

/// Returns a request as the text of an .ini. The text has those options of the command and the
/// model whose role is `last` or is listed before `last` in Role. If `last` is Role::execution,
/// parsing the text gives the same request again. Local.
std::string printed(const BoundRequest& request, Role last = Role::execution);

/// Returns the keys of the printed .ini that the user did not give and whose values follow from
/// other keys, joined by commas: "force,to". Local.
std::string derived_keys(const BoundRequest& request);

/// Returns two lines to be read by people. The first consists of "masing COMMAND: ", the equation
/// and the data that the user gave; the second consists of "by default " and the data that the user
/// did not give. Local.
std::string announcement(const BoundRequest& request);

/// A key and its values in two requests, where constants are replaced by their values. The value is
/// "none" in a request that does not have the key.
struct Difference {
  std::string key;
  std::string one;
  std::string other;
};

/// Returns the differences of two requests. Compares only options whose role is `last` or is listed
/// before `last` in Role. Local.
std::vector<Difference> differences(const BoundRequest& one, const BoundRequest& other, Role last);

/// Returns the data of the problem as "key=value;…"; two requests of the same problem give the same
/// text. Options that the papers do not have are left out if they have no effect: damping and
/// base-acceleration if they are 0, and threshold-down if it is not given. So the texts in files
/// that were written before these options existed still compare equal. Local.
std::string problem_text(const BoundRequest& request);

}  // namespace masing::cli
