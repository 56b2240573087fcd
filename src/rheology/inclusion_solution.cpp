#include "rheology/inclusion_solution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "rheology/element_modes.hpp"

namespace masing::rheology {

namespace {

using base::Clock;

/// Returns the group of each column: 0 for positions, 1 for velocities, 2 for forces and
/// elongations. In one model all columns of a group have the same unit.
std::vector<Index> groups_of(const StateLayout& layout) {
  std::vector<Index> groups;
  for (const auto& group : layout.groups) {
    const Index letter = group.name.front() == 'x' ? 0 : group.name.front() == 'y' ? 1 : 2;
    const std::int64_t columns = group.size == GroupSize::one ? 1 : layout.elements;
    groups.insert(groups.end(), static_cast<std::size_t>(columns), letter);
  }
  return groups;
}

/// One number for each group: positions x, velocities y, and forces and elongations.
using GroupSizes = Eigen::Array3d;

/// Returns X at t = 0. In a model without a mass, the first column x is computed from the force.
Vector start_of(const LinearLaw& law, std::vector<double>& start, double force) {
  Vector state = Eigen::Map<Vector>(start.data(), std::ssize(start));
  if (law.algebraic) {
    state[0] = law.algebraic->force * force + law.algebraic->state.dot(state);
  }
  return state;
}

/// Advances the solution from event to event. For each step, plan() computes the motion over a
/// span. The span is so short that truncation errors of the polynomials of the motion are below
/// rounding errors. On the span a polynomial approximates F within rounding errors, except on a
/// span of a few ulp at a time where F is not smooth. The step ends at the first event in this
/// span, or at the end of the span if there is no event. check() checks the planned motion, and
/// carry_out() advances the state to the end of the step.
class EventSolution final : public InclusionSolution {
 public:
  EventSolution(std::unique_ptr<Inclusion> model, const StateLayout& layout,
                std::vector<double> start, base::SmoothPieces force, const TaylorOptions& options)
      : model_(std::move(model)),
        law_(linear_law(*model_, layout.size(), layout.groups.front().start == Start::follows)),
        force_(std::move(force)),
        options_(options),
        group_(groups_of(layout)),
        state_(start_of(law_, start, force_(0.0))),
        motion_(law_, options.order),
        modes_(law_, motion_, largest_[1], state_),
        longest_span_(options.span_share * force_.final_time() / 64),
        fitting_span_(longest_span_),
        force_span_(fitting_span_) {
    sample_force();
    for (const StVenant& element : law_.elements) {
      if (element.connection == Connection::in_series) {
        largest_[2] = std::max(largest_[2], element.bound);
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
    current_state_ = motion_.state(tau);
    current_rate_ = motion_.rate(tau);
    current_sizes_ =
        group_sizes(current_state_, 0)
            .max(rounding_share * group_sizes(motion_.spread(columns_of(step_sizes_)), 0));
    current_friction_ = law_.friction ? value(motion_.multiplier(*law_.friction), tau) : 0.0;
  }

  [[nodiscard]] std::span<const double> state() const override { return span_of(current_state_); }
  [[nodiscard]] std::span<const double> rate() const override { return span_of(current_rate_); }
  [[nodiscard]] double restoring() const override {
    return law_.restoring.dot(current_state_) + current_friction_;
  }
  [[nodiscard]] double scale(std::size_t column) const override {
    const Index group = group_[column];
    return std::max(largest_[group], current_sizes_[group]);
  }

 private:
  [[nodiscard]] Clock end_clock() const {
    return ends_piece_ ? Clock{force_.piece_end(), 0.0} : clock_.after(end_ * motion_.span());
  }

  void plan() {
    require_progress();
    const double longest =
        std::min(fitting_span_, std::max(clock_.until(force_.piece_end()), least_span()));
    const Polynomial force = resolved_force(longest);
    modes_.open(state_);
    const auto expand = [&] {
      motion_.expand(state_, force, force_span_, largest_force_);
      fit_span();
    };
    if (!modes_.choose(expand)) {
      fail("no modes of its elements fit");
    }
    end_ = modes_.find_break();
    ends_piece_ =
        !modes_.has_break() && clock_.after(motion_.span()).until(force_.piece_end()) <= 0.0;
    check();
    is_planned_ = true;
  }

  [[nodiscard]] double least_span() const { return base::least_span(clock_, fitting_span_); }

  /// Raises largest_force_ to the largest |F| at 65 times of the present piece, if that is larger.
  /// Rounding errors of F are measured relative to largest_force_.
  void sample_force() {
    constexpr int samples = 64;
    const double end = std::min(force_.piece_end(), force_.final_time());
    for (int i = 0; i <= samples; ++i) {
      const double force = force_(std::lerp(clock_.time, end, static_cast<double>(i) / samples));
      largest_force_ = std::max(largest_force_, std::abs(force));
    }
  }

  /// Halves `span` until a polynomial resolves F over it, or until it is at most least_span().
  /// Stores this span in force_span_ and returns the coefficients of the polynomial, [order + 1].
  /// Throws UserError if SmoothPieces::try_to_resolve() has failed over the shortest span in more
  /// than 1000 steps.
  Polynomial resolved_force(double span) {
    span = std::min(span, 2 * force_span_);
    const double now = clock_.time;
    const auto within = [&](double tau) {
      const double force = force_(now + (clock_.rest + tau * span));
      largest_force_ = std::max(largest_force_, std::abs(force));
      return force;
    };
    for (double tail = base::infinity;; span *= 0.5) {
      const double noise = std::max(force_noise_, 8 * base::epsilon * largest_force_);
      const ChebyshevFit fit(within, noise, 4 * base::epsilon * now / span);
      const bool is_smooth = force_.try_to_resolve(now, now + span, noise * span);
      const bool is_least = span <= least_span();
      // The last two coefficients of the fit (tail()) are taken for rounding errors of F if they
      // are small and halving the span hardly reduces them. Such errors are large where terms of F
      // cancel.
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

  /// Shortens the span of the motion until truncation errors of its polynomials are below rounding
  /// errors, and estimates the span of the next step.
  void fit_span() {
    double share = fitting_share();
    for (int i = 0; share < 1.0 && i < 100; ++i) {
      motion_.shorten(std::max(share, 1e-3));
      fitting_span_ = motion_.span();
      share = fitting_share();
    }
    fitting_span_ = std::min(std::max(fitting_span_, share * motion_.span()), longest_span_);
    largest_[1] = std::max(largest_[1], group_sizes(motion_.coefficients(), 0)[1]);
  }

  /// Returns for each group the largest |c(row, k)| over the rows of this group and k ≥ `first`;
  /// row i of c belongs to column i of the state.
  [[nodiscard]] GroupSizes group_sizes(const Eigen::MatrixXd& c, Index first) const {
    GroupSizes sizes = GroupSizes::Zero();
    for (Index k = first; k < c.cols(); ++k) {
      for (Index row = 0; row < c.rows(); ++row) {
        double& size = sizes[group_[static_cast<std::size_t>(row)]];
        size = std::max(size, std::abs(c(row, k)));
      }
    }
    return sizes;
  }

  /// Returns for each column the size of its group.
  [[nodiscard]] Vector columns_of(const GroupSizes& sizes) const { return sizes(group_).matrix(); }

  /// Returns span_share times the largest factor, at most 2, by which the span may be multiplied so
  /// that the last two terms of the polynomials are below rounding errors. Sets step_sizes_.
  [[nodiscard]] double fitting_share() {
    const Eigen::MatrixXd& c = motion_.coefficients();
    step_sizes_ = group_sizes(motion_.sizes(), 0);
    const GroupSizes last = group_sizes(c, c.cols() - 2);
    double share = 2.0;
    for (Index g = 0; g < step_sizes_.size(); ++g) {
      const double allowed = base::epsilon / 8 * std::max(step_sizes_[g], largest_[g]);
      if (last[g] > 0) {
        share = std::min(
            share, std::pow(allowed / last[g], 1.0 / static_cast<double>(options_.order - 1)));
      }
    }
    return options_.span_share * share;
  }

  /// Checks the planned motion in the middle of its step, and throws SystemError unless it
  /// satisfies the inclusion there. In a model with a mass, X' + D μ (see ModeMotion) must agree
  /// with the model's own drift for F at this time. In every model, every element must obey its law
  /// unless the step has the length 0.
  void check() const {
    constexpr double allowed = 1e-9;
    const double tau = 0.5 * end_;
    const Vector state = motion_.state(tau);
    const double now = clock_.time + (clock_.rest + tau * motion_.span());
    if (!law_.algebraic) {  // the drift of a model without a mass would need F'
      Vector drift = Vector::Zero(state.size());
      model_->drift({.step = 1.0, .force = force_(now)}, span_of(state), span_of(drift));
      const Vector acting = motion_.acting(tau);
      const Vector left = (drift - acting - motion_.rate(tau)).cwiseAbs() * motion_.span();
      // The second term allows for a column that has hardly moved, such as one far along a chain:
      // its rounding errors are those of the other columns of its group.
      const Vector limit = allowed * motion_.sizes() +
                           base::epsilon * motion_.spread(columns_of(largest_.max(step_sizes_)));
      if (!((left - limit).maxCoeff() <= 0)) {
        fail("its rate is not that of the model");
      }
    }
    // A step of length 0 only lets an element change its mode. Laws are not checked in it, because
    // rounding errors of the step before may make this element violate its law.
    if (const auto element = end_ > 0 ? modes_.broken_at(tau) : std::nullopt) {
      fail(fmt::format("element {} breaks its law", *element + 1));
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

  /// Advances to the end of the planned step.
  void carry_out() {
    state_ = motion_.state(end_);
    largest_ = largest_.max(group_sizes(state_, 0));
    clock_ = end_clock();
    if (ends_piece_) {
      const double before = force_(clock_.time);
      force_.pass_break();
      sample_force();
      jump(before, force_(clock_.time));
    }
  }

  /// Applies a jump of F from `before` to `after`. The jump does not change the state of a model
  /// with a mass, but a model without a mass jumps to the state that its resolvent computes.
  void jump(double before, double after) {
    if (!law_.algebraic) {
      return;
    }
    Vector rate(state_.size());
    make_step(*model_, {.step = 1.0, .force = before, .next_force = after}, span_of(state_),
              span_of(rate));
    modes_.reset(state_);
  }

  // Where hardly anything has moved yet, as under a force that begins as t⁵, rounding errors of F
  // exceed the motion. This share of step_sizes_, to which they are relative, also counts as
  // motion.
  static constexpr double rounding_share = 1e-6;

  std::unique_ptr<Inclusion> model_;
  LinearLaw law_;
  base::SmoothPieces force_;
  TaylorOptions options_;
  std::vector<Index> group_;  // the group of each column
  Clock clock_;
  GroupSizes largest_ = GroupSizes::Zero();  // the largest absolute value so far in each group
  Vector state_;                             // X at the time of clock_, the end of the step before
  ModeMotion motion_;                        // the motion from clock_ on
  ElementModes modes_;
  bool is_planned_ = false;
  bool ends_piece_ = false;
  double end_ = 0.0;  // τ at the end of the step
  double longest_span_;
  // An estimate of the longest span that truncation errors allow, from the polynomials of the step
  // that was planned last.
  double fitting_span_;
  double force_span_;  // the span on which a polynomial resolves F
  int unresolved_steps_ = 0;
  int stalled_ = 0;
  double last_time_ = -1.0;
  double largest_force_ = 0.0;
  double force_noise_ = 0.0;  // an estimated rounding error of F if terms of F cancel
  Vector current_state_;
  Vector current_rate_;
  // ModeMotion::sizes() of the planned step, for each group.
  GroupSizes step_sizes_ = GroupSizes::Zero();
  // The largest absolute value in each group at the time of the last go_to(), or the share of
  // step_sizes_ if that is larger.
  GroupSizes current_sizes_ = GroupSizes::Zero();
  double current_friction_ = 0.0;
};

}  // namespace

std::unique_ptr<InclusionSolution> make_inclusion_solution(std::unique_ptr<Inclusion> model,
                                                           const StateLayout& layout,
                                                           std::vector<double> start,
                                                           base::SmoothPieces force,
                                                           const TaylorOptions& options) {
  return std::make_unique<EventSolution>(std::move(model), layout, std::move(start),
                                         std::move(force), options);
}

}  // namespace masing::rheology
