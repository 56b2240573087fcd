#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace masing::slab {
class Measure;
class TurningPoints;
}  // namespace masing::slab

#pragma GCC visibility push(default)

/// The part of masing that other programs link with: runs and studies, and the Masing element as a
/// material. All quantities are dimensionless.
namespace masing {

/// A spring with a slider: stiffness k > 0, largest elongation η ≥ 0.
struct SpringSlider {
  double stiffness = 0.0;
  double threshold = 0.0;
};

/// Force and stiffness of a material at one position.
struct Response {
  double force = 0.0;      ///< S
  double stiffness = 0.0;  ///< dS/dx in the direction of the move
};

/// A Masing (Prandtl) material: springs with sliders side by side, finitely many or a continuum,
/// each of which follows
///     \f[ \dot u + \partial\psi_{[-\eta,\eta]}(u) \ni \dot x. \f]
/// A value whose copies share their tables. Points of one material are for one thread at a time.
/// Source: (3) and (7), continuous-masing-2001.
class Material {
 public:
  /// Finitely many springs: \f$ S = \sum_i k_i u_i \f$. Throws Mistake where one is not
  /// admissible.
  static Material of_springs(std::span<const SpringSlider> springs);

  /// The continuum \f$ S = \int_0^1 k(s)\,u(s)\,ds \f$ from two expressions in s, as the options
  /// --stiffness and --threshold take them. Takes some 10 ms. Throws Mistake.
  static Material continuum(const std::string& stiffness, const std::string& threshold);

  /// ∫ k ds: the stiffness before anything yields, and after each reversal.
  [[nodiscard]] double elastic_stiffness() const;

 private:
  friend class MaterialPoint;
  explicit Material(std::shared_ptr<const slab::Measure> measure);

  std::shared_ptr<const slab::Measure> measure_;  ///< the tables
};

/// One point of a material: its position and the turning points of its past that still matter, not
/// the elongations of its springs. A move costs amortised one look-up in the material's tables,
/// however many springs there are.
class MaterialPoint {
 public:
  /// At `x`, all elongations zero. Throws Mistake where x is not finite.
  explicit MaterialPoint(const Material& material, double x = 0.0);
  MaterialPoint(const MaterialPoint& other);
  MaterialPoint(MaterialPoint&& other) noexcept;
  MaterialPoint& operator=(const MaterialPoint& other);
  MaterialPoint& operator=(MaterialPoint&& other) noexcept;
  ~MaterialPoint();

  /// Position x.
  [[nodiscard]] double position() const;
  /// S.
  [[nodiscard]] double force() const;
  /// What a monotone move from here to `x` would give; nothing moves. For the iterations of an
  /// implicit step. Throws Mistake where x is not finite.
  [[nodiscard]] Response trial(double x) const;
  /// Moves monotonically from here to `x`; a change of direction begins a new branch, a loop that
  /// is closed is forgotten. Throws Mistake where x is not finite.
  Response move_to(double x);
  /// The elongation of a spring of this threshold.
  [[nodiscard]] double elongation(double threshold) const;

  /// All that later moves depend on, as numbers to be kept anywhere: four and one for each turning
  /// point that still matters.
  [[nodiscard]] std::vector<double> state() const;
  /// The state that state() of a point of an equal material gave: every later result has the same
  /// bits. Throws Mistake where it is none.
  void restore(std::span<const double> state);

 private:
  Material material_;
  std::unique_ptr<slab::TurningPoints> points_;
};

}  // namespace masing

#pragma GCC visibility pop
