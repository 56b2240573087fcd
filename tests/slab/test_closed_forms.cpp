// Prescribed x, piecewise linear with reversals at steps: scheme (26c) is exact at every step size.
// Backbone B(x) = ∫ k min(x, η) ds, branches f = f_r ± 2B(|x - x_r|/2) (Masing's rules), a closed
// loop is erased, and a cycle of amplitude X dissipates 4∫ k η (X-η)⁺ ds.
// Source: continuous-masing-2001 §2; rheological-models-2000, (2.27)-(2.29).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/block_sum.hpp"
#include "slab/kernel/kernel.hpp"
#include "slab/profile.hpp"
#include "support/problem.hpp"

namespace masing::test_closed_forms {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A slab whose position is prescribed.
class Driven {
 public:
  explicit Driven(const support::Data& data)
      : problem_(support::problem(data)),
        profile_(slab::sample_profile(problem_, {0, problem_.field_cells()})),
        fixed_(slab::force_bound(profile_)),
        u_(profile_.initial_u.begin(), profile_.initial_u.end()) {}

  /// The internal force after an increment of x.
  double operator()(double increment) {
    std::int64_t units = 0;
    const slab::SlabKernel kernel(
        {u_, profile_.threshold, profile_.stiffness},
        fixed_.units_per_one() / static_cast<double>(problem_.field_cells()));
    kernel.project_and_sum(std::span(&increment, 1), std::span(&units, 1));
    x_ += increment;
    return fixed_.value(units);
  }

  [[nodiscard]] double x() const { return x_; }
  [[nodiscard]] const std::vector<double>& u() const { return u_; }

  /// B of the cells, δs Σ k_i min(x, η_i), by a sum of its own.
  [[nodiscard]] double backbone(double x) const {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      sum += static_cast<long double>(profile_.stiffness[i]) * std::min(x, profile_.threshold[i]);
    }
    return static_cast<double>(sum / static_cast<long double>(problem_.field_cells()));
  }

  /// A bound of the rounding of S after `steps` increments: each rounds u (below 2) by eps/2 twice
  /// (here and in x), then the product and 68 additions of a block, then half a unit a block.
  [[nodiscard]] double rounding(int steps, double stiffness, double bound) const {
    const std::int64_t blocks = problem_.field_cells() / 1024 + 1;
    return 2 * steps * eps * stiffness + 69 * eps / 2 * bound +
           static_cast<double>(blocks) * fixed_.unit();
  }

 private:
  support::Problem problem_;
  slab::Profile profile_;
  base::FixedPoint fixed_;
  std::vector<double> u_;
  double x_ = 0.0;
};

/// B of the papers' case, η = s + 0.1, k = 1. Source: continuous-masing-2001 §6.
double papers_backbone(double x) {
  if (x <= 0.1) {
    return x;
  }
  return x <= 1.1 ? -x * x / 2 + 1.1 * x - 0.005 : 0.6;
}

TEST(Backbone, is_followed_exactly_at_every_step_size) {
  for (const int steps : {1, 3, 64, 1000}) {
    Driven slab({.stiffness = "2-s", .space = support::space_of(1500)});
    for (int p = 1; p <= steps; ++p) {
      const double force = slab(1.3 / steps);
      ASSERT_NEAR(force, slab.backbone(slab.x()), slab.rounding(p, 2.0, 2.2)) << slab.x();
    }
  }
}

/// A sum over cells is a quadrature of min(x, s + 0.1), which rises by at most 1 over s: the right
/// rule errs by at most δs; it is linear but for a kink of slope 1: the midpoint rule errs by at
/// most δs²/8.
TEST(Backbone, tends_to_the_integral_over_s) {
  for (const std::int64_t cells : {3, 10, 100, 1500}) {
    Driven right({.space = support::space_of(cells)});
    Driven middle({.space = support::space_of(cells), .rule = slab::Rule::midpoint});
    const double ds = 1.0 / static_cast<double>(cells);
    for (int p = 1; p <= 130; ++p) {
      const double exact = papers_backbone(0.01 * p);
      const double rounding = right.rounding(p, 1.0, 1.1) + p * eps;
      ASSERT_NEAR(right(0.01), exact, ds + rounding) << cells << " cells, step " << p;
      ASSERT_NEAR(middle(0.01), exact, ds * ds / 8 + rounding) << cells << " cells, step " << p;
    }
  }
}

/// Rule right saturates at Σ (i/P + 0.1)/P = 0.6 + 1/(2P), for either sign.
TEST(Saturation, of_the_papers_case) {
  for (const int cells : {1, 3, 10, 100, 700, 1500, 5000}) {
    Driven slab({.space = support::space_of(cells)});
    const double exact = 0.6 + 0.5 / cells;
    const double rounding = slab.rounding(0, 1.0, 1.1) + eps;
    EXPECT_NEAR(slab(1e6), exact, rounding) << cells;
    EXPECT_EQ(slab(1.0), slab(0.0)) << cells;
    EXPECT_NEAR(slab(-1e7), -exact, rounding) << cells;
  }
}

/// Four branches: each is f_r ± 2B(|x - x_r|/2) from its reversal on, at every step.
TEST(Branches, are_the_backbone_magnified_by_two) {
  for (const int steps : {1, 7, 100}) {
    Driven slab({.space = support::space_of(1500)});
    int done = 0;
    double reversal_x = 0.0;
    double reversal_force = 0.0;
    const auto move = [&](double to, bool virgin) {
      const double from = slab.x();
      for (int p = 0; p < steps; ++p) {
        const double force = slab((to - from) / steps);
        const double way = std::abs(slab.x() - reversal_x);
        const double expected =
            virgin ? slab.backbone(way)
                   : reversal_force + (to > from ? 2 : -2) * slab.backbone(way / 2);
        ++done;
        ASSERT_NEAR(force, expected, 4 * slab.rounding(done, 1.0, 1.1)) << "to " << to;
        if (p + 1 == steps) {
          reversal_x = slab.x();
          reversal_force = force;
        }
      }
    };
    move(0.8, true);
    move(-0.5, false);
    move(0.4, false);
    move(-0.1, false);
    move(0.3, false);
  }
}

/// x: 0 → X → a → X erases the loop: the force is again on the backbone, and so is every cell.
TEST(ClosedLoop, is_erased) {
  for (const int steps : {1, 16, 128}) {
    Driven slab({.threshold = "s+0.125", .space = support::space_of(1024)});
    Driven monotone({.threshold = "s+0.125", .space = support::space_of(1024)});
    const auto move = [steps](Driven& driven, double way) {
      double force = 0.0;
      for (int p = 0; p < steps; ++p) {
        force = driven(way / steps);
      }
      return force;
    };
    // Dyadic numbers: every operation is exact, so are the comparisons.
    const double at_reversal = move(slab, 0.5);
    const double before = move(monotone, 0.5);
    ASSERT_EQ(at_reversal, before);
    EXPECT_NE(move(slab, -0.75), before);
    EXPECT_EQ(move(slab, 0.75), before);
    EXPECT_EQ(slab.u(), monotone.u());
    EXPECT_EQ(move(slab, 0.25), move(monotone, 0.25));
    EXPECT_EQ(slab.u(), monotone.u());
  }
}

TEST(ClosedLoop, within_a_branch_is_erased_too) {
  Driven slab({.threshold = "s+0.125", .space = support::space_of(1024)});
  slab(0.75);
  slab(-0.5);
  const std::vector<double> before = slab.u();
  slab(0.25);
  slab(-0.125);
  slab(0.0625);
  EXPECT_NE(slab.u(), before);
  slab(-0.1875);
  EXPECT_EQ(slab.u(), before);
}

/// The work over a closed cycle of amplitude X is 4 δs Σ k_i η_i (X - η_i)⁺. The increments meet
/// every yield point (η_i multiples of the step), so the trapezoidal work is exact, and dyadic.
TEST(Dissipation, of_a_closed_cycle) {
  constexpr int cells = 8;
  constexpr double step = 1.0 / 16;
  for (const double amplitude : {0.0625, 0.125, 0.5, 0.75, 2.0}) {
    Driven slab({.stiffness = "2", .threshold = "s", .space = support::space_of(cells)});
    double force = 0.0;
    double work = 0.0;
    const auto move = [&](double to) {
      const double direction = to > slab.x() ? step : -step;
      while (slab.x() != to) {
        const double next = slab(direction);
        work += (force + next) / 2 * direction;
        force = next;
      }
    };
    move(amplitude);
    work = 0.0;
    move(-amplitude);
    move(amplitude);
    double expected = 0.0;
    for (int i = 1; i <= cells; ++i) {
      const double eta = static_cast<double>(i) / cells;
      expected += 4.0 / cells * 2 * eta * std::max(0.0, amplitude - eta);
    }
    EXPECT_EQ(work, expected) << amplitude;
  }
}

/// From a state with u0 ≠ 0 each cell starts at its own elongation.
TEST(InitialElongation, is_where_the_cells_start) {
  Driven slab({.threshold = "0.5", .initial_u = "s-0.5", .space = support::space_of(4)});
  EXPECT_EQ(slab(0.0), (-0.25 + 0.0 + 0.25 + 0.5) / 4);
  EXPECT_EQ(slab(0.25), (0.0 + 0.25 + 0.5 + 0.5) / 4);
  EXPECT_EQ(slab(-0.75), (-0.5 - 0.5 - 0.25 - 0.25) / 4);
}

}  // namespace masing::test_closed_forms
