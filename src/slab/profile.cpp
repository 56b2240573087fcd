#include "slab/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "base/limits.hpp"
#include "base/poll.hpp"
#include "base/text.hpp"

namespace masing::slab {

namespace {
constexpr double largest_force = 1e200;  // of base::FixedPoint
// What the roundings of v0 = u0 - c and η may add to |v0|, part of η: |c| ≤ η.
constexpr double rounded_excess = 8 * base::epsilon;

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

/// Units in the last place by which a cell may miss the line; none: it has the line's bits.
constexpr Coefficients<double> rounding{.threshold = 4};

bool lies_on(const AffineFormula& line, std::int64_t cell, double value, double units) {
  const double there = line.at(cell);
  if (units == 0.0) {  // bits, not values: 0 and -0 are two initial states
    return std::bit_cast<std::uint64_t>(there) == std::bit_cast<std::uint64_t>(value);
  }
  return std::abs(there - value) <= units * base::epsilon * std::max(value, line.first);
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

double allowed_excess(const Slab& slab) {
  std::vector<double> points;  // of u0, not of c
  std::ranges::set_difference(slab.initial_u.kinks(), slab.shift.kinks(),
                              std::back_inserter(points));
  constexpr double most_excess = 0.01;
  return !points.empty() ? most_excess : slab.is_shifted() ? rounded_excess : 0.0;
}

std::optional<base::UserError> table_fault(const Slab& slab) {
  std::optional<base::UserError> fault;
  for (const double s : slab.initial_u.kinks()) {
    if (!fault && s >= 0.0 && s <= 1.0) {
      fault = value_fault(
          slab.element(s), [s] { return "s = " + base::to_text(s); }, rounded_excess);
    }
  }
  return fault;
}

std::optional<base::UserError> value_fault(const Element& element,
                                           const std::function<std::string()>& place,
                                           double excess) {
  const auto [k, eta, u0, shift] = element;
  const double up = eta + shift;
  const double down = eta - shift;
  excess += shift == 0.0 ? 0.0 : rounded_excess;
  const auto at = [&](double value) { return base::to_text(value) + " at " + place() + "; "; };
  if (!(k >= 0) || !std::isfinite(k)) {
    return base::UserError("stiffness", "k(s) = " + at(k) + "k must be >= 0 and finite");
  }
  if (!(up >= -rounded_excess * eta) || !std::isfinite(up)) {
    return base::UserError("threshold", "eta(s) = " + at(up) + "eta must be >= 0 and finite");
  }
  if (!(down >= -rounded_excess * eta) || !std::isfinite(down)) {
    return base::UserError("threshold-down",
                           "eta_down(s) = " + at(down) + "eta_down must be >= 0 and finite");
  }
  if (!(k * eta <= largest_force)) {
    return base::UserError("stiffness",
                           "k(s)*eta(s) = " + at(k * eta) + "the product must be <= 1e200");
  }
  if (!(std::abs(u0) <= (1.0 + excess) * eta)) {
    return base::UserError(
        "initial-u",
        "u0(s) = " + at(u0 + shift) +
            (shift == 0.0 ? "|u0| must be <= eta(s) = " + base::to_text(eta)
                          : "u0 must lie in [-eta_down(s), eta(s)] = [" + base::to_text(-down) +
                                ", " + base::to_text(up) + "]"));
  }
  return std::nullopt;
}

std::optional<base::UserError> profile_fault(const Slab& slab, const Profile& profile) {
  std::optional<base::UserError> fault;
  for (std::int64_t i = 0; !fault && i < profile.range.size; ++i) {
    const std::int64_t cell = profile.range.first + i;
    fault = value_fault(profile.element(i), [&] {
      return "s = " + base::to_text(slab.point(cell)) + " (cell " + base::to_text(cell + 1) +
             " of " + base::to_text(slab.field_cells()) + ")";
    });
  }
  return fault;
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
      form, profile, rounding);
  return form;
}

ProfileCheck check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate) {
  ProfileCheck check{.fault = table_fault(slab), .form = candidate};
  bool constant = true;
  for_each_column([&](const base::Function& function) { constant &= function.is_constant(); },
                  slab);
  if (constant) {
    range.size = std::min<std::int64_t>(range.size, 1);
  }
  constexpr std::int64_t piece = 4 * base::block_cells;  // stays in the cache
  for (std::int64_t done = 0; done < range.size && !check.fault; done += piece) {
    base::poll();
    const Profile cells =
        sample_profile(slab, {range.first + done, std::min(piece, range.size - done)});
    check.fault = profile_fault(slab, cells);
    check.form = confirmed_form(check.form, cells);
  }
  return check;
}

}  // namespace masing::slab
