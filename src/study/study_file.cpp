#include <array>
#include <functional>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "io/recorders.hpp"
#include "study/output.hpp"
#include "study/reference.hpp"

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

/// Writes columns of one number a level.
class LevelColumns {
 public:
  LevelColumns(const parallel::Communicator& comm, const io::Handle& file, const Study& study)
      : comm_(comm), file_(file), study_(study) {}

  void write(const std::string& path, const io::Meaning& meaning,
             const std::function<double(std::size_t)>& value) const {
    std::vector<double> values;
    for (std::size_t level = 0; level < study_.cases.size(); ++level) {
      values.push_back(value(level));
    }
    io::write_column(comm_, file_, path, meaning, values, "level");
  }

 private:
  const parallel::Communicator& comm_;
  const io::Handle& file_;
  const Study& study_;
};

void write_level(const LevelColumns& columns, const std::string& path) {
  columns.write(path, {"number of the level, the coarsest first", "l"},
                [](std::size_t l) { return static_cast<double>(l + 1); });
}

void write_cases(const LevelColumns& columns, const StudySpec& spec, const Study& study) {
  const auto& cases = study.cases;
  write_level(columns, "/cases/level");
  columns.write(
      "/cases/cells",
      {"cells of the level; 0 for P = inf; of a model that is no slab, columns of its state", "P"},
      [&](std::size_t l) { return cells_of(spec, cases[l].level); });
  columns.write("/cases/steps", {"time steps of the level", "N"},
                [&](std::size_t l) { return static_cast<double>(cases[l].level.steps); });
  columns.write("/cases/ds", {"cell width 1/P; NaN where the model is no slab", "ds"},
                [&](std::size_t l) { return cases[l].ds; });
  columns.write("/cases/dt", {"time step T/N", "dt"}, [&](std::size_t l) { return cases[l].dt; });
  columns.write("/cases/step", {"the refined step: dt, ds, or ds + dt where both are refined", "h"},
                [&](std::size_t l) { return cases[l].step; });
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const Quantity& quantity = quantities[q];
    const std::string name = quantity.name;
    const std::string symbol = quantity.symbol;
    columns.write("/cases/error_" + name,
                  {"error of " + symbol + " in the maximum norm", "e_" + name},
                  [&](std::size_t l) { return cases[l].errors.*quantity.value; });
    columns.write("/cases/order_" + name,
                  {"observed order of " + symbol +
                       " between the level before and this one; NaN where undefined",
                   "p_" + name},
                  [&](std::size_t l) { return cases[l].orders.*quantity.value; });
    columns.write(
        "/cases/mark_" + name,
        {"whether the level is in the fit of the order: 0 yes, 1 before the asymptotic "
         "range, 2 on the round-off floor, 3 no error",
         "mark_" + name},
        [&](std::size_t l) { return static_cast<double>(study.results[q].fit.marks[l]); });
    columns.write("/cases/step_" + name,
                  {"step that the orders of " + symbol +
                       " refer to: the refined one, or h^p = C1 ds^p + C2 dt^p of the joint fit",
                   "h_" + name},
                  [&](std::size_t l) { return study.results[q].steps[l]; });
    columns.write("/cases/fitted_error_" + name,
                  {"error of " + symbol +
                       " that the fit predicts: C (h^p - r^p), r being the step of the finest "
                       "reference or of the next level, else 0; NaN without a fit",
                   "C h^p"},
                  [&](std::size_t l) { return study.results[q].fit.predicted[l]; });
  }
}

/// The samples of the last level.
void write_series(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
                  const Study& study) {
  io::SeriesRecorder series(comm, file, at_level(spec.run, spec.levels.back()), spec.series);
  series.append(study.series);
  series.finish();
}

void write_finding(const io::Handle& fit, const std::string& name, const QuantityResult& finding,
                   double floor) {
  const auto number = [&](const char* what, double value) {
    io::write_attribute(fit, what + name, value);
  };
  number("observed_", finding.observed);
  number("last_pair_", finding.last_pair);
  number("order_", finding.fit.order);
  number("order_uncertainty_", finding.fit.uncertainty);
  number("statistical_uncertainty_", finding.fit.statistical);
  number("structural_uncertainty_", finding.fit.structural);
  number("next_term_", finding.fit.next_term);
  number("scatter_", finding.fit.scatter);
  number("floor_", floor);
  // Of a fit with two constants see those of space and time.
  const auto& constants = finding.fit.constants;
  number("constant_", constants.size() == 1 ? constants.front() : base::undefined);
  io::write_attribute(fit, "levels_" + name, static_cast<std::int64_t>(finding.fit.levels));
  number("joint_power_", finding.joint.power);
  number("space_constant_", finding.joint.space);
  number("space_constant_uncertainty_", finding.joint.space_uncertainty);
  number("time_constant_", finding.joint.time);
  number("time_constant_uncertainty_", finding.joint.time_uncertainty);
  number("least_ratio_", finding.joint.least_ratio);
  number("largest_ratio_", finding.joint.largest_ratio);
  io::write_attribute(fit, "cancels_" + name, std::int64_t{finding.joint.cancels()});
  io::write_attribute(fit, "step_" + name, std::string(name_of(finding.step)));
  io::write_attribute(fit, "observed_from_" + name, std::string(name_of(finding.observed_from)));
  if (finding.expected) {
    io::write_attribute(fit, "expected_" + name, expected_text(*finding.expected));
    number("expected_order_", finding.expected->order);
    io::write_attribute(fit, "expected_at_least_" + name, std::int64_t{finding.expected->at_least});
  }
  io::write_attribute(fit, "verdict_" + name, to_text(finding.verdict));
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
  io::write_attribute(fit, "left_over", found.left_over);
  io::write_attribute(fit, "beyond", found.beyond);
  io::write_attribute(fit, "bound", found.bound);
  io::write_attribute(fit, "joint_missing", found.joint_missing);
  io::write_attribute(fit, "deciding_levels", found.deciding_levels);
  io::write_attribute(fit, "remarks", base::joined(found.remarks, "\n"));
}

/// Wall times of the levels, and what they come to a second.
void write_timing(const LevelColumns& columns, const StudySpec& spec, const Study& study) {
  const auto& cases = study.cases;
  const auto steps = [&](std::size_t l) { return static_cast<double>(cases[l].level.steps); };
  const auto cells = [&](std::size_t l) {
    return engine::swept_cells(at_level(spec.run, cases[l].level));
  };
  const auto rate = [&](std::size_t l) {
    return cases[l].seconds > 0 ? steps(l) / cases[l].seconds : base::undefined;
  };
  write_level(columns, "/timing/level");
  columns.write("/timing/cases", {"wall time of the level, seconds", "s", "", "s"},
                [&](std::size_t l) { return cases[l].seconds; });
  columns.write("/timing/steps_per_second", {"time steps of the level a second", "N/s", "", "s-1"},
                rate);
  columns.write(
      "/timing/cell_updates",
      {"cell updates of the level; NaN where its engine does not go through cells", "P N"},
      [&](std::size_t l) { return steps(l) * cells(l); });
  columns.write("/timing/cell_updates_per_second",
                {"cell updates of the level a second", "P N/s", "", "s-1"},
                [&](std::size_t l) { return rate(l) * cells(l); });
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study) {
  write_series(comm, file, spec, study);
  const LevelColumns columns(comm, file, study);
  write_cases(columns, spec, study);
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
    write_finding(fit, quantities[q].name, study.results[q], study.floors.*quantities[q].value);
  }
  if (!spec.reference.is_exact()) {
    write_extrapolation(fit, "x", study.extrapolated_x);
    write_extrapolation(fit, "y", study.extrapolated_y);
  }
  io::write_attribute(fit, "verdict", to_text(study.verdict));
  write_conclusions(fit, study.conclusions);
  const io::Handle timing = io::create_group(file, "/timing");
  io::write_attribute(timing, "wall_seconds", study.seconds);
  write_timing(columns, spec, study);
}

}  // namespace masing::study
