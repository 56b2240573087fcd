// Bounds of random expressions over random intervals against Arb, a library of rigorous arithmetic
// that shares nothing with them, not even the parser: at points of the interval the bounds hold
// Arb's Taylor coefficients; where the bounds say that the function is smooth also Taylor's
// remainders between two points, which would show a jump, a kink or a pole. At the same points they
// meet the plain range. `--tries n --seed s`; a failure says how to make it again.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bounds.hpp"
#include "base/expression.hpp"
#include "fuzz/arb_series.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/random_formula.hpp"
#include "support/plain_range.hpp"

using namespace masing;

namespace {

using base::Enclosure;
constexpr int order = base::taylor_order;
using base::Series;
using fuzz::Ball;
using fuzz::BallSeries;
using fuzz::Formula;
using fuzz::Outcome;

constexpr int bits = 200;

struct Interval {
  double first = 0.0;
  double last = 0.0;
};

struct Counts {
  long long inside = 0;     ///< of a finite enclosure, in which Arb's is
  long long unbounded = 0;  ///< of an enclosure that is not finite
  long long open = 0;       ///< Arb's ball is too large to tell
  long long undefined = 0;  ///< Arb knows none: outside the domain, or a branch is undecided
  long long sharp = 0;      ///< of those inside: over one point, and known to 1e-8

  [[nodiscard]] long long all() const { return inside + unbounded + open + undefined; }
};

/// Whether a number is in an enclosure, as far as its ball tells.
enum class Place { inside, outside, open };

/// Of the number in `ball`, finite; an end that is NaN does not limit.
Place place(const Ball& ball, const Enclosure& enclosure) {
  const Ball low(std::isnan(enclosure.low) ? -HUGE_VAL : enclosure.low);
  const Ball high(std::isnan(enclosure.high) ? HUGE_VAL : enclosure.high);
  const bool is_outside = arb_lt(ball.get(), low.get()) != 0 || arb_gt(ball.get(), high.get()) != 0;
  const bool is_inside = arb_ge(ball.get(), low.get()) != 0 && arb_le(ball.get(), high.get()) != 0;
  return is_outside ? Place::outside : is_inside ? Place::inside : Place::open;
}

struct Known {
  BallSeries series;
  int terms = order + 1;  ///< 1 where it knows the value and no derivative
};

/// Nothing where a branch is undecided. Throws fuzz::Undefined.
std::optional<Known> known(const Formula& f, double t) {
  try {
    BallSeries series = fuzz::series_of(f, t, order + 1, bits);
    if (series[0].is_finite()) {
      return Known{series};
    }
    return Known{fuzz::series_of(f, t, 1, bits), 1};
  } catch (const fuzz::Undecided&) {
    return {};
  }
}

const base::Tables& tables() {
  static const base::Tables all = [] {
    base::PointTable points;
    for (const fuzz::Knot& knot : fuzz::knots) {
      points.arguments.push_back(knot.t);
      points.values.push_back(knot.value);
    }
    return base::Tables{{"r", std::make_shared<const base::PointTable>(points)}};
  }();
  return all;
}

class Comparison {
 public:
  Comparison(const Formula& formula, const Interval& interval, Counts& counts)
      : formula_(formula),
        interval_(interval),
        expression_(base::Expression(formula.text(), 't', {}, {"r"}).bound({}, tables())),
        claimed_(base::series_of(expression_.operations(), interval.first, interval.last)),
        counts_(counts) {}

  std::optional<std::string> wrong(const std::vector<double>& points) {
    std::optional<Known> before;
    for (std::size_t i = 0; i < points.size() && !wrong_; ++i) {
      compare_plain_range(points[i]);
      const std::optional<Known> f = known_at(points[i]);
      if (f) {
        compare_coefficients(points[i], *f);
      } else {
        counts_.undefined += order + 1;
      }
      if (f && before && is_smooth() && points[i - 1] != points[i] && !wrong_) {
        compare_remainders(points[i - 1], before->series[0], points[i], f->series);
      }
      before = f;
    }
    return wrong_;
  }

 private:
  std::optional<Known> known_at(double t) {
    try {
      return known(formula_, t);
    } catch (const fuzz::Undefined&) {
      if (is_smooth() && claimed_.c[0].is_finite()) {
        fail(fmt::format("smooth, but without a value at {}", t), claimed_.c[0]);
      }
      return {};
    }
  }

  [[nodiscard]] bool is_smooth() const { return claimed_.known == base::Known::smooth; }

  /// The plain range of one point, if it is finite and not empty, meets the enclosure of the value.
  void compare_plain_range(double t) {
    const Enclosure plain = support::plain_range(expression_.operations(), t, t);
    const Enclosure bounds = claimed_.coefficient(0);
    const double rounding = 1e-6 * (1.0 + plain.magnitude());
    if (plain.is_finite() &&
        (plain.high < bounds.low - rounding || plain.low > bounds.high + rounding)) {
      fail(fmt::format("the plain range at {} is [{}, {}]", t, plain.low, plain.high), bounds);
    }
  }

  void compare_coefficients(double t, const Known& f) {
    for (int k = 0; k <= order; ++k) {
      const Enclosure enclosure = claimed_.coefficient(k);
      const Ball value = f.series[k];
      if (!value.is_finite() || k >= f.terms) {
        ++counts_.undefined;
        continue;
      }
      const Place where = place(value, enclosure);
      if (where == Place::outside) {
        fail(fmt::format("coefficient {} at {} is {}", k, t, value.text()), enclosure);
        return;
      }
      ++(!enclosure.is_finite() ? counts_.unbounded
         : where == Place::open ? counts_.open
                                : counts_.inside);
      constexpr double close = 1e-8;
      counts_.sharp += interval_.first == interval_.last && where == Place::inside &&
                       enclosure.high - enclosure.low <= close * enclosure.magnitude();
    }
  }

  /// f⁽ⁿ⁾/n! somewhere between x and y is (f(y) - Σ_{k<n} c_k (y - x)^k)/(y - x)^n, c those at x.
  void compare_remainders(double y, Ball rest, double x, const BallSeries& f) {
    Ball step(y);
    const Ball from(x);
    arb_sub(step.get(), step.get(), from.get(), bits);
    for (int n = 1; n <= order && f[n - 1].is_finite() && rest.is_finite(); ++n) {
      arb_sub(rest.get(), rest.get(), f[n - 1].get(), bits);
      arb_div(rest.get(), rest.get(), step.get(), bits);
      if (place(rest, claimed_.coefficient(n)) == Place::outside) {
        fail(fmt::format("smooth, but remainder {} from {} to {} is {}", n, x, y, rest.text()),
             claimed_.coefficient(n));
        return;
      }
    }
  }

  void fail(const std::string& what, const Enclosure& enclosure) {
    wrong_ = fmt::format("{} on [{}, {}]: {}, not in [{}, {}]", formula_.text(), interval_.first,
                         interval_.last, what, enclosure.low, enclosure.high);
  }

  const Formula& formula_;
  Interval interval_;
  base::Expression expression_;
  Series claimed_;
  Counts& counts_;
  std::optional<std::string> wrong_;
};

class RandomCase {
 public:
  explicit RandomCase(fuzz::RandomText& random) : random_(random), formulas_(random) {}

  Formula formula() { return formulas_.formula(); }

  /// From one point and a few of its neighbours to ten times the widest pulse, mostly about one.
  Interval interval() {
    const double about = place();
    Interval interval{about, about};
    const std::size_t kind = random_.below(7);
    if (kind == 0) {
      for (std::size_t i = random_.below(5); i > 0; --i) {
        interval.last = std::nextafter(interval.last, HUGE_VAL);
      }
    } else if (kind > 1) {
      const double width = random_.once_in(3) || formulas_.features().empty()
                               ? formulas_.power_of_ten(-16.0, 1.5)
                               : formulas_.power_of_ten(-3.0, 3.0) * feature().width;
      interval.first -= width * (random_.once_in(4) ? 0.0 : formulas_.uniform(0.0, 1.0));
      interval.last = interval.first + width;
    }
    return interval;
  }

  std::vector<double> points(const Interval& interval) {
    std::vector<double> all{interval.first};
    if (interval.first < interval.last) {
      const double inner = formulas_.uniform(interval.first, interval.last);
      all = {random_.once_in(2) ? interval.first : interval.last, inner, place()};
      for (double& t : all) {
        t = std::clamp(t, interval.first, interval.last);
      }
    }
    return all;
  }

 private:
  fuzz::Feature feature() {
    return formulas_.features()[random_.below(formulas_.features().size())];
  }

  /// In or beside a pulse, or anywhere.
  double place() {
    if (formulas_.features().empty() || random_.once_in(3)) {
      return random_.once_in(3) ? std::rint(formulas_.uniform(-8.0, 8.0)) / 4.0
                                : formulas_.uniform(-10.0, 10.0);
    }
    const auto [centre, width] = feature();
    return random_.once_in(4)
               ? centre
               : centre + formulas_.uniform(-1.0, 1.0) * formulas_.power_of_ten(-2.0, 2.0) * width;
  }

  fuzz::RandomText& random_;
  fuzz::RandomFormula formulas_;
};

Outcome try_bounds(fuzz::RandomText& random, std::string& description, Counts& counts) {
  RandomCase one(random);
  const Formula formula = one.formula();
  const Interval interval = one.interval();
  const std::vector<double> points = one.points(interval);
  description = formula.text();
  const Counts before = counts;
  if (const std::optional<std::string> failure =
          Comparison(formula, interval, counts).wrong(points)) {
    throw std::logic_error(*failure);
  }
  return counts.inside > before.inside         ? Outcome::taken
         : counts.unbounded > before.unbounded ? Outcome::refused
                                               : Outcome::skipped;
}

}  // namespace

int main(int count, char** values) {
  Counts counts;
  const int code =
      fuzz::run(count, values, [&](fuzz::RandomText& random, std::string& description) {
        return try_bounds(random, description, counts);
      });
  std::printf(
      "coefficients: %lld inside (%lld sharp), %lld without bound, %lld open, %lld undefined\n",
      counts.inside, counts.sharp, counts.unbounded, counts.open, counts.undefined);
  // Bounds that say nothing would never be wrong.
  constexpr long long enough = 10000;
  const bool few = 10 * counts.inside < 7 * counts.all() || 50 * counts.sharp < counts.all();
  return counts.all() > enough && few ? EXIT_FAILURE : code;
}
