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

/// The file mode_motion.hpp represents a model of finitely many elements as a linear equation with
/// St-Venant elements, and computes its motion while each element keeps its mode.
namespace masing::rheology {

using Eigen::Index;
using Vector = Eigen::VectorXd;

inline Index index(std::size_t i) {
  return static_cast<Index>(i);
}

/// The linear law G(t, X) = A X + F(t) b + F'(t) b' of a model. It is determined by evaluating the
/// model's drift, which is linear, for trial states.
struct LinearLaw {
  /// The equation x = force·F + state·X of column 0 in a model without a mass, where x follows from
  /// F and the other columns of X.
  struct Algebraic {
    double force = 0.0;
    Eigen::RowVectorXd state;
  };

  Eigen::SparseMatrix<double> state;  ///< A, [columns, columns]
  Vector force;                       ///< b, [columns]
  Vector force_rate;                  ///< b', [columns]
  std::optional<Algebraic> algebraic;
  /// The row vector whose product with X is F - m x'' for the mass that F acts on, without the dry
  /// friction on this mass.
  Eigen::RowVectorXd restoring;
  /// The index of the element whose μ is the dry friction on the mass that F acts on; empty if
  /// there is no dry friction.
  std::optional<std::size_t> friction;
  std::vector<StVenant> elements;
};

/// Returns the entries of an Eigen vector as a span, which is the type that models take.
template <class AnyVector>
auto span_of(AnyVector& vector) {
  return std::span(vector.data(), static_cast<std::size_t>(vector.size()));
}

/// Returns the linear law of a model with this number of columns. If `is_algebraic`, the model has
/// no mass, and its column 0 follows from F and the other columns. Local.
inline LinearLaw linear_law(const Inclusion& model, Index columns, bool is_algebraic) {
  const Vector zero = Vector::Zero(columns);
  const auto rate = [&](const Vector& state, const TimeStep& now) {
    Vector rates = zero;
    model.drift(now, span_of(state), span_of(rates));
    return rates;
  };
  const auto completed = [&](Vector state, double force) {
    model.complete_start(force, span_of(state));
    return state[0];
  };
  LinearLaw law{.state = {columns, columns},
                .force = rate(zero, {.step = 1, .force = 1, .next_force = 1}),
                .force_rate = rate(zero, {.step = 1, .force = 0, .next_force = 1}),
                .restoring = zero.transpose(),
                .elements = model.elements()};
  if (is_algebraic) {
    law.algebraic = {.force = completed(zero, 1.0), .state = zero.transpose()};
  }
  std::vector<Eigen::Triplet<double>> entries;
  Vector sizes = Vector::Ones(columns);  // a typical size of each column
  for (std::size_t e = 0; e < law.elements.size(); ++e) {
    const StVenant& element = law.elements[e];
    if (element.connection == Connection::in_parallel) {
      law.friction = e;
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
    law.restoring[c] = model.restoring(span_of(trial)) / sizes[c];
    if (law.algebraic && c != 0) {
      law.algebraic->state[c] = completed(trial, 0.0) / sizes[c];
    }
  }
  law.state.setFromTriplets(entries.begin(), entries.end());
  return law;
}

/// Returns the quantity q of an element: the sum of factor·values[column] over the terms `argument`
/// of the element; `values` has the size [columns].
inline double argument_of(const StVenant& element, const Vector& values) {
  double sum = 0.0;
  for (const auto& [column, factor] : element.argument) {
    sum += factor * values[index(column)];
  }
  return sum;
}

/// Returns the columns of the velocities of all masses that the sticking elements connect to the
/// ground, directly or through other masses; these velocities are 0. `sticking` lists indices of
/// elements; elements in series among these are ignored.
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

/// The modes of all elements: 0 means that the element is elastic (in series) or sticks (in
/// parallel), and 1 or -1 that it yields or slides in the positive or negative direction.
using Modes = std::vector<int>;

/// Returns the values at τ of polynomials; row i of `coefficients` contains the coefficients of
/// polynomial i.
inline Vector value_of_rows(const Eigen::MatrixXd& coefficients, double tau) {
  Vector sum = Vector::Zero(coefficients.rows());
  for (Index k = coefficients.cols(); k-- > 0;) {
    sum = sum * tau + coefficients.col(k);
  }
  return sum;
}

/// The motion while no element changes its mode. It satisfies a linear equation with constant
/// coefficients,
///     X' = A X + F b + F' b' - D μ.
/// Column e of D is column_of_m of element e. Elements that yield in series or stick in parallel
/// hold their q; their μ follow from q' = 0. For elements that slide μ = α sign(q), where α is the
/// bound, and for elastic elements μ = 0. F is a polynomial in τ = (t - t_0)/span, where t_0 is the
/// beginning of the step. Therefore the Taylor coefficients of X and μ follow from each other
/// recursively; the only errors are rounding and the truncation of the series.
class ModeMotion {
 public:
  /// `law` must outlive this object. `order`, at least ChebyshevFit::points, is the degree of the
  /// polynomials of X in τ.
  ModeMotion(const LinearLaw& law, int order)
      : law_(law), magnitude_(law.state.cwiseAbs()), order_(order) {}

  /// Sets the modes, and factorizes the matrix that determines the μ of the elements that hold
  /// their q. Local; it allocates memory.
  void set_modes(const Modes& modes) {
    if (modes == modes_) {
      return;
    }
    modes_ = modes;
    holding_.clear();
    // readers[column] lists those elements that hold their q and whose q contains this column, as
    // pairs (index in holding_, factor of the column).
    std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> readers;
    for (std::size_t e = 0; e < modes.size(); ++e) {
      if ((law_.elements[e].connection == Connection::in_series) == (modes[e] != 0)) {
        for (const auto& [column, factor] : law_.elements[e].argument) {
          readers[column].emplace_back(holding_.size(), factor);
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
        if (const auto by = readers.find(column); by != readers.end()) {
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

  /// Computes the motion over a time `span` from the state `start`, which is X at τ = 0. `force`
  /// contains the coefficients of F in powers of τ, [order + 1]; rounding errors of F are measured
  /// relative to `force_size`.
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
        const Vector multipliers = coupling_.solve(held);
        for (std::size_t i = 0; i < holding_.size(); ++i) {
          multiplier_(index(holding_[i]), k) = multipliers[index(i)];
          act(holding_[i], multipliers[index(i)], rate);
        }
        for (const std::size_t column : grounded_) {
          // The computed rate of a mass at rest consists of rounding errors only.
          rate[index(column)] = 0.0;
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

  /// Multiplies the span by `factor` < 1, so that τ = 1 is at an earlier time.
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

  /// Returns X' at τ.
  [[nodiscard]] Vector rate(double tau) const {
    Vector sum = Vector::Zero(state_.rows());
    for (int k = order_; k > 0; --k) {
      sum = sum * tau + k * state_.col(k);
    }
    return sum / span_;
  }

  /// Returns the quantity q of an element as a polynomial in τ.
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

  /// Returns D μ at τ, which is G - X'.
  [[nodiscard]] Vector acting(double tau) const {
    Vector rate = Vector::Zero(state_.rows());
    const Vector multipliers = value_of_rows(multiplier_, tau);
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      act(e, -multipliers[index(e)], rate);
    }
    return rate;
  }

  /// Returns the Taylor coefficients of X, [columns, order + 1].
  [[nodiscard]] const Eigen::MatrixXd& coefficients() const { return state_; }
  /// Returns for each column the number relative to which rounding errors of the column are
  /// measured. Let s_i be the largest |Taylor coefficient| of column i plus the span times the sum
  /// of |term| over the terms of its rate, because these terms may cancel in the rate. The result
  /// is s + span |A| s.
  [[nodiscard]] Vector sizes() const {
    Vector terms = largest_drift_;
    const Vector multipliers = multiplier_.cwiseAbs().rowwise().maxCoeff();
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      for (const auto& [column, factor] : law_.elements[e].column_of_m) {
        terms[index(column)] += std::abs(factor) * multipliers[index(e)];
      }
    }
    Vector once = state_.cwiseAbs().rowwise().maxCoeff() + span_ * terms;
    if (law_.algebraic) {
      once[0] += std::abs(law_.algebraic->force) * largest_force_;
    }
    return spread(once);
  }

  /// Returns s + span |A| s: during the step, errors of size s of the columns also enter the
  /// columns whose rates depend on them.
  [[nodiscard]] Vector spread(const Vector& s) const { return s + span_ * (magnitude_ * s); }

  /// Returns an estimate of the size of the terms whose sum is μ, common to all elements with this
  /// connection that hold their q. Returns 0 if there is no such element.
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
    largest_force_ = force_size_;
    for (std::size_t k = 0; k < force_.size(); ++k) {
      largest_force_ = std::max(largest_force_, static_cast<double>(k + 1) * std::abs(force_[k]));
    }
    largest_drift_ = magnitude_ * state_.cwiseAbs().rowwise().maxCoeff() +
                     largest_force_ * (law_.force.cwiseAbs() + law_.force_rate.cwiseAbs() / span_);
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
  std::vector<std::size_t> holding_;  // the elements that hold their q, so that q' = 0
  // The columns of those velocities that the elements in holding_ keep at 0.
  std::set<std::size_t> grounded_;
  // The factorized matrix C: the μ of the elements in holding_ change the q' of these elements by
  // -C μ.
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> coupling_;
  // For each element in holding_, the size of the μ that compensates a rate q' = 1 of all these
  // elements or of this element alone, whichever is larger.
  Vector response_;
  double span_ = 0.0;
  Polynomial force_;
  double force_size_ = 0.0;
  double largest_force_ = 0.0;  // the largest of force_size_ and of the terms of F and of span F'
  Eigen::MatrixXd state_;
  Eigen::MatrixXd multiplier_;  // [elements, order]
  Vector largest_drift_;
  std::array<double, 2> multiplier_scale_{};  // index: Connection
};

}  // namespace masing::rheology
