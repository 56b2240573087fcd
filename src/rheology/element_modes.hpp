#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "rheology/mode_motion.hpp"

namespace masing::rheology {

/// Determines the modes of all elements (Modes in mode_motion.hpp). The law of an element is the
/// relation between its q and its μ that StVenant states. At the beginning of a step, choose()
/// determines modes with which every element obeys its law for some time. Then find_break()
/// determines the first τ at which an element breaks its law; τ goes from 0 to 1 during the step.
/// An element obeys its law as long as its margins are not negative. A margin is a polynomial in τ,
/// computed from the present motion; its noise is an estimated bound of its rounding errors.
class ElementModes {
 public:
  /// Sets the modes from the state at t = 0. `speed` is the largest |velocity| so far. `law`,
  /// `motion` and `speed` must outlive the object.
  ElementModes(const LinearLaw& law, ModeMotion& motion, const double& speed, const Vector& state)
      : law_(law), motion_(motion), speed_(speed), modes_(law.elements.size()) {
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      const double q = argument_of(law_.elements[e], state);
      const bool is_in_series = law_.elements[e].connection == Connection::in_series;
      modes_[e] = !is_in_series && q != 0 ? sign(q) : is_fixed(e) ? 1 : 0;
    }
  }

  /// Lists in open_ the elements that may change their mode at this state: elements in series that
  /// yield or have reached their bound, and elements in parallel that stick or have come to rest.
  /// Corrects rounding errors in the state of the listed elements: the column of an element in
  /// series is set exactly to the bound or its negative, and velocities are changed so that q = 0
  /// within rounding errors for the elements in parallel. Elements whose bound is 0 are not listed;
  /// the columns of those in series are set to 0.
  void open(Vector& state) {
    open_.clear();
    std::vector<std::size_t> resting;
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      const StVenant& element = law_.elements[e];
      const double q = argument_of(element, state);
      const double noise = noise_of_argument(e);
      if (element.connection == Connection::in_series) {
        double& column = state[index(element.argument.front().column)];
        if (is_fixed(e)) {
          column = 0.0;
        } else if (modes_[e] != 0 || e == first_broken_ || std::abs(q) >= element.bound - noise) {
          column = std::copysign(element.bound, q);
          open_.push_back(e);
        }
      } else if (!is_fixed(e) && (modes_[e] == 0 || e == first_broken_ || std::abs(q) <= noise)) {
        resting.push_back(e);
        open_.push_back(e);
      }
    }
    bring_to_rest(resting, state);
  }

  /// Searches for modes with which every element in open_ obeys its law for some time, sets them,
  /// and returns whether the search has succeeded. `expand()` must compute the motion with the
  /// modes of motion_. Rounding errors may make the search fail. It is then repeated with
  /// larger noise of the margins, for this step only, up to a relative error of 6e-11.
  template <class Expand>
  bool choose(const Expand& expand) {
    constexpr double most = 1 << 14;
    for (tolerance_ = 1.0; tolerance_ <= most; tolerance_ *= 4) {
      if (finds_modes(expand)) {
        return true;
      }
    }
    return false;
  }

  /// Returns the first τ in [0, 1] at which an element breaks its law, or 1 if none does.
  double find_break() {
    double first = 1.0;
    first_broken_.reset();
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      for (Margin& margin : margins(e)) {
        margin.above[0] += margin.noise;
        if (const auto tau = first_below_zero(margin.above, first)) {
          // The margin has fallen below -noise at *tau. If it decreases fast enough, its slope
          // gives the earlier τ at which it was 0.
          const double slope = slope_of(margin.above, *tau);
          const bool falls = slope * 1e-9 < -margin.noise;
          first = std::max(0.0, falls ? *tau + margin.noise / slope : *tau);
          first_broken_ = e;
        }
      }
    }
    return first;
  }
  /// Returns whether find_break(), when it was last called, has found an element that breaks its
  /// law.
  [[nodiscard]] bool has_break() const { return first_broken_.has_value(); }

  /// Returns the index of the first element that has a margin below -2·noise at τ, and so breaks
  /// its law by more than rounding errors. Returns nothing if there is no such element.
  [[nodiscard]] std::optional<std::size_t> broken_at(double tau) const {
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      for (const Margin& margin : margins(e)) {
        if (!(value(margin.above, tau) >= -2 * margin.noise)) {
          return e;
        }
      }
    }
    return std::nullopt;
  }

  /// Sets the modes from the state after a jump of F in a model without a mass. In such a jump
  /// elements may leave their bounds or reach the opposite bounds.
  void reset(const Vector& state) {
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      if (!is_fixed(e)) {
        const double q = argument_of(law_.elements[e], state);
        modes_[e] = std::abs(q) >= law_.elements[e].bound - noise_of_argument(e) ? sign(q) : 0;
      }
    }
  }

 private:
  /// A quantity that is not negative as long as the element obeys its law.
  struct Margin {
    Polynomial above;  ///< the quantity as a polynomial in τ, for the present mode
    double noise = 0.0;
    int side = 0;  ///< the mode that the element takes if the quantity becomes negative
  };

  /// The relative error that is attributed to rounding.
  static constexpr double rounding = 16 * base::epsilon;

  static int sign(double q) { return q > 0 ? 1 : -1; }

  /// Returns whether the element never changes its mode, because its bound is 0.
  [[nodiscard]] bool is_fixed(std::size_t e) const { return law_.elements[e].bound == 0; }

  /// Returns the error of q that is attributed to rounding.
  [[nodiscard]] double noise_of_argument(std::size_t e) const {
    const StVenant& element = law_.elements[e];
    return rounding * (element.connection == Connection::in_series ? element.bound : speed_);
  }

  /// Changes the velocities in `state` by friction impulses of `elements`, which are in parallel,
  /// so that q = 0 within rounding errors for each of them.
  void bring_to_rest(const std::vector<std::size_t>& elements, Vector& state) const {
    const Index size = index(elements.size());
    const auto element = [&](Index i) -> const StVenant& {
      return law_.elements[elements[static_cast<std::size_t>(i)]];
    };
    const auto velocities = [&](const Vector& at) {
      Vector q(size);
      for (Index i = 0; i < size; ++i) {
        q[i] = argument_of(element(i), at);
      }
      return q;
    };
    const auto add = [&](Index j, double impulse, Vector& at) {
      for (const auto& [column, factor] : element(j).column_of_m) {
        at[index(column)] += factor * impulse;
      }
    };
    if (size == 0 || velocities(state).cwiseAbs().maxCoeff() == 0.0) {
      return;
    }
    Eigen::MatrixXd response(size, size);
    for (Index j = 0; j < size; ++j) {
      Vector change = Vector::Zero(state.size());
      add(j, 1.0, change);
      response.col(j) = velocities(change);
    }
    const Vector impulses = response.ldlt().solve(velocities(state));
    for (Index j = 0; j < size; ++j) {
      add(j, -impulses[j], state);
    }
    // Masses that stick to the ground, directly or through other masses, get exactly the velocity
    // 0.
    for (const std::size_t column : grounded_columns(law_.elements, elements)) {
      state[index(column)] = 0.0;
    }
  }

  /// Searches for modes by block principal pivoting, and returns whether the search has succeeded.
  /// Each iteration changes the modes of all elements in open_ that break their law. If ten
  /// iterations have not reduced the number of these elements, the next ones change only the mode
  /// of the first of them (Murty's least index) until the number is reduced. Source: Júdice and
  /// Pires, Computers and Operations Research 21, 1994.
  template <class Expand>
  bool finds_modes(const Expand& expand) {
    std::size_t fewest = open_.size() + 1;
    int tries = 10;
    const std::size_t most = 50 + 10 * open_.size();
    for (std::size_t i = 0; i < most; ++i) {
      motion_.set_modes(modes_);
      expand();
      std::vector<std::pair<std::size_t, int>> wrong = wrong_modes();
      if (wrong.empty()) {
        return true;
      }
      tries = wrong.size() < fewest ? 10 : tries - 1;
      fewest = std::min(fewest, wrong.size());
      wrong.resize(tries > 0 ? wrong.size() : 1);
      for (const auto& [e, mode] : wrong) {
        modes_[e] = mode;
      }
    }
    return false;
  }

  /// Returns the elements in open_ that break their law immediately after τ = 0, each with the mode
  /// to which it has to change.
  [[nodiscard]] std::vector<std::pair<std::size_t, int>> wrong_modes() const {
    std::vector<std::pair<std::size_t, int>> wrong;
    for (const std::size_t e : open_) {
      for (const Margin& margin : margins(e)) {
        if (sign_behind_zero(margin.above, margin.noise) < 0) {
          wrong.emplace_back(e, margin.side);
          break;
        }
      }
    }
    return wrong;
  }

  /// Returns the margins of an element for the present motion. An element whose bound is 0 has no
  /// margins.
  [[nodiscard]] std::vector<Margin> margins(std::size_t e) const {
    if (is_fixed(e)) {
      return {};
    }
    const auto& [connection, bound, argument, column_of_m] = law_.elements[e];
    // The polynomial p is μ for an element that yields in series or sticks in parallel, and q for
    // any other element. An element that yields or slides must keep the sign of p. An element that
    // is elastic or sticks must keep |p| within its bound.
    const bool holds = (modes_[e] != 0) == (connection == Connection::in_series);
    const Polynomial p = holds ? motion_.multiplier(e) : motion_.argument(e);
    const double noise =
        holds ? rounding * motion_.multiplier_scale(connection) : noise_of_argument(e);
    if (modes_[e] != 0) {
      return {margin(0.0, modes_[e], p, noise, 0)};
    }
    return {margin(bound, -1, p, noise, 1), margin(bound, 1, p, noise, -1)};
  }

  /// Returns the margin level + sign·p. The noise of the margin is at least the rounding error of
  /// the terms of this sum.
  [[nodiscard]] Margin margin(double level, int sign, Polynomial p, double noise, int side) const {
    double size = std::abs(level);
    for (double& c : p) {
      size += std::abs(c);
      c *= sign;
    }
    p[0] += level;
    return {std::move(p), tolerance_ * std::max(noise, rounding * size), side};
  }

  const LinearLaw& law_;
  ModeMotion& motion_;
  const double& speed_;
  Modes modes_;
  std::vector<std::size_t> open_;            // the elements that may change their mode
  std::optional<std::size_t> first_broken_;  // the element that breaks its law first
  // The noise of a margin is its rounding error times this factor.
  double tolerance_ = 1.0;
};

}  // namespace masing::rheology
