#include "library/masing/material.hpp"

#define XXH_INLINE_ALL  // uses xxHash without linking its library
#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <new>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing {

namespace {

/// Calls `work` and returns its result. If `work` throws base::UserError, throws Mistake with the
/// same message.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw Mistake(error.what());
  }
}

/// The largest absolute value of a position; its square is finite, so that energies are finite.
constexpr double largest_position = 1e150;

/// Returns whether x is admissible as a position; false for NaN.
bool is_position(double x) {
  return std::abs(x) <= largest_position;
}

/// Returns x. Throws Mistake if x is not admissible as a position.
double finite(double x) {
  if (!is_position(x)) {
    throw Mistake(
        fmt::format("a position of {}; it must be finite, at most {}", x, largest_position));
  }
  return x;
}

/// Converts a spring to a slab::Element. Because η and η⁻ may differ, the element describes v = u -
/// c with c = (η - η⁻)/2; the threshold of v is (η + η⁻)/2 in both directions. Throws UserError if
/// the values are not admissible; the message contains i + 1, the number of the spring.
slab::Element element_of(const SpringSlider& spring, std::size_t i = 0) {
  const double up = spring.threshold + 0.0;  // adding 0 turns -0 into 0
  const double down = std::isnan(spring.threshold_down) ? up : spring.threshold_down + 0.0;
  const double shift = up == down ? 0.0 : 0.5 * up - 0.5 * down;
  slab::Element element{spring.stiffness + 0.0, 0.5 * up + 0.5 * down,
                        spring.initial_u + 0.0 - shift, shift};
  slab::check_element(element, [i] { return fmt::format("spring {}", i + 1); });
  // Subtracting c can round v0 to a value slightly outside of the thresholds.
  element.initial_u = std::clamp(element.initial_u, -element.threshold, element.threshold);
  return element;
}

/// Parses a function of s. Throws UserError with the name of the quantity if the text is not a
/// function of s.
base::Function function_of(const char* quantity, const std::string& text) {
  try {
    return base::Function(base::trimmed(text), 's').bound({});
  } catch (const base::UserError& error) {
    throw base::UserError(quantity, error.what());
  }
}

/// Returns a hash of k0 and of the `size` bytes at `data`. The hash is less than 2^53, so that a
/// double in a state can store it.
std::uint64_t fingerprint_of(double k0, const void* data, std::size_t size) {
  return XXH3_64bits_withSeed(data, size, std::bit_cast<std::uint64_t>(k0 + 0.0)) >> 11U;
}

/// The trial position of a point that has no stored trial.
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Returns the state of a point that starts at the position x0.
slab::TurningPointState start_at(double x0) {
  return {x0, x0, 1, x0, {}, 0.0};
}

/// The number of values that a state has besides its turning points, which come last.
constexpr std::size_t head = 8;

/// Returns a state as numbers. They are the fingerprint of the material, the number of turning
/// points, and the members of the TurningPointState; the turning points come last.
std::vector<double> numbers_of(const slab::TurningPointState& state, std::uint64_t fingerprint) {
  std::vector<double> numbers{static_cast<double>(fingerprint),
                              static_cast<double>(state.positions.size()),
                              state.x0,
                              state.x,
                              static_cast<double>(state.direction),
                              state.opposite,
                              state.wiped_out,
                              state.outer_start};
  numbers.insert(numbers.end(), state.positions.begin(), state.positions.end());
  return numbers;
}

}  // namespace

struct Material::Data {
  std::shared_ptr<const slab::Measure> measure;
  double k0;
  bool is_shifted;  // whether thresholds differ between the two directions
  double preload;   // ∫ k c ds with the shift c of element_of()
  std::uint64_t fingerprint;
  double initial_load = load(slab::TurningPoints(*measure, 0.0));

  /// Returns ∫ k c v ds, where v = u - c as in element_of().
  [[nodiscard]] double load(const slab::TurningPoints& points) const {
    return measure->sums(points.elongation())->load;
  }
  /// Returns the force and the stiffness of the material at x. `slab` has the force ∫ k v ds and
  /// the stiffness of the springs with sliders. The spring k0 is added to both, and the preload ∫ k
  /// c ds to the force.
  [[nodiscard]] Response response(double x, const slab::Tangent& slab) const {
    return {k0 * x + (slab.force + preload), k0 + slab.stiffness};
  }
};

Material::Material(Data&& data) : data_(std::make_shared<const Data>(std::move(data))) {
  if (!(data_->k0 >= 0.0 && std::isfinite(data_->k0))) {
    throw Mistake(fmt::format("k0 = {}; it must be >= 0 and finite", data_->k0));
  }
}

Material Material::of_springs(View<const SpringSlider> springs, double k0) {
  return checked([&] {
    std::vector<slab::Element> elements;
    bool is_shifted = false;
    double preload = 0.0;
    for (const SpringSlider& spring : springs) {
      const slab::Element& element = elements.emplace_back(element_of(spring, elements.size()));
      is_shifted |= element.shift != 0.0;
      preload += element.stiffness * element.shift;
    }
    if (elements.empty()) {
      throw Mistake("a material needs one spring at least");
    }
    return Material({slab::make_spring_measure(elements), k0, is_shifted, preload,
                     fingerprint_of(k0, elements.data(), elements.size() * sizeof elements[0])});
  });
}

Material Material::continuum(const Continuum& functions, double k0) {
  return checked([&] {
    slab::Slab slab;
    slab.stiffness = function_of("stiffness", functions.stiffness);
    slab.threshold = function_of("threshold", functions.threshold);
    slab.initial_u = function_of("initial-u", functions.initial_u);
    slab.space = slab::Continuum{};
    const base::Function down = functions.threshold_down.empty()
                                    ? slab.threshold
                                    : function_of("threshold-down", functions.threshold_down);
    const std::string texts =
        fmt::format("{}\n{}\n{}\n{}", slab.stiffness.text(), slab.threshold.text(), down.text(),
                    slab.initial_u.text());
    slab.set_threshold_down(down);
    const auto measure = slab::make_continuous_measure(slab);
    return Material({measure, k0, slab.is_shifted(), *measure->preload(),
                     fingerprint_of(k0, texts.data(), texts.size())});
  });
}

double Material::k0() const {
  return data_->k0;
}

double Material::elastic_stiffness() const {
  return data_->k0 + data_->measure->total().stiffness;
}

std::uint64_t Material::fingerprint() const {
  return data_->fingerprint;
}

struct MaterialPoint::Data {
  Material material;
  slab::TurningPoints points;
  double trial = none;       // the position of the stored trial; NaN if there is none
  double trial_force = 0.0;  // the force ∫ k v ds at the trial position, v as in element_of()

  [[nodiscard]] const Material::Data& law() const { return *material.data_; }
};

MaterialPoint::Data& MaterialPoint::data() {
  return *std::launder(reinterpret_cast<Data*>(storage_));
}
const MaterialPoint::Data& MaterialPoint::data() const {
  return *std::launder(reinterpret_cast<const Data*>(storage_));
}

// Each constructor builds the data in the storage, which needs no value before.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)
MaterialPoint::MaterialPoint(const Material& material, double x) {
  static_assert(sizeof(Data) <= sizeof(storage_) && alignof(Data) <= alignof(double));
  new (storage_) Data{material, {*material.data_->measure, start_at(finite(x))}};
}
MaterialPoint::MaterialPoint(const MaterialPoint& other) {
  new (storage_) Data(other.data());
}
MaterialPoint::MaterialPoint(MaterialPoint&& other) noexcept {
  new (storage_) Data(std::move(other.data()));
}
// NOLINTEND(cppcoreguidelines-pro-type-member-init)
MaterialPoint& MaterialPoint::operator=(MaterialPoint other) noexcept {
  data() = std::move(other.data());
  return *this;
}
MaterialPoint::~MaterialPoint() {
  data().~Data();
}

double MaterialPoint::position() const {
  return data().points.x();
}

double MaterialPoint::force() const {
  return data().law().response(position(), {data().points.internal_force(), 0.0}).force;
}

Response MaterialPoint::trial(double x) const {
  return data().law().response(x, data().points.ahead(finite(x)));
}

Response MaterialPoint::set_trial(double x) {
  revert_to_last();
  Data& point = data();
  const slab::Tangent tried = point.points.ahead(finite(x));
  point.trial = x;
  point.trial_force = tried.force;
  return point.law().response(x, tried);
}

void MaterialPoint::commit() {
  Data& point = data();
  if (!std::isnan(point.trial)) {
    point.points.move_along(std::exchange(point.trial, none), point.trial_force);
  }
}

void MaterialPoint::revert_to_last() {
  data().trial = none;
}

void MaterialPoint::revert_to_start() {
  *this = MaterialPoint(data().material, data().points.x0());
}

Response MaterialPoint::move_to(double x) {
  revert_to_last();
  const slab::Tangent moved = data().points.move_along(finite(x));
  return data().law().response(x, moved);
}

double MaterialPoint::elongation(const SpringSlider& spring) const {
  const slab::Element element = checked([&] { return element_of(spring); });
  if (element.initial_u != 0.0 && data().law().measure->begins_at_zero()) {
    throw Mistake("no spring of this material has such an initial elongation");
  }
  return data().points.elongation()(element);
}

double MaterialPoint::stored_energy() const {
  const Material::Data& law = data().law();
  const double x = position();
  return 0.5 * law.k0 * x * x + law.measure->sums(data().points.elongation())->energy;
}

double MaterialPoint::dissipated_energy() const {
  const Material::Data& law = data().law();
  const slab::TurningPoints& points = data().points;
  double energy = points.slip_energy();
  if (law.is_shifted) {
    // The force of a slider is k (v + c), and its slip is x - x0 - (v - v0). slip_energy() contains
    // only the work of k v over this slip; the work of k c is added here.
    energy += law.preload * (points.x() - points.x0()) - (law.load(points) - law.initial_load);
  }
  return std::max(0.0, energy);
}

std::size_t MaterialPoint::state_size() const {
  return head + data().points.turning_points();
}

std::vector<double> MaterialPoint::state() const {
  return numbers_of(data().points.state(), data().law().fingerprint);
}

std::size_t MaterialPoint::state(View<double> numbers) const {
  const std::size_t size = state_size();
  if (numbers.size() < size) {
    throw Mistake(
        fmt::format("the state has {} numbers, and there is room for {}", size, numbers.size()));
  }
  std::ranges::copy(state(), numbers.begin());
  return size;
}

void MaterialPoint::restore(View<const double> state) {
  const auto require = [](bool is_met, const char* fault) {
    if (!is_met) {
      throw Mistake(std::string("these numbers are no state of a point of this material: ") +
                    fault + "; give what state() gave");
    }
  };
  const Material::Data& law = data().law();
  require(state.size() >= head && state[0] == static_cast<double>(law.fingerprint),
          "they are of another material");
  require(state[1] >= 0.0 && state[1] <= static_cast<double>(state.size() - head),
          "turning points are missing");
  const View<const double> given(state.begin(), head + static_cast<std::size_t>(state[1]));
  require(std::all_of(&given[2], &given[6], is_position) &&
              std::all_of(&given[7], given.end(), is_position),
          "they are not finite");
  // These moves must lead to the given state: from x0 to the extreme on the other side, through the
  // turning points, and to x. Only wiped_out and outer_start do not follow from the moves; they are
  // taken as given, within their bounds.
  slab::TurningPoints again(*law.measure, start_at(state[2]));
  again.move_to(state[5]);
  std::for_each(given.begin() + head, given.end(), [&](double x) { again.move_to(x); });
  again.move_to(state[3]);
  slab::TurningPointState same = again.state();
  const auto [low, high] =
      std::minmax(same.x0, same.positions.empty() ? same.x : same.positions.front());
  same.wiped_out = std::clamp(state[6], 0.0, std::numeric_limits<double>::max());
  same.outer_start = std::clamp(state[7], low, high);
  require(std::ranges::equal(given, numbers_of(same, law.fingerprint)), "no moves lead there");
  data().points = {*law.measure, same};
  revert_to_last();
}

namespace {

/// Throws Mistake with the message `fault` if it is not empty, or if one of the positions x is not
/// admissible. Before, it discards every stored trial, if the points are not constant.
template <class Points>
void check(Points& points, View<const double> x, const std::string& fault) {
  try {
    if (!fault.empty()) {
      throw Mistake(fault);
    }
    std::for_each(x.begin(), x.end(), finite);
  } catch (const Mistake&) {
    if constexpr (!std::is_const_v<Points>) {
      std::ranges::for_each(points, &MaterialPoint::revert_to_last);
    }
    throw;
  }
}

/// Calls `Use`, which is MaterialPoint::trial, set_trial or move_to, for every point.
template <auto Use, class Points>
void for_each(Points& points, View<const double> x, View<double> force, View<double> stiffness) {
  const std::size_t n = points.size();
  const bool fits =
      x.size() == n && force.size() == n && (stiffness.size() == n || stiffness.empty());
  check(points, x,
        fits ? ""
        : x.size() != n
            ? fmt::format("x has {} of {} positions; give one for each point", x.size(), n)
            : fmt::format("the sizes of forces and stiffnesses are {} and {}; give arrays of {}",
                          force.size(), stiffness.size(), n));
  for (std::size_t i = 0; i < n; ++i) {
    const Response response = (points[i].*Use)(x[i]);
    force[i] = response.force;
    if (!stiffness.empty()) {
      stiffness[i] = response.stiffness;
    }
  }
}

}  // namespace

MaterialPoints::MaterialPoints(View<const Material> materials, View<const std::size_t> index,
                               double x) {
  points_.reserve(index.size());
  for (const std::size_t i : index) {
    if (i >= materials.size()) {
      throw Mistake(fmt::format("material {} of {}; they are counted from 0", i, materials.size()));
    }
    points_.emplace_back(materials[i], x);
  }
}

void MaterialPoints::trial(View<const double> x, View<double> force, View<double> stiffness) const {
  for_each<&MaterialPoint::trial>(points_, x, force, stiffness);
}

void MaterialPoints::set_trial(View<const double> x, View<double> force, View<double> stiffness) {
  for_each<&MaterialPoint::set_trial>(points_, x, force, stiffness);
}

void MaterialPoints::move(View<const double> x, View<double> force, View<double> stiffness) {
  for_each<&MaterialPoint::move_to>(points_, x, force, stiffness);
}

void MaterialPoints::move_along(View<const double> x, View<double> force) {
  constexpr std::size_t most = 64;  // points whose data stay in the cache from step to step
  const std::size_t n = size();
  const bool fits = force.size() == x.size() && (n == 0 ? x.empty() : x.size() % n == 0);
  check(points_, x,
        fits ? ""
             : fmt::format("{} positions and {} forces of {} points; give as many in every step",
                           x.size(), force.size(), n));
  for (std::size_t first = 0; first < n; first += most) {
    const std::size_t last = std::min(n, first + most);
    for (std::size_t row = 0; row < x.size(); row += n) {
      for (std::size_t i = first; i < last; ++i) {
        force[row + i] = points_[i].move_to(x[row + i]).force;
      }
    }
  }
}

std::size_t MaterialPoints::state(View<double> numbers) const {
  const View<double> all = numbers;
  for (const MaterialPoint& point : points_) {
    const std::size_t taken = point.state(numbers);
    numbers = {numbers.data() + taken, numbers.size() - taken};
  }
  return all.size() - numbers.size();
}

void MaterialPoints::restore(View<const double> states) {
  std::vector<MaterialPoint> restored = points_;
  std::size_t known = 0;
  for (; known < size() && !states.empty(); ++known) {
    restored[known].restore(states);
    const std::size_t taken = restored[known].state_size();
    states = {states.data() + taken, states.size() - taken};
  }
  if (known != size() || !states.empty()) {
    throw Mistake(fmt::format("these numbers are states of {} points than {}",
                              states.empty() ? "fewer" : "more", size()));
  }
  // Each point is assigned in its place, because callers may hold pointers to the points.
  std::ranges::move(restored, points_.begin());
}

const MaterialPoint& MaterialPoints::operator[](std::size_t i) const {
  if (i >= size()) {
    throw Mistake(fmt::format("point {} of {}; they are counted from 0", i, size()));
  }
  return points_[i];
}

}  // namespace masing
