#include "study/field.hpp"

#include <utility>

namespace masing::study {

void ContinuousField::add(double weight, slab::RememberedElongation elongation) {
  parts_.push_back({weight, std::move(elongation)});
}

double ContinuousField::operator()(const slab::Element& cell) const {
  double u = 0.0;
  for (const auto& [weight, elongation] : parts_) {
    u += weight * elongation(cell);
  }
  return u;
}

void serialize(engine::Archive& archive, const std::string& name, slab::RememberedElongation& u) {
  std::vector<double> numbers;
  if (!archive.restores()) {
    numbers = {u.x0, u.x, static_cast<double>(u.direction), u.highest, u.lowest};
    for (const auto& leg : u.legs) {
      numbers.insert(numbers.end(), {leg.position, leg.meeting});
    }
  }
  archive.numbers(name, numbers);
  u = {numbers.at(0), numbers.at(1), static_cast<int>(numbers[2]),
       numbers.at(3), numbers.at(4), {}};
  for (std::size_t i = 5; i + 1 < numbers.size(); i += 2) {
    u.legs.push_back({numbers[i], numbers[i + 1]});
  }
}

}  // namespace masing::study
