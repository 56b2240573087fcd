#pragma once

#include <optional>
#include <vector>

#include "engine/observer.hpp"
#include "options/configuration.hpp"
#include "study/error_norms.hpp"
#include "study/observed_order.hpp"

namespace study {

/// One level of a study with what came of it.
struct Case {
  options::Level level;
  double ds = 0.0;  ///< 1/P
  double dt = 0.0;  ///< T/N
  Errors errors;
  Errors orders;  ///< between the level before and this one; NaN where undefined
  double seconds = 0.0;
};

/// The order of one error that decides the verdict, and how it was judged.
struct Finding {
  options::ExpectedOrder expected;
  double observed = 0.0;
  Verdict verdict = Verdict::undefined;
};

/// A study: its levels, the run they were measured against, and the verdict.
struct Study {
  std::vector<Case> cases;
  std::optional<options::Level> reference;  ///< nothing for `successive`
  std::vector<Finding> findings;
  Verdict verdict = Verdict::undefined;
  double seconds = 0.0;
};

/// The quantities that have an error, with their names in files and tables.
struct Quantity {
  const char* name;
  const char* symbol;
  double Errors::*value;
};
inline constexpr Quantity quantities[] = {{"x", "x", &Errors::x},
                                          {"y", "y", &Errors::y},
                                          {"u", "u", &Errors::u},
                                          {"u_cells", "u at the cells", &Errors::u_cells}};

/// Run every level, and the reference if it is a run of its own, and measure errors and orders. The
/// order is in δt, δs, or for `both` in δs + δt, the bound of Proposition 4.1. `on_last_level`
/// watches the last level. Collective. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
Study refine(const parallel::Communicator& comm, const options::Configuration& configuration,
             engine::Observer& on_last_level);

}  // namespace study
