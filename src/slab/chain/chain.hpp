#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slab/problem.hpp"
#include "slab/profile.hpp"
#include "slab/scheme.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/turning_points.hpp"

// A chain of n masses. Element j connects the nodes j-1 and j and consists of a slab, a linear
// spring and a dashpot in parallel; node 0 is the base. Source: (2.30), rheological-models-2000,
// with the continuous Masing element in place of the St-Venant element.

namespace masing::slab {

/// The numbers that define consecutive elements of a chain and the nodes at their upper ends. Local
/// node i is the upper end of the i-th of these elements, i = 1, …, size. Local node 0 is the lower
/// end of the first one: the base or, if the elements before belong to another rank, a copy of
/// their last node.
struct ChainPart {
  bool holds_base = true;         ///< whether local node 0 is the base
  std::vector<double> mass;       ///< m_i, [size + 1]; 0 for a base that does not move
  std::vector<double> ground;     ///< c_i, dashpots to the ground, [size + 1]
  std::vector<double> stiffness;  ///< κ_j, factors of k(s), [size]
  std::vector<double> scale;      ///< θ_j, factors of η(s) and u0(s), [size]
  std::vector<double> spring;     ///< k0_j, [size]
  std::vector<double> dashpot;    ///< b_j, dashpots of the elements, [size]
  std::vector<double> x0;         ///< initial positions, [size + 1]
  std::vector<double> y0;         ///< initial velocities, [size + 1]

  [[nodiscard]] std::size_t size() const { return stiffness.size(); }
};

/// What acts on a chain at one time.
struct ChainLoad {
  double force = 0.0;              ///< F(t), on one node
  double base_acceleration = 0.0;  ///< a_g(t), for a base that moves
  double base_force = 0.0;         ///< 2 c_b v_in(t), on node 0 of a base that absorbs
};

/// The forces of the elements next to the two ends of a part: what local node 0 and the last local
/// node must know of the neighbouring parts. They are 0 where there is no neighbour.
struct ChainEnds {
  double before = 0.0;
  double after = 0.0;
};

/// The motion of a part of a chain. A step consists of move(), the exchange of the forces of the
/// first and of the last element with the neighbouring parts, and accelerate(). No sum over nodes
/// occurs in a step, so the motion has the same bits for any division into parts. All functions are
/// local, and all indices are local. Source: (2.30), rheological-models-2000.
class Chain {
 public:
  /// Sets up the part at t = 0. `shapes` has one entry, or one for each element of the part: its
  /// slab for κ = θ = 1. An element has the force S_j(d) = κ_j θ_j S(d/θ_j).
  /// `force_node` is the local index of the node that F acts on; it may lie outside the part. If
  /// `keeps_works` is true, the works of viscous_work(), force_work() and base_work() are computed.
  Chain(ChainPart part, std::vector<BuiltSlab> shapes, Scheme scheme, double step,
        std::int64_t force_node, bool keeps_works);

  /// Computes the accelerations at t = 0 from the forces of the elements next to the part.
  void start(const ChainEnds& ends, const ChainLoad& load);
  /// Moves the elements to the end of a step and computes their forces there. With the scheme
  /// `leapfrog`, x⁺ = x + δt y + δt²/2 a, and the elongation of an element moves along the parabola
  /// of its two nodes, first to the vertex if this lies inside the step (see advance_leapfrog()).
  /// The dashpots of the elements use the velocities y + δt a. With the scheme `euler`, x⁺ = x + δt
  /// y and y⁺ = y + δt a.
  void move();
  /// Completes the step: moves the nodes and computes the accelerations a⁺ at its end and, with the
  /// scheme `leapfrog`, the velocities y⁺ = y + δt/2 (a + a⁺), where the dashpots to the ground use
  /// y⁺ itself. `load` acts at the end of the step.
  void accelerate(const ChainEnds& ends, const ChainLoad& load);

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  /// Returns whether local node 0 is the base.
  [[nodiscard]] bool holds_base() const { return holds_base_; }
  /// Returns m_i, or 0 for a base that does not move.
  [[nodiscard]] double mass(std::size_t i) const {
    return inverse_mass_[i] > 0.0 ? 1.0 / inverse_mass_[i] : 0.0;
  }
  /// Returns c_i.
  [[nodiscard]] double ground(std::size_t i) const { return ground_.empty() ? 0.0 : ground_[i]; }
  [[nodiscard]] std::span<const double> x() const { return x_; }  ///< positions, [size + 1]
  [[nodiscard]] std::span<const double> y() const { return y_; }  ///< velocities, [size + 1]
  /// The accelerations x'', relative to a base that moves, [size + 1].
  [[nodiscard]] std::span<const double> a() const { return a_; }
  /// Returns the forces of the elements, [size]; entry j is that of element j, below node j + 1.
  [[nodiscard]] std::span<const double> forces() const {
    return std::span(force_).subspan(1, size());
  }
  /// Returns the force on the upper side of a node, f_{i+1}, or 0 at the free end.
  [[nodiscard]] double force_above(std::size_t node) const { return force_[node + 1]; }
  /// Returns the elongation d_j of element j.
  [[nodiscard]] double elongation(std::size_t j) const { return position(j) / inverse_scale_[j]; }

  /// The largest |x| and |a| of each node, a being absolute, and the largest |d| and |f| of each
  /// element over all steps so far.
  [[nodiscard]] std::span<const double> largest_x() const { return largest_x_; }
  [[nodiscard]] std::span<const double> largest_a() const { return largest_a_; }
  [[nodiscard]] double largest_elongation(std::size_t j) const {
    return largest_position_[j] / inverse_scale_[j];
  }
  [[nodiscard]] double largest_force(std::size_t j) const { return largest_force_[j]; }

  /// The energies of an element. `elastic` is ½ k0 d² + ½ κ ∫ k u² ds. `slid` is what its sliders
  /// have dissipated since the start: ∫ S_j dd_j by the trapezoidal rule minus the increase of ½ κ
  /// ∫ k u² ds. With a kinetic energy of ½ m (y² - δt² a²/4) the balance of energy of `leapfrog`
  /// without dashpots then holds to rounding errors.
  struct Energy {
    double elastic = 0.0;
    double slid = 0.0;
  };

  /// Returns the energies of element j. For a slab with finitely many cells this takes a sum over
  /// the cells.
  [[nodiscard]] Energy energy(std::size_t j) const;
  /// Returns ∫ b_j w_j² dt of element j.
  [[nodiscard]] double dashpot_work(std::size_t j) const {
    return dashpot_work_.empty() ? 0.0 : dashpot_work_[j];
  }
  /// Returns what the sliders and the dashpot of element j have dissipated since the start.
  [[nodiscard]] double dissipated(std::size_t j) const { return energy(j).slid + dashpot_work(j); }
  /// The works since the start on each node, [size + 1], or empty arrays if they are not kept:
  /// ∫ c_i y_i² dt without the dashpot of an absorbing base, ∫ F y_i dt, and the work of the base,
  /// which is -∫ m_i a_g y_i dt or, at an absorbing base, ∫ (2 c_b v_in - c_b y_0) y_0 dt.
  [[nodiscard]] std::span<const double> viscous_work() const { return viscous_work_; }
  [[nodiscard]] std::span<const double> force_work() const { return force_work_; }
  [[nodiscard]] std::span<const double> base_work() const { return base_work_; }

  /// Returns the first element whose slab has had its largest force in a direction, the strength,
  /// and which has no linear spring to resist further elongation; size() if there is none.
  [[nodiscard]] std::size_t first_at_strength() const { return at_strength_; }

  /// The numbers of a node and of an element in State.
  static constexpr std::size_t node_numbers = 8;
  static constexpr std::size_t element_numbers = 9;

  /// The state of the part, from which another object for the same part can go on with the same
  /// bits. What acts on the part is not included.
  struct State {
    std::vector<double> nodes;      ///< [size + 1][node_numbers]
    std::vector<double> elements;   ///< [size][element_numbers]; the first is how many `positions`
    std::vector<double> positions;  ///< of each element its turning points and its own position
  };

  [[nodiscard]] State state() const;
  /// Restores a state that state() has returned.
  void restore(const State& state);
  /// Sets what acted on the part at the end of the last step, after its state was restored.
  void restore_load(const ChainEnds& ends, const ChainLoad& load) {
    set_ends(ends);
    load_ = load;
  }

 private:
  /// A slab in coordinates in which θ = 1: the position is (d - d(0))/θ, the force S/(κ θ). `work`
  /// is ∫ S dx in these coordinates. The object fits into a line of the cache.
  struct Element {
    TurningPoints::Present now;
    double work = 0.0;
  };

  struct Block;

  [[nodiscard]] std::size_t shape_of(std::size_t j) const { return shapes_.size() == 1 ? 0 : j; }
  /// Returns d_j/θ_j.
  [[nodiscard]] double position(std::size_t j) const {
    return elements_[j].now.x + (start_.empty() ? 0.0 : start_[j]);
  }
  /// Returns a slab with all that element j remembers.
  [[nodiscard]] TurningPoints slab(std::size_t j) const;
  void move_slabs(Block& block);
  void turn(Block& block, std::size_t b, double vertex, double d);
  void update_forces(Block& block);
  template <bool is_leapfrog, bool has_dashpots>
  void accelerate_nodes(std::size_t first, std::size_t last, double force, double base);
  void set_ends(const ChainEnds& ends) {
    force_.front() = ends.before;
    force_.back() = ends.after;
  }
  void add_works(const ChainLoad& load, double span);

  bool holds_base_;
  std::vector<BuiltSlab> shapes_;
  Scheme scheme_;
  double step_;
  std::int64_t force_node_;
  std::vector<TurningPoints> movers_;  // one for each shape
  std::vector<double> slab_start_;     // ½ ∫ k u0² ds of each shape
  std::vector<Element> elements_;
  std::vector<TurningPoints::Past> past_;
  std::vector<double> inverse_scale_;  // 1/θ_j
  std::vector<double> slab_factor_;    // κ_j θ_j
  std::vector<double> spring_;         // k0_j, empty if all are 0
  std::vector<double> dashpot_;        // b_j, empty if all are 0
  std::vector<double> start_;          // d_j(0)/θ_j, empty if all are 0
  std::vector<double> inverse_mass_;   // 1/m_i, 0 for a base that does not move
  std::vector<double> ground_;         // c_i, empty if all are 0
  std::vector<double> x_, y_, a_;
  std::vector<double> force_;  // of the element before the part, of its elements, and of the next
  ChainLoad load_;
  std::size_t at_strength_;
  std::vector<double> largest_x_, largest_a_, largest_position_, largest_force_;
  std::vector<double> dashpot_work_, viscous_work_, force_work_, base_work_;

  /// What State has of a node; the works are empty unless they are kept.
  static constexpr std::array<std::vector<double> Chain::*, node_numbers> of_nodes{
      &Chain::x_,          &Chain::y_,         &Chain::a_,
      &Chain::largest_x_,  &Chain::largest_a_, &Chain::viscous_work_,
      &Chain::force_work_, &Chain::base_work_};
};

/// Returns the greatest angular frequency ω of a chain in which no element yields, by bisection.
/// `stiffness` is κ_j ∫ k ds + k0_j, [n]; `mass` is m_i, [n + 1], where m_0 = 0 stands for a base
/// that does not move. Local.
double chain_frequency(std::span<const double> mass, std::span<const double> stiffness);

/// Returns the growth_advice() of a whole chain with the slabs `shapes`, one, or one for each
/// element. Throws UserError, with a number of steps that suffices, if the scheme is unstable.
/// Local.
std::string step_advice(const ChainPart& part, std::span<const Slab> shapes,
                        const SchemeInfo& scheme, const TimeGrid& time);

}  // namespace masing::slab
