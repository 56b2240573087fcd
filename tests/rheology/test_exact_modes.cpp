// The solution from event to event of models whose elements interact, against another one: it tries
// all combinations of modes and takes one that the elements obey, by small steps of the classical
// Runge-Kutta method; it finds events by bisection.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <valarray>
#include <vector>

#include "rheology/model_run.hpp"

namespace masing::test_exact_modes {

using model_run::State;
using Values = std::valarray<double>;
using Modes = std::vector<int>;  // 0: sticks or is elastic; ±1: slides or yields

double forcing(double t) {
  return 1.5 * std::sin(t) + 0.8 * std::sin(3.1 * t + 1);
}

/// Masses in a row, each held to the one before by a spring and dry friction, the first to the
/// ground: where `threshold` is not 0, by an S-element without friction. The state is the
/// positions, the velocities and u of the S-element.
struct Row {
  Values mass;
  Values stiffness;
  Values friction;
  double threshold = 0.0;
  std::size_t n = mass.size();

  [[nodiscard]] bool is_s(std::size_t i) const { return i == 0 && threshold > 0; }

  /// The forces on the masses except friction, and the accelerations: masses that stick together
  /// have one.
  [[nodiscard]] std::pair<Values, Values> forces(const Modes& modes, double t,
                                                 const Values& state) const {
    Values pull(n);
    pull[n - 1] = forcing(t);
    for (std::size_t i = 0; i < n; ++i) {
      const double tension =
          stiffness[i] * (i > 0 ? state[i] - state[i - 1] : state[is_s(0) ? 2 * n : 0]);
      pull[i] -= tension;
      if (i > 0) {
        pull[i - 1] += tension;
      }
    }
    Values a(n);
    for (std::size_t first = 0, end = 0; first < n; first = end) {
      double force = -modes[first] * friction[first];
      double weight = 0.0;
      do {
        force += pull[end];
        weight += mass[end];
        ++end;
      } while (end < n && modes[end] == 0);
      force += end < n ? modes[end] * friction[end] : 0.0;
      const bool is_held = first == 0 && modes[0] == 0 && !is_s(0);
      a[std::slice(first, end - first, 1)] = is_held ? 0.0 : force / weight;
    }
    return {pull, a};
  }

  [[nodiscard]] Values rates(const Modes& modes, double t, const Values& state) const {
    Values rate(state.size());
    rate[std::slice(0, n, 1)] = state[std::slice(n, n, 1)];
    rate[std::slice(n, n, 1)] = forces(modes, t, state).second;
    if (is_s(0)) {
      rate[2 * n] = modes[0] == 0 ? state[n] : 0.0;
    }
    return rate;
  }

  [[nodiscard]] bool obeys(const Modes& modes, double t, const Values& state) const {
    const auto [pull, a] = forces(modes, t, state);
    double held = 0.0;  // the friction force of element i
    for (std::size_t i = n; i-- > 0;) {
      held += pull[i] - mass[i] * a[i];
      const double slip = state[n + i] - (i > 0 ? state[n + i - 1] : 0.0);
      double room = modes[i] * slip;  // must not be negative
      double rest = 0.0;              // must be 0
      if (modes[i] == 0) {
        room = is_s(i) ? threshold - std::abs(state[2 * n]) : friction[i] - std::abs(held);
        rest = is_s(i) ? 0.0 : slip;
      } else if (is_s(i)) {
        rest = state[2 * n] - modes[i] * threshold;
      }
      if (room < -1e-13 || std::abs(rest) > 1e-12) {
        return false;
      }
    }
    return true;
  }
};

/// The motion of a row from rest.
class Trial {
 public:
  explicit Trial(const Row& row) : row_(row), state_(2 * row.n + (row.is_s(0) ? 1 : 0)) {}

  const Values& at(double t) {
    while (now_ < t) {
      // After this time every wrong mode tells, but nothing has moved much.
      constexpr double look = 1e-7;
      if (!lasts(look)) {
        std::ranges::fill(modes_, -1);
        while (!lasts(look)) {
          std::size_t i = 0;
          while (modes_.at(i) == 1) {  // throws where no modes are left
            modes_[i++] = -1;
          }
          ++modes_[i];
        }
      }
      double h = std::min(t - now_, 5e-4);
      if (!lasts(h)) {
        for (double low = 0.0; h - low > 1e-15;) {
          const double middle = 0.5 * (low + h);
          (lasts(middle) ? low : h) = middle;
        }
      }
      state_ = after(h);
      now_ += h;
    }
    return state_;
  }

 private:
  [[nodiscard]] Values after(double h) const {
    const auto rate = [&](double part, const Values& last) {
      return row_.rates(modes_, now_ + part * h, state_ + part * h * last);
    };
    const Values a = rate(0, state_);
    const Values b = rate(0.5, a);
    const Values c = rate(0.5, b);
    return state_ + h / 6 * (a + 2.0 * b + 2.0 * c + rate(1, c));
  }
  [[nodiscard]] bool lasts(double h) const { return row_.obeys(modes_, now_ + h, after(h)); }

  const Row& row_;
  Values state_;
  Modes modes_ = Modes(row_.n, 0);
  double now_ = 0.0;
};

/// `columns`: the column of the catalogue's state for each of the row's.
void expect_same(model_run::ExactRun run, const Row& row, const std::vector<std::size_t>& columns) {
  Trial trial(row);
  for (int p = 1; p <= 150; ++p) {
    const Values& expected = trial.at(0.1 * p);
    const State found = run.at(0.1 * p);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      ASSERT_NEAR(found[columns[c]], expected[c], 2e-11) << "column " << c << " at " << 0.1 * p;
    }
  }
}

TEST(ExactModes, of_a_p_chain_are_those_that_its_elements_obey) {
  expect_same({"p-chain",
               {{"m", State{1, 0.6, 1.7}}, {"k", State{3, 2, 4}}, {"alpha", State{0.5, 0.25, 0.4}}},
               forcing,
               15},
              {{1, 0.6, 1.7}, {3, 2, 4}, {0.5, 0.25, 0.4}}, {0, 1, 2, 3, 4, 5});
}

TEST(ExactModes, of_s1_p2_series_are_those_that_its_elements_obey) {
  expect_same({"s1-p2-series",
               {{"m1", 1.3}, {"m2", 0.8}, {"k1", 2}, {"alpha1", 0.6}, {"k2", 3}, {"alpha2", 0.35}},
               forcing,
               15},
              {{1.3, 0.8}, {2, 3}, {0, 0.35}, 0.3}, {0, 2, 1, 3, 4});
}

}  // namespace masing::test_exact_modes
