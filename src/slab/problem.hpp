#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/function.hpp"

/// The continuous Masing inclusion, numbers in, numbers out: no MPI, no PETSc, no HDF5.
namespace masing::slab {

/// Times of steps: t_p = p·T/N from the integer p, never accumulated.
struct TimeGrid {
  double final_time = 1.0;  ///< T
  std::int64_t steps = 1;   ///< N

  /// δt = T/N.
  [[nodiscard]] double step() const { return final_time / static_cast<double>(steps); }
  /// t_p = p·T/N, p in 0..N.
  [[nodiscard]] double time(std::int64_t p) const {
    return static_cast<double>(p) * final_time / static_cast<double>(steps);
  }
};

/// One chunk of n steps from step `first`: what an engine reads and fills.
struct Chunk {
  std::int64_t first = 0;         ///< the step before the first new one
  std::span<const double> times;  ///< of steps first+1..first+n, [n]; an exact engine goes to these
  std::span<const double> force;  ///< F(t_p), p = first..first+n, [n+1]
  std::span<double> x;            ///< steps first+1..first+n, [n]
  std::span<double> y;            ///< [n]
  std::span<double> restoring;    ///< k0 x + S, [n]
};

/// The mass and what acts on it beside the slab: m x'' = F - k0 x - c x' - S. Source: (7), (26),
/// with a viscous damper beside.
struct Oscillator {
  double mass = 1.0;
  double damping = 0.0;  ///< c
  double preload = 0.0;  ///< ∫ k c ds, the constant part of S where thresholds differ by direction
  double k0 = 0.0;
  double x0 = 0.0;
  double y0 = 0.0;
};

/// Where in its cell of width δs the profile is sampled: at s_i = i/P (the papers') or (i - ½)/P.
enum class Rule { right, midpoint };

/// The name of a rule in options, files and messages.
constexpr const char* name_of(Rule rule) {
  return rule == Rule::right ? "right" : "midpoint";
}

/// P cells of width 1/P.
struct Cells {
  std::int64_t count = 1;  ///< P
  bool operator==(const Cells&) const = default;
};

/// P = ∞: u is known at every s; as a vector, at as many places as a field is asked for.
struct Continuum {
  std::int64_t field_points = 1000;
  bool operator==(const Continuum&) const = default;
};

using Space = std::variant<Cells, Continuum>;

/// One T for each function of s that a slab is made of.
template <class T>
struct Coefficients {
  T stiffness{};  ///< of k(s)
  T threshold{};  ///< of η(s)
  T initial_u{};  ///< of u0(s)
  T shift{};      ///< of c(s), see Slab
  bool operator==(const Coefficients&) const = default;
};

/// Calls `visit` with what several Coefficients have of k, then of η, then of u0, then of c.
template <class Visit, class... Each>
void for_each_column(const Visit& visit, Each&... each) {
  visit(each.stiffness...);
  visit(each.threshold...);
  visit(each.initial_u...);
  visit(each.shift...);
}

/// The element at one s, or of one cell: k, η, u0 and c.
using Element = Coefficients<double>;

/// The data of the slab and of its discretisation in s; dimensionless. Where η⁺ ≠ η⁻, engines
/// compute v = u - c with c = (η⁺ - η⁻)/2, which obeys the law with one threshold η = (η⁺ + η⁻)/2,
/// and S = ∫ k v ds + ∫ k c ds. The coefficients are those of η, v(0) and c; c is added where u is
/// shown. Source: (7) and (18), continuous-masing-2001.
struct Slab : Coefficients<base::Function> {
  Space space{};
  Rule rule = Rule::right;

  /// Whether both have the same functions, cells and rule. Local.
  bool operator==(const Slab&) const = default;
  [[nodiscard]] bool is_continuum() const { return std::holds_alternative<Continuum>(space); }
  /// Another threshold downwards, where its text is another: the slab in the variable v. Local.
  void set_threshold_down(const base::Function& down) {
    const base::Function up = threshold;
    if (down.text() != up.text()) {
      threshold = base::Function().plus(0.5, up).plus(0.5, down);
      shift = base::Function().plus(0.5, up).plus(-0.5, down);
      initial_u = initial_u.plus(-1.0, shift);
    }
  }
  /// Whether thresholds differ by direction. Local.
  [[nodiscard]] bool is_shifted() const { return !shift.is_constant() || shift(0.0) != 0.0; }
  /// Cells of u as a vector: P, or the places at which the field of the continuum is known.
  [[nodiscard]] std::int64_t field_cells() const {
    const auto* cells = std::get_if<Cells>(&space);
    return cells != nullptr ? cells->count : std::get<Continuum>(space).field_points;
  }
  /// The point of cell i of the field, 0-based: s_i = (i+1)/P, or (i+½)/P for the midpoint rule.
  [[nodiscard]] double point(std::int64_t cell) const {
    const double index =
        rule == Rule::right ? static_cast<double>(cell + 1) : static_cast<double>(cell) + 0.5;
    return index / static_cast<double>(field_cells());
  }
  /// k(s), η(s), u0(s) and c(s). Local.
  [[nodiscard]] Element element(double s) const {
    Element at;
    for_each_column([s](double& value, const base::Function& function) { value = function(s); }, at,
                    *this);
    return at;
  }
};

/// δs = 1/P; 0 for the continuum. Local.
inline double cell_width(const Space& space) {
  const auto* cells = std::get_if<Cells>(&space);
  return cells != nullptr ? 1.0 / static_cast<double>(cells->count) : 0.0;
}

/// The mass at one step: position, velocity and the slab's force on it, S = δs Σ k_i u_i less the
/// preload.
struct MassState {
  double x = 0.0;
  double y = 0.0;
  double internal_force = 0.0;
};

/// The work of the force, of the slab and of the damper.
struct Works {
  double input = 0.0;    ///< ∫ F dx
  double slab = 0.0;     ///< ∫ S dx
  double viscous = 0.0;  ///< ∫ c y² dt

  friend Works operator+(const Works& a, const Works& b) {
    return {a.input + b.input, a.slab + b.slab, a.viscous + b.viscous};
  }
};

/// The restoring force k0 x + S = F - c y - m x'', the ordinate of a hysteresis cycle.
inline double restoring_force(const Oscillator& oscillator, const MassState& state) {
  return oscillator.k0 * state.x + (state.internal_force + oscillator.preload);
}

/// x'' = (F - k0 x - c y - S)/m.
inline double acceleration(const Oscillator& oscillator, double force, const MassState& now) {
  const double others = oscillator.k0 * now.x + oscillator.damping * now.y + oscillator.preload;
  return (force - others - now.internal_force) / oscillator.mass;
}

/// Position and velocity one step on; the internal force is left for the slab to say:
///     x⁺ = x + δt y,   y⁺ = y + δt/m (F - k0 x - c y - S).
/// Source: (26a), (26b), continuous-masing-2001.
inline MassState euler_step(const Oscillator& oscillator, double step, double force,
                            const MassState& now) {
  return {now.x + step * now.y, now.y + step * acceleration(oscillator, force, now), 0.0};
}

}  // namespace masing::slab
