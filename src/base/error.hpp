#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

/// The innermost room, which every other room may use. It needs neither MPI nor PETSc nor HDF5. It
/// contains errors, text, functions of s and t with their bounds and smooth pieces, the partition
/// of cells into blocks, and exact sums.
namespace masing::base {

/// The exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_failure = 1,
  exit_user_mistake = 2,
  exit_unexpected_order = 3,
  exit_stopped = 75
};

/// Tells UserError where the user gave each quantity: in which option, or in which line of a file.
/// While an object of this class exists, the message of each UserError(quantity, fault) that this
/// thread constructs begins with `place_of`(quantity). If this thread has several objects, the
/// latest one applies; when it is destroyed, the one before it applies again.
class GivenAt {
 public:
  /// A function that returns the place of a quantity, such as "--mass" or "case.ini line 3, mass".
  using PlaceOf = std::function<std::string(const std::string& quantity)>;

  explicit GivenAt(PlaceOf place_of) : before_(std::exchange(current(), std::move(place_of))) {}
  ~GivenAt() { current() = std::move(before_); }
  GivenAt(const GivenAt&) = delete;
  GivenAt& operator=(const GivenAt&) = delete;

  /// Returns the place where a quantity was given, or the name of the quantity if this thread has
  /// no object of this class. Local.
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
/// what would be right. A collective function must throw it on all ranks, with the same message.
/// The exit code is 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// Constructs the error for a fault of one quantity; `quantity` is the name of its option, such
  /// as "threshold". The message begins with GivenAt::place(quantity).
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

/// A failure of a library or of the system (disk, memory, network). It may occur on one rank alone.
/// The exit code is 1.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown to end a computation that is stopped by a signal or a time limit. The exit code is 75.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace masing::base
