#include "fuzz/enclosure_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace masing::fuzz {

namespace {

using base::Enclosure;
using Limits = std::numeric_limits<double>;

constexpr slong bits = 200;

double any_double(RandomText& random) {
  constexpr std::array ends{0.0,
                            1.0,
                            0.5,
                            3.0,
                            0.1,
                            1e-200,
                            1e200,
                            1e-160,
                            1e160,
                            709.78271289338397,  // about where eˣ overflows
                            708.39641853226408,  // and e⁻ˣ is subnormal
                            745.13321910194111,  // and underflows
                            40.0,
                            Limits::denorm_min(),
                            Limits::min(),
                            Limits::epsilon(),
                            Limits::max(),
                            Limits::infinity()};
  constexpr int widest = 1074;
  constexpr std::size_t exponents = 2148;
  double value = ends.at(random.below(ends.size()));
  if (random.once_in(2)) {
    value = std::ldexp(1.0 + static_cast<double>(random.below(1000003)) / 1000003.0,
                       static_cast<int>(random.below(exponents)) - widest);
  }
  for (std::size_t ulps = random.once_in(3) ? random.below(4) : 0; ulps > 0; --ulps) {
    value = std::nextafter(value, random.once_in(2) ? 0.0 : Limits::infinity());
  }
  return random.once_in(2) ? -value : value;
}

Enclosure any_enclosure(RandomText& random) {
  const auto [low, high] = std::minmax({any_double(random), any_double(random)});
  if (random.once_in(3) && std::isfinite(low)) {
    return {low, low};
  }
  // [∞, ∞] has no number in it.
  return {std::min(low, Limits::max()), std::max(high, -Limits::max())};
}

/// A finite number of the enclosure.
double number_in(RandomText& random, const Enclosure& a) {
  const double low = std::max(a.low, -Limits::max());
  const double high = std::min(a.high, Limits::max());
  switch (random.below(4)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::clamp(any_double(random), low, high);
    default:
      return std::clamp(0.5 * low + 0.5 * high, low, high);
  }
}

struct Case {
  std::string_view name;
  Enclosure result;
  Ball value;
};

Case any_case(RandomText& random, const Enclosure& a, const Enclosure& b, double x, double y) {
  Ball u(x);
  const Ball v(y);
  switch (random.below(9)) {
    case 0:
      arb_add(u.get(), u.get(), v.get(), ARF_PREC_EXACT);
      return {"a + b", a + b, u};
    case 1:
      arb_sub(u.get(), u.get(), v.get(), ARF_PREC_EXACT);
      return {"a + -b", a + -b, u};
    case 2:
      arb_mul(u.get(), u.get(), v.get(), bits);
      return {"a b", a * b, u};
    case 3: {
      const Ball factor(y);
      arb_mul(u.get(), u.get(), factor.get(), bits);
      return {"y a", y * a, u};
    }
    case 4:
      arb_div(u.get(), u.get(), v.get(), bits);
      return {"a / b", a / b, u};
    case 5:
      arb_mul(u.get(), u.get(), u.get(), bits);
      return {"a²", square_of(a), u};
    case 6:
      arb_exp(u.get(), u.get(), bits);
      return {"exp a", exponential_of(a), u};
    case 7:
      return {"hull", hull(a, b), random.once_in(2) ? u : v};
    default:
      return {"widened", base::widened(a.low, a.high), u};
  }
}

}  // namespace

Place place(const Ball& ball, const Enclosure& enclosure) {
  arf_t low;
  arf_t high;
  arf_init(low);
  arf_init(high);
  arb_get_lbound_arf(low, ball.get(), 2 * bits);
  arb_get_ubound_arf(high, ball.get(), 2 * bits);
  const bool below = !std::isnan(enclosure.low) && arf_cmp_d(high, enclosure.low) < 0;
  const bool above = !std::isnan(enclosure.high) && arf_cmp_d(low, enclosure.high) > 0;
  const bool inside = (std::isnan(enclosure.low) || arf_cmp_d(low, enclosure.low) >= 0) &&
                      (std::isnan(enclosure.high) || arf_cmp_d(high, enclosure.high) <= 0);
  arf_clear(low);
  arf_clear(high);
  return below || above ? Place::outside : inside ? Place::inside : Place::open;
}

std::optional<std::string> try_enclosure(RandomText& random) {
  const Enclosure a = any_enclosure(random);
  const Enclosure b = any_enclosure(random);
  const double x = number_in(random, a);
  const double y = number_in(random, b);
  const auto [name, result, value] = any_case(random, a, b, x, y);
  const bool has_ends = !std::isnan(result.low) && !std::isnan(result.high);
  if (!value.is_finite() || (has_ends && place(value, result) != Place::outside)) {
    return {};
  }
  return fmt::format("{} = [{}, {}] for a = [{}, {}], b = [{}, {}], but {} at x = {}, y = {}", name,
                     result.low, result.high, a.low, a.high, b.low, b.high, value.text(), x, y);
}

}  // namespace masing::fuzz
