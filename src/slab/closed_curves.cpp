#include "slab/closed_curves.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "slab/turning_points/continuous_measure.hpp"

namespace masing::slab {

/// Moments of the stiffness over the cells with η ≤ r.
class ClosedCurves::Integrals {
 public:
  struct Moments {
    double zeroth = 0.0;  ///< ∫ k ds
    double first = 0.0;   ///< ∫ k η ds
    double second = 0.0;  ///< ∫ k η² ds
  };

  Integrals() = default;
  virtual ~Integrals() = default;
  Integrals(const Integrals&) = delete;
  Integrals& operator=(const Integrals&) = delete;
  [[nodiscard]] virtual Moments below(double r) const = 0;
};

/// Of P cells: prefix sums in the order of η.
class ClosedCurves::OfCells final : public Integrals {
 public:
  explicit OfCells(const Slab& slab) {
    std::vector<Element> cells;
    for (std::int64_t i = 0; i < slab.field_cells(); ++i) {
      cells.push_back(slab.element(slab.point(i)));
    }
    std::ranges::sort(cells, {}, &Element::threshold);
    const double width = cell_width(slab.space);
    for (const Element& cell : cells) {
      const Moments& last = sums_.back();
      const double stiffness = cell.stiffness * width;
      thresholds_.push_back(cell.threshold);
      sums_.push_back({last.zeroth + stiffness, last.first + stiffness * cell.threshold,
                       last.second + stiffness * cell.threshold * cell.threshold});
    }
  }

  [[nodiscard]] Moments below(double r) const override {
    const auto end = std::ranges::upper_bound(thresholds_, r);
    return sums_[static_cast<std::size_t>(end - thresholds_.begin())];
  }

 private:
  std::vector<double> thresholds_;
  std::vector<Moments> sums_{{}};
};

/// Of P = ∞: the tables of the turning points.
class ClosedCurves::OfContinuum final : public Integrals {
 public:
  explicit OfContinuum(const Slab& slab) : measure_(make_continuous_measure(slab)) {}

  [[nodiscard]] Moments below(double r) const override {
    const Sums sums = measure_.below(r);
    return {sums.stiffness, sums.force, measure_.table().second_moment(r)};
  }

 private:
  ContinuousMeasure measure_;
};

ClosedCurves::ClosedCurves(const Slab& slab, double k0) : k0_(k0) {
  if (slab.is_continuum()) {
    integrals_ = std::make_unique<OfContinuum>(slab);
  } else {
    integrals_ = std::make_unique<OfCells>(slab);
  }
}

ClosedCurves::~ClosedCurves() = default;

ClosedCycle ClosedCurves::cycle(double amplitude) const {
  const auto [stiffness, force, second] = integrals_->below(amplitude);
  const double all = integrals_->below(std::numeric_limits<double>::max()).zeroth;
  ClosedCycle cycle;
  cycle.restoring = k0_ * amplitude + amplitude * (all - stiffness) + force;
  cycle.loss = 4 * (amplitude * force - second);
  cycle.secant_stiffness = cycle.restoring / amplitude;
  cycle.damping_ratio = cycle.loss / (2 * std::numbers::pi * amplitude * cycle.restoring);
  return cycle;
}

}  // namespace masing::slab
