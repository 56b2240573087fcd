#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "study/output.hpp"

namespace masing::study {

namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256] = "";
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string number_or_dash(const char* format, int width, double value) {
  return std::isnan(value) ? formatted("%*s", width, "-") : formatted(format, width, value);
}

std::string cells_text(std::int64_t cells) {
  return cells == cli::infinitely_many ? "inf" : base::to_text(cells);
}

/// Behind an error: why its level is not in the fit.
char mark_sign(Mark mark) {
  switch (mark) {
    case Mark::before:
      return '<';
    case Mark::on_floor:
      return '_';
    default:
      return ' ';
  }
}

/// Whether the levels have cells; a model that is no slab has columns, the same on every level.
bool has_cells(const cli::Configuration& configuration) {
  return cli::family_of(configuration.model) != cli::Family::finite;
}

/// Whether a study has anything to show of a quantity: a state has no points of cells, and some
/// have no columns beside x and y.
bool is_shown(const cli::Configuration& configuration, const Study& study, std::size_t q) {
  if (has_cells(configuration)) {
    return true;
  }
  return quantities[q].value != &Errors::u_cells &&
         std::ranges::any_of(study.cases, [&](const Case& at) {
           return !std::isnan(at.errors.*quantities[q].value);
         });
}

std::string heading(const cli::Configuration& configuration, const Study& study) {
  std::string text = has_cells(configuration) ? formatted("%10s ", "P") : "";
  text += formatted("%12s", "N");
  for (std::size_t q = 0; q < study.findings.size(); ++q) {
    if (is_shown(configuration, study, q)) {
      text +=
          formatted(" %11s  %6s", ("e(" + std::string(quantities[q].name) + ")").c_str(), "order");
    }
  }
  return text + '\n';
}

std::string row(const cli::Configuration& configuration, const Study& study, std::size_t level) {
  const Case& at = study.cases[level];
  std::string text =
      has_cells(configuration) ? formatted("%10s ", cells_text(at.level.cells).c_str()) : "";
  text += formatted("%12lld", static_cast<long long>(at.level.steps));
  for (std::size_t q = 0; q < study.findings.size(); ++q) {
    if (!is_shown(configuration, study, q)) {
      continue;
    }
    text += ' ' + number_or_dash("%*.3e", 11, at.errors.*quantities[q].value);
    text += mark_sign(study.findings[q].fit.marks[level]);
    text += ' ' + number_or_dash("%*.3f", 6, at.orders.*quantities[q].value);
  }
  return text + '\n';
}

std::string legend(const Study& study) {
  bool before = false;
  bool on_floor = false;
  for (const auto& finding : study.findings) {
    for (const Mark mark : finding.fit.marks) {
      before = before || mark == Mark::before;
      on_floor = on_floor || mark == Mark::on_floor;
    }
  }
  std::string text;
  if (before) {
    text += "< left out of the fit: before the asymptotic range\n";
  }
  if (on_floor) {
    text += formatted("_ left out of the fit: on the round-off floor, %.1e\n", study.floor);
  }
  return text;
}

std::string conclusion(const cli::Configuration& configuration, const Finding& finding,
                       const Quantity& quantity) {
  std::string text = "order of " + std::string(quantity.name) + ": ";
  if (!std::isnan(finding.fit.order)) {
    text += formatted("%.4f +- %.4f (fit of %zu levels)", finding.fit.order,
                      finding.fit.uncertainty, finding.fit.levels);
  } else if (!std::isnan(finding.observed)) {
    text += formatted("%.3f (last pair)", finding.observed);
  } else {
    text += "none observed";
  }
  if (finding.expected) {
    text += ", expected " + expected_text(*finding.expected);
    text +=
        finding.expected->at_least ? "" : formatted(" within %g", configuration.order_tolerance);
    text += ": " + to_text(finding.verdict);
  }
  text += '\n';
  if (!std::isnan(finding.joint.space)) {
    const std::string power =
        finding.joint.power == 1.0 ? "" : formatted("^%g", finding.joint.power);
    text += formatted("  error = (%.4g +- %.2g) ds%s + (%.4g +- %.2g) dt%s\n", finding.joint.space,
                      finding.joint.space_uncertainty, power.c_str(), finding.joint.time,
                      finding.joint.time_uncertainty, power.c_str());
  }
  return text;
}

std::string extrapolation(const char* name, const Extrapolation& found) {
  return std::isnan(found.value)
             ? ""
             : formatted(
                   "%s(T) extrapolated: %.10g, grid convergence index of the last level %.2e\n",
                   name, found.value, found.index);
}

std::string checked(const Study& study) {
  return formatted(" (checks itself to %.0e)", study.self_check);
}

}  // namespace

std::string expected_text(const cli::ExpectedOrder& expected) {
  return (expected.at_least ? ">=" : "") + base::to_text(expected.order);
}

std::string reference_text(const cli::Configuration& configuration, const Study& study) {
  switch (configuration.reference) {
    case cli::Reference::finest:
      return (has_cells(configuration)
                  ? "reference P = " + cells_text(study.reference->cells) + ", "
                  : std::string("reference ")) +
             "N = " + base::to_text(study.reference->steps);
    case cli::Reference::successive:
      return "differences of successive levels";
    case cli::Reference::exact:
      return "reference: the exact solution" + checked(study);
    case cli::Reference::exact_time:
      return "reference: the exact solution at the same P" + checked(study);
    case cli::Reference::file:
      return "reference: " + configuration.reference_file;
    default:
      return "reference: P = inf at the same N";
  }
}

std::string table(const cli::Configuration& configuration, const Study& study) {
  std::string text = heading(configuration, study);
  for (std::size_t level = 0; level < study.cases.size(); ++level) {
    text += row(configuration, study, level);
  }
  text += legend(study);
  for (std::size_t q = 0; q < study.findings.size(); ++q) {
    if (is_shown(configuration, study, q)) {
      text += conclusion(configuration, study.findings[q], quantities[q]);
    }
  }
  if (!is_exact(configuration.reference)) {
    text += extrapolation("x", study.extrapolated_x) + extrapolation("y", study.extrapolated_y);
  }
  return text;
}

}  // namespace masing::study
