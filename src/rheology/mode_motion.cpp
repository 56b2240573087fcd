#include "rheology/mode_motion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

namespace masing::rheology {

namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

/// How large a number to try in each column: one that the state may have.
Vector trial_sizes(const std::vector<StVenant>& elements, Index columns) {
  Vector sizes = Vector::Ones(columns);
  for (const StVenant& element : elements) {
    if (element.place == Place::in_series && element.bound > 0) {
      sizes[static_cast<Index>(element.sees.front().column)] = element.bound;
    }
  }
  return sizes;
}

template <class Model>
class LawOf {
 public:
  LawOf(Model model, Index columns) : model_(std::move(model)), columns_(columns) {}

  LinearLaw law() {
    LinearLaw found;
    found.elements = model_.elements();
    found.force = rate(Vector::Zero(columns_), {.step = 1, .force = 1, .next_force = 1});
    found.force_rate = rate(Vector::Zero(columns_), {.step = 1, .force = 0, .next_force = 1});
    found.restoring.setZero(columns_);
    if constexpr (StartsFromForce<Model>) {
      found.following = {.column = 0, .force = followed(Vector::Zero(columns_), 1.0)[0]};
      found.following->state.setZero(columns_);
    }
    std::vector<Eigen::Triplet<double>> entries;
    const Vector sizes = trial_sizes(found.elements, columns_);
    for (Index c = 0; c < columns_; ++c) {
      Vector trial = Vector::Zero(columns_);
      trial[c] = sizes[c];
      const Vector rates = rate(trial, {.step = 1});
      for (Index r = 0; r < columns_; ++r) {
        if (rates[r] != 0) {
          entries.emplace_back(r, c, rates[r] / sizes[c]);
        }
      }
      found.restoring[c] = model_.restoring(span_of(trial), 0.0) / sizes[c];
      if (found.following && c != found.following->column) {
        found.following->state[c] = followed(trial, 0.0)[0] / sizes[c];
      }
    }
    found.state.resize(columns_, columns_);
    found.state.setFromTriplets(entries.begin(), entries.end());
    for (std::size_t e = 0; e < found.elements.size(); ++e) {
      if (found.elements[e].place == Place::in_parallel) {
        found.friction = e;
      }
    }
    return found;
  }

 private:
  Vector rate(Vector state, const TimeStep& now) {
    Vector rates = Vector::Zero(columns_);
    model_.drift(now, span_of(state), span_of(rates));
    return rates;
  }
  Vector followed(Vector state, double force) {
    if constexpr (StartsFromForce<Model>) {
      model_.complete_start(force, span_of(state));
    }
    return state;
  }

  Model model_;
  Index columns_;
};

}  // namespace

double seen(const StVenant& element, const Vector& values) {
  double sum = 0.0;
  for (const auto& [column, factor] : element.sees) {
    sum += factor * values[static_cast<Index>(column)];
  }
  return sum;
}

LinearLaw linear_law(const AnyModel& model, std::size_t columns) {
  return std::visit(
      [&]<class Model>(const Model& one) {
        return LawOf<Model>(one, static_cast<Index>(columns)).law();
      },
      model);
}

std::set<std::size_t> grounded_columns(const std::vector<StVenant>& elements,
                                       const std::vector<std::size_t>& sticking) {
  std::set<std::size_t> grounded;
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::size_t e : sticking) {
      std::set<std::size_t> others;
      for (const auto& [column, factor] : elements[e].sees) {
        if (elements[e].place == Place::in_parallel && !grounded.contains(column)) {
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

namespace {

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

double coefficient(const Polynomial& p, int k) {
  const auto place = static_cast<std::size_t>(k);
  return place < p.size() ? p[place] : 0.0;
}

}  // namespace

ModeMotion::ModeMotion(const LinearLaw& law, int order)
    : law_(law), magnitude_(law.state.cwiseAbs()), order_(order) {}

void ModeMotion::act(std::size_t element, double multiplier, Vector& rate) const {
  for (const auto& [column, factor] : law_.elements[element].acts) {
    rate[index(column)] -= factor * multiplier;
  }
}

void ModeMotion::set_modes(const Modes& modes) {
  if (modes == modes_) {
    return;
  }
  modes_ = modes;
  holding_.clear();
  std::map<std::size_t, std::vector<std::pair<std::size_t, double>>> seen;  // column: who sees it
  for (std::size_t e = 0; e < modes.size(); ++e) {
    if ((law_.elements[e].place == Place::in_series) == (modes[e] != 0)) {
      for (const auto& [column, factor] : law_.elements[e].sees) {
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
    for (const auto& [column, factor] : law_.elements[holding_[j]].acts) {
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

void ModeMotion::expand(const Vector& start, const Polynomial& force, double span,
                        double force_size) {
  span_ = span;
  force_size_ = force_size;
  force_ = force;
  state_.setZero(start.size(), order_ + 1);
  multiplier_.setZero(index(modes_.size()), order_);
  state_.col(0) = start;
  Vector held(index(holding_.size()));
  for (int k = 0; k < order_; ++k) {
    Vector rate = law_.state * state_.col(k) + coefficient(force, k) * law_.force +
                  ((k + 1) * coefficient(force, k + 1) / span) * law_.force_rate;
    for (std::size_t e = 0; k == 0 && e < modes_.size(); ++e) {
      if (law_.elements[e].place == Place::in_parallel && modes_[e] != 0) {
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
    if (law_.following) {
      const auto& [column, by_force, by_state] = *law_.following;
      state_(column, k + 1) =
          by_force * coefficient(force, k + 1) + by_state.dot(state_.col(k + 1));
    }
  }
  measure();
}

void ModeMotion::shorten(double factor) {
  span_ *= factor;
  double power = 1.0;
  for (int k = 0; k <= order_; ++k, power *= factor) {
    state_.col(k) *= power;
    if (k < order_) {
      multiplier_.col(k) *= power;
    }
    if (static_cast<std::size_t>(k) < force_.size()) {
      force_[static_cast<std::size_t>(k)] *= power;
    }
  }
  measure();
}

Vector ModeMotion::state(double tau) const {
  return value_of_rows(state_, tau);
}

Vector ModeMotion::rate(double tau) const {
  Vector sum = Vector::Zero(state_.rows());
  for (int k = order_; k > 0; --k) {
    sum = sum * tau + k * state_.col(k);
  }
  return sum / span_;
}

Polynomial ModeMotion::seen(std::size_t element) const {
  Polynomial p(static_cast<std::size_t>(order_) + 1);
  for (const auto& [column, factor] : law_.elements[element].sees) {
    for (std::size_t k = 0; k < p.size(); ++k) {
      p[k] += factor * state_(index(column), index(k));
    }
  }
  return p;
}

Polynomial ModeMotion::multiplier(std::size_t element) const {
  Polynomial p(static_cast<std::size_t>(order_));
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = multiplier_(index(element), index(k));
  }
  return p;
}

Vector ModeMotion::acting(double tau) const {
  Vector rate = Vector::Zero(state_.rows());
  const Vector multipliers = value_of_rows(multiplier_, tau);
  for (std::size_t e = 0; e < modes_.size(); ++e) {
    act(e, -multipliers[index(e)], rate);
  }
  return rate;
}

Vector ModeMotion::sizes() const {
  Vector terms = largest_drift_;
  const Vector multipliers = multiplier_.cwiseAbs().rowwise().maxCoeff();
  for (std::size_t e = 0; e < modes_.size(); ++e) {
    for (const auto& [column, factor] : law_.elements[e].acts) {
      terms[index(column)] += std::abs(factor) * multipliers[index(e)];
    }
  }
  const Vector once = state_.cwiseAbs().rowwise().maxCoeff() + span_ * terms;
  return once + span_ * (magnitude_ * once);  // what cancels in y does not in x
}

/// What sizes are compared with: the terms of the drift, and those of the multipliers.
void ModeMotion::measure() {
  double largest_force = force_size_;
  for (std::size_t k = 0; k < force_.size(); ++k) {
    largest_force = std::max(largest_force, static_cast<double>(k + 1) * std::abs(force_[k]));
  }
  largest_drift_ = magnitude_ * state_.cwiseAbs().rowwise().maxCoeff() +
                   largest_force * (law_.force.cwiseAbs() + law_.force_rate.cwiseAbs() / span_);
  const auto scale_at = [&](Place place) {
    double largest = 0.0;
    double amplification = 0.0;
    for (std::size_t i = 0; i < holding_.size(); ++i) {
      const StVenant& element = law_.elements[holding_[i]];
      if (element.place == place) {
        double sum = 0.0;
        for (const auto& [column, factor] : element.sees) {
          sum += std::abs(factor) * largest_drift_[index(column)];
        }
        largest = std::max(largest, sum);
        amplification = std::max(amplification, response_[index(i)]);
      }
    }
    return amplification * largest;
  };
  scale_in_series_ = scale_at(Place::in_series);
  scale_in_parallel_ = scale_at(Place::in_parallel);
}

}  // namespace masing::rheology
