#include "rheology/linear_law.hpp"

#include <algorithm>
#include <variant>

namespace masing::rheology {

namespace {

using Vector = Eigen::VectorXd;

std::span<double> span_of(Vector& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// How large a number to try in each column: one that the state may have.
Vector trial_sizes(const std::vector<StVenant>& elements, Eigen::Index columns) {
  Vector sizes = Vector::Ones(columns);
  for (const StVenant& element : elements) {
    if (element.place == Place::in_series && element.bound > 0) {
      sizes[static_cast<Eigen::Index>(element.sees.front().column)] = element.bound;
    }
  }
  return sizes;
}

template <class Model>
class LawOf {
 public:
  LawOf(Model model, Eigen::Index columns) : model_(std::move(model)), columns_(columns) {}

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
    for (Eigen::Index c = 0; c < columns_; ++c) {
      Vector trial = Vector::Zero(columns_);
      trial[c] = sizes[c];
      const Vector rates = rate(trial, {.step = 1});
      for (Eigen::Index r = 0; r < columns_; ++r) {
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
  Eigen::Index columns_;
};

}  // namespace

LinearLaw linear_law(const AnyModel& model, std::size_t columns) {
  return std::visit(
      [&]<class Model>(const Model& one) {
        return LawOf<Model>(one, static_cast<Eigen::Index>(columns)).law();
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

}  // namespace masing::rheology
