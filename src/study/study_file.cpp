#include <array>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "study/refinement.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

namespace {

const char* name_of(StepKind kind) {
  return std::array{"time", "space", "sum", "joint"}[static_cast<std::size_t>(kind)];
}

const char* name_of(ObservedFrom from) {
  return std::array{"fit", "last pair", "none"}[static_cast<std::size_t>(from)];
}

/// P of a level as files have it: 0 for P = ∞; of a model that is no slab the columns of its state.
double cells_of(const StudySpec& spec, const Level& level) {
  const engine::RunSpec run = at_level(spec.run, level);
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum() ? 0.0
                                                 : static_cast<double>(engine::field_size(run));
}

/// Writes a column of one number a level.
using Write =
    std::function<void(const std::string& name, const io::Meaning&, const std::vector<double>&)>;

void write_cases(const Write& write, const StudySpec& spec, const Study& study) {
  write(
      "cells",
      {"cells of the level; 0 for P = inf; of a model that is no slab, columns of its state", "P"},
      study.column([&](const LevelResult& at) { return cells_of(spec, at.level); }));
  write("steps", {"time steps of the level", "N"},
        study.column([](const LevelResult& at) { return static_cast<double>(at.level.steps); }));
  write("ds", {"cell width 1/P; NaN where the model is no slab", "ds"},
        study.column(&LevelResult::ds));
  write("dt", {"time step T/N", "dt"}, study.column(&LevelResult::dt));
  write("step", {"the refined step: dt, ds, or ds + dt where both are refined", "h"},
        study.column(&LevelResult::step));
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const std::string name = quantities[q].name;
    const std::string symbol = quantities[q].symbol;
    const statistics::Fit& fit = study.results[q].fit;
    write("error_" + name, {"error of " + symbol + " in the maximum norm", "e_" + name},
          study.column([q](const LevelResult& at) { return at.errors[q]; }));
    write("order_" + name,
          {"observed order of " + symbol +
               " between the level before and this one; NaN where undefined",
           "p_" + name},
          study.column([q](const LevelResult& at) { return at.orders[q]; }));
    std::vector<double> marks;
    std::ranges::transform(fit.marks, std::back_inserter(marks),
                           [](statistics::Mark mark) { return static_cast<double>(mark); });
    write("mark_" + name,
          {"whether the level is in the fit of the order: 0 yes, 1 before the asymptotic range, 2 "
           "on the round-off floor, 3 no error",
           "mark_" + name},
          marks);
    write("step_" + name,
          {"step that the orders of " + symbol +
               " refer to: the refined one, or h^p = C1 ds^p + C2 dt^p of the joint fit",
           "h_" + name},
          study.results[q].steps);
    write("fitted_error_" + name,
          {"error of " + symbol +
               " that the fit predicts: C (h^p - r^p), r being the step of the finest reference "
               "or of the next level, else 0; NaN without a fit",
           "C h^p"},
          fit.predicted);
  }
}

void write_finding(const io::Handle& fit, const std::string& name, const QuantityResult& finding,
                   double floor) {
  const auto write = [&](const char* what, const auto& value) {
    io::write_attribute(fit, what + name, value);
  };
  const auto& of = finding.fit;
  const auto& joint = finding.joint;
  // Of a fit with two constants see those of space and time.
  const double constant = of.constants.size() == 1 ? of.constants.front() : base::undefined;
  write("observed_", finding.observed());
  write("last_pair_", finding.last_pair);
  write("order_", of.order);
  write("order_uncertainty_", of.uncertainty);
  write("statistical_uncertainty_", of.statistical);
  write("structural_uncertainty_", of.structural);
  write("floor_", floor);
  write("constant_", constant);
  write("levels_", static_cast<std::int64_t>(of.levels));
  write("joint_power_", joint.power);
  write("space_constant_", joint.space);
  write("space_constant_uncertainty_", joint.space_uncertainty);
  write("time_constant_", joint.time);
  write("time_constant_uncertainty_", joint.time_uncertainty);
  write("least_ratio_", joint.least_ratio);
  write("largest_ratio_", joint.largest_ratio);
  write("cancels_", std::int64_t{joint.cancels()});
  write("step_", std::string(name_of(finding.step)));
  write("observed_from_", std::string(name_of(finding.observed_from())));
  if (finding.expected) {
    write("expected_", expected_text(*finding.expected));
    write("expected_order_", finding.expected->order);
    write("expected_at_least_", std::int64_t{finding.expected->at_least});
  }
  write("verdict_", to_text(finding.verdict));
}

void write_extrapolation(const io::Handle& fit, const std::string& name,
                         const statistics::Extrapolation& found) {
  io::write_attribute(fit, "richardson_order_" + name, found.order);
  io::write_attribute(fit, "richardson_" + name, found.value);
  io::write_attribute(fit, "gci_" + name, found.index);
  io::write_attribute(fit, "gci_relative_" + name, found.relative);
}

void write_conclusions(const io::Handle& fit, const Conclusions& found) {
  std::vector<std::string> names;
  for (const std::size_t q : found.quantities) {
    names.emplace_back(quantities[q].name);
  }
  io::write_attribute(fit, "quantities", base::joined(names, " "));
  io::write_attribute(fit, "statement", found.statement);
  io::write_attribute(fit, "left_over", found.unrefined_error);
  io::write_attribute(fit, "beyond", found.extensions);
  io::write_attribute(fit, "bound", found.bound);
  io::write_attribute(fit, "joint_missing", found.joint_missing);
  io::write_attribute(fit, "deciding_levels", found.deciding_levels);
  io::write_attribute(fit, "remarks", base::joined(found.remarks, "\n"));
}

/// Wall times of the levels, and what they come to a second.
void write_timing(const Write& write, const StudySpec& spec, const Study& study) {
  const auto steps = [](const LevelResult& at) { return static_cast<double>(at.level.steps); };
  const auto cells = [&](const LevelResult& at) {
    return engine::swept_cells(at_level(spec.run, at.level));
  };
  const auto rate = [&](const LevelResult& at) {
    return at.seconds > 0 ? steps(at) / at.seconds : base::undefined;
  };
  write("cases", {"wall time of the level, seconds", "s", "", "s"},
        study.column(&LevelResult::seconds));
  write("steps_per_second", {"time steps of the level a second", "N/s", "", "s-1"},
        study.column(rate));
  write("cell_updates",
        {"cell updates of the level; NaN where its engine does not go through cells", "P N"},
        study.column([&](const LevelResult& at) { return steps(at) * cells(at); }));
  write("cell_updates_per_second", {"cell updates of the level a second", "P N/s", "", "s-1"},
        study.column([&](const LevelResult& at) { return rate(at) * cells(at); }));
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study) {
  io::SeriesRecorder series(comm, file, at_level(spec.run, spec.levels.back()), spec.series);
  series.append(study.series);
  series.finish();
  const auto columns_in = [&](const std::string& group) {
    const Write write = [&comm, &file, group](const std::string& name, const io::Meaning& meaning,
                                              const std::vector<double>& values) {
      io::write_column(comm, file, group + name, meaning, values, "level");
    };
    double level = 0.0;
    write("level", {"number of the level, the coarsest first", "l"},
          study.column([&](const LevelResult&) { return ++level; }));
    return write;
  };
  write_cases(columns_in("/cases/"), spec, study);
  const io::Handle fit = io::create_group(file, "/fit");
  io::write_attribute(fit, "refine", std::string(name_of(spec.refine)));
  io::write_attribute(fit, "reference", spec.reference.name);
  io::write_attribute(fit, "reference_text", spec.reference.description);
  io::write_attribute(fit, "reference_explanation", explanation(spec.reference, study.self_check));
  if (const auto finest = spec.reference.finest) {
    io::write_attribute(fit, "reference_cells", static_cast<std::int64_t>(cells_of(spec, *finest)));
    io::write_attribute(fit, "reference_steps", finest->steps);
  }
  io::write_attribute(fit, "tolerance", spec.order_tolerance);
  io::write_attribute(fit, "unmet_hypotheses", spec.unmet_hypotheses);
  io::write_attribute(fit, "floor", study.floors.largest());
  io::write_attribute(fit, "self_check", study.self_check);
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    write_finding(fit, quantities[q].name, study.results[q], study.floors[q]);
  }
  if (!spec.reference.is_exact()) {
    write_extrapolation(fit, "x", study.extrapolated_x);
    write_extrapolation(fit, "y", study.extrapolated_y);
  }
  io::write_attribute(fit, "verdict", to_text(study.verdict));
  write_conclusions(fit, study.conclusions);
  io::write_time(file, "wall_seconds", study.seconds);
  write_timing(columns_in("/timing/"), spec, study);
}

}  // namespace masing::study
