// Drift, resolvent and restoring force of every model, worked out by hand for one step: with h =
// 1/2 the state after it is resolvent(X + G/2); the scheme of every model comes to its exact
// solution. Parameters, one for all elements, one by one or a function of i; tests/cli has what of
// them is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/model_run.hpp"

namespace masing::test_models {

using model_run::model;
using model_run::Parameters;
using model_run::State;

const Parameters unit_persoz{{"k0", 1},     {"k1", 1},     {"k2", 1},    {"k3", 1},
                             {"alpha1", 1}, {"alpha2", 2}, {"alpha3", 3}};

struct OneStep {
  std::string name;
  Parameters parameters;
  State state;
  double force;
  State drift;
  State after;
  double friction;
  double restoring;
};

OneStep one_step(const std::string& name, const Parameters& parameters, const State& state,
                 double force, const State& drift, const State& after, double friction,
                 double restoring) {
  return {name, parameters, state, force, drift, after, friction, restoring};
}

const std::vector<OneStep>& steps_by_hand() {
  static const std::vector<OneStep> all{
      // y: 2 + ½(5 - 3)/4 = 2.25, less hα/m = ½·6/4.
      one_step("friction-oscillator", {{"m", 4}, {"k", 3}, {"alpha", 6}}, {1, 2}, 5, {2, 0.5},
               {2, 1.5}, 6, 3 * 2 + 6),
      // The same, held: |m y/h| = 1 is what friction needs to stop it.
      one_step("friction-oscillator", {{"m", 1}, {"k", 1}, {"alpha", 6}}, {1, 0}, 2, {0, 1}, {1, 0},
               1, 2),
      one_step("p-parallel", {{"m", 4}, {"k", State{1, 2}}, {"alpha", State{2, 4}}}, {1, 2}, 5,
               {2, 0.5}, {2, 1.5}, 6, 12),
      // u: 1 + ½(2 - 3·1/6) = 1.75 → η.
      one_step("viscoelastoplastic", {{"m", 2}, {"k", 3}, {"eta", 1.5}, {"c", 6}}, {1, 2, 1}, 5,
               {2, 1, 1.5}, {2, 2.5, 1.5}, 0, 4.5),
      one_step("prandtl", {{"m", 2}, {"k0", 1}, {"k", 3}, {"eta", 1.5}}, {1, 2, 1}, 6, {2, 1, 2},
               {2, 2.5, 1.5}, 0, 2 + 4.5),
      // k0 = 2·2/4 = 1, k = 4·4/(8·4) = ½, α = 3·2/4, η = α/k = 3.
      one_step("three-springs", {{"m", 2}, {"K1", 4}, {"K2", 2}, {"K3", 2}, {"A", 3}}, {1, 2, 2.5},
               4.25, {2, 1, 2}, {2, 2.5, 3}, 0, 2 + 1.5),
      one_step("discrete-masing", {{"m", 2}, {"k0", 1}, {"n", 2}, {"k", "i"}, {"eta", "2-1/i"}},
               {1, 2, 0.5, 0.25}, 4, {2, 1, 2, 2}, {2, 2.5, 1, 1.25}, 0, 2 + 1 + 2.5),
      // Mass 1 between springs 1 and 2, F on mass 2.
      one_step("s-chain", {{"m", State{1, 2}}, {"k", State{2, 4}}, {"eta", 1}},
               {0, 0, 1, 3, 0.5, 0.25}, 5, {1, 3, 0, 2, 1, 2}, {0.5, 1.5, 1, 4, 1, 1}, 0, 4),
      // Y* = (1, 3) with hα = (1, 1/2): both slip forwards, y = (1 - 1 + 1/2, 3 - 1/4).
      one_step("p-chain", {{"m", State{1, 2}}, {"k", State{1, 2}}, {"alpha", State{2, 1}}},
               {0, 1, 0, 2}, 6, {0, 2, 2, 2}, {0, 2, 0.5, 2.75}, 1, 2 * 2 + 1),
      // Three: Y* = (2, 3.5, 4.5) with hα = (1, 1/2, 1/2), all slip forwards.
      one_step("p-chain", {{"m", State{1, 2, 4}}, {"k", State{1, 2, 4}}, {"alpha", State{2, 1, 1}}},
               {0, 1, 3, 1, 2, 4}, 12, {1, 2, 4, 2, 3, 1}, {0.5, 2, 5, 1.5, 3.5, 4.375}, 1,
               4 * 3 + 1),
      // n = 1: K = k0 + k1 is a number, so the projection is the clamp. κ = 3/4.
      one_step("p-series", {{"m", 2}, {"k0", 1}, {"n", 1}, {"k", 3}, {"alpha", 1.5}}, {1, 2, -0.6},
               2.9, {2, 1, -2}, {2, 2.5, -1.5}, 0, 0.75 * 2.5),
      // A soft element slips by far more than α: κ = 1/17, v/k = -9.6, then -24.
      one_step("p-series", {{"m", 2}, {"k0", 1}, {"n", 1}, {"k", 1.0 / 16}, {"alpha", 1.5}},
               {1, 2, -0.6}, 2 + 10.6 / 17, {2, 1, -2}, {2, 2.5, -1.5}, 0, 26.0 / 17),
      // μ = 1·3/4; y2 - y1 = 4 before friction, impulse ½·2 = 1.
      one_step("s1-p2-series",
               {{"m1", 1}, {"m2", 3}, {"k1", 4}, {"alpha1", 4}, {"k2", 2}, {"alpha2", 2}},
               {0, 1, 1, 4, 0.5}, 8, {1, 0, 4, 2, 1}, {0.5, 2, 3, 5 - 1.0 / 3, 1}, 2, 2 * 2.5 + 2),
      one_step("s1-p2-parallel", {{"m", 2}, {"k1", 3}, {"alpha1", 4.5}, {"k2", 1}, {"alpha2", 4}},
               {1, 2, 1}, 6, {2, 1, 2}, {2, 1.5, 1.5}, 4, 2 + 4.5 + 4),
      // All k = 1: δ = ¼, E = (½, ½, ¼). W* = (-1, -1, 1) lies in the box.
      one_step("persoz", unit_persoz, {4, 2, 0, 0, 0}, 3, {2, 2, -2, -2, 2}, {5, 3, -1, -1, 1}, 0,
               1.25 + 1 - 0.25),
      // F rises by 1: W ← -U; x = (1 - ½ - ½ + ¼)/¼ = F/k0.
      one_step("persoz-quasistatic", unit_persoz, {0, 0, 0, 0}, 0, {0, -2, -2, 2}, {1, -1, -1, 1},
               0, 1),
  };
  return all;
}

void expect_near(const State& found, const State& expected, const std::string& name) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (std::size_t c = 0; c < found.size(); ++c) {
    EXPECT_NEAR(found[c], expected[c], 4e-15) << name << " column " << c;
  }
}

TEST(Models, make_the_step_worked_out_by_hand) {
  for (const OneStep& by_hand : steps_by_hand()) {
    model_run::Run run(by_hand.name, by_hand.parameters);
    run.state = by_hand.state;
    run.step(0.5, by_hand.force, by_hand.force + 1);
    expect_near(run.rate, by_hand.drift, by_hand.name);
    expect_near(run.state, by_hand.after, by_hand.name);
    EXPECT_NEAR(run.friction, by_hand.friction, 4e-15) << by_hand.name;
    EXPECT_NEAR(run.restoring, by_hand.restoring, 4e-15) << by_hand.name;
  }
}

TEST(Models, are_all_worked_out) {
  for (const auto& [info, make] : rheology::catalogue()) {
    const bool worked_out = std::ranges::count(steps_by_hand(), info.name, &OneStep::name) > 0;
    EXPECT_EQ(worked_out, make != nullptr) << info.name;
  }
}

/// Under a force that makes all elements yield both ways, and jumps: the scheme has at least order
/// 0.7 of its 1, and exact solutions by other polynomials and spans are the same.
TEST(Models, come_to_their_exact_solutions) {
  const auto force = [](double t) {
    return 9 * std::sin(1.3 * t) + 6 * std::sin(0.37 * t) + (std::fmod(t / 3, 2.0) < 1 ? 2 : -2);
  };
  const std::vector<double> breaks{3, 6, 9, 12, 15, 18};
  const auto largest_difference = [](const State& one, const State& other) {
    double largest = 0.0;
    for (std::size_t c = 0; c < one.size(); ++c) {
      largest = std::max(largest, std::abs(one[c] - other[c]));
    }
    return largest;
  };
  for (const OneStep& by_hand : steps_by_hand()) {
    SCOPED_TRACE(by_hand.name);
    std::vector<double> errors;
    for (const int steps : {2000, 16000}) {
      model_run::Run run(by_hand.name, by_hand.parameters);
      model_run::ExactRun exact(by_hand.name, by_hand.parameters, force, 20, breaks);
      model_run::ExactRun check(by_hand.name, by_hand.parameters, force, 20, breaks,
                                rheology::checking_options);
      double error = 0.0;
      model_run::advance(run, force, 20, steps, [&](double t) {
        const State state = exact.at(t);
        error = std::max(error, largest_difference(run.state, state));
        ASSERT_LT(largest_difference(state, check.at(t)), 1e-11) << t;
      });
      errors.push_back(error);
    }
    EXPECT_LT(errors[1], errors[0] * std::pow(8, -0.7));
  }
}

/// The entries of "diag(1, 1/m1, 1)", worked out; none where the text is not of that form.
std::vector<double> diagonal(const rheology::ModelInfo& info, const model_run::Parameters& given) {
  if (!info.matrix.starts_with("diag(1, 1/m") || info.matrix.find("...") != std::string::npos) {
    return {};
  }
  base::Constants constants;
  base::Names names;
  for (const auto& parameter : info.parameters) {
    names.insert(parameter.name);
    constants[parameter.name] = parameter.preset.value_or(0.0);
  }
  for (const auto& [name, values] : given) {
    if (const auto* const one = std::get_if<double>(&values.sequence)) {
      constants[name] = *one;
    }
  }
  std::vector<double> entries;
  const std::string inside = info.matrix.substr(5, info.matrix.size() - 6);
  for (const std::string& entry : base::split(inside, ',')) {
    entries.push_back(base::Function(entry, 'i', names).bound(constants)(1.0));
  }
  return entries;
}

TEST(Models, have_the_phi_and_the_matrix_that_the_catalogue_gives) {
  std::set<std::string> diagonals;
  for (const OneStep& by_hand : steps_by_hand()) {
    const auto& info = rheology::catalogue_entry(by_hand.name).info;
    model_run::Run run(by_hand.name, by_hand.parameters);
    const std::vector<double> entries = diagonal(info, by_hand.parameters);
    if (!entries.empty()) {
      diagonals.insert(info.name);
    }
    bool in_series = false;
    bool in_parallel = false;
    for (const auto& element : run.elements()) {
      (element.connection == rheology::Connection::in_series ? in_series : in_parallel) = true;
      for (std::size_t i = 0; i < element.argument.size() && !entries.empty(); ++i) {
        const auto [column, factor] = element.argument[i];
        EXPECT_EQ(element.column_of_m[i].column, column) << info.name;
        EXPECT_DOUBLE_EQ(element.column_of_m[i].factor, entries.at(column) * factor) << info.name;
      }
      if (info.matrix == "I") {
        ASSERT_EQ(element.column_of_m.size(), 1) << info.name;
        EXPECT_EQ(element.column_of_m[0].column, element.argument.at(0).column) << info.name;
        EXPECT_EQ(element.column_of_m[0].factor, 1.0) << info.name;
      }
    }
    EXPECT_EQ(info.phi.find("psi") != std::string::npos, in_series) << info.name;
    EXPECT_EQ(info.phi.find('|') != std::string::npos, in_parallel) << info.name;
  }
  EXPECT_EQ(diagonals.size(), 4);
}

TEST(PersozQuasistatic, starts_where_it_balances_the_force) {
  Parameters parameters = unit_persoz;
  parameters.emplace_back("g0", State{1, -2, 1});
  const rheology::ModelSpec spec = model("persoz-quasistatic", parameters);
  rheology::BuiltModel built = rheology::build(spec, spec.all());
  std::visit(
      [&](auto& model) {
        if constexpr (rheology::StartsFromForce<std::remove_cvref_t<decltype(model)>>) {
          model.complete_start(3.0, built.start);
        }
      },
      built.model);
  // δ = ¼, E = (½, ½, ¼): x = (3 + ½ - 1 + ¼)/¼.
  expect_near(built.start, {11, 1, -2, 1}, "start");
}

TEST(Parameters, are_evaluated_for_the_elements_held) {
  const rheology::ModelSpec spec =
      model("discrete-masing", {{"k0", 0.5}, {"k", "i"}, {"eta", State{4, 5, 6}}});
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
  EXPECT_EQ(chain.motion.x, 1);
  EXPECT_EQ(chain.motion.y, 3);
}

}  // namespace masing::test_models
