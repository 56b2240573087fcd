#include "rheology/exact_solution.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/polynomial.hpp"

namespace masing::rheology {

namespace {

using base::Clock;
using base::infinity;
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// A model by numbers: G(t, X) = A X + F(t) b + F'(t) b', and its elements. Made of the model's own
/// drift, which is linear.
struct LinearLaw {
  /// A column that the force and the other columns give at once: x of a model without a mass.
  struct AlgebraicColumn {
    Index column = 0;
    double force = 0.0;
    Eigen::RowVectorXd state;
  };

  Eigen::SparseMatrix<double> state;  ///< A, [columns, columns]
  Vector force;                       ///< b, [columns]
  Vector force_rate;                  ///< b', [columns]
  std::optional<AlgebraicColumn> algebraic;
  Eigen::RowVectorXd restoring;  ///< F - m x'' of the mass that F acts on, without dry friction
  std::optional<std::size_t> friction;  ///< the element whose μ is the dry friction on that mass
  std::vector<StVenant> elements;
};

/// A vector as models take it.
std::span<double> span_of(Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
std::span<const double> span_of(const Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// How large a number to try in each column: one that the state may have.
Vector trial_sizes(const std::vector<StVenant>& elements, Index columns) {
  Vector sizes = Vector::Ones(columns);
  for (const StVenant& element : elements) {
    if (element.connection == Connection::in_series && element.bound > 0) {
      sizes[static_cast<Index>(element.argument.front().column)] = element.bound;
    }
  }
  return sizes;
}

template <class Model>
LinearLaw law_of(Model model, Index columns) {
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
    found.algebraic = {.column = 0, .force = completed(zero, 1.0), .state = zero.transpose()};
  }
  std::vector<Eigen::Triplet<double>> entries;
  const Vector sizes = trial_sizes(found.elements, columns);
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
    if (found.algebraic && c != found.algebraic->column) {
      found.algebraic->state[c] = completed(trial, 0.0) / sizes[c];
    }
  }
  found.state.setFromTriplets(entries.begin(), entries.end());
  for (std::size_t e = 0; e < found.elements.size(); ++e) {
    if (found.elements[e].connection == Connection::in_parallel) {
      found.friction = e;
    }
  }
  return found;
}

/// Of an element: q, the sum over its argument of values, [columns].
double seen(const StVenant& element, const Vector& values) {
  double sum = 0.0;
  for (const auto& [column, factor] : element.argument) {
    sum += factor * values[static_cast<Index>(column)];
  }
  return sum;
}

/// The velocities that are 0 where those of the elements numbered `sticking` that are in parallel
/// have q = 0: of masses that they join to the ground, directly or by others.
std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
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

Index index(std::size_t i) {
  return static_cast<Index>(i);
}

/// The value at τ of polynomials in rows, or of their derivatives.
Vector value_of_rows(const Eigen::MatrixXd& coefficients, double tau) {
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
          held[index(i)] = rheology::seen(law_.elements[holding_[i]], rate);
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
        const auto& [column, by_force, by_state] = *law_.algebraic;
        state_(column, k + 1) = by_force * force[at + 1] + by_state.dot(state_.col(k + 1));
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
  [[nodiscard]] Polynomial seen(std::size_t element) const {
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
    return connection == Connection::in_series ? scale_in_series_ : scale_in_parallel_;
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
    const auto scale_at = [&](Connection connection) {
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
      return amplification * largest;
    };
    scale_in_series_ = scale_at(Connection::in_series);
    scale_in_parallel_ = scale_at(Connection::in_parallel);
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
  double scale_in_series_ = 0.0;
  double scale_in_parallel_ = 0.0;
};

/// What counts as rounding, in units of base::epsilon.
constexpr double rounding = 16 * base::epsilon;

/// Which group each column is of: all in one have the same unit and size.
std::vector<std::size_t> groups_of(const StateLayout& layout) {
  std::vector<std::size_t> groups;
  for (const auto& group : layout.groups) {
    const std::size_t letter = group.name.front() == 'x' ? 0 : group.name.front() == 'y' ? 1 : 2;
    const std::int64_t columns = group.size == GroupSize::one ? 1 : layout.elements;
    groups.insert(groups.end(), static_cast<std::size_t>(columns), letter);
  }
  return groups;
}

/// What of an element's law must not fall below 0, with its rounding.
struct Margin {
  Polynomial above;  ///< of the mode as it is
  double noise = 0.0;
  int side = 0;  ///< the mode behind it
};

class Stepper final : public ExactSolution {
 public:
  Stepper(AnyModel model, const StateLayout& layout, std::vector<double> start,
          base::SmoothPieces force, const ExactOptions& options)
      : model_(std::move(model)),
        law_(std::visit(
            [&](const auto& one) { return law_of(one, static_cast<Index>(start.size())); },
            model_)),
        force_(std::move(force)),
        options_(options),
        group_(groups_of(layout)),
        state_(Eigen::Map<Vector>(start.data(), static_cast<Index>(start.size()))),
        motion_(law_, options.order),
        modes_(law_.elements.size()),
        fitting_span_(longest_span()),
        force_span_(fitting_span_) {
    look_ahead();
    complete(force_(0.0));
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      const StVenant& element = law_.elements[e];
      const double q = seen(e);
      if (element.connection == Connection::in_series) {
        largest_[2] = std::max(largest_[2], element.bound);
        modes_[e] = element.bound == 0 ? 1 : 0;
      } else {
        modes_[e] = q > 0 ? 1 : q < 0 ? -1 : element.bound == 0 ? 1 : 0;
      }
    }
  }

  void go_to(double t) override {
    if (!is_planned_) {
      plan();
    }
    while (end_clock().until(t) >= 0.0) {
      carry_out();
      plan();
    }
    const double tau = std::clamp(clock_.until(t) / motion_.span(), 0.0, end_);
    shown_ = motion_.state(tau);
    shown_rate_ = motion_.rate(tau);
    shown_sizes_ = group_sizes(shown_, 0);
    shown_friction_ = law_.friction ? value(motion_.multiplier(*law_.friction), tau) : 0.0;
  }

  [[nodiscard]] std::span<const double> state() const override { return span_of(shown_); }
  [[nodiscard]] std::span<const double> rate() const override { return span_of(shown_rate_); }
  [[nodiscard]] double restoring() const override {
    return law_.restoring.dot(shown_) + shown_friction_;
  }
  [[nodiscard]] double scale(std::size_t column) const override {
    const std::size_t group = group_[column];
    return std::max(largest_[group], shown_sizes_[group]);
  }
  [[nodiscard]] std::int64_t events() const override { return events_; }

 private:
  [[nodiscard]] Clock end_clock() const {
    return ends_piece_ ? Clock{force_.piece_end(), 0.0} : clock_.after(end_ * motion_.span());
  }

  [[nodiscard]] double longest_span() const {
    return options_.span_share * force_.final_time() / 64;
  }

  /// x of a model without a mass, at `force`.
  void complete(double force) {
    if (law_.algebraic) {
      state_[law_.algebraic->column] =
          law_.algebraic->force * force + law_.algebraic->state.dot(state_);
    }
  }

  [[nodiscard]] double seen(std::size_t e) const {
    return rheology::seen(law_.elements[e], state_);
  }
  /// Whether the element has but one mode: nothing holds it, or it cannot move.
  [[nodiscard]] bool is_fixed(std::size_t e) const { return law_.elements[e].bound == 0; }

  /// What counts as rounding of q.
  [[nodiscard]] double noise_of_seen(std::size_t e) const {
    const StVenant& element = law_.elements[e];
    return rounding * (element.connection == Connection::in_series ? element.bound : largest_[1]);
  }

  void plan() {
    require_progress();
    const double longest =
        std::min(fitting_span_, std::max(clock_.until(force_.piece_end()), least_span()));
    const Polynomial force = resolved_force(longest);
    open();
    choose_modes(force);
    find_event();
    check();
    is_planned_ = true;
  }

  [[nodiscard]] double least_span() const { return base::least_span(clock_, fitting_span_); }

  /// How large F is in its piece, to tell rounding from what it does.
  void look_ahead() {
    constexpr int looks = 64;
    const double end = std::min(force_.piece_end(), force_.final_time());
    for (int i = 0; i <= looks; ++i) {
      const double force = force_(std::lerp(clock_.time, end, static_cast<double>(i) / looks));
      largest_force_ = std::max(largest_force_, std::abs(force));
    }
  }

  /// F over force_span_, the longest part of `span` in which it is resolved, [order + 1]. Throws
  /// UserError where it is resolved at no span for a thousand steps.
  Polynomial resolved_force(double span) {
    span = std::min(span, 2 * force_span_);
    const double now = clock_.time;
    const auto within = [&](double tau) {
      const double force = force_(now + (clock_.rest + tau * span));
      largest_force_ = std::max(largest_force_, std::abs(force));
      return force;
    };
    for (double tail = infinity;; span *= 0.5) {
      const double noise = std::max(force_noise_, 8 * base::epsilon * largest_force_);
      const ChebyshevFit fit(within, noise, 4 * base::epsilon * now / span);
      const bool is_smooth = force_.is_resolved(now, now + span, noise * span);
      const bool is_least = span <= least_span();
      // What does not fall with the span is rounding within F, the more the more it cancels.
      constexpr double largest_noise = 1e-9;
      if (!fit.is_resolved() && fit.tail() > tail / 8 &&
          fit.tail() < largest_noise * largest_force_) {
        force_noise_ = 4 * fit.tail();
      } else if ((is_smooth && fit.is_resolved()) || is_least) {
        if (!is_smooth && ++unresolved_steps_ > 1000) {
          force_.throw_unresolved(now);
        }
        force_span_ = span;
        Polynomial force = fit.polynomial();
        force.resize(static_cast<std::size_t>(options_.order) + 1);
        return force;
      }
      tail = fit.tail();
    }
  }

  /// Which elements may change their mode now: in series at the bound, in parallel without sliding.
  /// They are put there exactly.
  void open() {
    open_.clear();
    std::vector<std::size_t> resting;
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      const StVenant& element = law_.elements[e];
      const double q = seen(e);
      if (element.connection == Connection::in_series) {
        if (modes_[e] != 0 || e == hit_ || std::abs(q) >= element.bound - noise_of_seen(e)) {
          const double at = is_fixed(e) ? 0.0 : std::copysign(element.bound, q);
          state_[static_cast<Index>(element.argument.front().column)] = at;
          open_.push_back(e);
        }
      } else if (!is_fixed(e) && (modes_[e] == 0 || e == hit_ || std::abs(q) <= noise_of_seen(e))) {
        resting.push_back(e);
        open_.push_back(e);
      }
    }
    std::erase_if(open_, [&](std::size_t e) { return is_fixed(e); });
    bring_to_rest(resting);
  }

  /// Take from the velocities what is left of q of elements that rest: impulses between the masses.
  void bring_to_rest(const std::vector<std::size_t>& elements) {
    const auto size = static_cast<Index>(elements.size());
    if (size == 0) {
      return;
    }
    const auto velocities = [&] {
      Vector q(size);
      for (Index i = 0; i < size; ++i) {
        q[i] = seen(elements[static_cast<std::size_t>(i)]);
      }
      return q;
    };
    const auto add = [&](Index j, double impulse) {
      for (const auto& [column, factor] :
           law_.elements[elements[static_cast<std::size_t>(j)]].column_of_m) {
        state_[static_cast<Index>(column)] += factor * impulse;
      }
    };
    if (velocities().cwiseAbs().maxCoeff() == 0.0) {
      return;
    }
    Eigen::MatrixXd response(size, size);
    const Vector before = state_;
    for (Index j = 0; j < size; ++j) {
      state_.setZero();
      add(j, 1.0);
      response.col(j) = velocities();
    }
    state_ = before;
    const Vector impulses = response.ldlt().solve(velocities());
    for (Index j = 0; j < size; ++j) {
      add(j, -impulses[j]);
    }
    // What rests on the ground is at rest to the last bit.
    for (const std::size_t column : grounded_columns(law_.elements, elements)) {
      state_[static_cast<Index>(column)] = 0.0;
    }
  }

  /// Find modes with which every open element obeys its law for a while; the motion is then that of
  /// these modes. Where modes differ by no more than rounding, what counts as rounding is increased
  /// for this step until some do. Throws SystemError where it would be more than 1e-10.
  void choose_modes(const Polynomial& force) {
    constexpr double most = 1 << 14;
    for (tolerance_ = 1.0; tolerance_ <= most; tolerance_ *= 4) {
      if (finds_modes(force)) {
        return;
      }
    }
    fail("no modes of its elements fit");
  }

  /// Block principal pivoting, with Murty's least index where it does not get on.
  /// Source: Júdice, Pires, Computers Oper. Res. 21, 1994.
  bool finds_modes(const Polynomial& force) {
    std::size_t fewest = open_.size() + 1;
    int tries = 10;
    const std::size_t most = 50 + 10 * open_.size();
    for (std::size_t i = 0; i < most; ++i) {
      motion_.set_modes(modes_);
      motion_.expand(state_, force, force_span_, largest_force_);
      fit_span();
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

  /// Shorten the motion's span until what its polynomials cut off is rounding; plan the next span.
  void fit_span() {
    double share = fitting_share();
    for (int i = 0; share < 1.0 && i < 100; ++i) {
      motion_.shorten(std::max(share, 1e-3));
      fitting_span_ = motion_.span();
      share = fitting_share();
    }
    fitting_span_ = std::min(std::max(fitting_span_, share * motion_.span()), longest_span());
    largest_[1] = std::max(largest_[1], group_sizes(motion_.coefficients(), 0)[1]);
  }

  /// The largest coefficient from `first` on, by groups.
  [[nodiscard]] std::array<double, 3> group_sizes(const Eigen::MatrixXd& c, Index first) const {
    std::array<double, 3> sizes{};
    for (Index k = first; k < c.cols(); ++k) {
      for (Index row = 0; row < c.rows(); ++row) {
        double& size = sizes[group_[static_cast<std::size_t>(row)]];
        size = std::max(size, std::abs(c(row, k)));
      }
    }
    return sizes;
  }

  /// By what the span may be multiplied so that the last two terms are rounding.
  [[nodiscard]] double fitting_share() const {
    const Eigen::MatrixXd& c = motion_.coefficients();
    const std::array<double, 3> sizes = group_sizes(motion_.sizes(), 0);
    const std::array<double, 3> last = group_sizes(c, c.cols() - 2);
    double share = 2.0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      const double allowed = base::epsilon / 8 * std::max(sizes[g], largest_[g]);
      if (last[g] > 0) {
        share = std::min(
            share, std::pow(allowed / last[g], 1.0 / static_cast<double>(options_.order - 1)));
      }
    }
    return options_.span_share * share;
  }

  /// What of an element's law the present motion keeps above 0.
  [[nodiscard]] std::vector<Margin> margins(std::size_t e) const {
    const auto& [connection, bound, argument, column_of_m] = law_.elements[e];
    const bool in_series = connection == Connection::in_series;
    // An element that yields or slides keeps a sign; one that keeps still stays within its bound.
    const bool holds = (modes_[e] != 0) == in_series;
    const Polynomial p = holds ? motion_.multiplier(e) : motion_.seen(e);
    const double noise = holds ? rounding * motion_.multiplier_scale(connection) : noise_of_seen(e);
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

  /// How long after the zero of a margin that falls it is below its noise.
  static double time_below_noise(const Margin& margin, double tau) {
    constexpr double most = 1e-9;
    const double slope = slope_of(margin.above, tau);
    return slope * most < -margin.noise ? -margin.noise / slope : 0.0;
  }

  /// The first τ at which an element breaks its law, at most 1.
  void find_event() {
    end_ = 1.0;
    hit_ = none;
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      if (is_fixed(e)) {
        continue;
      }
      for (Margin& margin : margins(e)) {
        margin.above[0] += margin.noise;
        if (const auto tau = first_below_zero(margin.above, end_)) {
          end_ = std::max(0.0, *tau - time_below_noise(margin, *tau));
          hit_ = e;
        }
      }
    }
    ends_piece_ = hit_ == none && clock_.after(motion_.span()).until(force_.piece_end()) <= 0.0;
    events_ += hit_ == none ? 0 : 1;
  }

  /// Throws SystemError unless the planned motion obeys the inclusion in the middle of its step:
  /// its rate against the model's own drift at F there, and every element's law.
  void check() const {
    constexpr double allowed = 1e-9;
    const double tau = 0.5 * end_;
    const Vector state = motion_.state(tau);
    const double now = clock_.time + (clock_.rest + tau * motion_.span());
    if (!law_.algebraic) {  // whose drift needs F'
      Vector drift = Vector::Zero(state.size());
      std::visit(
          [&](auto model) {
            model.drift({.step = 1.0, .force = force_(now)}, span_of(state), span_of(drift));
          },
          model_);
      const Vector acting = motion_.acting(tau);
      const Vector left = (drift - acting - motion_.rate(tau)).cwiseAbs() * motion_.span();
      // What a column far from all motion has is below the rounding of the others of its group.
      const Vector sizes = motion_.sizes();
      const std::array<double, 3> largest = group_sizes(sizes, 0);
      Vector limit = allowed * sizes;
      for (Index row = 0; row < limit.size(); ++row) {
        const std::size_t group = group_[static_cast<std::size_t>(row)];
        limit[row] += base::epsilon * std::max(largest_[group], largest[group]);
      }
      if (!((left - limit).maxCoeff() <= 0)) {
        fail("its rate is not that of the model");
      }
    }
    // A step of no length only opens an element: it is beyond its law by no more than what counted
    // as rounding in the last step, which may be more than in this one.
    for (std::size_t e = 0; end_ > 0 && e < modes_.size(); ++e) {
      for (const Margin& margin : margins(e)) {
        if (!is_fixed(e) && !(value(margin.above, tau) >= -2 * margin.noise)) {
          fail(fmt::format("element {} breaks its law", e + 1));
        }
      }
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw base::SystemError(fmt::format("the exact solution fails its check at t = {}: {}",
                                        base::to_text(clock_.time), why));
  }

  void require_progress() {
    constexpr int most = 1000;
    const double now = clock_.time + clock_.rest;
    stalled_ = now > last_time_ + 16 * base::epsilon * now ? 0 : stalled_ + 1;
    last_time_ = std::max(last_time_, now);
    if (stalled_ > most) {
      fail("its events do not end");
    }
  }

  /// Go to the end of the planned step.
  void carry_out() {
    state_ = motion_.state(end_);
    const std::array<double, 3> sizes = group_sizes(state_, 0);
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      largest_[g] = std::max(largest_[g], sizes[g]);
    }
    clock_ = end_clock();
    if (ends_piece_) {
      const double before = force_(clock_.time);
      force_.pass_break();
      look_ahead();
      jump(before, force_(clock_.time));
    }
  }

  /// What a jump of F does at once: nothing to a mass, but a massless model goes to the state that
  /// its resolvent finds.
  void jump(double before, double after) {
    if (!law_.algebraic) {
      return;
    }
    std::visit(
        [&](auto model) {
          Vector rate(state_.size());
          make_step(model, {.step = 1.0, .force = before, .next_force = after}, span_of(state_),
                    span_of(rate));
        },
        model_);
    // Elements may have left their bounds, or be at the other one.
    for (std::size_t e = 0; e < modes_.size(); ++e) {
      if (!is_fixed(e)) {
        const double q = seen(e);
        const bool is_at_bound = std::abs(q) >= law_.elements[e].bound - noise_of_seen(e);
        modes_[e] = !is_at_bound ? 0 : q > 0 ? 1 : -1;
      }
    }
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  AnyModel model_;
  LinearLaw law_;
  base::SmoothPieces force_;
  ExactOptions options_;
  std::vector<std::size_t> group_;  // of each column
  Clock clock_;
  Vector state_;       // at clock_
  ModeMotion motion_;  // from there
  Modes modes_;
  std::vector<std::size_t> open_;  // elements that may change their mode at clock_
  bool is_planned_ = false;
  bool ends_piece_ = false;
  double end_ = 0.0;        // τ of the end of the step
  std::size_t hit_ = none;  // the element whose event that is
  double fitting_span_;     // allowed by what the last polynomials cut off
  double force_span_;       // and by F, a polynomial on it
  double tolerance_ = 1.0;  // of margins, in units of their rounding
  int unresolved_steps_ = 0;
  int stalled_ = 0;
  double last_time_ = -1.0;
  std::int64_t events_ = 0;
  double largest_force_ = 0.0;
  double force_noise_ = 0.0;         // where F cancels within
  std::array<double, 3> largest_{};  // of each group
  Vector shown_;
  Vector shown_rate_;
  std::array<double, 3> shown_sizes_{};  // of each group
  double shown_friction_ = 0.0;
};

}  // namespace

std::unique_ptr<ExactSolution> make_exact_solution(AnyModel model, const StateLayout& layout,
                                                   std::vector<double> start,
                                                   base::SmoothPieces force,
                                                   const ExactOptions& options) {
  return std::make_unique<Stepper>(std::move(model), layout, std::move(start), std::move(force),
                                   options);
}

}  // namespace masing::rheology
