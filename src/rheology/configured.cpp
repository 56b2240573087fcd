#include "rheology/configured.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/validate.hpp"

namespace masing::rheology {

namespace {

using cli::Configuration;
using cli::Family;

/// With more numbers than this, /state/values has not a row for every sample by default.
constexpr double most_state_values = 1e7;

Values values_of(const ModelInfo& info, const Configuration& c, const Part& part) {
  return {info.name, all_parameters(info), c.settings, part};
}

/// Makes the model of a few elements after another, so that all are checked without room for all.
/// Returns what is the same in each: the settings and the number of elements.
Values checked_values(const CatalogueEntry& entry, const Configuration& c) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  std::int64_t first = 0;
  const Part next = [&](std::int64_t n) {
    return base::CellRange{first, std::min(most, n - first)};
  };
  for (;;) {
    Values values = values_of(entry.info, c, next);
    (void)entry.make(values);
    first += values.part().size;
    if (first >= values.count()) {
      return values;
    }
  }
}

/// "x=1,y=1,u=1" without the errors that the model does not have.
std::string expected_orders(const ModelInfo& info, const StateLayout& layout) {
  const bool has_y = layout.motion().y.has_value();
  const std::string order = (info.order.starts_with('>') ? "" : "=") + info.order;
  return "x" + order + (has_y ? ",y" + order : "") +
         (layout.size() > (has_y ? 2 : 1) ? ",u" + order : "");
}

/// N/8, N/4, N/2, N.
std::string halved_steps(std::int64_t steps) {
  std::vector<cli::Level> levels;
  for (const std::int64_t factor : {1, 2, 4, 8}) {
    levels.push_back({0, std::max<std::int64_t>(1, steps / 8) * factor});
  }
  return level_text(cli::Refine::steps, levels);
}

void resolve_study(const ModelInfo& info, const StateLayout& layout, Configuration& c) {
  if (c.expected_order_text.empty()) {
    c.expected_order_text = expected_orders(info, layout);
  }
  if (c.level_text.empty() && c.refine == cli::Refine::steps) {
    c.level_text = halved_steps(c.steps);
  }
}

void resolve_finite(const CatalogueEntry& entry, Configuration& c) {
  const Values values = checked_values(entry, c);
  c.settings = values.settings();
  const StateLayout layout{entry.info.state, values.count()};
  c.cells = layout.size();
  c.sample_every = c.sample_every.value_or(std::max<std::int64_t>(1, c.steps / 10000));
  if (!c.origin.contains("field-every")) {
    const double window = c.to.value_or(c.final_time) - c.from.value_or(0.0);
    const double samples = window / c.final_time * static_cast<double>(c.steps) /
                           static_cast<double>(std::max<std::int64_t>(1, *c.sample_every));
    const bool huge = samples * static_cast<double>(c.cells) > most_state_values;
    c.field_every = huge ? 0 : *c.sample_every;
  }
  resolve_study(entry.info, layout, c);
}

}  // namespace

Configuration validated(Configuration configuration, const base::FileReader& read) {
  Configuration& c = configuration;
  const auto origin = c.origin.find("model");
  const CatalogueEntry& entry =
      catalogue_entry(c.model, origin == c.origin.end() ? "--model" : origin->second);
  if (entry.make) {
    resolve_finite(entry, c);
  } else if (!c.settings.empty()) {
    throw base::UserError(c.settings.front().origin + ": " + c.model +
                          " has options in place of parameters; masing models " + c.model +
                          " lists them");
  } else if (cli::family_of(c.model) == Family::quasistatic_slab) {
    if (c.expected_order_text.empty() && !c.position.empty()) {
      c.expected_order_text = "u" + entry.info.order;  // x is given and has no error
    }
    resolve_study(entry.info, {{{"x"}, {"u"}}}, c);
  }
  return cli::validated(std::move(configuration), read);
}

ConfiguredModel configured_model(const Configuration& configuration, const Part& part) {
  const CatalogueEntry& entry = catalogue_entry(configuration.model, "--model");
  const bool split = entry.info.work == Work::split;
  const Values values = values_of(entry.info, configuration, split ? part : whole);
  return {entry.make(values),
          {entry.info.state, values.count()},
          entry.info.work,
          values.part(),
          initial_state(entry.info, values)};
}

}  // namespace masing::rheology
