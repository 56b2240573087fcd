#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "study/refinement.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

namespace {

constexpr std::size_t most_rows = 24;  // of levels, on a screen

std::string number_or_dash(const char* format, int width, double value) {
  return std::isnan(value) ? fmt::format("{:>{}}", "-", width)
                           : fmt::format(fmt::runtime(format), value, width);
}

/// Behind an error: why its level is not in the fit.
char mark_sign(statistics::Mark mark) {
  return mark == statistics::Mark::before ? '<' : mark == statistics::Mark::on_floor ? '_' : ' ';
}

/// The columns of P, which is longest at the last level, and N; a model that is no slab has no P.
std::string counts(const StudySpec& spec, const std::string& cells, const std::string& steps) {
  constexpr std::size_t least = 10;
  const std::size_t width = std::max(least, cells_text(spec.levels.back().space).size());
  return (engine::slab_of(spec.run) == nullptr ? "" : fmt::format("{:>{}} ", cells, width)) +
         fmt::format("{:>12}", steps);
}

std::string heading(const StudySpec& spec, const Study& study) {
  std::string text = counts(spec, "P", "N");
  for (const std::size_t q : study.conclusions.quantities) {
    text += fmt::format(" {:>11}  {:>6}", fmt::format("e({})", quantities[q].name), "order");
  }
  return text + '\n';
}

std::string row(const StudySpec& spec, const Study& study, std::size_t level) {
  const LevelResult& at = study.cases[level];
  std::string text = counts(spec, cells_text(at.level.space), std::to_string(at.level.steps));
  for (const std::size_t q : study.conclusions.quantities) {
    text += ' ' + number_or_dash("{:{}.3e}", 11, at.errors[q]);
    text += mark_sign(study.results[q].fit.marks[level]);
    text += ' ' + number_or_dash("{:{}.3f}", 6, at.orders[q]);
  }
  return text + '\n';
}

std::string legend(const Study& study) {
  const auto any = [&](statistics::Mark mark) {
    return std::ranges::any_of(study.results, [&](const QuantityResult& finding) {
      return std::ranges::count(finding.fit.marks, mark) > 0;
    });
  };
  std::string text;
  if (any(statistics::Mark::before)) {
    text += "< left out of the fit: before the asymptotic range\n";
  }
  if (any(statistics::Mark::on_floor)) {
    text += fmt::format("_ left out of the fit: on the round-off floor, {:.1e}\n",
                        study.floors.largest());
  }
  return text;
}

std::string conclusion(const StudySpec& spec, const QuantityResult& finding, const char* quantity) {
  std::string text = fmt::format("order of {}: ", quantity);
  if (finding.observed_from() == ObservedFrom::fit) {
    text += fmt::format("{:.4f} +- {:.4f} (fit of {} levels)", finding.fit.order,
                        finding.fit.uncertainty, finding.fit.levels);
  } else if (finding.observed_from() == ObservedFrom::last_pair) {
    text += fmt::format("{:.3f} (last pair)", finding.observed());
  } else {
    text += "none observed";
  }
  if (finding.expected) {
    text += ", expected " + expected_text(*finding.expected);
    text += finding.expected->at_least ? "" : fmt::format(" within {:g}", spec.order_tolerance);
    text += ": " + to_text(finding.verdict);
  }
  text += '\n';
  if (const statistics::JointFit& joint = finding.joint; joint.is_known()) {
    const std::string power = joint.power == 1.0 ? "" : fmt::format("^{:g}", joint.power);
    text += fmt::format(
        "  error = ({:.4g} +- {:.2g}) ds{} + ({:.4g} +- {:.2g}) dt{} for ds/dt from {:.3g} to "
        "{:.3g}\n",
        joint.space, joint.space_uncertainty, power, joint.time, joint.time_uncertainty, power,
        joint.least_ratio, joint.largest_ratio);
  }
  return text;
}

std::string extrapolation(const char* name, const statistics::Extrapolation& found) {
  return std::isnan(found.value)
             ? ""
             : fmt::format(
                   "{}(T) extrapolated: {:.10g}, grid convergence index of the last level {:.2e} "
                   "(absolute; relative {:.2e})\n",
                   name, found.value, found.index, found.relative);
}

}  // namespace

std::string expected_text(const ExpectedOrder& expected) {
  return (expected.at_least ? ">=" : "") + base::to_text(expected.order);
}

std::string table(const StudySpec& spec, const Study& study) {
  std::string text = heading(spec, study);
  const std::size_t count = study.cases.size();
  std::size_t every = (count + most_rows - 1) / most_rows;
  // Where P and N are refined in turn, an odd n shows the levels of both.
  every += spec.refine == Refine::both && every % 2 == 0 ? 1 : 0;
  for (std::size_t level = 0; level < count; ++level) {
    // Of many levels every n-th, counted from the last.
    text += (count - 1 - level) % every == 0 ? row(spec, study, level) : "";
  }
  if (every > 1) {
    text += fmt::format("{} of {} levels; the others are in the file\n",
                        (count + every - 1) / every, count);
  }
  text += legend(study);
  for (const std::size_t q : study.conclusions.quantities) {
    text += conclusion(spec, study.results[q], quantities[q].name);
  }
  if (!spec.unmet_hypotheses.empty()) {
    text += fmt::format("outside the hypotheses: {}; no order follows from them\n",
                        spec.unmet_hypotheses);
  }
  if (!study.conclusions.unrefined_clause.empty()) {
    text += fmt::format("{}\n", study.conclusions.unrefined_clause);
  } else if (!study.conclusions.advice.empty()) {
    text += fmt::format("undecided: {}\n", study.conclusions.advice);
  }
  if (!spec.reference.is_exact()) {
    text += extrapolation("x", study.extrapolated_x) + extrapolation("y", study.extrapolated_y);
  }
  return text;
}

}  // namespace masing::study
