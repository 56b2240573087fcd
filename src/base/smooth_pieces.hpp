#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/bounds.hpp"
#include "base/error.hpp"

namespace masing::base {

/// A time advanced by many small steps without accumulating their rounding: the sum time + rest,
/// |rest| ≤ ½ ulp(time). (Compensated summation, Knuth's two-sum.)
struct Clock {
  double time = 0.0;
  double rest = 0.0;

  /// The same clock `span` later.
  [[nodiscard]] Clock after(double span) const {
    const double part = rest + span;
    const double sum = time + part;
    const double shown = sum - time;
    return {sum, (time - (sum - shown)) + (part - shown)};
  }
  /// The span from here to the time t.
  [[nodiscard]] double until(double t) const { return (t - time) - rest; }
};

/// A quantity in messages: by default what drives a motion.
struct NamedQuantity {
  const char* name = "force";   ///< as its option has it, for UserError
  const char* symbol = "F(t)";  ///< as formulas have it

  static constexpr const char* finite = "it must be finite on [0, T]";
  /// The mistake of a value at a place, such as "t = 2.5", where it breaks a rule. Local.
  [[nodiscard]] UserError fault(double value, const std::string& place,
                                const std::string& rule = finite) const;
};

/// Whether `range` finds nothing on [first, last] that the values of f at nine places do not show:
/// on each of its parts J, halved as often as that takes, |J| times the distance of f's range from
/// the polynomial through these values is at most `impulse`. False also where that takes too long,
/// or a value is not finite. Local.
bool shows_all(const std::function<double(double)>& f,
               const std::function<Enclosure(double, double)>& range, double first, double last,
               double impulse);

/// A force F(t), smooth between breaks, one piece at a time: at both ends of a piece its own
/// one-sided limit is used, so that a jump belongs to neither piece.
class SmoothPieces {
 public:
  /// `breaks`: increasing times after 0 where F may not be smooth; F is not used beyond
  /// `final_time`. `bounds`: what is known of F between two times; without, F is taken to be what
  /// a step sees of it.
  SmoothPieces(std::function<double(double)> force, std::vector<double> breaks, double final_time,
               std::function<Bounds(double, double)> bounds = {}, const NamedQuantity& drive = {});

  /// The same force for a solution that checks another: is_resolved() also asks the `range` of F
  /// between two times. It catches features missed by `bounds` whose impulse exceeds 1e8 times the
  /// tolerance.
  [[nodiscard]] SmoothPieces checked_by(std::function<Enclosure(double, double)> range) const;

  /// F(t), t moved into the present piece. Throws UserError if F is not finite there.
  double operator()(double t) const {
    const double inside = t < begin_ ? begin_ : (t > end_ ? end_ : t);
    const double value = force_(inside);
    if (!(value - value == 0.0)) [[unlikely]] {
      return value_beside(inside, value);
    }
    return value;
  }

  /// The time beyond which F is not used.
  [[nodiscard]] double final_time() const { return breaks_.back(); }
  /// Where the present piece ends: a break, or the final time; ∞ past it.
  [[nodiscard]] double piece_end() const;
  /// Go on to the next piece.
  void pass_break();

  /// Whether F is, within the present piece from `first` to `last`, a polynomial of degree 15 but
  /// for an impulse ∫ |F - polynomial| dt ≤ `impulse` or the rounding of F: then it does nothing
  /// there that a step would not see. A jump, a corner or a vertical tangent is passed by a span
  /// that is short enough. Throws UserError at a pole: F has no bound on a span of a few ulp, and
  /// its values grow towards it.
  [[nodiscard]] bool is_resolved(double first, double last, double impulse);
  /// Throws UserError: what F does near t cannot be resolved.
  [[noreturn]] void throw_unresolved(double t) const;

 private:
  /// F on both sides of a t at which it is 0/0, as of sin(t - 3)/(t - 3), if they agree; else
  /// throws UserError: F(t) = `value` is not finite.
  [[nodiscard]] double value_beside(double t, double value) const;
  /// is_resolved() by bounds_ alone.
  [[nodiscard]] bool is_bounded(double first, double last, double impulse);
  void set_limits();
  /// Whether |F| is larger on [first, last] than a thousand widths away.
  [[nodiscard]] bool has_pole(double first, double last) const;

  std::function<double(double)> force_;
  NamedQuantity drive_;
  std::function<Bounds(double, double)> bounds_;
  std::function<Enclosure(double, double)> range_;  // of a force that checks
  double resolved_from_ = 0.0;                      // F is resolved from here
  double resolved_to_ = 0.0;                        // to here
  std::vector<double> breaks_;
  std::size_t next_ = 0;
  double margin_;
  double begin_ = 0.0;
  double end_ = 0.0;
};

/// The direction in which a mass at rest starts: the sign of F - R now, or, where F = R to
/// rounding, of the first difference beyond rounding within `span`; 0 if there is none and it stays
/// at rest. `resistance` is R = k0 x + S. Throws UserError where F is not finite.
int starting_direction(const SmoothPieces& force, const Clock& clock, double resistance,
                       double span);

/// The least span of a step at this time: a few ulp.
double least_span(const Clock& clock, double span);

}  // namespace masing::base
