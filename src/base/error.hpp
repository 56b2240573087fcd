#pragma once

#include <stdexcept>
#include <string>
#include <utility>

/// Errors, text, functions of s and t with their bounds and smooth pieces, block partition, exact
/// sums: what every room may use, without MPI, PETSc or HDF5.
namespace masing::base {

/// The place of a call in the source, for messages of failures; as std::source_location, which not
/// every compiler and checker in use has yet. `Location where = Location::current()` as the last
/// parameter of a function is the place of its caller.
struct Location {
  const char* file = "";
  int line = 0;

  static constexpr Location current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_failure = 1,
  exit_user_mistake = 2,
  exit_unexpected_order = 3,
  exit_stopped = 75
};

/// A mistake of the user; the one-line message: what was wrong, where, and what would be right.
/// Every rank of a run must throw it alike. Exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// A fault of one quantity of the problem, of the name that its option has ("threshold"). The
  /// message begins with the name; who knows how the quantity was given may say that instead.
  UserError(std::string quantity, std::string fault)
      : std::runtime_error(quantity + ": " + fault),
        quantity_(std::move(quantity)),
        fault_(std::move(fault)) {}

  /// The quantity at fault; empty where it is no single one.
  [[nodiscard]] const std::string& quantity() const { return quantity_; }
  /// The message without it.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::string quantity_;
  std::string fault_;
};

/// A failure of a library or of the system (disk, memory, network), on one rank or all. Exit
/// code 1.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run was stopped by a signal or a limit of time; the message: at which step, and how to
/// continue. Exit code 75.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace masing::base
