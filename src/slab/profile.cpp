#include "slab/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace masing::slab {

namespace {
constexpr double largest_force = 1e200;  // of base::FixedPoint

base::AlignedVector sampled(const Slab& slab, const base::Function& function,
                            const base::CellRange& range) {
  const auto size = static_cast<std::size_t>(range.size);
  if (size > 0 && function.is_constant()) {
    return base::AlignedVector(size, function(slab.point(range.first)));
  }
  base::AlignedVector values(size);
  for (std::int64_t i = 0; i < range.size; ++i) {
    values[static_cast<std::size_t>(i)] = function(slab.point(range.first + i));
  }
  return values;
}

}  // namespace

Profile sample_profile(const Slab& slab, base::CellRange range) {
  return {.range = range,
          .stiffness = sampled(slab, slab.stiffness, range),
          .threshold = sampled(slab, slab.threshold, range),
          .initial_u = sampled(slab, slab.initial_u, range),
          .form = {}};
}

Profile lean_profile(const Slab& slab, base::CellRange range, const ProfileForm& form) {
  const auto needed = [&](bool given, const base::Function& function) {
    return given ? base::AlignedVector() : sampled(slab, function, range);
  };
  return {.range = range,
          .stiffness = needed(form.constant_stiffness.has_value(), slab.stiffness),
          .threshold = needed(form.affine_threshold.has_value(), slab.threshold),
          .initial_u = needed(form.constant_initial_u.has_value(), slab.initial_u),
          .form = form};
}

std::string value_fault(double k, double eta, double u0,
                        const std::function<std::string()>& place) {
  const auto at = [&](double value) { return base::to_text(value) + " at " + place() + "; "; };
  if (!(k > 0) || !std::isfinite(k)) {
    return "--stiffness: k(s) = " + at(k) + "k must be > 0 and finite";
  }
  if (!(eta > 0) || !std::isfinite(eta)) {
    return "--threshold: eta(s) = " + at(eta) + "eta must be > 0 and finite";
  }
  if (!(k * eta <= largest_force)) {
    return "--stiffness: k(s)*eta(s) = " + at(k * eta) + "the product must be <= 1e200";
  }
  if (!(std::abs(u0) <= eta)) {
    return "--initial-u: u0(s) = " + at(u0) + "|u0| must be <= eta(s) = " + base::to_text(eta);
  }
  return {};
}

std::string profile_fault(const Slab& slab, const Profile& profile) {
  std::string fault;
  for (std::size_t i = 0; fault.empty() && i < profile.stiffness.size(); ++i) {
    const std::int64_t cell = profile.range.first + static_cast<std::int64_t>(i);
    fault = value_fault(profile.stiffness[i], profile.threshold[i], profile.initial_u[i], [&] {
      return "s = " + base::to_text(slab.point(cell)) + " (cell " + base::to_text(cell + 1) +
             " of " + base::to_text(slab.field_cells()) + ")";
    });
  }
  return fault;
}

ProfileForm candidate_form(const Slab& slab) {
  const std::int64_t last = slab.field_cells() - 1;
  const double first_threshold = slab.threshold(slab.point(0));
  const double rise = slab.threshold(slab.point(last)) - first_threshold;
  ProfileForm form;
  form.affine_threshold = {
      .first = first_threshold,
      .slope = last > 0 ? rise / static_cast<double>(last) : 0.0,
  };
  form.constant_stiffness = slab.stiffness(slab.point(0));
  form.constant_initial_u = slab.initial_u(slab.point(0));
  return form;
}

ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile) {
  ProfileForm form = candidate;
  const double constant = candidate.constant_stiffness.value_or(0.0);
  if (std::ranges::any_of(profile.stiffness, [&](double k) { return k != constant; })) {
    form.constant_stiffness.reset();
  }
  // Bits, not values: 0 and -0 are two initial states.
  const auto initial = std::bit_cast<std::uint64_t>(candidate.constant_initial_u.value_or(0.0));
  if (std::ranges::any_of(profile.initial_u,
                          [&](double u0) { return std::bit_cast<std::uint64_t>(u0) != initial; })) {
    form.constant_initial_u.reset();
  }
  for (std::size_t i = 0; candidate.affine_threshold && i < profile.threshold.size(); ++i) {
    const double eta = profile.threshold[i];
    const double line =
        candidate.affine_threshold->at(profile.range.first + static_cast<std::int64_t>(i));
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    if (!(std::abs(line - eta) <= rounding * std::max(eta, candidate.affine_threshold->first))) {
      form.affine_threshold.reset();
      break;
    }
  }
  return form;
}

ProfileCheck check_profile(const Slab& slab, base::CellRange range, const ProfileForm& candidate) {
  ProfileCheck check{.fault = {}, .form = candidate};
  if (slab.stiffness.is_constant() && slab.threshold.is_constant() &&
      slab.initial_u.is_constant()) {
    range.size = std::min<std::int64_t>(range.size, 1);
  }
  constexpr std::int64_t piece = 4 * base::block_cells;  // stays in the cache
  for (std::int64_t done = 0; done < range.size && check.fault.empty(); done += piece) {
    const Profile cells =
        sample_profile(slab, {range.first + done, std::min(piece, range.size - done)});
    check.fault = profile_fault(slab, cells);
    check.form = confirmed_form(check.form, cells);
  }
  return check;
}

double stiffness_bound(const Profile& profile) {
  if (profile.form.constant_stiffness) {
    return profile.range.size > 0 ? *profile.form.constant_stiffness : 0.0;
  }
  double bound = 0.0;
  for (const double k : profile.stiffness) {
    bound = std::max(bound, k);
  }
  return bound;
}

double force_bound(const Profile& profile) {
  double bound = 0.0;
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    bound = std::max(bound, profile.stiffness_of(i) * profile.threshold_of(i));
  }
  return bound;
}

}  // namespace masing::slab
