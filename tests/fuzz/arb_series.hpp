#pragma once

#include <arb.h>
#include <arb_poly.h>

#include <string>

#include "fuzz/random_formula.hpp"

/// What Arb, a library of rigorous arithmetic on balls, says of the formulas that are bounded here.
/// Source: F. Johansson, Arb: efficient arbitrary-precision midpoint-radius interval arithmetic,
/// IEEE Transactions on Computers 66 (2017) 1281-1292.
namespace masing::fuzz {

/// A real number that is known to lie in a ball.
class Ball {
 public:
  Ball() { arb_init(ball_); }
  explicit Ball(double value) : Ball() { arb_set_d(ball_, value); }
  Ball(const Ball& other) : Ball() { arb_set(ball_, other.ball_); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(ball_, other.ball_); }
  Ball& operator=(const Ball& other) {
    arb_set(ball_, other.ball_);
    return *this;
  }
  Ball& operator=(Ball&& other) noexcept {
    arb_swap(ball_, other.ball_);
    return *this;
  }
  ~Ball() { arb_clear(ball_); }

  [[nodiscard]] arb_ptr get() { return ball_; }
  [[nodiscard]] arb_srcptr get() const { return ball_; }
  [[nodiscard]] bool is_finite() const { return arb_is_finite(ball_) != 0; }
  /// To 25 digits. Local.
  [[nodiscard]] std::string text() const;

 private:
  arb_t ball_{};
};

class BallSeries {
 public:
  BallSeries() { arb_poly_init(series_); }
  BallSeries(const BallSeries& other) : BallSeries() { arb_poly_set(series_, other.series_); }
  BallSeries(BallSeries&& other) noexcept : BallSeries() { arb_poly_swap(series_, other.series_); }
  BallSeries& operator=(const BallSeries& other) {
    arb_poly_set(series_, other.series_);
    return *this;
  }
  BallSeries& operator=(BallSeries&& other) noexcept {
    arb_poly_swap(series_, other.series_);
    return *this;
  }
  ~BallSeries() { arb_poly_clear(series_); }

  [[nodiscard]] arb_poly_struct* get() { return series_; }
  [[nodiscard]] const arb_poly_struct* get() const { return series_; }
  [[nodiscard]] Ball operator[](int k) const;

 private:
  arb_poly_t series_{};
};

/// Thrown where balls do not tell which case of a comparison, abs(), min(), a wave … holds.
struct Undecided {};

/// Thrown where the function has certainly no value: outside the domain, or at a pole.
struct Undefined {};

/// The first `length` Taylor coefficients of f about t, not finite where Arb knows none; every
/// operation to `bits` bits. Throws Undecided and Undefined. Local.
BallSeries series_of(const Formula& f, double t, int length, int bits);

}  // namespace masing::fuzz
