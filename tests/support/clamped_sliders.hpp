#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace masing::support {

/// A spring in series with a slider that holds the spring's elongation u within [lower, upper].
struct Slider {
  double stiffness = 1.0;
  double lower = 0.0;
  double upper = 0.0;
  double initial_u = 0.0;
};

/// Sliders side by side, and a spring k0 that is relaxed at 0. The oracle of the tests: it clamps
/// every slider at every move, and its energies are those of the law itself. `Real` is the
/// arithmetic of u.
template <class Real>
class ClampedSliders {
 public:
  explicit ClampedSliders(std::vector<Slider> sliders, double x0 = 0.0, double k0 = 0.0)
      : sliders_(std::move(sliders)), k0_(k0), x_(x0) {
    for (const Slider& slider : sliders_) {
      u_.push_back(slider.initial_u);
    }
  }

  void move(Real dx) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const Real free = u_[i] + dx;
      u_[i] = std::clamp<Real>(free, sliders_[i].lower, sliders_[i].upper);
      // A slider takes its force times its slip.
      dissipated_ += static_cast<long double>(sliders_[i].stiffness) * u_[i] * (free - u_[i]);
    }
    x_ += dx;
  }
  void move_to(double x) {
    move(static_cast<Real>(x) - x_);
    x_ = x;
  }

  [[nodiscard]] double force() const {
    long double sum = k0_ * x_;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      sum += static_cast<long double>(sliders_[i].stiffness) * u_[i];
    }
    return static_cast<double>(sum);
  }
  /// This is the energy that the springs hold.
  [[nodiscard]] double stored() const {
    long double sum = k0_ * x_ * x_ / 2;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      sum += static_cast<long double>(sliders_[i].stiffness) * u_[i] * u_[i] / 2;
    }
    return static_cast<double>(sum);
  }
  /// This is what the sliders have taken since the start.
  [[nodiscard]] double dissipated() const { return static_cast<double>(dissipated_); }
  [[nodiscard]] const std::vector<Real>& elongations() const { return u_; }
  [[nodiscard]] double elongation(std::size_t i) const { return static_cast<double>(u_[i]); }

 private:
  std::vector<Slider> sliders_;
  long double k0_;
  Real x_;
  long double dissipated_ = 0;
  std::vector<Real> u_;
};

}  // namespace masing::support
