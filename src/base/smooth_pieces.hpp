#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/bounds.hpp"
#include "base/error.hpp"

namespace masing::base {

/// A time that is advanced by many small steps without accumulating their rounding errors: the sum
/// `time` + `rest`, where |rest| ≤ ½ ulp(time). (Compensated summation with Knuth's two-sum.)
struct Clock {
  double time = 0.0;
  double rest = 0.0;

  /// Returns the clock advanced by `span`.
  [[nodiscard]] Clock after(double span) const {
    const double part = rest + span;
    const double sum = time + part;
    const double part_in_sum = sum - time;
    return {sum, (time - (sum - part_in_sum)) + (part - part_in_sum)};
  }
  /// Returns the span from the time of the clock to t.
  [[nodiscard]] double until(double t) const { return (t - time) - rest; }
};

/// The name and the symbol of a quantity in messages. By default the quantity is the force that
/// drives a motion.
struct NamedQuantity {
  const char* name = "force";   ///< the name of its option, for UserError
  const char* symbol = "F(t)";  ///< the symbol in formulas

  static constexpr const char* finite = "it must be finite on [0, T]";
  /// Returns the error for a value of the quantity that violates `rule` at a place such as "t =
  /// 2.5". Local.
  [[nodiscard]] UserError fault(double value, const std::string& place,
                                const std::string& rule = finite) const;
};

/// A force F(t) that is smooth on the pieces between its breaks. F is evaluated only inside one
/// of these pieces, the present piece, and no closer to a break at its ends than rounding errors.
/// At any other time, F is replaced by its value at the nearest time at which it may be evaluated.
/// A jump at a break therefore lies in neither of the two pieces beside the break.
class SmoothPieces {
 public:
  /// `breaks` are the times at which F may not be smooth; those outside of (0, final_time) are
  /// ignored. F is not evaluated after `final_time`. `bounds` returns enclosures of F and of its
  /// derivatives between two times, for try_to_resolve(); it may be empty. `drive` names F in
  /// messages.
  SmoothPieces(std::function<double(double)> force, std::vector<double> breaks, double final_time,
               std::function<Bounds(double, double)> bounds = {}, const NamedQuantity& drive = {});

  /// Returns F at the time nearest to t at which F is evaluated on the present piece. If F is NaN
  /// there, but has nearly the same value just before and just after, returns the value just after.
  /// In all other cases in which F is not finite, throws UserError.
  double operator()(double t) const {
    const double inside = t < begin_ ? begin_ : (t > end_ ? end_ : t);
    const double value = force_(inside);
    if (!(value - value == 0.0)) [[unlikely]] {
      return value_beside(inside, value);
    }
    return value;
  }

  /// Returns the time after which F is not evaluated.
  [[nodiscard]] double final_time() const { return breaks_.back(); }
  /// Returns the end of the present piece, which is a break or the final time. Returns ∞ if
  /// pass_break() has been called on the last piece.
  [[nodiscard]] double piece_end() const;
  /// Makes the next piece the present one.
  void pass_break();

  /// Returns whether F is resolved on the time step from `first` to `last`, so that the step misses
  /// no feature of F: the `bounds` of the constructor must show that a polynomial of degree ≤ 15
  /// approximates F on the step with an error ∫ |F - polynomial| dt ≤ `impulse`, or within the
  /// rounding errors of F. Without `bounds`, the result is true. Only the part of the step inside
  /// the present piece is examined. The result is true even for a step over a jump, a corner or a
  /// vertical tangent of F if the step is short enough. Throws UserError if F seems to have a pole:
  /// if the bounds of F are infinite even on an interval as short as the rounding errors of time,
  /// and |F| increases towards this interval.
  [[nodiscard]] bool try_to_resolve(double first, double last, double impulse);
  /// Throws the UserError that F cannot be resolved near t.
  [[noreturn]] void throw_unresolved(double t) const;

 private:
  /// `value` = F(t) must be infinite or NaN. If it is NaN, as sin(t - 3)/(t - 3) at t = 3, and the
  /// values of F just before and just after t agree, returns the value just after t. In all other
  /// cases, throws the UserError that F(t) is not finite.
  [[nodiscard]] double value_beside(double t, double value) const;
  void set_limits();
  /// Returns whether |F| increases towards [first, last]. The larger of the two |F| at the ends of
  /// this interval must exceed by more than 5 % the larger of the two |F| at a distance of 1000
  /// (last - first) outside of these ends.
  [[nodiscard]] bool has_pole(double first, double last) const;

  std::function<double(double)> force_;
  NamedQuantity drive_;
  std::function<Bounds(double, double)> bounds_;
  double resolved_from_ = 0.0;  // F is resolved from here to resolved_to_
  double resolved_to_ = 0.0;
  std::vector<double> breaks_;
  std::size_t next_ = 0;
  double margin_;
  double begin_ = 0.0;
  double end_ = 0.0;
};

/// Returns the direction in which a mass at rest starts to move. It is the sign of F - R at the
/// time of `clock`, where R = `resistance` is the restoring force of the springs and sliders. If F
/// and R are equal within rounding errors, F is evaluated at later times within `span`, and the
/// first F - R that exceeds rounding errors decides. The result is 0 if none does, so that the mass
/// stays at rest. Throws UserError if F is not finite.
int starting_direction(const SmoothPieces& force, const Clock& clock, double resistance,
                       double span);

/// Returns the span below which a time step from the time t of `clock` is not shortened to resolve
/// F: 4 ε max(|t|, min(`span`, 1)), where ε is the machine epsilon and `span` is a step of usual
/// length.
double least_span(const Clock& clock, double span);

}  // namespace masing::base
