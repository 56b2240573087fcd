// Which steps are samples: every n-th, step 0 and step N, within the window.

#include <gtest/gtest.h>

#include "io/recorders.hpp"

namespace masing::test_sampling {

using engine::never;
using io::SampledSteps;
using io::Sampling;

using Steps = std::vector<std::int64_t>;

Steps taken(const Sampling& sampling) {
  const SampledSteps sampled(sampling);
  Steps steps;
  for (std::int64_t step = 0; step <= sampling.time.steps; ++step) {
    if (sampled.takes(step)) {
      steps.push_back(step);
    }
  }
  return steps;
}

TEST(Sampling, has_the_first_and_the_last_step_of_its_window) {
  EXPECT_EQ(taken({{1.0, 10}, 4, 0.0, 1.0}), (Steps{0, 4, 8, 10}));
  EXPECT_EQ(taken({{1.0, 10}, 5, 0.0, 1.0}), (Steps{0, 5, 10}));
  EXPECT_EQ(taken({{1.0, 3}, 100, 0.0, 1.0}), (Steps{0, 3}));
  EXPECT_EQ(taken({{1.0, 1}, 1, 0.0, 1.0}), (Steps{0, 1}));
  EXPECT_EQ(taken({{10.0, 10}, 2, 3.0, 8.0}), (Steps{4, 6, 8}));
  EXPECT_EQ(taken({{10.0, 10}, 3, 9.5, 10.0}), (Steps{10}));
  EXPECT_EQ(taken({{10.0, 10}, 3, 0.0, 0.0}), (Steps{0}));
  EXPECT_EQ(taken({{10.0, 10}, 4, 1.0, 3.0}), Steps{});
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

}  // namespace masing::test_sampling
