#pragma once

// C++17, the standard library alone.

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

/// The part of masing that other programs link with: runs and studies, and the Masing element as a
/// material. All quantities are dimensionless.
namespace masing {

/// Values that lie beside each other and belong to the caller, as std::span of C++20: of a
/// std::vector, std::array, std::span or C array, or of a pointer and a number.
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

/// A spring with a slider: -η⁻ ≤ u ≤ η.
struct SpringSlider {
  double stiffness = 0.0;  ///< k ≥ 0, not 0 of all
  double threshold = 0.0;  ///< η ≥ 0, the largest elongation
  /// η⁻ ≥ 0, the largest contraction; NaN: η.
  double threshold_down = std::numeric_limits<double>::quiet_NaN();
  double initial_u = 0.0;  ///< u0, the elongation at the start
};

/// Springs with sliders for every s in [0, 1]: texts in s, as the options --stiffness, --threshold,
/// --threshold-down and --initial-u take them, or what table() gives.
struct Continuum {
  std::string stiffness = "1";      ///< k(s) ≥ 0
  std::string threshold = "s+0.1";  ///< η(s) ≥ 0
  std::string threshold_down = {};  ///< η⁻(s) ≥ 0; empty: η(s)
  std::string initial_u = "0";      ///< u0(s)
};

/// A function of s through points (s, value), linear between them and constant beyond: the text
/// "points:s value; …", with every digit. Throws Mistake where s does not increase or sizes differ.
std::string table(View<const double> s, View<const double> values);

/// Force and stiffness of a material at one position.
struct Response {
  double force = 0.0;  ///< k0 x + S
  /// Its derivative in the direction of the move; of one of length 0, of the last one: upwards at
  /// the start.
  double stiffness = 0.0;
};

/// A Masing (Prandtl) material: springs with sliders side by side, finitely many or a continuum,
/// each of which follows
///     \f[ \dot u + \partial\psi_{[-\eta^-,\eta]}(u) \ni \dot x, \f]
/// beside a spring k0 that does not yield. A value whose copies share their tables, which do not
/// change: many threads may move points of one material, each its own. Source: (3) and (7),
/// continuous-masing-2001.
class Material {
 public:
  /// Finitely many springs: \f$ S = \sum_i k_i u_i \f$. What is less than 1e-16 of all together is
  /// lost to rounding. Throws Mistake where one is not admissible, or where the largest k or k η is
  /// not within [1e-200, 1e200].
  static Material of_springs(View<const SpringSlider> springs, double k0 = 0.0);

  /// The continuum \f$ S = \int_0^1 k(s)\,u(s)\,ds \f$. Takes 1 to 10 ms, seconds where
  /// functions oscillate. Throws Mistake as of_springs, and where they vary too fast, as tables of
  /// some thousand points may.
  static Material continuum(const Continuum& slab, double k0 = 0.0);
  /// The same with these two functions of s.
  static Material continuum(const std::string& stiffness, const std::string& threshold) {
    return continuum(Continuum{stiffness, threshold});
  }

  /// k0.
  [[nodiscard]] double k0() const;
  /// k0 + ∫ k ds: the stiffness before anything yields, and after each reversal.
  [[nodiscard]] double elastic_stiffness() const;
  /// A number that materials of other data do not have, by all that can be told: states bear it.
  /// Equal are materials of equal texts, but for outer blanks, or of equal springs in one order.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  friend class MaterialPoint;
  struct Data;
  explicit Material(Data&& data);

  std::shared_ptr<const Data> data_;
};

/// One point of a material: its position and the turning points of its past that still matter, not
/// the elongations of its springs. A move costs amortised one look-up in the material's tables,
/// however many springs there are; energies, restore and a move that wipes out loops, one for each
/// of their turning points. What is tried counts for nothing until it is committed. Positions are
/// finite, at most 1e150, so that energies are. One that is moved from may be destroyed or assigned
/// to, no more.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): operator= takes a value
class MaterialPoint {
 public:
  /// At `x`, every spring at its initial elongation. Throws Mistake where x is not finite.
  explicit MaterialPoint(const Material& material, double x = 0.0);
  MaterialPoint(const MaterialPoint& other);
  MaterialPoint(MaterialPoint&& other) noexcept;
  MaterialPoint& operator=(MaterialPoint other) noexcept;
  ~MaterialPoint();

  /// The committed position x.
  [[nodiscard]] double position() const;
  /// k0 x + S there.
  [[nodiscard]] double force() const;

  /// What a monotone move from the committed position to `x` would give; nothing moves, nothing is
  /// allocated. Throws Mistake where x is not finite.
  [[nodiscard]] Response trial(double x) const;
  /// The same, and keeps x for commit(). For the iterations of an implicit step. One that throws
  /// forgets an earlier trial.
  Response set_trial(double x);
  /// Moves monotonically to the position of the last set_trial: a change of direction begins a new
  /// branch, a loop that is closed is forgotten. Without a trial nothing moves.
  void commit();
  /// Forgets the trial.
  void revert_to_last();
  /// Goes back to the state that the point was made in; a restored one, to that of the point that
  /// gave the state.
  void revert_to_start();
  /// set_trial and commit.
  Response move_to(double x);

  /// The committed elongation u of a spring of the material, by its thresholds and u0.
  [[nodiscard]] double elongation(const SpringSlider& spring) const;
  /// The same of a spring with this threshold in both directions and u0 = 0.
  [[nodiscard]] double elongation(double threshold) const {
    return elongation(SpringSlider{1.0, threshold});
  }
  /// ½ k0 x² + ½ ∫ k u² ds at the committed position.
  [[nodiscard]] double stored_energy() const;
  /// What the sliders took since the start: ∫ (k0 x + S) dx - (the stored energy gained), ≥ 0.
  /// Thresholds that differ by direction cost it ε ∫ k max(η, η⁻)² ds, ε = 2e-16, by which it may
  /// fall again, and cost forces ε ∫ k max(η, η⁻) ds: compare these with the smaller threshold's.
  [[nodiscard]] double dissipated_energy() const;

  /// How many numbers state() has: some, and one for each turning point that still matters.
  [[nodiscard]] std::size_t state_size() const;
  /// All that later moves depend on, as numbers to be kept anywhere; without the trial.
  [[nodiscard]] std::vector<double> state() const;
  /// Writes the same into the first state_size() of `numbers` and returns how many these are.
  /// Throws Mistake where they are more than there is room for; then nothing is written.
  std::size_t state(View<double> numbers) const;
  /// The state that state() of a point of an equal material gave, further numbers behind it are not
  /// looked at: every later result has the same bits. Throws Mistake where it is of another
  /// material, or where no moves lead there; then the point stays as it was. Without a checksum it
  /// cannot tell energies or positions that were altered into those of another past.
  void restore(View<const double> state);

 private:
  struct Data;
  [[nodiscard]] Data& data();
  [[nodiscard]] const Data& data() const;

  // In place, so that points in an array lie beside each other.
  alignas(64) unsigned char storage_[192];
};

/// Points of one material that are moved together, as those of the elements of a mesh. Arrays have
/// one number a point, [n].
class MaterialPoints {
 public:
  /// `count` points at `x`. Throws Mistake where x is not finite.
  MaterialPoints(const Material& material, std::size_t count, double x = 0.0)
      : points_(count, MaterialPoint(material, x)) {}

  /// n.
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  /// set_trial of every point: forces, and stiffnesses where there is room for them. Throws Mistake
  /// where sizes differ or an x is not finite; then nothing has moved, and every trial is
  /// forgotten.
  void set_trial(View<const double> x, View<double> force, View<double> stiffness = {});
  /// move_to of every point; otherwise as set_trial.
  void move(View<const double> x, View<double> force, View<double> stiffness = {});
  /// commit, revert_to_last, revert_to_start of every point.
  void commit() { each(&MaterialPoint::commit); }
  void revert_to_last() { each(&MaterialPoint::revert_to_last); }
  void revert_to_start() { each(&MaterialPoint::revert_to_start); }
  /// How many numbers the states of all points have.
  [[nodiscard]] std::size_t state_size() const {
    return std::accumulate(
        points_.begin(), points_.end(), std::size_t{0},
        [](std::size_t n, const MaterialPoint& p) { return n + p.state_size(); });
  }
  /// Writes them one after another and returns how many these are. Throws Mistake where they are
  /// more than there is room for.
  std::size_t state(View<double> numbers) const;
  /// The states of as many points of an equal material, and nothing behind them; otherwise as that
  /// of a point.
  void restore(View<const double> states);

  /// Point i, for its state, its energies and its elongations. Throws Mistake where there is none.
  [[nodiscard]] const MaterialPoint& operator[](std::size_t i) const;
  [[nodiscard]] MaterialPoint& operator[](std::size_t i) {
    return const_cast<MaterialPoint&>(std::as_const(*this)[i]);
  }

 private:
  template <auto Use>
  void for_each(View<const double> x, View<double> force, View<double> stiffness);
  void each(void (MaterialPoint::*use)()) {
    for (MaterialPoint& point : points_) {
      (point.*use)();
    }
  }

  std::vector<MaterialPoint> points_;
};

}  // namespace masing

#pragma GCC visibility pop
