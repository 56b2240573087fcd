#include "slab/steady/transient.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace masing::slab {

namespace {

using Pair = std::array<double, 2>;

/// The state that a linear map leaves alone, of which the last four of some states come one from
/// the other, latest first: z = z₀ + (I - A)⁻¹ d₀, where A d₀ = d₁ and A d₁ = d₂ for their
/// differences. The latest itself where they do not tell.
PeriodEnd middle_of_beats(const PeriodMap& map, const std::deque<PeriodEnd>& last) {
  const auto difference = [&](std::size_t n) {
    return Pair{last[n].x - last[n + 1].x, last[n].y - last[n + 1].y};
  };
  const Pair d0 = difference(2);
  const Pair d1 = difference(1);
  const Pair d2 = difference(0);
  const auto area = [](const Pair& a, const Pair& b) { return a[0] * b[1] - a[1] * b[0]; };
  // By Cayley and Hamilton d₂ = trace d₁ - determinant d₀, and so (I - A)⁻¹ d₀ =
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

}  // namespace

Settled settle(const PeriodMap& map, double tolerance, std::int64_t most_periods,
               const std::optional<PeriodEnd>& start) {
  constexpr int most = 4;
  const Oscillator& oscillator = map.oscillator();
  const double frequency = map.frequency();
  const bool is_held = oscillator.k0 > 0.0;
  std::deque<PeriodEnd> last{start.value_or(PeriodEnd{
      oscillator.x0, oscillator.y0, {oscillator.x0, oscillator.x0, 1, oscillator.x0, {}}})};
  double largest = 0.0;
  // The largest change in the first and in the second half of the periods so far, doubled at times.
  constexpr std::int64_t first_look = 256;
  std::int64_t next_look = first_look;
  double earlier = 0.0;
  double later = 0.0;
  Settled settled;
  for (std::int64_t period = 1; period <= most_periods; ++period) {
    last.push_front(map.period_after(last.front()));
    if (std::ssize(last) > 2 * most + 1) {
      last.pop_back();
    }
    largest = std::max(largest * 0.99, std::abs(last[0].y));
    settled.change = std::numeric_limits<double>::infinity();
    for (int multiple = 1; multiple <= most && 2L * multiple < std::ssize(last); ++multiple) {
      const auto n = static_cast<std::size_t>(multiple);
      const double dy = last[0].y - last[n].y;
      // Where nothing holds the mass, its cycle may drift.
      const double dx = last[0].x - last[n].x - (is_held ? 0.0 : last[n].x - last[2 * n].x);
      const double size = std::max(largest, frequency * std::abs(last[0].x - last[1].x));
      const double change = std::max(std::abs(dy), frequency * std::abs(dx)) /
                            std::max(size, std::numeric_limits<double>::min());
      if (change < settled.change / (multiple == 1 ? 1 : 10)) {
        settled.change = change;
        settled.multiple = multiple;
      }
    }
    settled.periods = period;
    if (settled.change < tolerance) {
      break;
    }
    (2 * period <= next_look ? earlier : later) =
        std::max(2 * period <= next_look ? earlier : later, settled.change);
    if (period == next_look) {
      if (later > 0.9 * earlier) {
        // Nothing yields any more, or hardly anything, and the motion beats.
        last[0] = middle_of_beats(map, last);
        settled.multiple = 1;
        break;
      }
      earlier = std::exchange(later, 0.0);
      next_look *= 2;
    }
  }
  settled.state = last.front();
  return settled;
}

}  // namespace masing::slab
