#include "slab/turning_points/equilibrium.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <optional>

namespace masing::slab {

namespace {

/// The root of R(x) = force on the leg that begins at `here`, where R has not reached it yet, in
/// `direction` up to `corner`, where it has; R is monotone. To the last bit or two.
template <class Resistance>
double position_on_leg(const Resistance& resistance, double force, double here, int direction,
                       double corner) {
  const auto excess = [&](double x) { return resistance(x) - force; };
  double reach = std::max(1.0, std::abs(here));
  while (!std::isfinite(corner)) {
    const double trial = here + direction * reach;
    if (direction * excess(trial) >= 0.0) {
      corner = trial;
    }
    reach *= 2;
  }
  if (excess(corner) == 0.0) {
    return corner;
  }
  std::uintmax_t evaluations = 200;
  const auto [low, high] =
      boost::math::tools::toms748_solve(excess, std::min(here, corner), std::max(here, corner),
                                        boost::math::tools::eps_tolerance<double>(), evaluations);
  return std::abs(excess(low)) < std::abs(excess(high)) ? low : high;
}

}  // namespace

bool move_to_equilibrium(TurningPoints& turning_points, double k0, double force,
                         double saturation) {
  if (k0 == 0.0 && std::abs(force) >= saturation) {
    return false;
  }
  for (;;) {
    const double here = turning_points.x();
    const double resistance_here = k0 * here + turning_points.internal_force();
    if (force == resistance_here) {
      return true;
    }
    const int direction = force > resistance_here ? 1 : -1;
    std::optional<TurningPoints> turned;
    if (direction != turning_points.direction()) {
      turned.emplace(turning_points).reverse();
    }
    const TurningPoints& leg = turned ? *turned : turning_points;
    const auto resistance = [&](double x) { return k0 * x + leg.force_at(x); };
    // A look far along the outermost curve would cost what going there does.
    const double corner = leg.is_outermost() ? leg.next_break() : leg.corner(direction);
    const bool beyond = std::isfinite(corner) && direction * (force - resistance(corner)) >= 0.0;
    const double x = beyond ? corner : position_on_leg(resistance, force, here, direction, corner);
    if (x == here) {
      return true;  // nearer than a rounding of x
    }
    turning_points.move_to(x);
    if (!beyond) {
      return true;
    }
  }
}

}  // namespace masing::slab
