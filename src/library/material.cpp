#include "library/masing/material.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/continuous_measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing {

namespace {

/// `work`, its UserError as a Mistake.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw Mistake(error.what());
  }
}

/// Not beyond what differences of positions may be.
bool is_position(double x) {
  return std::abs(x) <= 1e300;
}

double finite(double x) {
  if (!is_position(x)) {
    throw Mistake(fmt::format("a position of {}; it must be finite, at most 1e300", x));
  }
  return x;
}

double not_negative(double k0) {
  if (!(k0 >= 0.0 && std::isfinite(k0))) {
    throw Mistake(fmt::format("k0 = {}; it must be >= 0 and finite", k0));
  }
  return k0;
}

/// k, η, v0 and c of a spring, for the law of v = u - c (slab::Slab).
slab::Element element_of(const SpringSlider& spring) {
  const double down = std::isnan(spring.threshold_down) ? spring.threshold : spring.threshold_down;
  const double threshold = 0.5 * spring.threshold + 0.5 * down;
  const double shift = 0.5 * spring.threshold - 0.5 * down;
  return {spring.stiffness, threshold, spring.initial_u - shift, shift};
}

/// The elements of springs that are admissible.
std::vector<slab::Element> elements_of(View<const SpringSlider> springs) {
  std::vector<slab::Element> elements;
  for (const SpringSlider& spring : springs) {
    slab::Element element = element_of(spring);
    const auto fault =
        slab::value_fault(element, [&] { return fmt::format("spring {}", elements.size() + 1); });
    if (fault) {
      throw Mistake(fault->what());
    }
    // But for the rounding of c.
    element.initial_u = std::clamp(element.initial_u, -element.threshold, element.threshold);
    elements.push_back(element);
  }
  if (elements.empty()) {
    throw Mistake("a material needs one spring at least");
  }
  return elements;
}

/// P cells have weights 1/P, springs have none.
std::shared_ptr<const slab::Measure> measure_of(const std::vector<slab::Element>& springs) {
  slab::Profile profile;
  profile.range = {0, std::ssize(springs)};
  for (const slab::Element& spring : springs) {
    profile.stiffness.push_back(static_cast<double>(springs.size()) * spring.stiffness);
    profile.threshold.push_back(spring.threshold);
    profile.initial_u.push_back(spring.initial_u);
  }
  return slab::make_cell_measure(profile, true);
}

base::Function function_of(const char* quantity, const std::string& text) {
  try {
    return base::Function(text, 's');
  } catch (const base::UserError& error) {
    throw base::UserError(quantity, error.what());
  }
}

/// FNV-1a of the data of a material: numbers in their bits, texts with their ends.
class Fingerprint {
 public:
  void add(double number) {
    const auto bits = std::bit_cast<std::array<char, sizeof(double)>>(number + 0.0);  // -0 as 0
    add({bits.data(), bits.size()});
  }
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    value = (value ^ bytes.size()) * 0x100000001b3U;
  }
  std::uint64_t value = 0xcbf29ce484222325U;
};

}  // namespace

std::string table(View<const double> s, View<const double> values) {
  if (s.size() != values.size()) {
    throw Mistake(fmt::format("a table of {} places and {} values; it needs as many of each",
                              s.size(), values.size()));
  }
  std::string text = "points:";
  for (std::size_t i = 0; i < s.size(); ++i) {
    text += fmt::format("{} {};", s[i], values[i]);
  }
  return checked([&] { return base::Function(text, 's').text(); });
}

struct Material::Data {
  Data(std::shared_ptr<const slab::Measure> of, std::vector<slab::Element> springs,
       double hardening, bool shifted, std::uint64_t of_data)
      : measure(std::move(of)),
        cells(std::move(springs)),
        k0(hardening),
        is_shifted(shifted),
        preload(measure->preload().value_or(0.0)),
        fingerprint(of_data) {
    for (const slab::Element& cell : cells) {
      preload += cell.stiffness * cell.shift;
      is_shifted |= cell.shift != 0.0;
    }
    (void)slab_energy(slab::TurningPoints(*measure, 0.0).elongation(), initial_loads);
  }

  /// ½ ∫ k u² ds; `loads`: ∫ k c v ds.
  double slab_energy(const slab::RememberedElongation& past, double& loads) const {
    loads = 0.0;
    if (const auto known = measure->elastic_energy(past, &loads)) {
      return *known;
    }
    double energy = 0.0;
    for (const slab::Element& cell : cells) {
      const double u = past(cell);
      energy += 0.5 * cell.stiffness * u * u;
      loads += cell.stiffness * cell.shift * (u - cell.shift);
    }
    return energy;
  }

  [[nodiscard]] Response response(double x, const slab::Tangent& slab) const {
    return {k0 * x + (slab.force + preload), k0 + slab.stiffness};
  }

  std::shared_ptr<const slab::Measure> measure;
  std::vector<slab::Element> cells;  // none of a continuum
  double k0;
  bool is_shifted;             // thresholds differ by direction
  double preload;              // ∫ k c ds
  double initial_loads = 0.0;  // ∫ k c v ds at the start
  std::uint64_t fingerprint;
};

Material::Material(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Material Material::of_springs(View<const SpringSlider> springs, double k0) {
  return checked([&] {
    std::vector<slab::Element> elements = elements_of(springs);
    Fingerprint print;
    print.add(not_negative(k0));
    for (const slab::Element& spring : elements) {
      slab::for_each_column([&](double number) { print.add(number); }, spring);
    }
    auto measure = measure_of(elements);
    return Material(std::make_shared<const Data>(std::move(measure), std::move(elements), k0, false,
                                                 print.value));
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
    Fingerprint print;
    print.add(not_negative(k0));
    for (const base::Function& f : {slab.stiffness, slab.threshold, down, slab.initial_u}) {
      print.add(f.text());
    }
    slab.set_threshold_down(down);
    if (const auto fault = slab::continuous_fault(slab)) {
      throw *fault;
    }
    return Material(std::make_shared<const Data>(slab::make_continuous_measure(slab),
                                                 std::vector<slab::Element>{}, k0,
                                                 slab.is_shifted(), print.value));
  });
}

Material Material::continuum(const std::string& stiffness, const std::string& threshold) {
  return continuum(Continuum{stiffness, threshold});
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

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

slab::TurningPointState start_at(double x0) {
  return {x0, x0, 1, x0, {}, true};
}

}  // namespace

struct MaterialPoint::Data {
  Data(const Material& of, const slab::TurningPointState& state)
      : material(of), points(*of.data_->measure, state) {}

  [[nodiscard]] const Material::Data& law() const { return *material.data_; }
  Response move_to(double x) {
    trial = none;
    return law().response(x, points.move_along(x));
  }

  Material material;
  slab::TurningPoints points;
  double trial = none;       // x, not a number where there is none
  double trial_force = 0.0;  // S there
};

MaterialPoint::Data& MaterialPoint::data() {
  return *std::launder(reinterpret_cast<Data*>(storage_));
}

const MaterialPoint::Data& MaterialPoint::data() const {
  return *std::launder(reinterpret_cast<const Data*>(storage_));
}

MaterialPoint::MaterialPoint(const Material& material, double x) {
  static_assert(sizeof(Data) <= sizeof(storage_) && alignof(Data) <= alignof(double));
  new (storage_) Data(material, start_at(finite(x)));
}
MaterialPoint::MaterialPoint(const MaterialPoint& other) {
  new (storage_) Data(other.data());
}
MaterialPoint::MaterialPoint(MaterialPoint&& other) noexcept {
  new (storage_) Data(std::move(other.data()));
}
MaterialPoint& MaterialPoint::operator=(const MaterialPoint& other) {
  return *this = MaterialPoint(other);
}
MaterialPoint& MaterialPoint::operator=(MaterialPoint&& other) noexcept {
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
  const Data& point = data();
  return point.law().response(point.points.x(), {point.points.internal_force(), 0.0}).force;
}

Response MaterialPoint::trial(double x) const {
  return data().law().response(x, data().points.ahead(finite(x)));
}

Response MaterialPoint::set_trial(double x) {
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
  Data& point = data();
  point.points = {*point.law().measure, start_at(point.points.x0())};
  point.trial = none;
}

Response MaterialPoint::move_to(double x) {
  return data().move_to(finite(x));
}

double MaterialPoint::elongation(const SpringSlider& spring) const {
  const slab::Element element = elements_of({&spring, 1}).front();
  if (element.initial_u != 0.0 && data().law().measure->begins_at_zero()) {
    throw Mistake("no spring of this material has such an initial elongation");
  }
  return data().points.elongation()(element);
}

double MaterialPoint::elongation(double threshold) const {
  return elongation(SpringSlider{1.0, threshold});
}

double MaterialPoint::stored_energy() const {
  const Data& point = data();
  const double x = point.points.x();
  double loads = 0.0;
  return 0.5 * point.law().k0 * x * x + point.law().slab_energy(point.points.elongation(), loads);
}

double MaterialPoint::dissipated_energy() const {
  const Data& point = data();
  const Material::Data& law = point.law();
  double energy = point.points.slip_energy();
  if (law.is_shifted) {
    // A slider takes k (v + c) times its slip, which is x - x0 - (v - v0).
    double loads = 0.0;
    (void)law.slab_energy(point.points.elongation(), loads);
    energy += law.preload * (point.points.x() - point.points.x0()) - (loads - law.initial_loads);
  }
  return std::max(0.0, energy);
}

namespace {

/// The numbers of a state before its turning points: format, fingerprint in two halves, number of
/// turning points, and the rest of a TurningPointState.
using StateHead = std::array<double, 10>;

StateHead head_of(const slab::TurningPointState& state, std::uint64_t fingerprint) {
  constexpr double format = 1.0;
  return {format,
          static_cast<double>(fingerprint >> 32U),
          static_cast<double>(fingerprint & 0xffffffffU),
          static_cast<double>(state.positions.size()),
          state.x0,
          state.x,
          static_cast<double>(state.direction),
          state.opposite,
          state.wiped_out,
          state.outer_start};
}

}  // namespace

std::size_t MaterialPoint::state_size() const {
  return std::tuple_size_v<StateHead> + data().points.turning_points();
}

std::vector<double> MaterialPoint::state() const {
  std::vector<double> numbers(state_size());
  state(numbers);
  return numbers;
}

std::size_t MaterialPoint::state(View<double> numbers) const {
  const std::size_t size = state_size();
  if (numbers.size() < size) {
    throw Mistake(
        fmt::format("the state has {} numbers, and there is room for {}", size, numbers.size()));
  }
  const slab::TurningPointState now = data().points.state();
  const StateHead head = head_of(now, data().law().fingerprint);
  std::ranges::copy(now.positions, std::ranges::copy(head, numbers.data()).out);
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
  StateHead head{};
  require(state.size() >= head.size(), "they are too few");
  std::copy_n(state.begin(), head.size(), head.begin());
  const double count = head[3];
  const auto most = static_cast<double>(state.size() - head.size());
  require(count >= 0.0 && count <= most && count == std::floor(count),
          "its turning points are more or fewer");
  const double* first = state.begin() + head.size();
  const slab::TurningPointState plain{head[4],
                                      head[5],
                                      head[6] > 0 ? 1 : -1,
                                      head[7],
                                      {first, first + static_cast<std::size_t>(count)},
                                      true,
                                      head[8],
                                      head[9]};
  const StateHead expected = head_of(plain, law.fingerprint);
  require(head[0] == expected[0], "they begin otherwise");
  require(head[1] == expected[1] && head[2] == expected[2], "they are of another material");
  require(std::all_of(head.begin(), head.end(), is_position) &&
              std::ranges::all_of(plain.positions, is_position),
          "they are not finite");
  // The way there, without what was wiped out, must lead there.
  slab::TurningPoints again(*law.measure, start_at(plain.x0));
  again.move_to(plain.opposite);
  for (const double position : plain.positions) {
    again.move_to(position);
  }
  again.move_to(plain.x);
  slab::TurningPointState same = again.state();
  const double outer = plain.positions.empty() ? plain.x : plain.positions.front();
  const auto [low, high] = std::minmax(plain.x0, outer);
  same.wiped_out = std::max(0.0, plain.wiped_out);
  same.outer_start = std::clamp(plain.outer_start, low, high);
  require(head == expected && same == plain, "no moves lead there");
  data().points = {*law.measure, plain};
  data().trial = none;
}

MaterialPoints::MaterialPoints(const Material& material, std::size_t count, double x)
    : points_(count, MaterialPoint(material, x)) {}

std::size_t MaterialPoints::size() const {
  return points_.size();
}

template <class Use>
void MaterialPoints::for_each(View<const double> x, View<double> force, View<double> stiffness,
                              const Use& use) {
  const std::size_t n = points_.size();
  if (x.size() != n || force.size() != n || (stiffness.size() != n && !stiffness.empty())) {
    throw Mistake(
        fmt::format("{} positions, {} forces and {} stiffnesses of {} points; each has "
                    "one of each",
                    x.size(), force.size(), stiffness.size(), n));
  }
  for (const double position : x) {
    finite(position);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Response response = use(points_[i], x[i]);
    force[i] = response.force;
    if (!stiffness.empty()) {
      stiffness[i] = response.stiffness;
    }
  }
}

void MaterialPoints::set_trial(View<const double> x, View<double> force, View<double> stiffness) {
  for_each(x, force, stiffness,
           [](MaterialPoint& point, double to) { return point.set_trial(to); });
}

void MaterialPoints::move(View<const double> x, View<double> force, View<double> stiffness) {
  for_each(x, force, stiffness, [](MaterialPoint& point, double to) { return point.move_to(to); });
}

void MaterialPoints::commit() {
  for (MaterialPoint& point : points_) {
    point.commit();
  }
}

void MaterialPoints::revert_to_last() {
  for (MaterialPoint& point : points_) {
    point.revert_to_last();
  }
}

void MaterialPoints::revert_to_start() {
  for (MaterialPoint& point : points_) {
    point.revert_to_start();
  }
}

const MaterialPoint& MaterialPoints::operator[](std::size_t i) const {
  if (i >= points_.size()) {
    throw Mistake(fmt::format("point {} of {}; they are counted from 0", i, points_.size()));
  }
  return points_[i];
}

MaterialPoint& MaterialPoints::operator[](std::size_t i) {
  return const_cast<MaterialPoint&>(std::as_const(*this)[i]);
}

}  // namespace masing
