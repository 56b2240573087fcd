#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "io/output_file.hpp"
#include "io/recorders.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

/// Returns the number of cells of a level as files store it: P, 0 for P = ∞, and for a model
/// without cells the number of columns of its state.
double cells_of(const StudySpec& spec, const Level& level) {
  if (engine::space_of(spec.run) == nullptr) {
    return static_cast<double>(spec.run.model->layout().size);
  }
  const auto* cells = std::get_if<slab::Cells>(&level.space);
  return cells == nullptr ? 0.0 : static_cast<double>(cells->count);
}

/// A function that writes a column with one number for each level.
using Write =
    std::function<void(const std::string& name, const io::Attributes&, const std::vector<double>&)>;

/// Returns a function of (name, attributes, value) that writes a column by calling `write`. `value`
/// is called for each level and returns the number of this level in the column.
auto by_level(const Write& write, const Study& study) {
  return [&](const std::string& name, const io::Attributes& attributes, const auto& value) {
    write(name, attributes, study.column(value));
  };
}

void write_cases(const Write& cases, const StudySpec& spec, const Study& study) {
  const auto write = by_level(cases, study);
  write(
      "cells",
      {"cells of the level; 0 for P = inf; of a model that is no slab, columns of its state", "P"},
      [&](const LevelResult& at) { return cells_of(spec, at.level); });
  write("steps", {"time steps of the level", "N"},
        [](const LevelResult& at) { return static_cast<double>(at.level.steps); });
  if (spec.refine == Refine::elements) {
    write("elements", {"elements of the model of the level", "n"},
          [](const LevelResult& at) { return static_cast<double>(at.level.elements); });
  }
  write("ds", {"cell width 1/P; NaN where the model is no slab", "ds"}, &LevelResult::ds);
  write("dt", {"time step T/N", "dt"}, &LevelResult::dt);
  write("step", {"the refined step: dt, ds, or ds + dt where both are refined", "h"},
        &LevelResult::step);
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const Quantity& quantity = spec.run.model->quantities()[q];
    const std::string name = quantity.name;
    const std::string symbol = quantity.symbol;
    const statistics::Order& fit = study.results[q].fit;
    const bool is_mean = quantity.part == Quantity::Part::mean;  // which the symbol says
    write("error_" + name,
          {"error of " + symbol + (is_mean ? "" : " in the maximum norm"), "e_" + name},
          [q](const LevelResult& at) { return at.errors[q]; });
    write("order_" + name,
          {"observed order of " + symbol +
               " between the level before and this one; NaN where undefined",
           "p_" + name},
          [q](const LevelResult& at) { return at.orders[q]; });
    std::vector<double> marks;
    std::ranges::transform(fit.marks, std::back_inserter(marks),
                           [](statistics::Mark mark) { return static_cast<double>(mark); });
    cases("mark_" + name,
          {"whether the level is in the fit of the order: 0 yes, 1 before the asymptotic "
           "range, 2 on the round-off floor, 3 no error",
           "mark_" + name},
          marks);
    cases("step_" + name,
          {"step that the orders of " + symbol +
               " refer to: the refined one, or h^p = C1 ds^p + C2 dt^p of the joint fit",
           "h_" + name},
          study.results[q].steps);
    cases("fitted_error_" + name,
          {"error of " + symbol +
               " that the fit predicts: C (h^p - r^p), r being the step of the finest "
               "reference or of the next level, else 0; NaN without a fit",
           "C h^p"},
          fit.predicted);
  }
}

void write_finding(const io::Handle& fit, const char* name, const QuantityResult& finding,
                   double floor) {
  const auto write = [&](const std::string& what, const auto& value) {
    io::write_attribute(fit, what + name, value);
  };
  const auto& of = finding.fit;
  const auto& joint = finding.joint;
  write("observed_", finding.observed());
  write("last_pair_", finding.last_pair);
  write("order_", of.order);
  write("order_uncertainty_", of.uncertainty);
  write("statistical_uncertainty_", of.statistical);
  write("structural_uncertainty_", of.structural);
  write("floor_", floor);
  // A fit of two steps has two constants, and NaN is written here. The constants of the joint fit
  // are written below.
  write("constant_", of.constants.size() == 1 ? of.constants.front() : base::undefined);
  write("constant_uncertainty_", of.constant_uncertainty);
  write("levels_", static_cast<std::int64_t>(of.levels));
  write("joint_power_", joint.power);
  write("space_constant_", joint.space);
  write("space_constant_uncertainty_", joint.space_uncertainty);
  write("time_constant_", joint.time);
  write("time_constant_uncertainty_", joint.time_uncertainty);
  write("least_ratio_", joint.least_ratio);
  write("largest_ratio_", joint.largest_ratio);
  write("cancels_", std::int64_t{joint.cancels()});
  write("step_", finding.step);
  write("observed_from_", finding.observed_from());
  if (finding.expected) {
    write("expected_", expected_text(*finding.expected));
    write("expected_order_", finding.expected->order);
    write("expected_at_least_", std::int64_t{finding.expected->at_least});
  }
  write("verdict_", to_text(finding.verdict));
  if (const auto& limit = finding.extrapolated) {
    write("richardson_order_", limit->order);
    write("richardson_", limit->value);
    write("gci_", limit->index);
    write("gci_relative_", limit->relative);
  }
}

void write_fit(const io::Handle& fit, const StudySpec& spec, const Study& study) {
  const auto write = [&](const char* name, const auto& value) {
    io::write_attribute(fit, name, value);
  };
  write("refine", name_of(spec.refine));
  write("reference", spec.reference.name);
  if (const auto finest = spec.reference.finest) {
    write("reference_cells", static_cast<std::int64_t>(cells_of(spec, *finest)));
    write("reference_steps", finest->steps);
  }
  write("tolerance", spec.order_tolerance);
  write("least_uncertainty", statistics::least_uncertainty);
  write("unmet_hypotheses", spec.unmet_hypotheses);
  write("floor", study.floors.largest());
  write("self_check", study.self_check);
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    write_finding(fit, spec.run.model->quantities()[q].name, study.results[q], study.floors[q]);
  }
  write("verdict", to_text(study.verdict));
  const Conclusions& conclusions = study.conclusions;
  std::vector<std::string> names;
  for (const std::size_t q : conclusions.quantities) {
    names.emplace_back(spec.run.model->quantities()[q].name);
  }
  write("quantities", base::joined(names, " "));
  write("left_over", conclusions.unrefined_error);
  write("deciding_levels", conclusions.deciding_levels);
}

/// Writes the wall times of the levels, and their steps and cell updates per second.
void write_timing(const Write& timing, const StudySpec& spec, const Study& study) {
  const auto write = by_level(timing, study);
  const auto steps = [](const LevelResult& at) { return static_cast<double>(at.level.steps); };
  const auto cells = [&](const LevelResult& at) {
    return engine::swept_cells(at_level(spec.run, at.level));
  };
  const auto rate = [&](const LevelResult& at) {
    return at.seconds > 0 ? steps(at) / at.seconds : base::undefined;
  };
  write("cases", {"wall time of the level, seconds", "s", "", "s"}, &LevelResult::seconds);
  write("steps_per_second", {"time steps of the level a second", "N/s", "", "s-1"}, rate);
  write("cell_updates",
        {"cell updates of the level; NaN where its engine does not go through cells", "P N"},
        [&](const LevelResult& at) { return steps(at) * cells(at); });
  write("cell_updates_per_second", {"cell updates of the level a second", "P N/s", "", "s-1"},
        [&](const LevelResult& at) { return rate(at) * cells(at); });
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study) {
  io::write_series(comm, file, at_level(spec.run, spec.levels.back()), spec.series, study.series);
  const auto columns_in = [&](const std::string& group) {
    Write write = [&comm, &file, group](const std::string& name, const io::Attributes& attributes,
                                        const std::vector<double>& values) {
      io::write_column(comm, file, group + name, attributes, values, "level");
    };
    double level = 0.0;
    write("level", {"number of the level, the coarsest first", "l"},
          study.column([&](const LevelResult&) { return ++level; }));
    return write;
  };
  write_cases(columns_in("/cases/"), spec, study);
  write_fit(io::create_group(file, "/fit"), spec, study);
  io::write_time(file, "wall_seconds", study.seconds);
  write_timing(columns_in("/timing/"), spec, study);
}

namespace {

constexpr std::size_t most_rows = 24;  // the most levels that a table on a terminal shows

std::string number_or_dash(const char* format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

/// Returns the character that is printed behind an error: '<' if the level is coarser than the
/// asymptotic range, '_' if the error is on the round-off floor, and a blank otherwise.
char mark_sign(statistics::Mark mark) {
  return mark == statistics::Mark::before ? '<' : mark == statistics::Mark::on_floor ? '_' : ' ';
}

/// Returns the columns of P and N in a row of the table. The column of P is at least as wide as P
/// of the last level, which is the largest P. For a model without cells there is no column of P; if
/// elements are refined, their number is there in its place.
std::string counts(const StudySpec& spec, const std::string& cells, const std::string& steps) {
  constexpr std::size_t least = 10;
  const std::size_t width = std::max(least, engine::cells_text(spec.levels.back().space).size());
  return (engine::space_of(spec.run) == nullptr ? "" : fmt::format("{:>{}} ", cells, width)) +
         fmt::format("{:>12}", steps);
}

std::string row(const StudySpec& spec, const Study& study, std::size_t level) {
  const LevelResult& at = study.cases[level];
  std::string text = counts(spec,
                            spec.refine == Refine::elements ? std::to_string(at.level.elements)
                                                            : engine::cells_text(at.level.space),
                            std::to_string(at.level.steps));
  for (const std::size_t q : study.conclusions.quantities) {
    text += fmt::format(" {:>11}{} {:>6}", number_or_dash("{:.3e}", at.errors[q]),
                        mark_sign(study.results[q].fit.marks[level]),
                        number_or_dash("{:.3f}", at.orders[q]));
  }
  return text + '\n';
}

std::string legend(const Study& study) {
  const auto any = [&](statistics::Mark mark) {
    return std::ranges::any_of(study.results, [&](const QuantityResult& finding) {
      return std::ranges::count(finding.fit.marks, mark) > 0;
    });
  };
  return std::string(any(statistics::Mark::before)
                         ? "< left out of the fit: before the asymptotic range\n"
                         : "") +
         (any(statistics::Mark::on_floor)
              ? fmt::format("_ left out of the fit: on the round-off floor, {:.1e}\n",
                            study.floors.largest())
              : "");
}

std::string conclusion(const StudySpec& spec, const QuantityResult& finding, const char* quantity) {
  std::string text = fmt::format("order of {}: ", quantity);
  if (!std::isnan(finding.fit.order)) {
    text += fmt::format("{:.4f} +- {:.4f} ({})", finding.fit.order, finding.fit.uncertainty,
                        finding.fit.why);
  } else {
    text += std::isnan(finding.last_pair) ? "none observed"
                                          : fmt::format("{:.3f} (last pair)", finding.last_pair);
  }
  if (finding.expected) {
    text += ", expected " + expected_text(*finding.expected);
    text += finding.expected->at_least ? "" : fmt::format(" within {:g}", spec.order_tolerance);
    text += ": " + to_text(finding.verdict);
    text += finding.too_little ? ", as the levels are too few or too close" : "";
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

}  // namespace

std::string expected_text(const ExpectedOrder& expected) {
  return (expected.at_least ? ">=" : "") + base::to_text(expected.order);
}

std::string table(const StudySpec& spec, const Study& study) {
  std::string text = counts(spec, spec.refine == Refine::elements ? "n" : "P", "N");
  for (const std::size_t q : study.conclusions.quantities) {
    text += fmt::format(" {:>11}  {:>6}",
                        fmt::format("e({})", spec.run.model->quantities()[q].name), "order");
  }
  text += '\n';
  const std::size_t count = study.cases.size();
  std::size_t every = (count + most_rows - 1) / most_rows;
  // If P and N are refined in turn, P is ahead of N at every other level. If `every` is odd, levels
  // of both kinds are shown.
  every += spec.refine == Refine::both && every % 2 == 0 ? 1 : 0;
  for (std::size_t level = 0; level < count; ++level) {
    // Levels are counted from the last level, so that the last level is always shown.
    text += (count - 1 - level) % every == 0 ? row(spec, study, level) : "";
  }
  if (every > 1) {
    text += fmt::format("{} of {} levels; the others are in the file\n",
                        (count + every - 1) / every, count);
  }
  text += legend(study);
  for (const std::size_t q : study.conclusions.quantities) {
    text += conclusion(spec, study.results[q], spec.run.model->quantities()[q].name);
  }
  if (!spec.unmet_hypotheses.empty()) {
    text += fmt::format("outside the hypotheses: {}; no order follows from them\n",
                        spec.unmet_hypotheses);
  }
  const Conclusions& conclusions = study.conclusions;
  if (const std::string& error = conclusions.unrefined_error; !error.empty()) {
    text += fmt::format("the errors hold that in {}, too; the reference {} leaves it out\n", error,
                        error == "space" ? "exact-time" : "cells-inf");
  }
  if (!conclusions.deciding_levels.empty()) {
    text += fmt::format("undecided: these levels would probably decide: levels = {}\n",
                        conclusions.deciding_levels);
  }
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    if (const auto& limit = study.results[q].extrapolated; limit && !std::isnan(limit->value)) {
      text += fmt::format(
          "{}(T) extrapolated: {:.10g}, grid convergence index of the last level {:.2e} (absolute; "
          "relative {:.2e})\n",
          spec.run.model->quantities()[q].name, limit->value, limit->index, limit->relative);
    }
  }
  return text;
}

}  // namespace masing::study
