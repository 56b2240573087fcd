#pragma once

#include "rheology/model_info.hpp"

namespace rheology {

/// What the catalogue says of the continuous Masing model, which masing solves.
inline ModelInfo continuous_masing() {
  return {.name = "masing",
          .title = "the continuous Masing model, S-elements for all s in [0,1] in parallel",
          .equation = "x' = y\nm y' = F - k0 x - ∫ k(s) u(s) ds\nu(s)' + beta(u(s)/eta(s)) ∋ y",
          .parameters = {},
          .state = {},
          .order = "1",
          .source = "(7), (26), continuous-masing-2001"};
}

/// The same without a mass.
inline ModelInfo quasistatic_masing() {
  return {.name = "masing-quasistatic",
          .title = "the continuous Masing model without a mass, driven by x(t) or F(t)",
          .equation = "F = k0 x + ∫ k(s) u(s) ds\nu(s)' + beta(u(s)/eta(s)) ∋ x'",
          .parameters = {},
          .state = {},
          .order = ">=1",
          .source = "(7) with m = 0, continuous-masing-2001"};
}

}  // namespace rheology
