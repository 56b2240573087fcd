#include <algorithm>
#include <functional>
#include <vector>

#include "io/recorders.hpp"
#include "study/output.hpp"
#include "study/reference.hpp"

namespace masing::study {

namespace {

const char* name_of(Refine refine) {
  switch (refine) {
    case Refine::steps:
      return "steps";
    case Refine::cells:
      return "cells";
    default:
      return "both";
  }
}

/// P of a level as files have it: 0 for P = ∞; of a model that is no slab the columns of its state.
double cells_of(const StudySpec& spec, const Level& level) {
  const engine::RunSpec run = at_level(spec.run, level);
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum() ? 0.0
                                                 : static_cast<double>(engine::field_size(run));
}

/// Writes columns of one number a level.
class Columns {
 public:
  Columns(const parallel::Communicator& comm, const io::Handle& file, const Study& study)
      : comm_(comm), file_(file), study_(study) {}

  void write(const std::string& path, const io::Meaning& meaning,
             const std::function<double(std::size_t)>& value) const {
    std::vector<double> values;
    for (std::size_t level = 0; level < study_.cases.size(); ++level) {
      values.push_back(value(level));
    }
    const auto of_root = comm_.is_root() ? std::span<const double>(values) : std::span<double>();
    io::write_distributed(file_, path, meaning, of_root, 0,
                          static_cast<std::int64_t>(values.size()));
  }

 private:
  const parallel::Communicator& comm_;
  const io::Handle& file_;
  const Study& study_;
};

void write_cases(const Columns& columns, const StudySpec& spec, const Study& study) {
  const auto& cases = study.cases;
  columns.write(
      "/cases/cells",
      {"cells of the level; 0 for P = inf; of a model that is no slab, columns of its state", "P"},
      [&](std::size_t l) { return cells_of(spec, cases[l].level); });
  columns.write("/cases/steps", {"time steps of the level", "N"},
                [&](std::size_t l) { return static_cast<double>(cases[l].level.steps); });
  columns.write("/cases/ds", {"cell width 1/P; NaN where the model is no slab", "ds"},
                [&](std::size_t l) { return cases[l].ds; });
  columns.write("/cases/dt", {"time step T/N", "dt"}, [&](std::size_t l) { return cases[l].dt; });
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
  }
}

/// The samples of the last level.
void write_series(const parallel::Communicator& comm, const io::Handle& file, const Study& study) {
  io::SeriesRecorder series(comm, file, {});
  series.append(study.series);
  series.finish();
}

void write_finding(const io::Handle& fit, const std::string& name, const QuantityResult& finding) {
  const auto number = [&](const char* what, double value) {
    io::write_attribute(fit, what + name, value);
  };
  number("observed_", finding.observed);
  number("last_pair_", finding.last_pair);
  number("order_", finding.fit.order);
  number("order_uncertainty_", finding.fit.uncertainty);
  number("constant_", finding.fit.constant);
  io::write_attribute(fit, "levels_" + name, static_cast<std::int64_t>(finding.fit.levels));
  number("joint_power_", finding.joint.power);
  number("space_constant_", finding.joint.space);
  number("space_constant_uncertainty_", finding.joint.space_uncertainty);
  number("time_constant_", finding.joint.time);
  number("time_constant_uncertainty_", finding.joint.time_uncertainty);
  if (finding.expected) {
    io::write_attribute(fit, "expected_" + name, expected_text(*finding.expected));
    io::write_attribute(fit, "verdict_" + name, to_text(finding.verdict));
  }
}

void write_extrapolation(const io::Handle& fit, const std::string& name,
                         const Extrapolation& found) {
  io::write_attribute(fit, "richardson_order_" + name, found.order);
  io::write_attribute(fit, "richardson_" + name, found.value);
  io::write_attribute(fit, "gci_" + name, found.index);
}

}  // namespace

void write(const parallel::Communicator& comm, const io::Handle& file, const StudySpec& spec,
           const Study& study) {
  write_series(comm, file, study);
  const Columns columns(comm, file, study);
  write_cases(columns, spec, study);
  const io::Handle fit = io::create_group(file, "/fit");
  io::write_attribute(fit, "refine", std::string(name_of(spec.refine)));
  io::write_attribute(fit, "reference", spec.reference->name());
  if (const auto finest = spec.reference->finest()) {
    io::write_attribute(fit, "reference_cells", static_cast<std::int64_t>(cells_of(spec, *finest)));
    io::write_attribute(fit, "reference_steps", finest->steps);
  }
  io::write_attribute(fit, "tolerance", spec.order_tolerance);
  io::write_attribute(fit, "floor", study.floor);
  io::write_attribute(fit, "self_check", study.self_check);
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    write_finding(fit, quantities[q].name, study.results[q]);
  }
  if (!spec.reference->is_exact()) {
    write_extrapolation(fit, "x", study.extrapolated_x);
    write_extrapolation(fit, "y", study.extrapolated_y);
  }
  io::write_attribute(fit, "verdict", to_text(study.verdict));
  const io::Handle timing = io::create_group(file, "/timing");
  io::write_attribute(timing, "wall_seconds", study.seconds);
  columns.write("/timing/cases", {"wall time of the level, seconds", "s"},
                [&](std::size_t l) { return study.cases[l].seconds; });
}

}  // namespace masing::study
