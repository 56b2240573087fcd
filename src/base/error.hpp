#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

/// The room that every other room may use, without MPI, PETSc or HDF5: errors, text, functions of s
/// and t with their bounds and smooth pieces, the partition of cells into blocks, and exact sums.
namespace masing::base {

/// The place of a call in the source, which messages of failures contain. It replaces
/// std::source_location, which not every compiler and checker in use provides yet. A function whose
/// last parameter is `Location where = Location::current()` receives the place of its caller.
struct Location {
  const char* file = "";
  int line = 0;

  static constexpr Location current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_failure = 1,
  exit_user_mistake = 2,
  exit_unexpected_order = 3,
  exit_stopped = 75
};

/// Tells the constructor of UserError where the user gave the quantities of a problem, in an option
/// or a line of a file. While an object of this class exists, the message of each
/// UserError(quantity, fault) that this thread constructs begins with `place_of`(quantity). If
/// several objects exist, the latest one applies; when it is destroyed, the object before it
/// applies again.
class GivenAt {
 public:
  /// A function that returns the place of a quantity, such as "--mass" or "case.ini line 3, mass".
  using PlaceOf = std::function<std::string(const std::string& quantity)>;

  explicit GivenAt(PlaceOf place_of) : before_(std::exchange(current(), std::move(place_of))) {}
  ~GivenAt() { current() = std::move(before_); }
  GivenAt(const GivenAt&) = delete;
  GivenAt& operator=(const GivenAt&) = delete;

  /// Returns the place where a quantity was given, or the name of the quantity if no object of this
  /// class exists. Local.
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

/// A mistake of the user. The message has one line and says what is wrong, where it is wrong, and
/// what would be right. All ranks of a run must throw this error with the same message. The exit
/// code is 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// Constructs the error for a fault of one quantity; `quantity` is the name of its option, such
  /// as "threshold". The message begins with the place where the quantity was given.
  UserError(std::string quantity, std::string fault)
      : std::runtime_error(GivenAt::place(quantity) + ": " + fault),
        quantity_(std::move(quantity)),
        fault_(std::move(fault)) {}

  /// Returns the name of the faulty quantity, or an empty text if the error was constructed without
  /// a quantity.
  [[nodiscard]] const std::string& quantity() const { return quantity_; }
  /// Returns the message without the place, or an empty text if quantity() is empty.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::string quantity_;
  std::string fault_;
};

/// A failure of a library or of the system (disk, memory, network), on one rank or on all. The exit
/// code is 1.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when the run is stopped by a signal or a time limit. The message that the user reads says
/// at which step the run has stopped and how to continue it. The exit code is 75.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace masing::base
