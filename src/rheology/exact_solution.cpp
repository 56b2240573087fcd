#include "rheology/exact_solution.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/mode_motion.hpp"

namespace masing::rheology {

namespace {

using base::Clock;
using Eigen::Index;
using Vector = Eigen::VectorXd;

using base::infinity;
/// What counts as rounding, in units of base::epsilon.
constexpr double rounding = 16 * base::epsilon;

/// Which group each column is of: all in one have the same unit and size.
std::vector<std::size_t> groups_of(const StateLayout& layout) {
  std::vector<std::size_t> groups;
  for (const auto& group : layout.groups) {
    const std::size_t letter = group.name.front() == 'x' ? 0 : group.name.front() == 'y' ? 1 : 2;
    const std::int64_t columns = group.extent == GroupSize::one ? 1 : layout.elements;
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
        law_(linear_law(model_, start.size())),
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
      if (element.place == Place::in_series) {
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
    if (law_.following) {
      state_[law_.following->column] =
          law_.following->force * force + law_.following->state.dot(state_);
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
    return rounding * (element.place == Place::in_series ? element.bound : largest_[1]);
  }

  void plan() {
    require_progress();
    const double longest =
        std::min(fitting_span_, std::max(clock_.until(force_.piece_end()), least_span()));
    const Polynomial force = resolved_force(longest);
    open();
    settle(force);
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

  /// F over span_, the longest part of `span` in which it is resolved. Throws UserError where it is
  /// resolved at no span for a thousand steps.
  Polynomial resolved_force(double span) {
    span = std::min(span, 2 * force_span_);
    const double now = clock_.time;
    const auto within = [&](double tau) {
      const double force = force_(now + (clock_.rest + tau * span_));
      largest_force_ = std::max(largest_force_, std::abs(force));
      return force;
    };
    for (double tail = infinity;; span *= 0.5) {
      span_ = span;
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
        return fit.polynomial();
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
      if (element.place == Place::in_series) {
        if (modes_[e] != 0 || e == hit_ || std::abs(q) >= element.bound - noise_of_seen(e)) {
          const double at = is_fixed(e) ? 0.0 : std::copysign(element.bound, q);
          state_[static_cast<Index>(element.sees.front().column)] = at;
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
           law_.elements[elements[static_cast<std::size_t>(j)]].acts) {
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
  void settle(const Polynomial& force) {
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
      motion_.expand(state_, force, span_, largest_force_);
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
    const auto& [place, bound, sees, acts] = law_.elements[e];
    const bool in_series = place == Place::in_series;
    // An element that yields or slides keeps a sign; one that keeps still stays within its bound.
    const bool holds = (modes_[e] != 0) == in_series;
    const Polynomial p = holds ? motion_.multiplier(e) : motion_.seen(e);
    const double noise = holds ? rounding * motion_.multiplier_scale(place) : noise_of_seen(e);
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
    if (!law_.following) {  // whose drift needs F'
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
    if (!law_.following) {
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
  double span_ = 0.0;       // on which F is a polynomial
  double fitting_span_;     // allowed by what the last polynomials cut off
  double force_span_;       // and by F
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
