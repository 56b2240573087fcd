#pragma once

#include <functional>
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

/// Says where quantities of the problem were given, for the messages of mistakes: while an object
/// lives, UserError(quantity, fault) begins in this thread with `place_of`(quantity). Of several
/// objects the last one counts; the one before counts again when it dies.
class GivenAt {
 public:
  /// The place of a quantity: "--mass", "case.ini line 3, mass".
  using PlaceOf = std::function<std::string(const std::string& quantity)>;

  explicit GivenAt(PlaceOf place_of) : before_(std::exchange(current(), std::move(place_of))) {}
  ~GivenAt() { current() = std::move(before_); }
  GivenAt(const GivenAt&) = delete;
  GivenAt& operator=(const GivenAt&) = delete;

  /// The place of a quantity; its name where no object lives. Local.
  static std::string place(const std::string& quantity) {
    return current() ? current()(quantity) : quantity;
  }

 private:
  static PlaceOf& current() {
    static thread_local PlaceOf place_of;
    return place_of;
  }
  PlaceOf before_;
};

/// A mistake of the user; the one-line message: what was wrong, where, and what would be right.
/// Every rank of a run must throw it alike. Exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// A fault of one quantity of the problem, of the name that its option has ("threshold"). The
  /// message begins with the place where it was given.
  UserError(std::string quantity, std::string fault)
      : std::runtime_error(GivenAt::place(quantity) + ": " + fault),
        quantity_(std::move(quantity)),
        fault_(std::move(fault)) {}

  /// The quantity at fault; empty where it is no single one.
  [[nodiscard]] const std::string& quantity() const { return quantity_; }
  /// The message without the place.
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
