#include "slab/chain/chain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace masing::slab {

namespace {

/// Returns ½ ∫ k u² ds of a shape whose slab has the elongations `u`.
double energy_of(const ChainShape& shape, const RememberedElongation& u) {
  if (const auto known = shape.measure->elastic_energy(u)) {
    return *known;
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

Chain::Chain(ChainPart part, std::vector<ChainShape> shapes, Scheme scheme, double step,
             std::int64_t force_node, bool keeps_works)
    : part_(std::move(part)),
      shapes_(std::move(shapes)),
      scheme_(scheme),
      step_(step),
      force_node_(force_node),
      x_(part_.x0),
      y_(part_.y0),
      a_(x_.size()),
      force_(part_.size()),
      largest_x_(x_.size()),
      largest_a_(x_.size()),
      largest_position_(part_.size()),
      largest_force_(part_.size()) {
  for (const ChainShape& shape : shapes_) {
    movers_.emplace_back(*shape.measure, 0.0);
    slab_start_.push_back(energy_of(shape, movers_.back().elongation()));
  }
  for (const double mass : part_.mass) {
    inverse_mass_.push_back(mass > 0.0 ? 1.0 / mass : 0.0);
  }
  const auto has = [](const std::vector<double>& values) {
    return std::ranges::any_of(values, [](double value) { return value != 0.0; });
  };
  if (has(part_.dashpot)) {
    dashpot_work_.resize(part_.size());
  }
  if (has(part_.x0)) {
    start_.resize(part_.size());
  }
  if (keeps_works) {
    viscous_work_.resize(x_.size());
    force_work_.resize(x_.size());
    base_work_.resize(x_.size());
  }
  elements_.resize(part_.size());
  for (std::size_t j = 0; j < part_.size(); ++j) {
    inverse_scale_.push_back(1.0 / part_.scale[j]);
    slab_factor_.push_back(part_.stiffness[j] * part_.scale[j]);
    const double start = x_[j + 1] - x_[j];
    if (!start_.empty()) {
      start_[j] = start;
    }
    TurningPoints mover = movers_[shape_of(j)];
    mover.swap(elements_[j].now, elements_[j].past);
    force_[j] = part_.spring[j] * start + part_.dashpot[j] * (y_[j + 1] - y_[j]) +
                slab_factor_[j] * (elements_[j].now.force + shapes_[shape_of(j)].preload);
  }
}

void Chain::move_slab(Element& element, TurningPoints& mover, double d, double vertex) {
  TurningPoints::Present& now = element.now;
  const double before = now.x;
  const double force_before = now.force;
  if (const auto force = vertex == 0.0 ? mover.force_on_leg(now, before + d) : std::nullopt)
      [[likely]] {
    now.x = before + d;
    now.force = *force;
  } else if (d != 0.0 || vertex != 0.0) {
    mover.swap(now, element.past);
    if (vertex != 0.0) {
      mover.move_to(before + vertex);
    }
    mover.move_to(vertex == 0.0 ? before + d : mover.x() + (d - vertex));
    mover.swap(now, element.past);
  }
  element.work += 0.5 * (force_before + now.force) * (now.x - before);
}

void Chain::move() {
  const bool is_leapfrog = scheme_ == Scheme::leapfrog;
  add_works(load_, 0.5 * step_);
  if (!is_leapfrog) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] += step_ * y_[i];
    }
  }
  for (std::size_t j = 0; j < elements_.size(); ++j) {
    double rate = y_[j + 1] - y_[j];
    const double change = a_[j + 1] - a_[j];
    double d = step_ * rate;
    double vertex = 0.0;
    if (is_leapfrog) {
      d += 0.5 * step_ * step_ * change;
      const double turn = -rate / change;
      if (turn > 0 && turn < step_) {
        vertex = 0.5 * rate * turn * inverse_scale_[j];
      }
    }
    rate += step_ * change;
    Element& element = elements_[j];
    const std::size_t shape = shape_of(j);
    move_slab(element, movers_[shape], d * inverse_scale_[j], vertex);
    const double position = element.now.x + (start_.empty() ? 0.0 : start_[j] * inverse_scale_[j]);
    force_[j] = slab_factor_[j] * (element.now.force + shapes_[shape].preload) +
                part_.spring[j] * part_.scale[j] * position + part_.dashpot[j] * rate;
    largest_position_[j] = std::max(largest_position_[j], std::abs(position));
    largest_force_[j] = std::max(largest_force_[j], std::abs(force_[j]));
  }
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (is_leapfrog) {
      x_[i] += step_ * (y_[i] + 0.5 * step_ * a_[i]);
    } else {
      y_[i] += step_ * a_[i];
    }
  }
}

void Chain::accelerate(const ChainEnds& ends, const ChainLoad& load) {
  const bool is_leapfrog = scheme_ == Scheme::leapfrog;
  ends_ = ends;
  load_ = load;
  double below = ends.before;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double above = force_above(i);
    const bool is_base = i == 0 && part_.holds_base;
    double pull = above - below;
    below = above;
    if (is_base) {
      pull += load.base_force;
    }
    if (static_cast<std::int64_t>(i) == force_node_) {
      pull += load.force;
    }
    const double base = is_base ? 0.0 : load.base_acceleration;
    const double rate = pull * inverse_mass_[i] - base;  // a⁺ without the dashpot to the ground
    const double decay = part_.ground[i] * inverse_mass_[i];
    if (is_leapfrog) {
      y_[i] = (y_[i] + 0.5 * step_ * (a_[i] + rate)) / (1.0 + 0.5 * step_ * decay);
    }
    a_[i] = rate - decay * y_[i];
    largest_x_[i] = std::max(largest_x_[i], std::abs(x_[i]));
    largest_a_[i] = std::max(largest_a_[i], std::abs(a_[i] + base));
  }
  add_works(load, 0.5 * step_);
}

void Chain::start(const ChainEnds& ends, const ChainLoad& load) {
  // A step of length 0 from a = 0 computes the accelerations and leaves the velocities.
  const double step = std::exchange(step_, 0.0);
  accelerate(ends, load);
  step_ = step;
}

/// Adds to the works the powers at the present time, times `span`.
void Chain::add_works(const ChainLoad& load, double span) {
  for (std::size_t j = 0; j < dashpot_work_.size(); ++j) {
    const double rate = y_[j + 1] - y_[j];
    dashpot_work_[j] += span * part_.dashpot[j] * rate * rate;
  }
  for (std::size_t i = 0; i < viscous_work_.size(); ++i) {
    const double drag = part_.ground[i] * y_[i];
    if (i == 0 && part_.holds_base) {
      base_work_[i] += span * (load.base_force - drag) * y_[i];
    } else {
      viscous_work_[i] += span * drag * y_[i];
      base_work_[i] -= span * part_.mass[i] * load.base_acceleration * y_[i];
    }
    if (static_cast<std::int64_t>(i) == force_node_) {
      force_work_[i] += span * load.force * y_[i];
    }
  }
}

double Chain::largest_elongation(std::size_t j) const {
  return part_.scale[j] * largest_position_[j];
}

double Chain::slab_energy(std::size_t j) const {
  TurningPoints mover = movers_[shape_of(j)];
  TurningPoints::Present now = elements_[j].now;
  TurningPoints::Past past = elements_[j].past;
  mover.swap(now, past);
  return energy_of(shapes_[shape_of(j)], mover.elongation());
}

double Chain::elastic_energy(std::size_t j) const {
  const double d = elongation(j);
  return 0.5 * part_.spring[j] * d * d + slab_factor_[j] * part_.scale[j] * slab_energy(j);
}

double Chain::slider_work(std::size_t j) const {
  const std::size_t shape = shape_of(j);
  const Element& element = elements_[j];
  return slab_factor_[j] * part_.scale[j] *
         (element.work + shapes_[shape].preload * element.now.x -
          (slab_energy(j) - slab_start_[shape]));
}

bool Chain::has_reached_strength(std::size_t j) const {
  const Measure& measure = *shapes_[shape_of(j)].measure;
  return part_.spring[j] == 0.0 &&
         measure.below(largest_position_[j]).stiffness >= measure.total().stiffness;
}

void Chain::save_element(std::size_t j, std::span<double> numbers,
                         std::vector<double>& positions) const {
  const Element& element = elements_[j];
  TurningPoints mover = movers_[shape_of(j)];
  TurningPoints::Present now = element.now;
  TurningPoints::Past past = element.past;
  mover.swap(now, past);
  const TurningPointState state = mover.state();
  const double saved[element_numbers] = {state.x,           static_cast<double>(state.direction),
                                         state.opposite,    element.work,
                                         force_[j],         largest_position_[j],
                                         largest_force_[j], dashpot_work(j)};
  std::ranges::copy(saved, numbers.begin());
  positions.insert(positions.end(), state.positions.begin(), state.positions.end());
}

void Chain::restore_element(std::size_t j, std::span<const double> numbers,
                            std::span<const double> positions) {
  Element& element = elements_[j];
  element = {};
  TurningPoints mover(*shapes_[shape_of(j)].measure,
                      TurningPointState{.x0 = 0.0,
                                        .x = numbers[0],
                                        .direction = static_cast<int>(numbers[1]),
                                        .opposite = numbers[2],
                                        .positions = {positions.begin(), positions.end()}});
  mover.swap(element.now, element.past);
  element.work = numbers[3];
  force_[j] = numbers[4];
  largest_position_[j] = numbers[5];
  largest_force_[j] = numbers[6];
  if (!dashpot_work_.empty()) {
    dashpot_work_[j] = numbers[7];
  }
}

void Chain::save_node(std::size_t i, std::span<double> numbers) const {
  const auto work = [i](const std::vector<double>& works) {
    return works.empty() ? 0.0 : works[i];
  };
  const double saved[node_numbers] = {x_[i],
                                      y_[i],
                                      a_[i],
                                      largest_x_[i],
                                      largest_a_[i],
                                      work(viscous_work_),
                                      work(force_work_),
                                      work(base_work_)};
  std::ranges::copy(saved, numbers.begin());
}

void Chain::restore_node(std::size_t i, std::span<const double> numbers) {
  x_[i] = numbers[0];
  y_[i] = numbers[1];
  a_[i] = numbers[2];
  largest_x_[i] = numbers[3];
  largest_a_[i] = numbers[4];
  if (!viscous_work_.empty()) {
    viscous_work_[i] = numbers[5];
    force_work_[i] = numbers[6];
    base_work_[i] = numbers[7];
  }
}

double chain_frequency_bound(std::span<const double> mass, std::span<const double> stiffness) {
  const auto inverse = [&](std::size_t i) {
    const bool is_end = i == 0 || i + 1 == mass.size();
    return mass[i] == 0.0 ? 0.0 : (is_end ? 1.0 : 2.0) / mass[i];
  };
  double square = 0.0;
  for (std::size_t j = 0; j < stiffness.size(); ++j) {
    square = std::max(square, stiffness[j] * (inverse(j) + inverse(j + 1)));
  }
  return std::sqrt(square);
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
  const double bound = chain_frequency_bound(mass, stiffness);
  double low = 0.5 * bound;
  double high = bound;
  for (int bisection = 0; bisection < 40; ++bisection) {
    const double middle = 0.5 * (low + high);
    (exceeds_all(middle * middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace masing::slab
