#include "slab/chain/chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace masing::slab {

namespace {

/// Returns ½ ∫ k u² ds of a slab.
double energy_of(const BuiltSlab& shape, const TurningPoints& slab) {
  if (shape.measure->begins_at_zero() && !shape.is_shifted) {
    return slab.elastic_energy();
  }
  const RememberedElongation u = slab.elongation();
  if (const auto known = shape.measure->sums(u)) {
    return known->energy;
  }
  double sum = 0.0;
  for (std::int64_t i = 0; i < shape.profile.range.size; ++i) {
    const slab::Element cell = shape.profile.element(i);
    const double elongation = u(cell);
    sum += cell.stiffness * elongation * elongation;
  }
  return 0.5 * sum / static_cast<double>(shape.profile.range.size);
}

}  // namespace

Chain::Chain(ChainPart part, std::vector<BuiltSlab> shapes, Scheme scheme, double step,
             std::int64_t force_node, bool keeps_works)
    : holds_base_(part.holds_base),
      shapes_(std::move(shapes)),
      scheme_(scheme),
      step_(step),
      force_node_(force_node),
      past_(part.size()),
      x_(std::move(part.x0)),
      y_(std::move(part.y0)),
      a_(x_.size()),
      force_(x_.size() + 1),
      at_strength_(part.size()),
      largest_x_(x_.size()),
      largest_a_(x_.size()),
      largest_position_(part.size()),
      largest_force_(part.size()) {
  for (const BuiltSlab& shape : shapes_) {
    movers_.emplace_back(*shape.measure, 0.0);
    slab_start_.push_back(energy_of(shape, movers_.back()));
  }
  const auto unless_zero = [](std::vector<double>& values) {
    const bool has = std::ranges::any_of(values, [](double value) { return value != 0.0; });
    return has ? std::move(values) : std::vector<double>();
  };
  spring_ = unless_zero(part.spring);
  dashpot_ = unless_zero(part.dashpot);
  ground_ = unless_zero(part.ground);
  dashpot_work_.resize(dashpot_.size());
  if (keeps_works) {
    for (std::vector<double>* works : {&viscous_work_, &force_work_, &base_work_}) {
      works->resize(x_.size());
    }
  }
  inverse_mass_ = std::move(part.mass);
  for (double& mass : inverse_mass_) {
    mass = mass > 0.0 ? 1.0 / mass : 0.0;
  }
  elements_.resize(past_.size());
  slab_factor_ = std::move(part.stiffness);
  inverse_scale_ = std::move(part.scale);
  start_.resize(past_.size());
  for (std::size_t j = 0; j < elements_.size(); ++j) {
    slab_factor_[j] *= inverse_scale_[j];
    inverse_scale_[j] = 1.0 / inverse_scale_[j];
    start_[j] = (x_[j + 1] - x_[j]) * inverse_scale_[j];
    TurningPoints mover = movers_[shape_of(j)];
    mover.swap(elements_[j].now, past_[j]);
    force_[j + 1] = slab_factor_[j] * (elements_[j].now.force + shapes_[shape_of(j)].preload) +
                    (spring_.empty() ? 0.0 : spring_[j] * (x_[j + 1] - x_[j])) +
                    (dashpot_.empty() ? 0.0 : dashpot_[j] * (y_[j + 1] - y_[j]));
    largest_position_[j] = std::abs(start_[j]);
    largest_force_[j] = std::abs(force_[j + 1]);
  }
  start_ = unless_zero(start_);
}

/// Consecutive elements of the same shape, which move() moves together. As long as a slab stays on
/// its leg, its force is
///     S = S_n + (x - X_n) K(∞) - 2σ G(r),   G(r) = r K(r) - M(r),
/// with the numbers that TurningPoints describes (σ in place of 2σ on the outer curve). G is looked
/// up for all elements together.
struct Chain::Block {
  static constexpr std::size_t most = 256;

  std::size_t first;
  std::size_t count;
  std::array<double, most> next;       ///< the new positions
  std::array<double, most> front;      ///< r
  std::array<double, most> linear;     ///< S_n + (x - X_n) K(∞)
  std::array<double, most> factor;     ///< 2σ, or 0 where turn() has computed S as `linear`
  std::array<double, most> shortfall;  ///< G(r)
};

void Chain::move() {
  add_works(load_, 0.5 * step_);
  const std::size_t together = shapes_.size() == 1 ? Block::most : 1;
  Block block;  // NOLINT(*-member-init)
  for (std::size_t first = 0; first < size(); first += together) {
    block.first = first;
    block.count = std::min(together, size() - first);
    move_slabs(block);
    update_forces(block);
  }
}

/// Computes the new positions of a block and what its forces follow from.
void Chain::move_slabs(Block& block) {
  const bool is_leapfrog = scheme_ == Scheme::leapfrog;
  const BuiltSlab& shape = shapes_[shape_of(block.first)];
  const double total = shape.measure->total().stiffness;
  const double step = step_;
  const double* const y = y_.data() + block.first;
  const double* const a = a_.data() + block.first;
  const double* const inverse_scale = inverse_scale_.data() + block.first;
  const Element* const elements = elements_.data() + block.first;
  for (std::size_t b = 0; b < block.count; ++b) {
    const TurningPoints::Present& now = elements[b].now;
    const double rate = y[b + 1] - y[b];
    double d = step * rate;
    double vertex = 0.0;
    if (is_leapfrog) {
      const double change = a[b + 1] - a[b];
      d += 0.5 * step * step * change;
      // The rate is 0 at the time -rate/change of the step.
      if (rate * change < 0.0 && std::abs(rate) < step * std::abs(change)) {
        vertex = -0.5 * rate * (rate / change) * inverse_scale[b];
      }
    }
    d *= inverse_scale[b];
    block.next[b] = now.x + d;
    const auto& [position, meeting, force, ratio] = now.leg;
    const double direction = now.direction;
    const double distance = block.next[b] - position;
    if (vertex == 0.0 && direction * d >= 0.0 && direction * (block.next[b] - meeting) < 0.0 &&
        ratio != 0.0) [[likely]] {
      block.front[b] = std::max(0.0, ratio * direction * distance);
      block.linear[b] = force + distance * total;
      block.factor[b] = ratio == 1.0 ? direction : 2 * direction;
    } else {
      turn(block, b, vertex, d);
    }
  }
  shape.measure->shortfalls(std::span(block.front).first(block.count),
                            std::span(block.shortfall).first(block.count));
}

/// Moves a slab of a block that may not stay on its leg by `d`, first by `vertex` unless this is 0.
void Chain::turn(Block& block, std::size_t b, double vertex, double d) {
  const std::size_t j = block.first + b;
  TurningPoints::Present& now = elements_[j].now;
  block.front[b] = block.factor[b] = 0.0;
  if (vertex == 0.0 && d == 0.0) {
    block.linear[b] = now.force;
    return;
  }
  TurningPoints& mover = movers_[shape_of(j)];
  mover.swap(now, past_[j]);
  const double before = mover.x();
  const double force_before = mover.internal_force();
  if (mover.direction() * (vertex != 0.0 ? vertex : d) < 0.0) {
    // At a turning point the force is computed as it is when a state is restored.
    mover.move_along(before);
  }
  if (vertex != 0.0) {
    mover.move_to(before + vertex);
    d -= vertex;
  }
  block.next[b] = mover.x() + d;
  block.linear[b] = mover.move_to(block.next[b]);
  mover.swap(now, past_[j]);
  now.x = before;
  now.force = force_before;
}

/// Computes the forces of the elements of a block whose slabs have been moved.
void Chain::update_forces(Block& block) {
  const BuiltSlab& shape = shapes_[shape_of(block.first)];
  // Less than the largest S by more than rounding errors.
  const double strength = (1 - 1e-9) * shape.measure->total().force;
  const std::size_t first = block.first;
  const std::size_t count = block.count;
  double* __restrict next = block.next.data();
  double* __restrict forces = force_.data() + first + 1;
  const double* const slab_factor = slab_factor_.data() + first;
  for (std::size_t b = 0; b < count; ++b) {
    auto& [now, work] = elements_[first + b];
    const double force = block.linear[b] - block.factor[b] * block.shortfall[b];
    work += 0.5 * (now.force + force) * (next[b] - now.x);
    now.x = next[b];
    now.force = force;
    forces[b] = slab_factor[b] * (force + shape.preload);
    if (std::abs(force) >= strength && first + b < at_strength_ &&
        (spring_.empty() || spring_[first + b] == 0.0)) [[unlikely]] {
      at_strength_ = first + b;
    }
  }
  if (!start_.empty()) {
    for (std::size_t b = 0; b < count; ++b) {
      next[b] += start_[first + b];
    }
  }
  if (!spring_.empty()) {
    for (std::size_t b = 0; b < count; ++b) {
      forces[b] += spring_[first + b] * next[b] / inverse_scale_[first + b];
    }
  }
  if (!dashpot_.empty()) {
    const double* const y = y_.data() + first;
    const double* const a = a_.data() + first;
    for (std::size_t b = 0; b < count; ++b) {
      forces[b] += dashpot_[first + b] * (y[b + 1] - y[b] + step_ * (a[b + 1] - a[b]));
    }
  }
  double* __restrict most_position = largest_position_.data() + first;
  double* __restrict most_force = largest_force_.data() + first;
  for (std::size_t b = 0; b < count; ++b) {
    most_position[b] = std::max(most_position[b], std::abs(next[b]));
    most_force[b] = std::max(most_force[b], std::abs(forces[b]));
  }
}

/// Completes the step of the nodes from `first` to last - 1, on each of which `force` acts beside
/// the elements and the dashpot, and whose frame has the acceleration `base`.
template <bool is_leapfrog, bool has_dashpots>
void Chain::accelerate_nodes(std::size_t first, std::size_t last, double force, double base) {
  double* __restrict x = x_.data();
  double* __restrict y = y_.data();
  double* __restrict a = a_.data();
  double* __restrict most_x = largest_x_.data();
  double* __restrict most_a = largest_a_.data();
  const double* const forces = force_.data();
  const double* const inverse_mass = inverse_mass_.data();
  const double* const ground = ground_.data();
  const double step = step_;
  for (std::size_t i = first; i < last; ++i) {
    const double rate = (forces[i + 1] - forces[i] + force) * inverse_mass[i] - base;
    const double decay = has_dashpots ? ground[i] * inverse_mass[i] : 0.0;
    if (is_leapfrog) {
      x[i] += step * (y[i] + 0.5 * step * a[i]);
      y[i] += 0.5 * step * (a[i] + rate);
      if (has_dashpots) {
        y[i] /= 1.0 + 0.5 * step * decay;
      }
    } else {
      x[i] += step * y[i];
      y[i] += step * a[i];
    }
    a[i] = has_dashpots ? rate - decay * y[i] : rate;
    most_x[i] = std::max(most_x[i], std::abs(x[i]));
    most_a[i] = std::max(most_a[i], std::abs(a[i] + base));
  }
}

void Chain::accelerate(const ChainEnds& ends, const ChainLoad& load) {
  set_ends(ends);
  load_ = load;
  const auto nodes = [&](std::size_t first, std::size_t last, double force, double base) {
    if (scheme_ == Scheme::leapfrog) {
      ground_.empty() ? accelerate_nodes<true, false>(first, last, force, base)
                      : accelerate_nodes<true, true>(first, last, force, base);
    } else {
      ground_.empty() ? accelerate_nodes<false, false>(first, last, force, base)
                      : accelerate_nodes<false, true>(first, last, force, base);
    }
  };
  const double base = load.base_acceleration;
  const auto forced = static_cast<std::size_t>(
      std::clamp<std::int64_t>(force_node_, 0, static_cast<std::int64_t>(x_.size())));
  const bool is_forced_here = force_node_ >= 0 && forced < x_.size();
  nodes(0, 1,
        (holds_base_ ? load.base_force : 0.0) + (is_forced_here && forced == 0 ? load.force : 0.0),
        holds_base_ ? 0.0 : base);
  nodes(1, std::max<std::size_t>(1, forced), 0.0, base);
  if (is_forced_here && forced > 0) {
    nodes(forced, forced + 1, load.force, base);
  }
  nodes(forced + 1, x_.size(), 0.0, base);
  add_works(load, 0.5 * step_);
}

void Chain::start(const ChainEnds& ends, const ChainLoad& load) {
  // A step of length 0 computes the accelerations and leaves positions and velocities.
  const double step = std::exchange(step_, 0.0);
  accelerate(ends, load);
  step_ = step;
}

/// Adds to the works the powers at the present time, times `span`.
void Chain::add_works(const ChainLoad& load, double span) {
  for (std::size_t j = 0; j < dashpot_work_.size(); ++j) {
    const double rate = y_[j + 1] - y_[j];
    dashpot_work_[j] += span * dashpot_[j] * rate * rate;
  }
  for (std::size_t i = 0; i < viscous_work_.size(); ++i) {
    const double drag = ground(i) * y_[i];
    if (i == 0 && holds_base_) {
      base_work_[i] += span * (load.base_force - drag) * y_[i];
    } else {
      viscous_work_[i] += span * drag * y_[i];
      base_work_[i] -= span * mass(i) * load.base_acceleration * y_[i];
    }
    if (static_cast<std::int64_t>(i) == force_node_) {
      force_work_[i] += span * load.force * y_[i];
    }
  }
}

TurningPoints Chain::slab(std::size_t j) const {
  TurningPoints whole = movers_[shape_of(j)];
  TurningPoints::Present now = elements_[j].now;
  TurningPoints::Past past = past_[j];
  whole.swap(now, past);
  return whole;
}

Chain::Energy Chain::energy(std::size_t j) const {
  const BuiltSlab& shape = shapes_[shape_of(j)];
  const auto& [now, work] = elements_[j];
  const double d = elongation(j);
  const double factor = slab_factor_[j] / inverse_scale_[j];  // κ θ²
  const double slab_energy = energy_of(shape, slab(j));
  return {(spring_.empty() ? 0.0 : 0.5 * spring_[j] * d * d) + factor * slab_energy,
          factor * (work + shape.preload * now.x - (slab_energy - slab_start_[shape_of(j)]))};
}

Chain::State Chain::state() const {
  State state;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    for (const auto values : of_nodes) {
      state.nodes.push_back((this->*values).empty() ? 0.0 : (this->*values)[i]);
    }
  }
  for (std::size_t j = 0; j < size(); ++j) {
    const TurningPointState past = slab(j).state();
    for (const double number :
         {static_cast<double>(past.positions.size() + 1), static_cast<double>(past.direction),
          past.opposite, elements_[j].now.force, elements_[j].work, force_[j + 1],
          largest_position_[j], largest_force_[j], dashpot_work(j)}) {
      state.elements.push_back(number);
    }
    state.positions.insert(state.positions.end(), past.positions.begin(), past.positions.end());
    state.positions.push_back(past.x);
  }
  return state;
}

void Chain::restore(const State& state) {
  for (std::size_t i = 0; i < x_.size(); ++i) {
    for (std::size_t n = 0; n < node_numbers; ++n) {
      if (std::vector<double>& values = this->*of_nodes[n]; !values.empty()) {
        values[i] = state.nodes[i * node_numbers + n];
      }
    }
  }
  auto end = state.positions.begin();
  for (std::size_t j = 0; j < size(); ++j) {
    const auto numbers = std::span(state.elements).subspan(j * element_numbers, element_numbers);
    const auto begin = std::exchange(end, end + std::lround(numbers[0]));
    TurningPoints mover(*shapes_[shape_of(j)].measure,
                        TurningPointState{.x0 = 0.0,
                                          .x = end[-1],
                                          .direction = static_cast<int>(numbers[1]),
                                          .opposite = numbers[2],
                                          .positions = {begin, end - 1}});
    mover.swap(elements_[j].now, past_[j]);
    elements_[j].now.force = numbers[3];
    elements_[j].work = numbers[4];
    force_[j + 1] = numbers[5];
    largest_position_[j] = numbers[6];
    largest_force_[j] = numbers[7];
    if (!dashpot_work_.empty()) {
      dashpot_work_[j] = numbers[8];
    }
  }
}

double chain_frequency(std::span<const double> mass, std::span<const double> stiffness) {
  // By Sylvester's law, ω² is less than λ if all pivots of the tridiagonal matrix K - λ M are < 0.
  const auto exceeds_all = [&](double lambda) {
    double pivot = 1.0;
    for (std::size_t i = mass[0] > 0.0 ? 0 : 1; i < mass.size(); ++i) {
      const double below = i > 0 ? stiffness[i - 1] : 0.0;
      const double above = i < stiffness.size() ? stiffness[i] : 0.0;
      const bool is_first = i == (mass[0] > 0.0 ? 0U : 1U);
      pivot = below + above - lambda * mass[i] - (is_first ? 0.0 : below * below / pivot);
      if (pivot >= 0.0) {
        return false;
      }
    }
    return true;
  };
  // ω² is at most max_j K_j (1/m'_{j-1} + 1/m'_j), where m' is half of an interior mass and all of
  // an end mass, and at least half of that.
  const auto inverse = [&](std::size_t i) {
    const bool is_end = i == 0 || i + 1 == mass.size();
    return mass[i] == 0.0 ? 0.0 : (is_end ? 1.0 : 2.0) / mass[i];
  };
  double high = 0.0;
  for (std::size_t j = 0; j < stiffness.size(); ++j) {
    high = std::max(high, stiffness[j] * (inverse(j) + inverse(j + 1)));
  }
  high = std::sqrt(high);
  double low = 0.5 * high;
  for (int bisection = 0; bisection < 40; ++bisection) {
    const double middle = 0.5 * (low + high);
    (exceeds_all(middle * middle) ? high : low) = middle;
  }
  return high;
}

std::string step_advice(const ChainPart& part, std::span<const Slab> shapes,
                        const SchemeInfo& scheme, const TimeGrid& time) {
  std::vector<double> shape_stiffness;  // ∫ k ds
  for (const Slab& shape : shapes) {
    shape_stiffness.push_back(elastic_stiffness(shape));
  }
  std::vector<double> stiffness(part.size());
  double damping = 0.0;  // the largest b_j/K_j, K_j = κ_j ∫k + k0_j
  for (std::size_t j = 0; j < part.size(); ++j) {
    const double slab = part.stiffness[j] * shape_stiffness[shapes.size() == 1 ? 0 : j];
    stiffness[j] = slab + part.spring[j];
    damping = std::max(damping, part.dashpot[j] / stiffness[j]);
  }
  const double frequency = chain_frequency(part.mass, stiffness);
  // With leapfrog the largest stable δt ω is less if the elements have dashpots, as their
  // velocities are taken at y + δt a.
  const double ratio = scheme.amplifies ? 0.0 : 0.5 * damping * frequency;
  require_stable(scheme, time, frequency,
                 scheme.largest_step * (std::sqrt(1 + 4 * ratio * ratio) - 2 * ratio),
                 "2/omega (less with dashpots c; omega is the greatest frequency)");
  // With euler all dashpots limit the step: by the largest c_i/m_i, and by ω² b_j/K_j.
  double decay = damping * frequency * frequency;
  for (std::size_t i = 0; i < part.mass.size(); ++i) {
    decay = std::max(decay, part.ground[i] > 0.0 ? part.ground[i] / part.mass[i] : 0.0);
  }
  require_stable(scheme, time, decay, scheme.largest_damped_step,
                 "2 m/c (c is a dashpot or base_impedance)");
  return growth_advice(scheme, time, frequency, 0.0);
}

}  // namespace masing::slab
