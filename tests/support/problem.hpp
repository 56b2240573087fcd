#pragma once

#include <string>

#include "base/error.hpp"
#include "slab/problem.hpp"

/// What the tests of several rooms share.
namespace masing::support {

/// What a test says of a problem; the rest is the papers' case at rest, unforced.
struct Data {
  std::string stiffness = "1";
  std::string threshold = "s+0.1";
  std::string initial_u = "0";
  std::string force = "0";
  slab::Oscillator oscillator = {};
  double final_time = 1.0;
  std::int64_t steps = 1;
  std::int64_t cells = 1;
  cli::Rule rule = cli::Rule::right;
};

/// The problem, not validated. Local.
inline slab::Problem problem(const Data& data) {
  const base::FileReader no_files = [](const std::string& path) -> std::string {
    throw base::UserError("no file " + path);
  };
  return {.stiffness = base::Function(data.stiffness, 's', no_files),
          .threshold = base::Function(data.threshold, 's', no_files),
          .initial_u = base::Function(data.initial_u, 's', no_files),
          .force = base::Function(data.force, 't', no_files),
          .oscillator = data.oscillator,
          .time = {.final_time = data.final_time, .steps = data.steps},
          .cells = data.cells,
          .field_points = data.cells == cli::infinitely_many ? 1 : 0,
          .rule = data.rule};
}

}  // namespace masing::support
