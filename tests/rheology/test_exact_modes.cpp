// The solution from event to event of models whose elements interact, against another: every step
// takes the one of all combinations of modes that its elements obey, found by trying each, with
// rates from rigid blocks of masses that stick together and from the flexibilities of forces within
// their bounds; Fehlberg's method in small steps, events by bisection.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "rheology/exact_run.hpp"

namespace masing::test_exact_modes {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using model_run::State;
using Modes = std::vector<int>;  // 0: sticks or is elastic; ±1: slides or yields

/// What a model does in given modes.
class Law {
 public:
  Law() = default;
  virtual ~Law() = default;
  Law(const Law&) = delete;
  Law& operator=(const Law&) = delete;
  [[nodiscard]] virtual std::size_t elements() const = 0;
  [[nodiscard]] virtual State rates(const Modes& modes, double force, const State& state) const = 0;
  /// What must not be negative, and what is 0 as long as a mode lasts.
  [[nodiscard]] virtual std::vector<double> guards(const Modes& modes, double force,
                                                   const State& state) const = 0;
  [[nodiscard]] virtual std::vector<double> kept(const Modes& modes, const State& state) const = 0;
};

/// Masses in a row, each held to the one before by a spring and dry friction; the first to the
/// ground, by an S-element where it has a threshold.
class Row final : public Law {
 public:
  State mass, stiffness, friction;
  double threshold = 0.0;  // of a first element without friction, u in the last column; 0: none

  [[nodiscard]] std::size_t elements() const override { return mass.size(); }

  /// The forces on each mass but dry friction.
  [[nodiscard]] State pulls(double force, const State& state) const {
    const std::size_t n = mass.size();
    State pull(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double stretch = i > 0           ? state[i] - state[i - 1]
                             : threshold > 0 ? state[2 * n]
                                             : state[0];
      pull[i] -= stiffness[i] * stretch;
      if (i > 0) {
        pull[i - 1] += stiffness[i] * stretch;
      }
    }
    pull[n - 1] += force;
    return pull;
  }
  [[nodiscard]] bool is_s(std::size_t i) const { return i == 0 && threshold > 0; }

  /// Accelerations: blocks of masses that stick together move as one, those on the ground not.
  [[nodiscard]] State accelerations(const Modes& modes, double force, const State& state) const {
    const std::size_t n = mass.size();
    const State pull = pulls(force, state);
    State a(n);
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin + 1;
      while (end < n && modes[end] == 0) {
        ++end;
      }
      double total = 0.0;
      double weight = 0.0;
      for (std::size_t i = begin; i < end; ++i) {
        total += pull[i];
        weight += mass[i];
      }
      const bool on_ground = begin == 0 && modes[0] == 0 && !is_s(0);
      total -= is_s(begin) ? 0.0 : modes[begin] * friction[begin];
      total += end < n ? modes[end] * friction[end] : 0.0;
      for (std::size_t i = begin; i < end; ++i) {
        a[i] = on_ground ? 0.0 : total / weight;
      }
      begin = end;
    }
    return a;
  }
  [[nodiscard]] State rates(const Modes& modes, double force, const State& state) const override {
    const std::size_t n = mass.size();
    const State a = accelerations(modes, force, state);
    State rate(state.size());
    for (std::size_t i = 0; i < n; ++i) {
      rate[i] = state[n + i];
      rate[n + i] = a[i];
    }
    if (threshold > 0) {
      rate[2 * n] = modes[0] == 0 ? state[n] : 0.0;
    }
    return rate;
  }
  [[nodiscard]] double slip(const State& state, std::size_t i) const {
    const std::size_t n = mass.size();
    return state[n + i] - (i > 0 ? state[n + i - 1] : 0.0);
  }
  [[nodiscard]] std::vector<double> guards(const Modes& modes, double force,
                                           const State& state) const override {
    const std::size_t n = mass.size();
    const State pull = pulls(force, state);
    const State a = accelerations(modes, force, state);
    std::vector<double> all;
    double beyond = 0.0;  // friction of element i + 1 on mass i
    for (std::size_t i = n; i-- > 0;) {
      const double holding = pull[i] + beyond - mass[i] * a[i];
      if (is_s(i)) {
        all.push_back(modes[0] == 0 ? threshold - std::abs(state[2 * n])
                                    : modes[0] * slip(state, 0));
      } else {
        all.push_back(modes[i] == 0 ? friction[i] - std::abs(holding) : modes[i] * slip(state, i));
      }
      beyond = modes[i] == 0 ? holding : modes[i] * friction[i];
    }
    return all;
  }
  [[nodiscard]] std::vector<double> kept(const Modes& modes, const State& state) const override {
    std::vector<double> all;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      if (is_s(i)) {
        all.push_back(modes[0] == 0 ? 0.0 : state[2 * mass.size()] - modes[0] * threshold);
      } else {
        all.push_back(modes[i] == 0 ? slip(state, i) : 0.0);
      }
    }
    return all;
  }
};

/// A mass held by forces w within bounds: m y' = F - δ x + E w, C w' + μ = C b y, C = K⁻¹; C on the
/// forces within their bounds gives their rates.
class Box final : public Law {
 public:
  double mass, stiffness;
  VectorXd weight;    // E
  MatrixXd flexible;  // C
  VectorXd driven;    // C b
  VectorXd bound;

  [[nodiscard]] std::size_t elements() const override {
    return static_cast<std::size_t>(bound.size());
  }
  [[nodiscard]] VectorXd force_rates(const Modes& modes, double y) const {
    const auto n = static_cast<Eigen::Index>(modes.size());
    MatrixXd matrix = flexible;
    VectorXd right = y * driven;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (modes[static_cast<std::size_t>(i)] != 0) {
        matrix.row(i).setZero();
        matrix(i, i) = 1.0;
        right[i] = 0.0;
      }
    }
    return matrix.fullPivLu().solve(right);
  }
  [[nodiscard]] State rates(const Modes& modes, double force, const State& state) const override {
    const VectorXd w = Eigen::Map<const VectorXd>(state.data() + 2, bound.size());
    const VectorXd rate = force_rates(modes, state[1]);
    State all{state[1], (force - stiffness * state[0] + weight.dot(w)) / mass};
    all.insert(all.end(), rate.begin(), rate.end());
    return all;
  }
  [[nodiscard]] std::vector<double> guards(const Modes& modes, double /*force*/,
                                           const State& state) const override {
    const VectorXd flow = state[1] * driven - flexible * force_rates(modes, state[1]);
    std::vector<double> all;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      all.push_back(modes[i] == 0 ? bound[row] - std::abs(state[2 + i]) : modes[i] * flow[row]);
    }
    return all;
  }
  [[nodiscard]] std::vector<double> kept(const Modes& modes, const State& state) const override {
    std::vector<double> all;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      all.push_back(modes[i] == 0 ? 0.0
                                  : state[2 + i] - modes[i] * bound[static_cast<Eigen::Index>(i)]);
    }
    return all;
  }
};

/// Goes through a law by trying all modes.
class Trial {
 public:
  Trial(const Law& law, std::function<double(double)> force, State start)
      : law_(law), force_(std::move(force)), state_(std::move(start)) {}

  const State& at(double t) {
    while (now_ < t) {
      // A time at which every mode's guards tell, but nothing has moved much.
      constexpr double look = 1e-7;
      if (!obeys(modes_, after(modes_, look), now_ + look)) {
        choose(look);
      }
      go(std::min(t, now_ + 0.01));
    }
    return state_;
  }

 private:
  [[nodiscard]] State after(const Modes& modes, double h) const {
    State state = state_;
    boost::numeric::odeint::runge_kutta_fehlberg78<State> method;
    method.do_step([&](const State& at, State& rate,
                       double tau) { rate = law_.rates(modes, force_(now_ + tau), at); },
                   state, 0.0, h);
    return state;
  }
  [[nodiscard]] bool obeys(const Modes& modes, const State& state, double t) const {
    for (const double guard : law_.guards(modes, force_(t), state)) {
      if (guard < -1e-13) {
        return false;
      }
    }
    return true;
  }
  void choose(double look) {
    Modes modes(law_.elements(), -1);
    for (;;) {
      bool holds = true;
      for (const double rest : law_.kept(modes, state_)) {
        holds = holds && std::abs(rest) < 1e-12;
      }
      if (holds && obeys(modes, after(modes, look), now_ + look)) {
        modes_ = modes;
        return;
      }
      std::size_t i = 0;
      while (i < modes.size() && modes[i] == 1) {
        modes[i++] = -1;
      }
      ASSERT_LT(i, modes.size()) << "no modes at " << now_;
      ++modes[i];
    }
  }
  void go(double t) {
    double h = t - now_;
    State state = after(modes_, h);
    if (!obeys(modes_, state, t)) {
      double low = 0.0;
      while (h - low > 1e-15) {
        const double middle = 0.5 * (low + h);
        (obeys(modes_, after(modes_, middle), now_ + middle) ? low : h) = middle;
      }
      state = after(modes_, h);
      t = now_ + h;
    }
    state_ = state;
    now_ = t;
  }

  const Law& law_;
  std::function<double(double)> force_;
  State state_;
  Modes modes_ = Modes(law_.elements(), 0);
  double now_ = 0.0;
};

double forcing(double t) {
  return 1.5 * std::sin(t) + 0.8 * std::sin(3.1 * t + 1);
}

/// `order`: the column of the catalogue's state for each of the law's.
void expect_the_same(exact_run::ExactRun run, const Law& law, const State& start,
                     const std::vector<std::size_t>& order) {
  Trial trial(law, forcing, start);
  for (int p = 1; p <= 300; ++p) {
    const double t = 0.1 * p;
    const State expected = trial.at(t);
    const State found = run.at(t);
    for (std::size_t c = 0; c < order.size(); ++c) {
      ASSERT_NEAR(found[order[c]], expected[c], 1e-10) << "column " << c << " at " << t;
    }
  }
}

TEST(ExactModel, p_chain_is_that_of_all_modes_tried) {
  Row law;
  law.mass = {1, 0.6, 1.7};
  law.stiffness = {3, 2, 4};
  law.friction = {0.5, 0.25, 0.4};
  expect_the_same(
      {"p-chain", {{"m", law.mass}, {"k", law.stiffness}, {"alpha", law.friction}}, forcing, 30},
      law, State(6), {0, 1, 2, 3, 4, 5});
}

TEST(ExactModel, s1_p2_series_is_that_of_all_modes_tried) {
  Row law;
  law.mass = {1.3, 0.8};
  law.stiffness = {2, 3};
  law.friction = {0, 0.35};
  law.threshold = 0.3;
  expect_the_same(
      {"s1-p2-series",
       {{"m1", 1.3}, {"m2", 0.8}, {"k1", 2}, {"alpha1", 0.6}, {"k2", 3}, {"alpha2", 0.35}},
       forcing,
       30},
      law, State(5), {0, 2, 1, 3, 4});
}

TEST(ExactModel, p_series_is_that_of_all_modes_tried) {
  Box law;
  const VectorXd k = VectorXd{{2.0, 3.0, 1.5}};
  law.mass = 1.0;
  law.stiffness = 1 / (1 / 2.5 + k.cwiseInverse().sum());
  law.weight = law.stiffness * k.cwiseInverse();
  const MatrixXd matrix = MatrixXd::Constant(3, 3, 2.5) + MatrixXd(k.asDiagonal());
  law.flexible = matrix.inverse();
  law.driven = law.flexible * VectorXd::Constant(3, -2.5);
  law.bound = VectorXd{{0.3, 0.5, 0.4}};
  expect_the_same({"p-series",
                   {{"k0", 2.5}, {"k", State{2, 3, 1.5}}, {"alpha", State{0.3, 0.5, 0.4}}},
                   forcing,
                   30},
                  law, State(5), {0, 1, 2, 3, 4});
}

TEST(ExactModel, persoz_is_that_of_all_modes_tried) {
  // K and E of (7) and (8), persoz-gephyroid, E = k0 UᵀK⁻¹, δ = k0 (1 - E U).
  Box law;
  constexpr double k0 = 2;
  constexpr double k1 = 1.2;
  constexpr double k2 = 0.8;
  constexpr double k3 = 1.5;
  const MatrixXd matrix{
      {k0 + k2, k0, -k0 - k2}, {k0, k0 + k3, -k0 - k3}, {-k0 - k2, -k0 - k3, k0 + k1 + k2 + k3}};
  const VectorXd u = VectorXd{{1.0, 1.0, -1.0}};
  law.mass = 1.0;
  law.flexible = matrix.inverse();
  law.weight = k0 * law.flexible * u;
  law.stiffness = k0 * (1 - law.weight.dot(u));
  law.driven = -k0 * law.flexible * u;
  law.bound = VectorXd{{0.4, 0.3, 0.2}};
  expect_the_same({"persoz",
                   {{"k0", k0},
                    {"k1", k1},
                    {"k2", k2},
                    {"k3", k3},
                    {"alpha1", 0.2},
                    {"alpha2", 0.4},
                    {"alpha3", 0.3}},
                   forcing,
                   30},
                  law, State(5), {0, 1, 2, 3, 4});
}

}  // namespace masing::test_exact_modes
