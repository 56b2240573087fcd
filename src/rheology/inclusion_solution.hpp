#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/smooth_pieces.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// How finely the exact solution is computed.
struct TaylorOptions {
  int order = 24;  ///< the degree of the Taylor polynomials
  /// The length of a step is at most this share of the longest span over which truncation errors
  /// are below rounding errors.
  double span_share = 0.95;
};

/// The options of a second solution, which checks the solution that has the default options.
inline constexpr TaylorOptions checking_options{.order = 18, .span_share = 0.6};

/// The exact solution of an Inclusion X' + M ∂φ(X) ∋ G(t, X), computed from event to event. Between
/// events each element keeps its mode: it is elastic, yields, sticks or slides (ModeMotion). A step
/// ends at the latest when an element breaks its law (StVenant): an elastic element reaches its
/// bound, a yielding one ceases to yield, a sliding one comes to rest, or a sticking one begins to
/// slide. After an event the modes are those with which every element obeys its law for some time.
/// With these modes X' is the vector of smallest norm in the set G - M ∂φ(X), where the norm is
/// that of M⁻¹. If several choices of modes give this vector, the higher derivatives of X decide.
/// Source: (3.8), rheological-models-2000.
class InclusionSolution {
 public:
  InclusionSolution() = default;
  virtual ~InclusionSolution() = default;
  InclusionSolution(const InclusionSolution&) = delete;
  InclusionSolution& operator=(const InclusionSolution&) = delete;

  /// Advances to the time t ≥ 0; times must not decrease. At a jump of F, the state after the jump
  /// is computed. Throws UserError if F is not finite or cannot be resolved. Throws SystemError if
  /// the solution cannot be continued or does not satisfy the inclusion. Local.
  virtual void go_to(double t) = 0;

  /// Returns X at the time of the last go_to(), [columns].
  [[nodiscard]] virtual std::span<const double> state() const = 0;
  /// Returns X' at the time of the last go_to(), [columns]; at an event, X' is the derivative after
  /// the event.
  [[nodiscard]] virtual std::span<const double> rate() const = 0;
  /// Returns F - m x'' at the time of the last go_to(), for the mass that F acts on.
  [[nodiscard]] virtual double restoring() const = 0;
  /// Returns the number relative to which errors of a column are measured. It is the largest
  /// absolute value so far in all columns of the same kind: positions, velocities, or forces and
  /// elongations. For forces and elongations, the bounds of the elements in series count as values.
  /// It is at least 10⁻⁶ of what the largest |F| so far would move within a step, because rounding
  /// errors of F are relative to that.
  [[nodiscard]] virtual double scale(std::size_t column) const = 0;
};

/// Creates the solution that begins at t = 0 with X = `start`. Columns that follow from the
/// force (Start::follows) are computed. Throws UserError if F is found to be infinite
/// or NaN at the 65 times at which its first piece is sampled. Local.
std::unique_ptr<InclusionSolution> make_inclusion_solution(std::unique_ptr<Inclusion> model,
                                                           const StateLayout& layout,
                                                           std::vector<double> start,
                                                           base::SmoothPieces force,
                                                           const TaylorOptions& options = {});

}  // namespace masing::rheology
