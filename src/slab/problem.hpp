#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/function.hpp"

/// The data of the continuous Masing model: the slab and the mass on it. The code in this folder
/// takes and returns plain numbers and arrays; it uses neither MPI nor PETSc nor HDF5.
namespace masing::slab {

/// The times t_p = p·T/N of the steps. Each time is computed from the integer p and not by adding
/// up steps, so that rounding errors do not accumulate.
struct TimeGrid {
  double final_time = 1.0;  ///< T
  std::int64_t steps = 1;   ///< N

  /// Returns δt = T/N.
  [[nodiscard]] double step() const { return final_time / static_cast<double>(steps); }
  /// Returns t_p = p·T/N for p = 0, …, N.
  [[nodiscard]] double time(std::int64_t p) const {
    return static_cast<double>(p) * final_time / static_cast<double>(steps);
  }
};

/// A chunk of n consecutive steps: the times and forces that an engine reads, and the arrays that
/// it fills.
struct Chunk {
  /// The step at which the chunk begins; the new steps are first+1..first+n.
  std::int64_t first = 0;
  /// The times at which the motion is computed, [n]: those of the steps first+1..first+n. Exact
  /// engines accept any other times, too.
  std::span<const double> times;
  /// The prescribed force F(t_p), or position x(t_p), for p = first..first+n, [n+1]. Exact engines
  /// do not read this array.
  std::span<const double> force;
  /// The motion of the base at the same steps, [n+1], of a model whose base moves by a function of
  /// its own; else empty.
  std::span<const double> base = {};
  /// x at `times`, [n].
  std::span<double> x;
  /// y at `times`, [n].
  std::span<double> y;
  /// The restoring force k0 x + S at `times`, [n].
  std::span<double> restoring;
};

/// The data of the mass: its initial motion, and the coefficients of m x'' = F - k0 x - c x' - S,
/// where S is the force of the slab. Source: (7), (26), continuous-masing-2001, with an additional
/// viscous damper.
struct Oscillator {
  double mass = 1.0;
  /// c, the coefficient of the viscous damper.
  double damping = 0.0;
  /// The constant part ∫ k c(s) ds of S, where c(s) is the shift of the slab (see Slab), not the
  /// damping. It is 0 if the thresholds do not differ by direction.
  double preload = 0.0;
  double k0 = 0.0;  ///< the stiffness of the linear spring
  double x0 = 0.0;  ///< the initial position
  double y0 = 0.0;  ///< the initial velocity
};

/// The place s in each cell where k, η, u0 and c of the cell are evaluated. For cell i = 1, …, P of
/// width 1/P, `right` is s_i = i/P, as in the papers, and `midpoint` is (i - ½)/P.
enum class Rule { right, midpoint };

/// Returns the name of a rule in options, files and messages.
constexpr const char* name_of(Rule rule) {
  return rule == Rule::right ? "right" : "midpoint";
}

/// A slab discretized into P cells of width 1/P.
struct Cells {
  std::int64_t count = 1;  ///< P
  bool operator==(const Cells&) const = default;
};

/// A slab that is not discretized in s (P = ∞): u is known at every s. When u is written to a file,
/// it is evaluated at `field_points` values of s.
struct Continuum {
  std::int64_t field_points = 1000;
  bool operator==(const Continuum&) const = default;
};

/// The discretization of a slab in s.
using Space = std::variant<Cells, Continuum>;

/// A value of type T for each of the four functions of s that define a slab.
template <class T>
struct Coefficients {
  T stiffness{};  ///< the value for k(s)
  T threshold{};  ///< the value for η(s)
  T initial_u{};  ///< the value for v0(s) = u0(s) - c(s), see Slab
  T shift{};      ///< the value for c(s), see Slab
  bool operator==(const Coefficients&) const = default;
};

/// Calls `visit` four times: with the `stiffness` of all the given Coefficients, then with the
/// `threshold` of all, then with `initial_u`, then with `shift`.
template <class Visit, class... Each>
void for_each_column(const Visit& visit, Each&... each) {
  visit(each.stiffness...);
  visit(each.threshold...);
  visit(each.initial_u...);
  visit(each.shift...);
}

/// The values of k, η, v0 and c (see Slab) at one s, or in one cell.
using Element = Coefficients<double>;

/// Returns η⁺, the threshold of u upwards. Local.
inline double threshold_up(const Element& element) {
  return element.threshold + element.shift;
}
/// Returns η⁻, the threshold of u downwards. Local.
inline double threshold_down(const Element& element) {
  return element.threshold - element.shift;
}

/// The functions of s that define a slab, and its discretization. The threshold η⁺ upwards and the
/// threshold η⁻ downwards may differ. Engines compute v = u - c with c = (η⁺ - η⁻)/2, because v
/// obeys the law with the one threshold η = (η⁺ + η⁻)/2 in both directions. The force of the slab
/// is then
///     S = ∫ k v ds + ∫ k c ds.
/// The member `threshold` is η, `shift` is c, and `initial_u` is v0 = u0 - c, the initial v. Where
/// u is written, c is added to v. If η⁺ = η⁻, then c = 0, v = u and v0 = u0. Source: (7) and (18),
/// continuous-masing-2001.
struct Slab : Coefficients<base::Function> {
  Space space{};
  Rule rule = Rule::right;

  /// Returns whether both slabs have the same functions, discretization and rule. Local.
  bool operator==(const Slab&) const = default;
  /// Returns whether P = ∞. Local.
  [[nodiscard]] bool is_continuum() const { return std::holds_alternative<Continuum>(space); }
  /// Sets the downward threshold η⁻ to `down`. Before the call `threshold` must be η⁺ and
  /// `initial_u` must be u0. If the texts of η⁺ and η⁻ differ, `threshold`, `shift` and `initial_u`
  /// become η, c and v0 as defined above; otherwise nothing changes. Local.
  void set_threshold_down(const base::Function& down) {
    const base::Function up = threshold;
    if (down.text() != up.text()) {
      threshold = base::Function().plus(0.5, up).plus(0.5, down);
      shift = base::Function().plus(0.5, up).plus(-0.5, down);
      initial_u = initial_u.plus(-1.0, shift);
    }
  }
  /// Returns false if c evidently is 0: if its function is a constant
  /// (base::Function::is_constant()) of value 0. Otherwise returns true. Local.
  [[nodiscard]] bool is_shifted() const { return !shift.is_constant() || shift(0.0) != 0.0; }
  /// Returns the number of values of u in a field: P, or `field_points` if P = ∞. Local.
  [[nodiscard]] std::int64_t field_cells() const {
    const auto* cells = std::get_if<Cells>(&space);
    return cells != nullptr ? cells->count : std::get<Continuum>(space).field_points;
  }
  /// Returns the place of value i of a field, counted from 0: (i+1)/P for the rule `right`, (i+½)/P
  /// for `midpoint`, where P is field_cells(). Local.
  [[nodiscard]] double point(std::int64_t cell) const {
    const double index =
        rule == Rule::right ? static_cast<double>(cell + 1) : static_cast<double>(cell) + 0.5;
    return index / static_cast<double>(field_cells());
  }
  /// Returns k(s), η(s), v0(s) and c(s). Local.
  [[nodiscard]] Element element(double s) const {
    Element at;
    for_each_column([s](double& value, const base::Function& function) { value = function(s); }, at,
                    *this);
    return at;
  }
};

/// Returns δs = 1/P, or 0 for the continuum. Local.
inline double cell_width(const Space& space) {
  const auto* cells = std::get_if<Cells>(&space);
  return cells != nullptr ? 1.0 / static_cast<double>(cells->count) : 0.0;
}

/// The position and the velocity of the mass at one time, and the force of the slab on it without
/// the constant part Oscillator::preload.
struct MassState {
  double x = 0.0;               ///< the position
  double y = 0.0;               ///< the velocity
  double internal_force = 0.0;  ///< δs Σ k_i v_i, or ∫ k v ds if P = ∞; v is defined at Slab
};

/// The work of the external force, of the slab's force and of the damper during a time interval.
struct Works {
  double input = 0.0;    ///< ∫ F dx
  double slab = 0.0;     ///< ∫ S dx
  double viscous = 0.0;  ///< ∫ c y² dt

  friend Works operator+(const Works& a, const Works& b) {
    return {a.input + b.input, a.slab + b.slab, a.viscous + b.viscous};
  }
};

/// Returns the restoring force k0 x + S, which equals F - c y - m x''. This force is the ordinate
/// in plots of hysteresis cycles. Local.
inline double restoring_force(const Oscillator& oscillator, const MassState& state) {
  return oscillator.k0 * state.x + (state.internal_force + oscillator.preload);
}

/// Returns the acceleration x'' = (F - k0 x - c y - S)/m. Local.
inline double acceleration(const Oscillator& oscillator, double force, const MassState& now) {
  const double others = oscillator.k0 * now.x + oscillator.damping * now.y + oscillator.preload;
  return (force - others - now.internal_force) / oscillator.mass;
}

/// Returns position and velocity after one step of scheme `euler`. The internal force in the result
/// is 0; the caller must set it after moving the slab.
///     x⁺ = x + δt y,   y⁺ = y + δt/m (F - k0 x - c y - S).
/// Local. Source: (26a), (26b), continuous-masing-2001.
inline MassState euler_step(const Oscillator& oscillator, double step, double force,
                            const MassState& now) {
  return {now.x + step * now.y, now.y + step * acceleration(oscillator, force, now), 0.0};
}

}  // namespace masing::slab
