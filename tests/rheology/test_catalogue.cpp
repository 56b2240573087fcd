// Parameters as numbers: one for all elements, one by one or a function of i, for all elements or a
// part of them; what is missing, unknown, of the wrong length or out of range is refused by name.

#include "rheology/catalogue.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rheology/model_run.hpp"

namespace masing::test_catalogue {

using model_run::Parameters;
using model_run::State;

/// What is wrong with the parameters of a model: "NAME: WRONG; RIGHT".
std::string fault(const std::string& name, const Parameters& parameters) {
  try {
    const rheology::ModelSpec spec = model_run::model(name, parameters);
    rheology::build(spec, spec.all());
  } catch (const base::UserError& error) {
    return error.quantity() + ": " + error.fault();
  }
  return {};
}

TEST(Parameters, are_evaluated_for_the_elements_held) {
  const rheology::ModelSpec spec =
      model_run::model("discrete-masing", {{"k0", 0.5}, {"k", "i"}, {"eta", State{4, 5, 6}}});
  const auto parameters = all_parameters(spec.model->info);
  const rheology::ParameterValues all(parameters, spec.parameters, spec.all());
  EXPECT_EQ(all.number("m"), 1.0);  // the preset
  EXPECT_EQ(all.number("k0"), 0.5);
  EXPECT_EQ(all.list("k"), (State{1, 2, 3}));
  EXPECT_EQ(all.list("eta"), (State{4, 5, 6}));
  EXPECT_EQ(all.list("u0"), (State{0, 0, 0}));
  const rheology::ParameterValues last(parameters, spec.parameters, {1, 2});
  EXPECT_EQ(last.number("k0"), 0.5);
  EXPECT_EQ(last.list("k"), (State{2, 3}));
  EXPECT_EQ(last.list("eta"), (State{5, 6}));
  EXPECT_EQ(last.list("u0"), (State{0, 0}));
  const rheology::ParameterValues none(parameters, spec.parameters, {3, 0});
  EXPECT_EQ(none.number("k0"), 0.5);
  EXPECT_EQ(none.list("k"), State());
}

TEST(Parameters, are_refused_by_name) {
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", 1}}), "");
  EXPECT_EQ(fault("prandtl", {{"k", 1}}), "eta: missing; give the yield displacement alpha/k");
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", 1}, {"c", 1}}),
            "c: 'c' is not a parameter of prandtl; it has m, k0, k, eta, x0, y0, u0");
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", -0.5}}), "eta: eta = -0.5; must be > 0");
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", 1}, {"k0", -1}}), "k0: k0 = -1; must be >= 0");
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", 1}, {"x0", "1/(i-1)"}}),
            "x0: x0 = inf; must be finite");
  EXPECT_EQ(fault("prandtl", {{"k", 1}, {"eta", 1}, {"x0", State{1, 2}}}),
            "x0: x0 has 2 values; must be one number");
  EXPECT_EQ(fault("discrete-masing", {{"n", 2}, {"eta", 1}, {"u0", State{1}}, {"k", "i"}}),
            "u0: u0 has 1 values; must be 2, or one for all");
  EXPECT_EQ(fault("discrete-masing", {{"n", 4}, {"eta", "3-i"}, {"k", 1}}),
            "eta: eta_3 = 0; must be > 0");
  EXPECT_EQ(fault("discrete-masing", {{"n", 4}, {"eta", "i"}, {"k", 1}, {"u0", -2.5}}),
            "u0: u0_1 = -2.5; must lie within +-eta_1 = +-1");
}

TEST(StateLayout, puts_initial_values_into_their_columns) {
  const model_run::Run series("s1-p2-series", {{"k1", 1},
                                               {"alpha1", 1},
                                               {"k2", 1},
                                               {"alpha2", 1},
                                               {"x0", State{1, 2}},
                                               {"y0", State{3, 4}},
                                               {"u0", 0.5}});
  EXPECT_EQ(series.state, (State{1, 3, 2, 4, 0.5}));
  const model_run::Run chain(
      "s-chain", {{"k", State{1, 1}}, {"eta", 1}, {"x0", "i"}, {"y0", 3}, {"u0", State{0.1, 0.2}}});
  EXPECT_EQ(chain.state, (State{1, 2, 3, 3, 0.1, 0.2}));
  EXPECT_EQ(chain.motion().x, 1);
  EXPECT_EQ(chain.motion().y, 3);
}

}  // namespace masing::test_catalogue
