#include "masing/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace masing {

namespace {
constexpr double largest_force = 1e200;  // of base::FixedPoint
}

Profile sample_profile(const Problem& problem, base::CellRange range) {
  Profile profile{.range = range, .stiffness = {}, .threshold = {}, .initial_u = {}, .form = {}};
  const auto sample = [&](const options::Function& function, std::vector<double>& values) {
    values.resize(static_cast<std::size_t>(range.size));
    for (std::int64_t i = 0; i < range.size; ++i) {
      values[static_cast<std::size_t>(i)] = function(problem.point(range.first + i));
    }
  };
  sample(problem.stiffness, profile.stiffness);
  sample(problem.threshold, profile.threshold);
  sample(problem.initial_u, profile.initial_u);
  return profile;
}

std::string profile_fault(const Problem& problem, const Profile& profile) {
  for (std::size_t i = 0; i < profile.stiffness.size(); ++i) {
    const double k = profile.stiffness[i];
    const double eta = profile.threshold[i];
    const double u0 = profile.initial_u[i];
    const auto at = [&, cell = profile.range.first + static_cast<std::int64_t>(i)](double value) {
      return base::to_text(value) + " at s = " + base::to_text(problem.point(cell)) + " (cell " +
             base::to_text(cell + 1) + " of " + base::to_text(problem.field_cells()) + "); ";
    };
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
  }
  return {};
}

ProfileForm candidate_form(const Problem& problem) {
  const std::int64_t last = problem.field_cells() - 1;
  const double first_threshold = problem.threshold(problem.point(0));
  const double rise = problem.threshold(problem.point(last)) - first_threshold;
  ProfileForm form;
  form.affine_threshold = {
      .first = first_threshold,
      .slope = last > 0 ? rise / static_cast<double>(last) : 0.0,
  };
  form.constant_stiffness = problem.stiffness(problem.point(0));
  return form;
}

ProfileForm confirmed_form(const ProfileForm& candidate, const Profile& profile) {
  ProfileForm form = candidate;
  const double constant = candidate.constant_stiffness.value_or(0.0);
  if (std::ranges::any_of(profile.stiffness, [&](double k) { return k != constant; })) {
    form.constant_stiffness.reset();
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

void adopt_form(Profile& profile, const ProfileForm& form) {
  profile.form = form;
  for (std::size_t i = 0; form.affine_threshold && i < profile.threshold.size(); ++i) {
    profile.threshold[i] =
        form.affine_threshold->at(profile.range.first + static_cast<std::int64_t>(i));
  }
}

double force_bound(const Profile& profile) {
  double bound = 0.0;
  for (std::size_t i = 0; i < profile.stiffness.size(); ++i) {
    bound = std::max(bound, profile.stiffness[i] * profile.threshold[i]);
  }
  return bound;
}

}  // namespace masing
