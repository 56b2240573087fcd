#pragma once

// This header needs only C++17 and the standard library.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

#pragma GCC visibility push(default)

/// The part of masing that other programs can link: runs and studies, and the Masing element as a
/// material. All quantities are dimensionless.
namespace masing {

/// A view of contiguous values that the caller owns, like std::span of C++20. It can be constructed
/// from a std::vector, std::array, std::span or C array, or from a pointer and the number of
/// values.
template <class T>
class View {
 public:
  View() = default;
  View(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class Range, class = decltype(static_cast<T*>(std::data(std::declval<Range&>())))>
  View(Range&& range)  // NOLINT(bugprone-forwarding-reference-overload): as std::span
      : data_(std::data(range)), size_(std::size(range)) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() const { return data_; }
  [[nodiscard]] T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A spring in series with a slider. The slider yields so that the elongation u of the spring stays
/// in -η⁻ ≤ u ≤ η.
struct SpringSlider {
  double stiffness = 0.0;  ///< k ≥ 0; at least one spring of a material has k > 0
  double threshold = 0.0;  ///< η ≥ 0, the largest elongation.
  /// η⁻ ≥ 0, the largest contraction; NaN means η⁻ = η.
  double threshold_down = std::numeric_limits<double>::quiet_NaN();
  double initial_u = 0.0;  ///< u0, the elongation at the start, with -η⁻ ≤ u0 ≤ η
};

/// Springs with sliders for every s in [0, 1]. Each member is the text of a function of s, as the
/// options --stiffness, --threshold, --threshold-down and --initial-u take it. The text "points:s
/// value; …" stands for the function through the points (s, value), which is linear between them
/// and constant beyond them.
struct Continuum {
  std::string stiffness = "1";      ///< k(s) ≥ 0
  std::string threshold = "s+0.1";  ///< η(s) ≥ 0
  std::string threshold_down = {};  ///< η⁻(s) ≥ 0; an empty text means η⁻ = η
  std::string initial_u = "0";      ///< u0(s)
};

/// The force and the stiffness of a material at one position.
struct Response {
  double force = 0.0;  ///< k0 x + S, where S is the force of the springs with sliders.
  /// The derivative of the force with respect to x, in the direction of the move. If the move has
  /// length 0, the direction of the previous move is used, or upwards if there was none.
  double stiffness = 0.0;
};

/// A Masing (Prandtl) material: a spring k0 that does not yield, in parallel with finitely many
/// springs with sliders, or with a continuum of springs with sliders. The elongation u of each
/// spring with a slider follows
///     \f[ \dot u + \partial\psi_{[-\eta^-,\eta]}(u) \ni \dot x. \f]
/// A Material is immutable, and its copies share one set of tables. Several threads may move points
/// of the same material, if each thread moves its own points. Source: (3) and (7),
/// continuous-masing-2001.
class Material {
 public:
  /// Creates a material of finitely many springs, \f$ S = \sum_i k_i u_i \f$. If a spring
  /// contributes less than 1e-16 of the sum, its contribution is lost by rounding. Throws Mistake
  /// if there is no spring, if k0 or a value of a spring is not admissible, or if the largest k or
  /// the largest k η does not lie in [1e-200, 1e200].
  static Material of_springs(View<const SpringSlider> springs, double k0 = 0.0);

  /// Creates the continuum \f$ S = \int_0^1 k(s)\,u(s)\,ds \f$. This takes 1 to 10 ms, but seconds
  /// for functions that oscillate. Throws Mistake if k0 or a value of a function is not admissible,
  /// or if the largest k or the largest k η does not lie in [1e-200, 1e200]. Also throws Mistake if
  /// the functions vary too fast, as tables of several thousand points may do.
  static Material continuum(const Continuum& slab, double k0 = 0.0);
  /// Creates the continuum with these two functions of s; the other functions have their defaults.
  static Material continuum(const std::string& stiffness, const std::string& threshold) {
    return continuum(Continuum{stiffness, threshold});
  }

  /// Returns k0, the stiffness of the spring that does not yield.
  [[nodiscard]] double k0() const;
  /// Returns k0 + ∫ k ds, the stiffness before any spring yields, and after each reversal.
  [[nodiscard]] double elastic_stiffness() const;
  /// Returns a hash of the data of the material, which every state() of a point of the material
  /// contains. Two materials of finitely many springs are called equal if they have the same k0 and
  /// the same springs in the same order. Two continua are called equal if they have the same k0 and
  /// the same texts of the functions of s, apart from leading and trailing blanks. Equal materials
  /// have the same hash. Materials that are not equal practically certainly have different hashes.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  friend class MaterialPoint;
  struct Data;
  explicit Material(Data&& data);

  std::shared_ptr<const Data> data_;
};

/// One point of a material. A point stores its position and the positions of the past turning
/// points on which the forces still depend. It does not store the elongations of the springs. On
/// average over many moves, a move costs one look-up in the tables of the material, however many
/// springs there are. A single move that closes loops costs one look-up for each loop. An energy
/// and restore() cost one look-up for each stored turning point. Positions must be finite and at
/// most 1e150 in absolute value, so that energies are finite. After std::move has been applied to a
/// point, the point can only be destroyed or assigned to.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): operator= takes a value
class MaterialPoint {
 public:
  /// Creates a point at `x`, with every spring at its initial elongation. Throws Mistake if x is
  /// not finite or |x| > 1e150.
  explicit MaterialPoint(const Material& material, double x = 0.0);
  MaterialPoint(const MaterialPoint& other);
  MaterialPoint(MaterialPoint&& other) noexcept;
  MaterialPoint& operator=(MaterialPoint other) noexcept;
  ~MaterialPoint();

  /// Returns the committed position x.
  [[nodiscard]] double position() const;
  /// Returns the force k0 x + S at the committed position.
  [[nodiscard]] double force() const;

  /// Returns the response after a monotone move from the committed position to `x`. The point does
  /// not move, and no memory is allocated. Throws Mistake if x is not finite or |x| > 1e150.
  [[nodiscard]] Response trial(double x) const;
  /// Returns trial(x) and stores x as the trial for commit(), as an implicit time step does in each
  /// iteration. The point does not move. Throws Mistake if x is not finite or |x| > 1e150; then no
  /// trial is stored any more.
  Response set_trial(double x);
  /// Moves the point monotonically to the stored trial, which becomes the committed position. If
  /// the direction differs from that of the previous move, the position before the move is stored
  /// as a turning point. If the move closes a loop, the turning points of the loop are discarded.
  /// If no trial is stored, the point does not move.
  void commit();
  /// Discards the stored trial.
  void revert_to_last();
  /// Returns the point to its start: to the position at which it was constructed, with every spring
  /// at its initial elongation. A copy, or a point with a restored state, returns to the start of
  /// the point from which the copy or the state was taken.
  void revert_to_start();
  /// Moves the point to `x`, as set_trial(x) and commit() do, and returns the response there.
  Response move_to(double x);

  /// Returns the elongation u, at the committed position, of the spring of the material that has
  /// the thresholds and the u0 of `spring`. Throws Mistake if `spring` is not admissible, or if its
  /// u0 shows that the material has no such spring. The thresholds are not checked: the caller must
  /// ensure that the material has a spring with these thresholds.
  [[nodiscard]] double elongation(const SpringSlider& spring) const;
  /// Returns the elongation u, at the committed position, of a spring of the material that has this
  /// threshold in both directions and u0 = 0.
  [[nodiscard]] double elongation(double threshold) const {
    return elongation(SpringSlider{1.0, threshold});
  }
  /// Returns the stored energy ½ k0 x² + ½ ∫ k u² ds at the committed position.
  [[nodiscard]] double stored_energy() const;
  /// Returns the energy that the sliders have dissipated since the start: ∫ (k0 x + S) dx minus the
  /// increase of the stored energy, ≥ 0. If thresholds differ between the two directions, this
  /// energy has a rounding error of about ε ∫ k max(η, η⁻)² ds with ε = 2e-16, and may decrease by
  /// as much; a force then has a rounding error of about ε ∫ k max(η, η⁻) ds. These errors matter
  /// if one of the thresholds is so small that the energy or the force that belongs to it, such as
  /// ∫ k η² ds or ∫ k η ds, is of this size.
  [[nodiscard]] double dissipated_energy() const;

  /// Returns the number of values that state() returns: a fixed number, plus one for each turning
  /// point on which the forces still depend.
  [[nodiscard]] std::size_t state_size() const;
  /// Returns the state of the point: all data on which later moves depend, as numbers. The stored
  /// trial is not included.
  [[nodiscard]] std::vector<double> state() const;
  /// Writes the values that state() returns into the first state_size() elements of `numbers`, and
  /// returns state_size(). If `numbers` has fewer elements, writes nothing and throws Mistake.
  std::size_t state(View<double> numbers) const;
  /// Restores a state that state() returned for a point of an equal material (see
  /// Material::fingerprint). If `state` has more numbers than this state, the others are ignored.
  /// All later results have the same bits as those of the point whose state was saved. Throws
  /// Mistake if the state is of another material, or if no sequence of moves leads to this state;
  /// the point then does not change. A state has no checksum: if its energies or positions were
  /// altered so that other moves lead to them, restore() does not detect this.
  void restore(View<const double> state);

 private:
  struct Data;
  [[nodiscard]] Data& data();
  [[nodiscard]] const Data& data() const;

  // The data are stored in place, so that points in an array are contiguous.
  alignas(64) unsigned char storage_[192];
};

/// Several points that are moved together, such as those of the elements of a mesh. Each has its
/// own material. Arrays have the shape [n], with one number for each of the n points.
class MaterialPoints {
 public:
  /// Creates `count` points at `x`. Throws Mistake if x is not finite or |x| > 1e150.
  MaterialPoints(const Material& material, std::size_t count, double x = 0.0)
      : points_(count, MaterialPoint(material, x)) {}
  /// Creates at `x` a point of the material materials[index[i]] for each i. Throws Mistake if an
  /// index is not less than the number of materials, if x is not finite or if |x| > 1e150.
  MaterialPoints(View<const Material> materials, View<const std::size_t> index, double x = 0.0);

  /// Returns the number of points n.
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  /// Calls MaterialPoint::trial for every point and writes the forces, and the stiffnesses if
  /// `stiffness` is not empty. Throws Mistake in the same cases as set_trial(), but
  /// stored trials stay.
  void trial(View<const double> x, View<double> force, View<double> stiffness = {}) const;
  /// Calls MaterialPoint::set_trial for every point and writes the forces, and the stiffnesses if
  /// `stiffness` is not empty. Throws Mistake if an array does not have n elements, or if an x is
  /// not finite or |x| > 1e150; then every stored trial is discarded.
  void set_trial(View<const double> x, View<double> force, View<double> stiffness = {});
  /// Calls MaterialPoint::move_to for every point and writes the forces, and the stiffnesses if
  /// `stiffness` is not empty. Throws Mistake in the same cases as set_trial(); then no point
  /// moves, and every stored trial is discarded.
  void move(View<const double> x, View<double> force, View<double> stiffness = {});
  /// Moves each point along a history of positions: x has the shape [steps, n], and the forces are
  /// written to an array of this shape. The results have the same bits as those of move() for one
  /// row after another. Throws Mistake if the arrays do not have such a shape, or if an x is not
  /// finite or |x| > 1e150; then no point moves, and every stored trial is discarded.
  void move_along(View<const double> x, View<double> force);
  /// Each of these three functions calls the function of the same name for every point.
  void commit() { each(&MaterialPoint::commit); }
  void revert_to_last() { each(&MaterialPoint::revert_to_last); }
  void revert_to_start() { each(&MaterialPoint::revert_to_start); }
  /// Returns the number of values that the states of all points have together.
  [[nodiscard]] std::size_t state_size() const {
    return std::accumulate(
        points_.begin(), points_.end(), std::size_t{0},
        [](std::size_t n, const MaterialPoint& p) { return n + p.state_size(); });
  }
  /// Writes the states of all points one after another and returns the number of values written.
  /// Throws Mistake if `numbers` has fewer elements than state_size(); then only the first states
  /// may be written.
  std::size_t state(View<double> numbers) const;
  /// Restores the states of all points. `states` must contain exactly the states of n points of an
  /// equal material, as state() writes them. Throws Mistake if it contains anything else; then no
  /// point changes.
  void restore(View<const double> states);

  /// Returns point i, for all operations on a single point. Throws Mistake if i is not less than n.
  [[nodiscard]] const MaterialPoint& operator[](std::size_t i) const;
  [[nodiscard]] MaterialPoint& operator[](std::size_t i) {
    return const_cast<MaterialPoint&>(std::as_const(*this)[i]);
  }

 private:
  void each(void (MaterialPoint::*use)()) {
    for (MaterialPoint& point : points_) {
      (point.*use)();
    }
  }

  std::vector<MaterialPoint> points_;
};

}  // namespace masing

#pragma GCC visibility pop
