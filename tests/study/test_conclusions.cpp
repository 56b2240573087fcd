// What a study says as a whole: the steps and the order that it fits, the verdict and the sentences
// on it, and which levels would decide an order that is undecided. Studies are made by hand of
// errors that are known, without a run. Source: Propositions 3.1 and 4.1, (25),
// continuous-masing-2001.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/slab.hpp"
#include "rheology/catalogue.hpp"
#include "study/refinement.hpp"
#include "study/study_spec.hpp"

namespace masing::test_conclusions {

using slab::Rule;
using statistics::Mark;
using statistics::Order;
using statistics::Verdict;
using study::Errors;
using study::ExpectedOrder;
using study::Refine;
using study::Study;
using study::StudySpec;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Error = std::function<double(double ds, double dt)>;

const Sizes doublings{{10, 1000}, {10, 2000}, {10, 4000}, {10, 8000}, {10, 16000}};
const std::vector<ExpectedOrder> order_one{{.quantity = "x"}, {.quantity = "y"}, {.quantity = "u"}};

/// A slab with η = s + 0.1.
std::shared_ptr<const engine::Model> model_of(slab::Scheme scheme, Rule rule) {
  engine::Masing model{.slab = {}, .oscillator = {}, .scheme = scheme};
  model.slab.threshold = base::Function("s+0.1", 's');
  model.slab.rule = rule;
  return engine::make_model(std::move(model));
}

/// A study of levels P:N, T = 500; P = ∞ for P = 0.
StudySpec spec(Refine refine, const std::string& reference, const Sizes& sizes = {{10, 100}},
               const std::vector<ExpectedOrder>& expected = {}) {
  StudySpec made{.run = {model_of(slab::Scheme::euler, Rule::right), {}, {500.0, 1}},
                 .refine = refine,
                 .expected_orders = expected};
  for (const auto& [cells, steps] : sizes) {
    made.levels.push_back(
        {cells == 0 ? slab::Space(slab::Continuum{}) : slab::Space(slab::Cells{cells}), steps});
  }
  made.reference = study::make_reference(reference, refine, made.levels, *made.run.model);
  return made;
}

/// Its results where the errors of x are e(δs, δt), those of y, u and u at the cells' points two,
/// three and four times as large, and errors up to the floor are round-off.
Study measured(const StudySpec& spec, const Error& error, double floor = 0.0) {
  Study study{.floors = {{floor, floor, floor, floor}}};
  for (const study::Level& level : spec.levels) {
    const double ds = slab::cell_width(level.space);
    const double dt = 500.0 / static_cast<double>(level.steps);
    const double e = error(ds, dt);
    study.cases.push_back({.level = level,
                           .ds = ds,
                           .dt = dt,
                           .step = spec.refine == Refine::both    ? ds + dt
                                   : spec.refine == Refine::cells ? ds
                                                                  : dt,
                           .errors = {{e, 2 * e, 3 * e, 4 * e}}});
  }
  study::find_results(spec, study);
  return study;
}

TEST(Conclusions, name_the_error_that_is_not_refined_and_the_quantities_that_have_errors) {
  for (const auto& [refine, reference, cells, unrefined] : {
           std::tuple(Refine::steps, "exact", 10, "space"),
           {Refine::cells, "exact", 10, "time"},
           {Refine::steps, "exact", 0, ""},
           {Refine::cells, "cells-inf", 10, ""},
           {Refine::steps, "exact-time", 10, ""},
           {Refine::both, "exact", 10, ""},
       }) {
    const StudySpec made = spec(refine, reference, {{cells, 100}});
    EXPECT_EQ(study::conclude(made, {}).unrefined_error, unrefined) << reference;
  }
  StudySpec made = spec(Refine::steps, "finest");
  Study study{.cases = {{.errors = {{0.1, 0.1, nan_value, nan_value}}}}};
  study.results.resize(4);
  EXPECT_EQ(study::conclude(made, study).quantities, (std::vector<std::size_t>{0, 1, 2, 3}));
  made.run.model = engine::make_model({.model = &rheology::catalogue_entry("prandtl")});
  EXPECT_EQ(study::conclude(made, study).quantities, (std::vector<std::size_t>{0, 1}));
  study.cases[0].errors[Errors::u] = study.cases[0].errors[Errors::u_cells] = 0.1;
  EXPECT_EQ(study::conclude(made, study).quantities, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Steps, are_those_of_the_joint_fit_where_it_is_known_and_positive) {
  const Study study = measured(
      spec(Refine::both, "exact", {{100, 125000}, {200, 125000}, {200, 250000}, {400, 250000}}),
      [](double ds, double dt) { return 12 * ds - 5 * dt; });
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const auto& found = study.results[q];
    EXPECT_EQ(found.step, "joint");
    EXPECT_TRUE(found.joint.cancels());
    for (std::size_t l = 0; l < study.cases.size(); ++l) {
      const double error = study.cases[l].errors[q];
      EXPECT_NEAR(found.steps[l], error, 1e-9 * error);
      EXPECT_NEAR(found.fit.predicted[l], error, 1e-9 * error);
    }
  }
  EXPECT_EQ(study.verdict, Verdict::not_judged) << "nothing was expected";
  // Of order two, h² = C₁ δs² + C₂ δt².
  StudySpec second =
      spec(Refine::both, "exact", {{100, 125000}, {200, 125000}, {200, 250000}, {400, 250000}});
  second.run.model = model_of(slab::Scheme::leapfrog, Rule::midpoint);
  const Study squares =
      measured(second, [](double ds, double dt) { return 12 * ds * ds + 5 * dt * dt; });
  EXPECT_EQ(squares.results[0].joint.power, 2);
  EXPECT_EQ(squares.results[0].step, "joint");
  EXPECT_NEAR(squares.cases[2].orders[0], 2, 1e-6);
  // The sum where the joint one changes its sign.
  const Study other = measured(
      spec(Refine::both, "exact",
           {{100, 250000}, {100, 500000}, {200, 500000}, {200, 1000000}, {1000000, 1000000}}),
      [](double ds, double dt) { return ds < 1e-3 ? 1.0 : 12 * ds - 20 * dt; });
  EXPECT_TRUE(other.results[0].joint.is_known());
  EXPECT_EQ(other.results[0].step, "sum");
  for (std::size_t l = 0; l < other.cases.size(); ++l) {
    EXPECT_EQ(other.results[0].steps[l], other.cases[l].ds + other.cases[l].dt);
  }
}

TEST(FittedErrors, have_the_form_of_their_reference) {
  for (const std::string reference : {"exact-time", "finest", "successive"}) {
    const bool is_successive = reference == "successive";
    const Study study =
        measured(spec(Refine::steps, reference, doublings), [&](double /*ds*/, double dt) {
          const double last = 500.0 / 16000;
          const double other = reference == "finest" ? last / 16 : is_successive ? dt / 2 : 0.0;
          return is_successive && dt == last ? nan_value
                                             : 0.3 * (std::pow(dt, 1.1) - std::pow(other, 1.1));
        });
    const auto& x = study.results[0];
    EXPECT_EQ(x.step, "time");
    EXPECT_EQ(x.observed_from(), "fit");
    EXPECT_EQ(x.extrapolated.has_value(), reference != "exact-time");
    for (std::size_t l = 0; l + (is_successive ? 1 : 0) < study.cases.size(); ++l) {
      const double e = study.cases[l].errors[Errors::x];
      EXPECT_NEAR(x.fit.predicted[l], e, 1e-6 * e) << reference;
    }
    EXPECT_EQ(std::isnan(x.fit.predicted.back()), is_successive);
  }
}

/// u is that of the cells' points, so that its error over all s is that of the farthest points of
/// overlapping cells, found here by looking at all.
TEST(FittedErrors, of_u_over_all_s_are_those_of_the_points_of_overlapping_cells) {
  for (const Rule rule : {Rule::right, Rule::midpoint}) {
    StudySpec made =
        spec(Refine::cells, "finest", {{60, 10}, {97, 10}, {150, 10}, {211, 10}, {307, 10}});
    made.run.model = model_of(slab::Scheme::euler, rule);
    const std::int64_t fine = std::get<slab::Cells>(made.reference.finest->space).count;
    const auto point = [&](std::int64_t i, std::int64_t cells) {
      return (static_cast<double>(i) + (rule == Rule::right ? 1.0 : 0.5)) /
             static_cast<double>(cells);
    };
    const Study study = measured(made, [&](double ds, double /*dt*/) {
      const std::int64_t cells = std::llround(1 / ds);
      double farthest = 0.0;
      for (std::int64_t i = 0; i < cells; ++i) {
        for (std::int64_t j = i * fine / cells; j * cells < (i + 1) * fine; ++j) {
          farthest = std::max(farthest, std::abs(point(i, cells) - point(j, fine)));
        }
      }
      return farthest;
    });
    const Order& u = study.results[Errors::u].fit;
    EXPECT_NEAR(u.order, 1.0, 1e-6);
    EXPECT_NEAR(u.constants.at(0), 3 * (rule == Rule::right ? 1.0 : 0.5), 1e-4);
    EXPECT_GT(std::abs(study.results[Errors::u_cells].fit.order - 1.0), 1e-4) << "of other form";
  }
}

TEST(Verdict, is_of_the_expected_orders) {
  for (const auto& [expected, verdict] : {
           std::pair(std::vector<ExpectedOrder>{{"x", 1, false}}, Verdict::not_as_expected),
           {{{"x", 2, false}, {"y", 1, false}}, Verdict::not_as_expected},
           {{{"x", 1.5, true}, {"u", 1, true}}, Verdict::as_expected},
           {{{"y", 2, false}}, Verdict::as_expected},
           {{}, Verdict::not_judged},
       }) {
    const StudySpec made =
        spec(Refine::steps, "exact-time", {{10, 1500}, {10, 3000}, {10, 6000}}, expected);
    const Study study = measured(made, [](double /*ds*/, double dt) { return dt * dt; });
    EXPECT_EQ(study.verdict, verdict);
    EXPECT_EQ(study.results[Errors::x].observed_from(), "fit");
    EXPECT_NEAR(study.results[Errors::x].observed(), 2.0, 1e-9);
    EXPECT_EQ(study.results[Errors::x].expected.has_value(),
              !expected.empty() && expected[0].quantity == "x");
    // Without an error it is exact, of any order.
    const Study at_rest = measured(made, [](double, double) { return 0.0; });
    EXPECT_TRUE(std::isnan(at_rest.cases[1].orders[Errors::x]));
    EXPECT_EQ(at_rest.results[Errors::x].observed_from(), "none");
    EXPECT_EQ(at_rest.verdict, expected.empty() ? Verdict::not_judged : Verdict::exact);
  }
}

TEST(LastPair, is_that_of_errors_above_the_round_off) {
  const StudySpec made = spec(Refine::steps, "exact-time", {{9, 1000}, {9, 2000}, {9, 4000}});
  const double last = 500.0 / 4000;
  const auto error = [last](double /*ds*/, double dt) { return dt == last ? dt / 8 : dt; };
  EXPECT_NEAR(measured(made, error).results[Errors::x].last_pair, 4, 1e-12);
  EXPECT_NEAR(measured(made, error, last / 8).results[Errors::x].last_pair, 1, 1e-12);
}

/// Of errors of order one, down to a smallest one, below which they are 0 and so on the floor.
TEST(Verdict, needs_three_errors_over_a_factor_of_four) {
  struct Row {
    const char* reference;
    Sizes sizes;
    bool is_enough;
    double smallest = 0.0;
  };
  for (const auto& [reference, sizes, is_enough, smallest] : std::vector<Row>{
           {"exact-time", {{9, 1000}, {9, 8000}}, false},
           {"exact-time", {{9, 1000}, {9, 2000}, {9, 3999}}, false},
           {"exact-time", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, false, 0.2},
           {"exact-time", {{9, 1000}, {9, 1500}, {9, 2250}, {9, 8000}}, false, 0.2},
           {"exact-time", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, true, 0.1},
           {"exact", {{375, 2500}, {750, 5000}, {1500, 10000}}, true},
           {"exact", {{375, 2500}, {750, 5000}, {1499, 10000}}, false},
           {"exact", {{375, 2500}, {750, 5000}, {1500, 9999}}, false},
           {"exact", {{10, 1000}, {10, 2000}, {20, 4000}, {20, 8000}, {20, 16000}}, false},
           {"successive", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, true},
           {"successive", {{9, 1000}, {9, 1500}, {9, 2250}, {9, 3375}}, false}}) {
    const bool is_both = reference == std::string("exact");
    const StudySpec made =
        spec(is_both ? Refine::both : Refine::steps, reference, sizes, order_one);
    const double last =
        made.reference.is_successive ? 500.0 / static_cast<double>(sizes.back().second) : 0.0;
    const Study study = measured(made, [&, least = smallest](double ds, double dt) {
      const double error = (is_both ? ds : 0.0) + dt;
      return dt == last ? nan_value : error < least ? 0.0 : error;
    });
    const std::string text = study::table(made, study);
    EXPECT_EQ(study.verdict, is_enough ? Verdict::as_expected : Verdict::undecided) << text;
    const auto says = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    EXPECT_EQ(says(": undecided, as the levels are too few or too close"), !is_enough) << text;
    // Differences of successive levels of a dense ladder would be chance alone.
    const std::string levels = study.conclusions.deciding_levels;
    EXPECT_EQ(levels.empty(), is_enough || made.reference.is_successive) << text;
    EXPECT_EQ(says("would probably decide: levels = " + levels + "\n"), !levels.empty());
  }
}

/// The levels that are named where the order of x is undecided of five doublings of N, or of N and
/// P, of errors 16 to 1, all in the asymptotic range.
std::string named(Refine refine, double scatter, double floor = 0.0, double structural = 0.0,
                  Verdict verdict = Verdict::undecided) {
  StudySpec spec{.run = {}, .refine = refine};
  Study study{.floors = {{floor, floor, floor, floor}}};
  study.results.resize(4);
  study::QuantityResult& x = study.results[Errors::x];
  x.fit = {.marks = std::vector<Mark>(5, Mark::fitted), .levels = 5, .order = 1.0};
  x.fit.uncertainty = x.fit.statistical = 0.2;
  x.fit.structural = structural;
  x.fit.scatter = scatter;
  x.verdict = verdict;
  for (std::int64_t factor = 1; factor <= 16; factor *= 2) {
    spec.levels.push_back({slab::Cells{10 * factor}, 100 * factor});
    const double step = 16.0 / static_cast<double>(factor);
    study.cases.push_back({.step = step, .errors = {{step, step, step, step}}});
    x.steps.push_back(step);
  }
  return study::deciding_levels(spec, study);
}

TEST(DecidingLevels, are_as_many_as_the_scatter_needs) {
  // 16 before and 4 more make 64. Two standard errors are to be half the tolerance, with the σ that
  // 3 degrees of freedom, whose χ² is 1.005 or less in one of five, leave possible.
  const double sigma = 0.1 * std::sqrt(3 / 1.005);
  const double root = 2 * sigma * std::sqrt(12.0) / (std::log(64.0) * 0.05);
  // Of twice the scatter four times the levels; of P and N in turn four times again.
  for (const auto& [found, ends, count] :
       {std::tuple(named(Refine::steps, 0.1), "100:6400:", std::max(24.0, root * root)),
        {named(Refine::steps, 0.2), "100:6400:", 4 * root * root},
        {named(Refine::both, 0.1), "10:100:640:6400:", 4 * root * root},
        // A change of the order by its next term, which is proportional to h, of 0.2.
        {named(Refine::steps, 0.1, 0.0, 0.21), "100:25600:",
         std::max(24.0, root * root * std::pow(std::log(64.0) / std::log(256.0), 2))}}) {
    ASSERT_TRUE(found.starts_with(ends)) << found;
    EXPECT_NEAR(std::stod(found.substr(found.rfind(':') + 1)), count, 2);
  }
  // Ten floors are 0.4 of the last error.
  const std::string above = named(Refine::steps, 0.1, 1.0 / 25);
  EXPECT_TRUE(above.starts_with("100:3200:")) << above;
  EXPECT_EQ(named(Refine::steps, 2.0), "") << "none would decide";
  EXPECT_EQ(named(Refine::steps, 0.1, 0.0, 0.0, Verdict::as_expected), "") << "none is asked for";
}

}  // namespace masing::test_conclusions
