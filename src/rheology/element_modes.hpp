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

/// The modes of all elements: at an event it finds those with which every element obeys its law for
/// a while, and then the first τ at which one breaks it. What an element's law keeps above 0 by the
/// present motion is its margins, polynomials in τ with what counts as their rounding.
class ElementModes {
 public:
  /// Modes by the state at t = 0. `law`, `motion` and `speed`, the largest velocity so far, must
  /// outlive the object.
  ElementModes(const LinearLaw& law, ModeMotion& motion, const double& speed, const Vector& state)
      : law_(law), motion_(motion), speed_(speed), modes_(law.elements.size()) {
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      const double q = argument_of(law_.elements[e], state);
      const bool is_in_series = law_.elements[e].connection == Connection::in_series;
      modes_[e] = !is_in_series && q != 0 ? sign(q) : is_fixed(e) ? 1 : 0;
    }
  }

  /// Opens the elements that may change their mode at this state: in series at the bound, in
  /// parallel without sliding. They are put there exactly.
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

  /// Finds modes with which every open element obeys its law for a while; the motion is then that
  /// of these modes, which `expand()` computes. Where modes differ by no more than rounding, what
  /// counts as rounding is increased for this step until some do. Returns false where it would be
  /// more than 1e-10.
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

  /// The first τ at which an element breaks its law, at most 1.
  double find_break() {
    double first = 1.0;
    first_broken_.reset();
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      for (Margin& margin : margins(e)) {
        margin.above[0] += margin.noise;
        if (const auto tau = first_below_zero(margin.above, first)) {
          // Where it falls, the margin itself was 0 before it was below its noise.
          const double slope = slope_of(margin.above, *tau);
          const bool falls = slope * 1e-9 < -margin.noise;
          first = std::max(0.0, falls ? *tau + margin.noise / slope : *tau);
          first_broken_ = e;
        }
      }
    }
    return first;
  }
  /// Whether find_break has found one.
  [[nodiscard]] bool has_break() const { return first_broken_.has_value(); }

  /// An element that breaks its law at τ by more than what counts as rounding, if there is one.
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

  /// Takes modes by a state to which elements have jumped: they may have left their bounds, or be
  /// at the other one.
  void reset(const Vector& state) {
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      if (!is_fixed(e)) {
        const double q = argument_of(law_.elements[e], state);
        modes_[e] = std::abs(q) >= law_.elements[e].bound - noise_of_argument(e) ? sign(q) : 0;
      }
    }
  }

 private:
  /// What of an element's law must not fall below 0, with its rounding.
  struct Margin {
    Polynomial above;  ///< of the mode as it is
    double noise = 0.0;
    int side = 0;  ///< the mode behind it
  };

  /// What counts as rounding, relative.
  static constexpr double rounding = 16 * base::epsilon;

  static int sign(double q) { return q > 0 ? 1 : -1; }

  /// Whether the element has but one mode: nothing holds it, or it cannot move.
  [[nodiscard]] bool is_fixed(std::size_t e) const { return law_.elements[e].bound == 0; }

  /// What counts as rounding of q.
  [[nodiscard]] double noise_of_argument(std::size_t e) const {
    const StVenant& element = law_.elements[e];
    return rounding * (element.connection == Connection::in_series ? element.bound : speed_);
  }

  /// Takes from the velocities what is left of q of elements that rest: impulses between the
  /// masses.
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
    // What rests on the ground is at rest to the last bit.
    for (const std::size_t column : grounded_columns(law_.elements, elements)) {
      state[index(column)] = 0.0;
    }
  }

  /// Block principal pivoting, with Murty's least index where it does not get on.
  /// Source: Júdice, Pires, Computers Oper. Res. 21, 1994.
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

  /// Open elements that break their law at once, with the modes behind it.
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

  /// What of an element's law the present motion keeps above 0; nothing of one that is fixed.
  [[nodiscard]] std::vector<Margin> margins(std::size_t e) const {
    if (is_fixed(e)) {
      return {};
    }
    const auto& [connection, bound, argument, column_of_m] = law_.elements[e];
    // An element that yields or slides keeps a sign; one that keeps still stays within its bound.
    const bool holds = (modes_[e] != 0) == (connection == Connection::in_series);
    const Polynomial p = holds ? motion_.multiplier(e) : motion_.argument(e);
    const double noise =
        holds ? rounding * motion_.multiplier_scale(connection) : noise_of_argument(e);
    if (modes_[e] != 0) {
      return {margin(0.0, modes_[e], p, noise, 0)};
    }
    return {margin(bound, -1, p, noise, 1), margin(bound, 1, p, noise, -1)};
  }

  /// level + sign·p, whose noise is at least the rounding of its terms.
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
  std::vector<std::size_t> open_;            // elements that may change their mode
  std::optional<std::size_t> first_broken_;  // the element whose event ends the step
  double tolerance_ = 1.0;                   // of margins, in units of their rounding
};

}  // namespace masing::rheology
