#pragma once

#include <cstdint>

#include "options/configuration.hpp"
#include "options/function.hpp"

/// The continuous Masing inclusion, numbers in, numbers out: no MPI, no PETSc, no HDF5.
namespace masing {

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

/// The mass and what acts on it beside the slab: m x'' = F - k0 x - S. Source: (7), (26).
struct Oscillator {
  double mass = 1.0;
  double k0 = 0.0;
  double x0 = 0.0;
  double y0 = 0.0;
};

/// Data of the inclusion and of its discretisation; dimensionless.
/// Source: (7) and (26), continuous-masing-2001.
struct Problem {
  options::Function stiffness;  ///< k(s)
  options::Function threshold;  ///< η(s)
  options::Function initial_u;  ///< u0(s)
  options::Function force;      ///< F(t)
  Oscillator oscillator;
  TimeGrid time;
  std::int64_t cells = 1;  ///< P, or options::infinitely_many
  /// Cells of the field where P = ∞; of finite P, cells of it that go to files, 0: all.
  std::int64_t field_points = 0;
  options::Rule rule = options::Rule::right;
  options::Scheme scheme = options::Scheme::euler;

  [[nodiscard]] bool continuum() const { return cells == options::infinitely_many; }
  /// Cells of u as a vector: P, or the places at which the field of the continuum is known.
  [[nodiscard]] std::int64_t field_cells() const { return continuum() ? field_points : cells; }
  /// The point of cell i of the field, 0-based: s_i = (i+1)/P, or (i+½)/P for the midpoint rule.
  [[nodiscard]] double point(std::int64_t cell) const;
};

/// The problem of a validated configuration. Local.
Problem make_problem(const options::Configuration& configuration);

}  // namespace masing
