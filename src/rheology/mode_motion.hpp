#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "rheology/inclusion.hpp"
#include "rheology/polynomial.hpp"

/// A model of finitely many elements as a linear equation with St-Venant elements, and its motion
/// while each of them keeps its mode.
namespace masing::rheology {

using Eigen::Index;
using Vector = Eigen::VectorXd;

inline Index index(std::size_t i) {
  return static_cast<Index>(i);
}

/// G(t, X) = A X + F(t) b + F'(t) b', by what the model's own drift, which is linear, gives for
/// trial states.
struct LinearLaw {
  /// Column 0 where the force and the other columns give it at once: x of a model without a mass.
  struct Algebraic {
    double force = 0.0;
    Eigen::RowVectorXd state;
  };

  Eigen::SparseMatrix<double> state;  ///< A, [columns, columns]
  Vector force;                       ///< b, [columns]
  Vector force_rate;                  ///< b', [columns]
  std::optional<Algebraic> algebraic;
  Eigen::RowVectorXd restoring;  ///< F - m x'' of the mass that F acts on, without dry friction
  std::optional<std::size_t> friction;  ///< the element whose μ is the dry friction on that mass
  std::vector<StVenant> elements;
};

/// A vector as models take it.
template <class AnyVector>
auto span_of(AnyVector& vector) {
  return std::span(vector.data(), static_cast<std::size_t>(vector.size()));
}

/// The law of an Inclusion of so many columns. Local.
template <Inclusion Model>
LinearLaw linear_law(Model model, Index columns) {
  const Vector zero = Vector::Zero(columns);
  const auto rate = [&](const Vector& state, const TimeStep& now) {
    Vector rates = zero;
    model.drift(now, span_of(state), span_of(rates));
    return rates;
  };
  const auto completed = [&](Vector state, double force) {
    if constexpr (StartsFromForce<Model>) {
      model.complete_start(force, span_of(state));
    }
    return state[0];
  };
  LinearLaw found{.state = {columns, columns},
                  .force = rate(zero, {.step = 1, .force = 1, .next_force = 1}),
                  .force_rate = rate(zero, {.step = 1, .force = 0, .next_force = 1}),
                  .restoring = zero.transpose(),
                  .elements = model.elements()};
  if constexpr (StartsFromForce<Model>) {
    found.algebraic = {.force = completed(zero, 1.0), .state = zero.transpose()};
  }
  std::vector<Eigen::Triplet<double>> entries;
  Vector sizes = Vector::Ones(columns);  // numbers that the state may have
  for (std::size_t e = 0; e < found.elements.size(); ++e) {
    const StVenant& element = found.elements[e];
    if (element.connection == Connection::in_parallel) {
      found.friction = e;
    } else if (element.bound > 0) {
      sizes[index(element.argument.front().column)] = element.bound;
    }
  }
  for (Index c = 0; c < columns; ++c) {
    Vector trial = zero;
    trial[c] = sizes[c];
    const Vector rates = rate(trial, {.step = 1});
    for (Index r = 0; r < columns; ++r) {
      if (rates[r] != 0) {
        entries.emplace_back(r, c, rates[r] / sizes[c]);
      }
    }
    found.restoring[c] = model.restoring(span_of(trial), 0.0) / sizes[c];
    if (found.algebraic && c != 0) {
      found.algebraic->state[c] = completed(trial, 0.0) / sizes[c];
    }
  }
  found.state.setFromTriplets(entries.begin(), entries.end());
  return found;
}

/// q of an element: the sum over its argument of values, [columns].
inline double argument_of(const StVenant& element, const Vector& values) {
  double sum = 0.0;
  for (const auto& [column, factor] : element.argument) {
    sum += factor * values[index(column)];
  }
  return sum;
}

/// The velocities that are 0 where those of the elements numbered `sticking` that are in parallel
/// have q = 0: of masses that they join to the ground, directly or by others.
inline std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
                                              const std::vector<std::size_t>& sticking) {
  std::set<std::size_t> grounded;
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::size_t e : sticking) {
      std::set<std::size_t> others;
      for (const auto& [column, factor] : elements[e].argument) {
        if (elements[e].connection == Connection::in_parallel && !grounded.contains(column)) {
          others.insert(column);
        }
      }
      if (others.size() == 1) {
        grounded.merge(others);
        grows = true;
      }
    }
  }
  return grounded;
}

/// What an element does: 0 keeps still (elastic in series, sticking in parallel), ±1 yields or
/// slides in that direction.
using Modes = std::vector<int>;

/// The value at τ of polynomials in rows, or of their derivatives.
inline Vector value_of_rows(const Eigen::MatrixXd& coefficients, double tau) {
  Vector sum = Vector::Zero(coefficients.rows());
  for (Index k = coefficients.cols(); k-- > 0;) {
    sum = sum * tau + coefficients.col(k);
  }
  return sum;
}

/// The motion while no element changes its mode: a linear equation with constant coefficients,
///     X' = A X + F b + F' b' - D μ,   with μ of the elements that hold q (they yield in series or
/// stick in parallel) from q' = 0, and μ = α sign(q) of those that slide, 0 of those that are
/// elastic. As F is a polynomial in τ = (t - start)/span, the Taylor coefficients of X and μ follow
/// one after another without any error but rounding and what is cut off.
class ModeMotion {
 public:
  /// `law` must outlive it. `order`: of the last coefficient, at least ChebyshevFit::points.
  ModeMotion(const LinearLaw& law, int order)
      : law_(law), magnitude_(law.state.cwiseAbs()), order_(order) {}

  /// Local; allocates.
  void set_modes(const Modes& modes) {
    if (modes == modes_) {
      return;
    }
    modes_ = modes;
    holding_.clear();
    std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> seen;  // column: who sees it
    for (std::size_t e = 0; e < modes.size(); ++e) {
      if ((law_.elements[e].connection == Connection::in_series) == (modes[e] != 0)) {
        for (const auto& [column, factor] : law_.elements[e].argument) {
          seen[column].emplace_back(holding_.size(), factor);
        }
        holding_.push_back(e);
      }
    }
    grounded_ = grounded_columns(law_.elements, holding_);
    if (holding_.empty()) {
      return;
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t j = 0; j < holding_.size(); ++j) {
      for (const auto& [column, factor] : law_.elements[holding_[j]].column_of_m) {
        if (const auto by = seen.find(column); by != seen.end()) {
          for (const auto& [i, share] : by->second) {
            entries.emplace_back(index(i), index(j), share * factor);
          }
        }
      }
    }
    Eigen::SparseMatrix<double> matrix(index(holding_.size()), index(holding_.size()));
    matrix.setFromTriplets(entries.begin(), entries.end());
    coupling_.compute(matrix);
    response_ = coupling_.solve(Vector::Ones(matrix.rows())).cwiseAbs();
    response_ = response_.cwiseMax(matrix.diagonal().cwiseInverse());
  }

  /// The motion from `start` over `span`; `force`: [order + 1]; `force_size`: what the rounding of
  /// F is to be compared with.
  void expand(const Vector& start, const Polynomial& force, double span, double force_size) {
    span_ = span;
    force_size_ = force_size;
    force_ = force;
    state_.setZero(start.size(), order_ + 1);
    multiplier_.setZero(index(modes_.size()), order_);
    state_.col(0) = start;
    Vector held(index(holding_.size()));
    for (int k = 0; k < order_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      Vector rate = law_.state * state_.col(k) + force[at] * law_.force +
                    ((k + 1) * force[at + 1] / span) * law_.force_rate;
      for (std::size_t e = 0; k == 0 && e < modes_.size(); ++e) {
        if (law_.elements[e].connection == Connection::in_parallel && modes_[e] != 0) {
          multiplier_(index(e), 0) = modes_[e] * law_.elements[e].bound;
          act(e, multiplier_(index(e), 0), rate);
        }
      }
      if (!holding_.empty()) {
        for (std::size_t i = 0; i < holding_.size(); ++i) {
          held[index(i)] = argument_of(law_.elements[holding_[i]], rate);
        }
        const Vector found = coupling_.solve(held);
        for (std::size_t i = 0; i < holding_.size(); ++i) {
          multiplier_(index(holding_[i]), k) = found[index(i)];
          act(holding_[i], found[index(i)], rate);
        }
        for (const std::size_t column : grounded_) {
          rate[index(column)] = 0.0;  // not what rounding leaves, all that there would be at rest
        }
      }
      state_.col(k + 1) = rate * (span / (k + 1));
      if (law_.algebraic) {
        const auto& [by_force, by_state] = *law_.algebraic;
        state_(0, k + 1) = by_force * force[at + 1] + by_state.dot(state_.col(k + 1));
      }
    }
    measure();
  }

  /// Make the span shorter by a factor: τ = 1 comes earlier.
  void shorten(double factor) {
    span_ *= factor;
    double power = 1.0;
    for (int k = 0; k <= order_; ++k, power *= factor) {
      state_.col(k) *= power;
      if (k < order_) {
        multiplier_.col(k) *= power;
      }
      force_[static_cast<std::size_t>(k)] *= power;
    }
    measure();
  }

  [[nodiscard]] double span() const { return span_; }
  [[nodiscard]] Vector state(double tau) const { return value_of_rows(state_, tau); }

  /// X'.
  [[nodiscard]] Vector rate(double tau) const {
    Vector sum = Vector::Zero(state_.rows());
    for (int k = order_; k > 0; --k) {
      sum = sum * tau + k * state_.col(k);
    }
    return sum / span_;
  }

  /// q of an element, and μ.
  [[nodiscard]] Polynomial argument(std::size_t element) const {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(order_ + 1);
    for (const auto& [column, factor] : law_.elements[element].argument) {
      sum += factor * state_.row(index(column));
    }
    return {sum.begin(), sum.end()};
  }

  [[nodiscard]] Polynomial multiplier(std::size_t element) const {
    const auto row = multiplier_.row(index(element));
    return {row.begin(), row.end()};
  }

  /// G - X', D μ.
  [[nodiscard]] Vector acting(double tau) const {
    Vector rate = Vector::Zero(state_.rows());
    const Vector multipliers = value_of_rows(multiplier_, tau);
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      act(e, -multipliers[index(e)], rate);
    }
    return rate;
  }

  /// Taylor coefficients, [columns, order + 1].
  [[nodiscard]] const Eigen::MatrixXd& coefficients() const { return state_; }
  /// What the rounding of each column is to be compared with. Its coefficients count, and the terms
  /// of its rate over the span: they may cancel.
  [[nodiscard]] Vector sizes() const {
    Vector terms = largest_drift_;
    const Vector multipliers = multiplier_.cwiseAbs().rowwise().maxCoeff();
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      for (const auto& [column, factor] : law_.elements[e].column_of_m) {
        terms[index(column)] += std::abs(factor) * multipliers[index(e)];
      }
    }
    const Vector once = state_.cwiseAbs().rowwise().maxCoeff() + span_ * terms;
    return once + span_ * (magnitude_ * once);  // what cancels in y does not in x
  }

  /// The size of the terms that μ of an element that holds q, so connected, is a sum of; 0 where
  /// there is none.
  [[nodiscard]] double multiplier_scale(Connection connection) const {
    return multiplier_scale_[static_cast<std::size_t>(connection)];
  }

 private:
  void act(std::size_t element, double multiplier, Vector& rate) const {
    for (const auto& [column, factor] : law_.elements[element].column_of_m) {
      rate[index(column)] -= factor * multiplier;
    }
  }

  void measure() {
    double largest_force = force_size_;
    for (std::size_t k = 0; k < force_.size(); ++k) {
      largest_force = std::max(largest_force, static_cast<double>(k + 1) * std::abs(force_[k]));
    }
    largest_drift_ = magnitude_ * state_.cwiseAbs().rowwise().maxCoeff() +
                     largest_force * (law_.force.cwiseAbs() + law_.force_rate.cwiseAbs() / span_);
    for (const Connection connection : {Connection::in_series, Connection::in_parallel}) {
      double largest = 0.0;
      double amplification = 0.0;
      for (std::size_t i = 0; i < holding_.size(); ++i) {
        const StVenant& element = law_.elements[holding_[i]];
        if (element.connection == connection) {
          double sum = 0.0;
          for (const auto& [column, factor] : element.argument) {
            sum += std::abs(factor) * largest_drift_[index(column)];
          }
          largest = std::max(largest, sum);
          amplification = std::max(amplification, response_[index(i)]);
        }
      }
      multiplier_scale_[static_cast<std::size_t>(connection)] = amplification * largest;
    }
  }

  const LinearLaw& law_;
  Eigen::SparseMatrix<double> magnitude_;  // |A|
  int order_;
  Modes modes_;
  std::vector<std::size_t> holding_;                             // the elements with q' = 0
  std::set<std::size_t> grounded_;                               // columns that they keep at 0
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> coupling_;  // of their q' by their μ
  Vector response_;                                              // of μ to 1 in every q'
  double span_ = 0.0;
  Polynomial force_;
  double force_size_ = 0.0;
  Eigen::MatrixXd state_;
  Eigen::MatrixXd multiplier_;  // [elements, order]
  Vector largest_drift_;
  std::array<double, 2> multiplier_scale_{};  // by Connection
};

}  // namespace masing::rheology
