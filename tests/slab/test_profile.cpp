// Cells sample k, η, u0 at s_i = i/P (rule right, (18) of continuous-masing-2001) or (i - ½)/P;
// what breaks k ≥ 0, η ≥ 0 or |u0| ≤ η in a cell, at a place of a continuum or in a spring is
// named. Times, and the steps that the stability of the schemes asks for.

#include "slab/profile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/given.hpp"
#include "support/problem.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_profile {

using slab::Rule;
using support::Problem;

double point(Rule rule, std::int64_t cells, std::int64_t cell) {
  return support::problem({.space = support::space_of(cells), .rule = rule}).point(cell);
}

TEST(CellPoint, lies_at_the_right_end_or_in_the_middle_of_any_number_of_cells) {
  EXPECT_EQ(point(Rule::right, 4, 0), 0.25);
  EXPECT_EQ(point(Rule::right, 4, 3), 1.0);
  EXPECT_EQ(point(Rule::midpoint, 4, 0), 0.125);
  EXPECT_EQ(point(Rule::midpoint, 4, 3), 0.875);
  EXPECT_EQ(point(Rule::right, 1500, 149), 150.0 / 1500.0);
  constexpr std::int64_t one = 1;
  for (const std::int64_t cells : {one << 40, one << 53}) {
    EXPECT_GT(point(Rule::midpoint, cells, 0), 0.0);
    EXPECT_LE(point(Rule::right, cells, cells - 1), 1.0);
  }
  EXPECT_EQ(point(Rule::right, one << 40, (one << 31) - 1), 0x1p-9);
}

/// Of all cells, or of a continuum.
std::string refusal(const support::Data& data) {
  const Problem problem = support::problem(data);
  return given::mistake([&] {
    problem.is_continuum()
        ? slab::check_functions(problem)
        : (void)slab::check_profile(problem, {0, problem.field_cells()}, slab::ProfileForm{});
  });
}

std::string refusal(const slab::Element& element) {
  return given::mistake([&] { slab::check_element(element, [] { return "spring 3"; }); });
}

TEST(Refusals, name_the_quantity_the_value_the_place_and_the_rule) {
  const slab::Space four = slab::Cells{4};
  const slab::Space inf = slab::Continuum{};
  const std::pair<support::Data, std::string> slabs[] = {
      {{.stiffness = "0.5-s", .space = four},
       "stiffness: k(s) = -0.25 at s = 0.75 (cell 3 of 4); k must be >= 0 and finite"},
      {{.threshold = "1/(1-s)", .space = four}, "threshold: eta(s) = inf at s = 1 (cell 4 of 4)"},
      {{.stiffness = "1e150", .threshold = "1e51", .space = four},
       "stiffness: k(s)*eta(s) = 1e+201 at s = 0.25 (cell 1 of 4)"},
      {{.initial_u = "s > 0.6 ? -2 : 0", .space = four},
       "initial-u: u0(s) = -2 at s = 0.75 (cell 3 of 4); |u0| must be <= eta(s) = 0.85"},
      {{.initial_u = "points:0 0;0.9 1.5;1 0", .space = four},
       "initial-u: u0(s) = 1.5 at s = 0.9; |u0| must be <= eta(s) = 1"},
      {{.stiffness = "s-0.5", .space = inf}, "stiffness: k(s) = -0.5 at s = 0"},
      {{.stiffness = "0*s", .space = inf}, "the largest stiffness * threshold is 0"},
      {{.threshold = "s-0.5", .space = inf}, "threshold: eta(s) = -0.5 at s = 0"},
      {{.threshold = "s+1", .initial_u = "2", .space = inf}, "initial-u: u0(s) = 2 at s = 0"},
      {{.threshold = "0.5+0.3*sin(1/s)", .space = inf}, "threshold: near s = "}};
  for (const auto& [data, text] : slabs) {
    EXPECT_TRUE(refusal(data).starts_with(text)) << refusal(data);
  }
  for (const slab::Space& space : {four, inf}) {  // admissible
    EXPECT_EQ(refusal({.threshold = "s", .space = space}), "");
    EXPECT_EQ(refusal({.stiffness = "1-s", .initial_u = "-(s+0.1)", .space = space}), "");
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<slab::Element, std::string> elements[] = {
      {{nan, 1, 0, 0}, "stiffness: k(s) = nan at spring 3"},
      {{1, 1, nan, 0}, "initial-u: u0(s) = nan at spring 3; |u0| must be <= eta(s) = 1"},
      {{1, 1, 0, -2}, "threshold: eta(s) = -1 at spring 3"},
      {{1, 1, 0, 2}, "threshold-down: eta_down(s) = -1 at spring 3"},
      {{1, infinite, 0, -infinite}, "threshold-down: eta_down(s) = inf at spring 3"},
      {{1, 2, -3, 1},
       "initial-u: u0(s) = -2 at spring 3; u0 must lie in [-eta_down(s), eta(s)] = [-1, 3]"}};
  for (const auto& [element, text] : elements) {
    EXPECT_TRUE(refusal(element).starts_with(text)) << refusal(element);
  }
}

/// N·T is rounded, then divided: two roundings, however large p is.
TEST(TimeGrid, forms_times_from_the_integer) {
  const slab::TimeGrid grid{.final_time = 0.1, .steps = 1000000007};
  for (const std::int64_t p : {0, 1, 3, 500000000, 1000000007}) {
    const auto exact = static_cast<double>(0.1L * static_cast<long double>(p) / 1000000007.0L);
    EXPECT_NEAR(grid.time(p), exact, exact * 0x1p-51) << p;
  }
}

/// The form that every cell confirms, looked at in ranges of whole blocks.
slab::ProfileForm form_of(const Problem& problem) {
  return slab::check_profile(problem, {0, problem.field_cells()}, slab::candidate_form(problem));
}

TEST(CheckProfile, confirms_what_all_cells_keep_to) {
  const auto all =
      form_of(support::problem({.initial_u = "0.02", .space = support::space_of(10000)}));
  EXPECT_EQ(all.stiffness->first, 1.0);
  EXPECT_EQ(all.initial_u->first, 0.02);
  EXPECT_GT(all.threshold->slope, 0.0);
  EXPECT_EQ(slab::kept_arrays(all), 0);
  // The first and the last cell fit a constant and a line, cells far from either block's limits
  // do not.
  const auto none = form_of(support::problem({.stiffness = "abs(s-0.7) < 0.001 ? 2 : 1",
                                              .threshold = "0.2+(s-0.00005)*(s-1)*0.1",
                                              .initial_u = "abs(s-0.7) < 0.001 ? 0.01 : 0",
                                              .space = support::space_of(10000)}));
  EXPECT_EQ(slab::kept_arrays(none), 3);
  // Nor does a curve near a line, 2.5e-12 away at most.
  const auto curved = form_of(
      support::problem({.threshold = "0.2+s+1e-11*s*(s-1)", .space = support::space_of(10000)}));
  EXPECT_FALSE(curved.threshold);
  slab::Profile profile =
      slab::sample_profile(support::problem({.space = support::space_of(2)}), {0, 2});
  const slab::ProfileForm candidate{.initial_u = slab::AffineFormula{0.0}};
  EXPECT_TRUE(slab::confirmed_form(candidate, profile).initial_u);
  profile.initial_u[1] = -0.0;
  EXPECT_FALSE(slab::confirmed_form(candidate, profile).initial_u);
}

TEST(CheckProfile, finds_the_first_fault_wherever_it_lies) {
  for (const std::int64_t fault : {1, 4096, 4097, 9999, 10000}) {
    const std::string at = std::to_string(fault);
    const std::string said =
        refusal({.stiffness = "s*10000 > " + at + "-0.5 ? -1 : 1", .space = slab::Cells{10000}});
    EXPECT_NE(said.find("(cell " + at + " of 10000)"), std::string::npos) << said;
  }
  // Of constants one cell is looked at, so any number of them is checked at once.
  const slab::Space many = slab::Cells{std::int64_t{1} << 50};
  const std::string said = refusal({.threshold = "1", .initial_u = "2", .space = many});
  EXPECT_NE(said.find("(cell 1 of"), std::string::npos) << said;
}

/// Those that begin at -η⁻ exceed it by a rounding in most cells.
TEST(Profile, begins_at_the_lower_threshold_where_u0_is_there) {
  Problem problem = support::problem(
      {.threshold = "s+0.1", .initial_u = "-0.6*(s+0.4)", .space = slab::Cells{1000}});
  problem.set_threshold_down(support::function("0.6*(s+0.4)", 's'));
  const slab::Profile profile = slab::sample_profile(problem, {0, 1000}, slab::ProfileForm{});
  for (std::int64_t i = 0; i < 1000; ++i) {
    const slab::Element element = profile.element(i);
    ASSERT_GE(element.initial_u, -element.threshold) << i;
    ASSERT_NEAR(element.initial_u, -element.threshold, 1e-15) << i;
  }
}

/// A table of u0 may exceed the threshold between its points by up to 1 %.
TEST(Profile, begins_at_the_threshold_on_the_side_of_u0_where_its_table_exceeds_it) {
  const slab::Profile profile = support::cells_of(
      support::problem({.initial_u = "points:0 -0.1003; 1 -1.1", .space = slab::Cells{100}}));
  for (std::int64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(profile.element(i).initial_u, -profile.element(i).threshold) << i;
  }
}

TEST(LeanProfile, gives_every_cell_without_the_arrays_that_formulas_give) {
  const support::Data data[] = {{.stiffness = "2", .threshold = "s+0.1", .initial_u = "0.05"},
                                {.stiffness = "1+s", .threshold = "s+0.1", .initial_u = "0.1*s"},
                                {.stiffness = "2", .threshold = "0.1+s*s", .initial_u = "0"}};
  for (support::Data one : data) {
    one.space = support::space_of(5000);
    const Problem problem = support::problem(one);
    const base::CellRange range{2048, 2048};
    const slab::Profile all = slab::sample_profile(problem, range);
    const slab::ProfileForm form = form_of(problem);
    const slab::Profile lean = slab::sample_profile(problem, range, form);
    EXPECT_EQ(lean.stiffness.empty(), form.stiffness.has_value());
    EXPECT_EQ(lean.threshold.empty(), form.threshold.has_value());
    EXPECT_EQ(lean.initial_u.empty(), form.initial_u.has_value());
    for (std::int64_t i = 0; i < range.size; ++i) {
      const slab::Element cell = lean.element(i);
      ASSERT_EQ(cell.stiffness, all.element(i).stiffness);
      ASSERT_EQ(cell.initial_u, all.element(i).initial_u);
      ASSERT_NEAR(cell.threshold, all.element(i).threshold, 1.1 * 0x1p-50);
    }
  }
}

TEST(ElasticFrequency, of_a_linear_stiffness_is_exact) {
  const auto frequency = [](const char* stiffness, const slab::Space& space) {
    const Problem problem = support::problem({.stiffness = stiffness, .space = space});
    return slab::elastic_frequency(problem, {.mass = 0.5, .k0 = 0.5});
  };
  EXPECT_NEAR(frequency("1+s", slab::Continuum{}), 2.0, 1e-14);
  // Of four cells with k at their right ends, 1.25, …, 2, and of other functions and cells after
  // them, as the last stiffness is kept.
  EXPECT_NEAR(frequency("1+s", slab::Cells{4}), std::sqrt(4.25), 1e-14);
  EXPECT_NEAR(frequency("2+s", slab::Cells{4}), std::sqrt(6.25), 1e-14);
  EXPECT_NEAR(frequency("2+s", slab::Cells{2}), std::sqrt(6.5), 1e-14);
}

}  // namespace masing::test_profile
