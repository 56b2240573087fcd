// Which steps are samples: every n-th, step 0 and step N, within the window.

#include <gtest/gtest.h>

#include "io/recorders.hpp"

namespace masing::test_sampling {

using engine::never;
using io::SampledSteps;
using io::Sampling;

std::vector<std::int64_t> taken(const Sampling& sampling) {
  const SampledSteps sampled(sampling);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= sampling.time.steps; ++step) {
    if (sampled.takes(step)) {
      steps.push_back(step);
    }
  }
  return steps;
}

using Steps = std::vector<std::int64_t>;

TEST(Sampling, has_the_first_and_the_last_step) {
  EXPECT_EQ(taken({{.final_time = 1.0, .steps = 10}, 4, 0.0, 1.0}), (Steps{0, 4, 8, 10}));
  EXPECT_EQ(taken({{.final_time = 1.0, .steps = 10}, 5, 0.0, 1.0}), (Steps{0, 5, 10}));
  EXPECT_EQ(taken({{.final_time = 1.0, .steps = 3}, 100, 0.0, 1.0}), (Steps{0, 3}));
  EXPECT_EQ(taken({{.final_time = 1.0, .steps = 1}, 1, 0.0, 1.0}), (Steps{0, 1}));
}

/// N·T/N is rounded and may lie above T; step N is a sample all the same.
TEST(Sampling, has_the_last_step_whatever_the_rounding) {
  for (const double final_time : {0.1, 0.7, 1.1, 12.3, 1e-9, 500.0}) {
    for (std::int64_t steps = 1; steps < 400; ++steps) {
      const SampledSteps sampling({{final_time, steps}, 7, 0.0, final_time});
      ASSERT_TRUE(sampling.takes(steps)) << final_time << ", " << steps;
      ASSERT_EQ(sampling.next(steps - 1), steps) << final_time << ", " << steps;
      ASSERT_EQ(sampling.next(steps), never) << final_time << ", " << steps;
    }
  }
}

TEST(Sampling, is_cut_to_its_window) {
  EXPECT_EQ(taken({{.final_time = 10.0, .steps = 10}, 2, 3.0, 8.0}), (Steps{4, 6, 8}));
  EXPECT_EQ(taken({{.final_time = 10.0, .steps = 10}, 3, 9.5, 10.0}), (Steps{10}));
  EXPECT_EQ(taken({{.final_time = 10.0, .steps = 10}, 3, 0.0, 0.0}), (Steps{0}));
  EXPECT_EQ(taken({{.final_time = 10.0, .steps = 10}, 4, 1.0, 3.0}), Steps{});
}

/// next() and count() against takes() of every step.
TEST(Sampling, finds_the_next_sample_and_counts_without_a_walk) {
  for (const std::int64_t steps : {1, 2, 10, 97, 1000}) {
    for (const std::int64_t every : {1, 2, 3, 7, 50, 5000}) {
      for (const auto& [from, to] :
           {std::pair(0.0, 1.0), {0.3, 0.6}, {0.999, 1.0}, {0.5, 0.5}, {0.0, 0.0}, {1.0, 1.0}}) {
        for (const double time : {500.0, 0.1, 0.7}) {
          const SampledSteps sampled({{time, steps}, every, from * time, to * time});
          std::int64_t next = never;
          std::int64_t count = sampled.count();
          for (std::int64_t step = steps; step >= 0; --step) {
            ASSERT_EQ(sampled.next(step), next) << "after step " << step;
            ASSERT_EQ(sampled.count(step), count) << "to step " << step;
            if (sampled.takes(step)) {
              next = step;
              --count;
            }
          }
          EXPECT_EQ(count, 0);
        }
      }
    }
  }
}

/// The papers' run: N = 10⁶, T = 500, window 400..500, from integers and without a walk over steps.
TEST(Sampling, of_the_papers_window) {
  const Sampling window{{.final_time = 500.0, .steps = 1000000}, 100, 400.0, 500.0};
  const SampledSteps sampling(window);
  EXPECT_EQ(sampling.next(0), 800000);
  EXPECT_EQ(sampling.next(800000), 800100);
  EXPECT_EQ(sampling.next(999900), 1000000);
  EXPECT_EQ(sampling.next(1000000), never);
  EXPECT_EQ(taken(window).size(), 2001U);
}

}  // namespace masing::test_sampling
