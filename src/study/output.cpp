#include "study/output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/text.hpp"
#include "options/option_table.hpp"

namespace study {

namespace {

/// A key's value as the user would give it.
std::string value_of(const options::Configuration& configuration, const std::string& key) {
  return std::ranges::find(options::option_table(), key, &options::Option::name)
      ->get(configuration);
}

std::string expected_text(const options::ExpectedOrder& expected) {
  return (expected.at_least ? ">=" : "") + base::to_text(expected.order);
}

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256] = "";
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string number_or_dash(const char* format, int width, double value) {
  return std::isnan(value) ? formatted("%*s", width, "-") : formatted(format, width, value);
}

}  // namespace

std::string table(const options::Configuration& configuration, const Study& study) {
  std::string text = formatted("%10s %12s", "P", "N");
  for (const auto& quantity : quantities) {
    text += formatted(" %11s %6s", ("e(" + std::string(quantity.name) + ")").c_str(), "order");
  }
  text += '\n';
  for (const auto& at : study.cases) {
    text += formatted("%10lld %12lld", static_cast<long long>(at.level.cells),
                      static_cast<long long>(at.level.steps));
    for (const auto& quantity : quantities) {
      text += ' ' + number_or_dash("%*.3e", 11, at.errors.*quantity.value);
      text += ' ' + number_or_dash("%*.3f", 6, at.orders.*quantity.value);
    }
    text += '\n';
  }
  for (const auto& finding : study.findings) {
    text +=
        "order of " + finding.expected.quantity + ": " +
        (std::isnan(finding.observed) ? "none" : formatted("%.3f", finding.observed)) +
        ", expected " + expected_text(finding.expected) +
        (finding.expected.at_least ? "" : formatted(" within %g", configuration.order_tolerance)) +
        ": " + to_text(finding.verdict) + '\n';
  }
  return text;
}

void write(const parallel::Communicator& comm, const io::Handle& file,
           const options::Configuration& configuration, const Study& study) {
  const auto column = [&](const std::string& path, const io::Meaning& meaning,
                          const std::function<double(const Case&)>& value) {
    std::vector<double> values;
    std::ranges::transform(study.cases, std::back_inserter(values), value);
    const auto total = static_cast<std::int64_t>(values.size());
    io::write_distributed(file, path, meaning,
                          comm.is_root() ? std::span<const double>(values) : std::span<double>(), 0,
                          total);
  };
  column("/cases/cells", {"cells of the level", "P"},
         [](const Case& at) { return static_cast<double>(at.level.cells); });
  column("/cases/steps", {"time steps of the level", "N"},
         [](const Case& at) { return static_cast<double>(at.level.steps); });
  column("/cases/ds", {"cell width 1/P", "ds"}, [](const Case& at) { return at.ds; });
  column("/cases/dt", {"time step T/N", "dt"}, [](const Case& at) { return at.dt; });
  for (const auto& quantity : quantities) {
    const std::string name = quantity.name;
    column("/cases/error_" + name,
           {std::string("error of ") + quantity.symbol + " in the maximum norm", "e_" + name},
           [&](const Case& at) { return at.errors.*quantity.value; });
    column("/cases/order_" + name,
           {std::string("observed order of ") + quantity.symbol +
                " between the level before and this one; NaN where undefined",
            "p_" + name},
           [&](const Case& at) { return at.orders.*quantity.value; });
  }
  const io::Handle fit = io::create_group(file, "/fit");
  io::write_attribute(fit, "refine", value_of(configuration, "refine"));
  io::write_attribute(fit, "reference", value_of(configuration, "reference"));
  if (study.reference) {
    io::write_attribute(fit, "reference_cells", study.reference->cells);
    io::write_attribute(fit, "reference_steps", study.reference->steps);
  }
  io::write_attribute(fit, "tolerance", configuration.order_tolerance);
  for (const auto& finding : study.findings) {
    const std::string& name = finding.expected.quantity;
    io::write_attribute(fit, "observed_" + name, finding.observed);
    io::write_attribute(fit, "expected_" + name, expected_text(finding.expected));
    io::write_attribute(fit, "verdict_" + name, to_text(finding.verdict));
  }
  io::write_attribute(fit, "verdict", to_text(study.verdict));
  const io::Handle timing = io::create_group(file, "/timing");
  io::write_attribute(timing, "wall_seconds", study.seconds);
  column("/timing/cases", {"wall time of the level, seconds", "s"},
         [](const Case& at) { return at.seconds; });
}

}  // namespace study
