#include "slab/steady/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

CycleNumbers numbers_of(std::vector<CyclePoint> points, double period, double whole, double drift) {
  constexpr double full = 2 * std::numbers::pi;
  std::complex<double> of_x;
  std::complex<double> of_force;
  double mean_restoring = 0.0;
  double largest_force = 0.0;
  for (CyclePoint& point : points) {
    point.x -= drift * point.t / whole;
    mean_restoring += point.weight * point.restoring;
    largest_force = std::max(largest_force, std::abs(point.force));
  }
  for (auto point = points.begin(); point != points.end(); point += 2) {
    const auto turn = std::polar(point->weight, -full / period * point->t);
    const auto next_turn = std::polar(point[1].weight, -full / period * point[1].t);
    of_x += point->x * turn + point[1].x * next_turn;
    of_force += point->force * turn + point[1].force * next_turn;
  }
  // Returns z + i f at the extreme of a parabola.
  const auto extreme = [&](int side) {
    const auto height = [side](const CyclePoint& point) { return side * point.x; };
    const auto at = std::clamp(std::ranges::max_element(points, {}, height), points.begin() + 2,
                               points.end() - 3);
    const auto both = [&](int i) { return std::complex<double>(at[i].x, at[i].restoring); };
    // The ends of a step are also those of its neighbours, hence the distance of 2.
    const double before = at[-2].t - at->t;
    const double after = at[2].t - at->t;
    const auto slope = (both(-2) - both(0)) / before;
    const auto curvature = ((both(2) - both(0)) / after - slope) / (after - before);
    const auto rate = slope - curvature * before;  // at the time of `at`
    const double vertex = -rate.real() / (2 * curvature.real());
    const double t = std::clamp(vertex, 2 * before, 2 * after);
    return both(0) + t * (rate + t * curvature);
  };
  const std::complex<double> range = extreme(1) - extreme(-1);
  return {.amplitude = range.real() / 2,
          .restoring_amplitude = range.imag() / 2,
          .work_of_drift = drift * mean_restoring,
          .phase = std::abs(of_force) > 1e-3 * largest_force
                       ? std::fmod(std::arg(of_force) - std::arg(of_x) + 2 * full, full)
                       : base::undefined};
}

namespace {

/// All elements count as yielding if Cycle::frozen is at most this number.
constexpr double none_frozen = 1e-12;

using Pair = std::array<double, 2>;
/// A function r(v) whose root is sought. The function returns nothing if r is not defined at v.
using Residual = std::function<std::optional<Pair>(const Pair&)>;

/// Returns the maximum norm of v.
double size_of(const Pair& v) {
  return std::max(std::abs(v[0]), std::abs(v[1]));
}

/// Returns the Jacobian of a residual r(v), [i][j] = ∂r_i/∂v_j, computed by central differences.
/// Returns nothing if r is not defined at one of the points used.
std::optional<std::array<Pair, 2>> slope_of(const Residual& residual, const Pair& v) {
  constexpr double step = 1e-6;
  std::array<Pair, 2> slope{};
  for (std::size_t j = 0; j < 2; ++j) {
    Pair after = v;
    Pair before = v;
    after[j] += step;
    before[j] -= step;
    const auto high = residual(after);
    const auto low = residual(before);
    if (!high || !low) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      slope[i][j] = ((*high)[i] - (*low)[i]) / (after[j] - before[j]);
    }
  }
  return slope;
}

/// Returns the root of r, found by Newton's method that starts at v. A Newton step is halved until
/// |r| decreases, unless |r| is at most 1e-9 already. The iteration ends if |r| ≤ 1e-13, or if |r|
/// ≤ 1e-9 and a Newton step has not halved |r|. Returns nothing if the method does not converge.
std::optional<Pair> solve(const Residual& residual, Pair v) {
  constexpr double rounding = 1e-13;
  constexpr double small = 1e-9;
  auto at = residual(v);
  std::optional<std::array<Pair, 2>> slope;
  double shrunk = 0.0;  // |r| after the previous step divided by |r| before it
  for (int pass = 0; at && pass < 40; ++pass) {
    if (size_of(*at) <= rounding || (size_of(*at) <= small && shrunk > 0.5)) {
      return v;
    }
    // The Jacobian costs four evaluations of r: keep it while steps reduce |r| fast.
    if (!slope || shrunk > 0.05) {
      slope = slope_of(residual, v);
    }
    if (!slope) {
      return std::nullopt;
    }
    const auto& [first, second] = *slope;
    const double determinant = first[0] * second[1] - first[1] * second[0];
    const Pair step{-((*at)[0] * second[1] - first[1] * (*at)[1]) / determinant,
                    -(first[0] * (*at)[1] - second[0] * (*at)[0]) / determinant};
    if (!std::isfinite(size_of(step))) {
      return std::nullopt;
    }
    double part = 1.0;
    for (;; part *= 0.5) {
      const Pair trial{v[0] + part * step[0], v[1] + part * step[1]};
      const auto there = residual(trial);
      const bool is_less = there && size_of(*there) < size_of(*at);
      if (is_less || (there && size_of(*at) <= small)) {
        shrunk = size_of(*there) / size_of(*at);
        if (is_less) {
          v = trial;
          at = there;
        }
        break;
      }
      if (part < 1e-3) {
        return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

/// Returns the eigenvalues of a 2×2 matrix.
std::array<std::complex<double>, 2> eigenvalues(const std::array<Pair, 2>& matrix) {
  const double mean = (matrix[0][0] + matrix[1][1]) / 2;
  const double difference = (matrix[0][0] - matrix[1][1]) / 2;
  const std::complex<double> root =
      std::sqrt(std::complex<double>(difference * difference + matrix[0][1] * matrix[1][0]));
  return {mean + root, mean - root};
}

/// Returns the given passage; throws UserError if there is none.
Passage required(std::optional<Passage> passage) {
  if (!passage) {
    throw base::UserError("the motion has no extreme a period later");
  }
  return std::move(*passage);
}

/// Computes limit cycles by the shooting method: Newton's method on the map from an extreme of x to
/// the extreme one cycle later.
class Shooting {
 public:
  /// `map` must outlive the object.
  explicit Shooting(const PeriodMap& map) : map_(map), frequency_(map.frequency()) {}

  /// Returns the cycle near the extreme `start`, and throws UserError if none is found; see
  /// find_cycle().
  [[nodiscard]] Cycle near(const Extreme& start, int multiple) const {
    const double whole = multiple * map_.force().period;
    const Passage passage = required(map_.passage(start, whole));
    const bool all_yield = frozen(passage.least_x, passage.most_x) <= none_frozen;
    bool x_is_free = map_.oscillator().k0 == 0.0 && all_yield;
    std::optional<Extreme> extreme = corrected(start, x_is_free, whole);
    // If the cycle extends beyond remembered turning points, these are wiped out. The cycle is
    // therefore computed again, with the turning points that remain after one cycle. This is
    // repeated until the x at which the cycle begins no longer changes, at most 60 times.
    constexpr int passes = 60;
    for (int pass = 0; extreme && pass < passes; ++pass) {
      const double before = extreme->x;
      extreme->past = required(map_.passage(*extreme, whole)).past;
      extreme = corrected(*extreme, x_is_free, whole);
      if (extreme && std::abs(extreme->x - before) <= 1e-12 * (passage.most_x - passage.least_x)) {
        break;
      }
    }
    // In the course of many periods a drift brings every element to its threshold, even those that
    // would stay elastic on a cycle without drift. Then S no longer rises at `start`, and x is
    // arbitrary.
    const TurningPoints slab(map_.measure(), start.past);
    if (!extreme && map_.oscillator().k0 == 0.0 &&
        slab.stiffness_at(start.x) <= none_frozen * map_.measure().total().stiffness) {
      x_is_free = true;
      extreme = corrected(start, true, whole);
    }
    if (!extreme) {
      throw base::UserError("Newton's method does not come to a cycle");
    }
    return described(*extreme, multiple, x_is_free);
  }

 private:
  /// Returns the fraction of ∫k that belongs to elements which do not yield while x varies between
  /// `least` and `most`.
  [[nodiscard]] double frozen(double least, double most) const {
    const double all = map_.measure().total().stiffness;
    return std::max(0.0, 1.0 - map_.measure().below((most - least) / 2).stiffness / all);
  }

  /// Returns a residual whose root is a cycle that begins at an extreme near `start`. Its argument
  /// is v = (ω·phase, x/scale) of the extreme. Its value is the change of both numbers when the
  /// motion is followed over one cycle, which takes the time `whole`. If `x_is_free`, any x is
  /// possible: x remains start.x, and only the phase has to be found.
  [[nodiscard]] Residual residual_of(const Extreme& start, bool x_is_free, double whole,
                                     double scale) const {
    return [this, start, x_is_free, whole, scale](const Pair& v) -> std::optional<Pair> {
      Extreme at = start;
      at.phase = v[0] / frequency_;
      at.x = x_is_free ? start.x : v[1] * scale;
      const auto passage = map_.passage(at, whole);
      if (!passage) {
        return std::nullopt;
      }
      // If x is arbitrary, the second equation keeps x at start.x, so that the Jacobian is regular.
      return Pair{(passage->span - whole) * frequency_,
                  x_is_free ? v[1] - start.x / scale : (passage->x - at.x) / scale};
    };
  }

  /// Returns the range of x on a passage, by which lengths are scaled.
  [[nodiscard]] static double scale_of(const Passage& passage) {
    return std::max(passage.most_x - passage.least_x, std::numeric_limits<double>::min());
  }

  /// Returns the extreme at which a cycle begins, computed by Newton's method from the extreme
  /// `start`. Returns nothing if the method does not converge.
  [[nodiscard]] std::optional<Extreme> corrected(const Extreme& start, bool x_is_free,
                                                 double whole) const {
    const double scale = scale_of(required(map_.passage(start, whole)));
    const Pair guess{start.phase * frequency_, start.x / scale};
    const auto root = solve(residual_of(start, x_is_free, whole, scale), guess);
    if (!root) {
      return std::nullopt;
    }
    Extreme at = start;
    at.phase = (*root)[0] / frequency_;
    at.x = x_is_free ? start.x : (*root)[1] * scale;
    at.past = past_on_arrival(map_.measure(), at.past, at.x, at.side).value_or(at.past);
    return at;
  }

  /// Returns the cycle that begins at an extreme, with all members of Cycle set.
  [[nodiscard]] Cycle described(const Extreme& at, int multiple, bool x_is_free) const {
    const double period = map_.force().period;
    const double whole = multiple * period;
    const Passage passage = required(map_.passage(at, whole, true));
    const double scale = scale_of(passage);
    Cycle cycle;
    cycle.extreme = at;
    cycle.extreme.phase = at.phase - std::floor(at.phase / period) * period;
    cycle.multiple = multiple;
    cycle.most_x = passage.most_x;
    cycle.least_x = passage.least_x;
    cycle.loss = passage.works.slab;
    cycle.drift = x_is_free ? passage.x - at.x : 0.0;
    cycle.frozen = x_is_free ? 0.0 : frozen(passage.least_x, passage.most_x);
    cycle.residual = std::max(std::abs(passage.span - whole) * frequency_,
                              std::abs(passage.x - at.x - cycle.drift) / scale);
    const Pair here{at.phase * frequency_, at.x / scale};
    cycle.multipliers = multipliers(residual_of(at, x_is_free, whole, scale), here, x_is_free);
    const bool drifts = std::abs(cycle.drift) > 1e-9 * scale;
    // Without drift the extremes are known; with drift more points make them accurate.
    cycle.numbers = numbers_of(points_of(cycle.extreme, whole, (drifts ? 4096 : 512) * multiple),
                               period, whole, drifts ? cycle.drift : 0.0);
    if (!drifts) {
      TurningPoints slab(map_.measure(), *past_on_arrival(map_.measure(), at.past, at.x, at.side));
      const auto restoring = [&](double x) {
        return restoring_force(map_.oscillator(), {x, 0.0, slab.move_to(x)});
      };
      const double at_extreme = restoring(at.x);
      const double change = at_extreme - restoring(at.side > 0 ? cycle.least_x : cycle.most_x);
      cycle.numbers.amplitude = (cycle.most_x - cycle.least_x) / 2;
      cycle.numbers.restoring_amplitude = at.side * change / 2;
    }
    return cycle;
  }

  /// Returns the Floquet multipliers, the one of larger modulus first: the eigenvalues of the
  /// Jacobian of the map over one cycle. The Jacobian follows from the residual near `here`, the v
  /// of the cycle. Throws UserError if the residual is not defined near `here`.
  [[nodiscard]] static std::array<std::complex<double>, 2> multipliers(const Residual& residual,
                                                                       const Pair& here,
                                                                       bool x_is_free) {
    const auto slope = slope_of(residual, here);
    if (!slope) {
      throw base::UserError("the cycle is at the edge of where there is one");
    }
    // The residual is the map minus the identity, so 1 is added to the diagonal of the residual's
    // Jacobian. If x is arbitrary, the map only shifts x, and its derivative by x is 1.
    auto multipliers_of_map =
        eigenvalues({{{(*slope)[0][0] + 1, (*slope)[0][1]},
                      {(*slope)[1][0], x_is_free ? 1.0 : (*slope)[1][1] + 1}}});
    if (std::abs(multipliers_of_map[0]) < std::abs(multipliers_of_map[1])) {
      std::swap(multipliers_of_map[0], multipliers_of_map[1]);
    }
    return multipliers_of_map;
  }

  /// Returns the points of the cycle that begins at `at`: the Gauss points of `count` steps, which
  /// the breaks of F divide further.
  [[nodiscard]] std::vector<CyclePoint> points_of(const Extreme& at, double whole,
                                                  int count) const {
    std::vector<double> ends;
    for (int i = 0; i <= count; ++i) {
      ends.push_back(whole * i / count);
    }
    for (const double time : map_.force().breaks) {
      if (time > at.phase && time < at.phase + whole) {
        ends.push_back(time - at.phase);
      }
    }
    std::ranges::sort(ends);
    std::vector<CyclePoint> points;
    auto solution = map_.from(at);
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const double width = ends[i] - ends[i - 1];
      for (const double part : {0.5 - std::sqrt(1.0 / 12), 0.5 + std::sqrt(1.0 / 12)}) {
        const double t = ends[i - 1] + part * width;
        const MassState state = solution->at(t);
        points.push_back({t, state.x, map_.force().drive(t + at.phase),
                          restoring_force(map_.oscillator(), state), width / (2 * whole)});
      }
    }
    return points;
  }

  const PeriodMap& map_;
  double frequency_;
};

}  // namespace

Cycle find_cycle(const PeriodMap& map, const Extreme& start, int multiple) {
  return Shooting(map).near(start, multiple);
}

namespace {

/// Returns the fixed point of the affine map that takes z₀ to z₁, z₁ to z₂ and z₂ to z₃. These are
/// four successive states (x, y) at ends of periods, stored in reverse order: last[0] is z₃,
/// last[3] is z₀. With the differences d_i = z_{i+1} - z_i and the matrix A of the map, A d₀ = d₁
/// and A d₁ = d₂, and the fixed point is z₀ + (I - A)⁻¹ d₀. The result has the turning points of
/// last[0], after the slab has been moved to the x of the fixed point. Returns last[0] if the four
/// states do not determine a fixed point.
PeriodEnd extrapolated_fixed_point(const PeriodMap& map, const std::deque<PeriodEnd>& last) {
  const auto difference = [&](std::size_t n) {
    return Pair{last[n].x - last[n + 1].x, last[n].y - last[n + 1].y};
  };
  const Pair d0 = difference(2);
  const Pair d1 = difference(1);
  const Pair d2 = difference(0);
  const auto area = [](const Pair& a, const Pair& b) { return a[0] * b[1] - a[1] * b[0]; };
  // By the theorem of Cayley and Hamilton d₂ = trace d₁ - determinant d₀, so that (I - A)⁻¹ d₀ =
  // ((1 - trace) d₀ + d₁) / (1 - trace + determinant).
  const double trace = area(d0, d2) / area(d0, d1);
  const double determinant = area(d1, d2) / area(d0, d1);
  const double scale = 1 - trace + determinant;
  const Pair middle{last[3].x + ((1 - trace) * d0[0] + d1[0]) / scale,
                    last[3].y + ((1 - trace) * d0[1] + d1[1]) / scale};
  if (!std::isfinite(middle[0]) || !std::isfinite(middle[1])) {
    return last[0];
  }
  TurningPoints slab(map.measure(), last[0].past);
  slab.move_to(middle[0]);
  return {middle[0], middle[1], slab.state()};
}

/// Tells when the change from period to period ceases to decrease. The changes are checked at the
/// periods n = 256, 512, 1024, … (`next_check_`). `later_` is the largest change in the periods
/// after n/2, and `earlier_` is the largest change in the periods after n/4 up to n/2. If `later_`
/// exceeds 0.9 `earlier_`, the change has ceased to decrease. The change after the first period is
/// infinite, so the earliest decision is at n = 512.
class Settling {
 public:
  /// Adds the change of the next period. Local.
  bool has_ceased(std::int64_t period, double change) {
    double& largest = 2 * period <= next_check_ ? earlier_ : later_;
    largest = std::max(largest, change);
    if (period < next_check_) {
      return false;
    }
    const bool has_ceased = later_ > 0.9 * earlier_;
    earlier_ = std::exchange(later_, 0.0);
    next_check_ *= 2;
    return has_ceased;
  }

 private:
  std::int64_t next_check_ = 256;
  double earlier_ = 0.0;
  double later_ = 0.0;
};

}  // namespace

PeriodicState run_until_periodic(const PeriodMap& map, double tolerance,
                                 std::int64_t most_periods) {
  constexpr int most = 4;
  const Oscillator& oscillator = map.oscillator();
  const double frequency = map.frequency();
  const bool is_held = oscillator.k0 > 0.0;
  std::deque<PeriodEnd> last{
      {oscillator.x0, oscillator.y0, {oscillator.x0, oscillator.x0, 1, oscillator.x0, {}}}};
  double largest = 0.0;
  Settling settling;
  PeriodicState reached;
  for (std::int64_t period = 1; period <= most_periods; ++period) {
    last.push_front(map.period_after(last.front()));
    if (std::ssize(last) > 2 * most + 1) {
      last.pop_back();
    }
    largest = std::max(largest * 0.99, std::abs(last[0].y));
    reached.change = std::numeric_limits<double>::infinity();
    for (int multiple = 1; multiple <= most && 2L * multiple < std::ssize(last); ++multiple) {
      const auto n = static_cast<std::size_t>(multiple);
      const double dy = last[0].y - last[n].y;
      // If k0 = 0, the cycle may drift: the displacements of two successive repetitions are
      // compared.
      const double dx = last[0].x - last[n].x - (is_held ? 0.0 : last[n].x - last[2 * n].x);
      const double size = std::max(largest, frequency * std::abs(last[0].x - last[1].x));
      const double change = std::max(std::abs(dy), frequency * std::abs(dx)) /
                            std::max(size, std::numeric_limits<double>::min());
      if (change < reached.change / (multiple == 1 ? 1 : 10)) {
        reached.change = change;
        reached.multiple = multiple;
      }
    }
    reached.periods = period;
    if (reached.change < tolerance) {
      break;
    }
    if (settling.has_ceased(period, reached.change)) {
      // Hardly any element yields, and the motion is the periodic one plus a free elastic
      // vibration.
      last[0] = extrapolated_fixed_point(map, last);
      reached.multiple = 1;
      break;
    }
  }
  reached.state = last.front();
  return reached;
}

}  // namespace masing::slab
