#pragma once

#include <functional>
#include <limits>
#include <vector>

namespace masing {

/// A force F(t), smooth between breaks, taken one piece after another: at both ends of a piece its
/// own one-sided limit is used, so that a jump belongs to neither.
class SmoothPieces {
 public:
  /// `breaks`: increasing times after 0 where F may not be smooth; F is not used beyond
  /// `final_time`.
  SmoothPieces(std::function<double(double)> force, std::vector<double> breaks, double final_time);

  /// F(t), t moved into the present piece. Throws UserError if F is not finite there.
  double operator()(double t) const {
    const double inside = t < begin_ ? begin_ : (t > end_ ? end_ : t);
    const double value = force_(inside);
    if (!(value - value == 0.0)) [[unlikely]] {
      refuse(inside, value);
    }
    return value;
  }

  /// The time beyond which F is not used.
  [[nodiscard]] double final_time() const { return breaks_.back(); }
  /// Where the present piece ends: a break, or the final time; ∞ past it.
  [[nodiscard]] double piece_end() const;
  /// Go on to the next piece.
  void pass_break();

 private:
  [[noreturn]] static void refuse(double t, double value);
  void set_limits();

  std::function<double(double)> force_;
  std::vector<double> breaks_;
  std::size_t next_ = 0;
  double margin_;
  double begin_ = 0.0;
  double end_ = 0.0;
};

}  // namespace masing
