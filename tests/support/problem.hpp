#pragma once

#include <string>

#include "base/error.hpp"
#include "slab/problem.hpp"
#include "slab/scheme.hpp"

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
  slab::Space space = slab::Cells{1};
  slab::Rule rule = slab::Rule::right;
};

/// A slab with a mass, and what drives it.
struct Problem : slab::Slab {
  slab::Oscillator oscillator;
  base::Function force;
  slab::TimeGrid time;
  slab::Scheme scheme = slab::Scheme::euler;
};

/// The function of a text that names no file. Local.
inline base::Function function(const std::string& text, char variable) {
  return {text, variable};
}

/// P cells, or the continuum with one place of its field for `cells` 0. Local.
inline slab::Space space_of(std::int64_t cells) {
  return cells == 0 ? slab::Space(slab::Continuum{1}) : slab::Space(slab::Cells{cells});
}

/// The problem, not validated. Local.
inline Problem problem(const Data& data) {
  Problem made;
  made.stiffness = function(data.stiffness, 's');
  made.threshold = function(data.threshold, 's');
  made.initial_u = function(data.initial_u, 's');
  made.space = data.space;
  made.rule = data.rule;
  made.oscillator = data.oscillator;
  made.force = function(data.force, 't');
  made.time = {data.final_time, data.steps};
  return made;
}

}  // namespace masing::support
