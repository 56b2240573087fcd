#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "parallel/vector.hpp"
#include "slab/problem.hpp"

/// Refinement studies: levels, references, error norms, observed orders, verdict.
namespace masing::study {

/// u of any cell at one time, of a run by turning points: a mean of functions with weights that add
/// up to 1.
class ContinuousField {
 public:
  void add(double weight, slab::RememberedElongation elongation);
  /// u of a cell. Local.
  [[nodiscard]] double operator()(const slab::Element& cell) const;

  struct Part {
    double weight = 0.0;
    slab::RememberedElongation elongation;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

/// u of all cells, or the columns of a state, at one time: [P] split over the ranks, or, where
/// `entries` is null, for P = ∞ and for many cells, a function.
struct Field {
  const parallel::Vector* entries = nullptr;
  ContinuousField function;
};

/// Save a function, or get it back. Collective.
void serialize(engine::Archive& archive, const std::string& name, slab::RememberedElongation& u);

}  // namespace masing::study
