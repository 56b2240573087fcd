// Which levels would decide an order that is undecided. Studies are made by hand, without a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "study/refinement.hpp"

namespace masing::test_deciding_levels {

using statistics::Fit;
using statistics::Mark;
using study::Errors;
using study::Refine;
using study::Study;
using study::StudySpec;

/// Five doublings of N, or of N and P.
StudySpec doublings(Refine refine = Refine::steps) {
  StudySpec made{.run = {}, .refine = refine};
  for (std::int64_t factor = 1; factor <= 16; factor *= 2) {
    made.levels.push_back({slab::Cells{10 * factor}, 100 * factor});
  }
  return made;
}

Fit scattering(double scatter) {
  return {.marks = std::vector<Mark>(5, Mark::fitted),
          .levels = 5,
          .order = 1.0,
          .uncertainty = 0.2,
          .statistical = 0.2,
          .structural = 0.0,
          .scatter = scatter};
}

/// A study whose order of x is undecided, all levels being in the asymptotic range.
Study undecided(const Fit& fit, double floor = 0.0) {
  Study made{.floors = {{floor, floor, floor, floor}}};
  for (const double step : {16, 8, 4, 2, 1}) {
    made.cases.push_back({.step = step, .errors = {{step, step, step, step}}});
  }
  made.results.resize(std::size(study::quantities));
  made.results[Errors::x].fit = fit;
  made.results[Errors::x].steps = {16, 8, 4, 2, 1};
  made.results[Errors::x].verdict = study::Verdict::undecided;
  return made;
}

/// The ends of the ladder, and how many levels it has.
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
  const Fit fit = scattering(0.1);
  const Ladder found = ladder(doublings(), fit);
  // 16 before and 4 more make 64. Two standard errors are to be half the tolerance, with the σ that
  // 3 degrees of freedom, whose χ² is 1.005 or less in one of five, leave possible.
  EXPECT_EQ(found.ends, "100:6400");
  const double sigma = 0.1 * std::sqrt(3 / 1.005);
  const double root = 2 * sigma * std::sqrt(12.0) / (std::log(64.0) * 0.05);
  EXPECT_NEAR(found.count, std::max(24.0, root * root), 1);
  // Of twice the scatter four times the levels; of P and N in turn four times again.
  EXPECT_NEAR(ladder(doublings(), scattering(0.2)).count, 4 * root * root, 2);
  const Ladder of_both = ladder(doublings(Refine::both), fit);
  EXPECT_EQ(of_both.ends, "10:100:640:6400");
  EXPECT_NEAR(of_both.count, 4 * root * root, 2);
}

TEST(DecidingLevels, stay_above_the_round_off_floor) {
  // Ten floors are 0.4 of the last error.
  const std::string found =
      study::deciding_levels(doublings(), undecided(scattering(0.1), 1.0 / 25));
  EXPECT_TRUE(found.starts_with("100:3200:")) << found;
}

TEST(DecidingLevels, of_differences_are_doublings) {
  StudySpec made = doublings();
  made.reference.is_successive = true;
  Fit fit = scattering(0.1);
  // 0.2 (5/doublings)^(3/2) is 0.05 of 12.6 doublings, more than 16 times finer: none.
  EXPECT_EQ(study::deciding_levels(made, undecided(fit)), "");
  fit.statistical = 0.08;  // 6.8 doublings: 7, and 8 levels
  EXPECT_EQ(study::deciding_levels(made, undecided(fit)), "100:12800:8");
}

TEST(DecidingLevels, are_none_where_none_is_asked_for_or_none_would_decide) {
  Study decided = undecided(scattering(0.1));
  decided.results[Errors::x].verdict = study::Verdict::as_expected;
  EXPECT_EQ(study::deciding_levels(doublings(), decided), "");
  EXPECT_EQ(study::deciding_levels(doublings(), undecided(scattering(2.0))), "");
  StudySpec of_file = doublings();
  of_file.reference.refinement = 8.0;
  EXPECT_EQ(study::deciding_levels(of_file, undecided(scattering(0.1))), "");
}

}  // namespace masing::test_deciding_levels
