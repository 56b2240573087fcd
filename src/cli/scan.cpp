#include "cli/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;
using scan::ScanKind;

ScanKind kind_of_scan(const Configuration& c) {
  return c.steady             ? ScanKind::steady
         : c.backbone.empty() ? ScanKind::runs
                              : ScanKind::closed_curves;
}

namespace {

/// Of what a period is known.
constexpr const char* of_known_period =
    "; give an F(t) whose every t stands inside sin(), cos(), triangle(), square() or sawtooth() "
    "of a*t+b, all with a common period, or a table that repeats itself 8 times, with --period TAU";

/// The period of what drives a point, as given or as found; nothing where it has none.
std::optional<double> period_of(const Validated& point) {
  const Configuration& c = point.configuration;
  if (!c.force) {
    return std::nullopt;
  }
  const double final_time = c.steady ? std::numeric_limits<double>::infinity() : c.final_time;
  const std::vector<base::Function> terms = point.run.drive.terms();
  if (!c.period) {
    return base::period_of(terms, final_time);
  }
  if (!(*c.period > 0.0) || !base::has_period(terms, *c.period, final_time)) {
    throw UserError("period", fmt::format("F(t + {}) is not F(t){}", base::to_text(*c.period),
                                          of_known_period));
  }
  return c.period;
}

/// The text of a slab, equal for equal ones.
std::string slab_text(const Configuration& c) {
  const auto* cells = std::get_if<slab::Cells>(&c.space);
  return fmt::format("{}|{}|{}|{}|{}{}", c.stiffness.text(), c.threshold.text(),
                     c.threshold_down ? c.threshold_down->text() : "", c.initial_u.text(),
                     cells == nullptr ? "inf" : base::to_text(cells->count), name_of(c.rule));
}

scan::ScanProblem problem_of(const Validated& point) {
  const Configuration& c = point.configuration;
  const bool is_run = kind_of_scan(c) == ScanKind::runs;
  scan::ScanProblem problem{.run = is_run ? run_of(point) : point.run,
                            .series = sampling_of(c),
                            .period = period_of(point),
                            .slab = slab_text(c)};
  if (problem.period && !point.request->has("from")) {
    problem.series.from = std::max(0.0, problem.series.to - *problem.period);
  }
  if (c.steady) {
    if (!problem.period) {
      throw UserError(std::string("--steady: no period of the force is known") + of_known_period);
    }
    problem.force_breaks = base::breaks(point.run.drive, base::horizon * *problem.period, c.breaks);
  }
  return problem;
}

/// Throws UserError where an axis is a constant that nothing uses.
void require_used(const Request& request) {
  Names used;
  for (const auto& [key, entry] : request.entries) {
    used.insert(entry.reading.constants.begin(), entry.reading.constants.end());
  }
  for (const Let& let : request.constants) {
    used.merge(let.number.constants());
  }
  if (request.parameters) {
    used.merge(request.parameters->constants());
  }
  for (const Setting& over : request.over) {
    const auto axis = std::ranges::find(request.axes, over.name,
                                        [](const Axis& each) { return each.values.name; });
    if (axis->is_constant() && !used.contains(over.name)) {
      throw UserError(
          fmt::format("{}: {} is no numeric key, and no function or number uses it as a constant",
                      over.origin, over.name));
    }
  }
}

}  // namespace

void check_scan(const Validated& request) {
  const Configuration& c = request.configuration;
  const std::vector<Axis>& axes = request.request->axes;
  if (axes.empty()) {
    throw UserError("--over: nothing to scan; give --over \"NAME=first:last:count\"");
  }
  require_used(*request.request);
  const bool is_exact = !request.request->has("engine") || engine::is_exact(request.run);
  if (c.steady && !c.backbone.empty()) {
    throw UserError("backbone", "closed curves need no --steady; give one of the two");
  }
  if (c.steady && (!std::holds_alternative<engine::Masing>(request.run.model) || !is_exact)) {
    throw UserError("steady", "limit cycles are found by --model masing and --engine exact alone");
  }
  if (!c.backbone.empty() && engine::slab_of(request.run) == nullptr) {
    throw UserError("backbone", "closed curves are known of slabs; give --model masing");
  }
  if (!c.backbone.empty() && std::ranges::min(axes.back().values.values) <= 0.0) {
    throw UserError("backbone", fmt::format("'{}' has amplitudes that are not > 0", c.backbone));
  }
  if (!c.backbone.empty() && c.keep_series) {
    throw UserError("keep", "closed curves are no runs and have no series");
  }
}

scan::ScanProblem problem_at(const Scan& scan, std::span<const double> values) {
  return located(*scan.request, [&] {
    return problem_of(resolved(scan.request, configuration_of(*scan.request, values)));
  });
}

scan::ScanProblem first_problem(const Scan& scan) {
  return problem_at(scan, first_values(*scan.request));
}

}  // namespace masing::cli
