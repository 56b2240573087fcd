// Cells sample k, η, u0 at s_i = i/P (rule right, (18) of continuous-masing-2001) or (i - ½)/P; the
// first cell that breaks k ≥ 0, η ≥ 0 or |u0| ≤ η is named.

#include "slab/profile.hpp"

#include <gtest/gtest.h>

#include "support/problem.hpp"

namespace masing::test_profile {

using slab::Rule;
using support::Problem;

slab::Profile whole(const Problem& problem) {
  return slab::sample_profile(problem, {0, problem.field_cells()});
}

double point(Rule rule, std::int64_t cells, std::int64_t cell) {
  return support::problem({.space = support::space_of(cells), .rule = rule}).point(cell);
}

TEST(CellPoint, lies_at_the_right_end_or_in_the_middle) {
  EXPECT_EQ(point(Rule::right, 4, 0), 0.25);
  EXPECT_EQ(point(Rule::right, 4, 3), 1.0);
  EXPECT_EQ(point(Rule::midpoint, 4, 0), 0.125);
  EXPECT_EQ(point(Rule::midpoint, 4, 3), 0.875);
  EXPECT_EQ(point(Rule::right, 1500, 149), 150.0 / 1500.0);
  EXPECT_EQ(point(Rule::midpoint, 1, 0), 0.5);
}

TEST(Profile, samples_the_functions_at_the_cells_points) {
  for (const auto& [rule, cells] : {std::pair{Rule::right, 7}, {Rule::midpoint, 2500}}) {
    const Problem problem = support::problem({.stiffness = "1+s*s",
                                              .threshold = "s+0.5",
                                              .initial_u = "-0.5*s",
                                              .space = support::space_of(cells),
                                              .rule = rule});
    const slab::Profile profile = whole(problem);
    ASSERT_EQ(profile.stiffness.size(), static_cast<std::size_t>(cells));
    for (std::int64_t i = 0; i < cells; ++i) {
      const double s = problem.point(i);
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(profile.stiffness[at], 1 + s * s);
      ASSERT_EQ(profile.threshold[at], s + 0.5);
      ASSERT_EQ(profile.initial_u[at], -0.5 * s);
    }
  }
}

TEST(ProfileFault, is_none_where_every_cell_is_right) {
  const Problem papers = support::problem({.space = support::space_of(1500)});
  EXPECT_FALSE(slab::profile_fault(papers, whole(papers)));
  const Problem limit = support::problem({.initial_u = "-(s+0.1)", .space = support::space_of(10)});
  EXPECT_FALSE(slab::profile_fault(limit, whole(limit))) << "|u0| = eta is allowed";
  const Problem soft = support::problem({.stiffness = "1-s", .space = support::space_of(10)});
  EXPECT_FALSE(slab::profile_fault(soft, whole(soft))) << "k = 0 is allowed";
}

struct Fault {
  support::Data data;
  std::vector<std::string> said;
};

TEST(ProfileFault, names_the_key_the_value_and_the_cell) {
  const Fault faults[] = {
      {{.stiffness = "0.5-s", .space = support::space_of(4)},
       {"stiffness", "k(s) = -0.25 ", "s = 0.75", "cell 3 of 4", ">= 0"}},
      {{.stiffness = "1/(s-1)", .space = support::space_of(1)}, {"stiffness", "inf"}},
      {{.stiffness = "sqrt(0.6-s)", .space = support::space_of(4)},
       {"stiffness", "nan", "cell 3 of 4"}},
      {{.threshold = "0.75-s", .space = support::space_of(4)},
       {"threshold", "eta", "cell 4 of 4", ">= 0"}},
      {{.threshold = "-1", .space = support::space_of(4)}, {"threshold", "-1", "cell 1 of 4"}},
      {{.threshold = "1/(s-1)", .space = support::space_of(1)}, {"threshold", "inf"}},
      {{.initial_u = "s > 0.6 ? -2 : 0", .space = support::space_of(4)},
       {"initial-u", "-2", "cell 3 of 4", "0.85"}},
      {{.initial_u = "sqrt(0.6-s)*0", .space = support::space_of(4)},
       {"initial-u", "nan", "cell 3 of 4"}},
  };
  for (const auto& [data, said] : faults) {
    const Problem problem = support::problem(data);
    const base::UserError fault = slab::profile_fault(problem, whole(problem)).value();
    EXPECT_EQ(fault.quantity(), said.front());
    const std::string message = fault.what();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    for (const auto& part : said) {
      EXPECT_NE(message.find(part), std::string::npos) << message << "\n lacks: " << part;
    }
  }
}

TEST(TimeGrid, forms_times_from_the_integer) {
  const slab::TimeGrid grid{.final_time = 500.0, .steps = 1000000};
  EXPECT_EQ(grid.time(0), 0.0);
  EXPECT_EQ(grid.time(1000000), 500.0);
  EXPECT_EQ(grid.time(123457), 123457.0 * 500.0 / 1000000.0);
  // N·T is rounded, then divided: two roundings, however large p is.
  const slab::TimeGrid odd{.final_time = 0.1, .steps = 1000000007};
  for (const std::int64_t p : {1, 3, 500000000, 1000000007}) {
    const auto exact = static_cast<double>(0.1L * static_cast<long double>(p) / 1000000007.0L);
    EXPECT_NEAR(odd.time(p), exact, exact * 0x1p-51) << p;
  }
}

TEST(CellPoint, lies_in_the_slab_for_any_number_of_cells) {
  const std::int64_t counts[] = {(std::int64_t{1} << 31) + 1, std::int64_t{1} << 40,
                                 std::int64_t{1} << 53};
  for (const std::int64_t cells : counts) {
    for (const Rule rule : {Rule::right, Rule::midpoint}) {
      EXPECT_GT(point(rule, cells, 0), 0.0);
      EXPECT_LE(point(rule, cells, cells - 1), 1.0);
      EXPECT_GT(point(rule, cells, cells / 2), point(rule, cells, cells / 2 - 2));
    }
    EXPECT_EQ(point(Rule::right, cells, cells - 1), 1.0);
  }
  EXPECT_EQ(point(Rule::right, std::int64_t{1} << 40, (std::int64_t{1} << 31) - 1), 0x1p-9);
}

/// The form that every cell confirms, looked at in ranges of whole blocks.
slab::ProfileForm form_of(const Problem& problem) {
  const auto check =
      slab::check_profile(problem, {0, problem.field_cells()}, slab::candidate_form(problem));
  EXPECT_FALSE(check.fault);
  return check.form;
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
}

TEST(ConfirmedForm, tells_0_from_minus_0) {
  slab::Profile profile = whole(support::problem({.space = support::space_of(2)}));
  const slab::ProfileForm candidate{.initial_u = slab::AffineFormula{0.0}};
  EXPECT_TRUE(slab::confirmed_form(candidate, profile).initial_u);
  profile.initial_u[1] = -0.0;
  EXPECT_FALSE(slab::confirmed_form(candidate, profile).initial_u);
}

TEST(CheckProfile, finds_the_first_fault_wherever_it_lies) {
  for (const std::int64_t fault : {1, 4096, 4097, 9999, 10000}) {
    const std::string at = std::to_string(fault);
    const Problem problem = support::problem(
        {.stiffness = "s*10000 > " + at + "-0.5 ? -1 : 1", .space = support::space_of(10000)});
    const auto check = slab::check_profile(problem, {0, 10000}, slab::candidate_form(problem));
    const std::string found = check.fault.value().what();
    EXPECT_EQ(found, slab::profile_fault(problem, whole(problem)).value().what());
    EXPECT_NE(found.find("(cell " + at + " of 10000)"), std::string::npos) << found;
  }
  // Of constants one cell is looked at, so any number of them is checked at once.
  const Problem many = support::problem(
      {.threshold = "1", .initial_u = "2", .space = slab::Cells{std::int64_t{1} << 50}});
  const auto fault = slab::check_profile(many, {0, many.field_cells()}, {}).fault;
  EXPECT_NE(fault.value().fault().find("(cell 1 of"), std::string::npos);
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

}  // namespace masing::test_profile
