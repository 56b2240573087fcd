#include "slab/profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

namespace {
// The largest bound that base::FixedPoint accepts.
constexpr double largest_force = 1e200;
// |v0| may exceed η by this fraction of η because of rounding errors of v0 = u0 - c and of η. They
// are of the order of ε η, because |c| ≤ η; ε is the machine precision.
constexpr double rounded_excess = 8 * base::epsilon;

/// Returns the values of a function in a range of cells, [range.size].
base::AlignedVector sampled(const Slab& slab, const base::Function& function,
                            const base::CellRange& range) {
  const auto size = static_cast<std::size_t>(range.size);
  if (size > 0 && function.is_constant()) {
    return base::AlignedVector(size, function(slab.point(range.first)));
  }
  base::AlignedVector values(size);
  std::vector<double> points(std::min<std::size_t>(size, base::block_cells));
  for (std::size_t first = 0; first < size; first += points.size()) {
    base::poll();
    points.resize(std::min(points.size(), size - first));
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i] = slab.point(range.first + static_cast<std::int64_t>(first + i));
    }
    function.evaluate(points, std::span(values).subspan(first, points.size()));
  }
  return values;
}

/// The `units` of lies_on() for each of k, η, v0 and c.
constexpr Coefficients<double> units_allowed{.threshold = 4};

/// Returns whether `value`, the value in a cell, agrees with a formula. If `units` is 0, both must
/// have the same bits. Otherwise they may differ by `units` times ε times the larger of `value` and
/// the formula's `first`, where ε is the machine precision.
bool lies_on(const AffineFormula& line, std::int64_t cell, double value, double units) {
  const double there = line.at(cell);
  if (units == 0.0) {  // compare bits instead of values, as 0 and -0 are different initial states
    return std::bit_cast<std::uint64_t>(there) == std::bit_cast<std::uint64_t>(value);
  }
  return std::abs(there - value) <= units * base::epsilon * std::max(value, line.first);
}

/// Returns the fraction of η by which |v0| may exceed η. It is 1 % if u0 contains a table that has
/// a point where c has no kink, because a linear interpolation may exceed a curved η between the
/// points. In all other cases it is rounded_excess if slab.is_shifted(), and 0 if not.
double allowed_excess(const Slab& slab) {
  // The kinks of initial_u = u0 - c are the points of the tables of u0 and those of c. The points
  // of c are removed here.
  std::vector<double> points;
  std::ranges::set_difference(slab.initial_u.kinks(), slab.shift.kinks(),
                              std::back_inserter(points));
  constexpr double most_excess = 0.01;
  return !points.empty() ? most_excess : slab.is_shifted() ? rounded_excess : 0.0;
}

/// Throws UserError if check_element() rejects the element at s.
void check_place(const Slab& slab, double s, double excess) {
  check_element(
      slab.element(s), [s] { return "s = " + base::to_text(s); }, excess);
}

/// Throws UserError if check_element() rejects the element at a point in [0, 1] of a table in u0 or
/// c. There |v0| may exceed η only by rounding errors (rounded_excess).
void check_table(const Slab& slab) {
  for (const double s : slab.initial_u.kinks()) {
    if (s >= 0.0 && s <= 1.0) {
      check_place(slab, s, rounded_excess);
    }
  }
}

}  // namespace

int kept_arrays(const ProfileForm& form) {
  int kept = 0;
  for_each_column([&](const std::optional<AffineFormula>& line) { kept += line ? 0 : 1; }, form);
  return kept;
}

Profile sample_profile(const Slab& slab, base::CellRange range, const ProfileForm& form) {
  Profile profile;
  profile.range = range;
  profile.form = form;
  for_each_column(
      [&](base::AlignedVector& values, const base::Function& function,
          const std::optional<AffineFormula>& line) {
        if (!line) {
          values = sampled(slab, function, range);
        }
      },
      profile, slab, form);
  const double excess = allowed_excess(slab);
  for (std::size_t i = 0; excess > 0.0 && i < profile.initial_u.size(); ++i) {
    const double limit = profile.element(static_cast<std::int64_t>(i)).threshold;
    double& u0 = profile.initial_u[i];
    u0 = std::abs(u0) > limit && std::abs(u0) <= (1.0 + excess) * limit ? std::copysign(limit, u0)
                                                                        : u0;
  }
  return profile;
}

ProfileForm candidate_form(const Slab& slab) {
  ProfileForm form;
  for_each_column(
      [&](std::optional<AffineFormula>& line, const base::Function& function) {
        line = {.first = function(slab.point(0))};
      },
      form, slab);
  const std::int64_t last = slab.field_cells() - 1;
  if (last > 0) {
    form.threshold->slope =
        (slab.threshold(slab.point(last)) - form.threshold->first) / static_cast<double>(last);
  }
  return form;
}

ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile) {
  ProfileForm form = candidate;
  for_each_column(
      [&](std::optional<AffineFormula>& line, const base::AlignedVector& values, double units) {
        for (std::size_t i = 0; line && i < values.size(); ++i) {
          if (!lies_on(*line, profile.range.first + static_cast<std::int64_t>(i), values[i],
                       units)) {
            line.reset();
          }
        }
      },
      form, profile, units_allowed);
  return form;
}

ProfileForm check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate) {
  check_table(slab);
  ProfileForm form = candidate;
  bool constant = true;
  for_each_column([&](const base::Function& function) { constant &= function.is_constant(); },
                  slab);
  if (constant) {
    range.size = std::min<std::int64_t>(range.size, 1);
  }
  // Few enough that their values stay in the cache.
  constexpr std::int64_t cells_at_once = 4 * base::block_cells;
  for (std::int64_t done = 0; done < range.size; done += cells_at_once) {
    base::poll();
    const Profile cells =
        sample_profile(slab, {range.first + done, std::min(cells_at_once, range.size - done)});
    for (std::int64_t i = 0; i < cells.range.size; ++i) {
      check_element(cells.element(i), [&] {
        const std::int64_t cell = cells.range.first + i;
        return fmt::format("s = {} (cell {} of {})", base::to_text(slab.point(cell)), cell + 1,
                           slab.field_cells());
      });
    }
    form = confirmed_form(form, cells);
  }
  return form;
}

void check_element(const Element& element, const std::function<std::string()>& place,
                   double excess) {
  const auto [k, eta, u0, shift] = element;
  const double up = threshold_up(element);
  const double down = threshold_down(element);
  const double most = (1.0 + rounded_excess) * eta;
  const auto refuse = [&](const char* quantity, const char* symbol, double value,
                          const std::string& rule) {
    throw base::UserError(
        quantity, fmt::format("{}(s) = {} at {}; {}", symbol, base::to_text(value), place(), rule));
  };
  if (!(k >= 0 && std::isfinite(k))) {
    refuse("stiffness", "k", k, "k must be >= 0 and finite");
  }
  // If one of the two thresholds is infinite, so is c, and the other threshold, computed as ∞ - ∞,
  // is NaN. The conditions below therefore test c and compare with ∞, so that the message names the
  // threshold that is infinite.
  if (!(shift >= -most) || up == base::infinity) {
    refuse("threshold", "eta", up, "eta must be >= 0 and finite");
  }
  if (!(shift <= most) || down == base::infinity) {
    refuse("threshold-down", "eta_down", down, "eta_down must be >= 0 and finite");
  }
  if (!(k * eta <= largest_force)) {
    refuse("stiffness", "k(s)*eta", k * eta, "the product must be <= 1e200");
  }
  excess += shift == 0.0 ? 0.0 : rounded_excess;
  if (!(std::abs(u0) <= (1.0 + excess) * eta)) {
    refuse("initial-u", "u0", u0 + shift,
           shift == 0.0 ? "|u0| must be <= eta(s) = " + base::to_text(eta)
                        : fmt::format("u0 must lie in [-eta_down(s), eta(s)] = [{}, {}]",
                                      base::to_text(-down), base::to_text(up)));
  }
}

void check_functions(const Slab& slab) {
  check_table(slab);
  const double excess = allowed_excess(slab);
  double largest = 0.0;
  for (const double s : sample_places(smooth_spans(slab))) {
    check_place(slab, s, excess);
    largest = std::max(largest, slab.stiffness(s) * slab.threshold(s));
  }
  base::check_bound(largest, "stiffness * threshold");
}

double elastic_stiffness(const Slab& slab) {
  constexpr std::int64_t most = 1024;
  thread_local std::optional<std::pair<Slab, double>> last;
  Slab places{{.stiffness = slab.stiffness}, slab.space, slab.rule};
  if (slab.is_continuum() || slab.field_cells() > most) {
    places = {{.stiffness = slab.stiffness}, Cells{most}, Rule::midpoint};
  }
  if (!last || last->first != places) {
    const auto k = sampled(places, places.stiffness, {0, places.field_cells()});
    last = {places, std::reduce(k.begin(), k.end()) / static_cast<double>(k.size())};
  }
  return last->second;
}

}  // namespace masing::slab
