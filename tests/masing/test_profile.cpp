// Cells sample k, η, u0 at s_i = i/P (rule right, (18) of continuous-masing-2001) or (i - ½)/P; the
// first cell that breaks k > 0, η > 0 or |u0| ≤ η is named.

#include "masing/profile.hpp"

#include <gtest/gtest.h>

#include "support/problem.hpp"

namespace {

using masing::Problem;
using options::Rule;

masing::Profile whole(const Problem& problem) {
  return masing::sample_profile(problem, {0, problem.cells});
}

double point(Rule rule, std::int64_t cells, std::int64_t cell) {
  return support::problem({.cells = cells, .rule = rule}).point(cell);
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
  for (const Rule rule : {Rule::right, Rule::midpoint}) {
    const Problem problem = support::problem({.stiffness = "1+s*s",
                                              .threshold = "s+0.5",
                                              .initial_u = "-0.5*s",
                                              .cells = 7,
                                              .rule = rule});
    const masing::Profile profile = whole(problem);
    ASSERT_EQ(profile.stiffness.size(), 7U);
    for (std::int64_t i = 0; i < 7; ++i) {
      const double s = problem.point(i);
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(profile.stiffness[at], 1 + s * s);
      EXPECT_EQ(profile.threshold[at], s + 0.5);
      EXPECT_EQ(profile.initial_u[at], -0.5 * s);
    }
  }
}

TEST(Profile, of_a_range_is_that_part_of_the_whole) {
  const Problem problem = support::problem({.stiffness = "2-s", .cells = 3000});
  const masing::Profile all = whole(problem);
  const masing::Profile part = masing::sample_profile(problem, {1024, 1024});
  ASSERT_EQ(part.stiffness.size(), 1024U);
  for (std::size_t i = 0; i < 1024; ++i) {
    ASSERT_EQ(part.stiffness[i], all.stiffness[1024 + i]);
    ASSERT_EQ(part.threshold[i], all.threshold[1024 + i]);
  }
  EXPECT_TRUE(masing::sample_profile(problem, {3000, 0}).stiffness.empty());
}

TEST(ProfileFault, is_none_where_every_cell_is_right) {
  const Problem papers = support::problem({.cells = 1500});
  EXPECT_EQ(masing::profile_fault(papers, whole(papers)), "");
  const Problem limit = support::problem({.initial_u = "-(s+0.1)", .cells = 10});
  EXPECT_EQ(masing::profile_fault(limit, whole(limit)), "") << "|u0| = eta is allowed";
}

struct Fault {
  support::Data data;
  std::vector<std::string> said;
};

TEST(ProfileFault, names_the_key_the_value_and_the_cell) {
  const Fault faults[] = {
      {{.stiffness = "0.5-s", .cells = 4}, {"--stiffness", "k(s) = 0 ", "s = 0.5", "cell 2 of 4"}},
      {{.stiffness = "1/(s-1)", .cells = 1}, {"--stiffness", "inf"}},
      {{.stiffness = "sqrt(0.6-s)", .cells = 4}, {"--stiffness", "nan", "cell 3 of 4"}},
      {{.threshold = "0.75-s", .cells = 4}, {"--threshold", "eta", "cell 3 of 4", "> 0"}},
      {{.threshold = "-1", .cells = 4}, {"--threshold", "-1", "cell 1 of 4"}},
      {{.threshold = "1/(s-1)", .cells = 1}, {"--threshold", "inf"}},
      {{.initial_u = "s > 0.6 ? -2 : 0", .cells = 4}, {"--initial-u", "-2", "cell 3 of 4", "0.85"}},
      {{.initial_u = "sqrt(0.6-s)*0", .cells = 4}, {"--initial-u", "nan", "cell 3 of 4"}},
  };
  for (const auto& [data, said] : faults) {
    const Problem problem = support::problem(data);
    const std::string message = masing::profile_fault(problem, whole(problem));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    for (const auto& part : said) {
      EXPECT_NE(message.find(part), std::string::npos) << message << "\n lacks: " << part;
    }
  }
}

TEST(ProfileFault, counts_cells_globally) {
  const Problem problem = support::problem({.stiffness = "s < 0.75 ? 1 : -1", .cells = 4096});
  const std::string message =
      masing::profile_fault(problem, masing::sample_profile(problem, {2048, 2048}));
  EXPECT_NE(message.find("cell 3072 of 4096"), std::string::npos) << message;
}

TEST(ForceBound, is_the_greatest_stiffness_times_threshold) {
  const Problem problem = support::problem({.stiffness = "3", .threshold = "s+1", .cells = 8});
  EXPECT_EQ(masing::force_bound(whole(problem)), 6.0);
  EXPECT_EQ(masing::force_bound({}), 0.0);
}

TEST(TimeGrid, forms_times_from_the_integer) {
  const masing::TimeGrid grid{.final_time = 500.0, .steps = 1000000};
  EXPECT_EQ(grid.time(0), 0.0);
  EXPECT_EQ(grid.time(1000000), 500.0);
  EXPECT_EQ(grid.time(123457), 123457.0 * 500.0 / 1000000.0);
  // N·T is rounded, then divided: two roundings, however large p is.
  const masing::TimeGrid odd{.final_time = 0.1, .steps = 1000000007};
  for (const std::int64_t p : {1, 3, 500000000, 1000000007}) {
    const auto exact = static_cast<double>(0.1L * static_cast<long double>(p) / 1000000007.0L);
    EXPECT_NEAR(odd.time(p), exact, exact * 0x1p-51) << p;
  }
}

}  // namespace
