#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/smooth_pieces.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// How finely the exact solution is computed.
struct TaylorOptions {
  int order = 24;            ///< of Taylor's polynomials
  double span_share = 0.95;  ///< of the longest span on which what they cut off is rounding
};

/// Other options, to check a solution with.
inline constexpr TaylorOptions checking_options{.order = 18, .span_share = 0.6};

/// The exact solution of an Inclusion X' + M ∂φ(X) ∋ G(t, X), from event to event. Between events
/// each element keeps its mode (ModeMotion); the first τ at which one breaks its law ends a step:
/// it reaches its bound, its flow turns, it sticks, its stick breaks. The modes behind an event are
/// those with which every element obeys its law for a while: the least element of G - M ∂φ, and
/// where that is undecided what the next derivatives say. Source: (3.8), rheological-models-2000.
class InclusionSolution {
 public:
  InclusionSolution() = default;
  virtual ~InclusionSolution() = default;
  InclusionSolution(const InclusionSolution&) = delete;
  InclusionSolution& operator=(const InclusionSolution&) = delete;

  /// Goes to the time t ≥ 0; times must not decrease. At a jump of F: the state after it.
  /// Throws UserError where F is not finite or cannot be resolved, SystemError where the solution
  /// found does not obey the inclusion. Local.
  virtual void go_to(double t) = 0;

  /// X at that time, [columns].
  [[nodiscard]] virtual std::span<const double> state() const = 0;
  /// X' there, behind an event at that time.
  [[nodiscard]] virtual std::span<const double> rate() const = 0;
  /// F - m x'' of the mass that F acts on.
  [[nodiscard]] virtual double restoring() const = 0;
  /// What rounding and errors of a column are to be compared with: the largest value of its group
  /// so far.
  [[nodiscard]] virtual double scale(std::size_t column) const = 0;
};

/// From t = 0, X = `start`, which the force completes where the model StartsFromForce. Local.
std::unique_ptr<InclusionSolution> make_inclusion_solution(AnyModel model,
                                                           const StateLayout& layout,
                                                           std::vector<double> start,
                                                           base::SmoothPieces force,
                                                           const TaylorOptions& options = {});

}  // namespace masing::rheology
