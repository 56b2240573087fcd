// What a study says as a whole: the statement that it tests, the bound, the verdict and the
// sentences on it, and which levels would decide an order that is undecided. Studies are made by
// hand, without a run. Source: Propositions 3.1 and 4.1, (25), continuous-masing-2001.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "study/refinement.hpp"
#include "study/study_spec.hpp"

namespace masing::test_conclusions {

using slab::Rule;
using slab::Scheme;
using statistics::Fit;
using statistics::Mark;
using statistics::Verdict;
using study::Errors;
using study::ExpectedOrder;
using study::Refine;
using study::Study;
using study::StudySpec;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// A study of the continuous model on two levels.
struct Method {
  Refine refine = Refine::steps;
  std::string reference = "exact-time";
  Scheme scheme = Scheme::euler;
  Rule rule = Rule::right;
  bool at_continuum = false;
};

StudySpec spec(const Method& method) {
  StudySpec made{
      .run = {engine::Masing{.slab = {.rule = method.rule}, .scheme = method.scheme}, {}, {}},
      .refine = method.refine};
  for (const std::int64_t factor : {1, 2}) {
    const slab::Space cells = slab::Cells{method.refine == Refine::steps ? 10 : 10 * factor};
    made.levels.push_back({method.at_continuum ? slab::Continuum{} : cells,
                           method.refine == Refine::cells ? 100 : 100 * factor});
  }
  made.reference =
      study::make_reference(method.reference, method.refine, made.levels, made.run.model);
  return made;
}

/// Results in which x, y and u were observed at order one, as expected.
Study good_study(const StudySpec& spec) {
  Study made;
  for (const auto& level : spec.levels) {
    made.cases.push_back({.level = level, .ds = 0.1, .dt = 0.2, .step = 0.2});
  }
  for (std::size_t q = 0; q < study::quantities_of(engine::RunSpec()).size(); ++q) {
    study::QuantityResult found;
    found.fit.order = 1.0;
    found.fit.uncertainty = 0.01;
    found.fit.marks.assign(2, Mark::undefined);
    if (q != Errors::u_cells) {
      found.expected = ExpectedOrder{.quantity = study::quantities_of(engine::RunSpec())[q].name};
      found.verdict = Verdict::as_expected;
    }
    made.results.push_back(found);
  }
  return made;
}

study::Conclusions conclusions(const Method& method) {
  const StudySpec made = spec(method);
  return study::conclude(made, good_study(made));
}

TEST(Conclusions, name_the_error_that_is_not_refined) {
  const auto unrefined = [](const Method& method) { return conclusions(method).unrefined_error; };
  EXPECT_EQ(unrefined({Refine::steps, "exact"}), "space");
  EXPECT_EQ(unrefined({Refine::cells, "exact"}), "time");
  EXPECT_EQ(unrefined({.reference = "exact", .at_continuum = true}), "");
  for (const char* reference : {"cells-inf", "successive"}) {
    EXPECT_EQ(unrefined({Refine::cells, reference}), "") << reference;
  }
  for (const char* reference : {"exact-time", "finest"}) {
    EXPECT_EQ(unrefined({Refine::steps, reference}), "") << reference;
  }
  EXPECT_EQ(unrefined({Refine::both, "exact"}), "");
}

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

using Error = std::function<double(double, double)>;

/// The results of a study on levels P:N, T = 500, whose errors of x are e(δs, δt); those of y, u
/// and u at the cells' points two, three and four times as large.
Study measured(StudySpec& made, const Sizes& sizes, const Error& error) {
  Study study;
  made.run.time.final_time = 500.0;
  made.levels.clear();
  for (const auto& [cells, steps] : sizes) {
    made.levels.push_back({slab::Cells{cells}, steps});
    const double ds = 1.0 / static_cast<double>(cells);
    const double dt = 500.0 / static_cast<double>(steps);
    const double e = error(ds, dt);
    study.cases.push_back({.level = made.levels.back(),
                           .ds = ds,
                           .dt = dt,
                           .step = made.refine == Refine::both ? ds + dt : dt,
                           .errors = {{e, 2 * e, 3 * e, 4 * e}}});
  }
  made.reference =
      study::make_reference(made.reference.name, made.refine, made.levels, made.run.model);
  study::find_results(made, study);
  return study;
}

/// Errors of order one of which each is larger by chance, by up to so much of it.
Error scattering(std::mt19937_64& random, double amplitude) {
  return [&random, amplitude](double ds, double dt) {
    return (ds + dt) * (1 + amplitude * std::uniform_real_distribution<double>(0, 1)(random));
  };
}

StudySpec expecting_order_one(const Method& method) {
  StudySpec made = spec(method);
  made.expected_orders = {{.quantity = "x"}, {.quantity = "y"}, {.quantity = "u"}};
  return made;
}

/// As --levels takes them; whether they decide the corpus tells.
TEST(DecidingLevels, are_named_where_an_order_is_undecided) {
  std::mt19937_64 random(20016);
  for (const bool both : {false, true}) {
    StudySpec made = expecting_order_one({.refine = both ? Refine::both : Refine::steps,
                                          .reference = both ? "exact" : "exact-time"});
    const Error error = scattering(random, 0.5);
    const Study study =
        measured(made, {{30, 1000}, {60, 2000}, {120, 4000}, {240, 8000}, {480, 16000}},
                 [&](double ds, double dt) { return error(both ? ds : 0.0, dt); });
    ASSERT_EQ(study.verdict, Verdict::undecided);
    const std::string levels = study.conclusions.deciding_levels;
    EXPECT_EQ(std::ranges::count(levels, ':'), both ? 4 : 2) << levels;
    EXPECT_NE(study::table(made, study).find("decide: levels = " + levels), std::string::npos);
  }
}

/// Differences of successive levels of a dense ladder would be chance alone.
TEST(DecidingLevels, are_none_where_levels_are_compared_with_the_next) {
  std::mt19937_64 random(20017);
  StudySpec made = expecting_order_one({.refine = Refine::steps, .reference = "successive"});
  const Error error = scattering(random, 3.0);
  const Sizes sizes{{10, 1000}, {10, 2000}, {10, 4000}, {10, 8000}, {10, 16000}};
  const Study study = measured(made, sizes, [&](double, double dt) { return error(0.0, dt); });
  ASSERT_EQ(study.verdict, Verdict::undecided);
  EXPECT_EQ(study.conclusions.deciding_levels, "");
}

TEST(Steps, are_those_of_the_joint_fit_where_it_is_known) {
  StudySpec made = spec({.refine = Refine::both, .reference = "exact"});
  const Study study = measured(made, {{100, 125000}, {200, 125000}, {200, 250000}, {400, 250000}},
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
}

TEST(Steps, are_the_sum_where_the_joint_one_changes_its_sign) {
  StudySpec made = spec({.refine = Refine::both, .reference = "exact"});
  const Study study = measured(
      made, {{100, 250000}, {100, 500000}, {200, 500000}, {200, 1000000}, {1000000, 1000000}},
      [](double ds, double dt) { return ds < 1e-3 ? 1.0 : 12 * ds - 20 * dt; });
  const auto& x = study.results[0];
  EXPECT_TRUE(x.joint.is_known());
  EXPECT_EQ(x.step, "sum");
  for (std::size_t l = 0; l < study.cases.size(); ++l) {
    EXPECT_EQ(x.steps[l], study.cases[l].ds + study.cases[l].dt);
  }
}

TEST(FittedErrors, have_the_form_of_their_reference) {
  for (const std::string reference : {"exact-time", "finest", "successive"}) {
    const bool is_successive = reference == "successive";
    StudySpec made = spec({.refine = Refine::steps, .reference = reference});
    const auto error = [&](double /*ds*/, double dt) {
      const double last = 500.0 / 16000;
      if (is_successive && dt == last) {
        return nan_value;
      }
      const double other = reference == "finest" ? last / 16 : is_successive ? dt / 2 : 0.0;
      return 0.3 * (std::pow(dt, 1.1) - std::pow(other, 1.1));
    };
    const Study study =
        measured(made, {{10, 1000}, {10, 2000}, {10, 4000}, {10, 8000}, {10, 16000}}, error);
    const auto& x = study.results[0];
    EXPECT_EQ(x.step, "time");
    EXPECT_EQ(x.observed_from(), "fit");
    for (std::size_t l = 0; l + (is_successive ? 1 : 0) < study.cases.size(); ++l) {
      const double e = study.cases[l].errors[Errors::x];
      EXPECT_NEAR(x.fit.predicted[l], e, 1e-6 * e) << reference;
    }
    EXPECT_EQ(std::isnan(x.fit.predicted.back()), is_successive);
  }
}

TEST(Conclusions, on_another_model_are_of_its_quantities) {
  EXPECT_EQ(conclusions({}).quantities, (std::vector<std::size_t>{0, 1, 2, 3}));
  StudySpec made = spec({.reference = "finest"});
  made.run.model = rheology::ModelSpec{};
  Study study = good_study(made);
  for (auto& at : study.cases) {
    at.errors = {{0.1, 0.1, nan_value, nan_value}};
  }
  EXPECT_EQ(study::conclude(made, study).quantities, (std::vector<std::size_t>{0, 1}));
}

Study judged(const std::vector<ExpectedOrder>& expected, const std::vector<std::int64_t>& steps,
             const Error& error, const std::string& reference = "exact-time") {
  StudySpec made = spec({.reference = reference});
  made.expected_orders = expected;
  Sizes sizes;
  for (const std::int64_t count : steps) {
    sizes.emplace_back(10, count);
  }
  return measured(made, sizes, error);
}

TEST(Verdict, is_of_the_expected_orders) {
  const std::vector<std::pair<std::vector<ExpectedOrder>, Verdict>> cases{
      {{{"x", 1, false}}, Verdict::not_as_expected},
      {{{"x", 2, false}, {"y", 1, false}}, Verdict::not_as_expected},
      {{{"x", 1.5, true}, {"u", 1, true}}, Verdict::as_expected},
      {{{"y", 2, false}}, Verdict::as_expected},
      {{}, Verdict::not_judged}};
  const auto square = [](double /*ds*/, double dt) { return dt * dt; };
  for (const auto& [expected, verdict] : cases) {
    const Study study = judged(expected, {1500, 3000, 6000}, square);
    EXPECT_EQ(study.verdict, verdict);
    EXPECT_EQ(study.results[Errors::x].observed_from(), "fit");
    EXPECT_NEAR(study.results[Errors::x].observed(), 2.0, 1e-9);
    EXPECT_EQ(study.results[Errors::x].expected.has_value(),
              !expected.empty() && expected[0].quantity == "x");
    // Without an error it is exact, of any order.
    const Study at_rest = judged(expected, {100, 200, 400}, [](double, double) { return 0.0; });
    EXPECT_TRUE(std::isnan(at_rest.cases[1].orders[Errors::x]));
    EXPECT_EQ(at_rest.results[Errors::x].observed_from(), "none");
    EXPECT_EQ(at_rest.verdict, expected.empty() ? Verdict::not_judged : Verdict::exact);
  }
}

/// Of errors of order one, down to a smallest one, below which they are 0 and so on the floor.
TEST(Verdict, needs_three_errors_over_a_factor_of_four) {
  struct Row {
    const char* reference;
    Sizes sizes;
    bool is_enough;
    double smallest = 0.0;
  };
  const std::vector<Row> rows{
      {"exact-time", {{9, 1000}, {9, 2000}}, false},
      {"exact-time", {{9, 1000}, {9, 1050}}, false},
      {"exact-time", {{9, 1000}, {9, 8000}}, false},
      {"exact-time", {{9, 1000}, {9, 2000}, {9, 3999}}, false},
      {"exact-time", {{9, 1000}, {9, 2000}, {9, 4000}}, true},
      {"exact-time", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, false, 0.2},
      {"exact-time", {{9, 1000}, {9, 1500}, {9, 2250}, {9, 8000}}, false, 0.2},
      {"exact-time", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, true, 0.1},
      {"exact", {{375, 2500}, {750, 5000}, {1500, 10000}}, true},
      {"exact", {{375, 2500}, {750, 5000}, {1499, 10000}}, false},
      {"exact", {{375, 2500}, {750, 5000}, {1500, 9999}}, false},
      {"exact", {{10, 1000}, {10, 2000}, {20, 4000}, {20, 8000}, {20, 16000}}, false},
      {"successive", {{9, 1000}, {9, 2000}, {9, 4000}}, false},
      {"successive", {{9, 1000}, {9, 2000}, {9, 4000}, {9, 8000}}, true},
      {"successive", {{9, 1000}, {9, 1500}, {9, 2250}, {9, 3375}}, false}};
  for (const auto& [reference, sizes, is_enough, smallest] : rows) {
    const bool is_both = reference == std::string("exact");
    StudySpec made = expecting_order_one(
        {.refine = is_both ? Refine::both : Refine::steps, .reference = reference});
    const double last = reference == std::string("successive")
                            ? 500.0 / static_cast<double>(sizes.back().second)
                            : 0.0;
    const Study study = measured(made, sizes, [&](double ds, double dt) {
      const double error = (is_both ? ds : 0.0) + dt;
      return dt == last ? nan_value : error < smallest ? 0.0 : error;
    });
    const std::string text = study::table(made, study);
    EXPECT_EQ(study.verdict, is_enough ? Verdict::as_expected : Verdict::undecided) << text;
    EXPECT_EQ(text.find(": undecided, as the levels are too few or too close") != std::string::npos,
              !is_enough)
        << text;
    made.expected_orders.clear();
    EXPECT_EQ(measured(made, sizes, [](double, double dt) { return dt; }).verdict,
              Verdict::not_judged);
  }
}

/// Errors that grow by exp(2 δt), as those of the explicit scheme do on coarse levels.
TEST(Verdict, leaves_out_levels_before_the_asymptotic_range) {
  StudySpec made = expecting_order_one({});
  const Study study =
      measured(made, {{10, 250}, {10, 500}, {10, 20000}, {10, 40000}, {10, 80000}, {10, 160000}},
               [](double /*ds*/, double dt) { return dt * std::exp(2 * dt); });
  const auto& x = study.results[Errors::x];
  EXPECT_EQ(x.fit.marks, (std::vector{Mark::before, Mark::before, Mark::fitted, Mark::fitted,
                                      Mark::fitted, Mark::fitted}));
  EXPECT_NEAR(x.fit.order, 1.0, 0.06);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  const std::string text = study::table(made, study);
  EXPECT_NE(text.find("< left out of the fit: before the asymptotic range"), std::string::npos);
  EXPECT_NE(text.find("(fit of 4 levels)"), std::string::npos) << text;
}

/// Five doublings of N, or of N and P.
StudySpec doublings(Refine refine = Refine::steps) {
  StudySpec made{.run = {}, .refine = refine};
  for (std::int64_t factor = 1; factor <= 16; factor *= 2) {
    made.levels.push_back({slab::Cells{10 * factor}, 100 * factor});
  }
  return made;
}

Fit scattered_fit(double scatter) {
  Fit fit{.marks = std::vector<Mark>(5, Mark::fitted), .levels = 5, .order = 1.0};
  fit.uncertainty = fit.statistical = 0.2;
  fit.structural = 0.0;
  fit.scatter = scatter;
  return fit;
}

/// A study whose order of x is undecided, all levels being in the asymptotic range.
Study undecided(const Fit& fit, double floor = 0.0) {
  Study made{.floors = {{floor, floor, floor, floor}}};
  made.results.resize(study::quantities_of(engine::RunSpec()).size());
  made.results[Errors::x].fit = fit;
  made.results[Errors::x].verdict = Verdict::undecided;
  for (const double step : {16, 8, 4, 2, 1}) {
    made.cases.push_back({.step = step, .errors = {{step, step, step, step}}});
    made.results[Errors::x].steps.push_back(step);
  }
  return made;
}

struct Ladder {
  std::string ends;
  double count = 0.0;
};

Ladder ladder(const StudySpec& spec, const Fit& fit) {
  const std::string text = study::deciding_levels(spec, undecided(fit));
  const std::size_t last = std::min(text.rfind(':'), text.size());
  return {text.substr(0, last), text.empty() ? 0.0 : std::stod(text.substr(last + 1))};
}

TEST(DecidingLevels, are_as_many_as_the_scatter_needs) {
  const Fit fit = scattered_fit(0.1);
  const Ladder found = ladder(doublings(), fit);
  // 16 before and 4 more make 64. Two standard errors are to be half the tolerance, with the σ that
  // 3 degrees of freedom, whose χ² is 1.005 or less in one of five, leave possible.
  EXPECT_EQ(found.ends, "100:6400");
  const double sigma = 0.1 * std::sqrt(3 / 1.005);
  const double root = 2 * sigma * std::sqrt(12.0) / (std::log(64.0) * 0.05);
  EXPECT_NEAR(found.count, std::max(24.0, root * root), 1);
  // Of twice the scatter four times the levels; of P and N in turn four times again.
  EXPECT_NEAR(ladder(doublings(), scattered_fit(0.2)).count, 4 * root * root, 2);
  const Ladder of_both = ladder(doublings(Refine::both), fit);
  EXPECT_EQ(of_both.ends, "10:100:640:6400");
  EXPECT_NEAR(of_both.count, 4 * root * root, 2);
}

TEST(DecidingLevels, stay_above_the_round_off_floor) {
  // Ten floors are 0.4 of the last error.
  const std::string found =
      study::deciding_levels(doublings(), undecided(scattered_fit(0.1), 1.0 / 25));
  EXPECT_TRUE(found.starts_with("100:3200:")) << found;
}

TEST(DecidingLevels, are_none_where_none_is_asked_for_or_none_would_decide) {
  Study decided = undecided(scattered_fit(0.1));
  decided.results[Errors::x].verdict = Verdict::as_expected;
  EXPECT_EQ(study::deciding_levels(doublings(), decided), "");
  EXPECT_EQ(study::deciding_levels(doublings(), undecided(scattered_fit(2.0))), "");
}

}  // namespace masing::test_conclusions
